package pairs

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
)

// sides are those of the square windows in which two images are searched for what
// they have in common.
var sides = []int{4, 6, 8, 11, 15, 20, 28}

const (
	pairsPerStep  = 120 // pairs of images; twice as many where parts are turned
	shiftsPerPair = 4   // of which the common ink is kept
	seedsPerStep  = 150 // patterns that a step goes on with
)

// seed is a pattern that two images or more have in common, and how surprising
// that is, in nats.
type seed struct {
	*shape
	score float64
}

// surprise returns how much likelier n common pixels are if they are a part than
// where m are expected by chance.
func surprise(n int, m float64) float64 {
	if float64(n) <= m {
		return 0
	}
	return float64(float64(n)*elem.Log(float64(n)/m)) - float64(n) + m
}

// pair is two images, or sections of them, to be compared, the second one turned.
type pair struct {
	first, second section
	turn          int
}

// drawPairs draws pairs: the first image by its unexplained ink, the second one any
// other.
func (g *grower) drawPairs(rng *rand.Rand, rest []view) []pair {
	ink := make([]float64, len(rest))
	for i, v := range rest {
		ink[i] = float64(ones(v.ink))
	}
	var out []pair
	for range g.pairs() {
		p := pair{section{image: draw.ByWeight(rng, ink)}, section{image: rng.IntN(max(len(rest)-1, 1))},
			rng.IntN(len(g.angles))}
		if p.first.image < 0 {
			return nil
		}
		if len(rest) > 1 && p.second.image >= p.first.image {
			p.second.image++
		}
		out = append(out, p)
	}
	return out
}

// pairs returns how many pairs of images a step compares.
func (g *grower) pairs() int {
	if len(g.angles) > 1 {
		return 2 * pairsPerStep
	}
	return pairsPerStep
}

// drawSections draws pairs of sections, if possible of different images.
func (g *grower) drawSections(rng *rand.Rand, l *looks) []pair {
	var out []pair
	for range g.pairs() {
		first, ok := l.draw(rng, func(section) bool { return true })
		if !ok {
			return nil
		}
		second, _ := l.draw(rng, func(s section) bool { return s.image != first.image })
		out = append(out, pair{first, second, rng.IntN(len(g.angles))})
	}
	return out
}

// seeds returns the patterns that pairs of images have in common, the most
// surprising first.
func (g *grower) seeds(ctx context.Context, rng *rand.Rand, rest []view, l *looks) ([]seed, error) {
	var drawn []pair
	size, inkOf := g.field, func(s section) plane { return rest[s.image].ink }
	if l != nil {
		drawn = g.drawSections(rng, l)
		size, inkOf = l.field, func(s section) plane { return l.view(s).ink }
	} else {
		drawn = g.drawPairs(rng, rest)
	}
	density := densityOf(rest)
	found := make([][]seed, len(drawn))
	const chunk = 4
	comparers := make([]*comparer, pool.Size(len(drawn), g.workers, chunk))
	if _, err := pool.Run(ctx, len(drawn), len(comparers), chunk, func(w, i int) error {
		if comparers[w] == nil {
			comparers[w] = newComparer(size, density)
		}
		p := drawn[i]
		f, second := size, inkOf(p.second)
		if g.angles[p.turn] != 0 {
			f, second = size.turnPlane(second, g.angles[p.turn])
		}
		c := comparers[w]
		c.itself = p.first.image == p.second.image
		c.dy, c.dx = p.second.y-p.first.y, p.second.x-p.first.x
		found[i] = c.compare(inkOf(p.first), f, second)
		return nil
	}); err != nil {
		return nil, err
	}
	for _, c := range comparers {
		if c != nil {
			g.work += c.work
		}
	}
	return merged(slices.Concat(found...)), nil
}

