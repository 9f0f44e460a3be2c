package main

import (
	"context"
	"io"
	"strings"
	"syscall"
	"testing"
)

// onTerminal runs a command line as on a terminal of 80 columns without colours, and
// returns its exit code and the two streams.
func onTerminal(ctx context.Context, line string) (code int, out, err string) {
	var stderr strings.Builder
	code, out = onTerminalWith(ctx, &stderr, line)
	return code, out, stderr.String()
}

// untilText does something when a text is first written to it.
type untilText struct {
	strings.Builder
	text string
	then func()
}

func (w *untilText) Write(b []byte) (int, error) {
	if w.then != nil && strings.Contains(string(b), w.text) {
		w.then()
		w.then = nil
	}
	return w.Builder.Write(b)
}

func onTerminalWith(ctx context.Context, stderr io.Writer, line string) (code int, out string) {
	var stdout strings.Builder
	env := map[string]string{"NO_COLOR": "1", "TERM": "xterm"}
	code = run(ctx, fields(line), console{out: &stdout, err: stderr, outTerminal: true, errTerminal: true, width: 80,
		getenv: func(name string) string { return env[name] }})
	return code, stdout.String()
}

// Somebody with a terminal and no files finds out how to begin, makes letters, learns
// and draws them, and stops a run that takes too long.
func TestWalkTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		line string
		says []string
	}{
		{"", []string{"patchwork synth letters", "demo", "patchwork COMMAND --help"}},
		{"synth letters --letters T --writers 10 --side 28 --seed 15 -o t.npz",
			[]string{"wrote t.npz: 10 images of 28 x 28"}},
		{"learn t.npz -o model.npz -k 2 --shift 7 --rotate 24:12 --starts 4",
			[]string{"learned 2 parts from 10 images", "wrote model.npz: 2 parts of 28 x 28 pixels"}},
		{"show model.npz", []string{"█", "▒", "2 parts of 28 x 28 pixels"}},
		{"sample -m model.npz -n 3", []string{"█"}},
		{"explain -m model.npz t.npz --rows 1", []string{`"picks":[{`}},
	} {
		code, out, err := onTerminal(t.Context(), c.line)
		if code != 0 {
			t.Fatalf("patchwork %s: exit %d, %s", c.line, code, err)
		}
		for _, want := range c.says {
			if !strings.Contains(out, want) {
				t.Errorf("patchwork %s does not say %q:\n%s", c.line, want, out)
			}
		}
		for l := range strings.Lines(out) {
			if n := len([]rune(strings.TrimRight(l, "\n"))); strings.Contains(l, "█") && n > 80 {
				t.Errorf("patchwork %s draws %d columns on a terminal of 80:\n%s", c.line, n, l)
			}
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stderr := &untilText{text: "best log-likelihood", then: func() { cancel(interruption{syscall.SIGINT}) }}
	code, _ := onTerminalWith(ctx, stderr, "learn t.npz -o long.npz -k 2 --shift 7 --rotate 24:12 --starts 20000")
	says := stderr.String()
	last := says[strings.LastIndex(says, "\r")+1:]
	if code != exitInterrupted || !strings.HasPrefix(last, "patchwork: interrupted: wrote long.npz, ") {
		t.Errorf("exit %d, %q", code, says)
	}
	if code, out, err := onTerminal(t.Context(), "show long.npz"); code != 0 || !strings.Contains(out, "█") {
		t.Errorf("exit %d, %s%s", code, out, err)
	}
}
