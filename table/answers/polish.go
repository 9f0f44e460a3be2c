package answers

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/described"
)

// beliefs are the posterior of the states and steps of every row.
type beliefs struct {
	*states
	t *answers
	r [][]belief // by row
}

// leastBelief is the least posterior of a state that is asked about.
const leastBelief = 3e-4

func beliefsOf(p *Picture, t *answers) *beliefs {
	o := &beliefs{states: prepare(p), t: t}
	r := o.newRow()
	for n := range t.x {
		o.explain(r, t, n)
		o.r = append(o.r, o.beliefs(r, leastBelief))
	}
	return o
}

// asked is what the rest of every row says of a column: the EM counts confirm themselves, for
// a column votes for the parts that vote on it; the rest of the row does not.
type asked struct {
	*beliefs
	d     int
	every float64     // one of so many rows is asked
	rows  []int       // that know the column
	open  [][]float64 // by set of voters and row: how probable it is that none of them is active
	level [][]float64 // and how probable the column then is on, times that
}

// ask finds out what the rest of the rows, of every so many, says of column d and each of some sets of voters.
func (o *beliefs) ask(d, every int, voters []uint64) *asked {
	a := &asked{beliefs: o, d: d, every: float64(every),
		open: make([][]float64, len(voters)), level: make([][]float64, len(voters))}
	for i := range voters {
		room := len(o.t.x)/every + 1
		a.open[i], a.level[i] = make([]float64, 0, room), make([]float64, 0, room)
	}
	var rest []others
	for n := 0; n < len(o.t.x); n += every {
		if o.t.x[n][d] == joint.Unknown {
			continue
		}
		a.rows = append(a.rows, n)
		rest = o.rest(rest[:0], n, d)
		for i, q := range voters {
			open, level := 0.0, 0.0
			for _, b := range rest {
				if b.set&q == 0 {
					open, level = open+b.open, level+b.level
				}
			}
			a.open[i], a.level[i] = append(a.open[i], open), append(a.level[i], level)
		}
	}
	return a
}

// others is how probable a set of parts is by the rest of a row, and times that, how probable the column is on where
// nobody votes.
type others struct {
	set         uint64
	open, level float64
}

// rest appends what the rest of row n says of column d.
func (o *beliefs) rest(out []others, n, d int) []others {
	off, chance, total := o.t.x[n][d] == joint.Off, o.chance[d], 0.0
	said := func(p float64) float64 { // of the column
		if off {
			return 1 - p
		}
		return p
	}
	for _, b := range o.r[n] {
		x := others{set: o.Sets[b.state]}
		k := o.owner[b.state][d]
		for l, w := range b.steps {
			if k >= 0 {
				w /= said(o.Votes[k][d])
			} else {
				w /= said(chance[l])
			}
			x.open += w
			x.level += float64(w * chance[l])
		}
		total += x.open
		out = append(out, x)
	}
	for i := range out {
		out[i].open /= total
		out[i].level /= total
	}
	return out
}

// voted is how a column would best be answered with a set of voters.
type voted struct {
	d     int
	q     uint64
	gain  float64 // beside that with those it has, less prices
	vote  float64
	shift float64 // of the column's log odds
}

const (
	mostSteps = 4    // of a vote and the log odds of a column
	sameVote  = 1e-3 // by which both change at last
	noHope    = 15   // nats that the steps after the first do not gain
)

// best finds the vote and the log odds of the column for voters number i, and what the rows then say; not to the end
// if that is much less than so much.
func (a *asked) best(i int, q uint64, price, least float64) voted {
	mean, odds, vote := a.t.mean[a.d], 1.0, 0.0
	if q != 0 {
		on, seen := mean, 1.0
		for j, n := range a.rows {
			w := float64(a.t.times[n] * (1 - a.open[i][j]))
			seen += w
			on += float64(w * float64(a.t.x[n][a.d]))
		}
		vote = on / seen
	}
	for step := range mostSteps {
		on, seen, g, h := mean, 1.0, 0.0, 1e-6
		for j, n := range a.rows {
			open, x, w := a.open[i][j], a.t.x[n][a.d], a.t.times[n]
			level := shifted(a.level[i][j], open, odds)
			met, free := float64((1-open)*vote), level
			if x == joint.Off {
				met, free = 1-open-met, open-level
			}
			part := met / (met + free + 1e-300)
			seen += float64(w * part)
			if x == joint.On {
				on += float64(w * part)
			}
			if open > 0 {
				p := level / open
				w *= 1 - part
				g += float64(w * (float64(x) - p))
				h += float64(w * p * (1 - p))
			}
		}
		change := max(math.Abs(on/seen-vote), math.Abs(g/h))
		vote = on / seen
		odds *= elem.Exp(bounded(g / h))
		if change < sameVote || step == 0 && float64(a.every*a.logP(i, vote, odds))-price < least-noHope {
			break
		}
	}
	return voted{d: a.d, q: q, gain: float64(a.every*a.logP(i, vote, odds)) - price, vote: vote, shift: elem.Log(odds)}
}

// shifted returns a probability, out of so much, at other odds.
func shifted(p, of, odds float64) float64 {
	return of * p * odds / (of - p + float64(p*odds) + 1e-300)
}

// logP returns the log probability of the column in all rows; -Inf if the vote does not raise it.
func (a *asked) logP(i int, vote, odds float64) float64 {
	sum, product, open, level, voters := 0.0, 1.0, 0.0, 0.0, false
	for j, n := range a.rows {
		p := shifted(a.level[i][j], a.open[i][j], odds)
		open, level = open+a.open[i][j], level+p
		if a.open[i][j] < 1-1e-9 {
			voters = true
		}
		if p += float64((1 - a.open[i][j]) * vote); a.t.x[n][a.d] == joint.Off {
			p = 1 - p
		}
		if p = max(p, 1e-100); a.t.times[n] != 1 {
			sum += float64(a.t.times[n] * elem.Log(p))
		} else if product *= p; product < 1e-100 { // one logarithm does for many rows
			sum, product = sum+elem.Log(product), 1
		}
	}
	if voters && float64(vote*open) <= level {
		return math.Inf(-1)
	}
	return sum + elem.Log(product)
}

