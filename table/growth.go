package table

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/score"
)

const (
	candidatesPerExpert = 16  // candidates for each next expert
	candidateIterations = 5   // of EM, beside the experts there are
	candidateShare      = 0.1 // of the rows in which a candidate is active, at first
)

// badBelow holds the probabilities below which a bit is badly explained and calls
// for a new expert. A later one serves only if no candidate of the earlier ones
// gains anything: mixed at random they find fewer parts.
var badBelow = [...]float64{0.5, 0.667, 0.9}

// badShare is the share of its entropy that a row may lose before it counts as
// badly explained.
const badShare = 0.7

// growth is the state of growing: a table as the experts so far explain it.
type growth struct {
	data    patchwork.Data
	cfg     patchwork.Config
	model   *patchwork.Model // nil: no experts yet
	q       []float64
	minGain float64 // of a vote, in nats
	x       []uint8 // rows x bits: 0, 1, or 2 for unknown
	hi, lo  []float64
	lik     []float64 // log-likelihood of each known bit
	bad     []float64 // by row: how badly it is explained, times its weight
}

func newGrowth(data patchwork.Data, cfg patchwork.Config, q []float64, minGain float64) *growth {
	n := len(data.Images) * len(q)
	g := &growth{data: data, cfg: cfg, q: q, minGain: minGain, x: make([]uint8, 0, n),
		hi: make([]float64, n), lo: make([]float64, n), lik: make([]float64, n), bad: make([]float64, len(data.Images))}
	rows.Each(data, func(_ float64, x, known []uint8) {
		for i := range x {
			g.x = append(g.x, x[i]+2*(1-known[i]))
		}
	})
	for r := range data.Images {
		g.explain(r, nil)
	}
	return g
}

// explain sets the explanation of row r to the picks.
func (g *growth) explain(r int, picks []patchwork.Pick) {
	d := len(g.q)
	hi, lo, lik := g.hi[r*d:][:d], g.lo[r*d:][:d], g.lik[r*d:][:d]
	copy(hi, g.q)
	copy(lo, g.q)
	for _, p := range picks {
		for i, v := range g.model.Template(p.Expert) {
			hi[i] = max(hi[i], v)
			if g.cfg.Rule == patchwork.RuleMaxMinusMin {
				lo[i] = min(lo[i], v)
			}
		}
	}
	loss, entropy := 0.0, 0.0
	for i, x := range g.x[r*d:][:d] {
		if x == 2 {
			continue
		}
		p := hi[i] + lo[i] - g.q[i]
		lik[i] = score.LogLik(x == 1, p)
		loss -= lik[i]
		if p > 0 && p < 1 {
			entropy -= p*math.Log(p) + (1-p)*math.Log1p(-p)
		}
	}
	g.bad[r] = float64(g.data.Weight(r)) * max(loss-badShare*entropy, 0)
}

// take sets the model, explains all rows by it, and returns their tally.
func (g *growth) take(ctx context.Context, m *patchwork.Model, opt posterior.Options, workers int) (*softTally, error) {
	g.model, g.q = m, m.Config().QMap
	t, chosen, err := eStepChosen(ctx, m, g.data, opt, workers)
	if err != nil {
		return nil, err
	}
	_, err = pool.Run(ctx, len(chosen), workers, pool.Chunk, func(_, r int) error {
		g.explain(r, chosen[r])
		return nil
	})
	return t, err
}

// candidate is a candidate for the next expert.
type candidate struct {
	votes []float64 // equal to q: none
	share float64   // of the rows it is active in
	saved float64   // nats by which the description gets shorter
}

