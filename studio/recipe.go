package studio

import (
	"runtime"
	"strconv"
	"strings"

	"example.com/patchwork/learn"
	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/pose"
)

// Recipe says how to learn: the options of patchwork learn under the same
// names.
type Recipe struct {
	Experts    int      `json:"experts,omitempty" minimum:"1" maximum:"1000" doc:"number of experts; required unless auto"`
	Auto       bool     `json:"auto,omitempty" doc:"finds the number of experts (rule max-minus-min without poses, or method soft)"`
	Rule       string   `json:"rule,omitempty" enum:"max,max-minus-min" doc:"default max"`
	Shift      int      `json:"shift,omitempty" minimum:"0" doc:"how far experts are shifted, in pixels"`
	ShiftStep  int      `json:"shift_step,omitempty" minimum:"1" doc:"pixels between two shifts; default 1"`
	Rotate     string   `json:"rotate,omitempty" maxLength:"40" doc:"RANGE:STEP in degrees, such as 24:6"`
	Mode       string   `json:"mode,omitempty" enum:"default,paper" doc:"settings to start from"`
	Method     string   `json:"method,omitempty" enum:"default,online,batch,both,soft" doc:"soft is for tables"`
	Begin      string   `json:"begin,omitempty" enum:"both,orders,splits,grow,mixture" doc:"what starts begin with"`
	Aim        string   `json:"aim,omitempty" enum:"predict,interpret" doc:"of method soft"`
	Starts     int      `json:"starts,omitempty" minimum:"1" maximum:"100" doc:"number of starts"`
	Iterations int      `json:"iterations,omitempty" minimum:"1" maximum:"1000" doc:"number of iterations of batch EM"`
	Seed       uint64   `json:"seed,omitempty" doc:"seed of all randomness"`
	Q          *float64 `json:"q,omitempty" minimum:"0" maximum:"1" doc:"abstention value; default by rule and mode"`
	Outside    string   `json:"outside,omitempty" enum:"background,unknown" doc:"what lies beyond the border; default by rule"`
	Refine     bool     `json:"refine,omitempty" doc:"refine the explanations of batch EM"`
}

// plan is a recipe for images of one size.
type plan struct {
	cfg   patchwork.Config
	learn learn.Options
	table *table.Options // of method soft
	auto  bool
}

// maxGrown is the maximum number of experts grown, as in patchwork learn.
const maxGrown = 64

func (r *Recipe) paper() bool { return r.Mode == "paper" }

func (r *Recipe) soft() bool { return r.Method == "soft" }

