package mixed

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Options are the settings of Learn. The zero value is the recommended default.
type Options struct {
	Parts   int // at most; 0 means as many as shorten the description
	Starts  int // 0 means 3
	Sample  int // rows that parts are looked for in, drawn at random, before all rows shape them; 0 means 600
	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.

	// Quick makes one start by default, moves no part, and compares graded parts with the others by nothing: to learn
	// again.
	Quick bool

	// From, if not nil, has for each row the parts that it begins with, bit k for part k: there is one start, from these.
	From []uint64

	// Progress, if not nil, is called after every step, in order.
	Progress func(Progress) `json:"-"`
}

// Progress is where learning stands.
type Progress struct {
	Start, Starts int    // the number of the start, from 0; Starts while the best one is improved
	Stage         string // "grow", "end", "move" or "shape"
	Parts         int
	Length        float64 // of the description, in nats
}

const (
	defaultStarts = 3
	defaultSample = 600
)

// learner is what the starts share.
type learner struct {
	ctx    context.Context
	o      Options
	empty  *Model      // without parts
	codes  [][]float64 // of the rows that parts are looked for in
	lambda float64

	weights []int64 // of these rows
	unit    int64
	quick   bool // no part is deleted to grow another

	alone    float64 // the length without parts; infinite if it is not known
	patience int     // rises of the length that end growth
	at       int     // the number of the start
	found    *state  // of the shortest description so far
}

// say tells where learning stands.
func (l *learner) say(stage string, s *state) {
	if l.found == nil || s.length < l.found.length {
		l.found = s
	}
	if l.o.Progress != nil {
		l.o.Progress(Progress{l.at, l.o.Starts, stage, len(s.m.Parts), s.length})
	}
}

// state is a model and how it explains the rows.
type state struct {
	m      *Model
	tally  *Tally
	best   []uint64 // sets, by row
	length float64  // of the description
}

// newModel returns a model without parts: the columns, as they are coded.
func newModel(data *Data) *Model {
	m := &Model{}
	for j, f := range data.Fields {
		m.Columns = append(m.Columns, newColumn(f, data.column(j), data.unit()))
		m.Background = append(m.Background, m.Columns[j].All)
	}
	return m
}

// explain returns the state of a model.
func (l *learner) explain(m *Model) (*state, error) {
	c := newCounter(m, l.weights, l.unit, l.o.Workers)
	best, err := c.count(l.ctx, l.codes)
	if err != nil {
		return nil, err
	}
	t, err := c.tally()
	if err != nil {
		return nil, err
	}
	return &state{m, t, best, m.price(l.lambda) - t.Nats()}, nil
}

// lost is the share of what parts gain that EM may lose on its way, to find more.
const lost = .25

// em takes steps of EM. Where the background learns what it is like without the parts, opinions that tilt it may lose
// what they were: then the shortest state on the way is returned.
func (l *learner) em(s *state, o *terms, steps int) (_ *state, err error) {
	var best *state
	for range steps {
		if s, err = l.explain(s.tally.mstep(s.m, o)); err != nil {
			return nil, err
		}
		if best == nil || s.length < best.length {
			best = s
		}
	}
	if best != nil && s.length-best.length > max(better, float64(lost*(l.alone-best.length))) {
		return best, nil
	}
	return s, nil
}

// heats are those of the starts.
var heats = []float64{.7, 1, .6}

// start makes start number i.
func (l *learner) start(i int) (*state, error) {
	rng := rand.New(rand.NewPCG(l.o.Seed, uint64(i)))
	held, free := l.terms(), l.terms()
	held.hold, held.heat = true, heats[i%len(heats)]
	m := *l.empty
	m.Background = make([]Opinion, len(m.Columns))
	for d := range m.Background {
		m.Background[d] = m.Columns[d].held(held.heat)
	}
	s, err := l.explain(&m)
	if err == nil {
		l.alone = s.length
		s, err = l.grow(rng, s, held, l.most(), 2)
	}
	if err == nil {
		s, err = l.em(s, free, 4)
	}
	if err == nil {
		s, err = l.grow(rng, s, free, l.most(), 2)
	}
	if err == nil {
		s, err = l.em(s, free, 4)
	}
	return s, err
}

