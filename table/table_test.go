package table

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/posterior"

	"example.com/patchwork/bitmap"
)

// bars is rows of a table with four bars of three bits, each on in a third of the
// rows; flips of the bits are rare.
func bars(rows int, seed uint64) patchwork.Data {
	rng := rand.New(rand.NewPCG(seed, 0))
	var data patchwork.Data
	for range rows {
		x := make([]uint8, 12)
		for bar := range 4 {
			if rng.IntN(3) == 0 {
				x[3*bar], x[3*bar+1], x[3*bar+2] = 1, 1, 1
			}
		}
		for i := range x {
			if rng.IntN(20) == 0 {
				x[i] = 1 - x[i]
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, 12, x))
	}
	return data
}

// Both rules find the bars, and how many there are.
func TestTableFindsBars(t *testing.T) {
	for _, rule := range []patchwork.Rule{patchwork.Max, patchwork.MaxMinusMin} {
		m, err := LearnTable(t.Context(), bars(400, 1), patchwork.Config{Rule: rule, Height: 1, Width: 12},
			TableOptions{Aim: Interpreting, Start: TableGrow, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for k := range m.K() {
			got = append(got, inkOf(m.Template(k)))
		}
		slices.Sort(got)
		want := []string{"......... ###", "...... ### ...", "... ### ......", "### ........."}
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], " ", "")
		}
		if !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%v: experts %q", rule, got)
		}
		for i, q := range m.Config().QMap {
			if q < 0.01 || q > 0.12 {
				t.Errorf("%v: the background of bit %d is %v, flips are 0.05", rule, i, q)
			}
		}
		if r := m.Extras().Record; r.Method != "soft" || r.Mode != "interpret" || r.Rows != 400 || len(r.Curve) < 4 || r.Starts[0].Method != "grow" {
			t.Errorf("record %+v", r)
		}
	}
}

func inkOf(template []float64) string {
	out := make([]byte, len(template))
	for i, p := range template {
		if out[i] = '.'; p > 0.5 {
			out[i] = '#'
		}
	}
	return string(out)
}

// Who learns to predict chooses by rows held out and learns from all of them;
// the steps are the same for any number of workers, equal rows or weights.
func TestTableSameForAnyWorkers(t *testing.T) {
	data := bars(150, 2)
	for _, rule := range []patchwork.Rule{patchwork.Max, patchwork.MaxMinusMin} {
		var first []Step
		for _, workers := range []int{1, 3} {
			var steps []Step
			for s, err := range Table(t.Context(), data, patchwork.Config{Rule: rule, Height: 1, Width: 12}, TableOptions{MaxExperts: 6, Iterations: 3, Workers: workers, Seed: 3}) {
				if err != nil {
					t.Fatal(err)
				}
				steps = append(steps, s)
			}
			last := steps[len(steps)-1]
			if !last.Chosen || last.Rows != 150 || last.HiddenBits == 0 || last.HiddenLoss > 0.55 {
				t.Fatalf("%v: chosen %+v", rule, last.CurvePoint)
			}
			if first == nil {
				first = steps
				continue
			}
			for i, s := range steps {
				if s.CurvePoint != first[i].CurvePoint || !slices.EqualFunc(s.Model.Templates(), first[i].Model.Templates(), slices.Equal) ||
					!slices.Equal(s.Model.Config().QMap, first[i].Model.Config().QMap) {
					t.Fatalf("%v, step %d: %+v with one worker, %+v with %d", rule, i, first[i].CurvePoint, s.CurvePoint, workers)
				}
			}
		}
	}
}

