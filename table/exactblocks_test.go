package table

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// productTable returns n rows of width columns, the Boolean product of random bits of k
// parts, about a quarter ones, with a share of the cells flipped.
func productTable(n, width, k int, flips float64, seed uint64) patchwork.Data {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := math.Sqrt(1 - math.Pow(0.75, 1/float64(k)))
	parts := make([][]bool, k)
	for j := range parts {
		parts[j] = make([]bool, width)
		for d := range parts[j] {
			parts[j][d] = rng.Float64() < p
		}
	}
	var data patchwork.Data
	for range n {
		x := make([]uint8, width)
		for _, part := range parts {
			if rng.Float64() < p {
				for d, on := range part {
					if on {
						x[d] = 1
					}
				}
			}
		}
		for d := range x {
			if rng.Float64() < flips {
				x[d] = 1 - x[d]
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, width, x))
	}
	return data
}

// Exact blocks stay the start in the record where a prior over sets of parts is learned beside them.
func TestExactBlocksWithSetPrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	parts := make([][]bool, 10)
	for j := range parts {
		parts[j] = make([]bool, 40)
		for d := range parts[j] {
			parts[j][d] = rng.Float64() < 0.2
		}
	}
	var data patchwork.Data
	for range 80 {
		x, on := make([]uint8, 40), false
		for j, part := range parts {
			if j%2 == 0 { // the next one comes with it
				on = rng.Float64() < 0.2
			} else if rng.Float64() < 0.1 {
				on = !on
			}
			for d, has := range part {
				if on && has {
					x[d] = 1
				}
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, 40, x))
	}
	l := &learner{cfg: patchwork.Config{Height: 1, Width: 40, ZeroQ: true}, opt: Options{}.WithDefaults(),
		yield: func(Step, error) bool { return true }}
	l.learnFrom(data)
	l.best.DescriptionLength = math.Inf(1)
	if err := l.exactly(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := l.best.Model
	if err := l.dependent(t.Context()); err != nil {
		t.Fatal(err)
	}
	m, err := l.recorded(l.best)
	if err != nil {
		t.Fatal(err)
	}
	got := m.Extras()
	if got.SetPrior == nil || got.Record.Starts[0].Method != StageExact {
		t.Errorf("prior %v, starts %+v", got.SetPrior, got.Record.Starts)
	}
	for k, template := range before.Templates() {
		if !slices.Equal(m.Template(k), template) {
			t.Errorf("part %d has changed", k)
		}
	}
}

// A table without noise is described by blocks, exactly; one with noise is not.
func TestExactTables(t *testing.T) {
	for _, flips := range []float64{0, 0.02} {
		data := productTable(40, 40, 10, flips, 1)
		m, err := Learn(t.Context(), data, patchwork.Config{Height: 1, Width: 40}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		last := m.Extras().Record.Curve
		exact := last[len(last)-1].Stage == StageExact && last[len(last)-1].Chosen
		if exact != (flips == 0) {
			t.Errorf("%v flips: chosen %+v", flips, last[len(last)-1])
		}
		wrong := 0
		best, err := (&learner{opt: Options{}.WithDefaults()}).bestSets(t.Context(), m, data)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range data.Images {
			for d, x := range row.AppendBytes(nil) {
				on := slices.ContainsFunc(best[i], func(k int16) bool { return m.Template(int(k))[d] > 0.5 })
				if on != (x == 1) {
					wrong++
				}
			}
		}
		if (wrong == 0) != (flips == 0) {
			t.Errorf("%v flips: %d cells are wrong", flips, wrong)
		}
	}
}

// Blocks are for parts to be looked at, as many as there are, of complete tables under max.
func TestNoBlocks(t *testing.T) {
	complete := productTable(30, 20, 4, 0, 2)
	gaps := productTable(30, 20, 4, 0, 2)
	gaps.Images[3].SetUnknown(0, 4)
	for name, c := range map[string]struct {
		data patchwork.Data
		rule patchwork.Rule
		opt  Options
		want bool
	}{
		"to interpret":  {complete, patchwork.RuleMax, Options{}, true},
		"their number":  {complete, patchwork.RuleMax, Options{Experts: 4}, false},
		"at most two":   {complete, patchwork.RuleMax, Options{MaxExperts: 2}, false},
		"max-minus-min": {complete, patchwork.RuleMaxMinusMin, Options{}, false},
		"gaps":          {gaps, patchwork.RuleMax, Options{}, false},
	} {
		seen := false
		for s, err := range Run(t.Context(), c.data, patchwork.Config{Height: 1, Width: 20, Rule: c.rule}, c.opt) {
			if err != nil {
				t.Fatal(name, err)
			}
			seen = seen || s.Stage == StageExact
		}
		if seen != c.want {
			t.Errorf("%s: blocks %v, want %v", name, seen, c.want)
		}
	}
}
