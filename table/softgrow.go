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

// Growing a table's experts: so many candidates for the next one, each learned
// by so many iterations beside the experts there are, and so many full
// iterations once it has joined.
const (
	sproutCandidates = 16
	sproutIterations = 5
	growSoftRounds   = 2
	sproutShare      = 0.1 // of the rows a candidate is thought active in, at first
)

// sproutThresholds: bits less probable than these call for a new expert. The
// later ones serve only when nothing pays: mixed at random they lose bars
// (findings, section 6).
var sproutThresholds = [...]float64{0.5, 0.667, 0.9}

// badShare is how much of its entropy a row is allowed before it counts as badly
// explained.
const badShare = 0.7

// garden is a table as the experts so far explain it: what growing works on.
type garden struct {
	data   patchwork.Data
	cfg    patchwork.Config
	model  *patchwork.Model // nil: no experts yet
	q      []float64
	price  float64 // of a vote, in nats
	x      []uint8 // rows x bits: 0, 1, or 2 for unknown
	hi, lo []float64
	lik    []float64 // log-likelihood of each known bit
	bad    []float64 // by row: how badly it is explained, times its weight
}

func newGarden(data patchwork.Data, cfg patchwork.Config, q []float64, price float64) *garden {
	n := len(data.Images) * len(q)
	g := &garden{data: data, cfg: cfg, q: q, price: price, x: make([]uint8, 0, n),
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

// explain notes the best explanation of row r.
func (g *garden) explain(r int, picks []patchwork.Pick) {
	d := len(g.q)
	hi, lo, lik := g.hi[r*d:][:d], g.lo[r*d:][:d], g.lik[r*d:][:d]
	copy(hi, g.q)
	copy(lo, g.q)
	for _, p := range picks {
		for i, v := range g.model.Template(p.Expert) {
			hi[i] = max(hi[i], v)
			if g.cfg.Rule == patchwork.MaxMinusMin {
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

// adopt takes a model and explains all rows by it.
func (g *garden) adopt(ctx context.Context, m *patchwork.Model, best posterior.NBestOptions, workers int) (*SoftTally, error) {
	g.model, g.q = m, m.Config().QMap
	if g.data.Memory != nil {
		t, chosen, err := softChosen(ctx, m, g.data, best, workers)
		for r, picks := range chosen {
			if err == nil {
				g.explain(r, picks)
			}
		}
		return t, err
	}
	return SoftExplain(ctx, m, g.data, best, workers, func(i int, post *posterior.Posterior) { g.explain(i, post.Alternatives[0].Picks) })
}

// sprout is a candidate for the next expert.
type sprout struct {
	votes []float64 // equal to q: none
	share float64   // of the rows it is active in
	worth float64   // nats the description gets shorter
}

// best grows candidates and returns the one that shortens the description most;
// nil if none does.
func (g *garden) best(ctx context.Context, rng *rand.Rand, workers int) (*sprout, error) {
	for _, below := range sproutThresholds {
		var seeds [][]float64
		for c := range sproutCandidates {
			if votes := g.seed(rng, below, c%2 == 1); votes != nil {
				seeds = append(seeds, votes)
			}
		}
		var best *sprout
		for s, err := range pool.InTurn(ctx, len(seeds), max(1, min(workers, len(seeds))), func(_ context.Context, i int) (*sprout, error) {
			return g.raise(seeds[i]), nil
		}) {
			if err != nil {
				return nil, err
			}
			if best == nil || s.worth > best.worth {
				best = s
			}
		}
		if best != nil && best.worth > 0 {
			return best, nil
		}
	}
	return nil, nil
}

// seed is votes on the badly explained bits (less probable than below) of a row
// drawn at random, or on those that it has in common with another row; nil if
// there are none.
func (g *garden) seed(rng *rand.Rand, below float64, common bool) []float64 {
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

// badBits are the bits of row r whose log-likelihood is below a limit; only
// those that are on where no expert can vote for off.
func (g *garden) badBits(r int, limit float64) []int {
	var out []int
	for i := range g.q {
		at := r*len(g.q) + i
		if x := g.x[at]; x < 2 && g.lik[at] < limit && (x == 1 || g.cfg.Rule == patchwork.MaxMinusMin) {
			out = append(out, i)
		}
	}
	return out
}

// shared is those of the bits that are bad, and the same, in another row.
func (g *garden) shared(bits []int, row, other int, limit float64) []int {
	var out []int
	d := len(g.q)
	for _, i := range bits {
		if at := other*d + i; g.x[at] == g.x[row*d+i] && g.lik[at] < limit {
			out = append(out, i)
		}
	}
	return out
}

// raise learns a candidate beside the experts there are, whose explanations stay
// as they are, by a few iterations of EM over whether it is active.
func (g *garden) raise(votes []float64) *sprout {
	s := &sprout{votes: votes, share: sproutShare}
	sides, bins := 1, 1
	if g.cfg.Rule == patchwork.MaxMinusMin {
		sides, bins = 2, softBins
	}
	t := &SoftTally{experts: 1, width: len(g.q), sides: sides, bins: bins, cells: make([]softCell, len(g.q)*sides*bins)}
	rows := float64(rows.Total(g.data))
	cfg := g.cfg
	cfg.QMap = g.q
	prev, err := patchwork.NewModel(cfg, [][]float64{s.votes})
	if err != nil {
		panic(err) // the background and the votes are probabilities
	}
	for range sproutIterations {
		clear(t.cells)
		active := 0.0
		bias := math.Log(s.share) - math.Log1p(-s.share)
		for r := range g.bad {
			p := 1 / (1 + math.Exp(-g.gain(s.votes, r)-bias))
			if p < leastWeight {
				continue
			}
			active += float64(g.data.Weight(r)) * p
			g.count(t, s.votes, r, share{int64(math.Round(p * softUnit)), g.data.Weight(r)})
		}
		s.share = (active + 0.5) / (rows + 1)
		next := make([]float64, len(g.q))
		for i := range next {
			next[i] = t.vote(prev, 0, i, g.price)
		}
		s.votes = next
	}
	s.worth = g.worth(s)
	return s
}

// gain is how much better row r is explained if the votes join its explanation.
func (g *garden) gain(votes []float64, r int) float64 {
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

// count is SoftTally.addSet for the one expert that is to be.
func (g *garden) count(t *SoftTally, votes []float64, r int, w share) {
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

// worth is how many nats the description gets shorter if the candidate joins:
// the rows may choose it or not, its votes have their price.
func (g *garden) worth(s *sprout) float64 {
	sum := 0.0
	for r := range g.bad {
		e := math.Exp(min(g.gain(s.votes, r), 700))
		sum += float64(g.data.Weight(r)) * math.Log1p(s.share*(e-1))
	}
	for i, v := range s.votes {
		if v != g.q[i] {
			sum -= g.price
		}
	}
	return sum
}

// with is the model and one expert more.
func (g *garden) with(s *sprout) (*patchwork.Model, error) {
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
