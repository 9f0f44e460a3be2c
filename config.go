// Package patchwork explains binary images and table rows by a few parts, and
// counts what learning needs. It is the method of Goessling and Amit, "Compact
// Compositional Models", 2015. What a model is, how one image is explained and
// what is counted is here; package learn learns models from images, package table
// from tables.
//
// # Words
//
//   - Part, in the code expert: one of the K things that images are made of, such
//     as a stroke. The paper says expert, users read part.
//   - Template: the numbers of an expert, for each pixel of its frame the
//     probability that the pixel is on (ink).
//   - Opinion: the entry of a template that lies on a pixel of the image, once the
//     expert is placed there.
//   - Abstention, q: the opinion that changes nothing, and what a pixel is where no
//     expert votes (Config.Q).
//   - Vote: an opinion other than q; under the max rule one above q.
//   - Composition rule: joins the opinions on a pixel into one probability ([Rule]).
//   - Pose: the rotation and shift at which an expert stands.
//   - Pick: an expert and its pose in an image ([Pick]).
//   - Explanation: the picks of an image and what they gain ([Explanation]).
//   - Pursuit: likelihood matching pursuit, the search for the picks ([Pursuit]).
//   - Nat: the unit of log-likelihoods, natural logarithms; 0.69 nats are one bit.
//   - Tally: counts, as integers, of how often each expert spoke for each of its
//     pixels and how often that pixel was on ([Tally], [Counts]).
//   - E-step: explain all images and count ([EStep]). M-step: read the next model
//     off the counts ([Tally.MStep]).
//   - Responsibility: who speaks for a pixel, the experts of the largest and of the
//     smallest opinion (Max and Min of a [Composition]; k* and l* in the paper).
//   - Record: how a model was learned ([Record]); a model file (package modelfile)
//     holds it with the templates.
//   - Scene: an image larger than the frame, with experts anywhere (Config.Scene).
//
// # First calls
//
// [NewConfig] says which models are meant, learn.Learn learns one from the images
// of a [Source] ([Data] holds them in memory), and [Model.Explain] explains an
// image. [Model.LogLik] judges and [Model.Sample] draws one. [NewModel] makes a
// model of given templates; a [Pursuit] explains with other settings, or many
// images together ([Pursuit.ExplainAll]).
//
// # To read the code
//
// In this order: config.go, model.go, explanation.go, options.go, pursuit.go, search.go,
// tally.go, data.go, estep.go. Then learn/paper.go, sections 3 to 4.1
// of the paper in the form of their formulas; the tests compare what runs with it.
//
// # From the paper to the code
//
//   - Section 2, the Bernoulli model of an image: [LogLik]. The rules gamma:
//     [Model.Compose]; all seven, as functions of opinions: package rule.
//   - Section 3, likelihood matching pursuit: [Pursuit.Explain] with
//     PursuitOptions.Paper; by default sweeps follow that improve the picks.
//     Truncated templates: [ScoringTruncated].
//   - Section 4, transformations Phi_t: package pose. E-step:
//     [EStep]. M-step: eq. (1) is learn.EquationOne; the default is the guarded
//     step, [Tally.MStep].
//   - Section 4.1, online learning and sequential initialisation: learn.MethodOnline.
//   - Section 4.2, the Gaussian of the poses: [FitGeometry], [Model.SamplePicks].
package patchwork

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/pose"
)

// Rule is the composition rule of a model: how the opinions of the experts that
// explain an image become one probability per pixel. There are the seven of the paper
// (section 2), by the names that String returns and UnmarshalText reads: "max",
// "max-minus-min", "noisy-or", "sum-of-odds", "mean", "sum-of-log-odds" and
// "normalized-sum".
//
// RuleMax and RuleMaxMinusMin are one fold: start with hi = lo = q; for each opinion p
// set hi = max(hi, p), and for RuleMaxMinusMin lo = min(lo, p); the composition is
// hi + lo - q. The other five are for experts that stay where they are. Under every
// rule an opinion is what the pixel's probability is if this expert alone is active, and
// one that equals q abstains; package rule has the rules as functions of the paper's
// opinions, which are these if q is the paper's (0 or 1/2).
type Rule uint8

const (
	// RuleMax composes to the largest opinion: experts turn pixels on against a
	// background q, and only votes above q count (section 2.1.3 of the paper,
	// with q = 0).
	RuleMax Rule = iota
	// RuleMaxMinusMin composes to q + (max-q)+ - (min-q)-: experts vote for on or
	// off, and equal and opposite votes cancel to q (section 2.2.4 of the paper).
	RuleMaxMinusMin
)

// String returns the name used in files and flags, such as "max" or "noisy-or".
func (r Rule) String() string { return enum.Name("Rule", joint.Names, uint8(r)) }

