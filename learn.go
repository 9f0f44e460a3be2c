package patchwork

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// Mode is a set of settings under one name.
type Mode uint8

const (
	// ModeDefault is what works best: the guarded step, restarts, an
	// asymmetric prior for ink (see docs/paper.md for each departure).
	ModeDefault Mode = iota
	// ModePaper is the paper to the letter: epsilon = 1, eq. (1), the printed
	// initialisation, one start. It does not reproduce the paper's figures;
	// that is a finding, not a fault.
	ModePaper
)

var modeNames = []string{"default", "paper"}

// String is the name used in flags: "default" or "paper".
func (m Mode) String() string { return nameOf("Mode", modeNames, uint8(m)) }

// ParseMode is the inverse of String.
func ParseMode(name string) (Mode, error) { return parseName[Mode]("a mode", modeNames, name) }

// Method is how a start is learned.
type Method uint8

const (
	// MethodDefault is Both where experts move (a grid of poses) or only
	// write (Max), and Batch for max-minus-min without poses. In ModePaper it
	// is OnlineLearning for Max.
	MethodDefault Method = iota
	// OnlineLearning is one pass with sequential initialisation (section 4.1).
	OnlineLearning
	// BatchLearning is batch EM (section 4) from random templates.
	BatchLearning
	// Both is batch EM from where online learning ended.
	Both
)

var methodNames = []string{"default", "online", "batch", "both"}

// String is the name used in flags: "default", "online", "batch", "both".
func (m Method) String() string { return nameOf("Method", methodNames, uint8(m)) }

// ParseMethod is the inverse of String.
func ParseMethod(name string) (Method, error) {
	return parseName[Method]("a method", methodNames, name)
}

// batchInk is the recommended prior under Max: a background must be allowed
// to be white, or entries that nobody owned return to 1/2 and become the
// maximum (findings, section 3). While few images stand behind an entry, in
// online learning, it is onlineInk.
var batchInk, onlineInk = Prior{On: 0.05, Off: 1}, Prior{On: 0.1, Off: 1}

// Beginning is where a start of Both begins.
type Beginning uint8

const (
	// BeginBoth takes turns: starts 0, 2, 4, ... begin with orders, 1, 3, 5,
	// ... with splits. The default for experts that move under Max.
	BeginBoth Beginning = iota
	// BeginOrders is online learning with sequential initialisation
	// (section 4.1), in another order of the images each time.
	BeginOrders
	// BeginSplits cuts the ink of one image into pieces (SplitModel), of
	// another image each time.
	BeginSplits
)

var beginningNames = []string{"both", "orders", "splits"}

// String is the name used in flags: "both", "orders", "splits".
func (b Beginning) String() string { return nameOf("Beginning", beginningNames, uint8(b)) }

// ParseBeginning is the inverse of String.
func ParseBeginning(name string) (Beginning, error) {
	return parseName[Beginning]("what starts begin with", beginningNames, name)
}

// DefaultConfig is the recommended configuration of a model to learn, or the
// paper's, for images of height x width under the given poses.
func DefaultConfig(mode Mode, rule Rule, height, width int, poses pose.Grid) Config {
	c := Config{Rule: rule, Height: height, Width: width, Poses: poses, Q: rule.Abstention(), Prior: Prior{1, 1}}
	if rule == MaxMinusMin {
		c.Outside = Unknown
		return c
	}
	c.Truncate = poses.Len() > 1 || mode == ModePaper
	if mode == ModeDefault {
		// A background of 0 makes stray ink impossible, and learned background
		// entries below Q are no votes, which keeps experts sparse.
		c.Q = 0.01
		c.Prior = batchInk
	}
	return c
}

