package patchwork

import (
	"fmt"
	"iter"
	"math"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/pose"
)

// Scoring is the likelihood a pursuit climbs.
type Scoring uint8

const (
	// The zero Scoring is the model's own: ScoringTruncated if Config.Truncate, else ScoringOriginal.
	_ Scoring = iota
	// ScoringTruncated replaces a template mu by max(1/2, mu), so that an expert is
	// judged only by the pixels in its support (section 3). Max rule only.
	ScoringTruncated
	// ScoringOriginal takes the templates as they are.
	ScoringOriginal
	// ScoringMixed takes alpha mu + (1-alpha)/2 (Williams and Titsias 2004).
	ScoringMixed
)

// String is the name used in flags: "default", "truncated", "original", "mixed".
func (s Scoring) String() string { return enum.Name("Scoring", scoringNames, uint8(s)) }

var scoringNames = []string{"default", "truncated", "original", "mixed"}

// PursuitOptions are the settings of likelihood matching pursuit. The zero
// value is the recommended default for explaining new images.
type PursuitOptions struct {
	// Paper is the paper's greedy pursuit (section 3): it adds the best candidate
	// until none pays, and takes nothing back. Refined goes on with sweeps over the
	// picks, under the likelihood RefineScoring: each pick is replaced by the best
	// candidate given the others, or dropped where that gains no more than
	// RefineThreshold; then what gains more is added. It ends when nothing changes,
	// or after RefineSweeps. On unseen letters, digits and scenes this is better
	// than the greedy pursuit, in two to eleven times the time.
	//
	// With neither, the recommended default, it is Refined where experts move and
	// no likelihood is named (Scoring is 0), else Paper: rows of tables
	// are explained greedily, which is much faster. Both are an error.
	Paper, Refined bool

	Scoring Scoring
	Alpha   float64 // of ScoringMixed, 0 < Alpha <= 1; 0 means 0.9

	// Forced takes the best first expert even where it lowers the
	// likelihood, as the paper's text has it; learning does. Otherwise the
	// pursuit starts in abstention and may find that nothing explains.
	Forced bool

	// MinGain is what a pick must gain, in nats; the pursuit stops at a gain
	// <= MinGain (+1e-9). Costs, if not nil, holds a further cost for a pick
	// of each expert, in nats, such as log((1-pi)/pi).
	MinGain float64
	Costs   []float64

	// PosePrior makes the model's geometry a prior over where experts go: given
	// the picks so far, a pose costs by how many nats it is less probable than
	// the likeliest one. The Gaussian of the training poses speaks for 99 in a
	// hundred, the others are anywhere, so what a pose can cost is bounded.
	PosePrior bool

	MaxPicks int // 0: no limit but Reuse and 32,767
	Reuse    int // picks an expert may have in one image; 0: the model's

	// Settings of Refined. RefineThreshold is what a pick must gain in
	// the sweeps, in nats; 0 means log(number of candidates), a negative one
	// 0, and it is at least MinGain. RefineSweeps bounds the number of sweeps;
	// 0 means 8. RefineScoring is their likelihood; its default is ScoringOriginal
	// even where the model searches with truncated templates, whose gains have
	// no common scale to compare with a threshold.
	RefineThreshold float64
	RefineSweeps    int
	RefineScoring   Scoring
}

func (o PursuitOptions) withDefaults(c *Config) PursuitOptions {
	o.Refined = o.Refined || !o.Paper && c.moves() && o.Scoring == 0
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

func (o PursuitOptions) validate(c *Config, experts int) error {
	switch {
	case o.Paper && o.Refined:
		return fmt.Errorf("patchwork: a pursuit is the paper's or refined, not both")
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
		return fmt.Errorf("patchwork: %d costs for %d experts", len(o.Costs), experts)
	}
	for k, c := range o.Costs {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return fmt.Errorf("patchwork: cost of expert %d is %v", k, c)
		}
	}
	return nil
}

// Pursuit explains images by likelihood matching pursuit (section 3): starting
// from abstention, it adds the expert, rotation and shift that raise the
// likelihood most, until nothing does. It owns scratch memory and belongs to
// one goroutine; Fork makes another for the same model.
type Pursuit struct {
	model   *Model
	opt     PursuitOptions
	search  score.Search
	scored  *score.Bank // templates under the scoring of the search
	refined *score.Bank // and of the refining sweeps
	prior   *posePrior  // nil unless PursuitOptions.PosePrior
	grid    pose.Grid   // of the present image
	ranked  []score.Ranked
	used    []int // picks of each expert in the present image
	pixels  []uint8
	known   []uint8

	extremes Composition // of logLikModel

	// For many images at a time; see ExplainAll.
	rowTable *rowTable
	bulk     *rows // nil until needed
}

