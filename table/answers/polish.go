package answers

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
)

// beliefs are the posterior of the states and steps of every row.
type beliefs struct {
	*states
	t *answers
	r [][]float64 // by row: state times the number of steps, plus step
}

func beliefsOf(p *Picture, t *answers) *beliefs {
	o := &beliefs{states: prepare(p), t: t}
	r := o.newRow()
	for n := range t.x {
		o.explain(r, t.ones[n], t.hidden[n])
		of := make([]float64, len(p.Sets)*len(p.Steps))
		for s, w := range r.weight {
			if w >= leastWeight {
				for l, share := range r.steps[s] {
					of[s*len(p.Steps)+l] = float64(w * share)
				}
			}
		}
		o.r = append(o.r, of)
	}
	return o
}

// asked is what the rest of every row says of a column: the EM counts confirm themselves, for
// a column votes for the parts that vote on it; the rest of the row does not.
type asked struct {
	*beliefs
	d     int
	rows  []int       // that know the column
	open  [][]float64 // by set of voters and row: how probable it is that none of them is active
	level [][]float64 // and how probable the column then is on, times that
}

// ask finds out what the rest of the rows says of column d and each of some sets of voters.
func (o *beliefs) ask(d int, voters []uint64) *asked {
	a := &asked{beliefs: o, d: d, open: make([][]float64, len(voters)), level: make([][]float64, len(voters))}
	all := uint64(1)<<len(o.Votes) - 1
	open, level := make([]float64, all+1), make([]float64, all+1)
	for n, x := range o.t.x {
		if x[d] == joint.Unknown {
			continue
		}
		a.rows = append(a.rows, n)
		clear(open)
		clear(level)
		total := o.rest(n, d, open, level)
		below(open, len(o.Votes))
		below(level, len(o.Votes))
		for i, q := range voters {
			a.open[i] = append(a.open[i], open[all&^q]/total)
			a.level[i] = append(a.level[i], level[all&^q]/total)
		}
	}
	return a
}

// rest sets how probable each set of parts is by the rest of a row, and times that, how probable column d is on where
// nobody votes; it returns the sum of the first.
func (o *beliefs) rest(n, d int, open, level []float64) (total float64) {
	levels, x := len(o.Steps), o.t.x[n][d]
	var inverse [8]float64
	chance := o.chance[d]
	for l := range o.Steps {
		if inverse[l] = 1 / chance[l]; x == joint.Off {
			inverse[l] = 1 / (1 - chance[l])
		}
	}
	for s, set := range o.Sets {
		r := o.r[n][s*levels:][:levels]
		if k := o.owner[s][d]; k < 0 {
			for l, w := range r {
				w *= inverse[l]
				open[set] += w
				level[set] += float64(w * chance[l])
			}
		} else {
			v := o.Votes[k][d]
			if x == joint.Off {
				v = 1 - v
			}
			for l, w := range r {
				w /= v
				open[set] += w
				level[set] += float64(w * chance[l])
			}
		}
		total += open[set]
	}
	return total
}

// below makes of values by set the sums over all subsets of each.
func below(values []float64, parts int) {
	for k := range parts {
		for s := range values {
			if s>>k&1 != 0 {
				values[s] += values[s&^(1<<k)]
			}
		}
	}
}

// voted is how a column would best be answered with a set of voters.
type voted struct {
	d     int
	q     uint64
	gain  float64 // beside that with those it has, less prices
	vote  float64
	shift float64 // of the column's log odds
}

// best finds the vote and the log odds of the column for voters number i, and what the rows then say.
func (a *asked) best(i int, q uint64, vote float64) voted {
	mean, odds := a.t.mean[a.d], 1.0
	if q != 0 && vote == 0 {
		on, seen := mean, 1.0
		for j, n := range a.rows {
			w := float64(a.t.times[n] * (1 - a.open[i][j]))
			seen += w
			on += float64(w * float64(a.t.x[n][a.d]))
		}
		vote = on / seen
	}
	for range 4 {
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
		vote = on / seen
		odds *= elem.Exp(bounded(g / h))
	}
	return voted{d: a.d, q: q, gain: a.logP(i, vote, odds), vote: vote, shift: elem.Log(odds)}
}

// shifted returns a probability, out of so much, at other odds.
func shifted(p, of, odds float64) float64 {
	return of * p * odds / (of - p + float64(p*odds) + 1e-300)
}

// logP returns the log probability of the column in all rows; -Inf if the vote does not raise it.
func (a *asked) logP(i int, vote, odds float64) float64 {
	sum, open, level, voters := 0.0, 0.0, 0.0, false
	for j, n := range a.rows {
		p := shifted(a.level[i][j], a.open[i][j], odds)
		open, level = open+a.open[i][j], level+p
		if a.open[i][j] < 1-1e-9 {
			voters = true
		}
		if p += float64((1 - a.open[i][j]) * vote); a.t.x[n][a.d] == joint.Off {
			p = 1 - p
		}
		sum += float64(a.t.times[n] * elem.Log(max(p, 1e-300)))
	}
	if voters && float64(vote*open) <= level {
		return math.Inf(-1)
	}
	return sum
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

// others returns the sets of voters that are asked about, those of now first: all, or of many parts none, single ones,
// and those that differ from the present ones by one, or by an exchange.
func others(now uint64, parts int) []uint64 {
	out := []uint64{now}
	for q := range uint64(1) << parts {
		differ := q ^ now
		near := bits.OnesCount64(differ) == 1 || bits.OnesCount64(differ) == 2 && bits.OnesCount64(differ&now) == 1
		if q != now && (parts <= 5 || bits.OnesCount64(q) <= 1 || near) {
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
			number = max(number, numberPrice(active[k], rows))
		}
	}
	return sum + number
}

// moves returns, for every column that would gain more than enough nats with other voters, the best of these, the
// greatest gain first.
func (p *Picture) moves(t *answers, c *counts, enough float64) []voted {
	var out []voted
	o, active := beliefsOf(p, t), p.active(c)
	sizes := make([]int, len(p.Votes))
	for k := range sizes {
		sizes[k] = p.votes(k)
	}
	for d := range p.Intercept {
		all := others(p.voters(d), len(p.Votes))
		a := o.ask(d, all)
		var now, best voted
		for i, q := range all {
			v := a.best(i, q, 0)
			v.gain -= p.price(d, q, sizes, active, t.n)
			if i == 0 {
				now, best = v, v
			} else if v.gain > best.gain {
				best = v
			}
		}
		if best.gain -= now.gain; best.q != now.q && best.gain > enough {
			out = append(out, best)
		}
	}
	slices.SortStableFunc(out, func(a, b voted) int { return cmp.Compare(b.gain, a.gain) })
	return out
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
	p, c := p.fit(t, iterations, 0.05, pseudo)
	nats, numbers := p.length(c, t.n)
	return found{p, c, nats, numbers}
}

const (
	roundsOfEM    = 3   // after a change
	enoughOfVotes = 0.5 // nats that other voters of a column must gain
)

// polished changes voters by the rest of the rows, as long as the description gets shorter.
func (f found) polished(t *answers) found {
	for range 4 {
		moves := f.moves(t, f.c, enoughOfVotes)
		if len(moves) == 0 || len(f.Votes) == 0 {
			break
		}
		next := measured(f.moved(moves), t, roundsOfEM)
		if next.nats > f.nats && len(moves) > 1 { // they were asked one by one
			next = measured(f.moved(moves[:(len(moves)+1)/2]), t, roundsOfEM)
		}
		if next.nats > f.nats-0.5 {
			break
		}
		f = next
	}
	return f
}
