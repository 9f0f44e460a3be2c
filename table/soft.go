package table

import (
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/posterior"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/exact"
)

const (
	// softUnit is the fixed point of the posterior weights in a SoftTally.
	softUnit = 1 << 24
	// leastWeight: lighter alternatives are not counted (findings, section 6).
	leastWeight = 1e-3
	// softBins is how many strengths of an opposing vote are told apart. Bin 0
	// is none, the others share the way from abstention to certainty evenly.
	softBins = 7
)

// SoftTally is what the posteriors of a table's rows say about still experts
// and the background: bits counted by the posterior weights of the explanations
// (the soft counterpart of Tally). Weights are rounded to multiples of 2^-24 and
// counted as integers, so rows may be counted in any order, on any number of
// workers, and merged: the sum is the same to the bit. It belongs to one
// goroutine.
//
// In every explanation the strongest active vote above the abstention value
// owns a bit, and so does the strongest one below it. An active expert that
// abstains there is counted as well where nobody votes on that side: that is
// what its vote would be learned from.
type SoftTally struct {
	experts, width int
	sides          int        // 1 under Max: votes above abstention only
	bins           int        // of opposing votes; 1 under Max
	cells          []softCell // by expert, bit, side and bin
	freeOn, free   []int64    // by bit: nobody votes; in units of 1/softUnit
	active         []int64    // by expert, in units of 1/softUnit
	rows           int64
	impossible     int64
	evidence       exact.Int128 // of the others, in units of 1/exact.NatsUnit nats

	compose  patchwork.Extremes // scratch
	x, known []uint8
}

// softCell is bits counted by weight, in units of 1/softUnit: those where the
// vote in question is right (on for a vote above abstention, off for one below)
// or wrong, and the sum over both of how far the opposing vote is.
type softCell struct{ right, wrong, against int64 }

// NewSoftTally is an empty tally for the experts of m. It panics if these may
// move: soft learning is for tables.
func NewSoftTally(m *patchwork.Model) *SoftTally {
	if m.Config().Scene || m.Config().Poses.Len() != 1 {
		panic("patchwork: a SoftTally counts experts that stay where they are")
	}
	t := &SoftTally{experts: m.K(), width: m.Config().Height * m.Config().Width, sides: 1, bins: 1}
	if m.Config().Rule == patchwork.MaxMinusMin {
		t.sides, t.bins = 2, softBins
	}
	t.cells = make([]softCell, t.experts*t.width*t.sides*t.bins)
	t.freeOn, t.free = make([]int64, t.width), make([]int64, t.width)
	t.active = make([]int64, t.experts)
	return t
}

// Rows is the number of rows counted, weights included.
func (t *SoftTally) Rows() int64 { return t.rows }

// Active is the sum of the posterior weights of the explanations with expert k.
func (t *SoftTally) Active(k int) float64 { return float64(t.active[k]) / softUnit }

// NoVote is, for bit i, in how many rows nobody votes on it (by weight), and in
// how many of those it is on.
func (t *SoftTally) NoVote(i int) (on, seen float64) {
	return float64(t.freeOn[i]) / softUnit, float64(t.free[i]) / softUnit
}

// Evidence is the sum over the rows of log P(x), in nats, as far as the
// explanations hold it (Posterior.Evidence); exact to 2^-21 a row, -Inf if a row
// is impossible.
func (t *SoftTally) Evidence() float64 {
	if t.impossible > 0 {
		return math.Inf(-1)
	}
	return t.evidence.Float() / exact.NatsUnit
}

// cell is where the bits of one expert, bit and side begin.
func (t *SoftTally) cell(k, i, side int) int { return ((k*t.width+i)*t.sides + side) * t.bins }

