package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn/strokes"
)

// Method says how a start is learned.
type Method uint8

const (
	// MethodAuto is MethodStrokes where experts move (a grid of poses), once in an
	// image each, and only write (Max) on one background above 0, MethodBoth for other experts that move
	// or only write, and MethodBatch for max-minus-min without poses. With
	// Options.Paper it is MethodOnline for Max.
	MethodAuto Method = iota
	// MethodOnline is one pass with sequential initialisation (section 4.1).
	MethodOnline
	// MethodBatch is batch EM (section 4) from random templates.
	MethodBatch
	// MethodBoth is batch EM from the result of online learning or of a split.
	MethodBoth
	// MethodStrokes is EM whose M-step makes clean parts, each in one piece and
	// without ink of another: package learn/strokes. It is for experts that move
	// under Max, and holds the images in memory.
	MethodStrokes
)

var methodNames = []string{"default", "online", "batch", "both", "strokes"}

// String returns the name used in flags: "default", "online", "batch", "both",
// "strokes".
func (m Method) String() string { return enum.Name("Method", methodNames, uint8(m)) }

// ParseMethod returns the method of a name that String returns.
func ParseMethod(name string) (Method, error) {
	return enum.Parse[Method]("a method", methodNames, name)
}

// StartFrom says where a start of MethodBoth begins.
type StartFrom uint8

const (
	// StartFromBoth is StartFromOrders for one start in four, beginning with the
	// first, and StartFromSplits for the others: the default for experts that
	// move under Max.
	StartFromBoth StartFrom = iota
	// StartFromOrders is online learning with sequential initialisation
	// (section 4.1), in another order of the images each time.
	StartFromOrders
	// StartFromSplits cuts the ink of one image into elongated pieces, a different
	// image each time.
	StartFromSplits
	// StartFromPairs grows parts of what pairs of images have in common at some shift
	// (package pairs), for images that hold several parts each, anywhere: the number
	// and size of the parts are found, and the configuration becomes a Scene with
	// images of the frame's size. Under Max; of a stream they grow from the sample.
	StartFromPairs
)

var startFromNames = []string{"both", "orders", "splits", "pairs"}

// String returns the name used in flags: "both", "orders", "splits", "pairs".
func (b StartFrom) String() string { return enum.Name("StartFrom", startFromNames, uint8(b)) }

// ParseStartFrom returns the StartFrom of a name that String returns.
func ParseStartFrom(name string) (StartFrom, error) {
	return enum.Parse[StartFrom]("what starts begin with", startFromNames, name)
}

// Options are the settings of Run and Learn. The zero value is the recommended
// default.
type Options struct {
	// Experts is K. 0 means to determine it: from AtLeast to AtMost if these are
	// given (1 <= AtLeast <= AtMost), else from 1 to 8, until one more brings too little. Experts must move: package
	// table finds how many stay.
	Experts         int
	AtLeast, AtMost int

	// Paper follows the paper to the letter: eq. (1), the printed initialisation,
	// one start. Use it with PaperConfig. It recovers fewer of the experts.
	Paper bool

	Method Method

	// Starts is the number of starts; Run says which is chosen. 0 means 8 (2
	// orders of the images and 6 splits for StartFromBoth), 5 random ones for
	// MethodBatch, or 1 with Paper. The first order is that of the data.
	Starts int

	// StartFrom says where the starts of MethodBoth begin; under max-minus-min,
	// without poses and with Paper it is always StartFromOrders.
	StartFrom StartFrom

	// Continue, if not nil, is a model to continue from: the only start begins
	// with its experts, and none of them is moved. Experts, Starts and StartFrom
	// are then ignored.
	Continue *patchwork.Model `json:"-"`

	// Alphabet makes MethodStrokes learn parts that images of many kinds share, such as
	// the strokes of all letters; Alphabet is the configuration for it. Starts is then
	// 6 by default, and Iterations 4, twice. Experts must be given.
	Alphabet bool

	// From, if not nil, is an alphabet of which the starts of MethodStrokes are made:
	// each explains another image by its parts, which become the experts where they lie.
	// A start whose image has too few of them splits the image.
	From *patchwork.Model `json:"-"`

	// Straight, if above 0, makes MethodStrokes prefer straight parts: a bent one must
	// bring so many nats in every image (60: strokes as they are taught). 0 means that
	// parts may have any shape.
	Straight float64

	// Join makes MethodStrokes join those of its Experts that continue each other, hand hooks beyond a corner over, and cut
	// at corners. It is done without it where the number of experts is found out.
	Join bool

	// Iterations is the number of iterations of batch EM; 0 means 5 after online
	// learning, 25 from random templates and 9 for strokes. Over the images of a stream, after
	// its sample, 0 means 8.
	Iterations int

	// Sample is how many images of a stream, drawn at random, the starts are
	// learned from; 0 means 20,000. It does not concern data in memory.
	Sample int

	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.

	// Reading says how the initialisation of section 4.1 is read.
	Reading Reading

	// Memory, if not nil, keeps the result of every E-step, so that a run that was
	// interrupted can be repeated quickly. It must be of these images alone.
	Memory Memory `json:"-"`

	note   func(Step)      // called with every step; may be nil
	began  string          // what Continue was made from, for the record; "" for a model that was given
	start  int             // the number of the present start, or noStart
	online patchwork.Prior // of online learning
}

