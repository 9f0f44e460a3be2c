package tables

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rowsOf returns rows whose only explanations are sets drawn so, each from what draw returns.
func rowsOf(n int, draw func() uint64) [][]activation {
	out := make([][]activation, n)
	for r := range out {
		out[r] = []activation{{experts: draw()}}
	}
	return out
}

// A forest is a distribution over all sets, finds which experts exclude and entail each
// other, costs nothing where none do, and describes what it was learned from no worse.
func TestForest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alone := func() uint64 { return rng.Uint64() & rng.Uint64() & 15 }
	paired := func() uint64 { // 0 excludes 1, and 2 entails 3
		set := alone()
		if set&1 == 1 {
			set &^= 2
		}
		if set&4 == 4 {
			set |= 8
		}
		return set
	}
	for _, c := range []struct {
		name string
		draw func() uint64
		want int
	}{{"independent", alone, 0}, {"paired", paired, 2}} {
		rows := rowsOf(2000, c.draw)
		one := independent([]float64{0.25, 0.25, 0.25, 0.25})
		flat, tree := one.next(rows, false), one.next(rows, true)
		if got := tree.edges(); got != c.want {
			t.Errorf("%s: %d edges, want %d: parents %v", c.name, got, c.want, tree.parent)
		}
		sum := 0.0
		for set := range uint64(16) {
			sum += math.Exp(tree.log(set))
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: the probabilities of all sets add up to %v", c.name, sum)
		}
		before, _ := flat.score(rows)
		if after, _ := tree.score(rows); after < before-1e-12 {
			t.Errorf("%s: log P %v with a tree, %v without", c.name, after, before)
		}
	}
	paths := independent([]float64{0.1, 0.3}).next(rowsOf(1000, paired), true)
	if (paths.parent[0] < 0) == (paths.parent[1] < 0) {
		t.Errorf("two experts, one of which depends on the other, have the parents %v", paths.parent)
	}
}

// The loss of a hidden bit is that of the average of what the explanations say, by their
// posterior weights.
func TestForestScore(t *testing.T) {
	row := []activation{{experts: 0, given: math.Log(0.2), truth: []float64{0.9}}, {experts: 1, given: math.Log(0.6), truth: []float64{0.5}}}
	evidence, loss := independent([]float64{0.25}).score([][]activation{row, row})
	p := 0.75*0.2 + 0.25*0.6
	if want := math.Log(p); math.Abs(evidence-want) > 1e-12 {
		t.Errorf("log P %v, want %v", evidence, want)
	}
	if want := -math.Log((0.15*0.9 + 0.15*0.5) / p); math.Abs(loss-want) > 1e-12 {
		t.Errorf("loss %v, want %v", loss, want)
	}
}
