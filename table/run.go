package table

import (
	"context"
	"errors"
	"iter"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/described"
)

// The stages of a run: what made the model of a CurvePoint.
const (
	StageGrow     = "grow"     // an expert appended, or soft EM from there
	StageMixture  = "mixture"  // soft EM from the components of a mixture
	StageShrink   = "shrink"   // an expert deleted
	StageFinal    = "final"    // the choice, after some more iterations over all rows
	StageTogether = "together" // the choice, with a prior over sets of parts
	StageExact    = "exact"    // the cheapest blocks that cover all ones and nothing else
)

// Step is one step of a run: an iteration of soft EM.
type Step struct {
	// CurvePoint describes the model; Chosen is set on the last step only.
	patchwork.CurvePoint

	Model     *patchwork.Model
	StartFrom StartFrom // where the model came from: StartFromGrow or StartFromMixture
	Iteration int       // M-steps of soft EM since that start, or since its last expert

	// Candidate reports whether the model may be chosen: only candidates are on
	// the curve. Other steps show progress.
	Candidate bool

	// Best is the model to keep if the loop is left at this step: the best
	// candidate so far, or Model before there is any.
	Best *patchwork.Model
}

// Learn learns experts that stay where they are, and the background, from the
// rows of a table; see Run.
func Learn(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options) (*patchwork.Model, error) {
	var last *patchwork.Model
	for s, err := range Run(ctx, data, cfg, opt) {
		if err != nil {
			return nil, err
		}
		last = s.Model
	}
	return last, nil
}

// Run learns a table's experts by soft EM, and its background: the abstention
// value of every bit (Config.QMap; that of cfg is ignored). It starts from
// experts gathered by the batch, each made of what the others leave unexplained, and from the
// components of Bernoulli mixtures; start, number of experts and iteration are
// chosen by description length.
// Experts are also deleted, as long as it gets shorter, and are gathered again until
// the shortest description has come twice; of complete tables under max the cheapest
// exact blocks (package blocks) are a candidate, too. If the search took a part of the
// rows only (Options.Sample), learning goes on from the choice with all
// of them.
//
// It yields every iteration, and the chosen model last: the only step with Chosen
// set, whose model has the curve in its record. A loop that is left early keeps
// Step.Best. The steps are the same for any number of workers. The error is the
// context's, or says what in the options or data does not fit.
func Run(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		cfg.ZeroQ = true                       // the background is learned
		cfg.Prior, _ = rows.Priors(cfg, false) // soft EM has a prior of its own; this is for learning on
		err := opt.validate(data, cfg)
		if err == nil {
			l := &learner{cfg: cfg, opt: opt.WithDefaults(), yield: yield, memory: data.Memory}
			err = l.run(ctx, data)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(Step{}, err)
		}
	}
}

// learner carries out one run.
type learner struct {
	data   patchwork.Data // equal rows as one
	cfg    patchwork.Config
	opt    Options
	m      mStepOptions
	yield  func(Step, error) bool
	means  []float64 // of the columns, over all rows
	memory Memory    // of all data; nil for none
	curve  []patchwork.CurvePoint
	tried  []tried // all candidates, if they are looked at again
	best   tried
	own    tried            // the shortest description of the present start
	rival  tried            // the shortest of gathered parts
	final  bool             // going on with all rows
	sizes  []tried          // the best mixture of each size
	kept   *patchwork.Model // the best, with its record
	recent []explained      // the last E-steps

	whole     map[string]bool // vote patterns that need not be torn
	random    bool            // whether candidates are made and chosen at random
	presences bool            // whether these only vote for on
	mature    bool            // whether there is a choice, of which parts are torn
}

// tried is a candidate.
type tried struct {
	Step
	exact  bool // it comes from exact blocks
	pooled bool // its votes were learned so: see mStepOptions
}

func (l *learner) run(ctx context.Context, data patchwork.Data) error {
	data = rows.Distinct(data)
	l.means = rows.Means(data)
	search := l.searched(data)
	l.learnFrom(search)
	if err := l.search(ctx); err != nil {
		return err
	}
	if err := l.taken(ctx); err != nil {
		return err
	}
	if l.opt.AnyRule {
		if err := l.compareRules(ctx); err != nil {
			return err
		}
	}
	if more := rows.Total(search) < rows.Total(data); more || pooling(l.cfg.Rule) > 0 {
		l.learnFrom(data)
		if more {
			l.rival = tried{} // of a sample
		}
		if err := l.goOn(ctx, l.best, more); err != nil {
			return err
		}
	}
	if err := l.exactly(ctx); err != nil {
		return err
	}
	if err := l.dependent(ctx); err != nil {
		return err
	}
	return l.choose(ctx)
}

// sample returns as many rows as the search takes, drawn at random; all, if there are no
// more of them.
func (l *learner) sample(data patchwork.Data) patchwork.Data {
	n := rows.Total(data)
	if n <= int64(l.opt.Sample) {
		return data
	}
	_, some := rows.SplitUnits(data, float64(l.opt.Sample)/float64(n), l.opt.Seed+1)
	return some
}

// searched returns the rows that the search takes: all, unless more differ than it takes,
// which is what it costs.
func (l *learner) searched(data patchwork.Data) patchwork.Data {
	if data = rows.Distinct(data); len(data.Images) <= l.opt.Sample {
		return data
	}
	return l.sample(data)
}

// learnFrom sets the data to learn from.
func (l *learner) learnFrom(data patchwork.Data) {
	l.data, l.recent = withMemory(rows.Distinct(data), l.memory), nil
	l.m = mStepOptions{Marginal: rows.Means(l.data)}
}

