package patchwork

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// Prior is the Beta(On, Off) prior of a template probability, in pseudo-counts.
// The paper's is Beta(1, 1) (epsilon = 1).
type Prior struct{ On, Off float64 }

// Resolved returns p, or Beta(1, 1) for the zero Prior.
func (p Prior) Resolved() Prior {
	if p == (Prior{}) {
		return Prior{1, 1}
	}
	return p
}

// Config says what kind of model it is: everything but the experts.
type Config struct {
	Rule Rule

	// Height and Width of the experts' frame in pixels; a table has Height 1.
	Height, Width int

	// Q is the abstention value, 0 <= Q <= 1: what a pixel is where no expert
	// votes, and the opinion that changes nothing. QMap, if not nil, holds one
	// value a pixel (Height*Width, row-major) and replaces Q; it needs images
	// of the frame's size (no Scene).
	Q    float64
	QMap []float64

	// Poses are the placements the pursuit may use. The zero Grid leaves
	// every expert where it was learned (tables).
	Poses pose.Grid

	// Scene: images may be larger than the frame, and an expert may be placed
	// anywhere it fits completely; the shifts of Poses are then ignored, its
	// rotations are not.
	Scene bool

	// Reuse is how many picks an expert may have in one image; 0 means 1.
	Reuse int

	// Truncate: the pursuit searches with truncated templates (section 3)
	// unless told otherwise. Only with Max.
	Truncate bool

	// Outside says what lies beyond the border of an image, for learning.
	Outside Outside

	// Prior of the template probabilities, for learning. The zero Prior means
	// Beta(1, 1), the paper's.
	Prior Prior
}

// NewConfig returns the recommended configuration of a model to learn, for images
// of height x width under the given poses. For Max the background is 0.01: 0
// would make stray ink impossible, and learned entries below it are no votes,
// which keeps experts sparse; with poses the pursuit searches with truncated
// templates. For MaxMinusMin it is 1/2, and nothing is known beyond the border.
func NewConfig(rule Rule, height, width int, poses pose.Grid) Config {
	c := Config{Rule: rule, Height: height, Width: width, Poses: poses, Q: rule.Abstention()}
	if rule == MaxMinusMin {
		c.Outside = Unknown
		return c
	}
	c.Q, c.Truncate = 0.01, poses.Len() > 1
	return c
}

// Extras are the optional parts of a model.
type Extras struct {
	Counts   *Tally    // the counts the templates were read off, to go on learning
	Usage    []float64 // K: share of the training images in which expert k was active
	Geometry *Geometry // where the experts sit
	Record   Record
}

// Model is a set of experts and the rule that joins them. It is immutable and
// safe for concurrent use; scratch memory belongs to a Pursuit.
type Model struct {
	cfg     Config
	experts [][]float64
	extras  Extras
	turns   map[float64]turn // index maps of the grid's rotations but 0
}

// turn is the index maps of one rotation of the frame.
type turn struct{ there, back []int32 }

func newTurn(c *Config, angle float64) turn {
	return turn{pose.RotationMap(c.Height, c.Width, angle), pose.PullbackMap(c.Height, c.Width, angle)}
}

func newTurns(c *Config) map[float64]turn {
	turns := make(map[float64]turn)
	for _, a := range c.Poses.Angles {
		if a != 0 {
			turns[a] = newTurn(c, a)
		}
	}
	return turns
}

// turn is the index maps of a rotation by angle degrees, nil maps for none.
func (m *Model) turn(angle float64) turn {
	if angle == 0 {
		return turn{}
	}
	if t, ok := m.turns[angle]; ok {
		return t
	}
	return newTurn(&m.cfg, angle)
}

// NewModel checks and copies a configuration and K >= 1 templates, each
// Height*Width probabilities, row-major. The error names the expert, row and
// column of the first bad value.
func NewModel(cfg Config, templates [][]float64) (*Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if len(templates) == 0 {
		return nil, fmt.Errorf("patchwork: a model needs at least one expert")
	}
	m := &Model{cfg: cfg.clone()}
	for k, t := range templates {
		if len(t) != cfg.Height*cfg.Width {
			return nil, fmt.Errorf("patchwork: expert %d has %d values, a frame of %d x %d needs %d",
				k, len(t), cfg.Height, cfg.Width, cfg.Height*cfg.Width)
		}
		for i, p := range t {
			if !(p >= 0 && p <= 1) {
				return nil, fmt.Errorf("patchwork: expert %d, row %d, column %d is %v, not a probability",
					k, i/cfg.Width, i%cfg.Width, p)
			}
		}
		m.experts = append(m.experts, slices.Clone(t))
	}
	m.turns = newTurns(&cfg)
	return m, nil
}

