package table

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/posterior"
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
	minGain float64 // of a vote on these rows, in nats
	weight  []float64
	total   float64
	x       [][]uint8
	states  []joint.State
	lik     [][]float64 // log-likelihood of each known bit
	bad     []float64   // by row: how badly it is explained, times its weight
	group   []int       // of each row: rows of one group are explained by the same set
	rests   [][]joint.Rest
}

// newGrowth draws rows and explains them by a model, or by the background q alone if
// that is nil.
func (l *learner) newGrowth(ctx context.Context, m *patchwork.Model, q []float64, rng *rand.Rand) (*growth, error) {
	data := l.growthRows(rng)
	g := &growth{cfg: l.cfg, model: m, rule: jointRule(l.cfg.Rule), q: q, bad: make([]float64, len(data.Images)), group: make([]int, len(data.Images)),
		states: make([]joint.State, len(data.Images)), lik: make([][]float64, len(data.Images))}
	for i, row := range data.Images {
		g.x, g.weight = append(g.x, row.AppendValues(nil)), append(g.weight, float64(data.Weight(i)))
		g.total += g.weight[i]
	}
	g.minGain = l.m.MinVoteGain * g.total / float64(rows.Total(l.data))
	sets := make([][]int16, len(data.Images))
	e := joint.NewExperts(g.rule, q, nil)
	if m != nil {
		g.q = m.Config().QMap
		e = joint.NewExperts(g.rule, g.q, m.Templates())
		if err := l.bestSets(ctx, m, data, sets); err != nil {
			return nil, err
		}
	}
	_, err := pool.Run(ctx, len(sets), l.opt.Workers, pool.Chunk, func(_, r int) error {
		g.explain(e, r, sets[r])
		return nil
	})
	if err == nil {
		g.gather(sets)
	}
	return g, err
}

// bestSets finds the best explanation of every row.
func (l *learner) bestSets(ctx context.Context, m *patchwork.Model, data patchwork.Data, sets [][]int16) error {
	opt := l.opt.Explain
	return explainRows(ctx, m, data, posterior.Options{Beam: opt.Beam, Keep: 1, MaxPicks: opt.MaxPicks}, l.opt.Workers,
		func(_, i int, _ []uint8, best []joint.Set) { sets[i] = slices.Sorted(slices.Values(best[0].Experts)) })
}

// growthRows returns all rows, or as many as growing takes, drawn at random.
func (l *learner) growthRows(rng *rand.Rand) patchwork.Data {
	n := rows.Total(l.data)
	if n <= growthRows {
		return l.data
	}
	var out patchwork.Data
	for range growthRows {
		out.Images = append(out.Images, l.data.Images[rows.Draw(l.data, rng)])
	}
	return rows.Distinct(out)
}

// explain sets the explanation of row r.
func (g *growth) explain(e *joint.Experts, r int, set []int16) {
	s := &g.states[r]
	s.Reset(e, g.x[r])
	for _, k := range set {
		s.Place(int(k))
	}
	g.lik[r] = make([]float64, len(g.q))
	loss, entropy := 0.0, 0.0
	for i, x := range g.x[r] {
		if x == joint.Unknown {
			continue
		}
		p := s.Probability(i)
		g.lik[r][i] = score.LogLik(x == joint.On, p)
		loss -= g.lik[r][i]
		if p > 0 && p < 1 {
			entropy -= p*math.Log(p) + (1-p)*math.Log1p(-p)
		}
	}
	g.bad[r] = g.weight[r] * max(loss-badShare*entropy, 0)
}

// gather groups the rows by their sets.
func (g *growth) gather(sets [][]int16) {
	index := map[string]int{}
	var key []byte
	for r, set := range sets {
		key = key[:0]
		for _, k := range set {
			key = append(key, byte(k), byte(k>>8))
		}
		n, ok := index[string(key)]
		if !ok {
			n = len(index)
			index[string(key)] = n
			rest := make([]joint.Rest, len(g.q))
			for i := range rest {
				rest[i] = g.states[r].Rest(i)
			}
			g.rests = append(g.rests, rest)
		}
		g.group[r] = n
	}
}

// candidate is a candidate for the next expert.
type candidate struct {
	votes []float64 // equal to q: none
	share float64   // of the rows it is active in
	saved float64   // nats by which the description of these rows gets shorter
}