// NewPursuit prepares a pursuit. The error says which option does not fit the
// model.
func NewPursuit(m *Model, opt PursuitOptions) (*Pursuit, error) {
	opt = opt.withDefaults(&m.cfg)
	if err := opt.validate(&m.cfg, m.K()); err != nil {
		return nil, err
	}
	p := &Pursuit{model: m, opt: opt, rowTable: new(rowTable)}
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

// Fork is a pursuit with the same model and options, for another goroutine;
// what is large and constant is shared.
func (p *Pursuit) Fork() *Pursuit {
	return &Pursuit{model: p.model, opt: p.opt, scored: p.scored, refined: p.refined, prior: p.prior.fork(), rowTable: p.rowTable}
}

// bank builds the sprites of the model under a scoring. All three scorings map
// opinions and abstention value alike, by a monotone map, so that the fold of
// the mapped opinions is the composition to be scored.
func (m *Model) bank(s Scoring, alpha float64) *score.Bank {
	view := func(p float64) float64 { return p }
	switch s {
	case ScoringTruncated:
		view = func(p float64) float64 { return max(p, 0.5) }
	case ScoringMixed:
		view = func(p float64) float64 { return alpha*p + (1-alpha)/2 }
	}
	f := score.Frame{Height: m.cfg.Height, Width: m.cfg.Width, Q: view(m.cfg.Q), TwoSided: m.cfg.Rule == RuleMaxMinusMin}
	if m.cfg.QMap != nil {
		f.QMap = make([]float64, len(m.cfg.QMap))
		for i, q := range m.cfg.QMap {
			f.QMap[i] = view(q)
		}
	}
	for r := range m.cfg.Poses.Rotations() {
		f.Rotations = append(f.Rotations, m.turn(m.cfg.Poses.Angle(r)).there)
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
	picks, err := p.Steps(img)
	if err != nil {
		return nil, err
	}
	e := &Explanation{StartLogLik: p.search.LogLik()}
	for pick := range picks {
		if e.Picks == nil {
			e.Picks = make([]Pick, 0, 4) // most images need no more
		}
		e.Picks = append(e.Picks, pick)
	}
	if p.opt.Refined {
		p.refine(img, e)
	}
	e.LogLik, e.Scoring = p.search.LogLik(), p.inForce()
	e.LogLikModel = e.LogLik
	if p.inForce() != ScoringOriginal {
		e.LogLikModel = p.logLikModel(img.Height(), img.Width(), e.Picks)
	}
	return e, nil
}

// logLikModel is LogLik of the image in pixels under Model.Compose.
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

// inForce returns the scoring of the explanations: that of the last stage,
// RefineScoring after sweeps, else Scoring.
func (p *Pursuit) inForce() Scoring {
	if p.opt.Refined {
		return p.opt.RefineScoring
	}
	return p.opt.Scoring
}

// Steps runs the greedy pursuit on one image and yields its picks one by one
// (without refining). Only one iteration may be under way at a time. The error
// is a *SizeError.
func (p *Pursuit) Steps(img *bitmap.Image) (iter.Seq[Pick], error) {
	grid, err := p.model.GridFor(img.Height(), img.Width())
	if err != nil {
		return nil, err
	}
	p.pixels, p.known = img.AppendBytes(p.pixels[:0]), img.AppendKnown(p.known[:0])
	for i, known := range p.known {
		if known == 0 {
			p.pixels[i] = score.Unknown
		}
	}
	p.reset(p.scored, grid, img)
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
			g.Nats += p.cost(c) // what a pick gains is likelihood
			pick.Gain = g.Float()
			p.search.Place(c)
			if !yield(pick) {
				return
			}
		}
	}, nil
}

// place turns candidate c into a pick and counts it.
func (p *Pursuit) place(c int, grid pose.Grid) Pick {
	n := grid.Len()
	pick := Pick{Expert: c / n, Pose: grid.At(c % n)}
	p.used[pick.Expert]++
	return pick
}
