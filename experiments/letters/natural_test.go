package letters

import (
	"math"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/gauss"
)

// lines returns a template with straight lines five pixels wide, each from the
// centre of a 56x56 frame, shifted, at an angle clockwise from horizontal.
func lines(angles ...float64) []float64 {
	out := make([]float64, 56*56)
	for n, angle := range angles {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		for i := range out {
			y, x := float64(i/56)-27.5, float64(i%56)-27.5-float64(8*n)
			if along, across := x*cos+y*sin, y*cos-x*sin; math.Abs(along) < 15 && math.Abs(across) < 2.4 {
				out[i] = .9
			}
		}
	}
	return out
}

func TestStrokeOf(t *testing.T) {
	for _, angle := range []float64{0, 17, 45, 90, 133, 179} {
		s := StrokeOf(lines(angle), 56)
		off := math.Abs(s.Direction - angle)
		if !s.Pure() || min(off, 180-off) > 2 {
			t.Errorf("a line at %v degrees: %+v", angle, s)
		}
	}
	for name, template := range map[string][]float64{
		"a corner":        lines(0, 90),
		"a cross":         lines(45, 135),
		"two short lines": append(append(make([]float64, 0, 56*56), lines(90)[:20*56]...), lines(0)[20*56:]...),
		"nothing":         make([]float64, 56*56),
	} {
		if s := StrokeOf(template, 56); s.Pure() {
			t.Errorf("%s is pure: %+v", name, s)
		}
	}
}

// TestNatural: strokes in any order, turned by the mean pose, are accepted;
// corners and strokes in other directions are not.
func TestNatural(t *testing.T) {
	model := func(turn float64, templates ...[]float64) *patchwork.Model {
		cfg := patchwork.NewConfig(patchwork.RuleMax, 56, 56, Poses)
		m, err := patchwork.NewModel(cfg, templates)
		if err != nil {
			t.Fatal(err)
		}
		mean := make([]float64, gauss.PerExpert*len(templates))
		mean[2] = turn
		normal, err := gauss.New(mean, make([]float64, len(mean)*len(mean)))
		if err != nil {
			t.Fatal(err)
		}
		m, err = m.WithExtras(patchwork.Extras{Geometry: &patchwork.Geometry{Normal: normal}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		what   string
		letter string
		m      *patchwork.Model
		want   bool
	}{
		{"two bars", "T", model(0, lines(90), lines(0)), true},
		{"two bars, the other way round", "T", model(0, lines(5), lines(85)), true},
		{"a bar turned upright by its pose", "T", model(50, lines(40), lines(0)), true},
		{"two upright bars", "T", model(0, lines(90), lines(90)), false},
		{"a corner and a bar", "T", model(0, lines(0, 90), lines(0)), false},
		{"three strokes", "T", model(0, lines(90), lines(0), lines(0)), false},
		{"N", "N", model(0, lines(45), lines(88), lines(95)), true},
		{"N with the wrong diagonal", "N", model(0, lines(135), lines(88), lines(95)), false},
	} {
		if got := natural(c.m, c.letter); got != c.want {
			t.Errorf("%s: natural %v: %+v", c.what, got, strokesOf(c.m))
		}
	}
}
