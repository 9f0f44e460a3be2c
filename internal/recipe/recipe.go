// Package recipe describes how a model is to be learned, in the form that the
// command and the studio share: its fields are flags of patchwork learn and
// fields of a JSON request. It checks what goes together and translates a recipe
// for images of one size into the options of package learn or table.
package recipe

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/learn"
	"example.com/patchwork/table"
)

// Recipe says how to learn a model. The zero value of a field is its recommended
// default. JSON has a part of them; the command has them all.
type Recipe struct {
	For string `json:"for,omitempty" enum:"table,drawings,scenes,paper,answers" doc:"what the data are; default by the data"`
	Count
	Poses
	Rule     string  `json:"rule,omitempty" enum:"max,max-minus-min,noisy-or,sum-of-odds,mean,sum-of-log-odds,normalized-sum,auto" doc:"default max; auto compares all seven, by hidden bits; the others but max-minus-min are for parts that stay in their places"`
	Method   string  `json:"method,omitempty" enum:"default,online,batch,both,strokes,soft" doc:"strokes is for drawings, soft for tables; default by the data"`
	Begin    string  `json:"begin,omitempty" enum:"both,orders,splits,pairs,grow,mixture" doc:"what starts begin with"`
	Aim      string  `json:"aim,omitempty" enum:"interpret,predict" doc:"of method soft; default interpret"`
	Starts   int     `json:"starts,omitempty" minimum:"1" maximum:"100" doc:"number of starts"`
	Seed     uint64  `json:"seed,omitempty" doc:"seed of all randomness"`
	Straight float64 `json:"straight,omitempty" minimum:"0" doc:"nats in every image that a bent part of a drawing must bring; 0: parts may be bent"`

	Iterations int `json:"-"` // of EM, in a short comparison; 0: the default of the learner
	Reuse      int `json:"-"` // 0: the default of the configuration

	// Alphabet, if not 0, is the number of parts of an alphabet to learn. From is an
	// alphabet that starts are made of, and FromName the file that it is in.
	Alphabet int              `json:"-"`
	From     *patchwork.Model `json:"-"`
	FromName string           `json:"-"`

	// The starts of a stream are learned from 20,000 images, but no more than take a
	// quarter of Memory bytes, if that is given.
	Memory  int64 `json:"-"`
	Workers int   `json:"-"` // goroutines; the model is the same for any number
}

// Paper reports whether learning follows the paper to the letter.
func (r *Recipe) Paper() bool { return r.For == ForPaper }

// SetMethod reads the text form of a method: its name, or strokes:NATS for parts that are
// straight unless a bent one brings so many nats in every image.
func (r *Recipe) SetMethod(text string) error {
	name, nats, given := strings.Cut(text, ":")
	if !slices.Contains(Choices("Method"), name) {
		return fmt.Errorf("choose %s%s", words.Or(Choices("Method")), enum.DidYouMean(name, Choices("Method")))
	}
	r.Method, r.Straight = name, 0
	if !given {
		return nil
	}
	var err error
	if r.Straight, err = strconv.ParseFloat(nats, 64); err != nil || !(r.Straight > 0) || math.IsInf(r.Straight, 1) ||
		name != "strokes" {
		return fmt.Errorf("give strokes:NATS, a number above 0 such as strokes:60, to prefer straight parts")
	}
	return nil
}

// Soft reports whether a table is learned by soft EM.
func (r *Recipe) Soft() bool { return r.Method == "soft" }

// anyRule is the rule that stands for all of them.
const anyRule = "auto"

// strokes reports whether parts are, or may be, learned as strokes.
func (r *Recipe) strokes() bool {
	return r.move() && !r.Paper() && r.Rule != "max-minus-min" &&
		(r.Method == "" || r.Method == "default" || r.Method == "strokes")
}

// still reports whether the rule is one under which parts stay in their places and are
// learned by soft EM.
func (r *Recipe) still() bool {
	return r.Rule != "" && r.Rule != "max" && r.Rule != "max-minus-min"
}

