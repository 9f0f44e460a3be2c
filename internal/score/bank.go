package score

import (
	"math"
	"sync"
)

// Span is the half-open run of columns [First, End) of one row of a sprite.
type Span struct{ Row, First, End int32 }

// Sprite is one expert in one rotation: one opinion per pixel of its frame.
type Sprite struct {
	Expert int
	V      []float64 // Height*Width opinions, row-major
	On     []float64 // log V
	Off    []float64 // log(1-V)
	spans  []Span    // where it may vote, by row, then column

	// strength is, for an Off and an On pixel, how far the opinion moves the
	// pixel's log-likelihood in its direction: -log(1-V) and log V, finite.
	strength [2][]float64
	rows     []int32 // spans of row y are spans[rows[y]:rows[y+1]]
}

// Bank holds every sprite of a model under one scoring, in candidate order:
// expert first, then rotation. It is immutable and safe for concurrent use.
type Bank struct {
	Height, Width int       // of a sprite's frame
	Q             float64   // abstention value where QMap is nil
	QMap          []float64 // abstention value per pixel of the image, or nil
	TwoSided      bool      // max-minus-min: votes below Q count too
	Sprites       []Sprite

	bounds        bankBounds // of the bounded engine, made by it
	makeStrengths sync.Once  // of the general engine

	worst      float64 // no finite log-likelihood of a pixel is below -worst, in nats
	impossible float64 // stands for -log 0 in the general engine; see setPenalty
	largest    float64 // no term of the general engine is larger, in nats
	plain      bool    // see Plain
}

// Frame says how a Bank is built from templates of Height x Width opinions:
// with one gather map per rotation (nil is the identity; a negative entry comes
// from outside the frame and abstains).
type Frame struct {
	Height, Width int
	Q             float64
	QMap          []float64
	TwoSided      bool
	Rotations     [][]int32
}

// NewBank builds the sprites of the templates, which must not change afterwards:
// an unturned sprite shares the memory of its template.
func NewBank(f Frame, templates [][]float64) *Bank {
	b := &Bank{Height: f.Height, Width: f.Width, Q: f.Q, QMap: f.QMap, TwoSided: f.TwoSided,
		Sprites: make([]Sprite, len(templates)*len(f.Rotations))}
	for k, t := range templates {
		b.setTemplate(f, k, t)
	}
	b.setPenalty()
	b.plain = b.plain && len(f.Rotations) == 1 && f.Rotations[0] == nil
	return b
}

// setTemplate makes the sprites of expert k.
func (b *Bank) setTemplate(f Frame, k int, t []float64) {
	on, off := make([]float64, len(t)), make([]float64, len(t))
	for i, p := range t {
		on[i], off[i] = math.Log(p), math.Log1p(-p)
	}
	for r, rotation := range f.Rotations {
		s := Sprite{Expert: k, V: t, On: on, Off: off}
		if rotation != nil {
			s.V, s.On, s.Off = b.rotate(rotation, t, on, off)
		}
		b.findSpans(&s)
		b.Sprites[k*len(f.Rotations)+r] = s
	}
}

// outside returns the opinion of a sprite's pixel that comes from outside its
// frame. With one abstention value it is that value; with one per pixel no
// single number abstains everywhere, so NaN marks it: it is neither above nor
// below anything.
func (b *Bank) outside() float64 {
	if b.QMap != nil {
		return math.NaN()
	}
	return b.Q
}

// rotate returns the opinions v and their logarithms, gathered by a rotation.
func (b *Bank) rotate(gather []int32, v, on, off []float64) (rv, ron, roff []float64) {
	buf := make([]float64, 3*len(v))
	rv, ron, roff = buf[:len(v)], buf[len(v):2*len(v)], buf[2*len(v):]
	q := b.outside()
	logQ, logNotQ := math.Log(q), math.Log1p(-q)
	for i, s := range gather {
		if s < 0 {
			rv[i], ron[i], roff[i] = q, logQ, logNotQ
			continue
		}
		rv[i], ron[i], roff[i] = v[s], on[s], off[s]
	}
	return rv, ron, roff
}

// findSpans lists the maximal runs of pixels that vote, or with a QMap might.
func (b *Bank) findSpans(s *Sprite) {
	s.rows = make([]int32, b.Height+1)
	for y := range b.Height {
		row := s.V[y*b.Width : (y+1)*b.Width]
		for x := 0; x < len(row); x++ {
			if !b.votes(row[x]) {
				continue
			}
			first := x
			for x < len(row) && b.votes(row[x]) {
				x++
			}
			s.spans = append(s.spans, Span{int32(y), int32(first), int32(x)})
		}
		s.rows[y+1] = int32(len(s.spans))
	}
}

// votes reports whether an opinion votes, or with a QMap might.
func (b *Bank) votes(v float64) bool {
	if b.QMap != nil {
		return v == v
	}
	return v > b.Q || (b.TwoSided && v < b.Q)
}

// Abstention returns the abstention value of image pixel i.
func (b *Bank) Abstention(i int) float64 {
	if b.QMap != nil {
		return b.QMap[i]
	}
	return b.Q
}

// setPenalty chooses the finite number that stands for an impossible pixel in
// the general engine, where an opinion of exactly 0 or 1 would make a sum of
// infinities: larger than any sum of finite terms over one frame, so that the
// number of impossible pixels is compared first.
func (b *Bank) setPenalty() {
	// A composition hi + lo - q of unequal opinions is no smaller than the
	// rounding error of its terms, so 40 nats bound its finite logarithms.
	worst, edges := 40.0, false
	note := func(l float64) {
		if math.IsInf(l, -1) {
			edges = true
		} else if -l > worst {
			worst = -l
		}
	}
	note(math.Log(b.Q))
	note(math.Log1p(-b.Q))
	for _, q := range b.QMap {
		note(math.Log(q))
		note(math.Log1p(-q))
	}
	for i := range b.Sprites {
		s := &b.Sprites[i]
		for _, sp := range s.spans {
			for j := int(sp.Row)*b.Width + int(sp.First); j < int(sp.Row)*b.Width+int(sp.End); j++ {
				note(s.On[j])
				note(s.Off[j])
			}
		}
	}
	b.plain, b.worst = !edges, worst
	b.impossible = 4*float64(b.Height*b.Width)*worst + 1
	// Opposing votes of a two-sided rule may cancel to exactly 0 or 1.
	if b.largest = worst; edges || b.TwoSided {
		b.largest = b.impossible
	}
}

// finite returns l with -Inf replaced by the penalty.
func (b *Bank) finite(l float64) float64 { return max(l, -b.impossible) }

// Plain reports whether the bank has one unturned sprite per expert and no
// opinion that votes is 0 or 1.
func (b *Bank) Plain() bool { return b.plain }

// LeastLogLik returns a lower bound, in nats, on the log-likelihood of a pixel
// that is possible, under any picks of a plain bank.
func (b *Bank) LeastLogLik() float64 { return -b.worst }

// Candidates returns the number of candidates for a grid of that many shifts.
func (b *Bank) Candidates(shifts int) int { return len(b.Sprites) * shifts }
