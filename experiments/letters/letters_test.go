package letters

import (
	"math"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/testenv"
)

// pen returns a data set of the project's own pen-stroke letters.
func pen(t *testing.T, letters string, writers int) *dataset.Set {
	t.Helper()
	s, err := synth.Letters(synth.LettersOptions{Letters: letters, Writers: writers, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	y, writer := make([]string, len(s.Images)), make([]int64, len(s.Images))
	for i, item := range s.Truth.Items {
		y[i], writer[i] = string(item.Letter), int64(item.Writer)
	}
	return &dataset.Set{Data: patchwork.Data{Images: s.Images},
		Meta: []dataset.Labels{dataset.LabelsOf("y", y), dataset.LabelsOf("writer", writer)}}
}

// TestStrokesBeatOneTemplate is a small version of the ledger's experiment:
// strokes explain letters of unseen writers better than one template does.
func TestStrokesBeatOneTemplate(t *testing.T) {
	if testing.Short() {
		t.Skip("learns a letter, some seconds")
	}
	r, err := Run(t.Context(), pen(t, "T", 50), Task{Letter: "T", Experts: 2, LastTrainer: 10},
		Options{Seed: 1, Starts: 4, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Hybrid < r.Mean+.01 {
		t.Errorf("held-out log-likelihood a pixel: strokes %.4f, mean + shift + rotation %.4f", r.Hybrid, r.Mean)
	}
	if r.Hybrid < r.Truncated {
		t.Errorf("refining lowered the held-out likelihood: %.4f after %.4f", r.Hybrid, r.Truncated)
	}
}

func TestTIsTwoBars(t *testing.T) {
	if testing.Short() {
		t.Skip("learns a letter, some seconds")
	}
	images, chosen, bars, starts := pen(t, "T", 16).Images, 0, 0, 0
	sets := 1
	if testenv.Long() {
		sets = 4
	}
	for set := range sets {
		b, err := RunBars(t.Context(), images, set, Options{Seed: 1, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if b.Starts[b.Chosen] {
			chosen++
		}
		for _, ok := range b.Starts {
			starts++
			if ok {
				bars++
			}
		}
	}
	if 4*chosen < 3*sets || 2*bars < starts {
		t.Errorf("two bars in %d of %d sets, and from %d of %d starts", chosen, sets, bars, starts)
	}
}

func TestShapeOf(t *testing.T) {
	const side = 56
	draw := func(degrees, length, width float64) []float64 {
		p := make([]float64, side*side)
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		for i := range p {
			y, x := float64(i/side)-27.5, float64(i%side)-27.5
			if along, across := x*cos+y*sin, y*cos-x*sin; math.Abs(along) <= length/2 && math.Abs(across) <= width/2 {
				p[i] = .9
			}
		}
		return p
	}
	for _, c := range []struct {
		degrees, length, width float64
		bar, upright           bool
	}{
		{0, 40, 5, true, false}, {90, 40, 5, true, true}, {20, 40, 5, true, false}, {110, 40, 5, true, true},
		{45, 40, 5, false, true}, // neither level nor upright
		{0, 20, 10, false, false}, {90, 6, 2, false, true},
	} {
		s := ShapeOf(draw(c.degrees, c.length, c.width), side)
		off := math.Abs(s.Direction - c.degrees)
		if off = min(off, 180-off); off > 3 {
			t.Errorf("a bar at %v degrees lies at %.1f", c.degrees, s.Direction)
		}
		if s.Bar() != c.bar || c.degrees != 45 && s.upright() != c.upright {
			t.Errorf("%+v: %+v, bar %v", c, s, s.Bar())
		}
	}
	if s := ShapeOf(make([]float64, side*side), side); s.Bar() || s.Pixels != 0 {
		t.Errorf("an empty template is %+v", s)
	}
}
