package mixed

import (
	"math"
	"math/rand/v2"
)

const (
	leastHeldOut = 8  // rows, for a choice
	heldOutShare = 4  // one row of so many is held out
	hidden       = .2 // of its cells
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
	m.Record.HeldOut, m.Record.HeldOutGraded = rest.heldOut(&other, rng)
	m.ShowGraded = m.Record.HeldOutGraded > m.Record.HeldOut
	return nil
}

// heldOut returns what both kinds of parts gain over the columns alone, in nats a hidden cell of the rows.
func (l *learner) heldOut(m *Model, rng *rand.Rand) (onOff, graded float64) {
	e, n := NewExplainer(m), 0.0
	for i, codes := range l.codes {
		w := float64(l.weights[i])
		seen := make([]float64, len(codes))
		for d, x := range codes {
			if seen[d] = x; rng.Float64() < hidden {
				seen[d] = math.NaN()
			}
		}
		x := e.explain(seen)
		for d := range codes {
			if seen[d] == seen[d] || codes[d] != codes[d] {
				continue
			}
			c := &m.Columns[d]
			alone := c.LogDensity(&c.All, codes[d])
			n += w
			onOff += float64(w * (c.logDensity(x.OnOff(d), codes[d]) - alone))
			graded += float64(w * (c.logDensity(x.Graded(d), codes[d]) - alone))
		}
	}
	return onOff / max(n, 1), graded / max(n, 1)
}
