package table

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table/described"
)

const (
	candidatesPerExpert = 18   // candidates for each next expert
	candidateIterations = 5    // of EM, beside the experts there are
	candidateShare      = 0.1  // of the rows in which a candidate is active, at first
	growthRows          = 2000 // rows that each next expert is made of, drawn anew
)

// badBelow holds the probabilities below which a bit is badly explained and calls
// for a new expert. A later one serves only if no candidate of the earlier ones
// gains anything: mixed at random they find fewer parts.
var badBelow = [...]float64{0.5, 0.667, 0.9}

// badShare is the share of its entropy that a row may lose before it counts as
// badly explained.
const badShare = 0.7

// growth is the state of growing: some rows of a table as the experts so far explain
// them.
type growth struct {
	cfg     patchwork.Config
	model   *patchwork.Model // nil: no experts yet
	rule    joint.Rule
	q       []float64
	known   *described.Model
	scale   float64 // of these rows to all
	weight  []float64
	total   float64
	x       [][]uint8
	ones    [][]int32 // columns of each row that are on
	unknown [][]int32 // and that are unknown
	bad     []float64 // by row: how badly it is explained, times its weight

	// Rows of one group are explained by the same set. By bit and group: what these sets
	// say about it, and what a bit that is on, or off, costs beside them, in nats.
	group  []int
	groups int
	rowsOf [][]int32       // by group
	sets   []*joint.Beside // by group; nil: too few rows
	states []*joint.State  // by row, of groups of too few
	rests  []joint.Rest    // by bit, then by group
	costs  [][2]float64    // likewise
	twin   []int32         // likewise: the first group whose set says the same about the bit
	levels []*joint.Levels // by bit, under max
}

// fewInGroup is up to how many rows of a group are explained one by one: what the set says
// for all its rows takes as long as two.
const fewInGroup = 2

// newGrowth draws rows and explains them by a model, or by the background q alone if
// that is nil.
func (l *learner) newGrowth(ctx context.Context, m *patchwork.Model, q []float64, rng *rand.Rand) (*growth, error) {
	e := joint.NewExperts(jointRule(l.cfg.Rule), q, nil)
	var best [][]int16 // nil: not known
	if m != nil {
		q = m.Config().QMap
		e = joint.NewExperts(jointRule(l.cfg.Rule), q, m.Templates())
		s, err := l.explained(ctx, m)
		if err != nil {
			return nil, err
		}
		best = s.best
	}
	data, which := l.growthRows(rng)
	g := &growth{cfg: l.cfg, model: m, rule: jointRule(l.cfg.Rule), q: q, bad: make([]float64, len(data.Images)),
		group:  make([]int, len(data.Images)),
		states: make([]*joint.State, len(data.Images))}
	for i, row := range data.Images {
		g.add(row.AppendValues(nil), data.Times(i))
	}
	total := rows.Total(l.data)
	g.scale = g.total / float64(total)
	g.known = &described.Model{Rule: g.rule, Width: len(q), Rows: float64(total), Number: l.numberLength(), Q: q}
	if m != nil {
		g.known = l.describe(m)
	}
	sets := make([][]int16, len(data.Images))
	switch {
	case best != nil:
		for i, at := range which {
			sets[i] = best[at]
		}
	case m != nil:
		if err := l.bestSets(ctx, m, data, sets); err != nil {
			return nil, err
		}
	}
	if err := g.gather(ctx, e, sets, l.opt.Workers); err != nil {
		return nil, err
	}
	g.judge()
	return g, nil
}

// bestSets finds the best explanation of every row.
func (l *learner) bestSets(ctx context.Context, m *patchwork.Model, data patchwork.Data, sets [][]int16) error {
	opt := l.opt.Explain
	return explainRows(ctx, m, data, posterior.Options{Beam: opt.Beam, Keep: 1, MaxPicks: opt.MaxPicks}, l.opt.Workers,
		func(_, i int, _ []uint8, _ *joint.Search, best []joint.Set) {
			sets[i] = slices.Sorted(slices.Values(best[0].Experts))
		})
}

// growthRows returns all rows, or as many as growing takes, drawn at random, and their
// places among all.
func (l *learner) growthRows(rng *rand.Rand) (out patchwork.Data, which []int) {
	if n := len(l.data.Images); n <= growthRows {
		for i := range n {
			which = append(which, i)
		}
		return l.data, which
	}
	last := make([]int64, len(l.data.Images)) // of the rows, if each stood there as often as its weight says
	sum := int64(0)
	for i := range last {
		sum += l.data.Weight(i)
		last[i] = sum
	}
	place := map[int]int{}
	for range growthRows {
		i, _ := slices.BinarySearch(last, 1+rng.Int64N(sum))
		at, ok := place[i]
		if !ok {
			at = len(which)
			place[i] = at
			which, out.Images, out.Weights = append(which, i), append(out.Images, l.data.Images[i]), append(out.Weights, 0)
		}
		out.Weights[at]++
	}
	return out, which
}

