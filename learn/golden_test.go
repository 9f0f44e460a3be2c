package learn

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// goldenTables is the part of tables.json that concerns learning.
type goldenTables struct {
	MStep []struct {
		Rule    string
		Q, Eps  float64
		X       [][]uint8
		Experts [][]float64
		Orders  [][]int
		Den     [][]float64
		Out     [][]float64
	} `json:"m_step"`
	MStepGuarded []struct {
		Q, Eps  float64
		X       [][]uint8
		Experts [][]float64
		Orders  [][]int
		OutEq1  [][]float64 `json:"out_eq1"`
	} `json:"m_step_guarded"`
	Online []struct {
		Rule     string
		Q        *float64
		Truncate bool
		Start    string
		Experts0 [][]float64
		Counts0  [][]float64
		Steps    []struct {
			X       []uint8
			Order   []int
			Experts [][]float64
			Counts  [][]float64
		}
	}
	SequentialInit []struct {
		Rule, Variant string
		Q, Eps        float64
		X             []uint8
		Active        [][]float64 `json:"active_experts"`
		Mu            []float64
		Out           []float64
		Counts        []float64
	} `json:"sequential_init"`
	FirstExpert []struct {
		X      []uint8
		Eps    float64
		Out    []float64
		Counts []float64
	} `json:"first_expert"`
}

