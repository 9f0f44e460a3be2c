package sklearn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork/experiments/python"
	"example.com/patchwork/internal/testenv"
)

// ask asks, or skips the test where there is no scikit-learn.
func ask(t *testing.T, op string, question, answer any) error {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: starts Python")
	}
	err := Ask(t.Context(), op, question, answer)
	if missing := new(python.MissingError); errors.As(err, &missing) {
		t.Skip(err)
	}
	return err
}

// bars draws rows of 9 bits: each of six bars of a square of 3 x 3 is on in a third of them.
func bars(n int) (rows [][]float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		row := make([]float64, 9)
		for bar := range 6 {
			if rng.IntN(3) > 0 {
				continue
			}
			for i := range 3 {
				if bar < 3 {
					row[3*bar+i] = 1
				} else {
					row[3*i+bar-3] = 1
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// What models say of test rows is near to these, and from rounded codes less so.
func TestUnits(t *testing.T) {
	all := bars(300)
	train, test := all[:200], all[200:]
	off := func(said [][]float64) (sum float64) {
		for i, x := range test {
			for d, v := range x {
				sum += math.Abs(v-said[i][d]) / 900
			}
		}
		return sum
	}
	models := []string{"NMF", "dictionary"}
	if testenv.Long() {
		models = append(models, "RBM", "logistic PCA")
	}
	for _, model := range models {
		var a struct {
			Templates, Said, Rounded [][]float64
			Errors                   []float64
		}
		question := map[string]any{"model": model, "train": train, "test": test, "units": 6, "seed": 1, "rate": .3,
			"alpha": .1, "nonzeros": 0, "errors": []int{}}
		if model == "dictionary" {
			question["errors"] = []int{1, 6}
		}
		if err := ask(t, "units", question, &a); err != nil {
			t.Fatal(err)
		}
		said, rounded := off(a.Said), off(a.Rounded)
		if len(a.Templates) != 6 || len(a.Templates[0]) != 9 || said > .25 || rounded < said-.02 {
			t.Errorf("%s: %d templates, off by %v, rounded %v", model, len(a.Templates), said, rounded)
		}
		if model == "dictionary" && !(a.Errors[1] < a.Errors[0]) {
			t.Errorf("more coefficients, larger errors: %v", a.Errors)
		}
	}
}

// NMF finds the bars.
func TestParts(t *testing.T) {
	var a map[string][][]float64
	if err := ask(t, "parts", map[string]any{"rows": bars(200), "k": 6, "signed": false}, &a); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, u := range a["NMF"] {
		var size, most float64
		for _, v := range u {
			size, most = size+v, max(most, v)
		}
		if math.Abs(size/most-3) < .8 {
			found++
		}
	}
	if len(a) < 5 || found < 5 {
		t.Errorf("%d methods; %d of 6 bars: %v", len(a), found, a["NMF"])
	}
}

// Of mixtures the one with as many components as there are groups is chosen, and the
// density of factors is that of the normal distribution that rows come from.
func TestDensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var groups, one [][]float64
	for range 600 {
		g := float64(10 * rng.IntN(3))
		groups = append(groups, []float64{g + rng.NormFloat64(), rng.NormFloat64()})
		x := rng.NormFloat64()
		one = append(one, []float64{x + .5*rng.NormFloat64(), x + .5*rng.NormFloat64(), rng.NormFloat64()})
	}
	density := func(rows [][]float64, sizes map[string][]int) (a map[string][2]float64) {
		err := ask(t, "density", map[string]any{"train": rows[:300], "test": rows[300:], "floor": .01, "sizes": sizes}, &a)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := density(groups, map[string][]int{"mixture": {1, 3, 40}}); a["mixture"][1] != 3 {
		t.Errorf("three groups: %v", a)
	}
	// Of the covariance (1.25 1; 1 1.25), 1: the entropy of the normal distribution.
	want := -.5 * (3*math.Log(2*math.Pi*math.E) + math.Log(1.25*1.25-1))
	a := density(one, map[string][]int{"factor analysis": {1}, "PPCA": {1}})
	if math.Abs(a["factor analysis"][0]-want) > .15 || a["PPCA"][0] > a["factor analysis"][0]+.02 {
		t.Errorf("%v, want %v", a, want)
	}
}

func TestAskRefuses(t *testing.T) {
	var a any
	if err := ask(t, "parts", map[string]any{}, &a); err == nil || !strings.Contains(err.Error(), "KeyError") {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := Ask(ctx, "table", nil, &a); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