// LearnOptions are the settings of Learn and Starts. The zero value, but for
// Experts, is the recommended default.
type LearnOptions struct {
	Experts int // K
	Mode    Mode
	Method  Method

	// Starts is how many times to begin anew; the start with the best training
	// log-likelihood, or the shortest description (see Learn), is chosen. 0 means 8 orders of the images, with 8 splits
	// where Begin is BeginBoth, or 5 random starts, or 1 in ModePaper. The
	// first order is that of the data.
	Starts int

	// Begin is where the starts of Both begin; under max-minus-min, without
	// poses and in ModePaper it is always BeginOrders.
	Begin Beginning

	// Iterations of batch EM; 0 means 5 sweeps after online learning and 25
	// from random templates.
	Iterations int

	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.

	Reading        Reading // of the initialisation; ModePaper takes ReadingLiteral
	UnexplainedInk float64 // see OnlineOptions

	// Refine: the sweeps of batch EM refine what the greedy pursuit finds
	// (PursuitOptions.Refine), without a threshold: the experts are few.
	Refine bool
}

// Trial is one start of a learning run.
type Trial struct {
	Start
	Index int
	Model *Model // the best of its iterations, with counts and usage
	Tally *Tally // of Model explaining the data
}

// better reports whether t is to be preferred to o: by description length where
// there is one, else by log-likelihood.
func (t *Trial) better(o *Trial) bool {
	if t.DescriptionLength != o.DescriptionLength {
		return t.DescriptionLength < o.DescriptionLength
	}
	return t.Score > o.Score
}

func (o LearnOptions) withDefaults(c *Config) LearnOptions {
	if o.Method == MethodDefault {
		switch {
		case c.Rule == MaxMinusMin && c.Poses.Len() == 1:
			o.Method = BatchLearning
		case o.Mode == ModePaper:
			o.Method = OnlineLearning
		default:
			o.Method = Both
		}
	}
	if o.Mode == ModePaper || o.Method != Both || c.Rule != Max || c.Poses.Len() == 1 {
		o.Begin = BeginOrders
	}
	if o.Starts == 0 {
		switch {
		case o.Mode == ModePaper:
			o.Starts = 1
		case o.Method == BatchLearning:
			o.Starts = 5
		case o.Begin == BeginBoth:
			o.Starts = 16
		default:
			o.Starts = 8
		}
	}
	if o.Iterations == 0 {
		o.Iterations = 25
		if o.Method == Both {
			o.Iterations = 5
		}
	}
	if o.Mode == ModePaper {
		o.Reading = ReadingLiteral
	}
	o.Workers = max(o.Workers, 1)
	return o
}

func (o LearnOptions) validate() error {
	switch {
	case o.Experts < 1:
		return fmt.Errorf("patchwork: cannot learn %d experts", o.Experts)
	case o.Starts < 0 || o.Iterations < 0:
		return fmt.Errorf("patchwork: %d starts of %d iterations", o.Starts, o.Iterations)
	case int(o.Method) >= len(methodNames) || o.Mode > ModePaper || int(o.Reading) >= len(readingNames) || int(o.Begin) >= len(beginningNames):
		return fmt.Errorf("patchwork: unknown method, mode, reading or beginning (%v, %v, %v, %v)", o.Method, o.Mode, o.Reading, o.Begin)
	}
	return nil
}

