package real

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

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
