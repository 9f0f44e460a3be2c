package strokes

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// voteLevels are the probabilities that an entry of a template may have where it
// votes. With a few levels the counts of an M-step are few as well: one for every
// level that the other experts may give a pixel.
var voteLevels = [...]float64{0.03, 0.06, 0.1, 0.15, 0.22, 0.3, 0.4, 0.5, 0.6, 0.7, 0.79, 0.87, 0.93, 0.97}

// levels are the probabilities that a pixel may have: level 0 is the background,
// the others are votes, ascending.
type levels struct {
	p      []float64
	on     []float64 // log p
	off    []float64 // log (1-p)
	covers int       // the first level above 1/2
}

// sharedLevels are those of parts that many images share: these are surer of their ink,
// because there are many images, and lie on a background that is learned.
var sharedLevels = [...]float64{0.01, 0.03, 0.08, 0.16, 0.3, 0.5, 0.7, 0.84, 0.93, 0.97, 0.99, 0.997}

// newLevels returns the levels of votes over a background.
func newLevels(background float64, votes []float64) *levels {
	l := &levels{p: []float64{background}}
	for _, p := range votes {
		if p > background {
			l.p = append(l.p, p)
		}
	}
	for i, p := range l.p {
		l.on, l.off = append(l.on, elem.Log(p)), append(l.off, elem.Log1p(-p))
		if p <= 0.5 {
			l.covers = i + 1
		}
	}
	return l
}

// nearest returns the level nearest to a probability, the background for what is
// nearer to it than to the lowest vote.
func (l *levels) nearest(p float64) uint8 {
	best := 0
	for i, q := range l.p {
		if math.Abs(q-p) < math.Abs(l.p[best]-p) {
			best = i
		}
	}
	return uint8(best)
}

// Pixels of an image, as bitmap.Image.AppendValues gives them.
const (
	off = iota
	on
	unknown
)

// table holds what an entry of a template gains, in fixed point, by the pixel and
// the level that the other experts give it.
type table struct {
	levels int
	gain   []int32 // [pixel][level of the others][level of the entry]
	most   []int32 // by level of the entry, at any pixel
}

// of returns the gains of the entries of all levels at a pixel.
func (t *table) of(x, others uint8) []int32 {
	at := (int(x)*t.levels + int(others)) * t.levels
	return t.gain[at : at+t.levels]
}

// newTable returns the gains of likelihood under a view of the probabilities, less
// the price of covering a pixel twice, in units of 1/unit nats.
func newTable(l *levels, view func(p float64) float64, double, unit float64) *table {
	n := len(l.p)
	t := &table{levels: n, gain: make([]int32, 3*n*n), most: make([]int32, n)}
	for m := range n {
		for i := range n {
			p, others := view(l.p[max(i, m)]), view(l.p[m])
			price := 0.0
			if m >= l.covers && i >= l.covers {
				price = double
			}
			t.of(on, uint8(m))[i] = int32(math.Round(unit * (elem.Log(p) - elem.Log(others) - price)))
			t.of(off, uint8(m))[i] = int32(math.Round(unit * (elem.Log1p(-p) - elem.Log1p(-others) - price)))
			t.most[i] = max(t.most[i], t.of(on, uint8(m))[i], t.of(off, uint8(m))[i])
		}
	}
	return t
}
