package table

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/exact"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/posterior"
)

const (
	updateRounds = 3       // iterations of soft EM before parts are added, and at the end
	updateStream = 1 << 36 // of random numbers
	deadBy       = 0.01    // a part died if as few new rows without it were less probable than this
)

// Update is how a model went on with new rows.
type Update struct {
	Model *patchwork.Model // its first parts are those there were; Extras.Counted has the counts of all rows
	New   []Change         // parts that the new rows brought
	Died  []Change         // parts that no new row has, though it should
}

// Change is what new rows say of a part.
type Change struct {
	Part     int
	Rows     int64   // new rows that have it
	First    int     // the first of them; -1 for none
	Expected float64 // rows with it, as often as it was before
}

// GoOn goes on with new rows: the parts of a model stay where they are, with their names, and change by
// what old and new rows say together. Parts are added of what it does not explain, as far as that
// makes the description of the new rows clearly shorter, and that of the old ones no longer than it
// gains. Old rows count as they were counted (Extras.Counted); if they were not, as
// the model expects them. The result is the same for any number of workers.
func GoOn(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt Options) (*Update, error) {
	held, err := heldOf(m)
	if err != nil {
		return nil, err
	}
	opt.Experts, opt.MinExperts, opt.MaxExperts = 0, 0, min(m.K()+opt.WithDefaults().MaxExperts, maxExperts)
	cfg := m.Config()
	if err := opt.validate(data, cfg); err != nil {
		return nil, err
	}
	if data.Unit > 1 || rows.Total(data) == 0 {
		return nil, errors.New("patchwork: to go on, a model needs rows whose weights are whole")
	}
	u := &updating{held: held, old: m.K(), was: m}
	u.learner = &learner{cfg: cfg, opt: opt.WithDefaults(), yield: func(Step, error) bool { return true }}
	u.learnFrom(data)
	u.columns = emptyCounts(m.K(), len(held.on))
	u.columns.Merge(held)
	u.columns.addColumns(u.data)
	u.m.Marginal = u.columns.marginal()
	next, err := u.learned(ctx)
	if err != nil {
		return nil, err
	}
	return u.said(ctx, next, data)
}

// updating is a learner that holds the counts of old rows.
type updating struct {
	*learner
	held    *Counts
	columns *Counts // of which only the columns are of all rows
	old     int     // parts that there were
	was     *patchwork.Model
}

// heldOf returns the counts of the rows that a model knows.
func heldOf(m *patchwork.Model) (*Counts, error) {
	e, r := m.Extras(), m.Config().Rule
	switch {
	case !jointRule(r).Fold():
		return nil, fmt.Errorf("patchwork: models of --rule %v do not go on with new rows; learn them anew", r)
	case e.Predictor != nil:
		return nil, errors.New("patchwork: a model that predicts by more than its parts does not go on with new rows; " +
			"learn it anew")
	case e.Record.Rows <= 0 || e.Record.Rows > maxCounted || e.Usage == nil:
		return nil, errors.New("patchwork: the model does not say from how many rows it was learned")
	}
	if err := refuseMoving(m.Config()); err != nil {
		return nil, err
	}
	if e.Counted == nil {
		return expected(m), nil
	}
	c := new(Counts)
	if err := c.UnmarshalBinary(e.Counted); err != nil {
		return nil, err
	}
	if k, width := c.Size(); k != m.K() || width != m.Height()*m.Width() || c.rows == 0 {
		return nil, errors.New("patchwork: the counts beside the model are of other parts or columns")
	}
	return c, nil
}

// expected returns the counts that rows have by expectation, as many as the model was learned from.
// Each part has its share of them, and what these have in common is as if it came by chance: they
// lie on a circle, each part on an arc that begins a golden section after that of the part before.
func expected(m *patchwork.Model) *Counts {
	e, q := m.Extras(), rows.Background(m)
	n := float64(e.Record.Rows)
	c := emptyCounts(m.K(), len(q))
	c.rows = e.Record.Rows
	if l := e.Record.LogLik; math.Abs(l) < n*float64(len(q))*1e3 {
		c.evidence = exact.Product(1, int64(math.Round(l*exact.NatsUnit)))
	}
	cuts := []float64{0, 1}
	begin := func(k int) float64 { _, f := math.Modf(float64(float64(k) * (math.Phi - 1))); return f }
	for k, share := range e.Usage {
		_, end := math.Modf(begin(k) + min(share, 1))
		cuts = append(cuts, begin(k), end)
	}
	slices.Sort(cuts)
	for i, from := range cuts[1:] {
		length := from - cuts[i]
		units := int64(math.Round(float64(length*n) * weightUnit))
		if units == 0 {
			continue
		}
		var set []int16
		for k, share := range e.Usage {
			if _, at := math.Modf(1 + cuts[i] + length/2 - begin(k)); at < share {
				set = append(set, int16(k))
				c.active[k] += units
			}
		}
		c.groups.AddExpected(set, units, compose(m, set, q))
	}
	means := e.Means
	if means == nil {
		means = c.groups.Means()
	}
	for j, p := range means {
		c.seen[j], c.on[j] = c.rows, int64(math.Round(float64(min(max(p, 0), 1)*n)))
	}
	return c
}

// compose returns the probability of each column being on where a set of parts is active.
func compose(m *patchwork.Model, set []int16, q []float64) []float64 {
	out, opinions := make([]float64, len(q)), make([]float64, len(set))
	for i, background := range q {
		for j, k := range set {
			opinions[j] = m.Template(int(k))[i]
		}
		out[i] = joint.Compose(jointRule(m.Config().Rule), background, opinions...)
	}
	return out
}

