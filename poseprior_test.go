package patchwork_test

import (
	"math"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/gauss"
	"example.com/patchwork/pose"
	"pgregory.net/rapid"
)

// withGeometry is m with a Gaussian over its poses.
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

// Two equal bars; learned, one was always right below the other. A second bar
// with more ink further away takes the pick unless the prior is asked.
func TestPosePriorKnowsWhereThingsGo(t *testing.T) {
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
	cfg := patchwork.NewConfig(patchwork.Max, side, side, pose.Grid{DY: pose.Symmetric(8, 1), DX: pose.Symmetric(8, 1)})
	cfg.Q = .1
	m, err := patchwork.NewModel(cfg, [][]float64{level, upright})
	if err != nil {
		t.Fatal(err)
	}
	// Both move together, by three pixels or so.
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
	for _, search := range []patchwork.Search{patchwork.SearchPaper, patchwork.SearchRefined} {
		if got := where(patchwork.PursuitOptions{Search: search}); got != (pose.Pose{DY: 5, DX: 8}) {
			t.Errorf("%v: without the prior the upright bar is at %+v, want the whole one", search, got)
		}
		if got := where(patchwork.PursuitOptions{Search: search, PosePrior: true}); got != (pose.Pose{DY: 1, DX: 1}) {
			t.Errorf("%v: with the prior the upright bar is at %+v, want the one below the level bar", search, got)
		}
	}
}

// Every pick is the best of all candidates by gain less all costs.
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
		opt := patchwork.PursuitOptions{Search: patchwork.SearchPaper, Scoring: patchwork.Original, PosePrior: true}
		if rapid.Bool().Draw(t, "costs") {
			opt.Costs = rapid.SliceOfN(rapid.Float64Range(-0.2, 2), m.K(), m.K()).Draw(t, "costs")
		}
		p := testkit.MustPursuit(t, m, opt)
		grid, err := m.GridFor(img.Height(), img.Width())
		if err != nil {
			return // a frame larger than the image's grid allows
		}
		picks, err := p.Picks(img)
		if err != nil {
			t.Fatal(err)
		}
		var before []patchwork.Pick
		for pick := range picks {
			// The search stands after the pick; judge by what stood before it.
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
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.Max, 2, 2, pose.Grid{}), [][]float64{{.9, .1, .1, .1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{PosePrior: true}); err == nil || !strings.Contains(err.Error(), "no geometry") {
		t.Errorf("error %v", err)
	}
}