// The choice is the best judged of all that were tried.
func TestTableChoosesTheBest(t *testing.T) {
	judge := HideBits(bars(60, 5), 0.25, 2, 1)
	if len(judge.Visible) != 120 || judge.Visible[0].CountKnown() != 9 {
		t.Fatalf("%d rows, %d bits known", len(judge.Visible), judge.Visible[0].CountKnown())
	}
	best, chosen := math.Inf(1), Step{}
	for s, err := range Table(t.Context(), bars(150, 4), patchwork.Config{Height: 1, Width: 12}, TableOptions{MaxExperts: 4, Iterations: 3, Judge: &judge}) {
		if err != nil {
			t.Fatal(err)
		}
		best, chosen = min(best, s.HiddenLoss), s
	}
	if chosen.HiddenLoss != best || !chosen.Chosen || chosen.Rows != 150 {
		t.Errorf("chosen %+v, the best has %v", chosen.CurvePoint, best)
	}
	got, err := posterior.ScoreHidden(t.Context(), chosen.Model, judge.Data, judge.Visible, posterior.NBestOptions{}, 1)
	if err != nil || got.Averaged.LogLoss != best {
		t.Errorf("the model loses %v, the step says %v (%v)", got.Averaged.LogLoss, best, err)
	}
	n := 0
	for _, p := range chosen.Model.Extras().Record.Curve {
		if p.Chosen {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d points chosen", n)
	}
}

// A number of experts that is given is not exceeded, from either start, and a
// fixed background stays where it is.
func TestTableGivenNumber(t *testing.T) {
	data := bars(120, 6)
	for _, start := range []TableStart{TableGrow, TableMixture} {
		opt := TableOptions{Experts: 3, Iterations: 3, Start: start, Aim: Interpreting, FixedBackground: true}
		m, err := LearnTable(t.Context(), data, patchwork.Config{Height: 1, Width: 12}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if m.K() > 3 || m.K() < 2 {
			t.Errorf("%v: %d experts", start, m.K())
		}
		testkit.NearAll(t, start.String(), m.Config().QMap, Marginals(data), 1e-12)
	}
}

// Where there is nothing to learn one expert comes out, not an error.
func TestTableOfNoise(t *testing.T) {
	var data patchwork.Data
	for range 40 {
		data.Images = append(data.Images, bitmap.FromBytes(1, 3, []uint8{1, 0, 1}))
	}
	for _, aim := range []Aim{Predicting, Interpreting} {
		for _, start := range []TableStart{TableGrow, TableMixture, TableBoth} {
			m, err := LearnTable(t.Context(), data, patchwork.Config{Height: 1, Width: 3}, TableOptions{Aim: aim, Start: start, MaxExperts: 4})
			if err != nil {
				t.Fatalf("%v, %v: %v", aim, start, err)
			}
			n, err := posterior.NewNBest(m, posterior.NBestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := n.Predict(data.Images[0])
			if err != nil || p[0] < 0.9 || p[1] > 0.1 || p[2] < 0.9 {
				t.Errorf("%v, %v: predictions %v (%v)", aim, start, p, err)
			}
		}
	}
}

func TestTableRefuses(t *testing.T) {
	data, cfg := bars(10, 1), patchwork.Config{Height: 1, Width: 12}
	for name, c := range map[string]struct {
		data patchwork.Data
		cfg  patchwork.Config
		opt  TableOptions
		want string
	}{
		"no rows":    {patchwork.Data{}, cfg, TableOptions{}, "no images"},
		"width":      {data, patchwork.Config{Height: 1, Width: 5}, TableOptions{}, "image 0: image of 1 x 12"},
		"scene":      {data, patchwork.Config{Height: 1, Width: 12, Scene: true}, TableOptions{}, "tables"},
		"experts":    {data, cfg, TableOptions{Experts: -1}, "-1 experts"},
		"too many":   {data, cfg, TableOptions{MaxExperts: 1 << 20}, "1048576"},
		"start":      {data, cfg, TableOptions{Start: 9}, "unknown"},
		"iterations": {data, cfg, TableOptions{Iterations: -1}, "-1 iterations"},
		"share":      {data, cfg, TableOptions{HeldOut: 1}, "share 1"},
		"beam":       {data, cfg, TableOptions{Best: posterior.NBestOptions{Beam: -1}}, "beam"},
	} {
		if _, err := LearnTable(t.Context(), c.data, c.cfg, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LearnTable(ctx, data, cfg, TableOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Who stops early gets no more, and no error.
func TestTableStopsEarly(t *testing.T) {
	n := 0
	for _, err := range Table(t.Context(), bars(60, 1), patchwork.Config{Height: 1, Width: 12}, TableOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d steps", n)
	}
}

// A mixture of two kinds of rows finds them.
func TestLearnMixture(t *testing.T) {
	var data patchwork.Data
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 200 {
		p := []float64{0.9, 0.9, 0.1, 0.1}
		if i%4 == 0 {
			slices.Reverse(p)
		}
		data.Images = append(data.Images, posterior.Hide(patchwork.SamplePixels(rng, 1, 4, p), 0.25, 1, i))
	}
	x, err := LearnMixture(t.Context(), data, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	common := slices.Index(x.Share, slices.Max(x.Share))
	testkit.Near(t, "share", x.Share[common], 0.75, 0.06)
	testkit.NearAll(t, "common kind", x.Components[common], []float64{0.9, 0.9, 0.1, 0.1}, 0.1)
	testkit.NearAll(t, "rare kind", x.Components[1-common], []float64{0.1, 0.1, 0.9, 0.9}, 0.15)
	m, err := x.Model(patchwork.Config{Height: 1, Width: 4}, 200)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range m.Config().QMap {
		testkit.Near(t, "background", q, min(x.Components[0][i], x.Components[1][i]), 1e-12)
		testkit.Near(t, "expert", m.Template(common)[i], x.Components[common][i], 1e-12)
	}
	if _, err := LearnMixture(t.Context(), patchwork.Data{}, 2, 1); err == nil {
		t.Error("no rows, no error")
	}
}

func TestTableNames(t *testing.T) {
	for _, a := range []Aim{Predicting, Interpreting} {
		if got, err := ParseAim(a.String()); err != nil || got != a {
			t.Errorf("%v: %v, %v", a, got, err)
		}
	}
	for _, s := range []TableStart{TableBoth, TableGrow, TableMixture} {
		if got, err := ParseTableStart(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
}