// state is a model, how it explains the new rows, and the counts of all rows.
type state struct {
	*patchwork.Model
	fresh  *counts
	all    *Counts
	length float64 // nats that describe the model and the new rows, and at most more of the old ones
}

// explain counts the new rows by a model, beside the old ones.
func (u *updating) explain(ctx context.Context, m *patchwork.Model) (state, error) {
	t, err := u.count(ctx, m)
	if err != nil {
		return state{}, err
	}
	all := emptyCounts(m.K(), len(u.held.on))
	all.counts.active = append(slices.Clone(u.held.active), make([]int64, m.K()-u.old)...)
	all.rows, all.impossible, all.evidence = u.held.rows, u.held.impossible, u.held.evidence
	all.groups.Merge(u.held.groups)
	all.merge(t)
	all.on, all.seen = u.columns.on, u.columns.seen
	l := lengthOf(m, all.counts)
	length := l.Usage + l.Columns + l.Votes + l.Background - t.logEvidence()
	for _, share := range posterior.ActivationPrior(m)[u.old:] {
		length -= float64(float64(u.held.rows) * elem.Log1p(-share))
	}
	return state{m, t, all, length}, nil
}

// em runs soft EM, and keeps all parts.
func (u *updating) em(ctx context.Context, m *patchwork.Model, iterations int) (state, error) {
	m = u.same(m)
	for range iterations {
		s, err := u.explain(ctx, m)
		if err != nil {
			return s, err
		}
		m = u.same(s.all.mStepOfVotes(m, u.m))
	}
	return u.explain(ctx, m)
}

// same gives a model the columns and the names of its old parts, and the prior over sets of these:
// new parts come independently.
func (u *updating) same(m *patchwork.Model) *patchwork.Model {
	extras, was := m.Extras(), u.was.Extras()
	extras.Columns, extras.Reading = was.Columns, was.Reading
	if extras.Names = nil; was.Names != nil {
		extras.Names = append(slices.Clone(was.Names), make([]string, m.K()-u.old)...)
	}
	if p := was.SetPrior; p != nil {
		wide := *p
		wide.Active, wide.Parent = slices.Clone(p.Active), slices.Clone(p.Parent)
		for _, share := range extras.Usage[u.old:] {
			share = min(max(share, minQ/2), 1-minQ/2)
			wide.Active, wide.Parent = append(wide.Active, [2]float64{share, share}), append(wide.Parent, -1)
		}
		extras.SetPrior = &wide
	}
	return m.WithTemplates(m.Templates(), extras)
}

// learned returns the model after the new rows.
func (u *updating) learned(ctx context.Context) (state, error) {
	s, err := u.em(ctx, u.was, updateRounds)
	rng := rand.New(rand.NewPCG(u.opt.Seed, updateStream))
	for range mostBatches {
		if err != nil {
			return s, err
		}
		before := s.K()
		if s, err = u.more(ctx, s, rng); s.Model != nil && s.K() == before {
			break
		}
	}
	u.m.Pooled = pooling(u.cfg.Rule) > 0
	if err == nil {
		s, err = u.em(ctx, s.Model, updateRounds)
	}
	return s, err
}

// more adds parts of what is unexplained, those that make the description clearly shorter.
func (u *updating) more(ctx context.Context, s state, rng *rand.Rand) (state, error) {
	m, err := u.gathered(ctx, s.Model, rng)
	if err != nil || m.K() == s.K() {
		return s, err
	}
	next, err := u.em(ctx, m, batchRounds)
	for k := m.K() - 1; k >= s.K() && err == nil; k-- {
		var less state
		if next.K() == s.K()+1 {
			less = s
		} else if less, err = u.em(ctx, without(next.Model, k), 1); err != nil {
			break
		}
		if less.length < next.length+clearMargin {
			next = less
		}
	}
	return next, err
}

// said returns what the new rows changed.
func (u *updating) said(ctx context.Context, s state, data patchwork.Data) (*Update, error) {
	sets, err := u.bestSets(ctx, s.Model, data)
	if err != nil {
		return nil, err
	}
	n := float64(rows.Total(data))
	var out Update
	for k := range s.K() {
		c := Change{Part: k, First: -1}
		if k < u.old {
			c.Expected = float64(u.was.Extras().Usage[k] * n)
		}
		for i, set := range sets {
			if slices.Contains(set, int16(k)) && data.Weight(i) > 0 {
				if c.Rows += data.Weight(i); c.First < 0 {
					c.First = i
				}
			}
		}
		switch {
		case k >= u.old:
			out.New = append(out.New, c)
		case c.Rows == 0 && float64(n*elem.Log1p(-min(c.Expected/n, 1-minQ))) < elem.Log(deadBy):
			out.Died = append(out.Died, c)
		}
	}
	extras := s.Extras()
	extras.Means = u.m.Marginal
	l := lengthOf(s.Model, s.all.counts)
	extras.Record = patchwork.Record{Method: "soft", Mode: "interpret", Seed: u.opt.Seed, Rows: s.all.count(),
		LogLik: s.all.LogLik(), DescriptionLength: l.Nats() - l.Codes}
	extras.Counted, _ = s.all.MarshalBinary()
	out.Model, err = s.WithExtras(extras)
	return &out, err
}
