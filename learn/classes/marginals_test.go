package classes

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
	"example.com/patchwork/table"
)

// TestLeftOut: the likelihood of rows left out is that of counting the others afresh,
// row by row.
func TestLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &learner{}
		columns := rapid.IntRange(1, 4).Draw(t, "columns")
		for k := range rapid.IntRange(2, 3).Draw(t, "classes") {
			g := group{name: string(rune('a' + k))}
			for range rapid.IntRange(1, 4).Draw(t, "rows") {
				img := bitmap.New(1, columns)
				for x, v := range rapid.SliceOfN(rapid.IntRange(0, 2), columns, columns).Draw(t, "row") {
					if img.Set(0, x, v == 1); v == 2 {
						img.SetUnknown(0, x)
					}
				}
				g.rows = append(g.rows, len(l.data.Images))
				l.data.Images = append(l.data.Images, img)
			}
			l.groups = append(l.groups, g)
		}
		strength := rapid.Float64Range(0.1, 40).Draw(t, "strength")
		want := 0.0
		for k, g := range l.groups {
			for _, i := range g.rows {
				for x, v := range l.data.Images[i].AppendValues(nil) {
					if v == 2 {
						continue
					}
					on, seen, allOn, allSeen := 0.0, 0.0, 0.5, 1.0
					for other, h := range l.groups {
						for _, j := range h.rows {
							u := l.data.Images[j].AppendValues(nil)[x]
							if j == i || u == 2 {
								continue
							}
							allOn, allSeen = allOn+float64(u), allSeen+1
							if other == k {
								on, seen = on+float64(u), seen+1
							}
						}
					}
					p := (on + strength*allOn/allSeen) / (seen + strength)
					want += math.Log(math.Abs(1 - float64(v) - p))
				}
			}
		}
		c := l.count()
		if got := c.leftOut(strength); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("%v, want %v", got, want)
		}
		for _, p := range l.marginals() {
			for _, v := range p {
				if !(v > 0 && v < 1) {
					t.Fatalf("probability %v", v)
				}
			}
		}
	})
}

// independent draws rows of two classes whose columns have nothing to do with each other,
// some of them unknown.
func independent(n int, seed uint64) (data patchwork.Data, labels []string) {
	rng := rand.New(rand.NewPCG(seed, 8))
	for i := range n {
		img := bitmap.New(1, 40)
		for x := range 40 {
			p := 0.25 + 0.3*float64((x/3+i)%2)
			if img.Set(0, x, rng.Float64() < p); rng.IntN(12) == 0 {
				img.SetUnknown(0, x)
			}
		}
		data.Images, labels = append(data.Images, img), append(labels, []string{"a", "b"}[i%2])
	}
	return data, labels
}

// TestMarginalsOfFewRows: where columns say nothing of each other, and rows are few, their
// marginals get most of the weight, and more rows are named rightly than without.
func TestMarginalsOfFewRows(t *testing.T) {
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, 40, pose.Grid{})
	fit := func(ctx context.Context, d patchwork.Data) (*patchwork.Model, error) {
		return table.Learn(ctx, d, cfg, table.Options{})
	}
	data, labels := independent(20, 4)
	c, err := Learn(t.Context(), data, labels, cfg, Options{Examples: -1, Fit: fit})
	if err != nil {
		t.Fatal(err)
	}
	if m := c.Marginals(); m.Share < 0.6 {
		t.Fatalf("a share of %v", m.Share)
	}
	without, err := c.WithMarginals(nil)
	if err != nil {
		t.Fatal(err)
	}
	tests, truth := independent(400, 2)
	right := func(c *Classifier) (n int) {
		verdicts, err := c.Name(t.Context(), tests.Images, NameOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			if c.Names()[v.Class] == truth[i] {
				n++
			}
		}
		return n
	}
	with, alone := right(c), right(without)
	t.Logf("%d of 400 right, %d by the learned models alone", with, alone)
	if with < alone || with < 280 {
		t.Errorf("%d of 400 right, %d by the learned models alone", with, alone)
	}
}

