package real

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/pose"
)

// Options are the settings of Learn. The zero value is the recommended default.
type Options struct {
	// Experts is how many experts there are at most; 0 means as many as shorten the description.
	Experts int

	// Rule joins opinions, at the temperature Tau if it is Soft (0 means DefaultTau).
	Rule Rule
	Tau  float64

	// MeansOnly says that experts have no variances of their own.
	MeansOnly bool

	// Poses are the places of experts; the zero value means that they stay where they are. Where they move, all
	// pixels have one scale and one background.
	Poses pose.Grid

	// Predict says that unknown values are to be predicted, not parts to be read: a vote then costs
	// half as much.
	Predict bool

	// Best is for how many explanations a row counts in the last steps, by their probabilities; 0 means 8
	// for tables and 1 for images.
	Best int

	// Starts is the number of starts; 0 means 5: growth with the noise held down to 0.4 and the background
	// at the median, a mixture model, growth with all learned from the beginning, growth with the noise at 0.7, and
	// growth like the first with the background at the lower quartile, for parts that half of the images have; then
	// from the beginning with other random numbers. The shortest description is kept.
	Starts int

	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.

	// Progress, if not nil, is called after every step, in order.
	Progress func(Progress)
}

// Progress is where learning stands.
type Progress struct {
	Start, Starts     int    // the number of the start, from 0
	Stage             string // "grow", "move" or "end"
	Experts           int
	DescriptionLength float64 // in nats
}

// Result is what was learned.
type Result struct {
	Model *Model
	// LogLik is the joint log-likelihood of all rows and their picks, DescriptionLength the length of
	// the description, the price of votes included, in nats. Starts are those of all starts.
	LogLik, DescriptionLength float64
	Starts                    []float64
}

const (
	defaultStarts = 5
	rises         = 3  // of the description length that end growth
	moves         = 6  // relocations
	lastSteps     = 12 // of EM at the end
)

// Learn learns a model of data. Equal data, options and seed give the same model on any number of
// workers. The error is the context's, or says what does not fit.
func Learn(ctx context.Context, data *Data, o Options) (*Result, error) {
	l, err := newLearner(ctx, data, o)
	if err != nil {
		return nil, err
	}
	out := &Result{DescriptionLength: math.Inf(1)}
	for i := range l.o.Starts {
		s, err := l.start(i)
		if err != nil {
			return nil, err
		}
		out.Starts = append(out.Starts, s.length)
		if s.length < out.DescriptionLength {
			out.Model, out.DescriptionLength, out.LogLik = s.m, s.length, s.e.tally.LogLik()
		}
	}
	if l.o.Best > 1 {
		if out.Model, err = l.softly(out.Model); err != nil {
			return nil, err
		}
	}
	kept := *out.Model
	kept.Record = Record{len(data.Rows), o.Seed, out.LogLik, out.DescriptionLength, out.Starts}
	out.Model = &kept
	return out, nil
}

// learner is what the starts share.
type learner struct {
	ctx     context.Context
	data    *Data
	o       Options
	columns []Normal  // mean and variance of each pixel over all rows
	medians []float64 // of each pixel
	lower   []float64 // quartiles
	lambda  float64
}

// newLearner returns a learner, or says what does not fit.
func newLearner(ctx context.Context, data *Data, o Options) (*learner, error) {
	if len(data.Rows) == 0 || data.Height*data.Width == 0 {
		return nil, fmt.Errorf("real: %d rows of %d x %d values: nothing to learn from", len(data.Rows), data.Height, data.Width)
	}
	if o.Starts == 0 {
		o.Starts = defaultStarts
	}
	o.Workers = max(o.Workers, 1)
	if o.Best == 0 {
		if o.Best = 1; data.Height == 1 && o.Poses.Len() == 1 {
			o.Best = 8
		}
	}
	l := &learner{ctx: ctx, data: data, o: o}
	n, d := float64(len(data.Rows)), float64(data.Height*data.Width)
	if l.lambda = math.Log(n)/2 + math.Log(d)/2; o.Predict {
		l.lambda = math.Log(n) / 2
	}
	if err := l.survey(); err != nil {
		return nil, err
	}
	return l, l.model(l.medians).Check()
}

