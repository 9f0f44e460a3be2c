package table

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/exact"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table/described"
)

// emOptions holds the settings of soft EM.
type emOptions struct {
	Iterations int // M-steps
	MStep      mStepOptions
	Explain    posterior.Options
	Workers    int // goroutines of the E-step; the result is the same for any number

	// Count, if not nil, makes the E-step.
	Count func(ctx context.Context, m *patchwork.Model) (*counts, error)
}

// round is one iteration of soft EM.
type round struct {
	Number int              // of M-steps before it; 0 for the model EM started from
	Model  *patchwork.Model // the model that explained the rows
	Tally  *counts          // of its posteriors
}

// counts are what the posteriors of a table's rows say about the experts and the
// background: how many rows each set of experts explains, and in how many of these each
// bit is on. All are integers, so that rows may be counted in any order and merged. They
// belong to one goroutine.
type counts struct {
	heading
	groups       *joint.Groups
	ofSets       bool    // see Options
	ones, hidden []int32 // scratch: columns of a row
}

// newCounts returns empty counts for the experts of m, of rows of such a weight each.
func newCounts(m *patchwork.Model, unit int64) *counts {
	return &counts{heading: heading{active: make([]int64, m.K()), unit: max(unit, 1)},
		groups: joint.NewGroups(m.Height() * m.Width())}
}

// addSets counts a row, given as 0, 1 or 2 for unknown, as often as weight says, by the
// posterior weights of its explanations. It panics on a negative weight.
func (t *counts) addSets(x []uint8, sets []joint.Set, weight int64) {
	if weight < 0 {
		panic(fmt.Sprintf("patchwork: a row cannot be counted %d times", weight))
	}
	t.addRow(evidenceOf(sets), weight)
	t.ones, t.hidden = t.ones[:0], t.hidden[:0]
	for i, v := range x {
		switch v {
		case joint.On:
			t.ones = append(t.ones, int32(i))
		case joint.Unknown:
			t.hidden = append(t.hidden, int32(i))
		}
	}
	for _, s := range sets {
		if s.Weight < minWeight {
			continue
		}
		// Rounded per row, so that a row of weight 2 counts like two rows.
		units := int64(math.Round(s.Weight*weightUnit)) * weight / t.unit
		for _, k := range s.Experts {
			t.active[k] += units
		}
		t.groups.Add(s.Experts, t.ones, t.hidden, units)
	}
}

// evidenceOf returns log P(x), in nats, as far as the explanations hold it.
func evidenceOf(sets []joint.Set) float64 { return sets[0].Joint - elem.Log(sets[0].Weight) }

// merge adds what others counted for as many experts.
func (t *counts) merge(o *counts) {
	t.mergeHeading(&o.heading)
	t.groups.Merge(o.groups)
}

// mStep returns the model that follows; prev must be the model whose posteriors were
// counted. If that has a prior over sets of parts, the next has its own.
func (t *counts) mStep(prev *patchwork.Model, opt mStepOptions) *patchwork.Model {
	next := t.mStepOfVotes(prev, opt)
	was := prev.Extras().SetPrior
	if was == nil {
		return next
	}
	extras := next.Extras()
	if extras.SetPrior = was; was.Sure == nil {
		extras.SetPrior, _ = t.setPrior()
	}
	return next.WithTemplates(next.Templates(), extras)
}

