package fewshot

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// moves are the copies that rivals see of an example: turned, then shifted.
type moves struct {
	angles []float64
	reach  int
	step   int
}

// neighbourMoves and copyMoves are what nearest neighbours search, and the copies that
// the other rivals also learn from.
func neighbourMoves(side int) moves {
	return moves{pose.Evenly(16, 8), max(1, side/8), 1}
}

func copyMoves(side int) moves {
	return moves{pose.Evenly(10, 10), max(1, side/16), max(1, side/16)}
}

// copies returns the moved copies of an image, itself among them.
func (m moves) copies(img *bitmap.Image) []*bitmap.Image {
	var out []*bitmap.Image
	h, w := img.Height(), img.Width()
	for _, a := range m.angles {
		turn := pose.NewTurn(h, w, a)
		for dy := -m.reach; dy <= m.reach; dy += m.step {
			for dx := -m.reach; dx <= m.reach; dx += m.step {
				c := bitmap.New(h, w)
				for y := range h {
					for x := range w {
						ty, tx := y, x
						if turn.Back != nil {
							p := turn.Back[y*w+x]
							ty, tx = int(p.Y), int(p.X)
						}
						if ty, tx = ty+dy, tx+dx; img.At(y, x) && ty >= 0 && tx >= 0 && ty < h && tx < w {
							c.Set(ty, tx, true)
						}
					}
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// neighbours names the test images by their nearest examples under the best shift and
// turn: by one, and by three, of which the nearest decides between equals.
func neighbours(train [][]*bitmap.Image, tests []*bitmap.Image) (one, three []int) {
	type example struct {
		class  int
		copies [][]uint64
	}
	var examples []example
	for c, images := range train {
		for _, img := range images {
			e := example{class: c}
			for _, m := range neighbourMoves(img.Height()).copies(img) {
				e.copies = append(e.copies, m.AppendWords(nil))
			}
			examples = append(examples, e)
		}
	}
	type near struct{ class, distance int }
	for _, img := range tests {
		x := img.AppendWords(nil)
		all := make([]near, len(examples))
		for i, e := range examples {
			all[i] = near{e.class, math.MaxInt}
			for _, c := range e.copies {
				d := 0
				for j, w := range c {
					d += bits.OnesCount64(w ^ x[j])
				}
				all[i].distance = min(all[i].distance, d)
			}
		}
		slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
		best, votes := all[0].class, map[int]int{}
		for _, n := range all[:min(3, len(all))] {
			votes[n.class]++
		}
		one = append(one, best)
		for _, n := range all[:min(3, len(all))] {
			if votes[n.class] > votes[best] {
				best = n.class
			}
		}
		three = append(three, best)
	}
	return one, three
}

// naiveBayes names images or rows by how often the pixels or columns are on in each class,
// with half a pseudo-count each way, and by how common the classes are. What is unknown says
// nothing.
func naiveBayes(train [][]*bitmap.Image, tests []*bitmap.Image) []int {
	columns, most := tests[0].Len(), 0
	logs := make([][][2]float64, len(train))
	for c, rows := range train {
		most = max(most, len(rows))
		counts := make([][2]float64, columns)
		for _, img := range rows {
			for x, v := range img.AppendValues(nil) {
				if v < 2 {
					counts[x][v]++
				}
			}
		}
		logs[c] = make([][2]float64, columns)
		for x, n := range counts {
			for v := range n {
				logs[c][x][v] = math.Log((n[v] + 0.5) / (n[0] + n[1] + 1))
			}
		}
	}
	out := make([]int, len(tests))
	for i, img := range tests {
		top := math.Inf(-1)
		for c := range train {
			sum := math.Log(float64(len(train[c])) / float64(most))
			for x, v := range img.AppendValues(nil) {
				if v < 2 {
					sum += logs[c][x][v]
				}
			}
			if sum > top {
				out[i], top = c, sum
			}
		}
	}
	return out
}

// logistic names the test images by multinomial logistic regression, fitted by
// stochastic gradient steps with a weight decay.
func logistic(train [][]*bitmap.Image, tests []*bitmap.Image, rng *rand.Rand) []int {
	on := func(img *bitmap.Image) (pixels []int32) {
		for i, p := range img.AppendBytes(nil) {
			if p != 0 {
				pixels = append(pixels, int32(i))
			}
		}
		return pixels
	}
	type row struct {
		class int
		on    []int32
	}
	var all []row
	for c, images := range train {
		for _, img := range images {
			all = append(all, row{c, on(img)})
		}
	}
	classes, pixels := len(train), train[0][0].Len()
	w := make([][]float64, pixels+1) // of each pixel, for each class; the last is the constant
	for i := range w {
		w[i] = make([]float64, classes)
	}
	scores := func(on []int32, s []float64) {
		copy(s, w[pixels])
		for _, i := range on {
			for c, v := range w[i] {
				s[c] += v
			}
		}
	}
	const steps, rate, decay = 20000, 0.02, 1e-3
	s := make([]float64, classes)
	for t := range steps {
		r := all[rng.IntN(len(all))]
		scores(r.on, s)
		softmax(s)
		s[r.class]--
		eta := rate / (1 + 4*float64(t)/steps)
		for _, i := range r.on {
			for c := range s {
				w[i][c] -= eta * (s[c] + decay*w[i][c])
			}
		}
		for c := range s {
			w[pixels][c] -= eta * s[c]
		}
	}
	out := make([]int, len(tests))
	for i, img := range tests {
		scores(on(img), s)
		out[i] = slices.Index(s, slices.Max(s))
	}
	return out
}

// softmax turns scores into probabilities.
func softmax(s []float64) {
	top, sum := slices.Max(s), 0.0
	for i := range s {
		s[i] = math.Exp(s[i] - top)
		sum += s[i]
	}
	for i := range s {
		s[i] /= sum
	}
}

// withCopies returns the images with their moved copies.
func withCopies(train [][]*bitmap.Image) [][]*bitmap.Image {
	out := make([][]*bitmap.Image, len(train))
	for c, images := range train {
		for _, img := range images {
			out[c] = append(out[c], copyMoves(img.Height()).copies(img)...)
		}
	}
	return out
}
