package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/workbench"
)

func scoredHidden(t *testing.T, line string) *workbench.HiddenBits {
	t.Helper()
	var s struct {
		Hidden *workbench.HiddenBits `json:"hidden"`
	}
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
	if want := -math.Log1p(-40.5 / 61); got.MarginalOf != "training rows" ||
		math.Abs(float64(got.Marginal.LogLoss)-want) > 1e-9 || got.Bits == 0 {
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
	if old.MarginalOf != "visible bits" || !(old.Marginal.LogLoss < 0.1) || old.Averaged != got.Averaged {
		t.Errorf("baseline of the %s: %v", old.MarginalOf, old.Marginal.LogLoss)
	}
	if text := must(t, fields("score -m old.npz test.csv --hide 0.2 --seed 1")...); !strings.Contains(text,
		"column means of the visible bits (baseline)") {
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
	if got := patchworkCommand(t, fields("learn t.csv --column colour=category -o m.npz -k 1")...); got.code != 0 {
		t.Fatal(got.err)
	}
	got := scoredHidden(t, "score -m m.npz t.csv --hide 0.25 --seed 1")
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

// Hard learning keeps the means of the columns as well, in memory and of streams, and so
// does the exact cover: a baseline of the training rows.
func TestScoreHiddenMeansOfHard(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "train.csv", "a,b\n"+strings.Repeat("1,1\n", 40)+strings.Repeat("0,?\n", 20))
	write(t, "long.csv", "a,b\n"+strings.Repeat("1,1\n", 4000)+strings.Repeat("0,?\n", 2000))
	write(t, "whole.csv", "a,b\n"+strings.Repeat("1,1\n", 40)+strings.Repeat("0,0\n", 20))
	for file, line := range map[string]string{
		"hard.npz":   "learn train.csv -o hard.npz -k 1 --method batch",
		"online.npz": "learn long.csv -o online.npz -k 1 --method online --memory 64KiB",
		"stream.npz": "learn long.csv -o stream.npz -k 1 --method batch --memory 64KiB",
		"exact.npz":  "exact whole.csv --model exact.npz",
	} {
		if got := patchworkCommand(t, fields(line)...); got.code != 0 {
			t.Fatalf("%s: %s", line, got.err)
		}
		m, err := modelfile.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{40.5 / 61, 40.5 / 41}
		switch file {
		case "online.npz", "stream.npz":
			want = []float64{4000.5 / 6001, 4000.5 / 4001}
		case "exact.npz":
			want[1] = 40.5 / 61
		}
		testkit.NearAll(t, file, m.Extras().Means, want, 1e-12)
	}
}

// The predictions of a category that is unknown add up to 1; those of its columns alone
// do not.
func TestPredictCategories(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "colour,a,b,c\n"
	for i := range 90 {
		text += fmt.Sprintf("%s,%d,%d,%d\n", []string{"red", "green", "blue"}[i%3], i/3%2, i%3/2, i%2)
	}
	write(t, "t.csv", text)
	write(t, "q.csv", "colour,a,b,c\n?,1,0,1\nred,?,0,1\n?,0,1,?\n")
	for _, line := range []string{"learn t.csv --column colour=category -o m.npz -k 2 --aim predict",
		"predict -m m.npz q.csv -o p.csv", "predict -m m.npz q.csv --cells -o c.csv"} {
		if got := patchworkCommand(t, fields(line)...); got.code != 0 {
			t.Fatalf("%s: %s", line, got.err)
		}
	}
	sums := make(map[string]float64)
	for _, line := range strings.Split(strings.TrimSpace(read(t, "c.csv")), "\n")[1:] {
		cell := strings.Split(line, ",")
		if strings.HasPrefix(cell[1], "colour=") {
			p, err := strconv.ParseFloat(cell[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			sums[cell[0]] += p
		}
	}
	if len(sums) != 2 || math.Abs(sums["1"]-1) > 1e-5 || math.Abs(sums["3"]-1) > 1e-5 {
		t.Errorf("sums of the unknown colours by row: %v", sums)
	}
	rows := strings.Split(strings.TrimSpace(read(t, "p.csv")), "\n")
	sum := 0.0
	for _, cell := range strings.Split(rows[1], ",")[1:4] {
		p, _ := strconv.ParseFloat(cell, 64)
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 || !strings.HasPrefix(rows[2], "1,0,0,1,") {
		t.Errorf("sum %v of %s", sum, rows[1:])
	}
}
