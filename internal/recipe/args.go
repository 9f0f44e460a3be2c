package recipe

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/patchwork"
)

// Args returns the recipe as flags of patchwork learn. Memory and Workers, which
// depend on the machine, are left out.
func (r *Recipe) Args() []string {
	var out []string
	text := func(flag, value string) {
		if value != "" {
			out = append(out, flag, value)
		}
	}
	number := func(flag string, value int) {
		if value != 0 {
			text(flag, strconv.Itoa(value))
		}
	}
	text("--for", r.For)
	number("--alphabet", r.Alphabet)
	if r.Count != (Count{}) && r.Alphabet == 0 {
		text("--experts", r.Count.Text())
	}
	text("--rule", r.Rule)
	if r.Shift != 0 || r.ShiftX != nil || r.Given && !r.move() {
		text("--shift", r.shiftText())
	}
	number("--shift-step", r.ShiftStep)
	text("--rotate", r.Rotate)
	text("--stretch", r.Stretch)
	text("--mode", flagValue(r.Mode))
	text("--method", flagValue(r.Method))
	text("--start-from", cmp.Or(r.FromName, r.Begin))
	text("--aim", r.Aim)
	number("--starts", r.Starts)
	number("--iterations", r.Iterations)
	if r.Seed != 0 {
		text("--seed", strconv.FormatUint(r.Seed, 10))
	}
	if r.Q != nil {
		text("--background", float(*r.Q))
	}
	text("--outside", r.Outside)
	if r.Straight != 0 {
		text("--straight", float(r.Straight))
	}
	if r.Refine {
		out = append(out, "--refine")
	}
	text("--init", r.Init)
	if r.UntilInk != 0 {
		text("--until-ink", float(r.UntilInk))
	}
	if r.Prior != (patchwork.Prior{}) {
		text("--prior", float(r.Prior.On)+":"+float(r.Prior.Off))
	}
	if r.Truncate != nil {
		out = append(out, "--truncate="+strconv.FormatBool(*r.Truncate))
	}
	number("--reuse", r.Reuse)
	number("--sample", r.Sample)
	return out
}

// flagValue returns the name of a setting as flags have it: auto for default.
func flagValue(name string) string {
	if name == "default" {
		return "auto"
	}
	return name
}

func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// CommandLine returns arguments as a line that can be pasted into a shell.
func CommandLine(args []string) string {
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

// ParsePrior reads the text form of a Beta prior, ON:OFF in pseudo-counts.
func ParsePrior(text string) (patchwork.Prior, error) {
	on, off, _ := strings.Cut(text, ":")
	a, errA := strconv.ParseFloat(on, 64)
	b, errB := strconv.ParseFloat(off, 64)
	if errA != nil || errB != nil || !(a > 0) || !(b > 0) || math.IsInf(a+b, 0) {
		return patchwork.Prior{}, fmt.Errorf("a prior is ON:OFF, two pseudo-counts above 0 such as 0.05:1")
	}
	return patchwork.Prior{On: a, Off: b}, nil
}