// voters returns who votes on column d.
func (p *Picture) voters(d int) (q uint64) {
	for k, v := range p.Votes {
		if v[d] > 0 {
			q |= 1 << k
		}
	}
	return q
}

// candidates returns the sets of voters that are asked about, those of now first: all, or of many parts none, single
// ones, and those that differ from the present ones by one, or by an exchange. If about is a part, only those that
// differ from the present ones by it, or by an exchange with it; -1 for none.
func candidates(now uint64, parts, about int) []uint64 {
	out := []uint64{now}
	for q := range uint64(1) << parts {
		differ := q ^ now
		near := bits.OnesCount64(differ) == 1 || bits.OnesCount64(differ) == 2 && bits.OnesCount64(differ&now) == 1
		switch {
		case q == now:
		case about >= 0 && near && differ>>about&1 != 0, about < 0 && (parts <= 5 || bits.OnesCount64(q) <= 1 || near):
			out = append(out, q)
		}
	}
	return out
}

// price returns what it takes to name the voters of a column, and their vote.
func (p *Picture) price(d int, q uint64, sizes []int, active []float64, rows float64) (sum float64) {
	number := 0.0
	for k, size := range sizes {
		if q>>k&1 != 0 {
			if p.Votes[k][d] > 0 {
				size--
			}
			sum += elem.LogChoose(len(p.Intercept), size+1) - elem.LogChoose(len(p.Intercept), size)
			number = max(number, described.NumberPrice(active[k], rows))
		}
	}
	return sum + number
}

const (
	settled   = 10  // nats by which the present voters of a column are better than others that are not asked for a while
	doubtful  = 100 // and by some of the rows, than others that are not asked by all
	someRows  = 500 // these are about so many
	enoughNow = 0.5 // nats that other voters of a column must gain
)

// moves returns, for every column that would gain more than enough nats with other voters, the best of these, the
// greatest gain first; about says which are asked about, see candidates. Columns that are settled are not asked again.
func (f found) moves(t *answers, enough float64, about int, done []bool) []voted {
	var out []voted
	o, active, sizes := beliefsOf(f.Picture, t), f.active(f.c), make([]int, len(f.Votes))
	for k := range sizes {
		sizes[k] = f.votes(k)
	}
	for d := range f.Intercept {
		if done[d] {
			continue
		}
		price := func(q uint64) float64 { return f.price(d, q, sizes, active, t.n) }
		all := candidates(f.voters(d), len(f.Votes), about)
		if every := len(t.x) / someRows; every > 1 {
			all, _ = o.ask(d, every, all).bestOf(all, price, doubtful)
		}
		done[d] = true
		if len(all) > 1 {
			_, best := o.ask(d, 1, all).bestOf(all, price, settled)
			if best.gain > enough {
				out = append(out, best)
			}
			done[d] = best.gain < -settled
		}
	}
	slices.SortStableFunc(out, func(a, b voted) int { return cmp.Compare(b.gain, a.gain) })
	return out
}

// bestOf returns the best of sets of voters but the first, which are those of now, by what it gains beside these; and
// those that are not much worse than these.
func (a *asked) bestOf(all []uint64, price func(uint64) float64, much float64) (near []uint64, best voted) {
	now := a.best(0, all[0], price(all[0]), math.Inf(-1))
	near, best.gain = all[:1:1], math.Inf(-1)
	for i, q := range all[1:] {
		v := a.best(i+1, q, price(q), max(best.gain, now.gain)-much)
		if v.gain > now.gain-much {
			near = append(near, q)
		}
		if v.gain > best.gain {
			best = v
		}
	}
	best.gain -= now.gain
	return near, best
}

// moved returns the picture with other voters.
func (p *Picture) moved(moves []voted) *Picture {
	p = p.clone()
	for _, m := range moves {
		for k := range p.Votes {
			if p.Votes[k][m.d] = 0; m.q>>k&1 != 0 {
				p.Votes[k][m.d] = m.vote
			}
		}
		p.Intercept[m.d] += m.shift
	}
	return p
}

// found is a picture with what its posteriors count, and its length.
type found struct {
	*Picture
	c       *counts
	nats    float64
	numbers int
}

// measured runs EM and measures the picture.
func measured(p *Picture, t *answers, iterations int) found {
	p, c := p.fit(t, iterations, float64(0.05*max(1, t.n/searchRows)), pseudo)
	nats, numbers := p.length(c, t.n)
	return found{p, c, nats, numbers}
}

const roundsOfEM = 3 // after a change

// polished changes voters by the rest of the rows, as long as the description gets shorter.
func (f found) polished(t *answers) found { return f.polishedAbout(t, -1, 4) }

// polishedAbout does so a few times, for sets of voters with a part or without it; -1 for all.
func (f found) polishedAbout(t *answers, part, times int) found {
	done := make([]bool, t.width())
	for range times {
		moves := f.moves(t, enoughNow, part, done)
		if len(moves) == 0 || len(f.Votes) == 0 {
			break
		}
		next := measured(f.frequent().moved(moves), t, roundsOfEM)
		if next.nats > f.nats && len(moves) > 1 { // they were asked one by one
			next = measured(f.frequent().moved(moves[:(len(moves)+1)/2]), t, roundsOfEM)
		}
		if next.nats > f.nats-0.5 {
			break
		}
		f = next
	}
	return f
}
