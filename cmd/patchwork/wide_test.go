package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// basketsFile writes lists of items: of 400, those of the groups that each has, and some at random.
func basketsFile(t *testing.T, rows int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range rows {
		items := map[int]bool{rng.IntN(400): true}
		for k := range 5 {
			if rng.Float64() < 0.7 {
				continue
			}
			for j := range 8 {
				items[10*k+j] = rng.Float64() < 0.9
			}
		}
		var line []string
		for i := range 400 {
			if items[i] {
				line = append(line, fmt.Sprintf("item%03d", i))
			}
		}
		b.WriteString(strings.Join(line, ",") + "\n")
	}
	path := filepath.Join(t.TempDir(), "baskets.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A wide table of lists is learned as such, and every command takes the model or says what does.
func TestWideTables(t *testing.T) {
	data := basketsFile(t, 400)
	m := filepath.Join(t.TempDir(), "m.npz")
	first := patchworkCommand(t, "learn", data, "--items", "-o", m)
	if !strings.Contains(first.out, "by lists of what is on") || !strings.Contains(first.out, "learned 5 parts") {
		t.Fatalf("learn says %q", first.out)
	}
	if out := patchworkCommand(t, "show", m).out; !strings.Contains(out, "item000") {
		t.Errorf("show says %q", out)
	}
	scores := patchworkCommand(t, "score", "-m", m, data, "--json").out
	learned := patchworkCommand(t, "show", m, "--json").out
	length := learned[strings.Index(learned, `"description_length"`):]
	length, _, _ = strings.Cut(strings.TrimPrefix(length, `"description_length":`), ".")
	if !strings.Contains(scores, strings.TrimSpace(length)) {
		t.Errorf("score says %s, learning %s nats", scores, length)
	}
	if out := patchworkCommand(t, "explain", "-m", m, data, "--rows", ":3").out; strings.Count(out, "\n") != 3 {
		t.Errorf("explain says %q", out)
	}
	next := patchworkCommand(t, "predict", "-m", m, data, "--top", "2", "--rows", ":4", "-o", "-").out
	cells, err := csv.NewReader(strings.NewReader(next)).ReadAll()
	if err != nil || len(cells) != 9 || strings.Join(cells[0], ",") != "row,column,probability" {
		t.Errorf("predict --top says %q", next)
	}
	if out := patchworkCommand(t, "sample", "-m", m, "-n", "50", "--seed", "2").out; strings.Count(out, "item0") < 100 {
		t.Errorf("sample says %q", out)
	}
	if r := patchworkCommand(t, "report", "-m", m, data, "-o", filepath.Join(t.TempDir(), "r.html")); r.code == 0 ||
		!strings.Contains(r.err, "wide table") {
		t.Errorf("report: %d, %q", r.code, r.err)
	}
}
