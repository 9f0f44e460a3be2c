package patchwork

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/pose"
)

// Scoring is the likelihood that a pursuit maximises.
type Scoring uint8

const (
	// The zero Scoring is the model's own: ScoringTruncated if Config.Truncate, else ScoringOriginal.
	_ Scoring = iota
	// ScoringTruncated replaces a template mu by max(1/2, mu), so that an expert is
	// judged only by the pixels in its support (section 3 of the paper). It requires
	// the max rule.
	ScoringTruncated
	// ScoringOriginal uses the templates unchanged.
	ScoringOriginal
	// ScoringMixed replaces mu by alpha mu + (1-alpha)/2 (Williams and Titsias 2004).
	ScoringMixed
)

// String returns the name used in flags: "default", "truncated", "original" or
// "mixed".
func (s Scoring) String() string { return enum.Name("Scoring", scoringNames, uint8(s)) }

var scoringNames = []string{"default", "truncated", "original", "mixed"}

// PursuitOptions are the settings of likelihood matching pursuit. The zero
// value is the recommended default for explaining new images.
type PursuitOptions struct {
	// Paper selects the paper's greedy pursuit (section 3): it adds the best
	// candidate while one gains enough, and removes nothing. Refined continues with
	// sweeps over the picks, under the likelihood RefineScoring: each pick is
	// replaced by the best candidate given the others, or removed if that candidate
	// gains no more than RefineThreshold; then candidates that gain more are added.
	// It ends when nothing changes, or after RefineSweeps. On unseen letters, digits
	// and scenes it explains better than the greedy pursuit, in two to eleven times
	// the time.
	//
	// If neither is set, the recommended default, the pursuit is Refined if experts
	// can move and Scoring is 0, else Paper: rows of tables are explained greedily,
	// which is much faster. Setting both is an error.
	Paper, Refined bool

	// Calibrated explains an image by the templates as they look under its noise: ink
	// is lost with one probability and paper inked with another, and both are learned
	// from the image, by explaining it two to five times. Templates learned from clean
	// images otherwise find many things in the noise of a page. AsLearned takes the
	// templates as they are. If neither is set, the recommended default, the images of
	// Scene models are calibrated if Scoring, Forced, Costs, Rates and RefineThreshold
	// are not set and the pursuit is Refined. Setting both is an error, and Calibrated
	// needs experts that can move.
	Calibrated, AsLearned bool

	Scoring Scoring
	Alpha   float64 // of ScoringMixed, 0 < Alpha <= 1; 0 means 0.9

	// Forced picks the best first expert even if it lowers the likelihood, as
	// described in the paper and as learning does. Otherwise the pursuit starts
	// without any expert, and may find none.
	Forced bool

	// MinGain is the gain, in nats, that a pick must exceed (by 1e-9); otherwise
	// the pursuit stops. Costs, if not nil, holds a further cost for a pick of each
	// expert, in nats, such as log((1-pi)/pi).
	MinGain float64
	Costs   []float64

	// Rates, if not nil, makes every pick pay for saying that it is there: a pick of
	// expert k, of which Rates[k] > 0 are expected in an image, costs
	// log(poses / Rates[k]) nats, at least 1, where poses is the number of poses that
	// an expert has in the image (GridFor). Without this price learning ends with many
	// dots. It comes on top of Costs, and RefineThreshold 0 then means 0. Gains under
	// truncated templates cannot be compared with it: a search by them does not charge
	// it, but the sweeps after the search do; without sweeps it is an error.
	Rates []float64

	// PosePrior uses the model's geometry as a prior over poses: given the picks so
	// far, the cost of a pose is the number of nats by which it is less probable
	// than the likeliest one. The prior is the Gaussian of the training poses with
	// weight 0.99 and the uniform distribution over the grid with weight 0.01, so
	// that the cost of a pose is bounded.
	PosePrior bool

	MaxPicks int // 0: no limit but Reuse and 32,767
	Reuse    int // picks an expert may have in one image; 0: the model's

	// Settings of Refined. RefineThreshold is the gain, in nats, that a pick must
	// exceed in the sweeps; 0 means log(number of candidates), or 0 if there are
	// Rates; in a scene more sweeps follow at posterior odds of 1: log(poses / share of
	// the experts found so far), times what neighbouring pixels err together. A negative
	// value means 0, and MinGain applies if it is larger. RefineSweeps bounds the number
	// of sweeps; 0 means 8. RefineScoring is the likelihood of the sweeps; 0 means
	// ScoringOriginal even if the model searches with truncated templates, because
	// gains under truncated templates cannot be compared with one threshold.
	RefineThreshold float64
	RefineSweeps    int
	RefineScoring   Scoring
}

