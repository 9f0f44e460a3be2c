package learn

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// learnAll learns images one by one.
func learnAll(t interface{ Fatal(...any) }, o *online, images []*bitmap.Image) {
	for i, img := range images {
		if err := o.repeat(context.Background(), i, img, 1); err != nil {
			t.Fatal(err)
		}
	}
}

// drawOnline draws a learner and images to learn from.
func drawOnline(t *rapid.T) (*online, []*bitmap.Image) {
	c := testkit.DrawConfig(t, testkit.InnerLevel)
	c.Prior = rapid.SampledFrom([]patchwork.Prior{{}, {On: 0.1, Off: 1}, {On: 2, Off: 2}}).Draw(t, "prior")
	reading := Reading(rapid.IntRange(0, 2).Draw(t, "reading"))
	images := make([]*bitmap.Image, rapid.IntRange(3, 6).Draw(t, "images"))
	for i := range images {
		images[i] = testkit.DrawImage(t, c.Height, c.Width, "#.?")
	}
	return newOnline(c, rapid.IntRange(1, 3).Draw(t, "experts"), reading, fastPursuit(context.Background())), images
}

// count returns N_k(d), pseudo-counts included: how many images entry i of expert k rests on.
func (o *online) count(k, i int) float64 {
	epsilon := rows.Resolved(o.cfg.Prior)
	n, _ := o.sums.at(k*o.cfg.Height*o.cfg.Width + i)
	return epsilon.On + epsilon.Off + n
}

// asRun returns a configuration with the prior that Run gives to online learning.
func asRun(c patchwork.Config) patchwork.Config {
	_, c.Prior = rows.Priors(c, false)
	return c
}

// ours returns an online learner as Run makes it.
func ours(c patchwork.Config, experts int) *online {
	return newOnline(c, experts, ReadingTruncated, fastPursuit(context.Background()))
}

// An image of weight 2 is the image twice in a row.
func TestOnlineWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weighted, images := drawOnline(t)
		repeated := newOnline(weighted.cfg, weighted.experts, weighted.reading, weighted.explain)
		for i, img := range images {
			if err := weighted.repeat(context.Background(), i, img, 2); err != nil {
				t.Fatal(err)
			}
			if learnAll(t, repeated, []*bitmap.Image{img, img}); !samePicks(weighted.picks, repeated.picks) {
				t.Fatalf("%+v, twice %+v", weighted.picks, repeated.picks)
			}
		}
		if !testkit.SameModel(weighted.model, repeated.model) {
			t.Fatal("another model")
		}
	})
}

// A new expert is what newExpert makes of the composition before it, and has
// counted its image at the entries that the image determined and at no others.
func TestOnlineNewExpertIsAsMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, images := drawOnline(t)
		o.experts, o.sums = 3, newSums(3*len(images[0].AppendBytes(nil)))
		learnAll(t, o, images[:1])
		for k := 1; k < 3; k++ {
			e := testkit.MustExplain(t, o.model, images[k], learningPursuit())
			template, set := newExpert(o.cfg, o.reading, images[k], o.model.Compose(o.cfg.Height, o.cfg.Width, e.Picks).P)
			learnAll(t, o, images[k:k+1])
			for i, want := range template {
				n := rows.Resolved(o.cfg.Prior).On + rows.Resolved(o.cfg.Prior).Off
				if set[i] {
					n++
				}
				if got := o.model.Template(k)[i]; math.Abs(got-want) > 1e-12 || math.Abs(o.count(k, i)-n) > 1e-12 {
					t.Fatalf("entry %d of expert %d is %v with N = %v, want %v with %v", i, k, got, o.count(k, i), want, n)
				}
			}
		}
	})
}

// Models returned are snapshots: later images do not change them.
func TestOnlineModelIsASnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, images := drawOnline(t)
		learnAll(t, o, images[:1])
		m := o.model
		templates, counts := m.Templates(), m.Extras().Counts.Clone(0).Counts()
		learnAll(t, o, images[1:])
		if !reflect.DeepEqual(m.Templates(), templates) || !reflect.DeepEqual(m.Extras().Counts.Counts(), counts) {
			t.Fatal("an earlier model has changed")
		}
	})
}