func (c Config) clone() Config {
	c.QMap = slices.Clone(c.QMap)
	c.Poses.Angles = slices.Clone(c.Poses.Angles)
	return c
}

// Validate returns an error that says what in the configuration is out of range.
func (c Config) Validate() error {
	switch {
	case c.Rule != Max && c.Rule != MaxMinusMin:
		return fmt.Errorf("patchwork: unknown rule %v", c.Rule)
	case c.Outside > Unknown:
		return fmt.Errorf("patchwork: what lies outside an image is background or unknown, not %v", c.Outside)
	case c.Height < 1 || c.Width < 1:
		return fmt.Errorf("patchwork: a frame of %d x %d pixels is empty", c.Height, c.Width)
	case c.Height > bitmap.MaxPixels/c.Width:
		return fmt.Errorf("patchwork: a frame of %d x %d pixels is larger than %d pixels", c.Height, c.Width, bitmap.MaxPixels)
	case !(c.Q >= 0 && c.Q <= 1):
		return fmt.Errorf("patchwork: abstention value q = %v is not a probability", c.Q)
	case c.QMap != nil && len(c.QMap) != c.Height*c.Width:
		return fmt.Errorf("patchwork: %d abstention values for a frame of %d x %d", len(c.QMap), c.Height, c.Width)
	case c.QMap != nil && c.Scene:
		return fmt.Errorf("patchwork: an abstention value per pixel needs images of the frame's size, not scenes")
	case c.Truncate && c.Rule != Max:
		return fmt.Errorf("patchwork: truncated templates belong to the max rule, not to %v", c.Rule)
	case c.Reuse < 0:
		return fmt.Errorf("patchwork: an expert cannot be used %d times", c.Reuse)
	case c.Prior.On < 0 || c.Prior.Off < 0 || math.IsNaN(c.Prior.On+c.Prior.Off) || math.IsInf(c.Prior.On+c.Prior.Off, 0):
		return fmt.Errorf("patchwork: Beta(%v, %v) is not a prior", c.Prior.On, c.Prior.Off)
	}
	for i, q := range c.QMap {
		if !(q >= 0 && q <= 1) {
			return fmt.Errorf("patchwork: abstention value of row %d, column %d is %v, not a probability", i/c.Width, i%c.Width, q)
		}
	}
	return c.Poses.Validate()
}

// Config returns a copy of the model's configuration.
func (m *Model) Config() Config { return m.cfg.clone() }

// K is the number of experts.
func (m *Model) K() int { return len(m.experts) }

// Height of the experts' frame in pixels.
func (m *Model) Height() int { return m.cfg.Height }

// Width of the experts' frame in pixels.
func (m *Model) Width() int { return m.cfg.Width }

// Template is expert k's Height*Width probabilities, row-major. It is a view:
// the caller must not change it. It panics unless 0 <= k < K.
func (m *Model) Template(k int) []float64 { return m.experts[k] }

// Templates is a deep copy of all templates.
func (m *Model) Templates() [][]float64 {
	out := make([][]float64, len(m.experts))
	for k, t := range m.experts {
		out[k] = slices.Clone(t)
	}
	return out
}

// Votes returns the number of entries of expert k that are farther than within
// from the abstention value.
func (m *Model) Votes(k int, within float64) int {
	n := 0
	for i, p := range m.experts[k] {
		if math.Abs(p-m.cfg.Abstention(i)) > within*(1+1e-9) {
			n++
		}
	}
	return n
}

// Extras are the model's optional parts; what they point to must not be changed.
func (m *Model) Extras() Extras { return m.extras }

