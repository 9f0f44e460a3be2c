package real

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
)

// Options are the settings of Learn. The zero value is the recommended default.
type Options struct {
	// Experts is how many experts there are at most; 0 means as many as shorten the description.
	Experts int

	// Rule joins opinions, at the temperature Tau if it is Soft (0 means DefaultTau).
	Rule Rule
	Tau  float64

	// Poses are the places of experts; the zero value means that they stay where they are. Where they move, all
	// pixels have one scale and one background.
	Poses pose.Grid

	// Predict says that unknown values are to be predicted, not parts to be read: a vote then costs
	// 1 nat, as a number does by Akaike's criterion, and what the other starts learned is kept as the model's committee.
	Predict bool

	// Starts is the number of starts; 0 means 5: growth with the noise held down to 0.4 and the background at the median,
	// growth with all learned from the beginning, two with the noise at 0.7, and growth like the first with the background
	// at the lower quartile, for parts that half of the images have; then from the beginning with other random numbers.
	// The shortest description is kept.
	Starts int

	// Sample is how many rows of a stream, drawn at random, parts are learned from, before all rows shape
	// them; 0 means 20000.
	Sample int

	// Memory, if not nil, keeps what steps came to, so that a run that was interrupted goes on where it was. With it or
	// without, and whatever it holds, the model is the same.
	Memory Memory `json:"-"`

	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.

	// Progress, if not nil, is called after every step, in order.
	Progress func(Progress) `json:"-"`
}

// Progress is where learning stands.
type Progress struct {
	Start, Starts     int    // the number of the start, from 0
	Stage             string // "grow", "move" or "end"; "all" for a step over all rows of a stream
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
// workers. The error is the context's, or says what does not fit. If the context ends after the data were explained
// once, the
// best so far stands beside the error: the best start that was complete, or else what the first one had learned.
func Learn(ctx context.Context, data *Data, o Options) (*Result, error) {
	l, err := newLearner(ctx, data, o)
	if err != nil {
		return nil, err
	}
	out := &Result{DescriptionLength: math.Inf(1)}
	err = l.starts(out)
	if err != nil && (ctx.Err() == nil || l.seen == nil && out.Model == nil) {
		return nil, err
	}
	if out.Model == nil {
		out.take(&state{l.seen.e.tally.mstep(l.seen.m, l.terms()), l.seen.e, l.seen.length})
	}
	out.record(Record{Rows: len(data.Rows), Seed: o.Seed}, &l.o)
	return out, err
}

// starts makes all starts, and completes the best one.
func (l *learner) starts(out *Result) error {
	var all []*Model
	best := 0
	for i := range l.o.Starts {
		s, err := l.start(i)
		if err != nil {
			return err
		}
		all = append(all, s.m)
		if out.Starts = append(out.Starts, s.length); s.length < out.DescriptionLength {
			best = i
			out.take(s)
		}
	}
	l.complete(out, all, best)
	return nil
}

// take makes a state the result.
func (r *Result) take(s *state) {
	r.Model, r.DescriptionLength, r.LogLik = prune(s.m), s.length, s.e.tally.LogLik()
}

// record completes a record and gives it to the model.
func (r *Result) record(how Record, o *Options) {
	how.LogLik, how.DescriptionLength, how.Starts = r.LogLik, r.DescriptionLength, r.Starts
	how.Predict = o.Predict
	kept := *r.Model
	kept.Record = how
	r.Model = &kept
}

// learner is what the starts share.
type learner struct {
	ctx     context.Context
	data    *Data
	stream  *Stream // whose rows are explained instead of the data; nil to explain the data
	o       Options
	columns []Normal  // mean and variance of each pixel over all rows
	medians []float64 // of each pixel
	lower   []float64 // quartiles
	lambda  float64
	seen    *state // the one of the shortest description, with the noise as held down then; nil before the first
}

// newLearner returns a learner, or says what does not fit.
func newLearner(ctx context.Context, data *Data, o Options) (*learner, error) {
	if len(data.Rows) == 0 || data.Height*data.Width == 0 {
		return nil, fmt.Errorf("real: %d rows of %d x %d values: nothing to learn from", len(data.Rows), data.Height,
			data.Width)
	}
	if o.Starts == 0 {
		o.Starts = defaultStarts
	}
	o.Workers = max(o.Workers, 1)
	l := &learner{ctx: ctx, data: data, o: o, lambda: price(len(data.Rows), data.Height*data.Width, o.Predict)}
	l.survey()
	return l, l.model(l.medians).Check()
}

// price returns the price of a vote in nats.
func price(rows, pixels int, predict bool) float64 {
	if predict {
		return 1
	}
	return float64(elem.Log(float64(rows))/2) + float64(elem.Log(float64(pixels))/2)
}

// model returns a model without experts.
func (l *learner) model(means []float64) *Model {
	m := &Model{Height: l.data.Height, Width: l.data.Width, Rule: l.o.Rule, Tau: l.o.Tau, Poses: l.o.Poses,
		Scales: l.data.Scales}
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
	e, err := l.estep(m)
	if err != nil {
		return nil, err
	}
	votes, variances := m.Votes()
	s := &state{m, e, -e.tally.LogLik() + float64(l.lambda*float64(votes+variances))}
	if l.seen == nil || s.length < l.seen.length {
		l.seen = s
	}
	l.say(s)
	return s, nil
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