// Learn learns a model from several starts and returns the one with the best
// training log-likelihood (the earliest of equals), with every start's score in
// its record and the Gaussian of the poses where there are any.
//
// Max-minus-min experts without poses are judged by their description length
// instead ([Tally.DescriptionLength]), except in ModePaper; the shortest start
// is improved by moving experts, and polished to a fixed point.
func Learn(ctx context.Context, data Data, cfg Config, opt LearnOptions) (*Model, error) {
	var trials []Trial
	for t, err := range Starts(ctx, data, cfg, opt) {
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	return Choose(ctx, data, cfg, opt, trials)
}

// Choose turns the trials of a run into its model; see Learn.
func Choose(ctx context.Context, data Data, cfg Config, opt LearnOptions, trials []Trial) (*Model, error) {
	if len(trials) == 0 {
		return nil, fmt.Errorf("patchwork: no start to choose from")
	}
	opt = opt.withDefaults(&cfg)
	best := trials[0]
	record := Record{Method: opt.Method.String(), Mode: opt.Mode.String(), Seed: opt.Seed}
	for _, t := range trials {
		record.Starts = append(record.Starts, t.Start)
		if t.better(&best) {
			best = t
		}
	}
	record.Chosen, record.Rows, record.LogLik = best.Index, best.Tally.Rows(), best.Score
	if opt.byDescription(&cfg) {
		return finish(ctx, best, data, opt, record)
	}
	extras := best.Model.Extras()
	extras.Usage, extras.Record = best.Tally.usage(), record
	if cfg.Poses.Len() > 1 {
		geometry, err := FitGeometry(ctx, best.Model, data, opt.pursuit(), opt.Workers)
		if err != nil {
			return nil, err
		}
		extras.Geometry = geometry
	}
	return best.Model.WithExtras(extras)
}

// Starts runs the starts of Learn, up to Workers of them side by side, and
// yields each in its turn. The error is the context's, or says what in the
// options or data does not fit.
func Starts(ctx context.Context, data Data, cfg Config, opt LearnOptions) iter.Seq2[Trial, error] {
	problems := []error{opt.validate(), data.validate(), cfg.validate()}
	opt = opt.withDefaults(&cfg)
	return func(yield func(Trial, error) bool) {
		for _, err := range problems {
			if err != nil {
				yield(Trial{}, err)
				return
			}
		}
		inner := opt
		side := min(opt.Workers, opt.Starts)
		inner.Workers = max(1, opt.Workers/side)
		results := inTurn(ctx, opt.Starts, side, func(ctx context.Context, i int) (Trial, error) {
			return runStart(ctx, data, cfg, inner, i)
		})
		for t, err := range results {
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// inTurn computes f(0), ..., f(n-1), up to side at a time, and yields them in
// order. It leaves no goroutine behind: when the caller stops early the
// context of the calls under way is cancelled, and they are waited for.
func inTurn[T any](ctx context.Context, n, side int, f func(context.Context, int) (T, error)) iter.Seq2[T, error] {
	type result struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		results := make([]chan result, n)
		for i := range results {
			results[i] = make(chan result, 1)
		}
		var next queue
		done := make(chan struct{})
		for range side {
			go func() {
				defer func() { done <- struct{}{} }()
				for i := next.take(); i < n && ctx.Err() == nil; i = next.take() {
					v, err := f(ctx, i)
					results[i] <- result{v, err}
				}
			}()
		}
		defer func() {
			cancel()
			for range side {
				<-done
			}
		}()
		for i := range n {
			select {
			case r := <-results[i]:
				if !yield(r.value, r.err) || r.err != nil {
					return
				}
			case <-ctx.Done():
				var none T
				yield(none, ctx.Err())
				return
			}
		}
	}
}

// rng is the random source of start i of a run: split by index, never by worker.
func rng(seed uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)))
}

// learningPursuit is how images are explained while learning: the first expert
// is always taken (findings, A6).
func learningPursuit() PursuitOptions { return PursuitOptions{Forced: true} }

// pursuit is how the sweeps of batch EM explain.
func (o LearnOptions) pursuit() PursuitOptions {
	p := learningPursuit()
	p.Refine, p.RefineThreshold = o.Refine, -1
	return p
}

// runStart learns from start i.
func runStart(ctx context.Context, data Data, cfg Config, opt LearnOptions, i int) (Trial, error) {
	how, m, err := begin(ctx, data, cfg, opt, i)
	if err != nil {
		return Trial{}, err
	}
	if opt.byDescription(&cfg) {
		d, err := opt.learnShort(ctx, m, data, opt.Iterations, polishIterations)
		if err != nil {
			return Trial{}, err
		}
		return Trial{Start: Start{Seed: opt.Seed, Score: d.tally.LogLik(), DescriptionLength: d.length, Method: how},
			Index: i, Model: d.model, Tally: d.tally}, nil
	}
	iterations := opt.Iterations
	if opt.Method == OnlineLearning {
		iterations = 0
	}
	it, err := sweep(ctx, m, data, opt, iterations)
	if err != nil {
		return Trial{}, err
	}
	return Trial{Start: Start{Seed: opt.Seed, Score: it.Tally.LogLik(), Method: how},
		Index: i, Model: it.Model, Tally: it.Tally}, nil
}

