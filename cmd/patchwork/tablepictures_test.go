package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// meadows returns a table of sites with two groups of four species each, which do not
// occur together, and a column that is the same everywhere.
func meadows(rows int) string {
	var b strings.Builder
	b.WriteString("land,Poa,Bellis,Trifolium,Plantago,Salix,Carex,Juncus,Caltha\n")
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range rows {
		b.WriteString("Norway")
		for x := range 8 {
			on := x/4 == i%2 == (rng.IntN(12) > 0)
			fmt.Fprintf(&b, ",%d", map[bool]int{true: 1}[on])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestTablePictures: the parts of a table and its samples stand under the names of its
// columns, samples can be read back as the table they are, and score speaks of rows.
func TestTablePictures(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "sites.csv", meadows(60))
	mustTalking(t, fields("learn sites.csv -o m.npz -k 2")...)
	must(t, fields("show m.npz -o parts.svg")...)
	must(t, fields("sample -m m.npz -n 5 -o samples.svg")...)
	must(t, fields("sample -m m.npz -n 5 -o p.svg")...)
	must(t, fields("explain -m m.npz sites.csv --rows 1:3 -o e.jsonl --picture rows.svg")...)
	must(t, fields("explain -m m.npz sites.csv --rows 1 -o e.jsonl --picture row.svg")...)
	for file, says := range map[string]string{"rows.svg": "composed, ", "row.svg": "1: part"} {
		if text := read(t, file); !strings.Contains(text, "Poa") || !strings.Contains(text, "Caltha") ||
			!strings.Contains(text, says) {
			t.Errorf("%s lacks the names of columns, or %q", file, says)
		}
	}
	for _, file := range []string{"parts.svg", "samples.svg", "p.svg"} {
		for _, name := range []string{"Poa", "Caltha", "part 1"} {
			if !strings.Contains(read(t, file), name) {
				t.Errorf("%s does not name %s", file, name)
			}
		}
	}
	if out := must(t, fields("show m.npz")...); !strings.Contains(out, "Salix ") ||
		!strings.Contains(out, "part 1, ") {
		t.Errorf("show in the terminal:\n%s", out)
	}
	if out := must(t, fields("sample -m m.npz -n 5")...); strings.Count(out, "\n") != 5 || !strings.Contains(out, "1: ") {
		t.Errorf("sample in the terminal:\n%s", out)
	}
	must(t, fields("sample -m m.npz -n 5 -o new.csv")...)
	if text := read(t, "new.csv"); !strings.HasPrefix(text, "Poa,Bellis,Trifolium,Plantago,Salix,Carex,Juncus,Caltha\n") ||
		strings.Count(text, "\n") != 6 {
		t.Errorf("samples as CSV:\n%s", text)
	}
	if out := must(t, fields("score -m m.npz new.csv --hide 0.2")...); !strings.HasPrefix(out,
		"rows                      5\nlog-likelihood per row ") ||
		!strings.Contains(out, "bits per cell") || strings.Contains(out, "image") || strings.Contains(out, "pixel") {
		t.Errorf("score of a table:\n%s", out)
	}
	if out := mustTalking(t, fields("show sites.csv --column land=label")...); !strings.Contains(out, "\nrow 1  ") ||
		strings.Contains(out, "\nNorway  ") {
		t.Errorf("rows called by a column that is the same everywhere:\n%s", out)
	}
	smallLetters(t)
	must(t, learnSmall("letters.npz")...)
	if o := patchworkCommand(t, fields("sample -m letters.npz -o new.csv")...); o.code != exitRequest ||
		!testenv.Said(t, o.err) {
		t.Errorf("images as CSV: %+v", o)
	}
}

// TestFewerPartsThanAsked: the reason for fewer parts is the true one, and their
// description is as short as if the number had been found out.
func TestFewerPartsThanAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "sites.csv", meadows(60))
	out := mustTalking(t, fields("learn sites.csv -o m.npz -k 60")...)
	if !strings.Contains(out, "of the 60 parts asked for: others explain less than their votes cost") ||
		!strings.Contains(out, "description length  ") {
		t.Errorf("the reason is missing:\n%s", out)
	}
	length := func(k string) float64 {
		var r learnReport
		if err := json.Unmarshal([]byte(mustTalking(t, fields("learn sites.csv -o m.npz --json -k "+k)...)), &r); err != nil {
			t.Fatal(err)
		}
		return float64(r.Length)
	}
	if auto, many := length("auto"), length("60"); many > auto {
		t.Errorf("60 parts allowed: %.2f nats, found out: %.2f", many, auto)
	}
}