// WithExtras is the same model with other optional parts. The error says
// which part does not fit the model.
func (m *Model) WithExtras(e Extras) (*Model, error) {
	n := m.K() * m.Height() * m.Width()
	if e.Counts != nil && (len(e.Counts.counts.On) != n || len(e.Counts.active) != m.K()) {
		return nil, fmt.Errorf("patchwork: %d counts of %d experts do not fit %d experts of %d x %d pixels",
			len(e.Counts.counts.On), len(e.Counts.active), m.K(), m.Height(), m.Width())
	}
	if e.Usage != nil && len(e.Usage) != m.K() {
		return nil, fmt.Errorf("patchwork: usage of %d experts, the model has %d", len(e.Usage), m.K())
	}
	for k, u := range e.Usage {
		if !(u >= 0) || math.IsInf(u, 0) {
			return nil, fmt.Errorf("patchwork: usage of expert %d is %v", k, u)
		}
	}
	if e.Geometry != nil && e.Geometry.Normal.Dim() != 3*m.K() {
		return nil, fmt.Errorf("patchwork: geometry over %d numbers, %d experts have %d", e.Geometry.Normal.Dim(), m.K(), 3*m.K())
	}
	c := *m
	c.extras = e
	return &c, nil
}

// WithTemplates returns a model of the same configuration with other experts and
// optional parts. It keeps the templates, which the caller must not change
// afterwards, and trusts them to be probabilities; it panics if one has not
// Height*Width values, or an extra does not fit them.
func (m *Model) WithTemplates(templates [][]float64, extras Extras) *Model {
	for k, t := range templates {
		if len(t) != m.cfg.Height*m.cfg.Width {
			panic(fmt.Sprintf("patchwork: expert %d has %d values, a frame of %d x %d needs %d",
				k, len(t), m.cfg.Height, m.cfg.Width, m.cfg.Height*m.cfg.Width))
		}
	}
	out, err := (&Model{cfg: m.cfg, experts: templates, turns: m.turns}).WithExtras(extras)
	if err != nil {
		panic(err)
	}
	return out
}

// WithConfig is the same experts under another configuration of the same
// frame: other poses, say, or another scoring default.
func (m *Model) WithConfig(cfg Config) (*Model, error) {
	if cfg.Height != m.cfg.Height || cfg.Width != m.cfg.Width {
		return nil, fmt.Errorf("patchwork: experts of %d x %d cannot take a frame of %d x %d",
			m.cfg.Height, m.cfg.Width, cfg.Height, cfg.Width)
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := *m
	c.cfg, c.turns = cfg.clone(), newTurns(&cfg)
	return &c, nil
}

// Abstention returns the opinion that changes nothing at pixel i (row-major) of
// the image.
func (m *Model) Abstention(i int) float64 { return m.cfg.Abstention(i) }

// Abstention returns the opinion that changes nothing at pixel i (row-major) of
// the image: QMap[i], or Q where there is no map.
func (c *Config) Abstention(i int) float64 {
	if c.QMap != nil {
		return c.QMap[i]
	}
	return c.Q
}

// reuse is the number of picks an expert may have in one image.
func (c *Config) reuse() int { return max(c.Reuse, 1) }

// SizeError reports an image whose size the model cannot explain.
type SizeError struct {
	Height, Width           int  // of the image
	ModelHeight, ModelWidth int  // of the experts' frame
	Scene                   bool // larger images would have been fine
}

func (e *SizeError) Error() string {
	if e.Scene {
		return fmt.Sprintf("image of %d x %d is smaller than the model's %d x %d experts",
			e.Height, e.Width, e.ModelHeight, e.ModelWidth)
	}
	return fmt.Sprintf("image of %d x %d, the model explains images of %d x %d",
		e.Height, e.Width, e.ModelHeight, e.ModelWidth)
}

// GridFor is the grid of poses the pursuit searches in an image of the given
// size: the model's own, or every full placement for a Scene model. The error
// is a *SizeError, or says that the grid has more than MaxCandidates.
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
		g.DY = pose.Range{Min: 0, Max: height - c.Height, Step: 1}
		g.DX = pose.Range{Min: 0, Max: width - c.Width, Step: 1}
	}
	if n := g.Len(); n > MaxCandidates/m.K() {
		return pose.Grid{}, fmt.Errorf("patchwork: %d experts in %d poses are more than %d candidates; shift or rotate less, or in larger steps",
			m.K(), n, MaxCandidates)
	}
	return g, nil
}

// MaxCandidates bounds the candidates, experts x poses, of one pursuit, which
// keeps a number for each: a guard against absurd grids, far above any use.
const MaxCandidates = 1 << 26