// most returns how many parts there may be.
func (l *learner) most() int {
	if l.o.Parts > 0 {
		return min(l.o.Parts, MostParts)
	}
	return MostParts
}

// patience is how many rises of the length end growth.
const patience = 3

// grow adds parts as long as the description gets shorter, up to most of them, each with some steps of EM, and returns
// the best state seen.
func (l *learner) grow(rng *rand.Rand, s *state, o *terms, most, steps int) (*state, error) {
	best, risen := s, 0
	for risen < l.patience && len(s.m.Parts) < most {
		c, err := newGround(l, s, o).grow(l.ctx, rng, l.o.Workers)
		if err != nil || c == nil {
			return best, err
		}
		m := *s.m
		m.Parts, m.Background = append(slices.Clone(m.Parts), c.Part), slices.Clone(m.Background)
		for d, rest := range c.rest {
			if rest != nil {
				m.Background[d] = *rest
			}
		}
		if s, err = l.explain(&m); err != nil {
			return nil, err
		}
		if s, err = l.em(s, o, steps); err != nil {
			return nil, err
		}
		if risen++; s.length < best.length {
			best, risen = s, 0
		}
		l.say("grow", s)
	}
	return best, nil
}

// Learn learns a model of data. Equal data, options and seed give the same model on any number of workers. The error is
// the context's, or names a cell; if the context ends, the best model so far stands beside it, nil for none.
func Learn(ctx context.Context, data *Data, o Options) (*Model, error) {
	l, err := newLearner(ctx, data, o)
	if err != nil {
		return nil, err
	}
	all := *l
	l.sample(1)
	best, starts, err := l.search()
	if err != nil {
		return l.stopped(&all, starts), err
	}
	m := l.model(best, &all, starts)
	if len(l.codes) < len(all.codes) {
		wide, err := all.widen(m)
		if err == nil {
			wide, err = Refine(ctx, wide, data, lastSteps, o.Workers)
		}
		if err != nil {
			return m, err
		}
		m = wide
	}
	if o.From != nil {
		return m, nil
	}
	return m, l.addGraded(m)
}

// model returns that of a state, with its record: of all rows.
func (l *learner) model(s *state, all *learner, starts []float64) *Model {
	m := *s.m
	m.Record = Record{Rows: int(math.Round(all.count())), Seed: l.o.Seed, LogLik: s.tally.Nats(), Length: s.length,
		Starts: starts}
	if len(l.codes) < len(all.codes) {
		m.Record.Sample = len(l.codes)
	}
	return &m
}

// stopped returns the best model so far, nil for none.
func (l *learner) stopped(all *learner, starts []float64) *Model {
	if l.found == nil {
		return nil
	}
	return l.model(l.found, all, starts)
}

func newLearner(ctx context.Context, data *Data, o Options) (*learner, error) {
	if err := data.check(); err != nil {
		return nil, err
	}
	if o.Starts == 0 && o.Quick {
		o.Starts = 1
	}
	if o.Starts == 0 {
		o.Starts = defaultStarts
	}
	if o.Sample == 0 {
		o.Sample = defaultSample
	}
	l := &learner{ctx: ctx, o: o, empty: newModel(data), patience: patience, quick: o.Quick,
		alone: math.Inf(1)}
	codes := make([][]float64, len(data.Rows))
	for i, row := range data.Rows {
		codes[i] = l.empty.Code(row)
	}
	weights := make([]int64, len(codes))
	for i := range weights {
		weights[i] = data.weight(i)
	}
	l.unit = data.unit()
	l.take(codes, weights)
	return l, nil
}

// price returns what a number of a model of so many rows costs, in nats.
func price(rows float64) float64 { return elem.Log(max(rows, 1)) / 2 }

// take makes the learner one of some rows.
func (l *learner) take(codes [][]float64, weights []int64) {
	l.codes, l.weights = codes, weights
	l.lambda = price(l.count())
}

// count returns how many rows there are, by their weights.
func (l *learner) count() float64 {
	sum := int64(0)
	for _, w := range l.weights {
		sum += w
	}
	return float64(sum) / float64(l.unit)
}