// merged merges equal patterns, which are more surprising, and returns the most
// surprising ones.
func merged(all []seed) []seed {
	at, times := map[string]int{}, []int{}
	var out []seed
	for _, s := range all {
		key := s.key()
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out, times = append(out, s), append(times, 0)
		}
		out[i].score = max(out[i].score, s.score)
		times[i]++
	}
	for i := range out {
		out[i].score *= 1 + elem.Log(float64(times[i]))
	}
	slices.SortStableFunc(out, func(a, b seed) int { return cmp.Compare(b.score, a.score) })
	return out[:min(len(out), seedsPerStep)]
}

// comparer finds what two images have in common.
type comparer struct {
	field
	surprise [][]float64 // of so many common pixels in a window, by side
	moved    plane       // the second image moved to a shift
	common   plane
	rows     []int // running sums of the common pixels of the rows
	counts   []int
	itself   bool // at the shift dy, dx an image is compared with itself, which is left out
	dy, dx   int
	work     int64 // words compared
}

func newComparer(f field, density float64) *comparer {
	c := &comparer{field: f, moved: f.plane(), common: f.plane(), rows: make([]int, f.height+1),
		counts: make([]int, f.height+1)}
	for _, s := range sides {
		chance := math.Max(float64(s*s)*density*density, 1e-9)
		table := make([]float64, s*s+1)
		for n := range table {
			table[n] = surprise(n, chance)
		}
		c.surprise = append(c.surprise, table)
	}
	return c
}

// compare returns the patterns that two images have in common at the most
// surprising shifts, one for each.
func (c *comparer) compare(first plane, f field, second plane) []seed {
	var best []seed
	worse, least := 0.0, c.least(0)
	for i := range 2 * max(c.width, f.width) {
		dx := outwards(i)
		if dx <= -f.width || dx >= c.width {
			continue
		}
		c.moveAcross(f, second, dx)
		for j := range 2 * max(c.height, f.height) {
			dy := outwards(j)
			if dy <= -f.height || dy >= c.height || c.itself && dy == c.dy && dx == c.dx ||
				!c.may(first, f.height, dy, least, worse) {
				continue
			}
			found, ok := c.window(first, f.height, dy, worse)
			if !ok {
				continue
			}
			best = append(best, found)
			slices.SortStableFunc(best, func(a, b seed) int { return cmp.Compare(b.score, a.score) })
			if len(best) > shiftsPerPair {
				best = best[:shiftsPerPair]
			}
			if len(best) == shiftsPerPair {
				worse = best[shiftsPerPair-1].score
				least = c.least(worse)
			}
		}
	}
	return best
}

// outwards returns the i-th of 0, 1, -1, 2, -2, ...: images have more in common at
// short shifts.
func outwards(i int) int {
	if i&1 == 1 {
		return (i + 1) / 2
	}
	return -i / 2
}

// least returns how many common pixels a window must have to be more surprising than
// worse.
func (c *comparer) least(worse float64) int {
	least := math.MaxInt
	for _, table := range c.surprise {
		if n, _ := slices.BinarySearch(table, math.Nextafter(worse, math.Inf(1))); n < len(table) {
			least = min(least, n)
		}
	}
	return least
}

// moveAcross moves the second image by dx columns.
func (c *comparer) moveAcross(f field, second plane, dx int) {
	if need := f.height * c.words; len(c.moved) < need {
		c.moved = make(plane, need)
	}
	for y := range f.height {
		for i := range c.words {
			w := f.window(second, y, 64*i-dx)
			if rest := c.width - 64*i; rest < 64 {
				w &= 1<<rest - 1
			}
			c.moved[y*c.words+i] = w
		}
	}
}

// may reports whether a window at a shift may be more surprising than worse, for
// which it must have least pixels: it has no more than the best rows of its height.
func (c *comparer) may(first plane, height, dy, least int, worse float64) bool {
	y0, y1 := max(0, dy), min(c.height, height+dy)
	total := 0
	a, b := first[y0*c.words:y1*c.words], c.moved[(y0-dy)*c.words:(y1-dy)*c.words]
	c.work += int64(len(a))
	for i, w := range a {
		total += bits.OnesCount64(w & b[i])
	}
	if total < least {
		return false
	}
	c.rows[0], total = 0, 0
	for y := y0; y < y1; y++ {
		for i := (y - y0) * c.words; i < (y-y0+1)*c.words; i++ {
			total += bits.OnesCount64(a[i] & b[i])
		}
		c.rows[y-y0+1] = total
	}
	for i, s := range sides {
		table := c.surprise[i]
		if table[min(total, s*s)] <= worse {
			continue
		}
		n := 0
		for y := range y1 - y0 {
			n = max(n, c.rows[min(y+s, y1-y0)]-c.rows[y])
		}
		if table[min(n, s*s)] > worse {
			return true
		}
	}
	return false
}

