package patchwork_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// checkError checks that the text of err contains want.
func checkError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want one about %q", what, err, want)
	}
}

func TestNewModelRefuses(t *testing.T) {
	good := patchwork.Config{Height: 2, Width: 3}
	templates := [][]float64{make([]float64, 6)}
	with := func(f func(*patchwork.Config)) patchwork.Config {
		c := good
		f(&c)
		return c
	}
	bad := func(k, i int, v float64) [][]float64 {
		t := testkit.Make2D(3, 6)
		t[k][i] = v
		return t
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		cfg       patchwork.Config
		templates [][]float64
		want      string
	}{
		{with(func(c *patchwork.Config) { c.Rule = 7 }), templates, "unknown rule Rule(7)"},
		{with(func(c *patchwork.Config) { c.Rule, c.Q = patchwork.RuleMaxMinusMin, 0 }), templates, "is the max rule"},
		{with(func(c *patchwork.Config) { c.Height = 0 }), templates, "0 x 3 pixels is empty"},
		{with(func(c *patchwork.Config) { c.Width = -1 }), templates, "2 x -1 pixels is empty"},
		{with(func(c *patchwork.Config) { c.Q = 1.1 }), templates, "q = 1.1"},
		{with(func(c *patchwork.Config) { c.Q = nan }), templates, "q = NaN"},
		{with(func(c *patchwork.Config) { c.QMap = make([]float64, 5) }), templates,
			"5 abstention values for a frame of 2 x 3"},
		{with(func(c *patchwork.Config) { c.QMap = []float64{0, 0, 0, 0, 0, -1} }), templates,
			"abstention value of row 2, column 3 is -1"},
		{with(func(c *patchwork.Config) { c.QMap, c.Scene = make([]float64, 6), true }), templates, "not scenes"},
		{with(func(c *patchwork.Config) { c.Truncate, c.Rule, c.ZeroQ = true, patchwork.RuleMaxMinusMin, true }), templates,
			"truncated templates belong to the max rule"},
		{with(func(c *patchwork.Config) { c.Reuse = -1 }), templates, "-1 times"},
		{with(func(c *patchwork.Config) { c.Prior.On = -1 }), templates, "Beta(-1, 0)"},
		{with(func(c *patchwork.Config) { c.Prior.Off = nan }), templates, "Beta(0, NaN)"},
		{with(func(c *patchwork.Config) { c.Prior.On = inf }), templates, "Beta(+Inf, 0)"},
		{with(func(c *patchwork.Config) { c.Poses.DY = pose.Range{Min: 1} }), templates, "dy range 1..0"},
		{with(func(c *patchwork.Config) { c.Poses.Angles = []float64{0, 0} }), templates, "listed twice"},
		{good, nil, "at least one part"},
		{good, [][]float64{make([]float64, 6), make([]float64, 5)}, "part 2 has 5 values, a frame of 2 x 3 needs 6"},
		{good, bad(2, 4, 1.5), "part 3, row 2, column 2 is 1.5, not a probability"},
		{good, bad(0, 0, nan), "part 1, row 1, column 1 is NaN"},
		{good, bad(1, 5, -inf), "part 2, row 2, column 3 is -Inf"},
	} {
		_, err := patchwork.NewModel(c.cfg, c.templates)
		checkError(t, "NewModel", err, c.want)
	}
}

// TestModelIsImmutable checks that a model copies what it is made of, and returns
// copies.
func TestModelIsImmutable(t *testing.T) {
	templates := [][]float64{{0.1, 0.2}}
	cfg := patchwork.Config{Height: 1, Width: 2, QMap: []float64{0.5, 0.5}, Poses: pose.Grid{Angles: []float64{0, 5}}}
	m := testkit.MustModel(t, cfg, templates)
	templates[0][0], cfg.QMap[0], cfg.Poses.Angles[1] = 0.9, 0.9, 90
	m.Templates()[0][1] = 0.9
	c := m.Config()
	c.QMap[1], c.Poses.Angles[0] = 0.9, 90
	testkit.NearAll(t, "template", m.Template(0), []float64{0.1, 0.2}, 0)
	testkit.NearAll(t, "abstention", []float64{m.Abstention(0), m.Abstention(1)}, []float64{0.5, 0.5}, 0)
	testkit.NearAll(t, "angles", m.Config().Poses.Angles, []float64{0, 5}, 0)
}

