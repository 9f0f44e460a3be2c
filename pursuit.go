package patchwork

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/pose"
)

// Pursuit explains images by likelihood matching pursuit (section 3 of the paper):
// starting without experts, it adds the expert, rotation and shift that increase
// the likelihood most, until none does. It holds scratch memory and is not safe
// for concurrent use; Fork returns another for the same model.
type Pursuit struct {
	model   *Model
	opt     PursuitOptions
	search  score.Search
	scored  *score.Bank // templates under the scoring of the search
	refined *score.Bank // templates under the scoring of the refining sweeps
	still   *still      // nil under max and max-minus-min
	costs   []float64   // of a pick of each expert, in the current image and stage; may be nil
	priced  []float64   // memory of costs
	used    []int       // picks of each expert in the current image
	pixels  []uint8
	within  context.Context // nil for none; see Within

	before     score.Search // of exchange: the search, and used, before a trial
	usedBefore []int

	noisy *Pursuit    // of the model under noise; nil until an image needs it
	noise score.Noise // of noisy

	extremes Composition // scratch of logLikModel
	ordered  score.Field // and changes: scratch of rewrite
	changes  []score.Change

	rowTable *rowTable // nil where no image is explained as a row of a table
}

// NewPursuit returns a pursuit. The error says which option does not fit the
// model.
func NewPursuit(m *Model, opt PursuitOptions) (*Pursuit, error) {
	opt = opt.withDefaults(&m.cfg)
	if err := opt.validate(&m.cfg, m.K()); err != nil {
		return nil, err
	}
	p := &Pursuit{model: m, opt: opt, still: newStill(m)}
	p.rowTable = p.newRowTable()
	p.scored = m.bank(opt.Scoring, opt.Alpha)
	if p.refined = p.scored; opt.Refined && opt.RefineScoring != opt.Scoring {
		p.refined = m.bank(opt.RefineScoring, opt.Alpha)
	}
	return p, nil
}

// Fork returns a pursuit with the same model and options, for another goroutine.
// The two share large constant data.
func (p *Pursuit) Fork() *Pursuit {
	return &Pursuit{model: p.model, opt: p.opt, scored: p.scored, refined: p.refined,
		rowTable: p.rowTable, still: p.still.fork()}
}

// bank returns the model's templates, prepared for the search under a scoring.
// Each scoring applies one monotone map to opinions and abstention values, so that
// the fold of the mapped opinions is the composition to be scored.
func (m *Model) bank(s Scoring, alpha float64) *score.Bank {
	view := func(p float64) float64 { return p }
	switch s {
	case ScoringTruncated:
		view = func(p float64) float64 { return max(p, 0.5) }
	case ScoringMixed:
		view = func(p float64) float64 { return float64(alpha*p) + float64((1-alpha)/2) }
	}
	f := score.Frame{Height: m.cfg.Height, Width: m.cfg.Width, Q: view(m.cfg.Q), TwoSided: m.cfg.Rule.TwoSided()}
	if m.cfg.QMap != nil {
		f.QMap = make([]float64, len(m.cfg.QMap))
		for i, q := range m.cfg.QMap {
			f.QMap[i] = view(q)
		}
	}
	for t := range m.cfg.Poses.Turns() {
		f.Turns = append(f.Turns, m.turn(m.cfg.Poses.Turn(t)))
	}
	templates := m.experts
	if s != ScoringOriginal {
		templates = m.Templates()
		for _, t := range templates {
			for i := range t {
				t[i] = view(t[i])
			}
		}
	}
	return score.NewBank(f, templates)
}

// Explain runs the pursuit on one image. The error is a *SizeError.
func (p *Pursuit) Explain(img *bitmap.Image) (*Explanation, error) {
	if p.opt.Calibrated {
		return p.calibrate(img)
	}
	return p.explain(img)
}

