package real

import (
	"math/rand/v2"
	"slices"
)

// kinds are the kinds of starts: the temperature of the noise, where the background is held, "" for nowhere, and
// whether new experts are compared by what they gain in each use.
var kinds = []struct {
	heat   float64
	hold   string
	perUse bool
}{{.4, "median", true}, {1, "", false}, {.7, "median", false}, {.7, "median", false}, {.4, "lower", true}}

// start makes start number i.
func (l *learner) start(i int) (*state, error) {
	rng := rand.New(rand.NewPCG(l.o.Seed, uint64(i)))
	t := l.terms()
	report := func(stage string, s *state) {
		if l.o.Progress != nil {
			l.o.Progress(Progress{i, l.o.Starts, stage, s.m.K(), s.length})
		}
	}
	s, err := l.begin(i, rng, t, report)
	if err != nil {
		return nil, err
	}
	if s, err = l.finish(s, t); err != nil {
		return nil, err
	}
	report("end", s)
	k := s.m.K()
	if s, err = l.grow(rng, s, t, report); err != nil || s.m.K() == k {
		return s, err
	}
	return l.finish(s, t)
}

// begin returns the state that start number i has when the noise is still held down, if it ever is.
func (l *learner) begin(i int, rng *rand.Rand, t *terms, report func(string, *state)) (*state, error) {
	kind, held := kinds[i%len(kinds)], *t
	held.heat, held.perUse = kind.heat, kind.perUse
	means := l.means()
	switch kind.hold {
	case "median":
		means, held.hold = l.medians, l.medians
	case "lower":
		means, held.hold = l.lower, l.lower
	}
	s, err := l.explain(l.model(means))
	if err != nil {
		return nil, err
	}
	if s, err = l.em(s, &held, 1); err != nil {
		return nil, err
	}
	if s, err = l.grow(rng, s, &held, report); err != nil {
		return nil, err
	}
	return l.move(rng, s, &held, report)
}

// terms returns the terms of the last steps.
func (l *learner) terms() *terms {
	return &terms{lambda: l.lambda, heat: 1, columns: l.columns, scales: l.data.Scales}
}

// means returns the means of the pixels.
func (l *learner) means() []float64 {
	var out []float64
	for _, c := range l.columns {
		out = append(out, c.Mean)
	}
	return out
}

// grow adds experts to a state as long as the description gets shorter, and returns the best state seen.
func (l *learner) grow(rng *rand.Rand, s *state, t *terms, report func(string, *state)) (*state, error) {
	best, risen := s, 0
	for risen < rises && (l.o.Experts == 0 || s.m.K() < l.o.Experts) {
		next, err := l.step(rng, s, t)
		if err != nil || next == nil {
			return best, err
		}
		if s = next; s.length < best.length {
			best, risen = s, 0
		} else {
			risen++
		}
		report("grow", s)
	}
	return best, nil
}

// step adds an expert to a state and takes two steps of EM; nil if no expert pays.
func (l *learner) step(rng *rand.Rand, s *state, t *terms) (*state, error) {
	e, err := newGrower(l.data, s.e, t).grow(l.ctx, rng, l.o.Workers, l.o.Memory)
	if err != nil || e.entries == nil {
		return nil, err
	}
	m := *s.m
	m.Experts = append(slices.Clone(m.Experts), e.entries)
	m.Pi = append(slices.Clone(m.Pi), e.pi)
	next, err := l.explain(&m)
	if err != nil {
		return nil, err
	}
	return l.em(next, t, 2)
}
