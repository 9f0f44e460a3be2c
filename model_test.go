package patchwork_test

import (
	"context"
	"errors"
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
		{with(func(c *patchwork.Config) { c.QMap = make([]float64, 5) }), templates, "5 abstention values for a frame of 2 x 3"},
		{with(func(c *patchwork.Config) { c.QMap = []float64{0, 0, 0, 0, 0, -1} }), templates, "abstention value of row 1, column 2 is -1"},
		{with(func(c *patchwork.Config) { c.QMap, c.Scene = make([]float64, 6), true }), templates, "not scenes"},
		{with(func(c *patchwork.Config) { c.Truncate, c.Rule, c.ZeroQ = true, patchwork.RuleMaxMinusMin, true }), templates, "truncated templates belong to the max rule"},
		{with(func(c *patchwork.Config) { c.Reuse = -1 }), templates, "-1 times"},
		{with(func(c *patchwork.Config) { c.Prior.On = -1 }), templates, "Beta(-1, 0)"},
		{with(func(c *patchwork.Config) { c.Prior.Off = nan }), templates, "Beta(0, NaN)"},
		{with(func(c *patchwork.Config) { c.Prior.On = inf }), templates, "Beta(+Inf, 0)"},
		{with(func(c *patchwork.Config) { c.Poses.DY = pose.Range{Min: 1} }), templates, "dy range 1..0"},
		{with(func(c *patchwork.Config) { c.Poses.Angles = []float64{0, 0} }), templates, "listed twice"},
		{good, nil, "at least one part"},
		{good, [][]float64{make([]float64, 6), make([]float64, 5)}, "part 1 has 5 values, a frame of 2 x 3 needs 6"},
		{good, bad(2, 4, 1.5), "part 2, row 1, column 1 is 1.5, not a probability"},
		{good, bad(0, 0, nan), "part 0, row 0, column 0 is NaN"},
		{good, bad(1, 5, -inf), "part 1, row 1, column 2 is -Inf"},
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
		{patchwork.Extras{Usage: []float64{0.5, -0.5}}, "usage of part 1 is -0.5"},
		{patchwork.Extras{Usage: []float64{math.NaN(), 0}}, "usage of part 0 is NaN"},
		{patchwork.Extras{Usage: []float64{0, math.Inf(1)}}, "usage of part 1 is +Inf"},
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
	m, err := m.WithExtras(patchwork.Extras{Names: []string{"", "bog"}, Columns: []string{"a", "b"}, Reading: []byte(`{"invert":true}`)})
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
		if !slices.Equal(e.Columns, []string{"a", "b"}) || string(e.Reading) != `{"invert":true}` || (e.Names != nil) != c.named {
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
	both := testkit.MustModel(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 2, Q: 0.5}, testkit.Make2D(2, 2))
	nan := math.NaN()
	for _, c := range []struct {
		m    *patchwork.Model
		opt  patchwork.PursuitOptions
		want string
	}{
		{m, patchwork.PursuitOptions{Scoring: 9}, "unknown scoring Scoring(9)"},
		{m, patchwork.PursuitOptions{RefineScoring: 9}, "Scoring(9)"},
		{both, patchwork.PursuitOptions{Scoring: patchwork.ScoringTruncated}, "truncated templates belong to the max rule"},
		{both, patchwork.PursuitOptions{RefineScoring: patchwork.ScoringTruncated}, "truncated templates belong to the max rule"},
		{m, patchwork.PursuitOptions{Alpha: -1}, "alpha = -1"},
		{m, patchwork.PursuitOptions{Alpha: 1.5}, "alpha = 1.5"},
		{m, patchwork.PursuitOptions{Alpha: nan}, "alpha = NaN"},
		{m, patchwork.PursuitOptions{MinGain: nan}, "threshold of the pursuit is NaN"},
		{m, patchwork.PursuitOptions{RefineThreshold: nan}, "threshold of the pursuit is NaN"},
		{m, patchwork.PursuitOptions{MaxPicks: -1}, "picks -1"},
		{m, patchwork.PursuitOptions{Reuse: -1}, "reuse -1"},
		{m, patchwork.PursuitOptions{RefineSweeps: -2}, "sweeps -2"},
		{m, patchwork.PursuitOptions{Costs: []float64{1}}, "1 costs for 2 parts"},
		{m, patchwork.PursuitOptions{Costs: []float64{0, nan}}, "cost of part 1 is NaN"},
		{m, patchwork.PursuitOptions{Costs: []float64{math.Inf(1), 0}}, "cost of part 0 is +Inf"},
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
		case c.want != "" && (!errors.As(err, &size) || size.Height != c.h || size.Width != c.w || !strings.Contains(err.Error(), c.want)):
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
		names["rule "+v.String()] = func(s string) (string, error) { r, err := enum.Of[patchwork.Rule]("a rule", s); return r.String(), err }
	}
	for _, v := range []patchwork.Scoring{patchwork.Scoring(0), patchwork.ScoringTruncated, patchwork.ScoringOriginal, patchwork.ScoringMixed} {
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
	testkit.Near(t, "log-likelihood", patchwork.LogLik(bitmap.Parse("#.", "#."), p), math.Log(0.9)+math.Log(0.8)+math.Log(0.5), 1e-15)
	testkit.Near(t, "unknown pixels add nothing", patchwork.LogLik(bitmap.Parse("?.", "?."), p), math.Log(0.8), 1e-15)
	if got := patchwork.LogLik(bitmap.Parse("#.", "##"), p); !math.IsInf(got, -1) {
		t.Errorf("an impossible image has %v", got)
	}
	testkit.Near(t, "tiny probabilities of on", patchwork.LogLik(bitmap.Parse("."), []float64{1e-20}), -1e-20, 1e-30)
}

func TestPlace(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 2, Q: 0.1, Scene: true}, [][]float64{{0.2, 0.3, 0.4, 0.6}})
	testkit.NearAll(t, "shifted", m.Place(3, 3, patchwork.Pick{Pose: pose.Pose{DY: 1, DX: 1}}),
		[]float64{0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.1, 0.4, 0.6}, 0)
	testkit.NearAll(t, "partly outside", m.Place(2, 2, patchwork.Pick{Pose: pose.Pose{DY: -1, DX: 1}}), []float64{0.1, 0.4, 0.1, 0.1}, 0)
	testkit.NearAll(t, "entirely outside", m.Place(2, 2, patchwork.Pick{Pose: pose.Pose{DY: 9, DX: -9}}), []float64{0.1, 0.1, 0.1, 0.1}, 0)
	testkit.NearAll(t, "a quarter clockwise", m.Place(2, 2, patchwork.Pick{Pose: pose.Pose{Angle: 90}}), []float64{0.4, 0.2, 0.6, 0.3}, 0)
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
		_, _ = patchwork.NewModel(patchwork.Config{Height: 1 << 32, Width: 1 << 32, Poses: pose.Grid{Angles: []float64{5}}}, [][]float64{{}})
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
	d := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#"), bitmap.Parse("#")}, Weights: []int64{math.MaxInt64, math.MaxInt64}}
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
	templates := [][]float64{{0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0}, {0.9, 0.9, 0.9, 0.9, 0, 0, 0, 0}, {0, 0, 0, 0, 0.9, 0.9, 0.9, 0.9}}
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
