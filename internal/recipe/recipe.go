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
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/learn"
	"example.com/patchwork/table"
)

// Recipe says how to learn a model. The zero value of a field is its recommended
// default. JSON has a part of them; the command has them all.
type Recipe struct {
	For string `json:"for,omitempty" enum:"table,drawings,scenes,paper" doc:"what the data are; default by the data"`
	Count
	Poses
	Rule       string   `json:"rule,omitempty" enum:"max,max-minus-min,noisy-or,sum-of-odds,mean,sum-of-log-odds,normalized-sum,auto" doc:"default max; auto compares all seven, by hidden bits; the others but max-minus-min are for parts that stay in their places"`
	Mode       string   `json:"mode,omitempty" enum:"default,paper" doc:"settings to start from"`
	Method     string   `json:"method,omitempty" enum:"default,online,batch,both,strokes,soft" doc:"strokes is for drawings, soft for tables; default by the data"`
	Begin      string   `json:"begin,omitempty" enum:"both,orders,splits,pairs,grow,mixture" doc:"what starts begin with"`
	Aim        string   `json:"aim,omitempty" enum:"interpret,predict" doc:"of method soft; default interpret"`
	Starts     int      `json:"starts,omitempty" minimum:"1" maximum:"100" doc:"number of starts"`
	Iterations int      `json:"iterations,omitempty" minimum:"1" maximum:"1000" doc:"number of iterations of batch EM"`
	Seed       uint64   `json:"seed,omitempty" doc:"seed of all randomness"`
	Q          *float64 `json:"q,omitempty" minimum:"0" maximum:"1" doc:"abstention value; default by rule and mode"`
	Outside    string   `json:"outside,omitempty" enum:"background,unknown" doc:"what lies beyond the border; default by rule"`
	Straight   float64  `json:"straight,omitempty" minimum:"0" doc:"nats in every image that a bent part of a drawing must bring; 0: parts may be bent"`
	Refine     bool     `json:"refine,omitempty" doc:"refine the explanations of batch EM"`

	Init     string          `json:"-" enum:"c,text,literal"` // reading of the initialisation; "" means c
	UntilInk float64         `json:"-"`                       // learn.Options.UnexplainedInk
	Prior    patchwork.Prior `json:"-"`
	Truncate *bool           `json:"-"` // nil: by rule and poses
	Reuse    int             `json:"-"` // 0: the default of the configuration

	// Alphabet, if not 0, is the number of parts of an alphabet to learn. From is an
	// alphabet that starts are made of, and FromName the file that it is in.
	Alphabet int              `json:"-"`
	From     *patchwork.Model `json:"-"`
	FromName string           `json:"-"`

	// Sample is how many images of a stream the starts are learned from; 0 means
	// 20,000, but no more than take a quarter of Memory bytes, if that is given.
	Sample  int   `json:"-"`
	Memory  int64 `json:"-"`
	Workers int   `json:"-"` // goroutines; the model is the same for any number
}

// Paper reports whether learning follows the paper to the letter.
func (r *Recipe) Paper() bool { return r.Mode == "paper" }

// Soft reports whether a table is learned by soft EM.
func (r *Recipe) Soft() bool { return r.Method == "soft" }

// anyRule is the rule that stands for all of them.
const anyRule = "auto"

