package learn

import (
	"fmt"

	"example.com/patchwork"

	"example.com/patchwork/internal/enum"
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
func (m Mode) String() string { return enum.Name("Mode", modeNames, uint8(m)) }

// ParseMode is the inverse of String.
func ParseMode(name string) (Mode, error) { return enum.Parse[Mode]("a mode", modeNames, name) }

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
func (m Method) String() string { return enum.Name("Method", methodNames, uint8(m)) }

// ParseMethod is the inverse of String.
func ParseMethod(name string) (Method, error) {
	return enum.Parse[Method]("a method", methodNames, name)
}

// batchInk is the recommended prior under Max: a background must be allowed
// to be white, or entries that nobody owned return to 1/2 and become the
// maximum (findings, section 3). While few images stand behind an entry, in
// online learning, it is onlineInk.
var batchInk, onlineInk = patchwork.Prior{On: 0.05, Off: 1}, patchwork.Prior{On: 0.1, Off: 1}

// Beginning is where a start of Both begins.
type Beginning uint8

const (
	// BeginBoth begins every fourth start, from the first, with an order of
	// the images, the others with splits. The default for experts that move
	// under Max.
	BeginBoth Beginning = iota
	// BeginOrders is online learning with sequential initialisation
	// (section 4.1), in another order of the images each time.
	BeginOrders
	// BeginSplits cuts the ink of one image into elongated pieces
	// (SplitModel), of another image each time.
	BeginSplits
)

var beginningNames = []string{"both", "orders", "splits"}

// String is the name used in flags: "both", "orders", "splits".
func (b Beginning) String() string { return enum.Name("Beginning", beginningNames, uint8(b)) }

// ParseBeginning is the inverse of String.
func ParseBeginning(name string) (Beginning, error) {
	return enum.Parse[Beginning]("what starts begin with", beginningNames, name)
}

// DefaultConfig is the recommended configuration of a model to learn, or the
// paper's, for images of height x width under the given poses.
func DefaultConfig(mode Mode, rule patchwork.Rule, height, width int, poses pose.Grid) patchwork.Config {
	c := patchwork.Config{Rule: rule, Height: height, Width: width, Poses: poses, Q: rule.Abstention(), Prior: patchwork.Prior{On: 1, Off: 1}}
	if rule == patchwork.MaxMinusMin {
		c.Outside = patchwork.Unknown
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

	// Starts is how many times to begin anew; Learn says which is chosen. 0
	// means 8 (orders of the images, splits, or 2 and 6 where Begin is
	// BeginBoth), 5 random ones, or 1 in ModePaper. The first order is that of
	// the data.
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

// WithDefaults is the options as Learn understands them for a model of the
// given configuration: what is zero is replaced by its default.

func (o LearnOptions) WithDefaults(c patchwork.Config) LearnOptions {
	if o.Method == MethodDefault {
		switch {
		case c.Rule == patchwork.MaxMinusMin && c.Poses.Len() == 1:
			o.Method = BatchLearning
		case o.Mode == ModePaper:
			o.Method = OnlineLearning
		default:
			o.Method = Both
		}
	}
	if o.Mode == ModePaper || o.Method != Both || c.Rule != patchwork.Max || c.Poses.Len() == 1 {
		o.Begin = BeginOrders
	}
	if o.Starts == 0 {
		switch {
		case o.Mode == ModePaper:
			o.Starts = 1
		case o.Method == BatchLearning:
			o.Starts = 5
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
