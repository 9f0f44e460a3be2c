package main

import (
	"strings"
	"testing"
)

// Unused parts are warned of, one line each, up to a number of lines; --quiet prints
// no warnings.
func TestLearnWarns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "same.csv", strings.Repeat("1,1,0,0\n", 20))
	for experts, last := range map[string]string{
		"3":  "Part 3 explained no training row. Learn with fewer parts, or from more starts.",
		"12": "and 4 findings more; patchwork show lists them"} {
		o := patchworkCommand(t, "learn", "same.csv", "-k", experts, "-o", "m.npz", "--for", "drawings")
		lines := strings.Split(strings.TrimSuffix(o.err, "\n"), "\n")
		if o.code != 0 || len(lines) < 2 || len(lines) > maxWarnings || lines[len(lines)-1] != "patchwork: warning: "+last {
			t.Errorf("%s experts: exit %d, stderr\n%s", experts, o.code, o.err)
		}
		for _, l := range lines {
			if !strings.HasPrefix(l, "patchwork: warning: ") {
				t.Errorf("%q is no warning", l)
			}
		}
		must(t, "learn", "same.csv", "-k", experts, "-o", "m.npz", "-q", "--for", "drawings")
	}
}

// The certainty of the paper's mode was chosen by the user: show mentions it, learn
// does not warn.
func TestPaperModeIsNoWarning(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	loud := learnSmall("paper.npz", "--for", "paper", "--starts", "1")
	must(t, append([]string{"learn"}, strings.Fields(strings.ReplaceAll(strings.Join(loud[1:], " "), " -q", ""))...)...)
	if out := must(t, "show", "paper.npz"); !strings.Contains(out, "overconfident: The background is certain") {
		t.Errorf("show says\n%s", out)
	}
}
