package patchwork_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
	"pgregory.net/rapid"
)

// TestFitGeometry checks the mean and the presence of the fit, also if experts are
// missing from images.
func TestFitGeometry(t *testing.T) {
	m, data := testkit.Corners(t, [][2]*pose.Pose{
		{testkit.At(-2, -3, 0), testkit.At(2, 3, 0)},
		{testkit.At(-3, -2, 90), testkit.At(3, 2, 0)},
		{testkit.At(-1, -1, 0), nil},
		{testkit.At(-2, -2, 90), testkit.At(1, 1, 0)},
	})
	g, err := patchwork.FitGeometry(t.Context(), m, data, patchwork.PursuitOptions{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	mean := g.Normal.Mean()
	testkit.NearAll(t, "mean of the expert that is always there", mean[:3], []float64{-2, -2, 45}, 1e-9)
	if want := (gauss.Presence{{Mask: 1, N: 1}, {Mask: 3, N: 3}}); len(g.Presence) != 2 || g.Presence[0] != want[0] || g.Presence[1] != want[1] {
		t.Errorf("presence %v, want %v", g.Presence, want)
	}
	if g.Normal.Dim() != 6 {
		t.Errorf("%d coordinates of two experts", g.Normal.Dim())
	}
	data.Weights = []int64{1, 1, 5, 1}
	weighted, err := patchwork.FitGeometry(t.Context(), m, data, patchwork.PursuitOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Near(t, "weighted mean", weighted.Normal.Mean()[0], (-2.-3-5-2)/8, 1e-9)
}

// TestFitGeometryTakesTheFirstPick checks that of several picks of an expert in an
// image the first is counted.
func TestFitGeometryTakesTheFirstPick(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 3, Q: 0.01, Scene: true, Reuse: 2}, [][]float64{{0.9, 0.9, 0.2}})
	img := bitmap.Parse("##...##?")
	e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{})
	if len(e.Picks) != 2 || e.Picks[0].Pose == e.Picks[1].Pose {
		t.Fatalf("picks %+v, want two", e.Picks)
	}
	g, err := patchwork.FitGeometry(t.Context(), m, patchwork.Data{Images: []*bitmap.Image{img}}, patchwork.PursuitOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	testkit.NearAll(t, "mean", g.Normal.Mean(), []float64{float64(e.Picks[0].Pose.DY), float64(e.Picks[0].Pose.DX), 0}, 0)
}

// TestFitGeometryOfNothing checks that there is no geometry and no error if nothing
// was found, or there are too many experts for the Gaussian.
func TestFitGeometryOfNothing(t *testing.T) {
	m, _ := testkit.Corners(t, nil)
	blank := patchwork.Data{Images: []*bitmap.Image{bitmap.New(9, 9)}}
	if g, err := patchwork.FitGeometry(t.Context(), m, blank, patchwork.PursuitOptions{}, 1); g != nil || err != nil {
		t.Errorf("%v, %v from a blank image", g, err)
	}
	many := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 1}, testkit.Make2D(gauss.MaxExperts+1, 1))
	if g, err := patchwork.FitGeometry(t.Context(), many, patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#")}}, patchwork.PursuitOptions{}, 1); g != nil || err != nil {
		t.Errorf("%v, %v of %d experts", g, err, many.K())
	}
	if _, err := patchwork.FitGeometry(t.Context(), m, patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 1)}}, patchwork.PursuitOptions{}, 1); err == nil {
		t.Error("no error for an image that does not fit")
	}
}