// withDefaults returns the options with every zero value replaced by its meaning.
func (o PursuitOptions) withDefaults(c *Config) PursuitOptions {
	o.Refined = o.Refined || !o.Paper && c.moves() && o.Scoring == 0
	o.Calibrated = o.Calibrated || !o.AsLearned && c.Scene && o.Refined && o.Scoring == 0 && !o.Forced && o.Costs == nil && o.Rates == nil && o.RefineThreshold == 0
	if o.Scoring == 0 {
		o.Scoring = ScoringOriginal
		if c.Truncate {
			o.Scoring = ScoringTruncated
		}
	}
	if o.Alpha == 0 {
		o.Alpha = 0.9
	}
	if o.Reuse == 0 {
		o.Reuse = c.reuse()
	}
	if o.MaxPicks == 0 {
		o.MaxPicks = math.MaxInt16
	}
	if o.RefineScoring == 0 {
		o.RefineScoring = ScoringOriginal
	}
	if o.RefineSweeps == 0 {
		o.RefineSweeps = 8
	}
	return o
}

// validate returns an error that names the first option that does not fit the
// model. The options must have their defaults.
func (o PursuitOptions) validate(c *Config, experts int) error {
	switch {
	case !c.Rule.fold() && (o.Refined || o.Scoring != ScoringOriginal || o.PosePrior || o.Reuse > 1 || o.Rates != nil):
		return fmt.Errorf("patchwork: under the rule %v parts stay where they are: rows are explained greedily, by the original templates", c.Rule)
	case o.Paper && o.Refined:
		return fmt.Errorf("patchwork: a pursuit is the paper's or refined, not both")
	case o.Calibrated && o.AsLearned:
		return fmt.Errorf("patchwork: templates are calibrated or taken as learned, not both")
	case o.Calibrated && !c.moves():
		return fmt.Errorf("patchwork: the noise of an image is learned where parts can move; these stay where they are")
	case int(o.Scoring) >= len(scoringNames) || int(o.RefineScoring) >= len(scoringNames):
		return fmt.Errorf("patchwork: unknown scoring %v or %v", o.Scoring, o.RefineScoring)
	case (o.Scoring == ScoringTruncated || o.RefineScoring == ScoringTruncated) && c.Rule != RuleMax:
		return fmt.Errorf("patchwork: truncated templates belong to the max rule; score a %v model by original or mixed", c.Rule)
	case !(o.Alpha > 0 && o.Alpha <= 1):
		return fmt.Errorf("patchwork: mixing weight alpha = %v is not in (0, 1]", o.Alpha)
	case math.IsNaN(o.MinGain) || math.IsNaN(o.RefineThreshold):
		return fmt.Errorf("patchwork: a threshold of the pursuit is NaN")
	case o.MaxPicks < 0 || o.MaxPicks > math.MaxInt16 || o.Reuse < 1 || o.RefineSweeps < 0:
		return fmt.Errorf("patchwork: limits of the pursuit must not be negative (picks %d, reuse %d, sweeps %d)",
			o.MaxPicks, o.Reuse, o.RefineSweeps)
	case o.Costs != nil && len(o.Costs) != experts:
		return fmt.Errorf("patchwork: %d costs for %d parts", len(o.Costs), experts)
	case o.Rates != nil && len(o.Rates) != experts:
		return fmt.Errorf("patchwork: %d rates for %d parts", len(o.Rates), experts)
	case o.Rates != nil && o.lastScoring() == ScoringTruncated:
		return fmt.Errorf("patchwork: gains under truncated templates cannot be compared with the price of a place; refine, or score by original")
	}
	for k, r := range o.Rates {
		if !(r > 0) || math.IsInf(r, 0) {
			return fmt.Errorf("patchwork: rate of part %d is %v, not a number of picks above 0", k, r)
		}
	}
	for k, c := range o.Costs {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return fmt.Errorf("patchwork: cost of part %d is %v", k, c)
		}
	}
	return nil
}