// window returns the common pixels in the most surprising window at a shift, if it
// is more surprising than worse.
func (c *comparer) window(first plane, height, dy int, worse float64) (best seed, ok bool) {
	y0, y1 := max(0, dy), min(c.height, height+dy)
	clear(c.common)
	for y := y0; y < y1; y++ {
		for i := range c.words {
			c.common[y*c.words+i] = first[y*c.words+i] & c.moved[(y-dy)*c.words+i]
		}
	}
	top, left, side, score := c.search(y0, y1, worse)
	if side == 0 {
		return seed{}, false
	}
	p := c.plane()
	for y := top; y < min(top+side, c.height); y++ {
		for i := range c.words {
			p[y*c.words+i] = c.common[y*c.words+i]
		}
	}
	for y := range c.height { // outside the columns of the window
		for i := range c.words {
			p[y*c.words+i] &= span(left-64*i, left+side-64*i)
		}
	}
	s, _, _ := c.trimmed(p)
	return seed{s, score}, true
}

// search returns the most surprising window of the common pixels, which are in rows
// y0 to y1-1, and how surprising it is; side 0 if that is not more than worse.
func (c *comparer) search(y0, y1 int, worse float64) (top, left, side int, score float64) {
	score = worse
	c.rows[0] = 0
	for y := y0; y < y1; y++ {
		n := 0
		for _, w := range c.common[y*c.words : (y+1)*c.words] {
			n += bits.OnesCount64(w)
		}
		c.rows[y-y0+1] = c.rows[y-y0] + n
	}
	for i, s := range sides {
		// A window must have least pixels, and so must the rows that it lies in.
		least, _ := slices.BinarySearch(c.surprise[i], math.Nextafter(score, math.Inf(1)))
		if least > min(s*s, c.rows[y1-y0]) {
			continue
		}
		from, to := y1, y0 // the first rows of windows that may do
		for y := y0; y < y1; y++ {
			if c.rows[min(y+s, y1)-y0]-c.rows[y-y0] >= least {
				from, to = min(from, y), max(to, y+1)
			}
		}
		if from >= to {
			continue
		}
		end := min(to-1+s, y1)
		for x := range max(c.width-s+1, 1) {
			n := c.column(from, end, x, s)
			if n < least {
				continue
			}
			for y := from; y < to; y++ {
				n := c.counts[min(y+s, end)-1]
				if y > from {
					n -= c.counts[y-1]
				}
				if n >= least {
					top, left, side, score, least = y, x, s, c.surprise[i][n], n+1
				}
			}
		}
	}
	return top, left, side, score
}

// column sets counts[y] to the common pixels in rows from to y, of those of the s
// columns from x on, and returns the last of them.
func (c *comparer) column(from, end, x, s int) (n int) {
	c.work += int64(end - from)
	mask := uint64(1)<<s - 1
	counts := c.counts[from:end]
	if c.words == 1 {
		for i, w := range c.common[from:end] {
			n += bits.OnesCount64(w >> x & mask)
			counts[i] = n
		}
		return n
	}
	for i := range counts {
		n += bits.OnesCount64(c.field.window(c.common, from+i, x) & mask)
		counts[i] = n
	}
	return n
}

// span returns the bits from a to b-1, which may lie outside a word.
func span(a, b int) uint64 {
	low := func(n int) uint64 {
		if n >= 64 {
			return ^uint64(0)
		}
		return 1<<max(n, 0) - 1
	}
	return low(b) &^ low(a)
}
