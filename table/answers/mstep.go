package answers

import (
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/table/described"
)

// pseudo is how many rows at the mean of a column are added to what a number is counted from,
// so that none is certain.
const pseudo = 1

// mStep returns the picture that follows from counts. Rows like the mean are added as often as
// extra says; votes on one column are joined where own ones gain less than a number's price.
func (p *Picture) mStep(m *states, c *counts, t *answers, extra float64) *Picture {
	next := p.clone()
	p.stepVotes(next, m, c, t, extra)
	p.stepColumns(next, m, c, t, extra)
	p.stepUsage(next, c, t)
	return next
}

// stepVotes sets the votes.
func (p *Picture) stepVotes(next *Picture, m *states, c *counts, t *answers, extra float64) {
	on, seen := make([]float64, len(p.Votes)), make([]float64, len(p.Votes))
	for d, mean := range t.mean {
		clear(on)
		clear(seen)
		for s := range p.Sets {
			if k := m.owner[s][d]; k >= 0 {
				on[k] += c.on[s][d]
				for l := range p.Steps {
					seen[k] += c.seen(s, l, d)
				}
			}
		}
		join := !p.Classes && p.joined(on, seen, d, t.n)
		allOn, allSeen := 0.0, 0.0
		for k := range on {
			allOn, allSeen = allOn+on[k], allSeen+seen[k]
		}
		for k := range p.Votes {
			if p.Votes[k][d] == 0 {
				continue
			}
			a, b := on[k], seen[k]
			if join {
				a, b = allOn, allSeen
			}
			v := p.Votes[k][d]
			if b > 1e-9 {
				v = (a + float64(extra*mean)) / (b + extra)
			}
			next.Votes[k][d] = min(max(v, 1e-9), 1-1e-9)
		}
	}
}

// joined reports whether the votes on column d are better one number.
func (p *Picture) joined(on, seen []float64, d int, rows float64) bool {
	allOn, allSeen, own, voters, least := 0.0, 0.0, 0.0, 0.0, math.Inf(1)
	for k := range on {
		if p.Votes[k][d] > 0 {
			allOn, allSeen = allOn+on[k], allSeen+seen[k]
			own += binomial(on[k], seen[k])
			voters++
			least = min(least, described.NumberPrice(seen[k], rows))
		}
	}
	return voters > 1 && own-binomial(allOn, allSeen) < (voters-1)*least
}

// binomial returns the greatest log probability of so many ones among so many answers.
func binomial(on, seen float64) float64 {
	if on <= 0 || on >= seen {
		return 0
	}
	return float64(on*elem.Log(on/seen)) + float64((seen-on)*elem.Log(1-on/seen))
}

// stepColumns sets the log odds of the columns, and the level.
func (p *Picture) stepColumns(next *Picture, m *states, c *counts, t *answers, extra float64) {
	if p.Classes {
		return
	}
	f := newLogistic(p.Steps, t.width())
	for d, mean := range t.mean {
		for s := range p.Sets {
			if m.owner[s][d] >= 0 {
				continue
			}
			f.on[d] += c.on[s][d]
			for l := range p.Steps {
				f.seen[d][l] += c.seen(s, l, d)
			}
		}
		f.tilt[d] = c.tilt[d]
		f.on[d] += float64(extra * mean)
		for l, w := range p.Weights {
			f.seen[d][l] += float64(extra * w)
		}
		if extra > 0 {
			f.spread(d, p.Intercept[d], p.Slope[d], extra, p.Weights)
		}
	}
	f.climb(next.Intercept, next.Slope, p.leveled(), p.OwnSlopes)
	if p.OwnWeights {
		for l := range p.Steps {
			sum := 0.0
			for s := range p.Sets {
				sum += c.rows[s][l]
			}
			next.Weights[l] = (sum + float64(extra*p.Weights[l])) / (t.n + extra)
		}
	}
}

