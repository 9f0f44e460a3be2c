package diagnose

import (
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// TestOverlap: a part that lies on another in the images that use both is found, and
// neither the strokes of a letter, which cross, nor variants of one stroke are.
func TestOverlap(t *testing.T) {
	const n = 12
	bar := func(in func(y, x int) bool) []float64 {
		out := make([]float64, n*n)
		for i := range out {
			if out[i] = 0.01; in(i/n, i%n) {
				out[i] = 0.95
			}
		}
		return out
	}
	level := bar(func(y, x int) bool { return y == 2 && x > 1 && x < 10 })
	upright := bar(func(y, x int) bool { return x == 5 && y > 1 && y < 11 })
	letter := bar(func(y, x int) bool { return y == 2 && x > 1 && x < 10 || x == 5 && y > 1 && y < 11 })
	moves := pose.Grid{DY: pose.Symmetric(1, 1), DX: pose.Symmetric(1, 1)}
	model := func(cfg patchwork.Config, usage []float64, templates ...[]float64) *patchwork.Model {
		cfg.Height, cfg.Width, cfg.Q = n, n, 0.01
		m := testkit.WithUsage(t, testkit.MustModel(t, cfg, templates), 10, usage)
		e := m.Extras()
		normal, err := gauss.New(make([]float64, 6), make([]float64, 36))
		if err != nil {
			t.Fatal(err)
		}
		e.Geometry = &patchwork.Geometry{Normal: normal}
		if m, err = m.WithExtras(e); err != nil {
			t.Fatal(err)
		}
		return m
	}
	both := []float64{1, 0.9}
	for name, c := range map[string]struct {
		m    *patchwork.Model
		want bool
	}{
		"two strokes":          {model(patchwork.Config{Poses: moves}, both, level, upright), false},
		"a letter and its bar": {model(patchwork.Config{Poses: moves}, both, letter, level), true},
		"a letter twice":       {model(patchwork.Config{Poses: moves}, both, letter, letter), true},
		"never used together":  {model(patchwork.Config{Poses: moves}, []float64{0.5, 0.5}, letter, level), false},
		"votes for and against": {model(patchwork.Config{Poses: moves, Rule: patchwork.RuleMaxMinusMin, ZeroQ: true}, both,
			letter, level), false},
	} {
		found := ofKind(Model(c.m, Evidence{}), KindOverlap)
		if (len(found) == 1) != c.want || len(found) > 1 {
			t.Errorf("%s: %v", name, found)
		}
		if len(found) == 1 && (!strings.Contains(found[0].Facts, "Part 1 and part 2 lie on each other: 100 %") ||
			!strings.Contains(found[0].Advice, "another start")) {
			t.Errorf("%s: %v", name, found[0])
		}
	}
}
