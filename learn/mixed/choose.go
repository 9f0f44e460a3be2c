package mixed

import (
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/elem"
)

const (
	leastHeldOut = 8    // rows, for a choice
	heldOutShare = 4    // one row of so many is held out
	hiddenTurns  = 5    // in which a share of its cells is hidden
	shareSteps   = 50   // of EM, to weigh both kinds of parts
	evenCells    = 100. // that both kinds are as good at are taken for granted
)

// addGraded adds graded parts to a model, and finds by cells of rows held out which of both kinds of parts says more.
func (l *learner) addGraded(m *Model) error {
	g, err := l.graded(m.Columns, 0)
	if err != nil {
		return err
	}
	m.Graded = g
	if l.quick || len(l.codes) < leastHeldOut*heldOutShare {
		return nil
	}
	rng := rand.New(rand.NewPCG(l.o.Seed, 3<<32))
	var train, held []int
	for i, at := range rng.Perm(len(l.codes)) {
		if i%heldOutShare == 0 {
			held = append(held, at)
		} else {
			train = append(train, at)
		}
	}
	part, rest := *l, *l // whose steps nobody is told of
	part.o.Starts, part.o.Progress, part.quick = 1, nil, true
	part.pick(train)
	rest.pick(held)
	s, _, err := part.search()
	if err != nil {
		return err
	}
	other := *s.m
	if other.Graded, err = part.graded(m.Columns, len(m.Graded.Loadings)); err != nil {
		return err
	}
	cells := rest.heldOut(&other, rng)
	m.Record.HeldOut, m.Record.HeldOutGraded, m.GradedShare = cells.choose()
	m.ShowGraded = m.Record.HeldOutGraded > m.Record.HeldOut
	return nil
}

// heldOut is a hidden cell: what both kinds of parts gain over the column alone, in nats, and how often it counts.
type heldOut struct{ onOff, graded, often float64 }

type heldOuts []heldOut

// heldOut returns the cells of the rows, each hidden once beside others of its row.
func (l *learner) heldOut(m *Model, rng *rand.Rand) (out heldOuts) {
	e := NewExplainer(m)
	for i, codes := range l.codes {
		turn := rng.Perm(len(codes))
		for now := range hiddenTurns {
			seen := slices.Clone(codes)
			for d := range seen {
				if turn[d]%hiddenTurns == now {
					seen[d] = math.NaN()
				}
			}
			x := e.explain(seen)
			for d := range codes {
				if turn[d]%hiddenTurns != now || math.IsNaN(codes[d]) {
					continue
				}
				c := &m.Columns[d]
				alone := c.LogDensity(&c.All, codes[d])
				out = append(out, heldOut{c.logDensity(x.OnOff(d), codes[d]) - alone,
					c.logDensity(x.Graded(d), codes[d]) - alone, float64(l.weights[i]) / float64(l.unit)})
			}
		}
	}
	return out
}

// choose returns the mean gains, and the weight of graded parts with which both together say most of the cells; one
// half if there are few.
func (all heldOuts) choose() (onOff, graded, share float64) {
	n := 0.0
	for _, c := range all {
		n += c.often
		onOff += float64(c.often * c.onOff)
		graded += float64(c.often * c.graded)
	}
	share = .5
	for range shareSteps {
		sum := evenCells / 2
		for _, c := range all {
			sum += float64(c.often * share / (share + float64((1-share)*elem.Exp(c.onOff-c.graded))))
		}
		share = sum / (n + evenCells)
	}
	return onOff / max(n, 1), graded / max(n, 1), share
}
