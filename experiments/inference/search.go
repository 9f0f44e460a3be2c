package inference

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
)

// Exhaustive scores every set of experts and returns the optimum (among equals,
// the lowest set). evidence is log P(x), in nats, the logarithm of the sum of
// all joint probabilities.
func (p *Problem) Exhaustive(img *bitmap.Image) (best Found, evidence float64) {
	all := make([]int, p.k)
	for k := range all {
		all[k] = k
	}
	w := p.walk(img, all, p.k)
	return w.found(p, img), w.top + math.Log(w.sum)
}

// Truncated scores every set of at most active experts among the candidates
// that alone have the largest joint probability (J. Luecke and M. Sahani,
// "Maximal causes for non-linear component extraction", 2008, as "expectation
// truncation").
func (p *Problem) Truncated(img *bitmap.Image, candidates, active int) Found {
	x, none, f := p.pixels(img), p.empty(), p.empty()
	alone, order := make([]float64, p.k), make([]int, p.k)
	for k := range p.k {
		p.join(f, none, k)
		alone[k], order[k] = p.logLik(f, x)+p.odds[k], k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(alone[b], alone[a]) })
	chosen := order[:min(candidates, p.k)]
	slices.Sort(chosen)
	w := p.walk(img, chosen, active)
	out := w.found(p, img)
	out.Work += p.k
	return out
}

// walk visits sets of experts depth first, so that each set needs one join.
type walk struct {
	x      []uint8
	order  []int
	levels []field

	best     Set
	score    float64
	top, sum float64 // log sum exp of all scores: top + log(sum)
	work     int
}

// walk scores all sets of at most active of the experts in order, by rising
// index.
func (p *Problem) walk(img *bitmap.Image, order []int, active int) *walk {
	w := &walk{x: p.pixels(img), order: order, score: math.Inf(-1), top: math.Inf(-1)}
	for range len(order) + 1 {
		w.levels = append(w.levels, p.empty())
	}
	w.visit(p, 0, 0, active, 0, p.nothing)
	return w
}

// visit scores set s, composed at level depth, and all sets that add experts
// from position next of the order on.
func (w *walk) visit(p *Problem, depth, next, left int, s Set, prior float64) {
	score := p.logLik(w.levels[depth], w.x) + prior
	w.work++
	if score > w.score+margin || math.Abs(score-w.score) <= margin && s < w.best {
		w.score, w.best = max(score, w.score), s
	}
	if score > w.top {
		w.sum = w.sum*math.Exp(w.top-score) + 1
		w.top = score
	} else {
		w.sum += math.Exp(score - w.top)
	}
	if left == 0 {
		return
	}
	for i := next; i < len(w.order); i++ {
		k := w.order[i]
		p.join(w.levels[depth+1], w.levels[depth], k)
		w.visit(p, depth+1, i+1, left-1, s|1<<k, prior+p.odds[k])
	}
}

func (w *walk) found(p *Problem, img *bitmap.Image) Found { return p.found(img, w.best, w.work) }