// explain runs the pursuit on one image, with the templates as they are.
func (p *Pursuit) explain(img *bitmap.Image) (e *Explanation, err error) {
	if e := p.explainRow(img); e != nil {
		return e, nil
	}
	defer p.interrupt(&e, &err)
	p.watch()
	picks, err := p.Steps(img)
	if err != nil {
		return nil, err
	}
	e = &Explanation{StartLogLik: p.logLik(img, nil)}
	for pick := range picks {
		if e.Picks == nil {
			e.Picks = make([]Pick, 0, 4) // most images need no more
		}
		e.Picks = append(e.Picks, pick)
	}
	if p.opt.Refined {
		p.refine(img, e)
	}
	e.LogLik, e.Scoring = p.logLik(img, e.Picks), p.opt.lastScoring()
	e.LogLikModel = e.LogLik
	if e.Scoring != ScoringOriginal {
		e.LogLikModel = p.logLikModel(img.Height(), img.Width(), e.Picks)
	}
	return e, nil
}

const (
	exchangeLoss  = 40 // nats, that a pick may lose at first when it becomes another expert
	exchangeTries = 60 // of an image, so that the time for large scenes is bounded
)

// exchange leaves explanations that no change of one pick improves: it replaces a pick
// by the best candidate of another expert, or takes two picks away that may share pixels,
// goes on from there, and keeps what is better in the end. It reports whether anything is.
func (p *Pursuit) exchange(threshold float64) bool {
	near := func(a, b score.Placed) bool { // their frames overlap
		return max(a.DY-b.DY, b.DY-a.DY) < p.search.Bank.Height && max(a.DX-b.DX, b.DX-a.DX) < p.search.Bank.Width
	}
	changed := false
	for left := exchangeTries; ; {
		value := p.value(threshold)
		p.before.CopyFrom(&p.search)
		p.usedBefore = append(p.usedBefore[:0], p.used...)
		picks, better := p.before.Picks(), false
		for i := 0; i < len(picks) && !better; i++ {
			for j := 0; j <= i && !better && left > 0; j++ {
				if near(picks[i], picks[j]) {
					left--
					better = p.try(i, j, threshold, value)
				}
			}
		}
		if !better {
			return changed
		}
		changed = true
	}
}

// try exchanges pick i, or takes picks i and j < i away, and reports whether sweeps from
// there end at more than the value; if not, the picks are what they were.
func (p *Pursuit) try(i, j int, threshold, value float64) bool {
	moved := i != j || p.swap(i)
	for _, at := range [2]int{i, j} { // the later one first
		if i != j {
			p.count(p.search.Candidate(p.search.Picks()[at]), -1)
			p.search.TakeBack(at)
		}
	}
	if moved {
		p.add(threshold)
		if math.Abs(p.value(threshold)-value) > score.Tie { // else it is back where it was
			p.improve(threshold, false)
		}
		if p.value(threshold) > value+score.Tie {
			return true
		}
	}
	p.search.CopyFrom(&p.before)
	copy(p.used, p.usedBefore)
	return false
}

// value returns what the sweeps raise.
func (p *Pursuit) value(threshold float64) float64 {
	v := p.search.LogLik()
	for _, placed := range p.search.Picks() {
		v -= threshold + p.pickCost(p.search.Candidate(placed))
	}
	return v
}

// swap replaces pick i by the best candidate of another expert, if that loses little. If
// not, the pick is missing.
func (p *Pursuit) swap(i int) bool {
	old := p.search.Candidate(p.search.Picks()[i])
	p.count(old, -1)
	p.search.TakeBack(i)
	own := p.net(old, p.search.Gain(p.search.At(old)))
	least := own.Nats - exchangeLoss
	c, g := p.search.BestAbove(least, p.costs, func(k int) bool { return k != p.expertOf(old) && p.live(k) })
	if c < 0 || g.Possible < own.Possible || g.Nats < least {
		return false
	}
	p.count(c, +1)
	p.search.Place(c)
	return true
}

// noiseRounds bounds how often the noise of an image is learned anew.
const noiseRounds = 4