func TestWithExtras(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, testkit.Make2D(2, 2))
	other := patchwork.NewTally(testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, testkit.Make2D(3, 2)))
	wide := patchwork.NewTally(testkit.MustModel(t, patchwork.Config{Height: 1, Width: 3}, testkit.Make2D(2, 3)))
	flat, err := gauss.New(make([]float64, 3), make([]float64, 9))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		e    patchwork.Extras
		want string
	}{
		{patchwork.Extras{Counts: other}, "6 counts of 3 parts do not fit 2 parts of 1 x 2 pixels"},
		{patchwork.Extras{Counts: wide}, "6 counts of 2 parts do not fit"},
		{patchwork.Extras{Usage: []float64{1}}, "usage of 1 parts, the model has 2"},
		{patchwork.Extras{Means: []float64{1}}, "means of 1 columns, the model has "},
		{patchwork.Extras{Usage: []float64{0.5, -0.5}}, "usage of part 2 is -0.5"},
		{patchwork.Extras{Usage: []float64{math.NaN(), 0}}, "usage of part 1 is NaN"},
		{patchwork.Extras{Usage: []float64{0, math.Inf(1)}}, "usage of part 2 is +Inf"},
		{patchwork.Extras{Names: []string{"a"}}, "names of 1 parts, the model has 2"},
		{patchwork.Extras{Columns: []string{"a", "b", "c"}}, "names of 3 columns, the model has 2"},
		{patchwork.Extras{Geometry: &patchwork.Geometry{Normal: flat}}, "geometry over 3 numbers, 2 parts have 6"},
	} {
		_, err := m.WithExtras(c.e)
		checkError(t, "WithExtras", err, c.want)
	}
	with, err := m.WithExtras(patchwork.Extras{Usage: []float64{0.25, 1}, Record: patchwork.Record{Method: "batch"}})
	if err != nil || with.Extras().Usage[0] != 0.25 || with.Extras().Record.Method != "batch" {
		t.Errorf("%+v, %v", with, err)
	}
	if m.Extras().Usage != nil {
		t.Error("the first model has changed")
	}
}

// Names of columns and the reading stay with every model made of a model; names of
// experts only where the experts do.
func TestTextsOfDerivedModels(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, testkit.Make2D(2, 2))
	m, err := m.WithExtras(patchwork.Extras{Names: []string{"", "bog"}, Columns: []string{"a", "b"},
		Reading: []byte(`{"invert":true}`)})
	if err != nil {
		t.Fatal(err)
	}
	poses, err := m.WithConfig(patchwork.Config{Height: 1, Width: 2, Q: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	tally := patchwork.NewTally(m)
	for name, c := range map[string]struct {
		m     *patchwork.Model
		named bool
	}{
		"configuration":   {poses, true},
		"M-step":          {tally.MStep(m, patchwork.MStep{}), true},
		"other templates": {m.WithTemplates(testkit.Make2D(3, 2), patchwork.Extras{}), false},
	} {
		e := c.m.Extras()
		if !slices.Equal(e.Columns, []string{"a", "b"}) || string(e.Reading) != `{"invert":true}` ||
			(e.Names != nil) != c.named {
			t.Errorf("%s: %+v", name, e)
		}
	}
	other := m.WithTemplates(testkit.Make2D(1, 2), patchwork.Extras{Names: []string{"x"}, Columns: []string{"c", "d"}})
	if e := other.Extras(); e.Names[0] != "x" || e.Columns[0] != "c" {
		t.Errorf("given: %+v", e)
	}
}

func TestWithConfig(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, testkit.Make2D(2, 2))
	_, err := m.WithConfig(patchwork.Config{Height: 2, Width: 1})
	checkError(t, "another frame", err, "parts of 1 x 2 cannot take a frame of 2 x 1")
	_, err = m.WithConfig(patchwork.Config{Height: 1, Width: 2, Q: 2})
	checkError(t, "a bad value", err, "q = 2")
	turned, err := m.WithConfig(patchwork.Config{Height: 1, Width: 2, Q: 0.1, Poses: pose.Grid{Angles: []float64{180}}})
	if err != nil || turned.Abstention(0) != 0.1 || turned.Config().Poses.Angles[0] != 180 {
		t.Errorf("%+v, %v", turned, err)
	}
	if m.Abstention(0) != 0 {
		t.Error("the first model has changed")
	}
}