// bestCandidate returns the best of n candidates, the one that shortens the description
// most; nil if none does.
func (g *growth) bestCandidate(ctx context.Context, rng *rand.Rand, n, workers int) (*candidate, error) {
	for _, below := range badBelow {
		var starts [][]float64
		for c := range n {
			if votes := g.firstVotes(rng, below, 1+c%3); votes != nil {
				starts = append(starts, votes)
			}
		}
		var best *candidate
		for s, err := range pool.InTurn(ctx, len(starts), max(1, min(workers, len(starts))), func(_ context.Context, i int) (*candidate, error) {
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
	limit := math.Log(below)
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

// badBits returns the bits of row r whose log-likelihood is below a limit; where no
// expert can vote for off, only those that are on.
func (g *growth) badBits(r int, limit float64) []int {
	var out []int
	for i, x := range g.x[r] {
		if x != joint.Unknown && g.lik[r][i] < limit && (x == joint.On || g.rule.TwoSided()) {
			out = append(out, i)
		}
	}
	return out
}

// alike reports whether bit i is as bad in another row as in the first, and equal.
func (g *growth) alike(i, first, other int, limit float64) bool {
	return g.x[other][i] == g.x[first][i] && g.lik[other][i] < limit
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

// fit learns a candidate by a few iterations of EM over whether it is active; the
// explanations by the other experts stay as they are.
func (g *growth) fit(votes []float64) *candidate {
	s := &candidate{votes: votes, share: candidateShare}
	gains := make([]float64, len(g.x))
	cells := make([][]joint.Cell, len(g.rests))
	for n, rest := range g.rests {
		cells[n] = make([]joint.Cell, len(rest))
		for i := range rest {
			cells[n][i].Rest = rest[i]
		}
	}
	ascent := joint.Ascent{Rule: g.rule}
	for range candidateIterations {
		g.gains(s.votes, gains)
		for _, list := range cells {
			for i := range list {
				list[i].On, list[i].Off = 0, 0
			}
		}
		active := 0.0
		bias := math.Log(s.share) - math.Log1p(-s.share)
		for r, gain := range gains {
			p := 1 / (1 + math.Exp(-gain-bias))
			if p < minWeight {
				continue
			}
			p *= g.weight[r]
			active += p
			list := cells[g.group[r]]
			for i, x := range g.x[r] {
				switch x {
				case joint.On:
					list[i].On += p
				case joint.Off:
					list[i].Off += p
				}
			}
		}
		s.share = (active + 0.5) / (g.total + 1)
		next := make([]float64, len(g.q))
		for i, q := range g.q {
			ascent.Q, ascent.Cells = q, ascent.Cells[:0]
			for _, list := range cells {
				if c := list[i]; c.On+c.Off > 0 {
					ascent.Cells = append(ascent.Cells, c)
				}
			}
			next[i], _ = ascent.Best(g.minGain)
		}
		s.votes = next
	}
	g.gains(s.votes, gains)
	for r, gain := range gains {
		s.saved += g.weight[r] * math.Log1p(s.share*(math.Exp(min(gain, 700))-1))
	}
	for i, v := range s.votes {
		if v != g.q[i] {
			s.saved -= g.minGain
		}
	}
	return s
}

// gains sets out to how many nats better each row is explained if the votes join its
// explanation.
func (g *growth) gains(votes, out []float64) {
	e := joint.NewExperts(g.rule, g.q, [][]float64{votes})
	for r := range out {
		out[r] = g.states[r].GainOf(e.Votes(0))
	}
}

// withCandidate returns the model with the candidate as one more expert.
func (g *growth) withCandidate(s *candidate, rows int64) (*patchwork.Model, error) {
	var experts [][]float64
	usage := []float64{s.share}
	var names []string
	if g.model != nil {
		experts = g.model.Templates()
		usage = append(slices.Clone(g.model.Extras().Usage), s.share)
		if names = slices.Clone(g.model.Extras().Names); names != nil {
			names = append(names, "")
		}
	}
	cfg := g.cfg
	cfg.QMap = g.q
	m, err := patchwork.NewModel(cfg, append(experts, s.votes))
	if err != nil {
		return nil, err
	}
	return m.WithExtras(patchwork.Extras{Usage: usage, Names: names, Record: patchwork.Record{Rows: rows}})
}
