package patchwork

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// NewConfig returns the recommended configuration of a model to learn, for images
// of height x width pixels under the given poses. For RuleMax the abstention value
// is 0.01: with 0, any pixel that is on without an expert would be impossible, and
// since learned entries below 0.01 are not votes, experts stay sparse. With several
// poses the pursuit then searches with truncated templates. For the other rules the
// abstention value is 1/2, and pixels beyond the border are unknown.
func NewConfig(rule Rule, height, width int, poses pose.Grid) Config {
	c := Config{Rule: rule, Height: height, Width: width, Poses: poses, Q: 0.5}
	if rule.TwoSided() {
		c.UnknownOutside = true
		return c
	}
	c.Q, c.Truncate = 0.01, rule == RuleMax && poses.Len() > 1
	return c
}

// Extras are the optional parts of a model.
type Extras struct {
	Counts   *Tally    // the counts that the templates were computed from, to continue learning
	Usage    []float64 // K: share of the training images in which expert k was active
	Geometry *Geometry // where the experts occur

	// Means, of tables, is for each of the Height*Width pixels the share of the training
	// rows that know it in which it is on, half a row of each kind added: what would be
	// predicted without experts. nil if that is not known.
	Means []float64

	Record Record

	// SetPrior is how probable sets of parts are, of a table whose parts are not active
	// independently; nil if they are. Package posterior goes by it.
	SetPrior *SetPrior

	// Predictor predicts unknown pixels better than the parts alone do (package posterior
	// goes by it); nil if they are alone.
	Predictor Predictor

	// Names are what people call the experts, one for each, "" for one without a
	// name; nil if none has one.
	Names []string

	// Columns are the names of the Height*Width pixels, which are the columns of a
	// table; nil if they have none. Reading says, as a JSON object, how the data were
	// read that the model was learned from; package dataset writes and understands it.
	Columns []string
	Reading json.RawMessage

	// Counted, of a table, is what its rows say, to go on with new ones: counts that package
	// table writes and understands; nil if they were not kept.
	Counted []byte
}

// Predictor predicts unknown pixels beside the parts of a model. It is safe for concurrent use. Package stack of tables
// has one.
type Predictor interface {
	// Predict returns the probability of being on of each pixel of an image, row-major; parts are those that
	// the parts give.
	Predict(image *bitmap.Image, parts []float64) []float64

	// Len returns of how many pixels the images are.
	Len() int

	// String says by what it predicts.
	String() string
}

// Model is a set of experts and the rule that joins them. It is immutable and
// safe for concurrent use; scratch memory is in a Pursuit.
type Model struct {
	cfg     Config
	experts [][]float64
	extras  Extras
	turns   map[pose.Pose]pose.Turn // those of the grid, by poses without a shift
	idle    *idle                   // pursuits of the easy calls; copies differ and do not share it
}

// newTurns returns the turns of the grid, by poses without a shift.
func newTurns(c *Config) map[pose.Pose]pose.Turn {
	turns := make(map[pose.Pose]pose.Turn)
	for t := range c.Poses.Turns() {
		p := c.Poses.Turn(t)
		turns[p] = pose.TurnOf(c.Height, c.Width, p)
	}
	return turns
}

// turn returns the stretch and rotation of the frame in a pose, the zero Turn for none.
func (m *Model) turn(p pose.Pose) pose.Turn {
	p.DY, p.DX = 0, 0
	if t, ok := m.turns[p]; ok {
		return t
	}
	return pose.TurnOf(m.cfg.Height, m.cfg.Width, p)
}

// NewModel returns a model with a copy of a configuration and of K >= 1 templates,
// each Height*Width probabilities, row-major. The error names the setting, or the
// expert, row and column of the template value, that is invalid.
func NewModel(cfg Config, templates [][]float64) (*Model, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if len(templates) == 0 {
		return nil, fmt.Errorf("patchwork: a model needs at least one part")
	}
	m := &Model{cfg: cfg.resolved(), idle: new(idle)}
	for k, t := range templates {
		if len(t) != cfg.Height*cfg.Width {
			return nil, fmt.Errorf("patchwork: part %d has %d values, a frame of %d x %d needs %d",
				k+1, len(t), cfg.Height, cfg.Width, cfg.Height*cfg.Width)
		}
		for i, p := range t {
			if !(p >= 0 && p <= 1) {
				return nil, fmt.Errorf("patchwork: part %d, row %d, column %d is %v, not a probability",
					k+1, i/cfg.Width+1, i%cfg.Width+1, p)
			}
		}
		m.experts = append(m.experts, slices.Clone(t))
	}
	m.turns = newTurns(&cfg)
	return m, nil
}

