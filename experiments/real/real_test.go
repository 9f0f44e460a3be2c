package real

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/experiments/python"
	"example.com/patchwork/internal/testenv"
	model "example.com/patchwork/learn/real"
)

// TestLogDensityIsADensity: the truth's density of quadrants integrates to the density of the rest.
func TestLogDensityIsADensity(t *testing.T) {
	s := Quadrants(1, 2, .5, rand.New(rand.NewPCG(1, 1)))
	row := s.Rows[0]
	at := func(x float64) float64 {
		r := append([]float64(nil), row...)
		r[7] = x
		return s.LogDensity(r)
	}
	total := 0.0
	for x := -12.0; x < 12; x += .01 {
		total += math.Exp(at(x)-s.LogDensity(row)) * .01
	}
	// The ratio to a row whose pixel is what it is, integrated: 1 over the conditional density there, so finite and
	// larger than what one point has.
	if !(total > 0) || math.IsInf(total, 0) {
		t.Errorf("the density integrates to %v", total)
	}
	mean := 0.0
	many := Quadrants(400, 2, 1, rand.New(rand.NewPCG(2, 1)))
	for _, r := range many.Rows {
		mean += many.LogDensity(r) / 400
	}
	// Entropy: 36 values of noise 1, and 4 choices of ln 2 * 3/2.
	if want := -36*1.4189 - 4*1.5*math.Ln2; math.Abs(mean-want) > 1 {
		t.Errorf("mean log-density %v, minus the entropy is %v", mean, want)
	}
}

// TestBarsOverlap: where bars cross, the brighter shows.
func TestBarsOverlap(t *testing.T) {
	s := Bars(50, BarOptions{Side: 4, Rate: 1, SD: 0, Levels: true}, rand.New(rand.NewPCG(3, 1)))
	for d, x := range s.Rows[0] {
		if want := max(s.Truth[d/4][d], s.Truth[4+d%4][d]); x != want {
			t.Fatalf("pixel %d is %v, want %v", d, x, want)
		}
	}
}

// TestRecoveredCounts: the truth is recovered, noise and doubles are not counted.
func TestRecoveredCounts(t *testing.T) {
	s := Bars(1, BarOptions{Side: 3, Rate: .5}, rand.New(rand.NewPCG(4, 1)))
	m := &model.Model{Height: 3, Width: 3, Background: make([]model.Normal, 9)}
	add := func(t []float64, by float64) {
		e := make([]model.Entry, 9)
		for d, x := range t {
			if x != 0 {
				e[d] = model.Entry{Vote: model.MeanOnly, Normal: model.Normal{Mean: x + by}}
			}
		}
		m.Experts = append(m.Experts, e)
	}
	add(s.Truth[0], .1)
	add(s.Truth[0], 0)
	add(s.Truth[1], .5)
	if n := s.Recovered(m, .3, .1); n != 1 {
		t.Errorf("%d recovered, want 1", n)
	}
}

func TestReports(t *testing.T) {
	var b bytes.Buffer
	if err := ReportBars(context.Background(), &b, 1, "5 x 5, sd 0.25"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "| 10.0 of 10 | 1 of 1 | 1 of 1 |") {
		t.Errorf("bars are not found:\n%s", b.String())
	}
}

// TestScenesAreFound: five digits without much noise are found, and a pick too many, too few, or elsewhere is not
// right.
func TestScenesAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var rows [][]float64
	var class []int64
	for c := range 10 {
		row := make([]float64, 784)
		for range 150 {
			row[rng.IntN(784)] = 255
		}
		rows, class = append(rows, row), append(class, int64(c))
	}
	m := GlyphModel(rows, class, 1, 40, .2)
	s := NewScene(m, 5, rng)
	p, err := model.NewPursuit(m)
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Explain(s.Image)
	if err != nil || !s.Found(e.Picks) {
		t.Fatalf("picks %v, shown %v (%v)", e.Picks, s.Truth, err)
	}
	moved := slices.Clone(e.Picks)
	moved[2].Pose.DX += 2
	if s.Found(e.Picks[:4]) || s.Found(append(e.Picks, e.Picks[0])) || s.Found(moved) {
		t.Error("what is not shown is right")
	}
}

// TestRivalsAgainstTheTruth: of rows of one normal distribution, a normal distribution says what can be said.
func TestRivalsAgainstTheTruth(t *testing.T) {
	testenv.Slow(t)
	rng := rand.New(rand.NewPCG(2, 9))
	j := &Job{Floor: []float64{.01, .01}}
	for i := range 600 {
		x := rng.NormFloat64()
		row := []float64{x, x + .5*rng.NormFloat64()}
		if i < 400 {
			j.Train = append(j.Train, row)
			continue
		}
		j.Truth = append(j.Truth, row)
		j.Test = append(j.Test, []float64{row[0], math.NaN()})
	}
	s, err := Rivals(context.Background(), j)
	if missing := new(python.MissingError); errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	full := s["full Gaussian"]
	want := .5*math.Log(2*math.Pi*.25) + .5
	if math.Abs(full.RMSE-.5) > .05 || math.Abs(full.NLL-want) > .1 || math.Abs(full.Known+1.419) > .15 {
		t.Errorf("%+v, want an error of 0.5 and %v nats", full, want)
	}
	if m := s["mixture"]; m.NLL < full.NLL-.05 || m.RMSE > 1 {
		t.Errorf("mixture %+v", m)
	}
}
