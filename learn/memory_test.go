package learn

import (
	"errors"
	"fmt"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// memoryCases returns learners of every kind, on small images.
func memoryCases() map[string]struct {
	cfg patchwork.Config
	opt Options
} {
	grid := pose.Grid{DY: pose.Symmetric(1, 1), DX: pose.Symmetric(1, 1)}
	return map[string]struct {
		cfg patchwork.Config
		opt Options
	}{
		"max-minus-min": {patchwork.NewConfig(patchwork.RuleMaxMinusMin, 4, 4, pose.Grid{}),
			Options{Experts: 2, Starts: 2, Seed: 3}},
		"moving": {patchwork.NewConfig(patchwork.RuleMax, 4, 4, grid),
			Options{Experts: 2, Starts: 3, Seed: 3, Workers: 2}},
		"paper": {PaperConfig(patchwork.RuleMaxMinusMin, 4, 4, pose.Grid{}),
			Options{Experts: 2, Paper: true, Seed: 3}},
		"max": {patchwork.NewConfig(patchwork.RuleMax, 4, 4, pose.Grid{}),
			Options{Experts: 2, Starts: 2, Seed: 3}},
		"moving max-minus-min": {patchwork.NewConfig(patchwork.RuleMaxMinusMin, 4, 4, grid),
			Options{Experts: 2, Starts: 2, Seed: 3, Iterations: 3}},
	}
}

func memoryData() patchwork.Data {
	var d patchwork.Data
	for i := range 12 {
		img := bitmap.New(4, 4)
		for j := range 4 {
			img.Set(j, (i+i/3)%4, i%2 == 0 || j != i%4)
			img.Set(i%4, j, i%3 == 0)
		}
		d.Images, d.Weights = append(d.Images, img), append(d.Weights, int64(1+i%2))
	}
	return d
}

// A model learned with a memory, empty, full or with gaps, is the model learned
// without.
func TestLearningWithAMemory(t *testing.T) {
	for name, c := range memoryCases() {
		t.Run(name, func(t *testing.T) {
			learn := func(d patchwork.Data) *patchwork.Model {
				m, err := Learn(t.Context(), d, c.cfg, c.opt)
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			want := learn(memoryData())
			n := &testkit.Notes{Values: map[string][]byte{}}
			for _, forget := range []int{0, 0, 2, 7} {
				n.Forget = forget
				got := learn(testkit.WithMemory(memoryData(), n))
				if !sameTemplates(got, want) || fmt.Sprint(got.Extras().Record) != fmt.Sprint(want.Extras().Record) {
					t.Fatalf("forgetting every %d: another model", forget)
				}
			}
			if n.Recalled == 0 {
				t.Error("nothing was ever recalled")
			}
		})
	}
}

// What was kept for one model or option is not recalled for another.
func TestMemoryKeys(t *testing.T) {
	cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, 1, 2, pose.Grid{})
	m := func(change func(*patchwork.Config, [][]float64)) *patchwork.Model {
		c, templates := cfg, [][]float64{{.2, .9}, {.5, .1}}
		change(&c, templates)
		out, err := patchwork.NewModel(c, templates)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	key := func(m *patchwork.Model, opt patchwork.PursuitOptions) string {
		n := &testkit.Notes{Values: map[string][]byte{}}
		if _, err := patchwork.EStep(t.Context(), m,
			testkit.WithMemory(patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 2)}}, n), opt, 1, nil); err != nil {
			t.Fatal(err)
		}
		for key := range n.Values {
			return key
		}
		t.Fatal("nothing was kept")
		return ""
	}
	same := func(*patchwork.Config, [][]float64) {}
	keys := map[string]string{}
	for name, key := range map[string]string{
		"plain":  key(m(same), patchwork.PursuitOptions{}),
		"forced": key(m(same), patchwork.PursuitOptions{Forced: true}),
		"costs":  key(m(same), patchwork.PursuitOptions{Costs: []float64{0, 1}}),
		"gain":   key(m(same), patchwork.PursuitOptions{MinGain: 1e-9}),
		"picks":  key(m(same), patchwork.PursuitOptions{MaxPicks: 1}),
		"template": key(m(func(_ *patchwork.Config, t [][]float64) { t[1][0] = .5000000000000001 }),
			patchwork.PursuitOptions{}),
		"q": key(m(func(c *patchwork.Config, _ [][]float64) { c.Q = .4 }), patchwork.PursuitOptions{}),
		"q map": key(m(func(c *patchwork.Config, _ [][]float64) { c.QMap = []float64{.5, .5} }),
			patchwork.PursuitOptions{}),
		"reuse": key(m(func(c *patchwork.Config, _ [][]float64) { c.Reuse = 2 }), patchwork.PursuitOptions{}),
		"poses": key(m(func(c *patchwork.Config, _ [][]float64) { c.Poses.DX = pose.Symmetric(1, 1) }),
			patchwork.PursuitOptions{}),
		"outside": key(m(func(c *patchwork.Config, _ [][]float64) { c.UnknownOutside = false }), patchwork.PursuitOptions{}),
	} {
		if other, ok := keys[key]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		keys[key] = name
	}
}

// A memory that cannot keep ends the work and says why.
func TestBrokenMemory(t *testing.T) {
	full := errors.New("no space left")
	c := memoryCases()["max"]
	_, err := Learn(t.Context(),
		testkit.WithMemory(memoryData(), &testkit.Notes{Values: map[string][]byte{}, Broken: full}), c.cfg, c.opt)
	if !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}
