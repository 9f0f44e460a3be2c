package table

import (
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
)

const (
	// weightUnit is the fixed point of the posterior weights in a softTally.
	weightUnit = 1 << 24
	// minWeight: lighter alternatives are not counted.
	minWeight = 1e-3
	// opposingBins is how many strengths of an opposing vote are told apart. Bin 0
	// means none; the others divide the way from abstention to certainty evenly.
	opposingBins = 7
)

// softTally counts what the posteriors of a table's rows say about the experts and
// the background: bits, counted by the posterior weights of the explanations (the
// soft counterpart of patchwork.Tally). Weights are rounded to multiples of 2^-24
// and counted as integers, so rows may be counted in any order, on any number of
// workers, and merged: the sum is the same to the bit. It belongs to one
// goroutine.
type softTally struct {
	experts, width int
	sides          int        // 1 under Max: votes above abstention only
	bins           int        // of opposing votes; 1 under Max
	cells          []voteCell // by expert, bit, side and bin
	freeOn, free   []int64    // by bit: nobody votes; in units of 1/weightUnit
	heading

	compose patchwork.Composition // scratch
	picks   []patchwork.Pick
}

// voteCell counts bits by weight, in units of 1/weightUnit: those where the vote
// in question is right (on for a vote above abstention, off for one below) or
// wrong, and over both the sum of how far the opposing vote is from abstention.
type voteCell struct{ right, wrong, opposing int64 }

// newSoftTally returns an empty tally for the experts of m.
func newSoftTally(m *patchwork.Model) *softTally {
	t := &softTally{experts: m.K(), width: m.Config().Height * m.Config().Width}
	t.makeCells(m.Config().Rule)
	t.freeOn, t.free = make([]int64, t.width), make([]int64, t.width)
	t.active = make([]int64, t.experts)
	return t
}

// makeCells makes the cells, of which max-minus-min has more.
func (t *softTally) makeCells(rule patchwork.Rule) {
	t.sides, t.bins = 1, 1
	if rule == patchwork.RuleMaxMinusMin {
		t.sides, t.bins = 2, opposingBins
	}
	t.cells = make([]voteCell, t.experts*t.width*t.sides*t.bins)
}

// noVote returns, for bit i, in how many rows nobody votes on it (by weight), and
// in how many of these it is on.
func (t *softTally) noVote(i int) (on, seen float64) {
	return float64(t.freeOn[i]) / weightUnit, float64(t.free[i]) / weightUnit
}

// cell returns where the bins of one expert, bit and side begin.
func (t *softTally) cell(k, i, side int) int { return ((k*t.width+i)*t.sides + side) * t.bins }

// addSets implements counts. It panics on a negative weight, or if the model or the row
// has another size than the tally.
func (t *softTally) addSets(m *patchwork.Model, x []uint8, sets []joint.Set, weight int64) {
	if weight < 0 || m.K() != t.experts || len(x) != t.width {
		panic(fmt.Sprintf("patchwork: a tally of %d parts and %d bits cannot count %d and %d, %d times", t.experts, t.width, m.K(), len(x), weight))
	}
	t.addRow(evidenceOf(sets), weight)
	for _, s := range sets {
		if s.Weight < minWeight {
			continue
		}
		t.picks = t.picks[:0]
		for _, k := range s.Experts {
			t.picks = append(t.picks, patchwork.Pick{Expert: int(k)})
		}
		t.addSet(m, x, t.picks, share{int64(math.Round(s.Weight * weightUnit)), weight})
	}
}

// evidenceOf returns log P(x), in nats, as far as the explanations hold it.
func evidenceOf(sets []joint.Set) float64 { return sets[0].Joint - math.Log(sets[0].Weight) }

// share is the posterior weight of an explanation in units of 1/weightUnit, and
// the number of its rows. Rounding is per row, so that a row of weight 2 counts
// like two rows.
type share struct{ units, rows int64 }

func (s share) total() int64 { return s.units * s.rows }

// addSet counts one explanation.
func (t *softTally) addSet(m *patchwork.Model, x []uint8, picks []patchwork.Pick, w share) {
	for _, p := range picks {
		t.active[p.Expert] += w.total()
	}
	c := &t.compose
	c.Join(m, m.Height(), m.Width(), picks)
	for i, v := range x {
		if v == joint.Unknown {
			continue
		}
		on := v == joint.On
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

// addSide counts bit i for its owner on one side, or, if it has none, for those
// who abstain; opposing is how far the opposing vote is from abstention, of at
// most reach.
func (t *softTally) addSide(m *patchwork.Model, picks []patchwork.Pick, i, side int, owner int16, right bool, opposing, reach float64, w share) {
	bin := binOf(opposing, reach)
	if owner >= 0 {
		t.cells[t.cell(picks[owner].Expert, i, side)+bin].add(right, opposing, w)
		return
	}
	for _, p := range picks {
		if v, q := m.Template(p.Expert)[i], m.Abstention(i); v == q || t.sides == 1 && v < q {
			t.cells[t.cell(p.Expert, i, side)+bin].add(right, opposing, w)
		}
	}
}

// binOf returns the bin of an opposing vote that far from abstention, of at most
// reach.
func binOf(opposing, reach float64) int {
	if opposing <= 0 {
		return 0
	}
	return 1 + min(int(opposing/reach*(opposingBins-1)), opposingBins-2)
}

func (c *voteCell) add(right bool, opposing float64, w share) {
	if right {
		c.right += w.total()
	} else {
		c.wrong += w.total()
	}
	if opposing > 0 {
		c.opposing += int64(math.Round(opposing*float64(w.units))) * w.rows
	}
}

// merge implements counts. It panics if the tallies differ in size.
func (t *softTally) merge(other counts) {
	o := other.(*softTally)
	if len(o.cells) != len(t.cells) || o.experts != t.experts || o.width != t.width {
		panic("patchwork: these tallies count different parts")
	}
	for i, c := range o.cells {
		t.cells[i].right += c.right
		t.cells[i].wrong += c.wrong
		t.cells[i].opposing += c.opposing
	}
	for _, p := range [][2][]int64{{t.freeOn, o.freeOn}, {t.free, o.free}} {
		for i, v := range p[1] {
			p[0][i] += v
		}
	}
	t.mergeHeading(&o.heading)
}
