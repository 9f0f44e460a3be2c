package score

import (
	"math"
	"sync"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
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
	Top, Left     int       // of a sprite's frame, in coordinates of the templates'; not above 0
	Height, Width int       // of a sprite's frame
	Q             float64   // abstention value where QMap is nil
	QMap          []float64 // abstention value per pixel of the image, or nil
	TwoSided      bool      // max-minus-min: votes below Q count too
	Sprites       []Sprite

	alike         [4]float64 // log-likelihoods of a pixel at Q, by its value
	above         *Bank      // the votes above the floor, over the floor; nil if there is none; see setFloor
	bounds        bankBounds // of the bounded engine, made by it
	makeStrengths sync.Once  // of the general engine

	worst      float64 // no finite log-likelihood of a pixel is below -worst, in nats
	impossible float64 // stands for -log 0 in the general engine; see setPenalty
	largest    float64 // no term of the general engine is larger, in nats
	plain      bool    // see Plain
}

// Frame says how a Bank is built from templates of Height x Width opinions, in which
// rotations.
type Frame struct {
	Height, Width int
	Q             float64
	QMap          []float64
	TwoSided      bool
	Turns         []pose.Turn
}

// NewBank builds the sprites of the templates, which must not change afterwards:
// an unturned sprite may share the memory of its template. The frame of the sprites is
// that of the templates, and larger where votes are turned out of it.
func NewBank(f Frame, templates [][]float64) *Bank {
	b := &Bank{Height: f.Height, Width: f.Width, Q: f.Q, QMap: f.QMap, TwoSided: f.TwoSided,
		Sprites: make([]Sprite, len(templates)*len(f.Turns))}
	b.alike = alike(b.Q)
	b.makeRoom(f, templates)
	gathers := make([][]int32, len(f.Turns))
	for r, t := range f.Turns {
		gathers[r] = b.gather(f, t)
	}
	for k, t := range templates {
		b.setTemplate(gathers, k, t)
	}
	b.setPenalty()
	b.setFloor()
	b.plain = b.plain && len(gathers) == 1 && gathers[0] == nil
	return b
}

// makeRoom enlarges the frame of the sprites so that every vote of a turned template is
// in it.
func (b *Bank) makeRoom(f Frame, templates [][]float64) {
	used := make([]bool, f.Height*f.Width)
	for _, t := range templates {
		for i, v := range t {
			used[i] = used[i] || b.votes(v)
		}
	}
	bottom, right := f.Height, f.Width
	for _, t := range f.Turns {
		for i, s := range t.From {
			if s != pose.Outside && used[s] {
				y, x := t.Top+i/t.Width, t.Left+i%t.Width
				b.Top, b.Left, bottom, right = min(b.Top, y), min(b.Left, x), max(bottom, y+1), max(right, x+1)
			}
		}
	}
	b.Height, b.Width = bottom-b.Top, right-b.Left
}

// gather returns which pixel of a template each pixel of a sprite turned by t takes its
// opinion from, pose.Outside where from none: it abstains. nil is the identity.
func (b *Bank) gather(f Frame, t pose.Turn) []int32 {
	if t.From == nil {
		if b.Height == f.Height && b.Width == f.Width {
			return nil
		}
		t = pose.Turn{Height: f.Height, Width: f.Width}
		for i := range f.Height * f.Width {
			t.From = append(t.From, int32(i))
		}
	}
	out := make([]int32, b.Height*b.Width)
	for i := range out {
		y, x := b.Top+i/b.Width-t.Top, b.Left+i%b.Width-t.Left
		if out[i] = pose.Outside; y >= 0 && x >= 0 && y < t.Height && x < t.Width {
			out[i] = t.From[y*t.Width+x]
		}
	}
	return out
}

// grid returns where the sprites' frames lie if the templates' are shifted by g.
func (b *Bank) grid(g Grid) Grid {
	g.DY0, g.DX0 = g.DY0+b.Top, g.DX0+b.Left
	return g
}

// setTemplate makes the sprites of expert k.
func (b *Bank) setTemplate(gathers [][]int32, k int, t []float64) {
	on, off := make([]float64, len(t)), make([]float64, len(t))
	for i, p := range t {
		on[i], off[i] = elem.Log(p), elem.Log1p(-p)
	}
	for r, rotation := range gathers {
		s := Sprite{Expert: k, V: t, On: on, Off: off}
		if rotation != nil {
			s.V, s.On, s.Off = b.rotate(rotation, t, on, off)
		}
		b.findSpans(&s)
		b.Sprites[k*len(gathers)+r] = s
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
	n := len(gather)
	buf := make([]float64, 3*n)
	rv, ron, roff = buf[:n], buf[n:2*n], buf[2*n:]
	q := b.outside()
	logQ, logNotQ := elem.Log(q), elem.Log1p(-q)
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

// abstaining returns the log-likelihoods of image pixel i where no pick votes, by its value.
func (b *Bank) abstaining(i int) [4]float64 {
	if b.QMap == nil {
		return b.alike
	}
	return alike(b.QMap[i])
}

// alike returns the log-likelihoods of a pixel of probability p, by its value.
func alike(p float64) [4]float64 { return [4]float64{Off: elem.Log1p(-p), On: elem.Log(p)} }

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
	note(elem.Log(b.Q))
	note(elem.Log1p(-b.Q))
	for _, q := range b.QMap {
		note(elem.Log(q))
		note(elem.Log1p(-q))
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
	b.impossible = float64(4*float64(b.Height*b.Width)*worst) + 1
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