// mStepOfVotes is mStep but for the prior over sets of parts.
func (t *counts) mStepOfVotes(prev *patchwork.Model, opt mStepOptions) *patchwork.Model {
	cfg := prev.Config()
	e := joint.NewExperts(jointRule(cfg.Rule), rows.Background(prev), prev.Templates())
	each := func(bits int, work func(int)) { eachBit(bits, opt.Workers, work) }
	var experts [][]float64
	number := described.Number(float64(t.count()))
	if e.Rule.Fold() {
		cfg.QMap, experts = t.groups.StepTied(e, joint.Tied{Number: number, Marginal: opt.Marginal, MinQ: minQ,
			Held: opt.Held, Own: opt.Pooled,
			Price: func(active float64) float64 { return described.NumberPrice(active, float64(t.count())) }}, each)
		return t.next(prev, cfg, experts)
	}
	step := joint.MStep{Least: number, Marginal: opt.Marginal, MinQ: minQ, Pooled: opt.Pooled}
	for k := range prev.K() {
		step.More = append(step.More, joint.OneVoteMore(len(e.Q), rows.Votes(prev, k, 0)))
	}
	cfg.QMap, experts = t.groups.Step(e, step, each)
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

// heading is what counts say of all rows.
type heading struct {
	active     []int64 // by expert, in units of 1/weightUnit
	unit       int64   // the weight of one row
	rows       int64   // by weight, as the others that follow
	impossible int64
	evidence   exact.Int128 // of the others, in units of 1/exact.NatsUnit nats
}

// activity returns the sum of the posterior weights of the explanations with expert k.
func (h *heading) activity(k int) float64 { return float64(float64(h.active[k]) / weightUnit) }

// count returns how many rows were counted.
func (h *heading) count() int64 { return rows.InUnits(h.rows, h.unit) }

// usage returns the share of rows in which each expert is active.
func (h *heading) usage() []float64 {
	out := make([]float64, len(h.active))
	for k := range out {
		if n := h.count(); n > 0 {
			out[k] = h.activity(k) / float64(n)
		}
	}
	return out
}

// logEvidence returns the sum over the rows of log P(x), in nats, as far as the
// explanations hold it; exact to 2^-21 per row, -Inf if a row is impossible.
func (h *heading) logEvidence() float64 {
	if h.impossible > 0 {
		return math.Inf(-1)
	}
	return h.evidence.Float() / exact.NatsUnit / float64(h.unit)
}

// addRow counts a row of such evidence.
func (h *heading) addRow(evidence float64, weight int64) {
	h.rows += weight
	if math.IsInf(evidence, -1) {
		h.impossible += weight
		return
	}
	h.evidence = h.evidence.Add(exact.Product(weight, int64(math.Round(evidence*exact.NatsUnit))))
}

// mergeHeading adds another heading.
func (h *heading) mergeHeading(o *heading) {
	for k, n := range o.active {
		h.active[k] += n
	}
	h.rows += o.rows
	h.impossible += o.impossible
	h.evidence = h.evidence.Add(o.evidence)
}

// softEM runs EM by posterior weights over the best explanations, which learns
// better models than EM by the best explanation alone. It yields Iterations+1
// rounds. Neither the evidence nor the loss on hidden bits need improve in every
// round. The error is the context's, or says what does not fit.
func softEM(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt emOptions) iter.Seq2[round, error] {
	count := opt.Count
	if count == nil {
		count = func(ctx context.Context, m *patchwork.Model) (*counts, error) {
			return eStep(ctx, m, data, opt.Explain, opt.Workers)
		}
	}
	return func(yield func(round, error) bool) {
		for n := 0; ; n++ {
			t, err := count(ctx, m)
			if err != nil {
				yield(round{}, err)
				return
			}
			if !yield(round{n, m, t}, nil) || n == opt.Iterations {
				return
			}
			step := opt.MStep
			step.Workers = opt.Workers
			m = withoutIdle(t.mStep(m, step))
		}
	}
}

// eStep finds the best explanations of every row and counts them by their
// posterior weights, through the memory of the data if they have one. The error
// is the context's, an option's, or says which row does not fit.
func eStep(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options, workers int) (*counts,
	error) {
	if data.Memory != nil {
		return eStepRecalled(ctx, m, data, opt, workers)
	}
	return eStepAnew(ctx, m, data, opt, workers, nil)
}

// jointRule returns a rule as package joint has it.
func jointRule(r patchwork.Rule) joint.Rule { return joint.Rule(r) }

// searchOf returns a search for the best explanations of rows.
func searchOf(m *patchwork.Model, opt posterior.Options) *joint.Search {
	opt = opt.WithDefaults()
	return rows.Search(m, posterior.ActivationPrior(m), opt.Beam, opt.Keep, opt.MaxPicks)
}

// explainRows calls each with the values and the best explanations of every row whose
// weight is above 0, and the search that found them, on several goroutines, numbered from
// 0; what it is called with does not depend on their number.
func explainRows(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options, workers int,
	each func(worker, i int, x []uint8, search *joint.Search, sets []joint.Set)) error {
	if err := errors.Join(refuseMoving(m.Config()), opt.Validate(),
		rows.SameSize(data.Images, m.Height(), m.Width())); err != nil {
		return err
	}
	type scratch struct {
		search *joint.Search
		x      []uint8
	}
	all := make([]scratch, pool.Size(len(data.Images), workers, pool.Chunk))
	first := searchOf(m, opt)
	for w := range all {
		all[w].search = first.Fork()
	}
	_, err := pool.Run(ctx, len(data.Images), workers, pool.Chunk, func(w, i int) error {
		if data.Weight(i) > 0 {
			s := &all[w]
			s.x = data.Images[i].AppendValues(s.x[:0])
			sets, _ := s.search.Explain(s.x)
			each(w, i, s.x, s.search, sets)
		}
		return nil
	})
	return err
}

// eStepAnew runs eStep without a memory. It sets best, if not nil, to the experts of the
// best explanation of every row, in ascending order.
func eStepAnew(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options, workers int,
	best [][]int16) (*counts, error) {
	tallies := make([]*counts, pool.Size(len(data.Images), workers, pool.Chunk))
	for w := range tallies {
		tallies[w] = newCounts(m, data.Unit)
	}
	err := explainRows(ctx, m, data, opt, workers, func(w, i int, x []uint8, _ *joint.Search, sets []joint.Set) {
		tallies[w].addSets(x, sets, data.Weight(i))
		if best != nil {
			best[i] = slices.Sorted(slices.Values(sets[0].Experts))
		}
	})
	if err != nil {
		return nil, err
	}
	for _, t := range tallies[1:] {
		tallies[0].merge(t)
	}
	return tallies[0], nil
}

// refuseMoving returns an error if experts may move, which soft EM does not know.
func refuseMoving(c patchwork.Config) error {
	if _, ok := c.Poses.Identity(); !ok || c.Poses.Len() != 1 || c.Scene || c.Reuse > 1 {
		return fmt.Errorf("patchwork: soft learning is for tables: no shifts, no rotations, no scenes, each part " +
			"once per row")
	}
	return nil
}

// withoutIdle returns the model without experts that have no vote, or that explain
// less than half a row; it leaves one in any case. An expert without votes changes
// no prediction.
func withoutIdle(m *patchwork.Model) *patchwork.Model {
	var experts [][]float64
	extras := m.Extras()
	usage, names, prior := extras.Usage, extras.Names, extras.SetPrior
	extras.Usage, extras.Names, extras.SetPrior = nil, nil, nil
	for k := range m.K() {
		last := k == m.K()-1 && experts == nil
		if last || rows.Votes(m, k, 0) > 0 && usage[k]*float64(extras.Record.Rows) >= 0.5 {
			experts, extras.Usage = append(experts, m.Template(k)), append(extras.Usage, usage[k])
			if names != nil {
				extras.Names = append(extras.Names, names[k])
			}
		}
	}
	if len(experts) == m.K() {
		extras.SetPrior = prior // else it is of other parts
	}
	return m.WithTemplates(experts, extras)
}