// Most returns the largest number of parts that a model may have.
func (r *Recipe) Most() int {
	if r.Auto && r.move() {
		return learn.MaxMoving
	}
	return r.Count.Most()
}

// Choices returns the names that a field of Recipe may have, such as "Rule".
func Choices(field string) []string {
	f, _ := reflect.TypeFor[Recipe]().FieldByName(field)
	return strings.Split(f.Tag.Get("enum"), ",")
}

// Plan is a recipe for images of one size.
type Plan struct {
	Config patchwork.Config
	Learn  learn.Options
	Table  *table.Options // of method soft, where Learn means nothing

	// Predict asks for what predicts unknown bits beside the parts of a table.
	Predict bool
}

// Plan checks the recipe and returns the configuration of the model and the
// options of its learner. The error is an *Error.
func (r *Recipe) Plan(height, width int) (*Plan, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if err := r.checkResolved(); err != nil {
		return nil, err
	}
	grid, err := r.Grid(r.Most(), height, width)
	if err != nil {
		return nil, err
	}
	var n names
	rule := named(&n, "rule", r.Rule, func(s string) (patchwork.Rule, error) {
		if s == anyRule {
			s = "noisy-or" // of which the structure is learned
		}
		return enum.Of[patchwork.Rule]("a rule", s)
	})
	p := &Plan{Config: patchwork.NewConfig(rule, height, width, grid)}
	if r.Paper() {
		p.Config = learn.PaperConfig(rule, height, width, grid)
	}
	if r.pairs() {
		p.Config.Truncate = true
	}
	p.Config.Reuse = cmp.Or(r.Reuse, p.Config.Reuse)
	if r.Soft() {
		p.Table, p.Predict = r.table(&n), r.Aim == "predict"
	} else {
		p.Learn = r.learn(&n, height, width)
	}
	return p, n.err
}

// OutsideName returns the name, in flags and requests, of what lies beyond the
// border of an image.
func OutsideName(unknown bool) string {
	if unknown {
		return "unknown"
	}
	return "background"
}

// learn returns the options of package learn.
func (r *Recipe) learn(n *names, height, width int) learn.Options {
	return learn.Options{Experts: r.Experts, AtLeast: r.AtLeast, AtMost: r.AtMost, Paper: r.Paper(),
		Method: named(n, "method", r.Method, learn.ParseMethod), StartFrom: named(n, "begin", r.Begin, learn.ParseStartFrom),
		Starts: r.Starts, Iterations: r.Iterations, Sample: r.sample(height, width), Seed: r.Seed, Workers: r.Workers,
		Straight: r.Straight, Alphabet: r.Alphabet != 0, From: r.From}
}

// table returns the options of package table.
func (r *Recipe) table(n *names) *table.Options {
	return &table.Options{Experts: r.Experts, MinExperts: r.AtLeast, MaxExperts: r.AtMost, AnyRule: r.Rule == anyRule,
		StartFrom:  named(n, "begin", r.Begin, table.ParseStartFrom),
		Iterations: r.Iterations, Seed: r.Seed, Workers: r.Workers}
}

// names keeps the first setting without such a name.
type names struct{ err error }

// named returns what a name says; the zero value, the default, for no name.
func named[T any](n *names, field, name string, parse func(string) (T, error)) T {
	var value T
	if name == "" {
		return value
	}
	value, err := parse(name)
	if err != nil && n.err == nil {
		n.err = bad(field, "{%s} %s: %v", field, name, err)
	}
	return value
}

// mostSampled is how many images of a stream starts are learned from.
const mostSampled = 20000

// Fitting returns how many rows of a table that is streamed are learned from: as many as
// take a quarter of Memory.
func (r *Recipe) Fitting(height, width int) int {
	const overhead = 128 // bytes of a row in memory, as package dataset counts
	if r.Memory == 0 {
		return mostSampled
	}
	return max(1, int(r.Memory/4/int64(overhead+height*(width+63)/64*8)))
}

