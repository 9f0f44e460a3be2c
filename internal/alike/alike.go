// Package alike says which parts of two models are the same: it pairs them one to one
// so that they have the most in common, wherever they lie in their frames.
package alike

import (
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/assign"
)

// Same is the similarity from which two parts count as one.
const Same = 0.7

// Votes are the votes of the parts of a model: what each adds to abstention, pixel by
// pixel or column by column.
type Votes struct {
	Height, Width int
	Parts         [][]float64
}

// Templates returns the votes of the parts as the model has them.
func Templates(m *patchwork.Model) Votes {
	v := Votes{m.Height(), m.Width(), m.Templates()}
	v.lessAbstention(m)
	return v
}

// Placed returns the votes of the parts at their mean places.
func Placed(m *patchwork.Model) Votes {
	picks := make([]patchwork.Pick, m.K())
	for k := range picks {
		picks[k].Expert = k
	}
	for _, p := range m.SamplePicks(nil) {
		picks[p.Expert] = p
	}
	v := Votes{m.Height(), m.Width(), make([][]float64, m.K())}
	for k, p := range picks {
		v.Parts[k] = m.Compose(m.Height(), m.Width(), []patchwork.Pick{p}).P
	}
	v.lessAbstention(m)
	return v
}

func (v Votes) lessAbstention(m *patchwork.Model) {
	for _, part := range v.Parts {
		for i := range part {
			part[i] -= m.Abstention(i)
		}
	}
}

// Pair is the counterpart of a part and how similar the two are; of a part without
// one, -1 and 0.
type Pair struct {
	Part       int
	Similarity float64
}

// Pairs returns the counterpart of each part of a in b, of the same size. Parts of b
// are moved by up to reach pixels to where the two have the most in common; with
// centred, from where their centres meet.
func Pairs(a, b Votes, reach int, centred bool) []Pair {
	gain := make([][]float64, len(a.Parts))
	for i, x := range a.Parts {
		gain[i] = make([]float64, len(b.Parts))
		for j, y := range b.Parts {
			dy, dx := 0, 0
			if centred {
				ya, xa := centre(x, a.Width)
				yb, xb := centre(y, b.Width)
				dy, dx = int(math.Round(ya-yb)), int(math.Round(xa-xb))
			}
			gain[i][j] = similarity(x, y, a.Height, a.Width, dy, dx, reach)
		}
	}
	out := make([]Pair, len(a.Parts))
	for i, j := range assign.Pairs(gain) {
		if out[i].Part = j; j >= 0 {
			out[i].Similarity = gain[i][j]
		}
	}
	return out
}

// similarity returns the sum of the smaller over the sum of the larger of two
// vectors of votes, those of different signs having nothing in common, where y is
// shifted by dy and dx and up to reach pixels more to where that is largest.
func similarity(x, y []float64, height, width, dy, dx, reach int) float64 {
	best := 0.0
	for ty := dy - reach; ty <= dy+reach; ty++ {
		for tx := dx - reach; tx <= dx+reach; tx++ {
			best = max(best, overlap(x, y, height, width, ty, tx))
		}
	}
	return best
}

// overlap is similarity for one shift. What is shifted out of the frame counts for
// nothing.
func overlap(x, y []float64, height, width, dy, dx int) float64 {
	common, all := 0.0, 0.0
	for r := range height {
		for c := range width {
			u, v := x[r*width+c], 0.0
			if sr, sc := r-dy, c-dx; sr >= 0 && sr < height && sc >= 0 && sc < width {
				v = y[sr*width+sc]
			}
			if u > 0 == (v > 0) {
				common += min(math.Abs(u), math.Abs(v))
				all += max(math.Abs(u), math.Abs(v))
			} else {
				all += math.Abs(u) + math.Abs(v)
			}
		}
	}
	if all == 0 {
		return 0
	}
	return common / all
}

// centre returns the centre of some votes; 0 if there are none.
func centre(votes []float64, width int) (y, x float64) {
	sum := 0.0
	for i, v := range votes {
		v = math.Abs(v)
		y, x, sum = y+float64(v*float64(i/width)), x+float64(v*float64(i%width)), sum+v
	}
	if sum == 0 {
		return 0, 0
	}
	return y / sum, x / sum
}

// Inside returns how much of the smaller of two vectors of votes for ink the other has,
// too: 0 if they lie beside each other, 1 if one lies within the other.
func Inside(x, y []float64) float64 {
	common, sumX, sumY := 0.0, 0.0, 0.0
	for i := range x {
		u, v := max(x[i], 0), max(y[i], 0)
		common, sumX, sumY = common+min(u, v), sumX+u, sumY+v
	}
	if least := min(sumX, sumY); least > 0 {
		return common / least
	}
	return 0
}