func TestPursuitRefuses(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, testkit.Make2D(2, 2))
	both := testkit.MustModel(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 2, Q: 0.5},
		testkit.Make2D(2, 2))
	nan := math.NaN()
	for _, c := range []struct {
		m    *patchwork.Model
		opt  patchwork.PursuitOptions
		want string
	}{
		{m, patchwork.PursuitOptions{Scoring: 9}, "unknown scoring Scoring(9)"},
		{m, patchwork.PursuitOptions{RefineScoring: 9}, "Scoring(9)"},
		{both, patchwork.PursuitOptions{Scoring: patchwork.ScoringTruncated}, "truncated templates belong to the max rule"},
		{both, patchwork.PursuitOptions{RefineScoring: patchwork.ScoringTruncated},
			"truncated templates belong to the max rule"},
		{m, patchwork.PursuitOptions{Alpha: -1}, "alpha = -1"},
		{m, patchwork.PursuitOptions{Alpha: 1.5}, "alpha = 1.5"},
		{m, patchwork.PursuitOptions{Alpha: nan}, "alpha = NaN"},
		{m, patchwork.PursuitOptions{MinGain: nan}, "threshold of the pursuit is NaN"},
		{m, patchwork.PursuitOptions{RefineThreshold: nan}, "threshold of the pursuit is NaN"},
		{m, patchwork.PursuitOptions{MaxPicks: -1}, "picks -1"},
		{m, patchwork.PursuitOptions{Reuse: -1}, "reuse -1"},
		{m, patchwork.PursuitOptions{RefineSweeps: -2}, "sweeps -2"},
		{m, patchwork.PursuitOptions{Costs: []float64{1}}, "1 costs for 2 parts"},
		{m, patchwork.PursuitOptions{Costs: []float64{0, nan}}, "cost of part 2 is NaN"},
		{m, patchwork.PursuitOptions{Costs: []float64{math.Inf(1), 0}}, "cost of part 1 is +Inf"},
	} {
		_, err := patchwork.NewPursuit(c.m, c.opt)
		checkError(t, "NewPursuit", err, c.want)
	}
}

func TestSizeErrors(t *testing.T) {
	fixed := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 3}, testkit.Make2D(1, 6))
	scene := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 3, Scene: true}, testkit.Make2D(1, 6))
	for _, c := range []struct {
		m    *patchwork.Model
		h, w int
		want string // "" for a size that is fine
	}{
		{fixed, 2, 3, ""},
		{fixed, 3, 3, "image of 3 x 3, the model explains images of 2 x 3"},
		{fixed, 2, 2, "image of 2 x 2, the model explains images of 2 x 3"},
		{scene, 2, 3, ""},
		{scene, 9, 3, ""},
		{scene, 1, 30, "image of 1 x 30 is smaller than the model's 2 x 3 parts"},
		{scene, 30, 2, "image of 30 x 2 is smaller"},
	} {
		_, err := testkit.MustPursuit(t, c.m, patchwork.PursuitOptions{}).Explain(bitmap.New(c.h, c.w))
		var size *patchwork.SizeError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%d x %d: %v", c.h, c.w, err)
		case c.want != "" && (!errors.As(err, &size) || size.Height != c.h || size.Width != c.w ||
			!strings.Contains(err.Error(), c.want)):
			t.Errorf("%d x %d: error %v, want %q", c.h, c.w, err, c.want)
		}
	}
	g, err := scene.GridFor(5, 4)
	if err != nil || g.DY.Len() != 4 || g.DX.Len() != 2 || g.At(0) != (pose.Pose{}) {
		t.Errorf("grid %+v, %v, want 4 x 2 full placements", g, err)
	}
}