func TestNewExpertReadings(t *testing.T) {
	// x is on, on, on, off, off, unknown; the experts so far compose to mu.
	img := bitmap.Parse("###..?")
	mu := []float64{0.9, 0.5, 0.2, 0.1, 0.9, 0.3}
	const on, off = 2. / 3, 1. / 3 // (x + 1)/(1 + 2)
	for _, c := range []struct {
		name    string
		rule    patchwork.Rule
		q       float64
		reading Reading
		want    []float64
		set     string
	}{
		// Max: P(x|mu) is 0.9 0.5 0.2 0.9 0.1.
		{"C", patchwork.RuleMax, 0, ReadingTruncated, []float64{0.5, on, on, off, off, 0}, ".####."},
		{"text", patchwork.RuleMax, 0, ReadingText, []float64{0.5, 0.5, on, off, off, 0}, "..###."},
		{"literal", patchwork.RuleMax, 0, readingLiteral, []float64{0.5, 0.5, on, 0.5, off, 0}, "..#.#."},
		// Max-minus-min: abstain where P(x|mu) >= 2/3.
		{"max-minus-min", patchwork.RuleMaxMinusMin, 0.5, ReadingTruncated, []float64{0.5, on, on, 0.5, off, 0.5}, ".##.#."},
		{"max-minus-min, q = 0.3", patchwork.RuleMaxMinusMin, 0.3, ReadingText, []float64{0.3, on, on, 0.3, off, 0.3},
			".##.#."},
	} {
		template, set := newExpert(patchwork.Config{Rule: c.rule, Height: 1, Width: 6, Q: c.q}, c.reading, img, mu)
		testkit.NearAll(t, c.name, template, c.want, 1e-15)
		got := ""
		for _, s := range set {
			got += map[bool]string{true: "#", false: "."}[s]
		}
		if got != c.set {
			t.Errorf("%s: entries decided by the image %s, want %s", c.name, got, c.set)
		}
	}
}

// With poses, images that show one stroke at different places teach one stroke:
// the template does not blur.
func TestOnlineFollowsTheShift(t *testing.T) {
	cfg := asRun(patchwork.NewConfig(patchwork.RuleMax, 5, 5,
		pose.Grid{DY: pose.Symmetric(2, 1), DX: pose.Symmetric(2, 1)}))
	at := func(x int) *bitmap.Image {
		img := bitmap.New(5, 5)
		for y := range 5 {
			img.Set(y, x, true)
		}
		return img
	}
	o := ours(cfg, 1)
	learnAll(t, o, []*bitmap.Image{at(2), at(0), at(4), at(1), at(3)})
	for i, p := range o.model.Template(0) {
		if on := i%5 == 2; on != (p > 0.5) {
			t.Errorf("entry (%d, %d) is %v", i/5, i%5, p)
		}
	}
	e := testkit.MustExplain(t, o.model, at(0), patchwork.PursuitOptions{})
	if i := slices.IndexFunc(e.Picks, func(p patchwork.Pick) bool { return p.Pose.DX == -2 }); i != 0 {
		t.Errorf("picks %+v, want a shift by -2", e.Picks)
	}
}

// A weight of a billion takes as long as one of some hundreds, counts a billion times, and
// comes to what so many repetitions tend to; small weights are repetitions.
func TestOnlineWeights(t *testing.T) {
	images := []*bitmap.Image{bitmap.Parse("111000000"), bitmap.Parse("000000111"), bitmap.Parse("111000111")}
	pass := func(weight int64, alone bool) *patchwork.Model {
		t.Helper()
		o := ours(patchwork.NewConfig(patchwork.RuleMax, 1, 9, pose.Grid{}), 2)
		for i, img := range images {
			for range map[bool]int64{true: weight, false: 1}[alone] {
				if err := o.repeat(t.Context(), i, img, map[bool]int64{true: 1, false: weight}[alone]); err != nil {
					t.Fatal(err)
				}
			}
		}
		return o.model
	}
	for _, weight := range []int64{1, 2, 7, 60} {
		a, b := pass(weight, false), pass(weight, true)
		for k := range a.K() {
			if !slices.Equal(a.Template(k), b.Template(k)) {
				t.Errorf("weight %d: part %d is %v, and %v by repetition", weight, k, a.Template(k), b.Template(k))
			}
		}
	}
	const much = 1_000_000_000
	m := pass(much, false)
	if rows := m.Extras().Counts.Rows(); rows != 3*much {
		t.Errorf("%d rows are counted, want %d", rows, int64(3*much))
	}
	near := pass(3000, true)
	for k := range m.K() {
		for i, p := range m.Template(k) {
			if q := near.Template(k)[i]; p-q > .01 || q-p > .01 {
				t.Errorf("part %d, column %d: %v, and %v by repetition", k, i, p, q)
			}
		}
	}
}
