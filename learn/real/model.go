package real

import (
	"encoding/json"
	"fmt"
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
)

// Vote says what an expert has an opinion about, at one pixel.
type Vote uint8

const (
	Abstains   Vote = iota // says nothing
	MeanOnly               // says a mean, with the variance of the background
	MeanAndVar             // says a mean and a variance
)

// Entry is what an expert says about one pixel of its frame. Mean and variance of abstaining
// entries, and the variance of entries that say a mean only, mean nothing.
type Entry struct {
	Vote Vote
	Normal
}

// Scale is how the values of a pixel are measured.
type Scale struct {
	// Step is the distance of neighbouring values, > 0: a value is Origin + Step * an integer.
	Step, Origin float64
	// Floor is the least variance that is believed.
	Floor float64
}

// Model is a background and experts. Fields must not be changed once it is in use; then it is
// safe for concurrent use.
type Model struct {
	Height, Width           int // of images, in pixels
	FrameHeight, FrameWidth int // of experts; 0 means that of images
	Background              []Normal
	Experts                 [][]Entry // K frames, row-major
	// Pi is how often an expert is active, 0 < Pi < 1; nil means 1/2 for all.
	Pi    []float64
	Rule  Rule
	Tau   float64 // temperature of Soft; 0 means DefaultTau
	Poses pose.Grid
	Reuse int // how often an expert may be picked in one image; 0 means once
	// Scales are those of the pixels; nil if they are not known.
	Scales []Scale
	Names  []string // of experts; nil if there are none
	// Committee are models of images of the same size whose predictions of unknown values are averaged with
	// those of this one, by [Pursuit.Together]; they have no committee of their own. Nil for none.
	Committee []*Model
	Record    Record
	// Reading says, as a JSON object, how the data were read; package dataset writes and understands it.
	Reading json.RawMessage
}

// Record says how a model was learned; zero where it was not.
type Record struct {
	Rows    int    `json:"rows"`
	Sample  int    `json:"sample,omitempty"` // rows of a stream that parts were learned from, before all shaped them
	Seed    uint64 `json:"seed"`
	Predict bool   `json:"predict,omitempty"` // as in the Options
	// LogLik is the sum of the joint log-likelihoods, DescriptionLength that of the
	// model kept, Starts those of all starts, in nats.
	LogLik            float64   `json:"log_lik"`
	DescriptionLength float64   `json:"description_length"`
	Starts            []float64 `json:"starts,omitempty"`
	Interrupted       bool      `json:"interrupted,omitempty"` // learning was ended before it was done
}

// Check returns an error that says what is wrong with the model, or nil.
func (m *Model) Check() error {
	if m.Height < 1 || m.Width < 1 || m.Height > 1<<20 || m.Width > (1<<31-1)/m.Height {
		return fmt.Errorf("real: images of %d x %d pixels", m.Height, m.Width)
	}
	if m.FrameHeight < 0 || m.FrameWidth < 0 || (m.FrameHeight == 0) != (m.FrameWidth == 0) {
		return fmt.Errorf("real: parts of %d x %d pixels", m.FrameHeight, m.FrameWidth)
	}
	if int(m.Rule) >= len(ruleNames) || !(m.Tau >= 0) || math.IsInf(m.Tau, 0) {
		return fmt.Errorf("real: rule %v at temperature %v", m.Rule, m.Tau)
	}
	if err := m.Poses.Validate(); err != nil {
		return err
	}
	if n := len(m.Experts); n > 0 && m.Poses.Len() > pose.MaxCandidates/n {
		return fmt.Errorf("real: %d parts at %d places are more than %d candidates", n, m.Poses.Len(), pose.MaxCandidates)
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"background values", len(m.Background), m.D()},
		{"activation probabilities", len(m.Pi), len(m.Experts)},
		{"scales", len(m.Scales), m.D()},
		{"names of parts", len(m.Names), len(m.Experts)},
	} {
		if c.got != c.want && !(c.got == 0 && c.what != "background values") {
			return fmt.Errorf("real: %d %s, %d expected", c.got, c.what, c.want)
		}
	}
	if err := m.checkCommittee(); err != nil {
		return err
	}
	return m.checkValues()
}