// plan checks the recipe as patchwork learn does.
func (r *Recipe) plan(height, width int) (*plan, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	grid, err := r.grid(height, width)
	if err != nil {
		return nil, err
	}
	rule, _ := patchwork.ParseRule(or(r.Rule, "max")) // only these names come here
	p := &plan{cfg: patchwork.NewConfig(rule, height, width, grid), auto: r.Auto}
	if r.paper() {
		p.cfg = learn.PaperConfig(rule, height, width, grid)
	}
	if r.Q != nil {
		p.cfg.Q = *r.Q
	}
	if r.Outside != "" {
		p.cfg.Outside, _ = patchwork.ParseOutside(r.Outside)
	}
	workers := runtime.GOMAXPROCS(0)
	if r.soft() {
		p.table = &table.Options{Experts: r.Experts, MaxExperts: maxGrown, Iterations: r.Iterations, Seed: r.Seed, Workers: workers}
		p.table.Aim, _ = table.ParseAim(or(r.Aim, "predict"))
		p.table.StartFrom, _ = table.ParseStartFrom(or(r.Begin, "both"))
		return p, nil
	}
	p.learn = learn.Options{Experts: r.Experts, Paper: r.paper(), Starts: r.Starts, Iterations: r.Iterations, Seed: r.Seed, Workers: workers, Refine: r.Refine}
	p.learn.Method, _ = learn.ParseMethod(or(r.Method, "default"))
	p.learn.StartFrom, _ = learn.ParseStartFrom(or(r.Begin, "both"))
	return p, nil
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// check rejects options that cannot be combined.
func (r *Recipe) check() error {
	bad := func(field string, format string, args ...any) error {
		return problemAt(422, "body."+field, nil, format, args...)
	}
	grown := r.Begin == "grow" || r.Begin == "mixture"
	moves := r.Shift > 0 || r.Rotate != ""
	switch {
	case r.Experts == 0 && !r.Auto:
		return bad("experts", "experts is missing: give the number of experts, or auto")
	case r.Experts != 0 && r.Auto:
		return bad("auto", "experts and auto exclude each other")
	case !r.soft() && (r.Aim != "" || grown):
		return bad("aim", "aim, begin grow and begin mixture are for method soft")
	case r.soft() && (r.Begin == "orders" || r.Begin == "splits"):
		return bad("begin", "begin %s cannot be combined with method soft; give grow, mixture or both", r.Begin)
	case r.soft() && (moves || r.ShiftStep != 0 || r.Mode != "" || r.Starts != 0 || r.Q != nil || r.Outside != "" || r.Refine):
		return bad("method", "shift, shift_step, rotate, mode, starts, q, outside and refine cannot be combined with method soft, which learns experts without poses and their background")
	case r.Auto && !r.soft() && (r.Rule != "max-minus-min" || moves || r.Mode == "paper" || r.Method == "online" || r.Method == "both"):
		return bad("auto", "auto uses the description length, which needs rule max-minus-min without shift and rotate, batch learning and not mode paper; otherwise give the number of experts")
	}
	return nil
}

// grid returns the poses of experts.
func (r *Recipe) grid(height, width int) (pose.Grid, error) {
	step := max(r.ShiftStep, 1)
	if r.Shift >= height && r.Shift > 0 || r.Shift >= width && r.Shift > 0 {
		return pose.Grid{}, problemAt(422, "body.shift", r.Shift, "a shift of %d moves experts of %d x %d pixels out of the image", r.Shift, height, width)
	}
	angles, err := parseRotations(r.Rotate)
	if err != nil {
		return pose.Grid{}, err
	}
	return pose.Grid{DY: pose.Symmetric(r.Shift, step), DX: pose.Symmetric(r.Shift, step), Angles: angles}, nil
}

// maxRotations bounds rotate, as in patchwork learn.
const maxRotations = 720

// parseRotations parses RANGE:STEP as patchwork learn does; nil means only 0.
func parseRotations(text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	bad := problemAt(422, "body.rotate", text, "give rotations as RANGE:STEP in degrees, such as 24:6 for -24, -18, ... 24; RANGE is at most 180, and there are at most %d rotations", maxRotations)
	first, second, two := strings.Cut(text, ":")
	reach, errReach := strconv.ParseFloat(first, 64)
	step, errStep := strconv.ParseFloat(second, 64)
	if !two && errReach == nil && reach == 0 {
		return nil, nil
	}
	if errReach != nil || errStep != nil || !(reach >= 0 && reach <= 180) || !(step > 0 && step <= 360) || reach/step > (maxRotations-1)/2 {
		return nil, bad
	}
	angles := pose.Evenly(reach, step)
	if reach == 180 && len(angles) > 1 && angles[0] == -180 {
		angles = angles[1:] // -180 is 180
	}
	if len(angles) == 1 {
		return nil, nil
	}
	return angles, nil
}

// args returns the recipe as flags of patchwork learn.
func (r *Recipe) args() []string {
	var out []string
	text := func(flag, value string) {
		if value != "" {
			out = append(out, flag, value)
		}
	}
	number := func(flag string, value int) {
		if value != 0 {
			out = append(out, flag, strconv.Itoa(value))
		}
	}
	number("--experts", r.Experts)
	if r.Auto {
		out = append(out, "--experts", "auto")
	}
	text("--rule", r.Rule)
	number("--shift", r.Shift)
	number("--shift-step", r.ShiftStep)
	text("--rotate", r.Rotate)
	text("--mode", r.Mode)
	text("--method", r.Method)
	text("--begin", r.Begin)
	text("--aim", r.Aim)
	number("--starts", r.Starts)
	number("--iterations", r.Iterations)
	if r.Seed != 0 {
		out = append(out, "--seed", strconv.FormatUint(r.Seed, 10))
	}
	if r.Q != nil {
		out = append(out, "--q", formatNumber(*r.Q))
	}
	text("--outside", r.Outside)
	if r.Refine {
		out = append(out, "--refine")
	}
	return out
}

// shellLine returns a command line that can be pasted into a shell.
func shellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if a == "" || strings.ContainsFunc(a, func(c rune) bool {
			return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:,=+@%", c))
		}) {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
