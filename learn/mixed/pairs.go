package mixed

import (
	"cmp"
	"slices"

	"example.com/patchwork/internal/elem"
)

const (
	pairs     = 8       // of deviations that candidates begin with, for each threshold
	leastRow  = 4       // rows of a candidate
	mostPairs = 1 << 22 // that are counted
)

// event is a deviation: of a column, to one side or to a word.
type event struct{ column, to int }

// together is a pair of deviations, by their numbers, and how surely they come together.
type together struct {
	one, two int
	score    float64 // nats
}

// pairs returns candidates that begin with the rows in which two deviations come together, the surest pairs first;
// pairs that a candidate before speaks of are left out.
func (g *ground) pairs(threshold float64) (out []candidate) {
	events, rows := g.events(threshold)
	var speaks []map[event]bool
	for _, pair := range g.surest(events, rows) {
		if len(out) == pairs {
			break
		}
		one, two := events[pair.one], events[pair.two]
		if slices.ContainsFunc(speaks, func(m map[event]bool) bool { return m[one] && m[two] }) {
			continue
		}
		r := make([]float64, g.rows)
		for i, of := range rows {
			if slices.Contains(of, pair.one) && slices.Contains(of, pair.two) {
				r[i] = 1
			}
		}
		p := g.newCandidate()
		g.fit(&p, r, g.cheapTerms())
		out, speaks = append(out, p), append(speaks, g.speaks(&p.Part))
	}
	return out
}

// speaks returns the deviations that a part says there are.
func (g *ground) speaks(p *Part) map[event]bool {
	out := map[event]bool{}
	for _, d := range p.Votes() {
		e, b := &p.Entries[d], &g.bank.columns[d]
		to := e.Level
		if b.Family != Words {
			if to = -1; !b.Opposes(b.background, &e.Opinion, b.background) { // on the upper side, as the background is
				to = 1
			}
		}
		out[event{d, to}] = true
	}
	return out
}

// events returns the deviations that there are, and those of each row, by their numbers.
func (g *ground) events(threshold float64) (events []event, rows [][]int) {
	number := map[event]int{}
	rows = make([][]int, g.rows)
	for i := range rows {
		for d := range g.columns {
			z, to := g.deviation(i, d)
			if z <= threshold {
				continue
			}
			e := event{d, to}
			n, ok := number[e]
			if !ok {
				n = len(events)
				number[e], events = n, append(events, e)
			}
			rows[i] = append(rows[i], n)
		}
	}
	return events, rows
}

// surest returns the pairs of deviations that come together more often than by chance, in order.
func (g *ground) surest(events []event, rows [][]int) (out []together) {
	n := len(events)
	if n*n > mostPairs {
		return nil
	}
	alone, both := make([]float64, n), make([]float64, n*n)
	for i, of := range rows {
		w := g.share[i]
		for at, e := range of {
			alone[e] += w
			for _, f := range of[:at] {
				both[max(e, f)*n+min(e, f)] += w
			}
		}
	}
	for e := range n {
		for f := range e {
			c := both[e*n+f]
			x := alone[e] * alone[f] / g.count
			if c >= leastRow && c > x {
				out = append(out, together{f, e, float64(c*elem.Log(c/x)) - c + x})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b together) int { return cmp.Compare(b.score, a.score) })
	return out
}
