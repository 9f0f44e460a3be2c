package table

import (
	"context"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
)

// groupTally counts rows by the set of experts that explains them, for the rules under
// which a bit is nobody's own.
type groupTally struct {
	heading
	groups *joint.Groups
}

// newGroupTally returns an empty tally for the experts of m.
func newGroupTally(m *patchwork.Model) *groupTally {
	return &groupTally{heading{active: make([]int64, m.K())}, joint.NewGroups(m.Height() * m.Width())}
}

// addSets implements counts.
func (t *groupTally) addSets(_ *patchwork.Model, x []uint8, sets []joint.Set, weight int64) {
	t.addRow(evidenceOf(sets), weight)
	for _, s := range sets {
		if s.Weight < minWeight {
			continue
		}
		units := share{int64(math.Round(s.Weight * weightUnit)), weight}.total()
		for _, k := range s.Experts {
			t.active[k] += units
		}
		t.groups.Add(s.Experts, x, units)
	}
}

// merge implements counts.
func (t *groupTally) merge(other counts) {
	o := other.(*groupTally)
	t.mergeHeading(&o.heading)
	t.groups.Merge(o.groups)
}

// mStep implements counts.
func (t *groupTally) mStep(prev *patchwork.Model, opt mStepOptions) *patchwork.Model {
	cfg := prev.Config()
	e := joint.NewExperts(jointRule(cfg.Rule), rows.Background(prev), prev.Templates())
	step := joint.MStep{Least: opt.MinVoteGain, Marginal: opt.Marginal, FixedBackground: opt.FixedBackground, MinQ: minQ, Pooled: opt.Pooled}
	var experts [][]float64
	cfg.QMap, experts = t.groups.Step(e, step, func(bits int, work func(int)) { eachBit(bits, opt.Workers, work) })
	return t.next(prev, cfg, experts)
}

// eachBit calls work for every bit, on several goroutines.
func eachBit(bits, workers int, work func(int)) {
	if _, err := pool.Run(context.Background(), bits, max(workers, 1), 1, func(_, i int) error {
		work(i)
		return nil
	}); err != nil {
		panic(err) // there is none
	}
}

// encode implements counts.
func (t *groupTally) encode(out []byte) []byte { return t.groups.Encode(t.heading.encode(out)) }

// decode implements counts.
func (t *groupTally) decode(in []byte) (rest []byte, ok bool) {
	if in, ok = t.heading.decode(in); !ok {
		return nil, false
	}
	return t.groups.Decode(in, len(t.active))
}