func loadGolden[T any](t testing.TB, name string) (g T) {
	t.Helper()
	if err := json.Unmarshal(testenv.ReadShared(t, "golden/"+name), &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGoldenMStep(t *testing.T) {
	for _, c := range loadGolden[goldenTables](t, "tables.json").MStep {
		cfg := testkit.TableConfig(c.Rule, &c.Q, len(c.X[0]), false)
		cfg.Prior = patchwork.Prior{On: c.Eps, Off: c.Eps}
		m, err := patchwork.NewModel(cfg, c.Experts)
		if err != nil {
			t.Fatal(err)
		}
		tally := testkit.TallyOfRows(m, c.X, c.Orders)
		next := EquationOne(m, tally)
		for k := range c.Out {
			testkit.NearAll(t, "eq. (1)", next.Template(k), c.Out[k], 1e-12)
			for i, want := range c.Den[k] {
				n := k*len(c.Den[k]) + i
				testkit.Near(t, "count", float64(tally.Counts().Seen[n]+tally.Counts().LostSeen[n]), want, 0)
			}
		}
	}
}

func TestGoldenOnline(t *testing.T) {
	for _, c := range loadGolden[goldenTables](t, "tables.json").Online {
		cfg := testkit.TableConfig(c.Rule, c.Q, len(c.Experts0[0]), c.Truncate)
		m, err := patchwork.NewModel(cfg, c.Experts0)
		if err != nil {
			t.Fatal(err)
		}
		o := newOnline(cfg, m.K(), readingLiteral, func(m *patchwork.Model, x *bitmap.Image) ([]patchwork.Pick, error) {
			return testkit.MustExplain(t, m, x, patchwork.PursuitOptions{Paper: true, Forced: c.Start == "forced"}).Picks, nil
		})
		o.model = m
		for _, s := range c.Steps {
			if err := o.learn(bitmap.FromBytes(1, len(s.X), s.X)); err != nil {
				t.Fatal(err)
			}
			var order []int
			for _, p := range o.picks {
				order = append(order, p.Expert)
			}
			if !slices.Equal(order, s.Order) {
				t.Fatalf("picks %v, want %v", order, s.Order)
			}
			mu := m.Templates() // these experts begin as if each entry had been seen c.Counts0 times, not 2 epsilon
			for k := range s.Experts {
				for i, want := range s.Counts[k] {
					n0 := c.Counts0[k][i]
					n, x := o.sums.at(k*len(s.X) + i)
					testkit.Near(t, "N", n0+n, want, 1e-12)
					mu[k][i] = (n0*mu[k][i] + x) / (n0 + n)
				}
				testkit.NearAll(t, "expert", mu[k], s.Experts[k], 1e-12)
			}
			o.model = m.WithTemplates(mu, patchwork.Extras{})
		}
	}
}

func TestGoldenSequentialInit(t *testing.T) {
	g := loadGolden[goldenTables](t, "tables.json")
	check := func(what string, cfg patchwork.Config, template []float64, set []bool, out, counts []float64) {
		testkit.NearAll(t, what, template, out, 1e-12)
		for i, want := range counts {
			n := cfg.Prior.On + cfg.Prior.Off
			if set[i] {
				n++
			}
			testkit.Near(t, what+" count", n, want, 1e-12)
		}
	}
	for _, c := range g.FirstExpert {
		cfg := patchwork.Config{Height: 1, Width: len(c.X),
			Defaults: patchwork.Defaults{Prior: patchwork.Prior{On: c.Eps, Off: c.Eps}}}
		template, set := newExpert(cfg, readingLiteral, bitmap.FromBytes(1, len(c.X), c.X), nil)
		check("first expert", cfg, template, set, c.Out, c.Counts)
	}
	for _, c := range g.SequentialInit {
		cfg := testkit.TableConfig(c.Rule, &c.Q, len(c.X), false)
		if cfg.Rule == patchwork.RuleMax {
			cfg.Q = 0
		}
		cfg.Prior = patchwork.Prior{On: c.Eps, Off: c.Eps}
		reading := Reading(slices.Index([]string{"c", "text", "literal"}, c.Variant))
		template, set := newExpert(cfg, reading, bitmap.FromBytes(1, len(c.X), c.X), c.Mu)
		check("next expert", cfg, template, set, c.Out, c.Counts)
	}
}

func TestGoldenEquationOneBesideTheGuardedStep(t *testing.T) {
	for _, c := range loadGolden[goldenTables](t, "tables.json").MStepGuarded {
		cfg := testkit.TableConfig("max_minus_min", &c.Q, len(c.X[0]), false)
		cfg.Prior = patchwork.Prior{On: c.Eps, Off: c.Eps}
		m := testkit.MustModel(t, cfg, c.Experts)
		next := EquationOne(m, testkit.TallyOfRows(m, c.X, c.Orders))
		for k := range c.OutEq1 {
			testkit.NearAll(t, "eq. (1)", next.Template(k), c.OutEq1[k], 1e-12)
		}
	}
}

// Eq. (1) for shifted experts.
func TestGoldenShiftedMStep(t *testing.T) {
	type counts struct{ Mu [][][]float64 }
	g := loadGolden[struct {
		MStep struct {
			X                 [][][]uint8
			Reps              [][][3]int
			Experts           [][][]float64
			OutsideUnknown    counts `json:"outside_unknown"`
			OutsideBackground counts `json:"outside_background"`
		} `json:"mstep"`
	}](t, "images.json").MStep
	h, w := len(g.Experts[0]), len(g.Experts[0][0])
	for outside, want := range map[bool]counts{true: g.OutsideUnknown, false: g.OutsideBackground} {
		cfg := patchwork.Config{Height: h, Width: w, Defaults: patchwork.Defaults{UnknownOutside: outside},
			Poses: pose.Grid{DY: pose.Symmetric(3, 1), DX: pose.Symmetric(3, 1)}}
		m := testkit.MustModel(t, cfg, [][]float64{slices.Concat(g.Experts[0]...), slices.Concat(g.Experts[1]...)})
		tally := patchwork.NewTally(m)
		for n, rows := range g.X {
			e := &patchwork.Explanation{}
			for _, r := range g.Reps[n] {
				e.Picks = append(e.Picks, patchwork.Pick{Expert: r[0], Pose: pose.Pose{DY: r[1], DX: r[2]}})
			}
			tally.Add(m, bitmap.FromBytes(h, w, slices.Concat(rows...)), e, 1)
		}
		next := EquationOne(m, tally)
		for k := range 2 {
			testkit.NearAll(t, fmt.Sprint("unknown outside ", outside), next.Template(k), slices.Concat(want.Mu[k]...), 1e-12)
		}
	}
}
