package rivals

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork/table"
)

// Every number of a measure is a figure, once.
func TestFiguresAreTheMeasure(t *testing.T) {
	var m Measure
	fields := reflect.ValueOf(&m).Elem()
	for i, f := range Figures {
		*f.Of(&m) = float64(i + 1)
	}
	var seen []float64
	for i := range fields.NumField() {
		seen = append(seen, fields.Field(i).Float())
	}
	slices.Sort(seen)
	if len(seen) != len(Figures) || seen[0] != 1 || seen[len(seen)-1] != float64(len(Figures)) {
		t.Errorf("%v", seen)
	}
}

func TestQuartiles(t *testing.T) {
	p := Point{}
	for _, v := range []float64{5, 1, 2, 4, 3} {
		p.Sets = append(p.Sets, Measure{L2: v})
	}
	if p.summarise(); p.Low.L2 != 2 || p.Median.L2 != 3 || p.High.L2 != 4 || p.Median.Excess != 0 {
		t.Errorf("%v, %v, %v", p.Low, p.Median, p.High)
	}
}

// The posterior of components is that of Bayes.
func TestPosterior(t *testing.T) {
	m := &table.Mixture{Share: []float64{.25, .75}, Components: [][]float64{{.9, .5}, {.1, .5}}}
	post := make([]float64, 2)
	posterior(m, []float64{1, 0}, post)
	if want := .25 * .9 / (.25*.9 + .75*.1); math.Abs(post[0]-want) > 1e-12 || math.Abs(post[0]+post[1]-1) > 1e-12 {
		t.Errorf("%v, want %v", post, want)
	}
}

// The cross-entropy is that of independent bits, and cut where a probability is 0.
func TestCrossEntropy(t *testing.T) {
	if got, want := crossEntropy([]float64{1, 0}, []float64{.8, .3}, 1e-9),
		-math.Log(.8)-math.Log(.7); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := crossEntropy([]float64{1}, []float64{0}, .01); math.Abs(got+math.Log(.01)) > 1e-12 {
		t.Errorf("an impossible bit costs %v", got)
	}
	if SquaredError([]float64{1, 2}, []float64{0, 4}) != 5 {
		t.Error("squared error")
	}
}

// Settings are chosen for each size, and said in words.
func TestTrials(t *testing.T) {
	r := &run{Options: Options{Sizes: []int{20, 50}},
		models: []rival{{settings: rbmSettings}, {}, {settings: daeSettings}}}
	trials := r.trials()
	if len(trials) != 2*5+2*12 || trials[0].model != 0 || trials[len(trials)-1].model != 2 ||
		trials[len(trials)-1].size != 1 {
		t.Errorf("%d trials", len(trials))
	}
	for s, want := range map[setting]string{{}: "", {rate: .3}: "rate 0.3", {.1, .05}: "rate 0.1, corruption 0.05"} {
		if s.String() != want {
			t.Errorf("%q, want %q", s, want)
		}
	}
	if at := Nearest([]int{20, 90, 120, 1000}); at != 1 {
		t.Errorf("nearest to 100 is size %d", at)
	}
}