// lastScoring returns the scoring of the last stage: RefineScoring after sweeps, else
// Scoring.
func (o PursuitOptions) lastScoring() Scoring {
	if o.Refined {
		return o.RefineScoring
	}
	return o.Scoring
}

// prices returns the costs of a pick of each expert in a stage of the search by the
// given scoring, in an image with so many poses; nil if all are 0. The result is in
// buf, where that is large enough.
func (o PursuitOptions) prices(s Scoring, poses int, buf []float64) []float64 {
	if o.Rates == nil || s == ScoringTruncated {
		return o.Costs
	}
	buf = buf[:0]
	for k, rate := range o.Rates {
		buf = append(buf, score.CostOf(o.Costs, k)+max(1, elem.Log(float64(poses)/rate)))
	}
	return buf
}

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
	prior   *posePrior  // nil unless PursuitOptions.PosePrior
	still   *still      // nil under max and max-minus-min
	grid    pose.Grid   // of the current image
	costs   []float64   // of a pick of each expert, in the current image and stage; may be nil
	priced  []float64   // memory of costs
	ranked  []score.Ranked
	used    []int // picks of each expert in the current image
	pixels  []uint8

	noisy *Pursuit    // of the model under noise; nil until an image needs it
	noise score.Noise // of noisy

	extremes Composition // scratch of logLikModel

	// For many images at a time; see ExplainAll.
	rowTable *rowTable
	bulk     *rows // nil until needed
}

// NewPursuit returns a pursuit. The error says which option does not fit the
// model.
func NewPursuit(m *Model, opt PursuitOptions) (*Pursuit, error) {
	opt = opt.withDefaults(&m.cfg)
	if err := opt.validate(&m.cfg, m.K()); err != nil {
		return nil, err
	}
	p := &Pursuit{model: m, opt: opt, rowTable: new(rowTable), still: newStill(m)}
	p.scored = m.bank(opt.Scoring, opt.Alpha)
	if p.refined = p.scored; opt.Refined && opt.RefineScoring != opt.Scoring {
		p.refined = m.bank(opt.RefineScoring, opt.Alpha)
	}
	if opt.PosePrior {
		var err error
		if p.prior, err = newPosePrior(m); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Fork returns a pursuit with the same model and options, for another goroutine.
// The two share large constant data.
func (p *Pursuit) Fork() *Pursuit {
	return &Pursuit{model: p.model, opt: p.opt, scored: p.scored, refined: p.refined, prior: p.prior.fork(), rowTable: p.rowTable, still: p.still.fork()}
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
func (p *Pursuit) explain(img *bitmap.Image) (*Explanation, error) {
	picks, err := p.Steps(img)
	if err != nil {
		return nil, err
	}
	e := &Explanation{StartLogLik: p.logLik(img, nil)}
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
		if e, err = p.under(n).explain(img); err != nil {
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
			g.Nats += p.cost(c) // Pick.Gain does not include costs
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
// candidates (GridFor). It is safe for concurrent use. The first call prepares the
// pursuit; the model keeps the result, about 26 bytes per pixel of each expert in
// each rotation. For many images, EStep and Pursuit.ExplainAll are faster.
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