const (
	// MaxMoving is the largest number of experts tried if no range is given.
	MaxMoving = 8
	// MaxStarts is the largest number of starts, all of whose results are kept: a model file holds
	// somewhat more.
	MaxStarts = 20_000
)

const (
	defaultSample = 20000 // experts shown by fewer than one in a thousand images may be missing in it
)

// mode returns the name of the settings in a model's record.
func (o Options) mode() string {
	if o.Paper {
		return "paper"
	}
	return "default"
}

// noStart is the number of the start of a step that belongs to none.
const noStart = -1

// tell emits a step, with the number of its start.
func (o Options) tell(s Step) {
	if o.note != nil {
		if o.start != noStart {
			s.Start, s.Starts = o.start, o.Starts
		}
		if s.Model != nil {
			s.Experts = s.Model.K()
		}
		o.note(s)
	}
}

// onTheWay returns the options for a part of a run, whose steps are no candidates
// for the result.
func (o Options) onTheWay() Options {
	if note := o.note; note != nil {
		o.note = func(s Step) {
			if s.Stage == StageStart {
				s.Stage = StageEM
			}
			s.DescriptionLength, s.Best = 0, nil
			note(s)
		}
	}
	return o
}

// WithDefaults returns the options as Run uses them for a model of the given
// configuration: zero values are replaced by their defaults.
func (o Options) WithDefaults(c patchwork.Config) Options {
	if o.Method == MethodAuto {
		switch {
		case o.StartFrom == StartFromPairs && c.Rule == patchwork.RuleMax && !o.Paper:
			o.Method = MethodBoth
		case o.Alphabet || o.byStrokes(c):
			o.Method = MethodStrokes
		case c.Rule == patchwork.RuleMaxMinusMin && !rows.Moves(c), o.Paper && o.Continue != nil:
			o.Method = MethodBatch
		case o.Paper:
			o.Method = MethodOnline
		default:
			o.Method = MethodBoth
		}
	}
	if o.Method == MethodStrokes && o.StartFrom == StartFromBoth {
		o.StartFrom = StartFromSplits
	}
	if o.StartFrom != StartFromPairs && (o.Paper || o.Method != MethodBoth && o.Method != MethodStrokes ||
		c.Rule != patchwork.RuleMax || !rows.Moves(c)) {
		o.StartFrom = StartFromOrders
	}
	if o.Continue != nil {
		o.Starts = 1
	}
	if o.Alphabet {
		o.Starts, o.Iterations = cmp.Or(o.Starts, alphabetStarts), cmp.Or(o.Iterations, alphabetIterations)
	}
	if o.Starts == 0 {
		switch {
		case o.Paper:
			o.Starts = 1
		case o.Method == MethodBatch:
			o.Starts = 5
		case o.Method == MethodStrokes && o.Straight > 0:
			o.Starts = straightStarts
		default:
			o.Starts = 8
		}
	}
	if o.Iterations == 0 {
		switch o.Method {
		case MethodStrokes:
			o.Iterations = strokeRounds
		case MethodBoth:
			o.Iterations = 5
		default:
			o.Iterations = 25
		}
	}
	if o.Sample == 0 {
		o.Sample = defaultSample
	}
	if o.Experts == 0 && o.AtLeast == 0 && o.AtMost == 0 {
		o.AtLeast, o.AtMost = 1, MaxMoving
	}
	o.Workers = max(o.Workers, 1)
	return o
}

// finding reports whether the number of experts is to be determined.
func (o Options) finding() bool { return o.Experts == 0 && o.Continue == nil }

