package patchwork_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/pose"
)

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
		p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Paper: true, Forced: c.Start == "forced", MinGain: c.MinGain})
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
	m, err := patchwork.NewModel(patchwork.Config{Height: len(glyphs[0]), Width: len(glyphs[0][0]), Q: off, Scene: true, Defaults: patchwork.Defaults{Truncate: true}}, templates)
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
			{patchwork.ScoringTruncated, "trunc", c.TruncRefined}, {patchwork.ScoringOriginal, "orig", c.OrigRefined}, {patchwork.ScoringMixed, "mix", c.MixRefined},
		} {
			stop, ok := c.Stopped[v.name]
			if !ok {
				t.Fatalf("case %d has no %s_J", i, v.name)
			}
			opt := patchwork.PursuitOptions{Paper: true, Scoring: v.scoring, Alpha: .5, MaxPicks: len(stop.Steps)}
			testkit.Near(t, v.name+" stopped", explainWith(t, m, opt, img).LogLik, stop.LogLik[len(stop.Steps)-1], 1e-9)
			opt = patchwork.PursuitOptions{Refined: true, Scoring: v.scoring, Alpha: .5, RefineScoring: v.scoring, RefineThreshold: -1}
			testkit.Near(t, v.name+" refined", explainWith(t, m, opt, img).LogLik, v.refined.LogLikFinal, 1e-9)
		}
	}
}

func explainWith(t testing.TB, m *patchwork.Model, opt patchwork.PursuitOptions, img *bitmap.Image) *patchwork.Explanation {
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
				testkit.Near(t, fmt.Sprint("unknown outside ", outside)+" on", float64(tally.Counts().On[k*h*w+i]), want.Num[k][i/w][i%w], 0)
				testkit.Near(t, fmt.Sprint("unknown outside ", outside)+" seen", float64(tally.Counts().Seen[k*h*w+i]), want.Den[k][i/w][i%w], 0)
			}
		}
	}
}