// terms returns those of a step of EM.
func (l *learner) terms() *terms { return &terms{lambda: l.lambda, once: unit * float64(l.unit)} }

// sample keeps so many times the rows that parts are looked for in, drawn at random, if there are more than twice as
// many.
func (l *learner) sample(times int) {
	n := times * l.o.Sample
	if len(l.codes) <= 2*n || l.o.From != nil {
		return
	}
	which := rand.New(rand.NewPCG(l.o.Seed, 2<<32)).Perm(len(l.codes))[:n]
	slices.Sort(which)
	l.pick(which)
}

// pick makes the learner one of some of its rows.
func (l *learner) pick(which []int) {
	var codes [][]float64
	var weights []int64
	for _, i := range which {
		codes, weights = append(codes, l.codes[i]), append(weights, l.weights[i])
	}
	l.take(codes, weights)
}

const (
	lastSteps = 4 // of EM on all rows
	wider     = 4 // samples, in which parts are looked for that are too small for one
)

// widen lets more rows shape what was found in some of them, and adds parts that these are too few for.
func (l *learner) widen(m *Model) (*Model, error) {
	l.sample(wider)
	l.patience = 1
	rng := rand.New(rand.NewPCG(l.o.Seed, 4<<32))
	s, err := l.explain(m)
	if err != nil {
		return nil, err
	}
	o := l.terms()
	o.own = m.own()
	if s, err = l.em(s, o, 2); err == nil {
		s, err = l.grow(rng, s, o, l.most(), 2)
	}
	if err != nil {
		return nil, err
	}
	out := *s.m
	out.Record = m.Record
	return &out, nil
}

// Refine lets all rows of a source shape the parts of a model, by some steps of EM, block by block: for tables that do
// not fit in memory, of which [Learn] saw some rows that were drawn at random.
func Refine(ctx context.Context, m *Model, src Source, steps, workers int) (*Model, error) {
	for range steps {
		t, err := EStep(ctx, m, src, workers)
		if err != nil {
			return nil, err
		}
		if m, err = t.MStep(m); err != nil {
			return nil, err
		}
	}
	t, err := EStep(ctx, m, src, workers)
	if err != nil {
		return nil, err
	}
	out := *m
	out.Record.Rows, out.Record.LogLik = int(math.Round(t.Count())), t.Nats()
	out.Record.Length = m.price(price(t.Count())) - t.Nats()
	return &out, nil
}

// from returns the state that begins with given sets of parts.
func (l *learner) from(sets []uint64) (*state, error) {
	all := uint64(0)
	for _, s := range sets {
		all |= s
	}
	m := *l.empty
	for range bits.Len64(all) {
		m.Parts = append(m.Parts, Part{Share: .5, Entries: make([]Entry, len(m.Columns))})
	}
	b, t, in := newBank(&m), NewTally(&m), newPresence(len(m.Parts))
	t.Unit = l.unit
	for i, codes := range l.codes {
		t.row(b, codes, l.weights[i], []weighted{{sets[i], 1, unit}}, 0, in)
	}
	free := l.terms()
	s, err := l.explain(t.mstep(&m, free))
	if err != nil {
		return nil, err
	}
	return l.em(s, free, 10)
}

// manyParts is how many parts are too many for a second start, and to move, tear or join some: columns that go up and
// down together take so many, and graded parts say more of these.
const manyParts = 16

// search makes all starts and returns the one of the shortest description.
func (l *learner) search() (best *state, lengths []float64, err error) {
	if l.o.From != nil {
		s, err := l.from(l.o.From)
		return s, nil, err
	}
	for i := range l.o.Starts {
		l.at = i
		s, err := l.start(i)
		if err == nil {
			s, err = l.prune(s, l.terms())
		}
		if err != nil {
			return nil, lengths, err
		}
		if lengths = append(lengths, s.length); best == nil || s.length < best.length {
			best = s
		}
		l.say("end", s)
		if len(s.m.Parts) > manyParts {
			break
		}
	}
	l.at = l.o.Starts
	best, err = l.improve(best)
	return best, lengths, err
}