// strokes reports whether parts are, or may be, learned as strokes.
func (r *Recipe) strokes() bool {
	return r.move() && !r.Paper() && r.Rule != "max-minus-min" && (r.Method == "" || r.Method == "default" || r.Method == "strokes")
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
	if r.Q != nil {
		p.Config.Q, p.Config.ZeroQ = *r.Q, *r.Q == 0 && rule == patchwork.RuleMaxMinusMin
	}
	if r.Truncate != nil {
		p.Config.Truncate = *r.Truncate
	}
	if r.Outside != "" {
		p.Config.UnknownOutside = named(&n, "outside", r.Outside, parseOutside)
	}
	if r.pairs() && r.Truncate == nil {
		p.Config.Truncate = true
	}
	p.Config.Prior = cmp.Or(r.Prior, p.Config.Prior)
	p.Config.Reuse = cmp.Or(r.Reuse, p.Config.Reuse)
	if r.Soft() {
		p.Table = r.table(&n)
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

// parseOutside reports whether nothing is known beyond the border of an image.
func parseOutside(name string) (unknown bool, err error) {
	if name != "background" && name != "unknown" {
		return false, fmt.Errorf("what lies outside an image is background or unknown, not %q", name)
	}
	return name == "unknown", nil
}

// learn returns the options of package learn.
func (r *Recipe) learn(n *names, height, width int) learn.Options {
	return learn.Options{Experts: r.Experts, AtLeast: r.AtLeast, AtMost: r.AtMost, Paper: r.Paper(),
		Method: named(n, "method", r.Method, learn.ParseMethod), StartFrom: named(n, "begin", r.Begin, learn.ParseStartFrom),
		Reading: named(n, "init", r.Init, learn.ParseReading),
		Starts:  r.Starts, Iterations: r.Iterations, Sample: r.sample(height, width), Seed: r.Seed, Workers: r.Workers,
		UnexplainedInk: r.UntilInk, Refine: r.Refine, Straight: r.Straight, Alphabet: r.Alphabet != 0, From: r.From}
}

// table returns the options of package table.
func (r *Recipe) table(n *names) *table.Options {
	aim := r.Aim
	if aim == "" && r.Rule == anyRule {
		aim = table.AimPredict.String() // rules are compared by hidden bits
	}
	return &table.Options{Experts: r.Experts, MinExperts: r.AtLeast, MaxExperts: r.AtMost, AnyRule: r.Rule == anyRule,
		Aim: named(n, "aim", aim, table.ParseAim), StartFrom: named(n, "begin", r.Begin, table.ParseStartFrom),
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

// Fitting returns how many rows of a table that is streamed are learned from: Sample, or
// as many as take a quarter of Memory.
func (r *Recipe) Fitting(height, width int) int {
	const overhead = 128 // bytes of a row in memory, as package dataset counts
	if r.Sample != 0 || r.Memory == 0 {
		return cmp.Or(r.Sample, 20000)
	}
	return max(1, int(r.Memory/4/int64(overhead+height*(width+63)/64*8)))
}

// sample returns how many images of a stream the starts are learned from; 0 is
// the default of package learn.
func (r *Recipe) sample(height, width int) int {
	const most, overhead = 20000, 128 // images; bytes of an image in memory, as package dataset counts
	if r.Sample != 0 || r.Memory == 0 {
		return r.Sample
	}
	return max(1, min(most, int(r.Memory/4/int64(overhead+height*(width+63)/64*8))))
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
	case r.Mode != "" && r.Mode != "default" && !r.Paper():
		return bad("mode", "{mode} %s is neither auto nor paper", r.Mode)
	case r.Q != nil && !(*r.Q >= 0 && *r.Q <= 1):
		return bad("q", "{q} %v is not a probability", *r.Q)
	case !(r.UntilInk >= 0 && r.UntilInk < 1):
		return bad("until_ink", "{until_ink} %v is not a fraction from 0 to below 1", r.UntilInk)
	case r.Paper() && r.Init != "" && r.Init != "literal":
		return bad("init", "{init} %s and {mode} paper exclude each other: the paper's initialisation is literal", r.Init)
	case r.Truncate != nil && *r.Truncate && r.Rule == "max-minus-min":
		return bad("truncate", "{truncate} belongs to {rule} max")
	case r.still() && (r.move() || r.Method != "" && r.Method != "default" && !r.Soft() || r.Paper()):
		return bad("rule", "{rule} %s is for parts that stay in their places, learned by {method} soft", r.Rule)
	case r.Soft():
		return r.checkSoft()
	case r.Auto && r.Paper():
		return bad("auto", "{auto} cannot be combined with {mode} paper: the paper's learning needs the number of parts; give {count}")
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
	case r.Auto && !r.move() && (r.Rule != "max-minus-min" || r.Method == "online" || r.Method == "both"):
		return bad("auto", "{auto} where parts stay in their places uses the description length, which needs {method} soft, or {rule} max-minus-min "+
			"learned in batches; otherwise give {count}")
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
		{"shift", r.Shift != 0 || r.ShiftX != nil && *r.ShiftX != 0}, {"shift_step", r.ShiftStep != 0}, {"rotate", r.Rotate != ""}, {"mode", r.Paper()},
		{"starts", r.Starts != 0}, {"init", r.Init != ""}, {"until_ink", r.UntilInk != 0}, {"q", r.Q != nil},
		{"prior", r.Prior != patchwork.Prior{}}, {"outside", r.Outside != ""}, {"refine", r.Refine}, {"truncate", r.Truncate != nil},
		{"reuse", r.Reuse != 0}, {"straight", r.Straight != 0},
	} {
		if s.set {
			return bad(s.field, "{%s} cannot be combined with {method} soft, which learns parts without poses and their background", s.field)
		}
	}
	return nil
}