// sample returns how many images of a stream the starts are learned from; 0 is
// the default of package learn.
func (r *Recipe) sample(height, width int) int {
	if r.Memory == 0 {
		return 0
	}
	return min(mostSampled, r.Fitting(height, width))
}

// Check returns an *Error for settings that cannot be used or combined, whatever
// the images. A recipe without a number of parts is for Resolve to complete.
func (r *Recipe) Check() error {
	if err := r.checkAlphabet(); err != nil {
		return err
	}
	switch {
	case r.Count == Count{} && r.Paper():
		return bad("experts", "{experts} is missing: the paper's learning needs the number of parts; give {count}")
	case r.Auto && r.Count != Count{Auto: true}:
		return bad("auto", "{experts} and {auto} exclude each other")
	case r.still() && (r.move() || r.Method != "" && r.Method != "default" && !r.Soft() || r.Paper()):
		return bad("rule", "{rule} %s is for parts that stay in their places, learned by {method} soft", r.Rule)
	case r.Soft():
		return r.checkSoft()
	case r.Auto && r.Paper():
		return bad("auto", "{auto} cannot be combined with {for} paper: the paper's learning needs the number of parts; "+
			"give {count}")
	}
	return nil
}

// checkResolved returns an *Error for settings that the data leave without use.
func (r *Recipe) checkResolved() error {
	switch {
	case r.Count == Count{}:
		return bad("experts", "{experts} is missing: give {count}, or {auto}")
	case r.Soft():
	case r.still():
		return bad("rule", "{rule} %s is learned by {method} soft", r.Rule)
	case !(r.Straight >= 0) || math.IsInf(r.Straight, 0):
		return bad("straight", "{straight} %v is not a number of nats from 0 up", r.Straight)
	case r.Straight != 0 && !r.strokes():
		return bad("straight", "{straight} is for drawings whose parts move, under {rule} max, learned as strokes")
	case (r.Alphabet != 0 || r.From != nil) && !r.strokes():
		return bad("begin", "an alphabet is for drawings whose parts move, under {rule} max, learned as strokes")
	case r.Method == "strokes" && !r.strokes():
		return bad("method", "{method} strokes is for drawings whose parts move, under {rule} max; give {shift} or {rotate}")
	case r.Aim != "":
		return bad("aim", "{aim} is for {method} soft")
	case r.Begin == "grow" || r.Begin == "mixture":
		return bad("begin", "{begin} %s is for {method} soft; give orders, splits, pairs or both", r.Begin)
	case r.pairs():
		return r.checkPairs()
	case r.AtMost > 0 && !r.move() && !r.Paper():
		return bad("experts", "a range of {experts} where parts stay in their places needs {method} soft, without {starts}; "+
			"otherwise say how many")
	case r.Auto && !r.move():
		return bad("auto", "{auto} where parts stay in their places needs {method} soft; otherwise say how many")
	}
	return nil
}

// checkSoft rejects settings that method soft cannot use: it learns experts
// without poses.
func (r *Recipe) checkSoft() error {
	switch {
	case r.Begin == "orders" || r.Begin == "splits" || r.pairs():
		return bad("begin", "{begin} %s cannot be combined with {method} soft; give grow, mixture or both", r.Begin)
	}
	for _, s := range []struct {
		field string
		set   bool
	}{
		{"shift", r.Shift != 0 || r.ShiftX != nil && *r.ShiftX != 0}, {"shift_step", r.ShiftStep != 0},
		{"rotate", r.Rotate != ""}, {"for", r.Paper()},
		{"starts", r.Starts != 0}, {"reuse", r.Reuse != 0}, {"straight", r.Straight != 0},
	} {
		if s.set {
			return bad(s.field, "{%s} cannot be combined with {method} soft, which learns parts without poses and their "+
				"background", s.field)
		}
	}
	return nil
}
