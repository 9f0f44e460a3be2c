package joint

import (
	"slices"

	"example.com/patchwork/internal/elem"
)

// Tied holds the settings of a step in which numbers have a price (max, max-minus-min): the
// background is one number, the votes of an expert on one side are one strength, and what
// differs must gain what it takes to say so.
type Tied struct {
	Number   float64   // log(rows)/2, the price of a number that all rows inform
	Marginal []float64 // by bit: its share of on
	MinQ     float64
	Price    func(active float64) float64 // of a number that so many rows inform

	// Held keeps the background as it is.
	Held bool

	// Own gives each vote a probability of its own in the end, drawn to the strength that it
	// shares; not where experts vote on both sides.
	Own bool
}

const (
	tiedPasses = 2
	tiedRounds = 5
	// pull is by how many bits' worth a shared background is drawn to the mean of its bits where
	// experts vote on both sides, lest it slides to one side and the experts of the other go.
	pull = 60
	// drawn is by how many rows' worth a vote of its own is drawn to the strength that it shared.
	drawn = 8
)

// tiedExpert is an expert whose votes are tied, by side: for on, and for off.
type tiedExpert struct {
	price       float64 // of a number
	strength    [2]float64
	votes       [2]int
	right, seen [2]float64 // of the votes that share the strength
}

// tying is a step with tied votes.
type tying struct {
	*columns
	Tied
	plain   bool // by the reference, for tests
	experts []tiedExpert
	shares  [][]bool       // by expert and bit: whether its vote shares the strength
	tallied [][][2]float64 // by expert and bit: of a shared vote, how often it is right, and seen
}

// StepTied returns the background and the opinions that follow from the counts of rows
// explained by e, as Step does, with tied numbers.
func (g *Groups) StepTied(e *Experts, opt Tied, each func(bits int, work func(bit int))) (q []float64,
	opinions [][]float64) {
	t := &tying{columns: newColumns(newStep(g, MStep{Marginal: opt.Marginal, MinQ: opt.MinQ}, e)), Tied: opt}
	return t.run(each)
}

// run makes the step.
func (t *tying) run(each func(bits int, work func(bit int))) (q []float64, opinions [][]float64) {
	e, opt := t.e, t.Tied
	t.experts = make([]tiedExpert, len(e.Opinions))
	t.shares, t.tallied = make([][]bool, len(t.experts)), make([][][2]float64, len(t.experts))
	for k := range t.experts {
		t.experts[k].price = opt.Price(float64(t.weight[k]) / Unit)
		t.shares[k], t.tallied[k] = make([]bool, len(e.Q)), make([][2]float64, len(e.Q))
		t.opinions[k] = append(t.opinions[k][:0], e.Opinions[k]...)
	}
	copy(t.q, e.Q)
	if !opt.Held {
		t.tieBackground(each)
	}
	for k, v := range t.opinions { // as they are, to begin with
		for i, p := range v {
			t.shares[k][i] = e.Rule.Votes(p, e.Q[i]) && e.Rule.Votes(p, t.q[i]) && (p > e.Q[i]) == (p > t.q[i])
			if !t.shares[k][i] {
				v[i] = t.q[i]
			}
		}
	}
	for pass := range tiedPasses + 1 { // the first only counts
		each(len(e.Q), func(i int) { t.bit(i, pass > 0) })
		t.tieVotes()
	}
	if opt.Own && !e.Rule.TwoSided() {
		t.untie()
	}
	return t.q, t.opinions
}

// untie gives the votes that share a strength probabilities of their own, drawn to that.
func (t *tying) untie() {
	for k, v := range t.opinions {
		for i, p := range v {
			if n := t.tallied[k][i]; t.shares[k][i] && p != t.q[i] {
				if own := (n[0] + float64(drawn*p)) / (n[1] + drawn); own > t.q[i] {
					v[i] = own
				}
			}
		}
	}
}

// tieBackground sets the background: one number, and a bit's own where that pays.
func (t *tying) tieBackground(each func(bits int, work func(bit int))) {
	on, seen := make([]float64, len(t.q)), make([]float64, len(t.q))
	each(len(t.q), func(i int) { on[i], seen[i] = t.free(i) })
	t.q = TiedLevels(t.Tied.Marginal, t.Number, t.Tied.MinQ, t.e.Rule, func(i int) (float64, float64) {
		return on[i], seen[i]
	})
}