// checkValues returns an error that names a value that is invalid, or nil.
func (m *Model) checkValues() error {
	for d, b := range m.Background {
		if !valid(b) {
			return fmt.Errorf("real: background of row %d, column %d has mean %v and variance %v", d/m.Width+1, d%m.Width+1,
				b.Mean, b.Var)
		}
		if m.Moves() && b != m.Background[0] {
			return fmt.Errorf("real: the background differs between pixels 1 and %d; where parts move it must be one for all",
				d+1)
		}
	}
	_, w := m.Frame()
	for k, e := range m.Experts {
		if len(e) != m.F() {
			return fmt.Errorf("real: part %d has %d values, a frame has %d", k+1, len(e), m.F())
		}
		for d, o := range e {
			n := o.Normal
			if o.Vote == MeanOnly {
				n.Var = 1
			}
			if o.Vote > MeanAndVar || o.Vote != Abstains && !valid(n) {
				return fmt.Errorf("real: part %d, row %d, column %d votes %d with mean %v and variance %v", k+1, d/w+1, d%w+1, o.Vote,
					o.Mean, o.Var)
			}
		}
	}
	for k, p := range m.Pi {
		if !(p > 0 && p < 1) {
			return fmt.Errorf("real: part %d is active with probability %v", k+1, p)
		}
	}
	for d, s := range m.Scales {
		if !(s.Step > 0) || !(s.Floor >= 0) || math.IsInf(s.Step+s.Floor+s.Origin, 0) || math.IsNaN(s.Origin) {
			return fmt.Errorf("real: column %d has step %v, origin %v, floor %v", d+1, s.Step, s.Origin, s.Floor)
		}
	}
	return nil
}

// valid reports whether a mean is finite and a variance finite and > 0.
func valid(n Normal) bool {
	return !math.IsNaN(n.Mean) && !math.IsInf(n.Mean, 0) && n.Var > 0 && !math.IsInf(n.Var, 0)
}

// D returns the number of pixels of an image.
func (m *Model) D() int { return m.Height * m.Width }

// F returns the number of pixels of a frame.
func (m *Model) F() int { h, w := m.Frame(); return h * w }

// Frame returns height and width of the frame of experts.
func (m *Model) Frame() (h, w int) {
	if m.FrameHeight == 0 {
		return m.Height, m.Width
	}
	return m.FrameHeight, m.FrameWidth
}

// Moves reports whether experts have more than one place.
func (m *Model) Moves() bool { return m.Poses.Len() > 1 }

// K returns the number of experts.
func (m *Model) K() int { return len(m.Experts) }

// pi returns how often expert k is active.
func (m *Model) pi(k int) float64 {
	if m.Pi == nil {
		return 0.5
	}
	return m.Pi[k]
}

// Price returns what a pick of expert k must gain, in nats: the logarithm of the odds against it, at
// least 0, and of the number of its places.
func (m *Model) Price(k int) float64 {
	p := m.pi(k)
	return max(0, elem.Log((1-p)/p)) + elem.Log(float64(m.Poses.Len()))
}

// Pick is an expert at a place.
type Pick struct {
	Expert int
	Pose   pose.Pose
}

// LogPrior returns the logarithm of the probability of a set of picks.
func (m *Model) LogPrior(picks []Pick) float64 {
	sum := 0.0
	for k := range m.Experts {
		sum += elem.Log1p(-m.pi(k))
	}
	for _, p := range picks {
		pi := m.pi(p.Expert)
		sum += elem.Log(pi/(1-pi)) - elem.Log(float64(m.Poses.Len()))
	}
	return sum
}

// Votes returns how many entries do not abstain, and how many of them have a variance of their own.
func (m *Model) Votes() (votes, variances int) {
	for _, e := range m.Experts {
		for _, o := range e {
			if o.Vote != Abstains {
				votes++
			}
			if o.Vote == MeanAndVar {
				variances++
			}
		}
	}
	return votes, variances
}
