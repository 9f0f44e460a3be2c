package answers

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/internal/score/joint"
)

// residuals returns, by two columns, how much more often both differ from what is expected in the same direction than
// by chance, in standard errors.
func residuals(o *beliefs) [][]float64 {
	width := len(o.Intercept)
	sum, variance := make([][]float64, width), make([][]float64, width)
	for d := range width {
		sum[d], variance[d] = make([]float64, width), make([]float64, width)
	}
	s, v := make([]float64, width), make([]float64, width)
	for n, x := range o.t.x {
		o.expect(o.r[n], s)
		for d, p := range s {
			if s[d], v[d] = float64(x[d])-p, p*(1-p); x[d] == joint.Unknown {
				s[d], v[d] = 0, 0
			}
		}
		for d := range width {
			a, b := o.t.times[n]*s[d], o.t.times[n]*v[d]
			for e := range d {
				sum[d][e] += float64(a * s[e])
				variance[d][e] += float64(b * v[e])
			}
		}
	}
	for d := range width {
		for e := range d {
			sum[d][e] /= math.Sqrt(variance[d][e] + 1e-9)
			sum[e][d] = sum[d][e]
		}
	}
	return sum
}

// blocks returns sets of columns that go together beyond the picture, the strongest first.
func blocks(z [][]float64, most int) [][]int {
	type block struct {
		columns []int
		score   float64
	}
	var all []block
	for seed := range z {
		columns := []int{seed}
		for d := range z {
			if d != seed && z[seed][d] > 2 {
				columns = append(columns, d)
			}
		}
		for range 3 {
			columns = joined(z, columns)
		}
		score := 0.0
		for _, d := range columns {
			for _, e := range columns {
				if d < e {
					score += z[d][e]
				}
			}
		}
		if len(columns) >= 2 {
			all = append(all, block{columns, score / math.Sqrt(float64(len(columns)*(len(columns)-1)))})
		}
	}
	slices.SortStableFunc(all, func(a, b block) int { return cmp.Compare(b.score, a.score) })
	var out [][]int
	for _, b := range all {
		if len(out) < most && !slices.ContainsFunc(out, func(o []int) bool { return alike(o, b.columns) }) {
			out = append(out, b.columns)
		}
	}
	return out
}

// joined returns the columns that go together with the sum of those of a block.
func joined(z [][]float64, block []int) []int {
	score := make([]float64, len(z))
	sum, squares := 0.0, 0.0
	for d := range z {
		others := 0.0
		for _, e := range block {
			if e != d {
				score[d] += z[d][e]
				others++
			}
		}
		if score[d] /= math.Sqrt(max(others, 1)); score[d] > 0 {
			sum, squares = sum+score[d], squares+float64(score[d]*score[d])
		}
	}
	least := max(2, 0.6*squares/max(sum, 1e-9))
	var out []int
	for d, s := range score {
		if s > least {
			out = append(out, d)
		}
	}
	return out
}

// alike reports whether two blocks share three quarters of their columns.
func alike(a, b []int) bool {
	common := 0
	for _, d := range a {
		if slices.Contains(b, d) {
			common++
		}
	}
	return 4*common >= 3*(len(a)+len(b)-common)
}

// withPart returns the picture with a part more, that votes on some columns.
func (p *Picture) withPart(t *answers, columns []int) *Picture {
	p = p.clone()
	votes := make([]float64, t.width())
	for _, d := range columns {
		votes[d] = min(t.mean[d]+float64(0.75*(1-t.mean[d])), 0.97)
	}
	for _, s := range p.Sets {
		p.Sets = append(p.Sets, s|1<<len(p.Votes))
	}
	p.Votes, p.Usage = append(p.Votes, votes), append(p.Usage, -0.8)
	return p
}

// A part may lengthen the description by so many nats before its columns are polished, and before those of others are.
const hopeless, promising = 25, 10

// grown adds parts as long as the description gets shorter.
func (f found) grown(t *answers) found {
	for len(f.Votes) < mostParts {
		next := f.taller(t, nil)
		if next.nats >= f.nats-1 {
			break
		}
		f = next.shrunk(t)
	}
	return f
}

// taller adds a part: of the strongest blocks, but for one, the one that is shortest after a little EM is polished;
// another follows if it does not help.
func (f found) taller(t *answers, but []int) found {
	var tries []found
	for _, b := range blocks(residuals(beliefsOf(f.Picture, t)), 3) {
		if !alike(b, but) {
			tries = append(tries, measured(f.frequent().withPart(t, b), t, roundsOfEM))
		}
	}
	slices.SortStableFunc(tries, byLength)
	next := f
	for i, try := range tries {
		if try.nats > f.nats+hopeless {
			break
		}
		if try = try.polishedAbout(t, len(f.Votes), 2); try.nats < f.nats+promising {
			try = try.polishedAbout(t, -1, 2)
		}
		if try.nats < next.nats {
			next = try
		}
		if next.nats < f.nats || i == 1 {
			break
		}
	}
	return next
}

func byLength(a, b found) int { return cmp.Compare(a.nats, b.nats) }

// dear is by how many nats a picture may be longer without a part, before the others follow, that goes.
const dear = 40

// shrunk leaves out parts, as long as the description gets shorter.
func (f found) shrunk(t *answers) found {
	for {
		best := f
		for k := range f.Votes {
			next := measured(f.without(k), t, 0)
			if next.nats < f.nats+dear {
				next = measured(next.Picture, t, roundsOfEM)
			}
			if next.nats < best.nats {
				best = next
			}
		}
		if best.nats >= f.nats {
			return f
		}
		f = best
	}
}

// relocated takes each part out in turn, once, and puts another in its place, or more.
func (f found) relocated(t *answers) found {
	for k := 0; k < len(f.Votes); k++ {
		next := measured(f.without(k), t, roundsOfEM)
		if next.nats > f.nats-0.5 {
			next = next.taller(t, f.columns(k))
		}
		if next.nats < f.nats+hopeless {
			next = next.polished(t).grown(t)
		}
		if next.nats < f.nats-0.5 {
			f = next
		}
	}
	return f
}