// Config returns a copy of the model's configuration.
func (m *Model) Config() Config { return m.cfg.clone() }

// K returns the number of experts.
func (m *Model) K() int { return len(m.experts) }

// Height returns the height of the experts' frame in pixels.
func (m *Model) Height() int { return m.cfg.Height }

// Width returns the width of the experts' frame in pixels.
func (m *Model) Width() int { return m.cfg.Width }

// Template returns expert k's Height*Width probabilities, row-major. The slice is
// the model's own: the caller must not change it. It panics unless 0 <= k < K.
func (m *Model) Template(k int) []float64 { return m.experts[k] }

// Templates returns a deep copy of all templates.
func (m *Model) Templates() [][]float64 {
	out := make([][]float64, len(m.experts))
	for k, t := range m.experts {
		out[k] = slices.Clone(t)
	}
	return out
}

// Extras returns the model's optional parts. The caller must not change what they
// point to.
func (m *Model) Extras() Extras { return m.extras }

// checkMeans returns an error for means that are not those of the model's pixels.
func (m *Model) checkMeans(means []float64) error {
	if means != nil && len(means) != m.Height()*m.Width() {
		return fmt.Errorf("patchwork: means of %d columns, the model has %d", len(means), m.Height()*m.Width())
	}
	for i, p := range means {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("patchwork: the mean of column %d is %v, not a probability", i+1, p)
		}
	}
	return nil
}

// WithExtras returns the same model with other optional parts. The error says
// which part does not fit the model.
func (m *Model) WithExtras(e Extras) (*Model, error) {
	n := m.K() * m.Height() * m.Width()
	if e.Counts != nil && (len(e.Counts.counts.On) != n || len(e.Counts.active) != m.K()) {
		return nil, fmt.Errorf("patchwork: %d counts of %d parts do not fit %d parts of %d x %d pixels",
			len(e.Counts.counts.On), len(e.Counts.active), m.K(), m.Height(), m.Width())
	}
	if e.Usage != nil && len(e.Usage) != m.K() {
		return nil, fmt.Errorf("patchwork: usage of %d parts, the model has %d", len(e.Usage), m.K())
	}
	for k, u := range e.Usage {
		if !(u >= 0) || math.IsInf(u, 0) {
			return nil, fmt.Errorf("patchwork: usage of part %d is %v", k+1, u)
		}
	}
	if err := m.checkMeans(e.Means); err != nil {
		return nil, err
	}
	if e.Names != nil && len(e.Names) != m.K() {
		return nil, fmt.Errorf("patchwork: names of %d parts, the model has %d", len(e.Names), m.K())
	}
	if e.Columns != nil && len(e.Columns) != m.Height()*m.Width() {
		return nil, fmt.Errorf("patchwork: names of %d columns, the model has %d", len(e.Columns), m.Height()*m.Width())
	}
	if e.SetPrior != nil {
		if err := e.SetPrior.check(m.K()); err != nil {
			return nil, err
		}
	}
	if e.Predictor != nil && e.Predictor.Len() != m.Height()*m.Width() {
		return nil, fmt.Errorf("patchwork: the predictor is of %d pixels, the model of %d", e.Predictor.Len(),
			m.Height()*m.Width())
	}
	if e.Geometry != nil && e.Geometry.Normal.Dim() != 3*m.K() {
		return nil, fmt.Errorf("patchwork: geometry over %d numbers, %d parts have %d", e.Geometry.Normal.Dim(), m.K(),
			3*m.K())
	}
	c := *m
	c.extras, c.idle = e, new(idle)
	return &c, nil
}

// WithTemplates returns a model of the same configuration with other experts and
// optional parts; Columns and Reading, which do not depend on the experts, remain
// those of m unless others are given. It keeps the templates, which the caller must
// not change afterwards, and does not check that they are probabilities. It panics if
// one does not have Height*Width values, or an optional part does not fit them.
func (m *Model) WithTemplates(templates [][]float64, extras Extras) *Model {
	for k, t := range templates {
		if len(t) != m.cfg.Height*m.cfg.Width {
			panic(fmt.Sprintf("patchwork: part %d has %d values, a frame of %d x %d needs %d",
				k+1, len(t), m.cfg.Height, m.cfg.Width, m.cfg.Height*m.cfg.Width))
		}
	}
	if extras.Columns == nil {
		extras.Columns = m.extras.Columns
	}
	if extras.Reading == nil {
		extras.Reading = m.extras.Reading
	}
	out, err := (&Model{cfg: m.cfg, experts: templates, turns: m.turns}).WithExtras(extras)
	if err != nil {
		panic(err)
	}
	return out
}