// add adds a row.
func (g *growth) add(x []uint8, weight float64) {
	var ones, unknown []int32
	for i, v := range x {
		switch v {
		case joint.On:
			ones = append(ones, int32(i))
		case joint.Unknown:
			unknown = append(unknown, int32(i))
		}
	}
	g.x, g.ones, g.unknown, g.weight = append(g.x, x), append(g.ones, ones), append(g.unknown, unknown),
		append(g.weight, weight)
	g.total += weight
}

// gather groups the rows by their sets, of experts of e.
func (g *growth) gather(ctx context.Context, e *joint.Experts, sets [][]int16, workers int) error {
	index := map[string]int{}
	var key []byte
	for r, set := range sets {
		key = key[:0]
		for _, k := range set {
			key = append(key, byte(k), byte(k>>8))
		}
		n, ok := index[string(key)]
		if !ok {
			n = len(g.rowsOf)
			index[string(key)], g.rowsOf = n, append(g.rowsOf, nil)
		}
		g.group[r], g.rowsOf[n] = n, append(g.rowsOf[n], int32(r))
	}
	g.groups = len(g.rowsOf)
	g.sets = make([]*joint.Beside, g.groups)
	g.rests, g.costs = make([]joint.Rest, len(g.q)*g.groups), make([][2]float64, len(g.q)*g.groups)
	if _, err := pool.Run(ctx, g.groups, workers, 1, func(_, n int) error {
		g.explain(e, n, sets[g.rowsOf[n][0]])
		return nil
	}); err != nil {
		return err
	}
	g.twin = make([]int32, len(g.rests))
	first := map[joint.Rest]int32{}
	for at := range g.rests {
		n := at % g.groups
		if n == 0 {
			clear(first)
		}
		twin, ok := first[g.rests[at]]
		if !ok || g.rule == joint.Max { // levels have them in order
			twin = int32(n)
			first[g.rests[at]] = twin
		}
		g.twin[at] = twin
	}
	if g.rule == joint.Max {
		g.levels = make([]*joint.Levels, len(g.q))
		for i := range g.levels {
			g.levels[i] = joint.NewLevels(g.rests[i*g.groups:][:g.groups])
		}
	}
	return nil
}

// explain explains the rows of group n by a set of experts of e.
func (g *growth) explain(e *joint.Experts, n int, set []int16) {
	var first *joint.State
	if len(g.rowsOf[n]) > fewInGroup {
		g.sets[n] = &joint.Beside{}
		g.sets[n].Reset(e, set)
		first = g.sets[n].State()
	} else {
		for _, r := range g.rowsOf[n] {
			g.states[r] = &joint.State{}
			g.states[r].Reset(e, g.x[r])
			for _, k := range set {
				g.states[r].Place(int(k))
			}
		}
		first = g.states[g.rowsOf[n][0]]
	}
	for i := range g.q {
		at, p := i*g.groups+n, first.Probability(i)
		g.rests[at], g.costs[at] = first.Rest(i), [2]float64{-score.LogLik(true, p), -score.LogLik(false, p)}
	}
}

// judge sets how badly every row is explained.
func (g *growth) judge() {
	entropy := func(at int) float64 {
		c := g.costs[at]
		if c[0] > 0 && c[1] > 0 && !math.IsInf(c[0]+c[1], 0) {
			return float64(elem.Exp(-c[0])*c[0]) + float64(elem.Exp(-c[1])*c[1])
		}
		return 0
	}
	zeros := make([]float64, g.groups) // of a row of zeros
	for n := range zeros {
		for i := range g.q {
			zeros[n] += g.costs[i*g.groups+n][1] - float64(badShare*entropy(i*g.groups+n))
		}
	}
	for r, n := range g.group {
		bad := zeros[n]
		for _, i := range g.ones[r] {
			c := g.costs[int(i)*g.groups+n]
			bad += c[0] - c[1]
		}
		for _, i := range g.unknown[r] {
			at := int(i)*g.groups + n
			bad -= g.costs[at][1] - float64(badShare*entropy(at))
		}
		g.bad[r] = g.weight[r] * max(bad, 0)
	}
}

// cost returns what bit i of row r costs, if it is known, in nats.
func (g *growth) cost(r, i int) float64 {
	return g.costs[i*g.groups+g.group[r]][1-min(g.x[r][i], 1)]
}

