package learn

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// learnAll adds images one by one.
func learnAll(t interface{ Fatal(...any) }, o *Online, images []*bitmap.Image) {
	for _, img := range images {
		if _, err := o.Add(img, 1); err != nil {
			t.Fatal(err)
		}
	}
}

// drawOnline draws a configuration, options and images to learn from.
func drawOnline(t *rapid.T) (patchwork.Config, OnlineOptions, []*bitmap.Image) {
	c := testkit.DrawConfig(t, testkit.InnerLevel)
	c.Prior = rapid.SampledFrom([]patchwork.Prior{{}, {On: 0.1, Off: 1}, {On: 2, Off: 2}}).Draw(t, "prior")
	opt := OnlineOptions{Experts: rapid.IntRange(1, 3).Draw(t, "experts"), Pursuit: patchwork.PursuitOptions{Forced: true},
		Reading: Reading(rapid.IntRange(0, 2).Draw(t, "reading"))}
	images := make([]*bitmap.Image, rapid.IntRange(3, 6).Draw(t, "images"))
	for i := range images {
		images[i] = testkit.DrawImage(t, c.Height, c.Width, "#.?")
	}
	return c, opt, images
}

// asRun returns a configuration with the prior that Run gives to online learning.
func asRun(c patchwork.Config) patchwork.Config {
	_, c.Prior = rows.Priors(c, false)
	return c
}

func mustOnline(t interface{ Fatal(...any) }, c patchwork.Config, opt OnlineOptions) *Online {
	o, err := NewOnline(c, opt)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// An image of weight 2 is the image twice in a row.
func TestOnlineWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt, images := drawOnline(t)
		weighted, repeated := mustOnline(t, c, opt), mustOnline(t, c, opt)
		for _, img := range images {
			e, err := weighted.Add(img, 2)
			if err != nil {
				t.Fatal(err)
			}
			learnAll(t, repeated, []*bitmap.Image{img})
			again, err := repeated.Add(img, 1)
			if err != nil || !testkit.SameExplanation(e, again) {
				t.Fatalf("%+v, twice %+v, %v", e, again, err)
			}
		}
		if !testkit.SameModel(weighted.Model(), repeated.Model()) {
			t.Fatal("another model")
		}
	})
}

// A learner resumed from a model and its N_k(d) continues as if it had never
// stopped, if entries that no image has determined are at the prior's mean: there
// the value says what N does not. (With integer pseudo-counts N mu is exact, so
// rounding makes no difference.)
func TestOnlineResumes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt, images := drawOnline(t)
		c.Prior = rapid.SampledFrom([]patchwork.Prior{{}, {On: 1, Off: 1}, {On: 2, Off: 2}}).Draw(t, "symmetric prior")
		c.Q, c.QMap = 0.5, nil
		whole := mustOnline(t, c, opt)
		learnAll(t, whole, images[:len(images)/2])
		for whole.Model().K() < opt.Experts { // a resumed learner grows no expert
			learnAll(t, whole, images[:1])
		}
		strength := make([][]float64, opt.Experts)
		for k := range strength {
			for i := range c.Height * c.Width {
				strength[k] = append(strength[k], whole.Count(k, i))
			}
		}
		resumed, err := ResumeOnline(whole.Model(), strength, OnlineOptions{Pursuit: opt.Pursuit})
		if err != nil {
			t.Fatal(err)
		}
		for _, img := range images[len(images)/2:] {
			a, err := whole.Add(img, 1)
			if err != nil {
				t.Fatal(err)
			}
			b, err := resumed.Add(img, 1)
			if err != nil || len(a.Picks) != len(b.Picks) {
				t.Fatalf("%+v, resumed %+v, %v", a, b, err)
			}
		}
		for k := range opt.Experts {
			for i, p := range whole.Model().Template(k) {
				if got := resumed.Model().Template(k)[i]; math.Abs(got-p) > 1e-9 {
					t.Fatalf("entry %d of expert %d is %v, resumed %v", i, k, p, got)
				}
				if a, b := whole.Count(k, i), resumed.Count(k, i); math.Abs(a-b) > 1e-9 {
					t.Fatalf("N of entry %d of expert %d is %v, resumed %v", i, k, a, b)
				}
			}
		}
	})
}

