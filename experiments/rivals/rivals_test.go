package rivals

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/patchwork/experiments/quadrants"
	"example.com/patchwork/experiments/sklearn"
	"example.com/patchwork/internal/testenv"
)

// untimed returns the results without the parts that depend on the clock and
// the workers.
func untimed(r Results) Results {
	r.Options.Workers = 0
	for _, c := range r.Curves {
		for i := range c.Points {
			c.Points[i].Took = 0
		}
	}
	return r
}

// python skips a test that starts Python with -short, and where there is no scikit-learn.
func python(t *testing.T) {
	t.Helper()
	if testing.Short() || !sklearn.Available() {
		t.Skip("-short, or no scikit-learn")
	}
}

// TestQuick is a small version of the comparison: which models are better, and
// which units are pure.
func TestQuick(t *testing.T) {
	testenv.Slow(t)
	python(t)
	res, err := Run(t.Context(), Options{Seed: 1, Quick: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]Measure{}
	for i, c := range res.Curves {
		if c.Name != Names[i] || len(c.Points) != 2 || c.Points[1].N != 100 {
			t.Fatalf("curve %d: %s with %d points", i, c.Name, len(c.Points))
		}
		m := c.Points[1].Median
		at[c.Name] = m
		if m.Excess < -4 || m.Excess > 9 || m.RoundedCrossEntropy < m.CrossEntropy-1e-9 || m.L2 > 8 || m.Purity < 0.25 ||
			m.Purity > 1 {
			t.Errorf("%s: %+v", c.Name, m)
		}
		if len(c.Templates) != 8 || len(c.Reconstructions) != len(res.Samples) || len(c.Reconstructions[0]) != 36 {
			t.Errorf("%s: %d templates, %d reconstructions", c.Name, len(c.Templates), len(c.Reconstructions))
		}
		if early := c.Points[0].Median; early.CrossEntropy < m.CrossEntropy {
			t.Errorf("%s: %v from 20 images, %v from 100", c.Name, early.CrossEntropy, m.CrossEntropy)
		}
	}
	if o := at[Default]; o.Excess > 1.2 || o.Purity < 0.95 || o.L2 > 4.8 || o.RoundedL2 != o.L2 {
		t.Errorf("default: %+v", o)
	}
	for _, name := range []string{DAETied, RBM, Mixture, Lasso, Paper} {
		if at[name].CrossEntropy < at[Default].CrossEntropy+1 {
			t.Errorf("%s is as good as the default: %+v", name, at[name])
		}
	}
	for _, name := range []string{DAETied, DAEUntied, RBM, Lasso, LogPCA, Mixture} {
		if at[name].Purity > 0.6 {
			t.Errorf("%s does not mix quadrants: %v", name, at[name].Purity)
		}
	}
	if at[NMF].Purity < 0.7 {
		t.Errorf("NMF mixes quadrants: %v", at[NMF].Purity)
	}
	last := math.Inf(1)
	for _, n := range res.Nonzeros {
		if n.Median >= last || n.Low > n.Median || n.Median > n.High {
			t.Errorf("nonzeros: %+v", res.Nonzeros)
		}
		last = n.Median
	}
	if truth := res.Truth[1].Median; truth.Purity != 1 || math.Abs(truth.L2-4.5) > 0.3 || truth.Excess != 0 ||
		len(res.Nonzeros) != 5 {
		t.Errorf("truth: %+v", truth)
	}
}

// TestAsInQuadrants: the sets and the measure of our models are those of
// experiments/quadrants.
func TestAsInQuadrants(t *testing.T) {
	res, err := Run(t.Context(), Options{Seed: 5, Sizes: []int{50}, Sets: 2, Test: 100, TuneSets: 1,
		Models: []string{Paper}})
	if err != nil {
		t.Fatal(err)
	}
	for set, m := range res.Curves[0].Points[0].Sets {
		want, err := quadrants.Learn(t.Context(), quadrants.Options{N: 50, Test: 100, Seed: 5, Paper: true}, set)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(m.CrossEntropy-want.CrossEntropy) > 1e-6 ||
			math.Abs(res.Truth[0].Sets[set].CrossEntropy-want.Truth) > 1e-6 {
			t.Errorf("set %d: %+v, there %v, truth %v", set, m, want.CrossEntropy, want.Truth)
		}
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	python(t)
	o := Options{Seed: 3, Sizes: []int{20, 30}, Sets: 3, Test: 50, Quick: true, Models: []string{NMF, Mixture}}
	if testenv.Long() {
		o.Models = append(o.Models, DAEUntied, RBM, FourAtoms)
	}
	one, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Workers = 2 // each has a Python of its own, which takes seconds to start
	two, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(untimed(one), untimed(two)) {
		t.Error("two workers came to other results than one")
	}
}

// TestTuneRounded: the best settings for unrounded codes are not the best for
// rounded ones; tuning for rounded codes finds better ones.
func TestTuneRounded(t *testing.T) {
	testenv.Slow(t)
	o := Options{Seed: 1, Sizes: []int{200}, Sets: 2, Test: 200, TuneSets: 1, Models: []string{DAEUntied}, Workers: 2}
	plain, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.TuneRounded = true
	rounded, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	a, b := plain.Curves[0].Points[0], rounded.Curves[0].Points[0]
	if a.Setting == b.Setting || b.Median.RoundedCrossEntropy > a.Median.RoundedCrossEntropy {
		t.Errorf("%s: %+v; tuned for rounded codes %s: %+v", a.Setting, a.Median, b.Setting, b.Median)
	}
}

func TestPurity(t *testing.T) {
	// 4 x 4: all in the top right quadrant; three to one; nothing at all.
	one, mix, none := make([]float64, 16), make([]float64, 16), make([]float64, 16)
	one[2], one[7] = -3, 1
	mix[0], mix[15] = 1, -3
	if p := purity([][]float64{one}, 4); p != 1 {
		t.Errorf("one quadrant: %v", p)
	}
	if p := purity([][]float64{mix, none, one}, 4); p != (0.75+1)/2 {
		t.Errorf("three to one, nothing, and one quadrant: %v", p)
	}
	if p := purity([][]float64{none}, 4); !math.IsNaN(p) {
		t.Errorf("nothing: %v", p)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, o := range []Options{{Models: []string{"perceptron"}}, {Sizes: []int{0}}, {Sizes: []int{}}, {Sets: -1}} {
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Run(ctx, Options{Quick: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestReport(t *testing.T) {
	python(t)
	res, err := Run(t.Context(), Options{Seed: 1, Sizes: []int{20}, Sets: 1, Test: 20, Quick: true,
		Models: []string{RBM, Lasso}})
	if err != nil {
		t.Fatal(err)
	}
	res.Curves[0].Points[0].Took = time.Second
	var out bytes.Buffer
	res.Print(&out)
	for _, want := range []string{"| truth |", "| RBM |", "| sparse coding, lasso |", "N=20", "rate 0.3 1.000 s",
		"nearest to 100: 1: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