// TestMarginalScores: with all of the weight the score is the log-likelihood of the known
// pixels one by one, and the reasons are by these; with none it is the learned model's.
func TestMarginalScores(t *testing.T) {
	data, labels := independent(30, 3)
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, 40, pose.Grid{})
	fit := func(ctx context.Context, d patchwork.Data) (*patchwork.Model, error) {
		return table.Learn(ctx, d, cfg, table.Options{Experts: 1, Iterations: 2})
	}
	c, err := Learn(t.Context(), data, labels, cfg, Options{Examples: -1, Fit: fit})
	if err != nil {
		t.Fatal(err)
	}
	p := c.Marginals().P
	all, err := c.WithMarginals(&Marginals{P: p, Share: 1})
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := all.Name(t.Context(), data.Images[:3], NameOptions{Reasons: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range verdicts {
		for k, got := range v.Scores {
			want := 0.0
			for x, bit := range data.Images[i].AppendValues(nil) {
				if bit < 2 {
					want += math.Log(math.Abs(1 - float64(bit) - p[k][x]))
				}
			}
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("image %d, class %d: score %v, want %v", i, k, got, want)
			}
		}
		sum := 0.0
		for x, v := range v.Alone {
			if sum += v; data.Images[i].AppendValues(nil)[x] == 2 && v != 0 {
				t.Errorf("image %d: unknown column %d speaks", i, x)
			}
		}
		if want := v.Scores[v.Class] - v.Scores[v.Second]; math.Abs(sum-want) > 1e-9 {
			t.Errorf("image %d: columns say %v, scores differ by %v", i, sum, want)
		}
	}
	none, err := c.WithMarginals(&Marginals{P: p})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := c.WithMarginals(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := none.Name(t.Context(), data.Images[:3], NameOptions{})
	if err != nil {
		t.Fatal(err)
	}
	y, err := alone.Name(t.Context(), data.Images[:3], NameOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if x[i].LogOdds != y[i].LogOdds {
			t.Errorf("image %d: %v and %v", i, x[i].LogOdds, y[i].LogOdds)
		}
	}
}

// TestMarginalsRefused: what does not fit is refused.
func TestMarginalsRefused(t *testing.T) {
	drawn := learned(t, 1, Options{})
	data, labels := independent(10, 3)
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, 40, pose.Grid{})
	fit := func(ctx context.Context, d patchwork.Data) (*patchwork.Model, error) {
		return table.Learn(ctx, d, cfg, table.Options{Experts: 1, Iterations: 1})
	}
	rows, err := Learn(t.Context(), data, labels, cfg, Options{Examples: -1, Fit: fit})
	if err != nil {
		t.Fatal(err)
	}
	good := rows.Marginals().P
	certain := [][]float64{good[0], append([]float64{1}, good[1][1:]...)}
	for _, c := range []struct {
		of   *Classifier
		m    Marginals
		want string
	}{
		{drawn, Marginals{P: good}, "learned models alone"},
		{rows, Marginals{P: good, Share: 1.5}, "share"},
		{rows, Marginals{P: good, Share: math.NaN()}, "share"},
		{rows, Marginals{P: good[:1]}, "1 classes"},
		{rows, Marginals{P: [][]float64{good[0], good[1][1:]}}, "39 probabilities"},
		{rows, Marginals{P: certain}, "pixel 1"},
	} {
		if _, err := c.of.WithMarginals(&c.m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestMostLikely: the sharpness of scores that are log-likelihoods is found where one class
// has four times the examples of the other, and a few rows named rightly are not certain.
func TestMostLikely(t *testing.T) {
	data, labels := independent(20, 3)
	labels[0], labels[2], labels[4], labels[6], labels[8], labels[10] = "b", "b", "b", "b", "b", "b"
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, 40, pose.Grid{})
	fit := func(ctx context.Context, d patchwork.Data) (*patchwork.Model, error) {
		return table.Learn(ctx, d, cfg, table.Options{Experts: 1, Iterations: 1})
	}
	c, err := Learn(t.Context(), data, labels, cfg, Options{Examples: -1, Fit: fit})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 2))
	const sharp = 0.3
	var scores [][]float64
	var truth []int
	for range 4000 {
		s := []float64{4 * rng.NormFloat64(), 4 * rng.NormFloat64()}
		at := 0
		if rng.Float64() > c.probabilities(s, sharp)[0] {
			at = 1
		}
		scores, truth = append(scores, s), append(truth, at)
	}
	if got, _ := c.mostLikely(scores, truth); math.Abs(got-sharp) > 0.05 {
		t.Errorf("sharpness %v, truth %v", got, sharp)
	}
	got, _ := c.mostLikely([][]float64{{-10, -90}, {-80, -10}, {-75, -10}}, []int{0, 1, 1})
	if p := c.probabilities([]float64{-10, -90}, got)[0]; p > 0.95 || p < 0.5 {
		t.Errorf("sharpness %v from three rows: probability %v", got, p)
	}
}
