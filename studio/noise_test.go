package studio

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

// noisyScenes returns a model of scenes with two parts, and images that show both with
// 15 % of the pixels flipped.
func noisyScenes(t *testing.T) (*patchwork.Model, *dataset.Set) {
	t.Helper()
	c := patchwork.Config{Rule: patchwork.RuleMax, Height: 9, Width: 9, Q: 0.01, Scene: true}
	bar := func(upright bool) []float64 {
		out := make([]float64, 81)
		for i := range out {
			if at := [2]int{i / 9, i % 9}; at[0]/3 == 1 && !upright || at[1]/3 == 1 && upright {
				out[i] = 0.98
			}
		}
		return out
	}
	m, err := patchwork.NewModel(c, [][]float64{bar(false), bar(true)})
	if err != nil {
		t.Fatal(err)
	}
	set, rng := &dataset.Set{}, rand.New(rand.NewPCG(1, 2))
	for range 3 {
		img := bitmap.New(30, 30)
		for k := range 2 {
			y, x := rng.IntN(22), rng.IntN(22)
			for i, p := range m.Template(k) {
				if p > 0.5 {
					img.Set(y+i/9, x+i%9, true)
				}
			}
		}
		for i := range 900 {
			if rng.Float64() < 0.15 {
				img.Set(i/30, i%30, !img.At(i/30, i%30))
			}
		}
		set.Images = append(set.Images, img)
	}
	return m, set
}

// TestScenesTellTheirNoise checks that explain learns the noise of scenes, that
// their numbers and the steps of the details are those under it.
func TestScenesTellTheirNoise(t *testing.T) {
	m, set := noisyScenes(t)
	s := newServer(t, func(o *Options) { o.Models = []NamedModel{{Name: "scenes", Model: workbench.Bits{Model: m}}} })
	p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	body := explainRequest{Model: "m1", Images: wire(set), Detail: true}
	got := ask[struct {
		Rows []struct {
			explained
			LogLik           float64 `json:"log_lik"`
			Missing, Clutter float64
			Detail           detail
		}
	}](t, s, request{path: "/v1/explain", body: body}, 200)
	for i, img := range set.Images {
		e, err := p.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		g := got.Rows[i]
		if g.Missing+g.Clutter == 0 || g.Missing != e.Missing || g.Clutter != e.Clutter ||
			g.LogLik != e.LogLik {
			t.Errorf("image %d: noise %v, %v, log-likelihood %v; the core has %+v", i, g.Missing, g.Clutter,
				g.LogLik, e)
		}
		if n := len(g.Detail.Steps); n == 0 ||
			math.Abs(float64(g.Detail.Steps[n-1].LogLik)-e.LogLik) > 1e-9*math.Abs(e.LogLik) {
			t.Errorf("image %d: the last of %d steps does not end at %v", i, n, e.LogLik)
		}
	}
}