// TestNames checks that parsing accepts what String returns and no other name.
func TestNames(t *testing.T) {
	names := map[string]func(string) (string, error){}
	for _, v := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		names["rule "+v.String()] = func(s string) (string, error) {
			r,
				err := enum.Of[patchwork.Rule]("a rule", s)
			return r.String(), err
		}
	}
	for _, v := range []patchwork.Scoring{patchwork.Scoring(0), patchwork.ScoringTruncated, patchwork.ScoringOriginal,
		patchwork.ScoringMixed} {
		names["scoring "+v.String()] = func(s string) (string, error) {
			r, err := enum.Of[patchwork.Scoring]("a scoring", s)
			return r.String(), err
		}
	}
	if len(names) != 6 {
		t.Fatalf("%d distinct names of 6", len(names))
	}
	for name, parse := range names {
		_, value, _ := strings.Cut(name, " ")
		if got, err := parse(value); err != nil || got != value {
			t.Errorf("%s is read as %s, %v", name, got, err)
		}
		if _, err := parse("nonsense"); err == nil || !strings.Contains(err.Error(), `"nonsense"`) {
			t.Errorf("%s: error %v for nonsense", name, err)
		}
	}
	for _, s := range []string{patchwork.Rule(9).String(), patchwork.Scoring(9).String()} {
		if !strings.HasSuffix(s, "(9)") {
			t.Errorf("an unknown value prints as %s", s)
		}
	}
}

func TestLogLik(t *testing.T) {
	p := []float64{0.9, 0.2, 0.5, 0}
	testkit.Near(t, "log-likelihood", patchwork.LogLik(bitmap.Parse("#.", "#."), p),
		math.Log(0.9)+math.Log(0.8)+math.Log(0.5), 1e-15)
	testkit.Near(t, "unknown pixels add nothing", patchwork.LogLik(bitmap.Parse("?.", "?."), p), math.Log(0.8), 1e-15)
	if got := patchwork.LogLik(bitmap.Parse("#.", "##"), p); !math.IsInf(got, -1) {
		t.Errorf("an impossible image has %v", got)
	}
	testkit.Near(t, "tiny probabilities of on", patchwork.LogLik(bitmap.Parse("."), []float64{1e-20}), -1e-20, 1e-30)
}

func TestPlace(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 2, Q: 0.1, Scene: true},
		[][]float64{{0.2, 0.3, 0.4, 0.6}})
	testkit.NearAll(t, "shifted", m.Place(3, 3, patchwork.Pick{Pose: pose.Pose{DY: 1, DX: 1}}),
		[]float64{0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.1, 0.4, 0.6}, 0)
	testkit.NearAll(t, "partly outside", m.Place(2, 2, patchwork.Pick{Pose: pose.Pose{DY: -1, DX: 1}}),
		[]float64{0.1, 0.4, 0.1, 0.1}, 0)
	testkit.NearAll(t, "entirely outside", m.Place(2, 2, patchwork.Pick{Pose: pose.Pose{DY: 9, DX: -9}}),
		[]float64{0.1, 0.1, 0.1, 0.1}, 0)
	testkit.NearAll(t, "a quarter clockwise", m.Place(2, 2, patchwork.Pick{Pose: pose.Pose{Angle: 90}}),
		[]float64{0.4, 0.2, 0.6, 0.3}, 0)
}

// TestFrameOverflowIsRefused checks frames whose number of pixels overflows: an
// error and no panic, also with rotations, whose index maps must not be made before
// the templates are checked.
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
		_, _ = patchwork.NewModel(patchwork.Config{Height: 1 << 32, Width: 1 << 32, Poses: pose.Grid{Angles: []float64{5}}},
			[][]float64{{}})
	}()
}

// TestAbsurdRangeIsRefused checks that shift ranges whose length overflows, or that
// would need more memory than there is, cause no panic.
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

// TestLargeWeights checks that weights whose sum overflows are an error, and that
// large weights are counted exactly.
func TestLargeWeights(t *testing.T) {
	d := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#"), bitmap.Parse("#")},
		Weights: []int64{math.MaxInt64, math.MaxInt64}}
	if err := rows.Validate(context.Background(), d); err == nil {
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

// TestPicksAreLimited checks that no pursuit makes more picks than Compose can
// number.
func TestPicksAreLimited(t *testing.T) {
	c := patchwork.Config{Height: 1, Width: 1, Q: 0.1, Scene: true, Reuse: 1 << 20}
	if got := (patchwork.PursuitOptions{}).WithDefaults(&c).MaxPicks; got != math.MaxInt16 {
		t.Errorf("at most %d picks", got)
	}
	m := testkit.MustModel(t, c, [][]float64{{0.9}})
	if _, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{MaxPicks: math.MaxInt16 + 1}); err == nil {
		t.Error("a limit of more picks is accepted")
	}
}

