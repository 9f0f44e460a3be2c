package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/patchwork/modelfile"
)

func scoredHidden(t *testing.T, line string) *hiddenReport {
	t.Helper()
	var s scoreReport
	if err := json.Unmarshal([]byte(must(t, fields(line+" --json")...)), &s); err != nil || s.Hidden == nil {
		t.Fatalf("%v: %+v", err, s)
	}
	return s.Hidden
}

// The baseline is that of the training rows, whatever the rows that are scored; a model
// without their means is compared with those of the visible bits, and says so.
func TestScoreHiddenMeans(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "train.csv", "a,b\n"+strings.Repeat("1,1\n", 40)+strings.Repeat("0,0\n", 20))
	write(t, "test.csv", "a,b\n"+strings.Repeat("0,0\n", 30))
	if got := patchworkCommand(t, fields("learn train.csv -o m.npz -k 1")...); got.code != 0 {
		t.Fatal(got.err)
	}
	got := scoredHidden(t, "score -m m.npz test.csv --hide 0.2 --seed 1")
	if want := -math.Log1p(-40.5 / 61); got.MarginalOf != ofTraining || math.Abs(float64(got.Marginal.LogLoss)-want) > 1e-9 || got.Bits == 0 {
		t.Errorf("%d bits, baseline of the %s: %v, want %v", got.Bits, got.MarginalOf, got.Marginal.LogLoss, want)
	}
	m, err := modelfile.Load("m.npz")
	if err != nil {
		t.Fatal(err)
	}
	extras := m.Extras()
	extras.Means = nil // a file of before
	if m, err = m.WithExtras(extras); err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("old.npz", m); err != nil {
		t.Fatal(err)
	}
	old := scoredHidden(t, "score -m old.npz test.csv --hide 0.2 --seed 1")
	if old.MarginalOf != ofVisible || !(old.Marginal.LogLoss < 0.1) || old.Averaged != got.Averaged {
		t.Errorf("baseline of the %s: %v", old.MarginalOf, old.Marginal.LogLoss)
	}
	if text := must(t, fields("score -m old.npz test.csv --hide 0.2 --seed 1")...); !strings.Contains(text, "column means of the visible bits (baseline)") {
		t.Error(text)
	}
}

// Columns that exclude one another are hidden together, so that none gives the others
// away, and predicted together.
func TestScoreHiddenCategories(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "colour,a,b,c\n"
	for i := range 90 {
		on := i / 3 % 2
		text += fmt.Sprintf("%s,%d,%d,%d\n", []string{"red", "green", "blue"}[i%3], on, on, on)
	}
	write(t, "t.csv", text)
	if got := patchworkCommand(t, fields("learn t.csv --categories colour -o m.npz -k 1")...); got.code != 0 {
		t.Fatal(got.err)
	}
	got := scoredHidden(t, "score -m m.npz t.csv --hide 0.25 --seed 1 --by-column")
	colours := int64(0)
	for _, c := range got.Columns {
		if strings.HasPrefix(c.Name, "colour=") {
			if colours == 0 {
				colours = c.Bits
			}
			if c.Bits != colours {
				t.Errorf("%d bits of %s, %d of the first colour", c.Bits, c.Name, colours)
			}
			if math.Abs(float64(c.Marginal)-0.6365) > 0.1 { // log 3 - 2/3 log 2, for thirds
				t.Errorf("the baseline of %s loses %v", c.Name, c.Marginal)
			}
		}
	}
	if want := got.Bits - 3*colours; colours == 0 || want+colours != 90 {
		t.Errorf("%d colours and %d other cells hidden, in 90 rows", colours, want)
	}
}
