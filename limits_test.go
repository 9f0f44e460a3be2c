package patchwork_test

// Absurd requests, each of which once did something worse than be refused.

import (
	"math"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// A frame whose product overflows, also with rotations, whose maps must not be
// made before the templates are checked.
func TestFrameOverflowIsRefused(t *testing.T) {
	if _, err := patchwork.NewModel(patchwork.Config{Height: 1 << 32, Width: 1 << 32}, [][]float64{{}}); err == nil {
		t.Error("a frame of 2^32 x 2^32 is accepted with templates of 0 values")
	}
	func() {
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("panic: %v", r)
			}
		}()
		_, _ = patchwork.NewModel(patchwork.Config{Height: 1 << 32, Width: 1 << 32, Poses: pose.Grid{Angles: []float64{5}}}, [][]float64{{}})
	}()
}

// Shift ranges whose length overflows, or would take all memory.
func TestAbsurdRangeIsRefused(t *testing.T) {
	for _, r := range []pose.Range{{Min: math.MinInt, Max: math.MaxInt, Step: 1}, {Min: -1 << 40, Max: 1 << 40, Step: 1}} {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%+v: panic %v", r, p)
				}
			}()
			m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 1, Poses: pose.Grid{DY: r}}, [][]float64{{0.5}})
			if err != nil {
				return
			}
			p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{})
			if err != nil {
				return
			}
			p.Explain(bitmap.Parse("#"))
		}()
	}
}

// Data weights whose sum overflows.
func TestWeightsAddUp(t *testing.T) {
	d := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#"), bitmap.Parse("#")}, Weights: []int64{math.MaxInt64, math.MaxInt64}}
	if err := d.Validate(); err == nil {
		t.Error("weights that add up to more than an int64 are accepted")
	}
	m, _ := patchwork.NewModel(patchwork.Config{Height: 1, Width: 1}, [][]float64{{0.5}})
	tl := patchwork.NewTally(m)
	img := bitmap.Parse("#")
	tl.Add(m, img, &patchwork.Explanation{LogLikModel: -1000}, 1<<40)
	if got := tl.LogLik(); math.Abs(got+1000*math.Pow(2, 40)) > 1e6 {
		t.Errorf("log-likelihood of 2^40 images of -1000 nats is %v", got)
	}
}

// No pursuit makes more picks than Compose can tell apart.
func TestPicksAreLimited(t *testing.T) {
	c := patchwork.Config{Height: 1, Width: 1, Q: 0.1, Scene: true, Reuse: 1 << 20}
	if got := (patchwork.PursuitOptions{}).WithDefaults(&c).MaxPicks; got != math.MaxInt16 {
		t.Errorf("at most %d picks", got)
	}
	m := testkit.MustModel(t, c, [][]float64{{0.9}})
	if _, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{MaxPicks: math.MaxInt16 + 1}); err == nil {
		t.Error("more picks than that may be asked for")
	}
}

// The first image that does not fit is named, for any number of workers.
func TestFirstBadImageIsNamed(t *testing.T) {
	m, _ := patchwork.NewModel(patchwork.Config{Height: 1, Width: 1, Q: 0.1}, [][]float64{{0.5}})
	images := make([]*bitmap.Image, 20000)
	for i := range images {
		images[i] = bitmap.Parse("#")
	}
	images[19990], images[9000] = bitmap.New(2, 2), bitmap.New(2, 2)
	seen := map[string]int{}
	for range 200 {
		_, err := patchwork.Explain(t.Context(), m, patchwork.Data{Images: images}, patchwork.PursuitOptions{}, 7, nil)
		name, _, _ := strings.Cut(err.Error(), ":")
		seen[name]++
	}
	if len(seen) > 1 {
		t.Errorf("named: %v", seen)
	}
}
