package recipe

import (
	"cmp"
	"strconv"
	"strings"
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
		text("--shift", r.shiftArgument())
	}
	text("--rotate", r.Rotate)
	text("--method", r.methodText())
	text("--start-from", cmp.Or(r.FromName, r.Begin))
	text("--aim", r.Aim)
	number("--starts", r.Starts)
	if r.Seed != 0 {
		text("--seed", strconv.FormatUint(r.Seed, 10))
	}
	return out
}

// methodText returns the text that SetMethod reads.
func (r *Recipe) methodText() string {
	if r.Straight != 0 {
		return "strokes:" + strconv.FormatFloat(r.Straight, 'g', -1, 64)
	}
	return r.Method
}

// CommandLine returns arguments as a line that can be pasted into a shell.
func CommandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if a == "" || strings.ContainsFunc(a, func(c rune) bool {
			return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
				strings.ContainsRune("-_./:,=+@%", c))
		}) {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
