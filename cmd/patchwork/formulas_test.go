package main

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFormulaWriter: every cell comes back as it was, but those that begin a formula, which get an
// apostrophe, whatever pieces the file is written in.
func TestFormulaWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.StringOfN(rapid.RuneFrom([]rune("=+-@\t\"',\n ;1e.x")), 0, 6, -1), rapid.SampledFrom([]string{"-1", "+2.5e-3", "=1+1", "-inf", "@SUM(A1)", "-1-1", "\tx"}))
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, 2, 2), 1, 4).Draw(t, "rows")
		var plain, got bytes.Buffer
		w := csv.NewWriter(&plain)
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		e := &formulaWriter{w: &got}
		for b, n := plain.Bytes(), 0; len(b) > 0; b = b[n:] {
			n = min(len(b), rapid.IntRange(1, 9).Draw(t, "piece"))
			if _, err := e.Write(b[:n]); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.end(); err != nil {
			t.Fatal(err)
		}
		back, err := csv.NewReader(&got).ReadAll()
		if err != nil || len(back) != len(rows) {
			t.Fatalf("%q: %v", got.String(), err)
		}
		for i, row := range rows {
			for j, was := range row {
				if was != "" && strings.ContainsRune("=+-@\t\r", rune(was[0])) && !isNumber([]byte(was)) {
					was = "'" + was
				}
				if back[i][j] != was {
					t.Fatalf("%q came back as %q", rows[i][j], back[i][j])
				}
			}
		}
	})
}

// Text of files that is a formula is escaped in CSV files on request, and said; numbers are not.
func TestEscapeFormulas(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "site,=cmd|' /C calc'!A0,b,c\n"
	for i := range 30 {
		text += []string{"+x,1,1,?\n", "-5,0,0,1\n", "ok,1,1,0\n"}[i%3]
	}
	write(t, "t.csv", text)
	must(t, fields("learn t.csv -q -o m.npz -k 1 --meta site")...)
	for _, line := range []string{"explain -m m.npz t.csv --meta site -o out.csv", "predict -m m.npz t.csv --meta site --cells -o out.csv",
		"predict -m m.npz t.csv --meta site -o out.csv", "sample -m m.npz -n 2 -o out.csv"} {
		must(t, fields(line)...)
		plain := read(t, "out.csv")
		o := patchworkCommand(t, fields(line+" --escape-formulas")...)
		got := read(t, "out.csv")
		if o.code != 0 || plain == got || !strings.Contains(o.err, "begin with an apostrophe now") {
			t.Errorf("%s: exit %d, %s", line, o.code, o.err)
		}
		if strings.ReplaceAll(got, "'", "") != strings.ReplaceAll(plain, "'", "") || strings.Contains("\n"+got, "\n+") || strings.Contains("\n"+got, "\n=") {
			t.Errorf("%s: %.200s", line, got)
		}
	}
	if o := patchworkCommand(t, fields("predict -m m.npz t.csv --meta site -o - --escape-formulas")...); o.code != 0 || !strings.Contains(o.out, "'=cmd|") {
		t.Errorf("exit %d, %.200s", o.code, o.out)
	}
}