// numberLength returns log(rows)/2, the nats that describe one number of a model.
func (l *learner) numberLength() float64 { return described.Number(float64(rows.Total(l.data))) }

// search tries the starts, as many experts and iterations as there are to choose
// from. If no model has the number of experts that is given, or most of them explain no row
// best, the number is found out up to that one. It also tries the background alone if the number of experts is open,
// or if nothing else came of it.
func (l *learner) search(ctx context.Context) error {
	if err := l.searchShortest(ctx); err != nil {
		return err
	}
	needless, err := l.needless(ctx)
	if err != nil {
		return err
	}
	if needless {
		l.opt.Experts, l.opt.MinExperts = 0, 0
		if err := l.searchShortest(ctx); err != nil {
			return err
		}
	}
	if l.best.Model != nil && l.opt.Experts > 0 {
		return nil
	}
	m, err := l.backgroundOnly()
	if err != nil {
		return err
	}
	tally, err := l.count(ctx, m)
	if err != nil {
		return err
	}
	_, err = l.judged(ctx, round{Model: m, Tally: tally}, l.stepOf(StartFromGrow))
	return err
}

// needless reports whether the number of experts is given, and the best model has fewer, or
// most of them explain no row best.
func (l *learner) needless(ctx context.Context) (bool, error) {
	if l.opt.Experts == 0 || l.best.Experts < l.opt.Experts {
		return l.best.Experts < l.opt.Experts, nil
	}
	best, err := l.setsOf(ctx, l.best.Model)
	if err != nil {
		return false, err
	}
	used := map[int16]bool{}
	for _, set := range best {
		for _, k := range set {
			used[k] = true
		}
	}
	return 2*len(used) <= l.best.Experts, nil
}

// backgroundOnly returns a model of the background: its one expert never votes.
func (l *learner) backgroundOnly() (*patchwork.Model, error) {
	cfg := l.cfg
	cfg.QMap = l.marginals()
	m, err := patchwork.NewModel(cfg, [][]float64{cfg.QMap})
	if err != nil {
		return nil, err
	}
	return m.WithExtras(patchwork.Extras{Usage: []float64{0}, Record: patchwork.Record{Rows: rows.Total(l.data)}})
}

// marginals returns the background before there are votes: one number, and a column's own where that pays.
func (l *learner) marginals() []float64 {
	n := float64(rows.Total(l.data))
	return joint.TiedLevels(l.m.Marginal, l.numberLength(), minQ, jointRule(l.cfg.Rule), func(i int) (on, seen float64) {
		return float64(n * l.m.Marginal[i]), n
	})
}

// softEM runs soft EM from m.
func (l *learner) softEM(ctx context.Context, m *patchwork.Model, iterations int) iter.Seq2[round, error] {
	return softEM(ctx, m, l.data, emOptions{Iterations: iterations, MStep: l.m, Explain: l.opt.Explain,
		Workers: l.opt.Workers, Count: l.count})
}

// em runs soft EM, yields each iteration before the last as progress, and returns the
// last; it ends when the description does not get shorter any more.
func (l *learner) em(ctx context.Context, m *patchwork.Model, iterations int, s Step) (last round, err error) {
	before := math.Inf(1)
	for r, err := range l.softEM(ctx, m, iterations) {
		if err != nil {
			return r, err
		}
		last = r
		if r.Number == iterations {
			break
		}
		l.fill(&s, r)
		if settled(s.DescriptionLength, before) {
			break
		}
		if err := l.emit(s); err != nil {
			return r, err
		}
		before = s.DescriptionLength
	}
	return last, nil
}

// considered returns what soft EM makes of a model, with its description length, but
// not judged.
func (l *learner) considered(ctx context.Context, m *patchwork.Model, iterations int, s Step) (tried, round, error) {
	r, err := l.em(ctx, m, iterations, s)
	if err != nil {
		return tried{}, r, err
	}
	l.fill(&s, r)
	return tried{Step: s, pooled: l.m.Pooled}, r, nil
}

// improve runs soft EM from a start. The models after a third, two thirds and all
// of the iterations are candidates. It gives up when it can see that none will describe
// the rows more briefly than lowest says, in nats.
func (l *learner) improve(ctx context.Context, m *patchwork.Model, start StartFrom, lowest float64) error {
	n := l.opt.Iterations
	before := math.Inf(1)
	for r, err := range l.softEM(ctx, m, n) {
		if err != nil {
			return err
		}
		s := l.stepOf(start)
		i := r.Number
		if i > 0 && (i == n || i == n/3 || i == 2*n/3) {
			var c tried
			c, err = l.judged(ctx, r, s)
			s.DescriptionLength = c.DescriptionLength
		} else {
			l.fill(&s, r)
			err = l.emit(s)
		}
		if err != nil {
			return err
		}
		if i >= n/3 && hopeless(s.DescriptionLength, before, lowest, n-i) {
			return nil
		}
		if i < n && settled(s.DescriptionLength, before) {
			if i != n/3 && i != 2*n/3 {
				_, err = l.judged(ctx, r, l.stepOf(start))
			}
			return err
		}
		before = s.DescriptionLength
	}
	return nil
}

// settled reports whether the length of a description hardly changes any more.
func settled(length, before float64) bool {
	return math.Abs(before-length) < max(leastChange, leastShare*math.Abs(length))
}

const (
	leastChange = 0.02 // nats
	leastShare  = 1e-5 // of the length
)

// hopeful is by how much later iterations of soft EM may do better than the one before
// them.
const hopeful = 2

// hopeless reports whether so many more iterations will not bring a description length to
// the lowest one, as far as the last iteration tells, before which it was another.
func hopeless(length, before, lowest float64, more int) bool {
	return length-lowest > hopeful*float64(more)*max(before-length, 0)
}
