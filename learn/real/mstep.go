package real

import (
	"fmt"
	"slices"

	"example.com/patchwork/internal/elem"
)

// terms are the settings of an M-step.
type terms struct {
	lambda  float64   // price of a vote, and of a variance, in nats
	hold    []float64 // the background's means, not learned; nil to learn them
	heat    float64   // the learned variance of the background is multiplied by it
	perUse  bool      // of new experts the one that gains most in each use is preferred
	columns []Normal  // mean and variance of each pixel over all images
	scales  []Scale
}

// vote returns what an expert says about a pixel for whose values n, mean and squares were counted: the opinion
// that pays most. A mean must bring lambda nats over the background, and a variance of its own as much
// again; else the expert abstains.
func vote(n, mean, squares float64, b Normal, floor, lambda float64, meanOnly bool) Entry {
	if n < 2 {
		return Entry{Abstains, b}
	}
	m := (float64(n*mean) + float64(b.Mean/2)) / (n + 0.5)
	aboutB, aboutM := squares+float64(n*(mean-b.Mean)*(mean-b.Mean)), squares+float64(n*(mean-m)*(mean-m))
	v := max((b.Var+aboutM)/(1+n), floor)
	one := (aboutB-aboutM)/(2*b.Var) - lambda
	two := float64(n/2*elem.Log(b.Var/v)) + aboutB/(2*b.Var) - aboutM/(2*v) - float64(2*lambda)
	switch {
	case one <= 0 && (two <= 0 || meanOnly):
		return Entry{Abstains, b}
	case meanOnly || one >= two:
		return Entry{MeanOnly, Normal{m, b.Var}}
	}
	return Entry{MeanAndVar, Normal{m, v}}
}

// vote is vote for pixel d of a model. While the background says less noise than there is, experts say means only:
// else they would explain the noise.
func (o *terms) vote(m *Model, d int, n, mean, squares float64) Entry {
	b := m.Background[d]
	e := vote(n, mean, squares, b, o.scales[d].Floor, o.lambda, o.heat < 1)
	if m.Rule == Max && e.Mean < b.Mean {
		e = Entry{Abstains, b}
	}
	return e
}

// spread is how many values were counted, and the sum of their squared distances from what was said.
type spread struct{ n, squares float64 }

// mstep returns the model that the counts of an E-step with m mean.
func (t *Tally) mstep(m *Model, o *terms) *Model {
	next := *m
	next.Experts, next.Pi = nil, nil
	said := make([]spread, m.D()) // of pixels that means were voted for
	for k := range t.Experts {
		e := make([]Entry, m.F())
		for f := range e {
			d := m.home(f)
			n, mean, squares := t.Experts[k][f].moments(o.scales[d])
			e[f] = o.vote(m, d, n, mean, squares)
			if e[f].Vote == MeanOnly {
				said[d].n += n
				said[d].squares += squares + float64(n*(mean-e[f].Mean)*(mean-e[f].Mean))
			}
		}
		next.Experts = append(next.Experts, e)
		next.Pi = append(next.Pi, (float64(float64(t.Picks[k])/Unit)+0.5)/(float64(t.Images)+1))
	}
	for k, p := range next.Pi {
		next.Pi[k] = min(p, 1-0.5/(float64(t.Images)+1)) // an expert may be picked more than once
	}
	next.Background = make([]Normal, m.D())
	for d := range next.Background {
		n, mean, squares := t.Free[d].moments(o.scales[d])
		b := (float64(n*mean) + o.columns[d].Mean) / (n + 1)
		if o.hold != nil {
			b = o.hold[d]
		}
		squares += float64(n * (mean - b) * (mean - b))
		v := (squares + said[d].squares + o.columns[d].Var) / (n + said[d].n + 1)
		next.Background[d] = Normal{b, max(v*o.heat, o.scales[d].Floor)}
	}
	if m.Moves() {
		t.evenBackground(&next, o, said)
	}
	return &next
}

// home returns a pixel whose scale and background those of frame pixel f are.
func (m *Model) home(f int) int {
	if m.Moves() {
		return 0 // all are the same
	}
	_, w := m.Frame()
	y, x := f/w+m.Poses.DY.Min, f%w+m.Poses.DX.Min // the only pose
	return min(max(y, 0), m.Height-1)*m.Width + min(max(x, 0), m.Width-1)
}

// evenBackground makes the background one for all pixels.
func (t *Tally) evenBackground(next *Model, o *terms, said []spread) {
	var all Sums
	n2, squares2 := 0.0, 0.0
	for d := range t.Free {
		all.merge(t.Free[d])
		n2, squares2 = n2+said[d].n, squares2+said[d].squares
	}
	n, mean, squares := all.moments(o.scales[0])
	b := (float64(n*mean) + o.columns[0].Mean) / (n + 1)
	if o.hold != nil {
		b = o.hold[0]
	}
	squares += float64(n * (mean - b) * (mean - b))
	v := (squares + squares2 + o.columns[0].Var) / (n + n2 + 1)
	next.Background = slices.Repeat([]Normal{{b, max(v*o.heat, o.scales[0].Floor)}}, len(t.Free))
}

// MStep returns the model that follows m, whose explanations were counted: one step of EM as the last ones of
// learning, by what the model's record says of how it was learned. Experts that say nothing are gone. The error says
// that the counts are not of this model, or of nothing.
func (t *Tally) MStep(m *Model) (*Model, error) {
	switch {
	case !t.fits(m):
		k, frame, pixels := t.Size()
		return nil, fmt.Errorf("real: counts of %d parts of %d and images of %d pixels; the model has %d of %d and %d", k,
			frame, pixels, m.K(), m.F(), m.D())
	case t.Images == 0:
		return nil, fmt.Errorf("real: the counts are of no rows")
	case m.Scales == nil:
		return nil, fmt.Errorf("real: the model does not say on what grid values were counted")
	}
	next := prune(t.mstep(m, &terms{lambda: price(int(t.Images), m.D(), m.Record.Predict), heat: 1,
		columns: columns(t.All, m.Scales, m.Moves()), scales: m.Scales}))
	next.Record = Record{Rows: int(t.Images), LogLik: t.LogLik(), Predict: m.Record.Predict}
	return next, nil
}