// WithConfig returns a model of the same experts under another configuration of
// the same frame: other poses, for example, or other Defaults.
func (m *Model) WithConfig(cfg Config) (*Model, error) {
	if cfg.Height != m.cfg.Height || cfg.Width != m.cfg.Width {
		return nil, fmt.Errorf("patchwork: parts of %d x %d cannot take a frame of %d x %d",
			m.cfg.Height, m.cfg.Width, cfg.Height, cfg.Width)
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	c := *m
	c.cfg, c.turns, c.idle = cfg.resolved(), newTurns(&cfg), new(idle)
	return &c, nil
}

// Abstention returns the opinion that changes nothing at pixel i (row-major) of
// the image.
func (m *Model) Abstention(i int) float64 { return m.cfg.abstention(i) }

// GridFor returns the grid of poses that the pursuit searches in an image of the
// given size: the model's own, or for a Scene model every placement that reaches
// beyond the border by no more than its Overhang. The
// error is a *SizeError, or says that there are more than pose.MaxCandidates
// candidates.
func (m *Model) GridFor(height, width int) (pose.Grid, error) {
	c := &m.cfg
	fits := height == c.Height && width == c.Width
	if c.Scene {
		fits = height >= c.Height && width >= c.Width
	}
	if !fits {
		return pose.Grid{}, &SizeError{height, width, c.Height, c.Width, c.Scene}
	}
	g := c.Poses
	if c.Scene {
		g.DY = pose.Range{Min: -c.Overhang, Max: height - c.Height + c.Overhang, Step: 1}
		g.DX = pose.Range{Min: -c.Overhang, Max: width - c.Width + c.Overhang, Step: 1}
	}
	if n := g.Len(); n > pose.MaxCandidates/m.K() {
		return pose.Grid{}, fmt.Errorf(
			"patchwork: %d parts in %d poses are more than %d candidates; shift or rotate less, or in larger steps",
			m.K(), n, pose.MaxCandidates)
	}
	return g, nil
}

// Start is one start of a learning run, kept in the model's record.
type Start struct {
	Seed   uint64  `json:"seed"`
	Score  float64 `json:"score"`            // training log-likelihood, nats
	Method string  `json:"method,omitempty"` // how it began: "order", "split", "random", "joined"
	Pieces int     `json:"pieces,omitempty"` // how many parts there were before they were joined; 0: they were not

	// LeaveOneOut is the sum of the log-likelihoods, in nats, of each training image
	// under the counts of the others; the start with the largest is chosen. 0 means
	// that the starts were not compared by it.
	LeaveOneOut float64 `json:"leave_one_out,omitempty"`

	// DescriptionLength is that of the training images, in nats (see
	// learn.DescriptionLength); the start with the shortest is chosen, whatever its
	// Score. 0 means that the starts were not compared by it.
	DescriptionLength float64 `json:"description_length,omitempty"`
}

// Record says how a model was learned.
type Record struct {
	Method string `json:"method,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Seed   uint64 `json:"seed,omitempty"`
	Rows   int64  `json:"rows,omitempty"` // training images, weights counted
	// size of the uniform sample of them that Starts and Curve were learned from; 0: all
	Sample int64   `json:"sample,omitempty"`
	LogLik float64 `json:"log_lik"` // of the training images, nats
	Chosen int     `json:"chosen"`  // index into Starts
	Starts []Start `json:"starts,omitempty"`

	Interrupted bool `json:"interrupted,omitempty"` // learning was ended before it was done

	// DescriptionLength is that of the training images by the final model, in nats;
	// 0 if learning did not minimise it.
	DescriptionLength float64 `json:"description_length,omitempty"`

	// Curve has a point for every number of experts tried, if learning had to
	// determine that number.
	Curve []CurvePoint `json:"curve,omitempty"`
}

// CurvePoint describes the model of one number of experts that was tried.
type CurvePoint struct {
	Experts int `json:"experts"`

	// Stage says what made the model: one of the stages of the package that learned it.
	Stage string `json:"stage,omitempty"`

	Rows   int64   `json:"rows"`    // training images, weights counted
	LogLik float64 `json:"log_lik"` // of these, nats; divide by Rows

	// DescriptionLength is that of the training images, in nats (see
	// learn.DescriptionLength); 0 if learning does not minimise it.
	DescriptionLength float64 `json:"description_length,omitempty"`

	// HiddenLoss is the mean of -log P(bit), in nats, over HiddenBits bits that were
	// hidden from the model in rows that were not used for learning. Without such
	// bits both are 0.
	HiddenBits int64   `json:"hidden_bits,omitempty"`
	HiddenLoss float64 `json:"hidden_loss,omitempty"`

	Chosen bool `json:"chosen,omitempty"`
}