// survey computes mean, variance and median of the pixels; of all together where experts move.
func (l *learner) survey() error {
	width := l.data.Height * l.data.Width
	columns := make([][]float64, width)
	for _, row := range l.data.Rows {
		for d, x := range row {
			if !math.IsNaN(x) {
				columns[d] = append(columns[d], x)
			}
		}
	}
	if l.o.Poses.Len() > 1 {
		for d, s := range l.data.Scales {
			if s != l.data.Scales[0] {
				return fmt.Errorf("real: pixels 1 and %d have different scales; where parts move all pixels must have one", d+1)
			}
		}
		all := slices.Concat(columns...)
		for d := range columns {
			columns[d] = all
		}
	}
	for d, c := range columns {
		if d > 0 && l.o.Poses.Len() > 1 {
			l.columns, l.medians, l.lower = append(l.columns, l.columns[0]), append(l.medians, l.medians[0]), append(l.lower, l.lower[0])
			continue
		}
		mean, variance := moments(c)
		l.columns = append(l.columns, Normal{mean, max(variance, l.data.Scales[d].Floor)})
		l.medians = append(l.medians, median(c))        // which sorts
		l.lower = append(l.lower, median(c[:len(c)/2])) // the half below
	}
	return nil
}

// model returns a model without experts.
func (l *learner) model(means []float64) *Model {
	m := &Model{Height: l.data.Height, Width: l.data.Width, Rule: l.o.Rule, Tau: l.o.Tau, Poses: l.o.Poses, Scales: l.data.Scales}
	for d, mean := range means {
		m.Background = append(m.Background, Normal{mean, l.columns[d].Var})
	}
	return m
}

// state is a model and how it explains the data.
type state struct {
	m      *Model
	e      *explained
	length float64 // of the description
}

// explain returns the state of a model.
func (l *learner) explain(m *Model) (*state, error) {
	e, err := estep(l.ctx, m, l.data, 1, l.o.Workers)
	if err != nil {
		return nil, err
	}
	votes, variances := m.Votes()
	return &state{m, e, -e.tally.LogLik() + l.lambda*float64(votes+variances)}, nil
}