func (o Options) validate(c patchwork.Config) error {
	switch {
	case c.Rule != patchwork.RuleMax && c.Rule != patchwork.RuleMaxMinusMin:
		return fmt.Errorf("patchwork: this way of learning knows the rules max and max-minus-min; tables are learned under "+
			"%v by package table", c.Rule)
	case o.Experts < 0:
		return fmt.Errorf("patchwork: cannot learn %d parts; give 1 or more, or 0 to find out how many", o.Experts)
	case o.finding() && (o.AtLeast != 0 || o.AtMost != 0) && (o.AtLeast < 1 || o.AtMost < o.AtLeast):
		return fmt.Errorf("patchwork: from %d to %d parts is no range", o.AtLeast, o.AtMost)
	case o.Starts > MaxStarts:
		return fmt.Errorf("patchwork: %d starts are more than can be kept (%d); 8 is usual", o.Starts, MaxStarts)
	case o.Starts < 0 || o.Iterations < 0 || o.Sample < 0:
		return fmt.Errorf("patchwork: %d starts of %d iterations, from a sample of %d images", o.Starts, o.Iterations,
			o.Sample)
	case int(o.Method) >= len(methodNames) || int(o.StartFrom) >= len(startFromNames):
		return fmt.Errorf("patchwork: unknown method or start (%v, %v)", o.Method, o.StartFrom)
	case !(o.Straight >= 0) || math.IsInf(o.Straight, 0):
		return fmt.Errorf("patchwork: a price of %v nats for a bent part is not a number from 0 up", o.Straight)
	case o.Straight > 0 && o.Method != MethodStrokes:
		return fmt.Errorf("patchwork: straight parts are preferred by the method strokes, not by %v", o.Method)
	case o.Alphabet:
		return errors.Join(o.checkAlphabet(), o.validateStrokes(c), o.checkFrom(c))
	case o.Method == MethodStrokes:
		return errors.Join(o.validateStrokes(c), o.checkFrom(c))
	case o.From != nil:
		return o.checkFrom(c)
	case o.Paper && o.finding():
		return fmt.Errorf("patchwork: the paper's learning needs the number of parts; say how many")
	case o.finding() && o.StartFrom != StartFromPairs && !rows.Moves(c):
		return errors.New("patchwork: this way of learning finds the number of parts that move; say how many stay, or " +
			"learn them by package table")
	case o.Continue != nil && o.Method == MethodOnline:
		return fmt.Errorf("patchwork: online learning begins with an image, not with a model; continue with batch EM")
	case o.Continue != nil && (o.Continue.Height() != c.Height || o.Continue.Width() != c.Width):
		return o.continueSize(c)
	}
	return nil
}

// validateStrokes returns an error if strokes cannot be learned with the options.
func (o Options) validateStrokes(c patchwork.Config) error {
	switch {
	case o.Paper:
		return fmt.Errorf("patchwork: the method strokes is not the paper's")
	case c.Poses.Len() == 1 || c.Scene:
		return fmt.Errorf("patchwork: strokes are learned where parts move within images of the frame's size; give a shift " +
			"or rotations, or leave out the method")
	case o.Continue != nil && (o.Continue.Height() != c.Height || o.Continue.Width() != c.Width):
		return o.continueSize(c)
	}
	return strokes.Fits(c)
}

// continueSize is the error for a model of another size than the images.
func (o Options) continueSize(c patchwork.Config) error {
	return fmt.Errorf("patchwork: a model of %d x %d pixels cannot be continued as one of %d x %d",
		o.Continue.Height(), o.Continue.Width(), c.Height, c.Width)
}

// check returns an error if the options, the data in memory and the configuration
// do not fit.
func (o Options) check(data patchwork.Data, c patchwork.Config) error {
	return errors.Join(o.validate(c), rows.Validate(context.Background(), data), rows.ValidateConfig(c))
}

// rng returns the random source of start i of a run. It depends on the index of
// the start, never on the worker.
func rng(seed uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)))
}

// learningPursuit returns how images are explained while learning. The first
// expert is always taken; otherwise an expert that fits badly at first would never
// learn. The search is greedy: sweeps take ten times as long and gain little.
func learningPursuit() patchwork.PursuitOptions {
	return patchwork.PursuitOptions{Paper: true, Forced: true}
}

// pursuit returns how the iterations of batch EM explain images.
func (o Options) pursuit() patchwork.PursuitOptions {
	p := learningPursuit()
	if o.Method == MethodStrokes {
		p.Paper, p.Refined = false, true
	}
	return p
}
