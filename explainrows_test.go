package patchwork_test

import (
	"bufio"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
)

// checkAll compares explaining and counting many images with doing it one by
// one, to the bit.
func checkAll(t testing.TB, m *patchwork.Model, data patchwork.Data, opt patchwork.PursuitOptions) {
	t.Helper()
	one, many := testkit.MustPursuit(t, m, opt), testkit.MustPursuit(t, m, opt)
	var all patchwork.Explanations
	if err := many.ExplainAll(data.Images, &all); err != nil {
		t.Fatal(err)
	}
	want := patchwork.NewTally(m)
	for i, img := range data.Images {
		e, err := one.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		want.Add(m, img, e, data.Weight(i))
		if got := all.At(i); !testkit.SameExplanation(&got, e) {
			t.Fatalf("image %d of %d\n%v\nis explained by %+v among others, alone by %+v", i, all.Len(), img, got, *e)
		}
	}
	seen := make([]*patchwork.Explanation, len(data.Images))
	for workers, each := range []func(int, *patchwork.Explanation){nil, func(i int, e *patchwork.Explanation) { seen[i] = e }} {
		got, err := patchwork.Explain(t.Context(), m, data, opt, 1+workers, each)
		if err != nil {
			t.Fatal(err)
		}
		if !testkit.SameTally(got, want) {
			t.Fatalf("the E-step's tally differs (shown: %v):\n%+v\n%+v", each != nil, got, want)
		}
	}
	for i, e := range seen {
		if a := all.At(i); !testkit.SameExplanation(&a, e) {
			t.Fatalf("image %d is shown as %+v, it is %+v", i, *e, a)
		}
	}
}

// fatals makes a testing.TB of a rapid.T.
type fatals struct {
	testing.TB
	t *rapid.T
}

func (f fatals) Helper()                      {}
func (f fatals) Fatal(args ...any)            { f.t.Fatal(args...) }
func (f fatals) Fatalf(s string, args ...any) { f.t.Fatalf(s, args...) }

// drawTable draws a model of a table and rows of it. Levels are few, so that
// opinions tie and cancel; with certain ones, 0 and 1 are among them.
func drawTable(t *rapid.T, certain bool) (*patchwork.Model, patchwork.Data, patchwork.PursuitOptions) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	levels := []float64{0.1, 0.9, 0.9, 0.25, 0.75, 0.75, 0.99, 0.02}
	if certain {
		levels = append(levels, 0, 1)
	}
	level := func() float64 { return levels[rng.IntN(len(levels))] }
	if rng.IntN(2) == 0 {
		level = func() float64 { return 0.001 + 0.998*rng.Float64() }
	}
	c := patchwork.Config{Height: 1, Width: rapid.IntRange(1, 150).Draw(t, "width"), Rule: patchwork.Rule(rng.IntN(2)), Q: 0.02}
	if rng.IntN(3) == 0 {
		c.Height, c.Width = 1+rng.IntN(12), 1+rng.IntN(12)
	}
	if c.Rule == patchwork.MaxMinusMin {
		c.Q = 0.5
	}
	d := c.Height * c.Width
	if rng.IntN(2) == 0 {
		c.QMap = make([]float64, d)
		for i := range c.QMap {
			c.QMap[i] = []float64{0.02, 0.1, 0.5, 0.9}[rng.IntN(4)]
		}
	}
	templates := testkit.Make2D(rapid.IntRange(1, 20).Draw(t, "experts"), d)
	for k := range templates {
		for i := range templates[k] {
			templates[k][i] = level()
		}
		if k > 0 && rng.IntN(5) == 0 {
			copy(templates[k], templates[rng.IntN(k)])
		}
	}
	var data patchwork.Data
	for range rapid.IntRange(1, 60).Draw(t, "rows") {
		img := bitmap.New(c.Height, c.Width)
		p := templates[rng.IntN(len(templates))]
		for i := range d {
			switch y, x := i/c.Width, i%c.Width; {
			case rng.Float64() < p[i]:
				img.Set(y, x, true)
			case rng.IntN(60) == 0:
				img.SetUnknown(y, x)
			}
		}
		data.Images = append(data.Images, img)
	}
	if rng.IntN(2) == 0 {
		for range data.Images {
			data.Weights = append(data.Weights, []int64{1, 1, 2, 3, 254, 300, 0}[rng.IntN(7)])
		}
		data.Weights[0] = 1
	}
	return testkit.MustModel(t, c, templates), data, drawRowOptions(t, rng, len(templates), c.Rule)
}