// TestSamplePicks checks that samples have the experts of some training image, near
// where they were.
func TestSamplePicks(t *testing.T) {
	m, data := testkit.Corners(t, [][2]*pose.Pose{
		{testkit.At(-2, -3, 0), testkit.At(2, 3, 0)}, {testkit.At(-3, -2, 0), testkit.At(3, 2, 0)}, {testkit.At(-1, -1, 0), nil}, {testkit.At(-2, -2, 0), testkit.At(1, 1, 0)},
	})
	g, err := patchwork.FitGeometry(t.Context(), m, data, patchwork.PursuitOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err = m.WithExtras(patchwork.Extras{Geometry: g})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 2000
	both, sum := 0, 0.0
	for range n {
		picks := m.SamplePicks(rng)
		if len(picks) == 0 || picks[0].Expert != 0 || len(picks) > 2 {
			t.Fatalf("picks %+v: expert 0 was in every image", picks)
		}
		if len(picks) == 2 {
			both++
		}
		sum += float64(picks[0].Pose.DY)
		m.Compose(9, 9, picks) // whatever was drawn can be drawn as an image
	}
	if share := float64(both) / n; math.Abs(share-0.75) > 0.04 {
		t.Errorf("both experts in %v of the samples, in 3/4 of the images", share)
	}
	testkit.Near(t, "mean of the sampled dy", sum/n, -2, 0.1)
	mean := m.SamplePicks(nil)
	if len(mean) != 2 || mean[0] != (patchwork.Pick{Expert: 0, Pose: pose.Pose{DY: -2, DX: -2}}) {
		t.Errorf("mean picks %+v", mean)
	}
}

// TestSamplePicksWithoutGeometry checks that without geometry each expert is drawn
// independently by its usage, and that without usage all experts are picked.
func TestSamplePicksWithoutGeometry(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, testkit.Make2D(3, 2))
	rng := rand.New(rand.NewPCG(1, 2))
	if got := m.SamplePicks(rng); len(got) != 3 || got[2] != (patchwork.Pick{Expert: 2}) {
		t.Errorf("picks %+v, want everybody at the zero pose", got)
	}
	if got := m.SamplePicks(nil); len(got) != 3 || got[1] != (patchwork.Pick{Expert: 1}) {
		t.Errorf("mean picks %+v", got)
	}
	m, err := m.WithExtras(patchwork.Extras{Usage: []float64{0, 0.3, 1}})
	if err != nil {
		t.Fatal(err)
	}
	const n = 5000
	count := make([]float64, 3)
	for range n {
		for _, p := range m.SamplePicks(rng) {
			count[p.Expert]++
		}
	}
	if count[0] != 0 || count[2] != n || math.Abs(count[1]/n-0.3) > 0.03 {
		t.Errorf("sampled %v times of %d", count, n)
	}
}

func TestSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := []float64{0, 1, 0.25, 0, 1, 0.25}
	on := 0
	for range 2000 {
		img := bitmap.Sample(rng, 2, 3, p)
		for y := range 2 {
			if img.At(y, 0) || !img.At(y, 1) {
				t.Fatalf("%v: probabilities 0 and 1 are certain", img)
			}
			if img.At(y, 2) {
				on++
			}
		}
	}
	if share := float64(on) / 4000; math.Abs(share-0.25) > 0.03 {
		t.Errorf("on in %v of the samples, want 1/4", share)
	}
}

