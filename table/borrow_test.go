package table

import (
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// sources returns rows of a noisy-or network: each of some sources, drawn on a third of the
// columns, is active in a fifth of the rows, and turns its columns on but for a tenth.
func sources(rows, width, n int, seed uint64) (data patchwork.Data, columns [][]bool) {
	rng := rand.New(rand.NewPCG(seed, 12))
	for range n {
		source := make([]bool, width)
		for _, i := range rng.Perm(width)[:width/3] {
			source[i] = true
		}
		columns = append(columns, source)
	}
	for range rows {
		bits := make([]uint8, width)
		for _, source := range columns {
			active := rng.Float64() < 0.2
			for i, on := range source {
				if active && on && rng.Float64() < 0.9 {
					bits[i] = 1
				}
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, width, bits))
	}
	return data, columns
}

// found returns how many sources have an expert that votes for just their columns.
func found(m *patchwork.Model, columns [][]bool) int {
	n := 0
	for _, source := range columns {
		for k := range m.K() {
			same := true
			for i, p := range m.Template(k) {
				same = same && (p > 0.5) == source[i]
			}
			if same {
				n++
				break
			}
		}
	}
	return n
}

// Under a rule whose experts may vote for off, the sources of presences are found as under
// others.
func TestBorrows(t *testing.T) {
	for _, seed := range []uint64{2, 6} { // where growing alone finds three of the five
		data, columns := sources(300, 30, 5, seed)
		m, err := Learn(t.Context(), data, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 30},
			Options{StartFrom: StartFromGrow, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if got := found(m, columns); got != len(columns) || m.K() != len(columns) {
			t.Errorf("seed %d: %d of %d sources found, by %d parts", seed, got, len(columns), m.K())
		}
	}
}

// A start counts as one that has come again only beside a model that there is.
func TestSameAsAny(t *testing.T) {
	of := func(experts int, length float64) tried {
		c := tried{Step: Step{Model: new(patchwork.Model)}}
		c.Experts, c.DescriptionLength = experts, length
		return c
	}
	for _, c := range []struct {
		found, borrowed tried
		want            bool
	}{
		{of(8, 900), tried{}, false},
		{of(8, 1000.5), tried{}, true},
		{of(7, 1000.5), tried{}, false},
		{of(8, 900), of(8, 999.5), true},
		{of(8, 900), of(9, 999.5), false},
	} {
		if got := sameAsAny(of(8, 1000), c.found, c.borrowed); got != c.want {
			t.Errorf("%d experts in %v nats, and %d in %v: %v", c.found.Experts, c.found.DescriptionLength, c.borrowed.Experts,
				c.borrowed.DescriptionLength, got)
		}
	}
	if sameAsAny(tried{}, tried{}, tried{}) {
		t.Error("no model is as good as none")
	}
}

// A rule borrows where clearly fewer bits are on than off, and its experts may vote for off and be grown.
func TestWhereRulesBorrow(t *testing.T) {
	few, many := []float64{0.3, 0.45}, []float64{0.4, 0.45}
	for _, c := range []struct {
		rule     patchwork.Rule
		marginal []float64
		from     StartFrom
		want     bool
	}{
		{patchwork.RuleMaxMinusMin, few, StartFromBoth, true},
		{patchwork.RuleMaxMinusMin, many, StartFromBoth, false},
		{patchwork.RuleMaxMinusMin, few, StartFromMixture, false},
		{patchwork.RuleMax, few, StartFromBoth, false},
		{noisyOr, few, StartFromGrow, false},
	} {
		l := &learner{cfg: patchwork.Config{Rule: c.rule}, opt: Options{StartFrom: c.from},
			m: mStepOptions{Marginal: c.marginal}}
		if got := l.borrows(); got != c.want {
			t.Errorf("%v, %v, from %v: %v", c.rule, c.marginal, c.from, got)
		}
	}
}
