package table

import (
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

// softTally counts, under max and max-minus-min, for which bits each vote is there: what
// the rows of every set of experts say about each of its votes and about the background.
type softTally struct {
	experts, width int
	sides          int        // 1 under Max: votes above abstention only
	bins           int        // of opposing votes; 1 under Max
	cells          []voteCell // by expert, bit, side and bin
	freeOn, free   []int64    // by bit: nobody votes; in units of 1/weightUnit
}

// voteCell counts bits by weight, in units of 1/weightUnit: those where the vote
// in question is right (on for a vote above abstention, off for one below) or
// wrong, and over both the sum of how far the opposing vote is from abstention.
type voteCell struct{ right, wrong, opposing int64 }

// newSoftTally returns what the rows of some sets of the experts of m say.
func newSoftTally(m *patchwork.Model, groups *joint.Groups) *softTally {
	t := &softTally{experts: m.K(), width: m.Height() * m.Width()}
	t.makeCells(m.Config().Rule)
	t.freeOn, t.free = make([]int64, t.width), make([]int64, t.width)
	var compose patchwork.Composition
	var picks []patchwork.Pick
	groups.Each(func(set []int16, weight int64, on, hidden []int64) {
		picks = picks[:0]
		for _, k := range set {
			picks = append(picks, patchwork.Pick{Expert: int(k)})
		}
		compose.Join(m, m.Height(), m.Width(), picks)
		t.addGroup(m, picks, &compose, weight, on, hidden)
	})
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
	return float64(float64(t.freeOn[i]) / weightUnit), float64(float64(t.free[i]) / weightUnit)
}

// cell returns where the bins of one expert, bit and side begin.
func (t *softTally) cell(k, i, side int) int { return ((k*t.width+i)*t.sides + side) * t.bins }

// addGroup counts the rows of one set.
func (t *softTally) addGroup(m *patchwork.Model, picks []patchwork.Pick, c *patchwork.Composition, weight int64, on,
	hidden []int64) {
	for i, ones := range on {
		zeros := weight - ones
		if hidden != nil {
			zeros -= hidden[i]
		}
		if ones+zeros == 0 {
			continue
		}
		if c.Max[i] < 0 && c.Min[i] < 0 {
			t.free[i] += ones + zeros
			t.freeOn[i] += ones
		}
		q := m.Abstention(i)
		t.addSide(m, picks, i, 0, c.Max[i], q-c.Low[i], q, ones, zeros)
		if t.sides == 2 {
			t.addSide(m, picks, i, 1, c.Min[i], c.High[i]-q, 1-q, zeros, ones)
		}
	}
}

// addSide counts bit i for its owner on one side, or, if it has none, for those
// who abstain; opposing is how far the opposing vote is from abstention, of at most
// reach.
func (t *softTally) addSide(m *patchwork.Model, picks []patchwork.Pick, i, side int, owner int16, opposing,
	reach float64, right, wrong int64) {
	bin := binOf(opposing, reach)
	if owner >= 0 {
		t.cells[t.cell(picks[owner].Expert, i, side)+bin].add(right, wrong, opposing)
		return
	}
	for _, p := range picks {
		if v, q := m.Template(p.Expert)[i], m.Abstention(i); v == q || t.sides == 1 && v < q {
			t.cells[t.cell(p.Expert, i, side)+bin].add(right, wrong, opposing)
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

func (c *voteCell) add(right, wrong int64, opposing float64) {
	c.right += right
	c.wrong += wrong
	if opposing > 0 {
		c.opposing += int64(math.Round(opposing * float64(right+wrong)))
	}
}