// candidate is a candidate for the next expert.
type candidate struct {
	votes []float64 // equal to q: none
	share float64   // of the rows it is active in
	saved float64   // nats by which the description of these rows gets shorter

	opposite *candidate // that goes with it; nil: none
}

// bestCandidate returns the best of n candidates, and of pairs of so many blocks, the one that
// shortens the description most; nil if none does.
func (g *growth) bestCandidate(ctx context.Context, rng *rand.Rand, n, blocks, workers int) (*candidate, error) {
	var pair *candidate
	if blocks > 0 {
		for _, b := range g.blocks(rng, blocks) {
			c := g.fitPair(b)
			for _, side := range []float64{1, -1} {
				if one := g.fit(g.votes(b, side)); one.saved > c.saved {
					c = one
				}
			}
			if c.saved > 0 && (pair == nil || c.saved > pair.saved) {
				pair = c
			}
		}
	}
	for _, below := range badBelow {
		var starts [][]float64
		for c := range n {
			votes := g.firstVotes(rng, below, 1+c%3)
			if votes != nil && !slices.ContainsFunc(starts, func(s []float64) bool { return slices.Equal(s, votes) }) {
				starts = append(starts, votes)
			}
		}
		best := pair
		for s, err := range pool.InTurn(ctx, len(starts), max(1, min(workers, len(starts))),
			func(_ context.Context, i int) (*candidate, error) {
				return g.fit(starts[i]), nil
			}) {
			if err != nil {
				return nil, err
			}
			if best == nil || s.saved > best.saved {
				best = s
			}
		}
		if best != nil && best.saved > 0 {
			return best, nil
		}
	}
	return nil, nil
}

// firstVotes returns votes on the badly explained bits (less probable than below)
// that some rows have in common: the first drawn by how badly it is explained, each
// further one by how many such bits it shares; nil if there are none.
func (g *growth) firstVotes(rng *rand.Rand, below float64, rows int) []float64 {
	first := draw.ByWeight(rng, g.bad)
	if first < 0 {
		return nil
	}
	limit := -elem.Log(below)
	bits := g.badBits(first, limit)
	taken := []int{first}
	for range rows - 1 {
		weights := make([]float64, len(g.bad))
		for r := range weights {
			if n := float64(g.shared(bits, first, r, limit)); !slices.Contains(taken, r) {
				weights[r] = g.weight[r] * n * n * n
			}
		}
		next := draw.ByWeight(rng, weights)
		if next < 0 {
			break
		}
		taken = append(taken, next)
		bits = slices.DeleteFunc(bits, func(i int) bool { return !g.alike(i, first, next, limit) })
	}
	if len(bits) == 0 {
		return nil
	}
	votes := slices.Clone(g.q)
	for _, i := range bits {
		if g.x[first][i] == joint.On {
			votes[i] = max(2.0/3, (1+g.q[i])/2)
		} else {
			votes[i] = min(1.0/3, g.q[i]/2)
		}
	}
	return votes
}

// badBits returns the bits of row r that cost more than a limit; where no
// expert can vote for off, only those that are on.
func (g *growth) badBits(r int, limit float64) []int {
	var out []int
	for i, x := range g.x[r] {
		if x != joint.Unknown && g.cost(r, i) > limit && (x == joint.On || g.rule.TwoSided()) {
			out = append(out, i)
		}
	}
	return out
}

// alike reports whether bit i is as bad in another row as in the first, and equal.
func (g *growth) alike(i, first, other int, limit float64) bool {
	return g.x[other][i] == g.x[first][i] && g.cost(other, i) > limit
}

// shared returns how many of the bits are alike in another row.
func (g *growth) shared(bits []int, first, other int, limit float64) int {
	n := 0
	for _, i := range bits {
		if g.alike(i, first, other, limit) {
			n++
		}
	}
	return n
}

// withCandidates returns the model with candidates, and what goes with them, as more experts.
func (g *growth) withCandidates(rows int64, all ...*candidate) (*patchwork.Model, error) {
	var experts [][]float64
	var usage []float64
	var names []string
	if g.model != nil {
		experts, usage, names = g.model.Templates(), slices.Clone(g.model.Extras().Usage), g.model.Extras().Names
	}
	for _, s := range all {
		for ; s != nil; s = s.opposite {
			experts, usage = append(experts, s.votes), append(usage, s.share)
			if names != nil {
				names = append(slices.Clip(names), "")
			}
		}
	}
	cfg := g.cfg
	cfg.QMap = g.q
	m, err := patchwork.NewModel(cfg, experts)
	if err != nil {
		return nil, err
	}
	return m.WithExtras(patchwork.Extras{Usage: usage, Names: names, Record: patchwork.Record{Rows: rows}})
}
