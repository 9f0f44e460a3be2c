package main

import (
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
)

// Names and texts from files reach a terminal without control characters and marks of
// direction, whatever command prints them and whether it works or fails.
func TestNothingRawReachesATerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	const evil = "a\x1b]0;pwned\x07\u202e\u200e\u200b\u00ad\u2028\x1b[2J\u009b31m\x1b[8m"
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMax, 1, 2, pose.Grid{}),
		[][]float64{{0.9, 0.5}, {0.5, 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithExtras(patchwork.Extras{Columns: []string{evil, "b"}, Names: []string{evil, ""},
		Usage:  []float64{0.5, 0.5},
		Record: patchwork.Record{Method: evil, Mode: evil, Rows: 4}}); err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("evil-model.npz", m); err != nil {
		t.Fatal(err)
	}
	write(t, "evil.csv", "name,"+evil+",b\n"+evil+",1,0\nq,0,1\nr,1,1\n")
	write(t, "none.csv", "name,"+evil+",b\n"+evil+",1,"+evil+"\nq,0,7\n")
	save(t, "evil.npz", npy.Member{Name: evil, Array: npy.New([]uint8{0, 1}, 1, 2)},
		npy.Member{Name: "b", Array: npy.New([]uint8{0, 1}, 1, 2)})
	if o := patchworkCommand(t, "show", "evil-model.npz"); !strings.Contains(o.out, "\uFFFD]0;pwned") {
		t.Fatalf("show prints %q, %q", o.out, o.err)
	}
	for _, line := range []string{
		"show evil-model.npz", "score -m evil-model.npz evil.csv", "show evil.csv", "show none.csv",
		"show evil.npz",
		"learn evil.csv -o out.npz -k 1", "exact evil.csv --report -", "explain -m evil-model.npz none.csv",
		"explain -m evil-model.npz --where name=" + "q none.csv",
		"show evil-model.npz evil.csv", "show evil-model.npz -o x.svg", "show nosuch" + evil,
	} {
		o := patchworkCommand(t, fields(line)...)
		for _, r := range o.out + o.err {
			if r == '\n' || r == '\t' {
				continue
			}
			if words.Unseen(r) {
				t.Errorf("patchwork %s prints %q", strings.ReplaceAll(line, evil, "…"), o.out+o.err)
				break
			}
		}
	}
}

// Nor do data that are written to one, which have no colours either.
func TestDataOnATerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	const evil = "x\x1b[31my\x1b[8mz"
	write(t, "evil.csv", "name,a"+evil+",b\n"+evil+",1,0\nq,0,1\nr,1,1\ns,1,0\nt,0,1\n")
	if o := patchworkCommand(t, "learn", "evil.csv", "-k", "1", "-o", "m.npz"); o.code != 0 {
		t.Fatal(o.err)
	}
	for _, line := range []string{"predict -m m.npz evil.csv -o -", "report -m m.npz evil.csv -o - --stability 0",
		"predict -m m.npz evil.csv --cells -o -"} {
		var out, errs strings.Builder
		run(t.Context(), fields(line), console{out: &out, err: &errs, outTerminal: true,
			getenv: func(string) string { return "" }})
		if text := out.String(); len(text) == 0 || strings.Contains(text+errs.String(), "\x1b") {
			t.Errorf("patchwork %s prints %.300q, %q", line, text, errs.String())
		}
	}
}

func TestShown(t *testing.T) {
	for text, want := range map[string]string{"plain, été 3\u00a0000\n\tx": "plain, été 3\u00a0000\n\tx",
		"a\x1b[2Jb\r\x7f": "a\uFFFD[2Jb\uFFFD\uFFFD", "\u2066x": "\uFFFDx",
		"\u200e\u200f\u061c\u202a\u2069": strings.Repeat("\uFFFD", 5), "a\u2028b\u2029c": "a\uFFFDb\uFFFDc",
		"pay\u200bpal\u200c\u200d\ufeffx\u00ady": "pay\uFFFDpal\uFFFD\uFFFD\uFFFDx\uFFFDy",
		"\U000e0041\u2060":                       "\uFFFD\uFFFD", "\u0600١ 日本 e\u0301 ❤\ufe0f": "\u0600١ 日本 e\u0301 ❤\ufe0f"} {
		if got := words.Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// However a text is cut into writes, a terminal gets what shown allows, and colours.
func TestTerminalWriter(t *testing.T) {
	text := "é\x1b[1;31mred\x1b[0m \x1b[2J\x1b]0;t\x07 \u202e\u009b5m \xff 日本\n\tend\x1b"
	want := "é\x1b[1;31mred\x1b[0m \uFFFD[2J\uFFFD]0;t\uFFFD \uFFFD\uFFFD5m \uFFFD 日本\n\tend"
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		w := &terminalWriter{to: &out}
		for at := 0; at < len(text); at += size {
			piece := text[at:min(at+size, len(text))]
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
	var out strings.Builder
	(&terminalWriter{to: &out, plain: true}).Write([]byte("a\x1b[8mb\x1b[31"))
	if want := "a\uFFFD[8mb\uFFFD[31"; out.String() != want {
		t.Errorf("data: %q, want %q", out.String(), want)
	}
}