// begin makes the model that start i begins with, and says how. An image that
// cannot be cut (too little ink) leaves the start to its order.
func begin(ctx context.Context, data Data, cfg Config, opt LearnOptions, i int) (how string, m *Model, err error) {
	if opt.Method == BatchLearning {
		m, err = RandomModel(cfg, opt.Experts, rng(opt.Seed, i))
		return "random", m, err
	}
	if opt.Begin == BeginSplits || opt.Begin == BeginBoth && i%2 == 1 {
		example := data.first(Order(len(data.Images), opt.Seed, i))
		if example.CountOn() >= opt.Experts {
			m, err = SplitModel(cfg, example, opt.Experts, rng(opt.Seed, i))
			return "split", m, err
		}
	}
	m, err = learnOnline(ctx, data, cfg, opt, i)
	return "order", m, err
}

// first is the first image in the order that counts at all.
func (d Data) first(order []int) *bitmap.Image {
	for _, i := range order {
		if d.Weight(i) > 0 {
			return d.Images[i]
		}
	}
	panic("patchwork: no image counts") // validate refuses such data
}

// Order is the order of n images in start i of a run: as they come for start
// 0, shuffled for the others.
func Order(n int, seed uint64, i int) []int {
	if i == 0 {
		order := make([]int, n)
		for j := range order {
			order[j] = j
		}
		return order
	}
	return rng(seed, i).Perm(n)
}

// RandomModel has templates drawn uniformly from [.02, .98].
func RandomModel(cfg Config, experts int, rng *rand.Rand) (*Model, error) {
	templates := make([][]float64, experts)
	for k := range templates {
		templates[k] = make([]float64, cfg.Height*cfg.Width)
		for i := range templates[k] {
			templates[k][i] = 0.02 + 0.96*rng.Float64()
		}
	}
	return NewModel(cfg, templates)
}

// learnOnline passes once over the data in the order of start i.
func learnOnline(ctx context.Context, data Data, cfg Config, opt LearnOptions, i int) (*Model, error) {
	var last *Model
	for m, err := range OnlineSteps(ctx, data, cfg, opt, i) {
		if err != nil {
			return nil, err
		}
		last = m
	}
	return last.WithConfig(cfg)
}

// abstainingSits is how far from q a guarded entry that abstains waits while
// learning (findings, section 2).
const abstainingSits = 1e-3

// sweep runs batch EM from m and returns its best round, final; in ModePaper
// its last one.
func sweep(ctx context.Context, m *Model, data Data, opt LearnOptions, iterations int) (Iteration, error) {
	em := EMOptions{Iterations: iterations, Pursuit: opt.pursuit(), Workers: opt.Workers,
		Step: MStep{KeepUnseen: m.cfg.Rule == Max, Sit: abstainingSits}}
	if opt.Mode == ModePaper {
		em.Step = MStep{Formula: EquationOne}
	}
	if iterations == 0 {
		t, err := Explain(ctx, m, data, em.Pursuit, em.Workers, nil)
		return Iteration{Model: m, Tally: t}, err
	}
	choose := Best
	if opt.Mode == ModePaper { // eq. (1) has no likelihood to keep the best of
		choose = last
	}
	best, err := choose(EM(ctx, m, data, em))
	if err != nil {
		return Iteration{}, err
	}
	if settled := settle(best.Model, em.Step.Sit); settled != best.Model {
		t, err := Explain(ctx, settled, data, em.Pursuit, em.Workers, nil)
		return Iteration{Number: best.Number, Model: settled, Tally: t}, err
	}
	return best, nil
}

// settle sets the entries that wait within sit of q to q. m itself if there
// are none, or under Max.
func settle(m *Model, sit float64) *Model {
	if m.cfg.Rule != MaxMinusMin || sit == 0 {
		return m
	}
	templates, settled := m.Templates(), false
	for _, t := range templates {
		for i, p := range t {
			if q := m.cfg.abstention(i); p != q && abstains(p, q, sit) {
				t[i], settled = q, true
			}
		}
	}
	if !settled {
		return m
	}
	out := *m
	out.experts = templates
	return &out
}