// TestFirstBadImageIsNamed checks that several workers always report the first
// image that does not fit.
func TestFirstBadImageIsNamed(t *testing.T) {
	m, _ := patchwork.NewModel(patchwork.Config{Height: 1, Width: 1, Q: 0.1}, [][]float64{{0.5}})
	images := make([]*bitmap.Image, 20000)
	for i := range images {
		images[i] = bitmap.Parse("#")
	}
	images[19990], images[9000] = bitmap.New(2, 2), bitmap.New(2, 2)
	seen := map[string]int{}
	for range 200 {
		_, err := patchwork.EStep(t.Context(), m, patchwork.Data{Images: images}, patchwork.PursuitOptions{}, 7, nil)
		name, _, _ := strings.Cut(err.Error(), ":")
		seen[name]++
	}
	if len(seen) > 1 {
		t.Errorf("named: %v", seen)
	}
}

// TestEasyCallsAreThePursuit checks that the easy calls return what a pursuit with
// the default settings does, from several goroutines, and also for a copy of the
// model with another configuration.
func TestEasyCallsAreThePursuit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		checkEasy(t, m, img)
		c = m.Config()
		c.Reuse = 3
		other, err := m.WithConfig(c)
		if err != nil {
			t.Fatal(err)
		}
		checkEasy(t, other, img)
	})
}

func checkEasy(t *rapid.T, m *patchwork.Model, img *bitmap.Image) {
	want := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{})
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wait.Go(func() {
			e, err := m.Explain(img)
			if err == nil && !testkit.SameExplanation(e, want) {
				err = errors.New("another explanation than the pursuit's")
			}
			errs[i] = err
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got, err := m.LogLik(img); err != nil || got != want.LogLikModel {
		t.Fatalf("LogLik %v, %v, want %v", got, err, want.LogLikModel)
	}
}

// TestEasyCallsRefuseOtherSizes checks that the easy calls return a *SizeError for
// an image of another size.
func TestEasyCallsRefuseOtherSizes(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 4, Q: 0.1}, testkit.Make2D(2, 4))
	var size *patchwork.SizeError
	if _, err := m.Explain(bitmap.New(2, 4)); !errors.As(err, &size) {
		t.Errorf("Explain: %v", err)
	}
	if _, err := m.LogLik(bitmap.New(2, 4)); !errors.As(err, &size) {
		t.Errorf("LogLik: %v", err)
	}
	if _, err := m.Explain(bitmap.New(1, 4)); err != nil {
		t.Errorf("after an error: %v", err)
	}
}

// TestSampleIsPicksThenPixels checks that Sample draws the picks, then the pixels.
func TestSampleIsPicksThenPixels(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 2, Q: 0.1}, [][]float64{{.9, .5, .2, 0}, {0, .4, .6, .8}})
	img, picks := m.Sample(rand.New(rand.NewPCG(1, 2)))
	rng := rand.New(rand.NewPCG(1, 2))
	wantPicks := m.SamplePicks(rng)
	want := bitmap.Sample(rng, 2, 2, m.Compose(2, 2, wantPicks).P)
	if img.String() != want.String() || !slices.Equal(picks, wantPicks) {
		t.Errorf("%v %v, want %v %v", img, picks, want, wantPicks)
	}
}

// TestSearchAuto checks that by default experts that can move are searched for by
// the refined pursuit, unless Scoring is set, and tables are explained greedily.
func TestSearchAuto(t *testing.T) {
	templates := [][]float64{{0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0}, {0.9, 0.9, 0.9, 0.9, 0, 0, 0, 0},
		{0, 0, 0, 0, 0.9, 0.9, 0.9, 0.9}}
	img := bitmap.Parse("########")
	still := patchwork.Config{Height: 1, Width: 8, Q: 0.1}
	shifted, scene := still, still
	shifted.Poses, scene.Scene = pose.Grid{DY: pose.Symmetric(1, 1)}, true
	for _, c := range []struct {
		cfg   patchwork.Config
		opt   patchwork.PursuitOptions
		picks int // 3 if greedy, 2 if refined
	}{
		{still, patchwork.PursuitOptions{}, 3},
		{still, patchwork.PursuitOptions{Refined: true}, 2},
		{shifted, patchwork.PursuitOptions{}, 2},
		{shifted, patchwork.PursuitOptions{Scoring: patchwork.ScoringOriginal}, 3},
		{shifted, patchwork.PursuitOptions{Refined: true, Scoring: patchwork.ScoringOriginal}, 2},
		{shifted, patchwork.PursuitOptions{Paper: true}, 3},
		{scene, patchwork.PursuitOptions{}, 2},
	} {
		m := testkit.MustModel(t, c.cfg, templates)
		if e := testkit.MustExplain(t, m, img, c.opt); len(e.Picks) != c.picks {
			t.Errorf("%+v, %+v: %d picks, want %d", c.cfg.Poses, c.opt, len(e.Picks), c.picks)
		}
	}
}