// stepUsage sets how often each part, or each profile, is active.
func (p *Picture) stepUsage(next *Picture, c *counts, t *answers) {
	if p.Share != nil {
		for s := range p.Sets {
			sum := 0.0
			for _, n := range c.rows[s] {
				sum += n
			}
			next.Share[s] = max(sum, 1e-9) / t.n
		}
		return
	}
	f := newLogistic(p.Steps, len(p.Usage))
	for k := range p.Usage {
		for s, set := range p.Sets {
			for l, n := range c.rows[s] {
				f.seen[k][l] += n
				if set>>k&1 != 0 {
					f.on[k] += n
					f.tilt[k] += float64(n * p.Steps[l])
				}
			}
		}
		f.on[k] += 0.5
		for l, w := range p.Weights {
			f.seen[k][l] += w
		}
	}
	slopes := make([]float64, len(p.Usage))
	for k := range slopes {
		slopes[k] = p.UsageSlope
	}
	f.climb(next.Usage, slopes, p.WithUsage, false)
	if len(slopes) > 0 {
		next.UsageSlope = slopes[0]
	}
}

// logistic holds what log odds b + a t are fitted to, of several items: how many rows of each
// step are counted, in how many an item is on, and the sum of t over these.
type logistic struct {
	steps    []float64
	seen     [][]float64
	on, tilt []float64
}

func newLogistic(steps []float64, items int) *logistic {
	f := &logistic{steps: steps, on: make([]float64, items), tilt: make([]float64, items)}
	for range items {
		f.seen = append(f.seen, make([]float64, len(steps)))
	}
	return f
}

// spread adds to the tilt of an item what so many rows have that are answered as b + a t says.
func (f *logistic) spread(d int, b, a, rows float64, weights []float64) {
	for l, t := range f.steps {
		f.tilt[d] += float64(rows * weights[l] * t * sigmoid(b+float64(a*t)))
	}
}

// climb makes a few steps of Newton: intercepts alone, with one slope for all items, or with
// their own. With one slope, the intercepts are solved for first.
func (f *logistic) climb(b, a []float64, slopes, own bool) {
	for range 4 {
		sumG, sumH := 0.0, 0.0
		gb, hb, hab := make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b))
		for d := range b {
			g1, h1 := f.tilt[d], 1e-6
			gb[d], hb[d] = f.on[d], 1e-6
			for l, t := range f.steps {
				q := sigmoid(b[d] + float64(a[d]*t))
				n := f.seen[d][l]
				v := n * q * (1 - q)
				gb[d] -= float64(n * q)
				g1 -= float64(n * q * t)
				hb[d] += v
				hab[d] += float64(v * t)
				h1 += float64(v * t * t)
			}
			g1 -= float64(hab[d] / hb[d] * gb[d])
			h1 -= float64(hab[d] / hb[d] * hab[d])
			if slopes && own {
				da := bounded(g1 / (h1 + 1e-6))
				a[d] += da
				b[d] += bounded((gb[d] - float64(hab[d]*da)) / hb[d])
				continue
			}
			sumG, sumH = sumG+g1, sumH+h1
		}
		if slopes && own {
			continue
		}
		da := 0.0
		if slopes {
			da = bounded(sumG / (sumH + 1e-9))
		}
		for d := range b {
			a[d] += da
			b[d] += bounded((gb[d] - float64(hab[d]*da)) / hb[d])
		}
	}
}

// bounded keeps a step of Newton small.
func bounded(x float64) float64 { return min(max(x, -1), 1) }

// fit runs EM from the picture until an iteration gains less than enough nats, or so many were
// made, and returns the picture and what its posteriors count.
func (p *Picture) fit(t *answers, iterations int, enough, extra float64) (*Picture, *counts) {
	m := prepare(p)
	c := m.count(t)
	for range iterations {
		next := p.mStep(m, c, t, extra)
		nm := prepare(next)
		nc := nm.count(t)
		gain := nc.evidence - c.evidence
		if p, m, c = next, nm, nc; math.Abs(gain) < enough {
			break
		}
	}
	return p, c
}