// UnmarshalText reads what String returns. The error lists the names there are.
func (r *Rule) UnmarshalText(text []byte) (err error) {
	*r, err = enum.Parse[Rule]("a rule", joint.Names, string(text))
	return err
}

// TwoSided reports whether experts may vote for off as well as for on.
func (r Rule) TwoSided() bool { return joint.Rule(r).TwoSided() }

// fold reports whether the rule keeps the strongest opinions only.
func (r Rule) fold() bool { return joint.Rule(r).Fold() }

// Prior is the Beta(On, Off) prior of a template probability, in pseudo-counts.
// The paper's is Beta(1, 1) (epsilon = 1).
type Prior struct{ On, Off float64 }

// resolved returns p, or Beta(1, 1) for the zero Prior.
func (p Prior) resolved() Prior {
	if p == (Prior{}) {
		return Prior{1, 1}
	}
	return p
}

// mean returns the posterior mean of a Bernoulli probability under the prior
// Beta(a, b), given seen observations, on of them on: (on + a) / (seen + a + b),
// which is eq. (1) of the paper with a = b = epsilon. The prior must be resolved.
func (p Prior) mean(on, seen int64) float64 {
	return (float64(on) + p.On) / (float64(seen) + p.On + p.Off)
}

// Config describes a model except for its experts, and holds the Defaults of its
// search and learning. NewConfig returns the recommended one.
type Config struct {
	Rule Rule

	// Height and Width of the experts' frame in pixels; a table has Height 1.
	Height, Width int

	// Q is the abstention value, 0 <= Q <= 1: the probability of a pixel where no
	// expert votes, and the opinion that changes nothing. QMap, if not nil,
	// replaces Q by one value per pixel (Height*Width, row-major); it requires
	// images of the frame's size (no Scene).
	Q    float64
	QMap []float64

	// Poses are the placements the pursuit may use. The zero Grid leaves
	// every expert where it was learned (tables).
	Poses pose.Grid

	// Scene means that images may be larger than the frame and an expert may be
	// placed wherever it fits completely. The rotations of Poses then apply, its
	// shifts do not.
	Scene bool

	// ImageHeight and ImageWidth, in pixels, are the size of the images of a Scene
	// model that has to choose one: of those it samples, and of most it was learned
	// from. 0 means the frame's. The Config of a Model has the size itself, never 0.
	ImageHeight, ImageWidth int

	// Overhang is how many pixels the frame may reach beyond the border of a Scene, so
	// that parts smaller than the frame can lie at the border; 0 or more.
	Overhang int

	// Reuse is the number of picks an expert may have in one image; 0 means 1.
	Reuse int

	// ZeroQ permits RuleMaxMinusMin with Q = 0, which is otherwise an error because it
	// equals the max rule.
	ZeroQ bool

	Defaults
}

// Defaults are the settings for searching with a model and for learning it that
// apply unless others are given. A model file stores them, but they are not part of
// the model itself.
type Defaults struct {
	// Truncate means that the pursuit searches with truncated templates (section 3
	// of the paper). It requires RuleMax.
	Truncate bool

	// UnknownOutside means that pixels beyond the border of an image are unknown
	// (crops of larger scenes). Otherwise they are off, and learning counts them
	// as such (letters on paper).
	UnknownOutside bool

	// Prior of the template probabilities. Learning (packages learn and table)
	// replaces the zero Prior by the recommended one; everywhere else the zero
	// Prior means Beta(1, 1), the paper's.
	Prior Prior
}

// clone returns a deep copy.
func (c Config) clone() Config {
	c.QMap = slices.Clone(c.QMap)
	c.Poses.Angles, c.Poses.Stretches = slices.Clone(c.Poses.Angles), slices.Clone(c.Poses.Stretches)
	for i := range c.Poses.Stretches {
		c.Poses.Stretches[i] = c.Poses.Turn(i).Stretch // as poses have it, with 0 for 1
	}
	return c
}

// resolved returns a deep copy with the size of images itself, in place of 0.
func (c Config) resolved() Config {
	c = c.clone()
	c.ImageHeight, c.ImageWidth = cmp.Or(c.ImageHeight, c.Height), cmp.Or(c.ImageWidth, c.Width)
	return c
}