// A learner resumed from a model's own counts continues as if it had never
// stopped, to the bit, under any prior.
func TestOnlineGoesOnFromCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt, images := drawOnline(t)
		whole := mustOnline(t, c, opt)
		learnAll(t, whole, images[:len(images)/2])
		for whole.Model().K() < opt.Experts { // a resumed learner grows no expert
			learnAll(t, whole, images[:1])
		}
		resumed, err := ResumeOnline(whole.Model(), nil, OnlineOptions{Pursuit: opt.Pursuit})
		if err != nil {
			t.Fatal(err)
		}
		learnAll(t, whole, images[len(images)/2:])
		learnAll(t, resumed, images[len(images)/2:])
		if !testkit.SameModel(whole.Model(), resumed.Model()) {
			t.Fatal("another model")
		}
	})
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 1}, [][]float64{{0.5}})
	if _, err := ResumeOnline(m, nil, OnlineOptions{}); err == nil {
		t.Error("resumed from a model without counts")
	}
}

// A new expert is what NextExpert makes of the composition before it, and has
// counted its image at the entries that the image determined and at no others.
func TestOnlineNewExpertIsAsMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt, images := drawOnline(t)
		opt.Experts = 3
		o := mustOnline(t, c, opt)
		learnAll(t, o, images[:1])
		for k := 1; k < 3; k++ {
			e := testkit.MustExplain(t, o.Model(), images[k], opt.Pursuit)
			template, set := NextExpert(c, opt.Reading, images[k], o.Model().Compose(c.Height, c.Width, e.Picks).P)
			learnAll(t, o, images[k:k+1])
			for i, want := range template {
				n := rows.Resolved(c.Prior).On + rows.Resolved(c.Prior).Off
				if set[i] {
					n++
				}
				if got := o.Model().Template(k)[i]; math.Abs(got-want) > 1e-12 || math.Abs(o.Count(k, i)-n) > 1e-12 {
					t.Fatalf("entry %d of expert %d is %v with N = %v, want %v with %v", i, k, got, o.Count(k, i), want, n)
				}
			}
		}
	})
}

// Models returned are snapshots: later images do not change them.
func TestOnlineModelIsASnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt, images := drawOnline(t)
		o := mustOnline(t, c, opt)
		if o.Model() != nil {
			t.Fatal("a model before the first image")
		}
		learnAll(t, o, images[:1])
		m := o.Model()
		templates, counts := m.Templates(), m.Extras().Counts.Clone(0).Counts()
		learnAll(t, o, images[1:])
		if !reflect.DeepEqual(m.Templates(), templates) || !reflect.DeepEqual(m.Extras().Counts.Counts(), counts) {
			t.Fatal("an earlier model has changed")
		}
	})
}

// N_k(d) is the prior's pseudo-count plus an integer, at most one per image.
func TestOnlineCountsAreIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt, images := drawOnline(t)
		o := mustOnline(t, c, opt)
		learnAll(t, o, images)
		prior := rows.Resolved(c.Prior)
		for k := range o.Model().K() {
			for i := range c.Height * c.Width {
				n := o.Count(k, i) - (prior.On + prior.Off)
				if math.Abs(n-math.Round(n)) > 1e-12 || n < -1e-12 || n > float64(len(images))+1e-12 {
					t.Fatalf("entry %d of expert %d was seen %v times in %d images", i, k, n, len(images))
				}
			}
		}
	})
}