// free returns in how many rows nobody votes on a bit, and in how many of these it is on.
func (t *tying) free(i int) (on, seen float64) {
	params := make([]float64, len(t.opinions))
	for k := range params {
		if t.e.Rule.Votes(t.e.Opinions[k][i], t.e.Q[i]) {
			params[k] = 1
		}
	}
	if v := t.see(i, params, 0); v != nil && !t.plain {
		return float64(v.all.on) / Unit, float64(v.all.seen) / Unit
	}
	for _, c := range t.groups {
		if slices.ContainsFunc(c.set, func(k int16) bool { return params[k] != 0 }) {
			continue
		}
		n := c.weight
		if c.hidden != nil {
			n -= c.hidden[i]
		}
		on, seen = on+float64(c.on[i])/Unit, seen+float64(n)/Unit
	}
	return on, seen
}

// TiedLevels returns the probabilities of bits of which some are on, of so many: one number,
// and a bit's own where that gains more than it takes. Where experts vote on both sides the one
// number is drawn to the mean of its bits.
func TiedLevels(means []float64, number, least float64, r Rule, bit func(i int) (on, seen float64)) []float64 {
	width := len(means)
	clip := func(p float64) float64 { return min(max(p, least), 1-least) }
	free := make([]bool, width) // whether a bit has a number of its own
	shared, pseudo := 0.0, 1.0
	if r.TwoSided() {
		pseudo = pull
	}
	for range tiedRounds + 1 {
		on, seen, mean, exceptions := 0.0, 0.0, 0.0, 0
		for i := range width {
			if free[i] {
				exceptions++
				continue
			}
			a, n := bit(i)
			on, seen, mean = on+a, seen+n, mean+means[i]
		}
		mean /= float64(max(width-exceptions, 1))
		shared = clip((on + float64(pseudo*mean)) / (seen + pseudo))
		price := number + max(0, elem.Log(float64(width-exceptions)/float64(exceptions+1)))
		changed := false
		for i := range width {
			a, n := bit(i)
			own := n > 0 && float64(n*Divergence(a/n, shared)) > price
			changed = changed || own != free[i]
			free[i] = own
		}
		if !changed {
			break
		}
	}
	out := make([]float64, width)
	for i := range out {
		if out[i] = shared; free[i] {
			on, seen := bit(i)
			out[i] = clip((on + means[i]) / (seen + 1))
		}
	}
	return out
}

// Pulled returns what it takes that a shared background is drawn to the mean of its bits.
func Pulled(mean, shared float64) float64 { return pull * Divergence(mean, shared) }

// Divergence returns the Kullback-Leibler divergence of a bit that is on with probability p
// from one of probability q, in nats.
func Divergence(p, q float64) float64 {
	sum := 0.0
	if p > 0 {
		sum += float64(p * elem.Log(p/q))
	}
	if p < 1 {
		sum += float64((1 - p) * elem.Log((1-p)/(1-q)))
	}
	return max(0, sum)
}

// OneVoteMore returns by how much it takes more to say which of so many bits an expert votes on
// with its n-th vote; never below 0, so that no vote is taken for nothing.
func OneVoteMore(bits, n int) float64 {
	return max(0, elem.Log(float64(bits-n+1)/float64(max(n, 1))))
}

// tieVotes counts the votes, and sets the strengths to what those that share them are right in;
// where experts vote on both sides strengths that hardly differ are one.
func (t *tying) tieVotes() {
	for k := range t.experts {
		x := &t.experts[k]
		x.votes, x.right, x.seen = [2]int{}, [2]float64{}, [2]float64{}
		for i, p := range t.opinions[k] {
			if p == t.q[i] {
				continue
			}
			side := sideOf(p, t.q[i])
			if x.votes[side]++; t.shares[k][i] {
				x.right[side] += t.tallied[k][i][0]
				x.seen[side] += t.tallied[k][i][1]
			}
		}
		for side := range x.strength {
			if x.seen[side] > 0 {
				x.strength[side] = min((x.right[side]+0.5)/(x.seen[side]+1), 1-1e-6)
			}
		}
	}
	if t.e.Rule.TwoSided() {
		t.pool()
	}
	for k := range t.experts {
		for i, p := range t.opinions[k] {
			if !t.shares[k][i] || p == t.q[i] {
				continue
			}
			side := sideOf(p, t.q[i])
			if p = t.experts[k].strength[side]; side == 1 {
				p = 1 - p
			}
			if t.opinions[k][i] = p; sideOf(p, t.q[i]) != side || p == t.q[i] { // too weak to be a vote
				t.opinions[k][i] = t.q[i]
			}
		}
	}
}