// Add counts a row and its posterior under model m, as often as weight says. It
// panics on a negative weight, or if the model or the row is of another size
// than the tally's.
func (t *SoftTally) Add(m *patchwork.Model, row *bitmap.Image, post *posterior.Posterior, weight int64) {
	if weight < 0 || m.K() != t.experts || row.Len() != t.width {
		panic(fmt.Sprintf("patchwork: a tally of %d experts and %d bits cannot count %d and %d, %d times", t.experts, t.width, m.K(), row.Len(), weight))
	}
	t.rows += weight
	if math.IsInf(post.Evidence, -1) {
		t.impossible += weight
	} else {
		t.evidence = t.evidence.Add(exact.Product(weight, int64(math.Round(post.Evidence*exact.NatsUnit))))
	}
	t.x, t.known = row.AppendBytes(t.x[:0]), row.AppendKnown(t.known[:0])
	for i := range post.Alternatives {
		if a := &post.Alternatives[i]; a.Weight >= leastWeight {
			t.addSet(m, a.Picks, share{int64(math.Round(a.Weight * softUnit)), weight})
		}
	}
}

// share is the posterior weight of an explanation in units of 1/softUnit, and how
// many rows it is of: what is rounded is rounded for one row, so that a row of
// weight 2 counts like two rows.
type share struct{ units, rows int64 }

func (s share) total() int64 { return s.units * s.rows }

// addSet counts one explanation.
func (t *SoftTally) addSet(m *patchwork.Model, picks []patchwork.Pick, w share) {
	for _, p := range picks {
		t.active[p.Expert] += w.total()
	}
	c := &t.compose
	c.Join(m, m.Height(), m.Width(), picks)
	for i, known := range t.known {
		if known == 0 {
			continue
		}
		on := t.x[i] != 0
		if c.Max[i] < 0 && c.Min[i] < 0 {
			t.free[i] += w.total()
			if on {
				t.freeOn[i] += w.total()
			}
		}
		q := m.Abstention(i)
		t.addSide(m, picks, i, 0, c.Max[i], on, q-c.Low[i], q, w)
		if t.sides == 2 {
			t.addSide(m, picks, i, 1, c.Min[i], !on, c.High[i]-q, 1-q, w)
		}
	}
}

// addSide counts bit i for its owner on one side, or for those who abstain where
// there is none; against is how far the opposing vote is, of at most reach.
func (t *SoftTally) addSide(m *patchwork.Model, picks []patchwork.Pick, i, side int, owner int16, right bool, against, reach float64, w share) {
	bin := binOf(against, reach)
	if owner >= 0 {
		t.cells[t.cell(picks[owner].Expert, i, side)+bin].add(right, against, w)
		return
	}
	for _, p := range picks {
		if v, q := m.Template(p.Expert)[i], m.Abstention(i); v == q || t.sides == 1 && v < q {
			t.cells[t.cell(p.Expert, i, side)+bin].add(right, against, w)
		}
	}
}

// binOf is the bin of an opposing vote that far from abstention, of at most reach.
func binOf(against, reach float64) int {
	if against <= 0 {
		return 0
	}
	return 1 + min(int(against/reach*(softBins-1)), softBins-2)
}

func (c *softCell) add(right bool, against float64, w share) {
	if right {
		c.right += w.total()
	} else {
		c.wrong += w.total()
	}
	if against > 0 {
		c.against += int64(math.Round(against*float64(w.units))) * w.rows
	}
}

// Merge adds what another tally of the same experts counted; exact, and the
// same in any order. It panics if the tallies differ in size.
func (t *SoftTally) Merge(o *SoftTally) {
	if len(o.cells) != len(t.cells) || o.experts != t.experts || o.width != t.width {
		panic("patchwork: these tallies count different experts")
	}
	for i, c := range o.cells {
		t.cells[i].right += c.right
		t.cells[i].wrong += c.wrong
		t.cells[i].against += c.against
	}
	for _, p := range [][2][]int64{{t.freeOn, o.freeOn}, {t.free, o.free}, {t.active, o.active}} {
		for i, v := range p[1] {
			p[0][i] += v
		}
	}
	t.rows += o.rows
	t.impossible += o.impossible
	t.evidence = t.evidence.Add(o.evidence)
}