// validateImages returns an error if the parts do not fit in the images.
func (c *Config) validateImages() error {
	r := c.resolved()
	switch {
	case !c.Scene && (r.ImageHeight != c.Height || r.ImageWidth != c.Width):
		return fmt.Errorf("patchwork: images of %d x %d pixels are not of the size of the parts, %d x %d, and only a scene "+
			"may be larger",
			r.ImageHeight, r.ImageWidth, c.Height, c.Width)
	case r.ImageHeight < c.Height || r.ImageWidth < c.Width:
		return fmt.Errorf("patchwork: images of %d x %d pixels are smaller than their parts, %d x %d", r.ImageHeight,
			r.ImageWidth, c.Height, c.Width)
	case r.ImageHeight > bitmap.MaxPixels/r.ImageWidth:
		return fmt.Errorf("patchwork: an image of %d x %d pixels is larger than %d pixels", r.ImageHeight, r.ImageWidth,
			bitmap.MaxPixels)
	}
	return nil
}

// validate returns an error that names the first setting that is out of range.
func (c Config) validate() error {
	switch {
	case int(c.Rule) >= len(joint.Names):
		return fmt.Errorf("patchwork: unknown rule %v", c.Rule)
	case !c.Rule.fold() && (c.moves() || c.Reuse > 1):
		return fmt.Errorf("patchwork: under the rule %v parts stay where they are: no shifts, no rotations, no scenes, "+
			"each part once; parts move under max and max-minus-min", c.Rule)
	case c.Height < 1 || c.Width < 1:
		return fmt.Errorf("patchwork: a frame of %d x %d pixels is empty", c.Height, c.Width)
	case c.Height > bitmap.MaxPixels/c.Width:
		return fmt.Errorf("patchwork: a frame of %d x %d pixels is larger than %d pixels", c.Height, c.Width,
			bitmap.MaxPixels)
	case !(c.Q >= 0 && c.Q <= 1):
		return fmt.Errorf("patchwork: abstention value q = %v is not a probability", c.Q)
	case c.Rule == RuleMaxMinusMin && c.Q == 0 && c.QMap == nil && !c.ZeroQ:
		return fmt.Errorf("patchwork: max-minus-min with q = 0 is the max rule; NewConfig sets q = 1/2, or set ZeroQ if " +
			"0 is meant")
	case c.QMap != nil && len(c.QMap) != c.Height*c.Width:
		return fmt.Errorf("patchwork: %d abstention values for a frame of %d x %d", len(c.QMap), c.Height, c.Width)
	case c.QMap != nil && c.Scene:
		return fmt.Errorf("patchwork: an abstention value per pixel needs images of the frame's size, not scenes")
	case c.Overhang < 0 || c.Overhang > pose.MaxShift || c.Overhang > 0 && !c.Scene:
		return fmt.Errorf("patchwork: an overhang of %d pixels; give 0 or more, and more only for a scene", c.Overhang)
	case c.Truncate && c.Rule != RuleMax:
		return fmt.Errorf("patchwork: truncated templates belong to the max rule, not to %v", c.Rule)
	case c.Reuse < 0:
		return fmt.Errorf("patchwork: a part cannot be used %d times", c.Reuse)
	case c.Prior.On < 0 || c.Prior.Off < 0 || math.IsNaN(c.Prior.On+c.Prior.Off) || math.IsInf(c.Prior.On+c.Prior.Off, 0):
		return fmt.Errorf("patchwork: Beta(%v, %v) is not a prior", c.Prior.On, c.Prior.Off)
	}
	for i, q := range c.QMap {
		if !(q >= 0 && q <= 1) {
			return fmt.Errorf("patchwork: abstention value of row %d, column %d is %v, not a probability", i/c.Width+1,
				i%c.Width+1, q)
		}
	}
	if err := c.validateImages(); err != nil {
		return err
	}
	return c.Poses.Validate()
}

// abstention returns the opinion that changes nothing at pixel i (row-major) of
// the image: QMap[i], or Q where there is no map.
func (c *Config) abstention(i int) float64 {
	if c.QMap != nil {
		return c.QMap[i]
	}
	return c.Q
}

// moves reports whether an expert can be in more than one place: the grid has
// several poses, or the images are scenes.
func (c *Config) moves() bool { return c.Scene || c.Poses.Len() > 1 }

// reuse returns the number of picks an expert may have in one image.
func (c *Config) reuse() int { return max(c.Reuse, 1) }

// SizeError is the error for an image whose size the model cannot explain.
type SizeError struct {
	Height, Width           int  // of the image
	ModelHeight, ModelWidth int  // of the experts' frame
	Scene                   bool // the model also explains larger images
}

// Error implements the error interface.
func (e *SizeError) Error() string {
	if e.Scene {
		return fmt.Sprintf("image of %d x %d is smaller than the model's %d x %d parts",
			e.Height, e.Width, e.ModelHeight, e.ModelWidth)
	}
	return fmt.Sprintf("image of %d x %d, the model explains images of %d x %d",
		e.Height, e.Width, e.ModelHeight, e.ModelWidth)
}