func TestNextExpertReadings(t *testing.T) {
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
		{"literal", patchwork.RuleMax, 0, ReadingLiteral, []float64{0.5, 0.5, on, 0.5, off, 0}, "..#.#."},
		// Max-minus-min: abstain where P(x|mu) >= 2/3.
		{"max-minus-min", patchwork.RuleMaxMinusMin, 0.5, ReadingTruncated, []float64{0.5, on, on, 0.5, off, 0.5}, ".##.#."},
		{"max-minus-min, q = 0.3", patchwork.RuleMaxMinusMin, 0.3, ReadingText, []float64{0.3, on, on, 0.3, off, 0.3}, ".##.#."},
	} {
		template, set := NextExpert(patchwork.Config{Rule: c.rule, Height: 1, Width: 6, Q: c.q}, c.reading, img, mu)
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

// With UnexplainedInk a new expert is appended only for an image of whose ink more
// than this fraction is left.
func TestUnexplainedInk(t *testing.T) {
	cfg := patchwork.Config{Height: 1, Width: 8, Q: 0.01, Defaults: patchwork.Defaults{Prior: patchwork.Prior{On: 0.05, Off: 1}, Truncate: true}}
	first := bitmap.Parse("####....")
	for _, c := range []struct {
		second string
		limit  float64
		grows  bool
	}{
		{"####....", 0, true}, // 0: from every image
		{"####....", 0.1, false},
		{"####...#", 0.1, true},
		{"####...#", 0.2, false}, // a fifth is not more than a fifth
		{"####.###", 0.4, true},
		{"####.###", 0.5, false},
		{"########", 0.49, true},
		{"........", 0.1, false}, // no ink at all
	} {
		o := mustOnline(t, cfg, OnlineOptions{Experts: 2, UnexplainedInk: c.limit, Pursuit: patchwork.PursuitOptions{Forced: true}})
		// Four times, to make its ink certain enough to explain.
		learnAll(t, o, []*bitmap.Image{first})
		o.opt.Experts = 1
		learnAll(t, o, []*bitmap.Image{first, first, first})
		o.opt.Experts = 2
		learnAll(t, o, []*bitmap.Image{bitmap.Parse(c.second)})
		if grew := o.Model().K() == 2; grew != c.grows {
			t.Errorf("%s with limit %v: grew %v, want %v", c.second, c.limit, grew, c.grows)
		}
	}
}

func TestOnlineRefuses(t *testing.T) {
	cfg := patchwork.Config{Height: 1, Width: 2}
	scene := cfg
	scene.Scene = true
	for _, c := range []struct {
		cfg  patchwork.Config
		opt  OnlineOptions
		want string
	}{
		{cfg, OnlineOptions{}, "learning of 0 parts"},
		{patchwork.Config{}, OnlineOptions{Experts: 1}, "frame of 0 x 0"},
		{cfg, OnlineOptions{Experts: 1, UnexplainedInk: -0.1}, "ink -0.1"},
		{cfg, OnlineOptions{Experts: 1, UnexplainedInk: 1}, "ink 1"},
		{cfg, OnlineOptions{Experts: 1, UnexplainedInk: math.NaN()}, "ink NaN"},
		{scene, OnlineOptions{Experts: 1}, "not scenes"},
	} {
		if _, err := NewOnline(c.cfg, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one about %q", c.opt, err, c.want)
		}
	}
	m := testkit.MustModel(t, cfg, [][]float64{{0.5, 0.5}})
	for _, strength := range [][][]float64{{}, {{1}}, {{1, 1}, {1, 1}}} {
		if _, err := ResumeOnline(m, strength, OnlineOptions{}); err == nil || !strings.Contains(err.Error(), "strengths") {
			t.Errorf("strengths %v: error %v", strength, err)
		}
	}
	o := mustOnline(t, cfg, OnlineOptions{Experts: 1, Pursuit: patchwork.PursuitOptions{Alpha: 3}})
	if _, err := o.Add(bitmap.Parse("##"), 1); err == nil || !strings.Contains(err.Error(), "alpha") {
		t.Errorf("error %v for alpha = 3", err)
	}
	if _, err := o.Add(bitmap.Parse("###"), 1); err == nil || !strings.Contains(err.Error(), "1 x 3") {
		t.Errorf("error %v for a larger image", err)
	}
}

// With poses, images that show one stroke at different places teach one stroke:
// the template does not blur.
func TestOnlineFollowsTheShift(t *testing.T) {
	cfg := asRun(patchwork.NewConfig(patchwork.RuleMax, 5, 5, pose.Grid{DY: pose.Symmetric(2, 1), DX: pose.Symmetric(2, 1)}))
	at := func(x int) *bitmap.Image {
		img := bitmap.New(5, 5)
		for y := range 5 {
			img.Set(y, x, true)
		}
		return img
	}
	o := mustOnline(t, cfg, OnlineOptions{Experts: 1, Pursuit: patchwork.PursuitOptions{Forced: true}})
	learnAll(t, o, []*bitmap.Image{at(2), at(0), at(4), at(1), at(3)})
	for i, p := range o.Model().Template(0) {
		if on := i%5 == 2; on != (p > 0.5) {
			t.Errorf("entry (%d, %d) is %v", i/5, i%5, p)
		}
	}
	e := testkit.MustExplain(t, o.Model(), at(0), patchwork.PursuitOptions{})
	if i := slices.IndexFunc(e.Picks, func(p patchwork.Pick) bool { return p.Pose.DX == -2 }); i != 0 {
		t.Errorf("picks %+v, want a shift by -2", e.Picks)
	}
}
