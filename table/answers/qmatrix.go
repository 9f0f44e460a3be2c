package answers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"
)

// Entry is an item that needs a skill, by the matrix or by the data, and by how many nats the data are for that.
type Entry struct {
	Item, Skill int
	Nats        float64
}

// Checked is what the data say of a matrix.
type Checked struct {
	Compared             // the picture of skills as the matrix gives them
	Unsupported []Entry  // entries that the data do not support, with what leaving them out gains
	Missing     []Entry  // entries that the data ask for, with what they gain
	Beside      Compared // the picture with these changes
}

const (
	roundsOfCheck = 8
	enoughToName  = 2 // nats that a column must gain by other skills
)

// Check fits skills as a matrix gives them, needs[item][skill], and asks which entries the data do not support, and
// which are missing: by what the rest of the rows says of each item (see polish.go).
func Check(ctx context.Context, data patchwork.Data, needs [][]bool) (*Checked, error) {
	all, err := read(data)
	if err != nil {
		return nil, err
	}
	if len(needs) != all.width() || len(needs[0]) > mostParts {
		return nil, fmt.Errorf("patchwork: a matrix of %d items and %d skills; the table has %d columns, and there may "+
			"be %d skills", len(needs), len(needs[0]), all.width(), mostParts)
	}
	t := all.flipped()
	p := independent(t)
	p.Lacking, p.Kind = true, "skills"
	for k := range needs[0] {
		votes := make([]float64, t.width())
		for d, mean := range t.mean {
			if p.Intercept[d] = logit(float64(mean / 2)); needs[d][k] {
				votes[d] = (1 + mean) / 2
			}
		}
		p.Votes, p.Usage = append(p.Votes, votes), append(p.Usage, 0)
	}
	p.withSets()
	given := measured(p, t, 60)
	if f := measured(given.withUsage(), t, 60); f.nats < given.nats {
		given = f
		given.Kind = "skills+usage"
	}
	now := given
	for range roundsOfCheck {
		moves := now.moves(t, enoughToName, -1, make([]bool, t.width()))
		if len(moves) == 0 || ctx.Err() != nil {
			break
		}
		next := measured(now.moved(moves), t, 10)
		if next.nats > now.nats {
			next = measured(now.moved(moves[:(len(moves)+1)/2]), t, 10)
		}
		if next.nats > now.nats-0.1 {
			break
		}
		now = next
	}
	out := &Checked{Compared: given.compared(), Beside: now.compared()}
	out.name(given, now, t)
	return out, ctx.Err()
}

// compared returns the picture as it is reported.
func (f found) compared() Compared {
	return Compared{Picture: f.Picture, Length: f.nats, Numbers: f.numbers, LogP: f.c.evidence}
}

// name finds the entries in which two pictures differ, and what each alone gains in the second.
func (c *Checked) name(given, now found, t *answers) {
	o, active := beliefsOf(now.Picture, t), now.active(now.c)
	sizes := make([]int, len(now.Votes))
	for k := range sizes {
		sizes[k] = now.votes(k)
	}
	for d := range now.Intercept {
		q := now.voters(d)
		differ := q ^ given.voters(d)
		if differ == 0 {
			continue
		}
		all := []uint64{q}
		for k := range now.Votes {
			all = append(all, q^(differ&(1<<k)))
		}
		a := o.ask(d, 1, all)
		value := func(i int) float64 {
			return a.best(i, all[i], now.price(d, all[i], sizes, active, t.n), math.Inf(-1)).gain
		}
		best := value(0)
		for k := range now.Votes {
			e := Entry{d, k, best - value(k+1)}
			switch {
			case differ>>k&1 == 0:
			case q>>k&1 != 0:
				c.Missing = append(c.Missing, e)
			default:
				c.Unsupported = append(c.Unsupported, e)
			}
		}
	}
	for _, entries := range [][]Entry{c.Missing, c.Unsupported} {
		slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(b.Nats, a.Nats) })
	}
}