func drawRowOptions(t *rapid.T, rng *rand.Rand, experts int, rule patchwork.Rule) patchwork.PursuitOptions {
	opt := patchwork.PursuitOptions{Forced: rng.IntN(2) == 0, MaxPicks: []int{0, 0, 0, 1, 2}[rng.IntN(5)],
		MinGain: []float64{0, 0, 1, 3, -2}[rng.IntN(5)], Reuse: []int{0, 0, 0, 0, 2}[rng.IntN(5)],
		Scoring: []patchwork.Scoring{patchwork.Original, patchwork.Original, patchwork.Original, patchwork.Mixed, patchwork.Truncated}[rapid.IntRange(0, 4).Draw(t, "scoring")]}
	if opt.Scoring == patchwork.Truncated && rule != patchwork.Max {
		opt.Scoring = patchwork.Original
	}
	if rng.IntN(2) == 0 {
		for range experts {
			opt.Costs = append(opt.Costs, []float64{0, 1, 2.5, -1, 30}[rng.IntN(5)])
		}
	}
	return opt
}

// Explaining many rows at a time changes no bit.
func TestRowsAreExplainedAlike(t *testing.T) {
	for _, certain := range []bool{false, true} {
		rapid.Check(t, func(r *rapid.T) {
			m, data, opt := drawTable(r, certain)
			checkAll(fatals{t, r}, m, data, opt)
		})
	}
}

// realRows reads the first rows of a table of the shared study.
func realRows(t testing.TB, name string, n int) []*bitmap.Image {
	t.Helper()
	f, err := os.Open(testenv.Shared(t, "data/debd/"+name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var images []*bitmap.Image
	for s := bufio.NewScanner(z); s.Scan() && len(images) < n; {
		images = append(images, bitmap.Parse(strings.ReplaceAll(s.Text(), ",", "")))
	}
	return images
}

// And so it is with real tables and learned experts, under both rules.
func TestRealRowsAreExplainedAlike(t *testing.T) {
	for _, name := range []string{"nltcs.train.data.gz", "plants.valid.data.gz"} {
		images := realRows(t, name, 1500)
		d := images[0].Width()
		for _, rule := range []patchwork.Rule{patchwork.Max, patchwork.MaxMinusMin} {
			c := patchwork.Config{Height: 1, Width: d, Rule: rule, Q: 0.5, QMap: make([]float64, d)}
			for i := range c.QMap {
				c.QMap[i] = 0.02 + 0.3*float64(i)/float64(d)
			}
			rng := rand.New(rand.NewPCG(1, 0))
			templates := testkit.Make2D(10, d)
			for _, template := range templates {
				for i := range template {
					template[i] = 0.02 + 0.96*rng.Float64()
				}
			}
			m, data := testkit.MustModel(t, c, templates), patchwork.Data{Images: images}
			var tally *patchwork.Tally
			for n := range 4 { // three rounds of EM
				if n > 0 {
					m = tally.Model(m, patchwork.MStep{})
				}
				var err error
				if tally, err = patchwork.Explain(t.Context(), m, data, patchwork.PursuitOptions{}, 1, nil); err != nil {
					t.Fatal(err)
				}
			}
			data.Images = slices.Concat(images, images) // the second time by what is known of the sets
			checkAll(t, m, data, patchwork.PursuitOptions{MinGain: 1})
			if tally.Picks() == 0 {
				t.Fatalf("%s under %v: nothing was picked", name, rule)
			}
		}
	}
}

// An image of another size is named, and what came before it is there.
func TestExplainAllNamesTheImage(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 3, Q: 0.1}, [][]float64{{0.9, 0.9, 0.1}})
	images := []*bitmap.Image{bitmap.Parse("##."), bitmap.Parse("##.."), bitmap.Parse("...")}
	var all patchwork.Explanations
	err := testkit.MustPursuit(t, m, patchwork.PursuitOptions{}).ExplainAll(images, &all)
	if err == nil || !strings.HasPrefix(err.Error(), "image 1: ") || all.Len() != 1 || len(all.At(0).Picks) != 1 {
		t.Fatalf("error %v, %d explanations", err, all.Len())
	}
}