// withGeometry returns m with a Gaussian over its poses.
func withGeometry(t interface{ Fatal(...any) }, m *patchwork.Model, mean, cov []float64) *patchwork.Model {
	normal, err := gauss.New(mean, cov)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.WithExtras(patchwork.Extras{Geometry: &patchwork.Geometry{Normal: normal}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPosePriorPrefersTheLearnedPose checks an image with two places for a second
// bar: a complete one far away, which is picked without the prior, and one with a
// gap directly below the first bar, as learned, which is picked with it.
func TestPosePriorPrefersTheLearnedPose(t *testing.T) {
	const side = 24
	level, upright := make([]float64, side*side), make([]float64, side*side)
	for i := range level {
		level[i], upright[i] = .02, .02
		y, x := i/side, i%side
		if y == 8 && x >= 8 && x < 16 {
			level[i] = .95
		}
		if x == 12 && y >= 9 && y < 16 {
			upright[i] = .95
		}
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, side, side, pose.Grid{DY: pose.Symmetric(8, 1), DX: pose.Symmetric(8, 1)})
	cfg.Q = .1
	m, err := patchwork.NewModel(cfg, [][]float64{level, upright})
	if err != nil {
		t.Fatal(err)
	}
	// Both move together, by about three pixels.
	cov := make([]float64, 36)
	for _, ij := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {3, 3}, {1, 1}, {1, 4}, {4, 1}, {4, 4}} {
		cov[ij[0]*6+ij[1]] = 9
	}
	m = withGeometry(t, m, make([]float64, 6), cov)
	img := bitmap.New(side, side)
	for x := 9; x < 17; x++ {
		img.Set(9, x, true)
	}
	for y := 10; y < 17; y++ { // the bar below, with a gap
		img.Set(y, 13, y != 13)
	}
	for y := 14; y < 21; y++ { // a whole one elsewhere
		img.Set(y, 20, true)
	}
	where := func(opt patchwork.PursuitOptions) pose.Pose {
		opt.MaxPicks = 2
		e := testkit.MustExplain(t, m, img, opt)
		for _, p := range e.Picks {
			if p.Expert == 1 {
				return p.Pose
			}
		}
		t.Fatalf("the upright bar was not found: %+v", e)
		return pose.Pose{}
	}
	for _, refined := range []bool{false, true} {
		if got := where(patchwork.PursuitOptions{Paper: !refined, Refined: refined}); got != (pose.Pose{DY: 5, DX: 8}) {
			t.Errorf("refined %v: without the prior the upright bar is at %+v, want the whole one", refined, got)
		}
		if got := where(patchwork.PursuitOptions{Paper: !refined, Refined: refined, PosePrior: true}); got != (pose.Pose{DY: 1, DX: 1}) {
			t.Errorf("refined %v: with the prior the upright bar is at %+v, want the one below the level bar", refined, got)
		}
	}
}

// TestPosePriorPicksTheBest checks that every pick is the best of all candidates by
// gain less all costs.
func TestPosePriorPicksTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := testkit.DrawConfig(t, testkit.InnerLevel)
		cfg.Poses = testkit.DrawPoses(t)
		m := testkit.DrawModel(t, cfg, testkit.InnerLevel)
		d := gauss.PerExpert * m.K()
		mean := rapid.SliceOfN(rapid.Float64Range(-3, 3), d, d).Draw(t, "mean")
		root := rapid.SliceOfN(rapid.Float64Range(-2, 2), d, d).Draw(t, "root")
		cov := make([]float64, d*d) // of rank one
		for i := range cov {
			cov[i] = root[i/d] * root[i%d]
		}
		m = withGeometry(t, m, mean, cov)
		img := testkit.DrawImage(t, m.Height(), m.Width(), ".#?")
		opt := patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringOriginal, PosePrior: true}
		if rapid.Bool().Draw(t, "costs") {
			opt.Costs = rapid.SliceOfN(rapid.Float64Range(-0.2, 2), m.K(), m.K()).Draw(t, "costs")
		}
		p := testkit.MustPursuit(t, m, opt)
		grid, err := m.GridFor(img.Height(), img.Width())
		if err != nil {
			return // a frame larger than the image's grid allows
		}
		picks, err := p.Steps(img)
		if err != nil {
			t.Fatal(err)
		}
		var before []patchwork.Pick
		for pick := range picks {
			// The search already has the pick; judge by the picks before it.
			most, got := math.Inf(-1), math.Inf(-1)
			p.Judge(img, grid, before, func(c int, g float64) {
				most = max(most, g)
				if i, _ := grid.Index(pick.Pose); c == pick.Expert*grid.Len()+i {
					got = g
				}
			})
			if got < most-1e-8 {
				t.Fatalf("pick %+v gains %v after costs, the best candidate %v", pick, got, most)
			}
			before = append(before, pick)
		}
	})
}

func TestPosePriorNeedsGeometry(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMax, 2, 2, pose.Grid{}), [][]float64{{.9, .1, .1, .1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{PosePrior: true}); err == nil || !strings.Contains(err.Error(), "no geometry") {
		t.Errorf("error %v", err)
	}
}