// em takes steps of EM from a state.
func (l *learner) em(s *state, t *terms, steps int) (*state, error) {
	for range steps {
		var err error
		if s, err = l.explain(prune(s.e.tally.mstep(s.m, t))); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// prune returns the model without experts that say nothing.
func prune(m *Model) *Model {
	out := *m
	out.Experts, out.Pi = nil, nil
	for k, e := range m.Experts {
		if slices.ContainsFunc(e, func(o Entry) bool { return o.Vote != Abstains }) {
			out.Experts, out.Pi = append(out.Experts, e), append(out.Pi, m.Pi[k])
		}
	}
	return &out
}

// kinds are the kinds of starts: the temperature of the noise, 0 for a mixture, and where the background is held.
var kinds = []struct {
	heat float64
	hold string
}{{.4, "median"}, {0, ""}, {1, ""}, {.7, "median"}, {.4, "lower"}}

// start makes start number i.
func (l *learner) start(i int) (*state, error) {
	rng := rand.New(rand.NewPCG(l.o.Seed, uint64(i)))
	t := l.terms()
	report := func(stage string, s *state) {
		if l.o.Progress != nil {
			l.o.Progress(Progress{i, l.o.Starts, stage, s.m.K(), s.length})
		}
	}
	kind := kinds[i%len(kinds)]
	var s *state
	var err error
	switch kind.heat {
	case 0:
		if s, err = l.mixture(rng, t); err != nil {
			return nil, err
		}
	default:
		grown := *t
		grown.heat = kind.heat
		means := l.means()
		switch kind.hold {
		case "median":
			means, grown.hold = l.medians, l.medians
		case "lower":
			means, grown.hold = l.lower, l.lower
		}
		if s, err = l.explain(l.model(means)); err != nil {
			return nil, err
		}
		if s, err = l.em(s, &grown, 1); err != nil {
			return nil, err
		}
		if s, err = l.grow(rng, s, &grown, report); err != nil {
			return nil, err
		}
		if s, err = l.move(rng, s, &grown, report); err != nil {
			return nil, err
		}
	}
	if s, err = l.finish(s, t); err != nil {
		return nil, err
	}
	report("end", s)
	k := s.m.K()
	if s, err = l.grow(rng, s, t, report); err != nil || s.m.K() == k {
		return s, err
	}
	s, err = l.finish(s, t)
	return s, err
}

// terms returns the terms of the last steps.
func (l *learner) terms() *terms {
	return &terms{lambda: l.lambda, heat: 1, means: l.o.MeansOnly, columns: l.columns, scales: l.data.Scales}
}

// means returns the means of the pixels.
func (l *learner) means() []float64 {
	var out []float64
	for _, c := range l.columns {
		out = append(out, c.Mean)
	}
	return out
}

// grow adds experts to a state as long as the description gets shorter, and returns the best state seen.
func (l *learner) grow(rng *rand.Rand, s *state, t *terms, report func(string, *state)) (*state, error) {
	best, risen := s, 0
	for risen < rises && (l.o.Experts == 0 || s.m.K() < l.o.Experts) {
		next, err := l.step(rng, s, t)
		if err != nil || next == nil {
			return best, err
		}
		if s = next; s.length < best.length {
			best, risen = s, 0
		} else {
			risen++
		}
		report("grow", s)
	}
	return best, nil
}

// step adds an expert to a state and takes two steps of EM; nil if no expert pays.
func (l *learner) step(rng *rand.Rand, s *state, t *terms) (*state, error) {
	g := newGrower(l.data, s.e, t)
	e, pi, err := g.grow(l.ctx, rng, l.o.Workers)
	if err != nil || e == nil {
		return nil, err
	}
	m := *s.m
	m.Experts = append(slices.Clone(m.Experts), e)
	m.Pi = append(slices.Clone(m.Pi), pi)
	next, err := l.explain(&m)
	if err != nil {
		return nil, err
	}
	return l.em(next, t, 2)
}

// useful returns by how many nats each expert shortens the description.
func (l *learner) useful(s *state) []float64 {
	out := make([]float64, s.m.K())
	f := newField(s.e.bank)
	for i, row := range l.data.Rows {
		f.load(row)
		for _, c := range s.e.picks[i] {
			f.add(c, false)
		}
		for j, c := range f.picks {
			k := c / s.m.Poses.Len()
			out[k] += f.loss(j) - f.price[k]
		}
	}
	for k, e := range s.m.Experts {
		for _, o := range e {
			out[k] -= l.lambda * float64(o.Vote)
		}
	}
	return out
}

// misfit returns by how many nats the values that each expert won vary more than it says: one that is two
// in truth varies much.
func (s *state) misfit() []float64 {
	out := make([]float64, s.m.K())
	for k, e := range s.m.Experts {
		for f, o := range e {
			if o.Vote == Abstains {
				continue
			}
			d := s.m.home(f)
			n, mean, squares := s.e.tally.Experts[k][f].moments(s.m.Scales[d])
			b := s.m.Background[d].Var
			out[k] -= max(0, (squares+n*(mean-o.Mean)*(mean-o.Mean))/b-n) / 2
		}
	}
	return out
}

// move deletes experts, in turn those that fit worst and those of least use, grows others instead, and keeps what
// makes the description shorter.
func (l *learner) move(rng *rand.Rand, s *state, t *terms, report func(string, *state)) (*state, error) {
	failed := [2]int{}
	for i := range moves {
		kind := i % 2
		if s.m.K() <= failed[kind] {
			continue
		}
		scores := s.misfit()
		if kind == 1 {
			scores = l.useful(s)
		}
		next, err := l.replace(rng, s, worst(scores, failed[kind]), t)
		if err != nil {
			return nil, err
		}
		if failed[kind]++; next.length < s.length {
			s, failed = next, [2]int{}
		}
		report("move", s)
	}
	return s, nil
}

// replace deletes expert k and grows up to two others, and returns the best state seen since.
func (l *learner) replace(rng *rand.Rand, s *state, k int, t *terms) (*state, error) {
	s, err := l.delete(s, k, t)
	if err != nil {
		return nil, err
	}
	best := s
	for range 2 {
		if l.o.Experts > 0 && s.m.K() >= l.o.Experts {
			break
		}
		next, err := l.step(rng, s, t)
		if err != nil || next == nil {
			return best, err
		}
		if s = next; s.length < best.length {
			best = s
		}
	}
	return best, nil
}

// worst returns the expert whose score has a rank, from 0, the smallest.
func worst(scores []float64, rank int) int {
	order := make([]int, len(scores))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	return order[rank]
}

// delete returns a state without expert k, after two steps of EM.
func (l *learner) delete(s *state, k int, t *terms) (*state, error) {
	m := *s.m
	m.Experts, m.Pi = slices.Delete(slices.Clone(m.Experts), k, k+1), slices.Delete(slices.Clone(m.Pi), k, k+1)
	less, err := l.explain(&m)
	if err != nil {
		return nil, err
	}
	return l.em(less, t, 2)
}

// finish learns with the noise as it is and the background free, deletes experts without which the description is
// shorter, and returns the best state seen. It tries those of least use, and those of the fewest votes: these
// may say what the background could say itself.
func (l *learner) finish(s *state, t *terms) (*state, error) {
	s, err := l.settle(s, t)
	if err != nil {
		return nil, err
	}
	for s.m.K() > 0 {
		before := s
		for _, k := range l.dispensable(s) {
			less, err := l.delete(s, k, t)
			if err != nil {
				return nil, err
			}
			if less.length < s.length {
				s = less
				break
			}
		}
		if s == before {
			break
		}
	}
	return s, nil
}

// dispensable returns up to four experts that may not pay: that of least use, then those with the fewest votes.
func (l *learner) dispensable(s *state) []int {
	votes := make([]float64, s.m.K())
	for k, e := range s.m.Experts {
		for _, o := range e {
			votes[k] += float64(o.Vote)
		}
	}
	out := []int{worst(l.useful(s), 0)}
	for rank := range min(3, s.m.K()) {
		if k := worst(votes, rank); k != out[0] {
			out = append(out, k)
		}
	}
	return out
}

// settle takes steps of EM until two in turn do not shorten the description, and returns the best state, of
// those after the first step, whose terms are the ones given.
func (l *learner) settle(s *state, t *terms) (*state, error) {
	s, err := l.em(s, t, 1)
	if err != nil {
		return nil, err
	}
	best, worse := s, 0
	for range lastSteps {
		if s, err = l.em(s, t, 1); err != nil {
			return nil, err
		}
		if s.length < best.length-1e-6 {
			best, worse = s, 0
		} else if worse++; worse == 2 {
			break
		}
	}
	return best, nil
}

// softly takes some steps of EM in which every row counts for its best explanations.
func (l *learner) softly(m *Model) (*Model, error) {
	t := l.terms()
	var best *Model
	most := math.Inf(1)
	for range 4 {
		e, err := estep(l.ctx, m, l.data, l.o.Best, l.o.Workers)
		if err != nil {
			return nil, err
		}
		votes, variances := m.Votes()
		if length := -e.tally.LogLik() + l.lambda*float64(votes+variances); length < most {
			best, most = m, length
		}
		m = prune(e.tally.mstep(m, t))
	}
	return best, nil
}