// calibrate explains an image by templates as they look under its noise: it learns the
// noise from the explanation, given the pixels as the picks compose them, and explains
// the image anew, until the noise is the one that was assumed.
func (p *Pursuit) calibrate(img *bitmap.Image) (*Explanation, error) {
	e, err := p.explain(img)
	if err != nil {
		return nil, err
	}
	learned, assumed := e, score.Noise{}
	for range noiseRounds {
		n := score.FitNoise(p.pixels, p.model.Compose(img.Height(), img.Width(), e.Picks).P)
		if n == assumed {
			break
		}
		if assumed = n; n == (score.Noise{}) {
			e = learned
			continue
		}
		noisy := p.under(n)
		noisy.within = p.within
		if e, err = noisy.explain(img); err != nil {
			return nil, err
		}
	}
	e.Missing, e.Clutter = assumed.Missing, assumed.Clutter
	if e != learned {
		e.LogLikModel = p.logLikModel(img.Height(), img.Width(), e.Picks)
	}
	return e, nil
}

// under returns a pursuit of the same settings for the model under a noise.
func (p *Pursuit) under(n score.Noise) *Pursuit {
	if p.noisy != nil && p.noise == n {
		return p.noisy
	}
	templates := p.model.Templates()
	for _, t := range templates {
		for i := range t {
			t[i] = n.Of(t[i])
		}
	}
	m := p.model.WithTemplates(templates, p.model.extras)
	m.cfg.Q, m.cfg.QMap = n.Of(m.cfg.Q), slices.Clone(m.cfg.QMap)
	for i, q := range m.cfg.QMap {
		m.cfg.QMap[i] = n.Of(q)
	}
	noisy, err := NewPursuit(m, p.opt)
	if err != nil {
		panic("patchwork: the settings fitted the model: " + err.Error())
	}
	p.noise, p.noisy = n, noisy
	return noisy
}

// logLik returns the log-likelihood of the present image under the scoring in force,
// given the picks so far.
func (p *Pursuit) logLik(img *bitmap.Image, picks []Pick) float64 {
	if p.still != nil {
		return LogLik(img, p.model.Compose(img.Height(), img.Width(), picks).P)
	}
	return p.search.LogLik()
}

// logLikModel returns LogLik of the image in p.pixels under Model.Compose.
func (p *Pursuit) logLikModel(height, width int, picks []Pick) float64 {
	c := &p.extremes
	c.Join(p.model, height, width, picks)
	var sum score.Total
	var l pixelLogLiks
	for i, x := range p.pixels {
		if x != score.Unknown {
			sum.Add(i, l.of(x == score.On, score.Compose(c.High[i], c.Low[i], p.model.cfg.abstention(i))))
		}
	}
	return sum.Sum()
}

// Steps returns an iterator that runs the greedy pursuit on one image, without
// refining, and yields its picks one by one. Only one iteration may be in progress
// at a time. The error is a *SizeError.
func (p *Pursuit) Steps(img *bitmap.Image) (iter.Seq[Pick], error) {
	grid, err := p.model.GridFor(img.Height(), img.Width())
	if err != nil {
		return nil, err
	}
	p.pixels = img.AppendValues(p.pixels[:0])
	if p.still != nil {
		steps := p.still.steps(p.pixels, p.opt.MaxPicks, p.opt.MinGain, p.opt.Costs, p.opt.Forced)
		return func(yield func(Pick) bool) {
			for k, gain := range steps {
				if !yield(Pick{Expert: k, Gain: gain}) {
					return
				}
			}
		}, nil
	}
	p.reset(p.scored, p.opt.Scoring, grid, img)
	return func(yield func(Pick) bool) {
		for n := 0; n < p.opt.MaxPicks; n++ {
			floor := p.opt.MinGain
			if p.opt.Forced && n == 0 {
				floor = math.Inf(-1)
			}
			c, g := p.best(floor)
			if c < 0 || !(g.Exceeds(p.opt.MinGain+score.Tie) || p.opt.Forced && n == 0) {
				return
			}
			pick := p.place(c, grid)
			g.Nats += p.pickCost(c) // Pick.Gain does not include costs
			pick.Gain = g.Float()
			p.search.Place(c)
			if !yield(pick) {
				return
			}
		}
	}, nil
}

