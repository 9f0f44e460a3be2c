package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// helpOf returns the help of a command on a terminal of some width.
func helpOf(t *testing.T, width int, args ...string) string {
	t.Helper()
	var out, err strings.Builder
	if code := run(t.Context(), args, console{out: &out, err: &err, getenv: func(string) string { return "" },
		outTerminal: width > 0, width: width}); code != 0 || err.Len() > 0 {
		t.Fatalf("patchwork %s: exit %d, %s", strings.Join(args, " "), code, err.String())
	}
	return out.String()
}

// The help of learn is one screen, with ten flags; that of every command fits
// terminals of 80 columns and of other widths.
func TestHelpFits(t *testing.T) {
	for _, c := range commands((&app{}).rootCommand()) {
		path := strings.Fields(c.CommandPath())[1:]
		for _, width := range []int{0, 80, 60, 132} {
			for _, flag := range []string{"--help", "--help-all"} {
				text := helpOf(t, width, append(path, flag)...)
				for _, l := range strings.Split(text, "\n") {
					most := width
					if width == 0 {
						most = 80
					}
					if n := len([]rune(l)); n > most && (most >= 80 || !strings.HasPrefix(l, "  ")) {
						t.Errorf("patchwork %s %s has a line of %d characters on %d:\n%s", strings.Join(path, " "), flag, n, most, l)
					}
				}
				if got := "  " + strings.Join(examples(text), "\n  "); !strings.Contains(squeezed(got),
					squeezed("  "+strings.Join(examples(c.Example), "\n  "))) {
					t.Errorf("patchwork %s %s lacks its example:\n%s", strings.Join(path, " "), flag, text)
				}
			}
		}
		if lines := strings.Count(helpOf(t, 80, append(path, "--help")...), "\n"); lines > 56 {
			t.Errorf("the help of %s has %d lines on a terminal", c.CommandPath(), lines)
		}
	}
	text := helpOf(t, 80, "learn", "--help")
	if lines, flags := strings.Count(text, "\n"), strings.Count(text, " --"); lines > 40 ||
		strings.Count(text, "\n      --")+strings.Count(text, "\n  -") > 13 {
		t.Errorf("the help of learn has %d lines and %d flags:\n%s", lines, flags, text)
	}
}

// squeezed returns text with single blanks.
func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }

// --help-all has every flag that is not hidden, once; --help has the everyday ones;
// help COMMAND is the same as COMMAND --help.
func TestHelpIsComplete(t *testing.T) {
	for _, c := range commands((&app{}).rootCommand()) {
		path := strings.Fields(c.CommandPath())[1:]
		all, short := helpOf(t, 80, append(path, "--help-all")...), helpOf(t, 80, append(path, "--help")...)
		if helpOf(t, 80, append([]string{"help"}, path...)...) != short {
			t.Errorf("patchwork help %s is not the same as --help", strings.Join(path, " "))
		}
		first := strings.Fields(c.Annotations[everydayAnnotation])
		c.Flags().VisitAll(func(f *pflag.Flag) {
			in := 0
			for l := range strings.Lines(all) {
				if strings.HasPrefix(strings.TrimLeft(l, " "), "-") && strings.Contains(l+" ", flagSpec(f)) &&
					strings.Contains(" \n", string(strings.TrimPrefix(l, flagSpec(f))[0])) {
					in++
				}
			}
			want := 1
			if f.Hidden || f.Name == "help" {
				return
			}
			if in != want {
				t.Errorf("%s --help-all has --%s %d times", c.CommandPath(), f.Name, in)
			}
			if slices.Contains(first, f.Name) && !strings.Contains(short, flagSpec(f)) {
				t.Errorf("%s --help lacks --%s", c.CommandPath(), f.Name)
			}
		})
	}
}

// What cannot be meant is refused with what is probably meant.
func TestNearMisses(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, says := range map[string]string{
		"learn t.npz --shfit 3":    "unknown flag: --shfit; did you mean --shift? (see patchwork learn --help)",
		"learn t.npz -z":           "unknown flag: -z (see patchwork learn --help)",
		"learn t.npz -outpt m.npz": "patchwork: ",
		"learn t.npz --shift":      "--shift needs a value: --shift S|DY,DX (see patchwork learn --help)",
		"learn t.npz --rule max-minusmin": "--rule max-minusmin: choose max, max-minus-min, noisy-or, sum-of-odds, " +
			"mean, sum-of-log-odds, normalized-sum, auto, pool or soft; did you mean max-minus-min? (see patchwork " +
			"learn --help)",
		"learn t.npz --engine beem": "--engine beem: choose goroutines or beam, or beam:OPTION=VALUE,...; did " +
			"you mean beam? (see patchwork learn --help)",
		"learn t.npz --rows 30:10 -k 2 -o m.npz": "--rows 30:10: rows go upwards: 10:30 (see patchwork learn --help)",
		"learn t.npz --rows 0:10 -k 2 -o m.npz":  "--rows 0:10: rows are counted from 1 (see patchwork learn --help)",
		"learn t.npz --rows : -k 2 -o m.npz": "--rows :: give the first and the last row, such as 10:30, or 10: for " +
			"all from there (see patchwork learn --help)",
		"explian":           `there is no command "explian"; did you mean explain? (see patchwork --help)`,
		"help explian":      `there is no command "explian"; did you mean explain? (see patchwork --help)`,
		"help synth leters": `there is no command "leters"; did you mean letters? (see patchwork synth --help)`,
		"synth leters":      `there is no kind of set "leters"; choose quadrants, bars, letters, scenes or sheet; did you mean letters? (see patchwork synth --help)`,
	} {
		if o := patchworkCommand(t, fields(line)...); o.code != exitRequest || !strings.HasPrefix(o.err, "patchwork: ") ||
			!strings.Contains(o.err, says) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, want %q", line, o.code, o.err, says)
		}
	}
	if must(t, "--version") != must(t, "version") {
		t.Error("--version is not version")
	}
}

// Completion offers flags under the names that help shows.
func TestCompletionOfRenamed(t *testing.T) {
	for line, want := range map[string]string{
		"learn --start": "--start-from", "learn --check": "--checkpoint", "lea": "learn",
	} {
		o := patchworkCommand(t, append([]string{"__complete"}, fields(line)...)...)
		if !regexp.MustCompile(`(?m)^`+want+`(\t|$)`).MatchString(o.out) || o.code != 0 { // the shell chooses among values
			t.Errorf("%s is completed by %q, want %q", line, o.out, want)
		}
	}
}