func sideOf(p, q float64) int {
	if p > q {
		return 0
	}
	return 1
}

// pool gives experts and sides one strength where theirs hardly differs from it.
func (t *tying) pool() {
	type at struct{ expert, side int }
	in, shared := map[at]bool{}, 0.0
	for range tiedRounds {
		right, seen := 0.5, 1.0
		for k := range t.experts {
			for side, n := range t.experts[k].seen {
				if out, known := in[at{k, side}]; n > 0 && (out || !known) {
					right, seen = right+t.experts[k].right[side], seen+n
				}
			}
		}
		shared = min(right/seen, 1-1e-6)
		for k := range t.experts {
			x := &t.experts[k]
			for side, n := range x.seen {
				if n > 0 {
					in[at{k, side}] = float64(n*Divergence(x.right[side]/n, shared)) <
						x.price+elem.Log(float64(x.votes[side]))/2
				}
			}
		}
	}
	for k := range t.experts {
		for side := range t.experts[k].strength {
			if in[at{k, side}] {
				t.experts[k].strength[side] = shared
			}
		}
	}
}

// bit chooses the votes on a bit, one after the other beside the newest of the others, or only
// counts those that there are.
func (t *tying) bit(i int, choose bool) {
	params := make([]float64, len(t.opinions))
	for k, v := range t.opinions {
		params[k] = v[i]
	}
	each := func(k int, a *Ascent) float64 {
		p := params[k]
		if choose {
			p = t.vote(k, i, a)
		}
		t.tally(k, i, p, a)
		return p
	}
	if t.plain {
		t.step.beside(i, t.q[i], params, each)
		return
	}
	t.columns.beside(i, t.q[i], params, each)
}

// vote chooses the vote of expert k on bit i, given the others': none, at the strength that it
// shares, or its own.
func (t *tying) vote(k, i int, a *Ascent) float64 {
	x := &t.experts[k]
	size := x.votes[0] + x.votes[1]
	which := OneVoteMore(len(t.q), size)
	own := x.price + elem.Log(float64(size+1))
	best, most, shares, shared := a.Q, 0.0, false, 0.0
	price := func(side int) float64 {
		if !t.e.Rule.TwoSided() {
			return which
		}
		return which + elem.Log(float64(size+1)/float64(x.votes[side]+1))
	}
	for side, s := range x.strength {
		if side == 1 {
			s = 1 - s
		}
		if x.strength[side] == 0 || s == a.Q || sideOf(s, a.Q) != side || side == 1 && !t.e.Rule.TwoSided() {
			continue
		}
		gain := a.gain(s)
		shared = max(shared, gain)
		if gain-price(side) > most {
			best, most, shares = s, gain-price(side), true
		}
	}
	if a.promises(own + max(shared, most)) {
		if p, gain := a.Best(own + shared); p != a.Q && gain-price(sideOf(p, a.Q))-own > most {
			best, shares = p, false
		}
	}
	t.shares[k][i] = shares
	return best
}

// promises reports whether some vote may gain so much: not more than all cells at their shares.
func (a *Ascent) promises(least float64) bool {
	sum := 0.0
	for i := range a.Cells {
		c := &a.Cells[i]
		on, _ := a.Rule.without(&c.Rest, a.Q)
		n := c.On + c.Off
		sum += float64(n * Divergence(c.On/n, min(max(on, 1e-9), 1-1e-9)))
	}
	return sum > least
}

// tally counts, for the vote p of expert k on bit i, how often it is right where it is the
// strongest and nothing opposes it.
func (t *tying) tally(k, i int, p float64, a *Ascent) {
	right, seen := 0.0, 0.0
	for j := range a.Cells {
		c := &a.Cells[j]
		switch {
		case p > a.Q && c.A <= p && (t.e.Rule == Max || c.B >= a.Q):
			right, seen = right+c.On, seen+c.On+c.Off
		case p < a.Q && c.B >= p && c.A <= a.Q:
			right, seen = right+c.Off, seen+c.On+c.Off
		}
	}
	t.tallied[k][i] = [2]float64{right, seen}
}