// place returns the pick of candidate c and counts it.
func (p *Pursuit) place(c int, grid pose.Grid) Pick {
	n := grid.Len()
	pick := Pick{Expert: c / n, Pose: grid.At(c % n)}
	p.used[pick.Expert]++
	return pick
}

// Explain explains one image by the recommended pursuit, that of the zero
// PursuitOptions. The error is a *SizeError, or says that the image has too many
// candidates (GridFor). Rows of a table are better explained by a [Pursuit] with the
// costs of posterior.PickCosts, which learning charged, too; the command and the page
// do so. It is safe for concurrent use. The first call prepares the
// pursuit; the model keeps the result, about 26 bytes per pixel of each expert in
// each rotation.
func (m *Model) Explain(img *bitmap.Image) (*Explanation, error) {
	p := m.idle.take(m)
	defer m.idle.pursuits.Put(p)
	return p.Explain(img)
}

// LogLik returns the log-likelihood of an image, in nats, given the picks that
// Explain finds in it: the sum over the known pixels, -Inf if one has probability
// 0. Its errors are those of Explain, and it is safe for concurrent use.
func (m *Model) LogLik(img *bitmap.Image) (float64, error) {
	e, err := m.Explain(img)
	if err != nil {
		return 0, err
	}
	return e.LogLikModel, nil
}

// Sample draws an image of the size that the model's Config says, ImageHeight x
// ImageWidth, and returns it with the picks it is composed of. It calls SamplePicks,
// Compose and bitmap.Sample.
func (m *Model) Sample(rng *rand.Rand) (*bitmap.Image, []Pick) {
	picks, h, w := m.SamplePicks(rng), m.cfg.ImageHeight, m.cfg.ImageWidth
	return bitmap.Sample(rng, h, w, m.Compose(h, w, picks).P), picks
}

// The easy calls on a model, Explain, LogLik and Sample, use the recommended settings
// and pursuits that the model keeps; for other settings, make a Pursuit.

// idle holds the pursuits of the easy calls on one model, forks of the first.
type idle struct {
	once     sync.Once
	first    *Pursuit
	pursuits sync.Pool
}

// take returns a pursuit for exclusive use; the caller puts it back.
func (i *idle) take(m *Model) *Pursuit {
	if p, ok := i.pursuits.Get().(*Pursuit); ok {
		return p
	}
	i.once.Do(func() {
		var err error
		if i.first, err = NewPursuit(m, PursuitOptions{}); err != nil {
			panic("patchwork: the default settings fit every model: " + err.Error())
		}
	})
	return i.first.Fork()
}

// Within makes searches end with a context: Explain and ExplainAll then return its error.
// With context.Background they never end early, as at first and for forks.
func (p *Pursuit) Within(ctx context.Context) {
	if p.within = ctx; ctx == context.Background() {
		p.within = nil
	}
}

// interrupted is what a search panics with when its context ends.
type interrupted struct{ error }

// watch makes the search look at the context: that of a picture of 512 x 512 pixels may take
// minutes, all of them far below here.
func (p *Pursuit) watch() {
	ctx, n := p.within, 0
	if ctx == nil {
		return
	}
	p.search.Tick = func() {
		if n++; n%16 == 0 {
			if err := ctx.Err(); err != nil {
				panic(interrupted{err})
			}
		}
	}
}

// interrupt, deferred, turns the panic of a search that was interrupted into an error. What the search
// held is in no known state, so there is a new one.
func (p *Pursuit) interrupt(e **Explanation, err *error) {
	p.search.Tick = nil
	if p.within == nil {
		return
	}
	switch r := recover().(type) {
	case nil:
	case interrupted:
		p.search, *e, *err = score.Search{}, nil, r.error
	default:
		panic(r)
	}
}