// nats is a log-likelihood of the golden files, where null is -Inf.
type nats float64

func (n *nats) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = nats(math.Inf(-1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// goldenTables is the part of tables.json that concerns this package.
type goldenTables struct {
	LMP []struct {
		Rule     string
		Q        *float64
		Truncate bool
		Start    string
		MinGain  float64 `json:"min_gain"`
		X        []uint8
		Experts  [][]float64
		Order    []int
		LL       []nats
		MuFinal  []float64 `json:"mu_final"`
	}
	MStepGuarded []struct {
		Q, Eps  float64
		Lam     float64 // MStep.MinVoteGain
		Delta   float64 // MStep.AbstainMargin
		X       [][]uint8
		Experts [][]float64
		Orders  [][]int
		Out     [][]float64
	} `json:"m_step_guarded"`
}

func loadTables(t testing.TB) goldenTables {
	t.Helper()
	var g goldenTables
	if err := json.Unmarshal(testenv.ReadShared(t, "golden/tables.json"), &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGoldenPursuit(t *testing.T) {
	for i, c := range loadTables(t).LMP {
		cfg := testkit.TableConfig(c.Rule, c.Q, len(c.X), c.Truncate)
		m, err := patchwork.NewModel(cfg, c.Experts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Paper: true, Forced: c.Start == "forced",
			MinGain: c.MinGain})
		if err != nil {
			t.Fatal(err)
		}
		img := bitmap.FromBytes(1, len(c.X), c.X)
		picks, err := p.Steps(img)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Near(t, "start", p.Now(), float64(c.LL[0]), 1e-9)
		var order []int
		for pick := range picks {
			order = append(order, pick.Expert)
			testkit.Near(t, "log-likelihood", p.Now(), float64(c.LL[len(order)]), 1e-9)
		}
		if !slices.Equal(order, c.Order) {
			t.Errorf("case %d (%s): picks %v, want %v", i, c.Rule, order, c.Order)
			continue
		}
		e, err := p.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Near(t, "final log-likelihood", e.LogLik, float64(c.LL[len(order)]), 1e-9)
		testkit.NearAll(t, "composition", m.Compose(1, len(c.X), e.Picks).P, c.MuFinal, 1e-12)
	}
}

type goldenScene struct {
	Base  float64
	Steps [][3]int // expert, dy, dx
	// Sorted holds the picks of a refined case.
	Sorted      [][3]int `json:"steps_sorted"`
	LogLik      []float64
	LogLikFinal float64 `json:"loglik_final"`
	Unambiguous bool
}

// goldenCase is a scene of the golden images.
type goldenCase struct {
	X            []string
	POn          float64 `json:"p_on"`
	POff         float64 `json:"p_off"`
	Trunc        goldenScene
	TruncRefined goldenScene `json:"trunc_refined"`
	Orig         goldenScene
	OrigRefined  goldenScene `json:"orig_refined"`
	Mix          goldenScene
	MixRefined   goldenScene `json:"mix_refined"`

	// Stopped is the pursuit stopped at the true number J of parts, by
	// scoring: the fields trunc_J3, orig_J3, mix_J3 for J = 3, and so on.
	Stopped map[string]goldenScene `json:"-"`
}

func (c *goldenCase) UnmarshalJSON(b []byte) error {
	type plain goldenCase
	var fields map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(b, (*plain)(c)), json.Unmarshal(b, &fields)); err != nil {
		return err
	}
	c.Stopped = make(map[string]goldenScene)
	for name, raw := range fields {
		if scoring, _, ok := strings.Cut(name, "_J"); ok {
			var s goldenScene
			if err := json.Unmarshal(raw, &s); err != nil {
				return err
			}
			c.Stopped[scoring] = s
		}
	}
	return nil
}

type goldenImages struct {
	Cases     []goldenCase
	Templates [][]string
	MStep     goldenShiftedStep `json:"mstep"`
	Rotation  struct {
		Template [][]float64
		Cases    []struct {
			Deg   float64
			Order int
			Out   [][]float64
		}
	}
}

type goldenShiftedStep struct {
	Experts           [][][]float64
	X                 [][][]uint8
	Reps              [][][3]int
	KStar             [][][]int
	OutsideUnknown    goldenCounts `json:"outside_unknown"`
	OutsideBackground goldenCounts `json:"outside_background"`
}

type goldenCounts struct{ Num, Den [][][]float64 }

func loadImages(t testing.TB) goldenImages {
	t.Helper()
	var g goldenImages
	if err := json.Unmarshal(testenv.ReadShared(t, "golden/images.json"), &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func sceneModel(t testing.TB, glyphs [][]string, on, off float64) *patchwork.Model {
	t.Helper()
	var templates [][]float64
	for _, rows := range glyphs {
		var p []float64
		for _, row := range rows {
			for _, c := range row {
				if c == '1' {
					p = append(p, on)
				} else {
					p = append(p, off)
				}
			}
		}
		templates = append(templates, p)
	}
	m, err := patchwork.NewModel(patchwork.Config{Height: len(glyphs[0]), Width: len(glyphs[0][0]), Q: off, Scene: true,
		Defaults: patchwork.Defaults{Truncate: true}}, templates)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGoldenScenes(t *testing.T) {
	g := loadImages(t)
	for i, c := range g.Cases {
		m := sceneModel(t, g.Templates, c.POn, c.POff)
		img := bitmap.Parse(c.X...)
		for _, v := range []struct {
			name string
			opt  patchwork.PursuitOptions
			want goldenScene
		}{
			{"truncated", patchwork.PursuitOptions{Paper: true}, c.Trunc},
			{"original", patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringOriginal}, c.Orig},
			{"mixed", patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringMixed, Alpha: .5}, c.Mix},
		} {
			p, err := patchwork.NewPursuit(m, v.opt)
			if err != nil {
				t.Fatal(err)
			}
			picks, err := p.Steps(img)
			if err != nil {
				t.Fatal(err)
			}
			var got [][3]int
			var logLik []float64
			for k := range picks {
				got = append(got, [3]int{k.Expert, k.Pose.DY, k.Pose.DX})
				logLik = append(logLik, p.Now())
			}
			want := v.want.Steps
			if v.want.Unambiguous {
				testkit.NearAll(t, v.name+" log-likelihood", logLik, v.want.LogLik, 1e-9)
			} else {
				testkit.Near(t, v.name+" final log-likelihood", logLik[len(logLik)-1], v.want.LogLik[len(want)-1], 1e-9)
				slices.SortFunc(got, func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
				want = slices.Clone(want)
				slices.SortFunc(want, func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
			}
			if !slices.Equal(got, want) {
				t.Errorf("case %d %s: picks %v, want %v", i, v.name, got, want)
			}
		}
	}
}

// TestGoldenScenesRefined checks sweeps under the scoring of the search and without
// a threshold, and the pursuit stopped at the true number of parts.
func TestGoldenScenesRefined(t *testing.T) {
	g := loadImages(t)
	for i, c := range g.Cases {
		m := sceneModel(t, g.Templates, c.POn, c.POff)
		img := bitmap.Parse(c.X...)
		for _, v := range []struct {
			scoring patchwork.Scoring
			name    string
			refined goldenScene
		}{
			{patchwork.ScoringTruncated, "trunc", c.TruncRefined}, {patchwork.ScoringOriginal, "orig", c.OrigRefined},
			{patchwork.ScoringMixed, "mix", c.MixRefined},
		} {
			stop, ok := c.Stopped[v.name]
			if !ok {
				t.Fatalf("case %d has no %s_J", i, v.name)
			}
			opt := patchwork.PursuitOptions{Paper: true, Scoring: v.scoring, Alpha: .5, MaxPicks: len(stop.Steps)}
			testkit.Near(t, v.name+" stopped", explainWith(t, m, opt, img).LogLik, stop.LogLik[len(stop.Steps)-1], 1e-9)
			opt = patchwork.PursuitOptions{Refined: true, Scoring: v.scoring, Alpha: .5, RefineScoring: v.scoring,
				RefineThreshold: -1}
			testkit.Near(t, v.name+" refined", explainWith(t, m, opt, img).LogLik, v.refined.LogLikFinal, 1e-9)
		}
	}
}

func explainWith(t testing.TB, m *patchwork.Model, opt patchwork.PursuitOptions,
	img *bitmap.Image) *patchwork.Explanation {
	t.Helper()
	p, err := patchwork.NewPursuit(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Explain(img)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestGoldenRotation(t *testing.T) {
	g := loadImages(t).Rotation
	h, w := len(g.Template), len(g.Template[0])
	for _, c := range g.Cases {
		if c.Order != 0 {
			continue // bilinear, for comparison only; Patchwork maps to the nearest pixel
		}
		turn := pose.NewTurn(h, w, c.Deg)
		for i := range h * w { // the golden cases cut the turned template off at its frame
			got := 0.0
			if y, x := i/w-turn.Top, i%w-turn.Left; y >= 0 && x >= 0 && y < turn.Height && x < turn.Width {
				if s := turn.From[y*turn.Width+x]; s != pose.Outside {
					got = g.Template[int(s)/w][int(s)%w]
				}
			}
			if want := c.Out[i/w][i%w]; got != want {
				t.Errorf("%v degrees, pixel (%d,%d): %v, want %v", c.Deg, i/w, i%w, got, want)
			}
		}
	}
}

func TestGoldenGuardedStep(t *testing.T) {
	for _, c := range loadTables(t).MStepGuarded {
		cfg := testkit.TableConfig("max_minus_min", &c.Q, len(c.X[0]), false)
		cfg.Prior = patchwork.Prior{c.Eps, c.Eps}
		m, err := patchwork.NewModel(cfg, c.Experts)
		if err != nil {
			t.Fatal(err)
		}
		tally := testkit.TallyOfRows(m, c.X, c.Orders)
		guarded := tally.MStep(m, patchwork.MStep{MinVoteGain: c.Lam, AbstainMargin: c.Delta})
		for k := range c.Out {
			testkit.NearAll(t, "guarded step", guarded.Template(k), c.Out[k], 1e-12)
		}
	}
}

func TestGoldenShiftedCounts(t *testing.T) {
	g := loadImages(t).MStep
	flat := func(rows [][]float64) []float64 { return slices.Concat(rows...) }
	h, w := len(g.Experts[0]), len(g.Experts[0][0])
	for outside, want := range map[bool]goldenCounts{true: g.OutsideUnknown, false: g.OutsideBackground} {
		cfg := patchwork.Config{Height: h, Width: w, Defaults: patchwork.Defaults{UnknownOutside: outside},
			Poses: pose.Grid{DY: pose.Symmetric(3, 1), DX: pose.Symmetric(3, 1)}}
		m, err := patchwork.NewModel(cfg, [][]float64{flat(g.Experts[0]), flat(g.Experts[1])})
		if err != nil {
			t.Fatal(err)
		}
		tally := patchwork.NewTally(m)
		for n, rows := range g.X {
			e := &patchwork.Explanation{}
			for _, r := range g.Reps[n] {
				e.Picks = append(e.Picks, patchwork.Pick{Expert: r[0], Pose: pose.Pose{DY: r[1], DX: r[2]}})
			}
			tally.Add(m, bitmap.FromBytes(h, w, slices.Concat(rows...)), e, 1)
			speaker := m.Compose(h, w, e.Picks).Max
			for i := range speaker {
				got := -1
				if speaker[i] >= 0 {
					got = e.Picks[speaker[i]].Expert
				}
				if got != g.KStar[n][i/w][i%w] {
					t.Fatalf("image %d pixel %d: k* = %d, want %d", n, i, got, g.KStar[n][i/w][i%w])
				}
			}
		}
		for k := range 2 {
			for i := range h * w {
				testkit.Near(t, fmt.Sprint("unknown outside ", outside)+" on", float64(tally.Counts().On[k*h*w+i]),
					want.Num[k][i/w][i%w], 0)
				testkit.Near(t, fmt.Sprint("unknown outside ", outside)+" seen", float64(tally.Counts().Seen[k*h*w+i]),
					want.Den[k][i/w][i%w], 0)
			}
		}
	}
}