// bestCandidate returns the candidate that shortens the description most; nil if
// none does.
func (g *growth) bestCandidate(ctx context.Context, rng *rand.Rand, workers int) (*candidate, error) {
	for _, below := range badBelow {
		var starts [][]float64
		for c := range candidatesPerExpert {
			if votes := g.firstVotes(rng, below, c%2 == 1); votes != nil {
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
// of a row drawn at random, or on those that it has in common with another row;
// nil if there are none.
func (g *growth) firstVotes(rng *rand.Rand, below float64, common bool) []float64 {
	first := draw.ByWeight(rng, g.bad)
	if first < 0 {
		return nil
	}
	bits := g.badBits(first, math.Log(below))
	if common {
		weights := make([]float64, len(g.bad))
		for r := range weights {
			if n := float64(len(g.shared(bits, first, r, math.Log(below)))); r != first {
				weights[r] = float64(g.data.Weight(r)) * n * n * n
			}
		}
		if second := draw.ByWeight(rng, weights); second >= 0 {
			bits = g.shared(bits, first, second, math.Log(below))
		}
	}
	if len(bits) == 0 {
		return nil
	}
	votes := slices.Clone(g.q)
	for _, i := range bits {
		if g.x[first*len(g.q)+i] == 1 {
			votes[i] = max(2.0/3, (1+g.q[i])/2)
		} else {
			votes[i] = min(1.0/3, g.q[i]/2)
		}
	}
	return votes
}

// badBits returns the bits of row r whose log-likelihood is below a limit; under
// Max, where no expert can vote for off, only those that are on.
func (g *growth) badBits(r int, limit float64) []int {
	var out []int
	for i := range g.q {
		at := r*len(g.q) + i
		if x := g.x[at]; x < 2 && g.lik[at] < limit && (x == 1 || g.cfg.Rule == patchwork.RuleMaxMinusMin) {
			out = append(out, i)
		}
	}
	return out
}

// shared returns those of the bits that are as bad in another row, and equal.
func (g *growth) shared(bits []int, row, other int, limit float64) []int {
	var out []int
	d := len(g.q)
	for _, i := range bits {
		if at := other*d + i; g.x[at] == g.x[row*d+i] && g.lik[at] < limit {
			out = append(out, i)
		}
	}
	return out
}

// fit learns a candidate by a few iterations of EM over whether it is active; the
// explanations by the other experts stay as they are.
func (g *growth) fit(votes []float64) *candidate {
	s := &candidate{votes: votes, share: candidateShare}
	t := &softTally{experts: 1, width: len(g.q)}
	t.makeCells(g.cfg.Rule)
	total := float64(rows.Total(g.data))
	for range candidateIterations {
		clear(t.cells)
		active := 0.0
		bias := math.Log(s.share) - math.Log1p(-s.share)
		for r := range g.bad {
			p := 1 / (1 + math.Exp(-g.gain(s.votes, r)-bias))
			if p < minWeight {
				continue
			}
			active += float64(g.data.Weight(r)) * p
			g.count(t, s.votes, r, share{int64(math.Round(p * weightUnit)), g.data.Weight(r)})
		}
		s.share = (active + 0.5) / (total + 1)
		next := make([]float64, len(g.q))
		for i := range next {
			next[i] = t.vote(0, i, g.q[i], g.minGain)
		}
		s.votes = next
	}
	s.saved = g.saving(s)
	return s
}

// gain returns how many nats better row r is explained if the votes join its
// explanation.
func (g *growth) gain(votes []float64, r int) float64 {
	sum, d := 0.0, len(g.q)
	hi, lo, lik, x := g.hi[r*d:][:d], g.lo[r*d:][:d], g.lik[r*d:][:d], g.x[r*d:][:d]
	for i, v := range votes {
		if v == g.q[i] || x[i] == 2 {
			continue
		}
		if h, l := max(hi[i], v), min(lo[i], v); v > g.q[i] && h != hi[i] {
			sum += score.LogLik(x[i] == 1, h+lo[i]-g.q[i]) - lik[i]
		} else if v < g.q[i] && l != lo[i] {
			sum += score.LogLik(x[i] == 1, hi[i]+l-g.q[i]) - lik[i]
		}
	}
	return sum
}

// count counts row r for a candidate with these votes, as softTally.addSet does.
func (g *growth) count(t *softTally, votes []float64, r int, w share) {
	d := len(g.q)
	for i, v := range votes {
		at, q := r*d+i, g.q[i]
		if g.x[at] == 2 {
			continue
		}
		hi, lo, on := g.hi[at], g.lo[at], g.x[at] == 1
		if v > q && v > hi || v == q && hi == q {
			t.cells[t.cell(0, i, 0)+binOf(q-lo, q)].add(on, q-lo, w)
		}
		if t.sides == 2 && (v < q && v < lo || v == q && lo == q) {
			t.cells[t.cell(0, i, 1)+binOf(hi-q, 1-q)].add(!on, hi-q, w)
		}
	}
}

// saving returns how many nats the description gets shorter if the candidate
// joins: the rows may choose it or not, and each vote costs minGain.
func (g *growth) saving(s *candidate) float64 {
	sum := 0.0
	for r := range g.bad {
		e := math.Exp(min(g.gain(s.votes, r), 700))
		sum += float64(g.data.Weight(r)) * math.Log1p(s.share*(e-1))
	}
	for i, v := range s.votes {
		if v != g.q[i] {
			sum -= g.minGain
		}
	}
	return sum
}

// withCandidate returns the model with the candidate as one more expert.
func (g *growth) withCandidate(s *candidate) (*patchwork.Model, error) {
	var experts [][]float64
	usage := []float64{s.share}
	if g.model != nil {
		experts = g.model.Templates()
		usage = append(slices.Clone(g.model.Extras().Usage), s.share)
	}
	cfg := g.cfg
	cfg.QMap = g.q
	m, err := patchwork.NewModel(cfg, append(experts, s.votes))
	if err != nil {
		return nil, err
	}
	return m.WithExtras(patchwork.Extras{Usage: usage, Record: patchwork.Record{Rows: rows.Total(g.data)}})
}
