package real

import (
	"fmt"
	"reflect"
	"slices"
)

// complete makes the best of all starts the result. Where the aim is to predict it gives those that differ from it, and
// from each other, to it as a committee: an average of models that other random numbers led to errs less than they do.
func (l *learner) complete(out *Result, all []*Model, best int) {
	m := *all[best]
	if l.o.Predict {
		m.Committee = different(all, best)
	}
	out.Model = &m
}

// different returns the models that equal neither model number best nor one before them.
func different(all []*Model, best int) (out []*Model) {
	seen := []*Model{all[best]}
	for _, m := range all {
		if !slices.ContainsFunc(seen, func(o *Model) bool { return reflect.DeepEqual(m, o) }) {
			seen, out = append(seen, m), append(out, m)
		}
	}
	return out
}

// checkCommittee returns an error that names a model of the committee that does not belong there, or nil.
func (m *Model) checkCommittee() error {
	for i, o := range m.Committee {
		if o == nil || o.Height != m.Height || o.Width != m.Width || o.Committee != nil {
			return fmt.Errorf("real: model %d of the committee is none, of another size, or has a committee of its own", i+1)
		}
		if err := o.Check(); err != nil {
			return fmt.Errorf("real: model %d of the committee: %w", i+1, err)
		}
	}
	return nil
}

// Together is Best for predictions: Pixel and Predict of what it returns average over the model and its committee.
// Explanations, weights and evidence are those of the model alone.
func (p *Pursuit) Together(image []float64, n int) (*Posterior, error) {
	out, err := p.Best(image, n)
	if err != nil {
		return nil, err
	}
	for len(p.committee) < len(p.f.m.Committee) {
		p.committee = append(p.committee, newPursuit(newBank(p.f.m.Committee[len(p.committee)])))
	}
	for _, o := range p.committee {
		post, err := o.Best(image, n)
		if err != nil {
			return nil, err
		}
		out.others = append(out.others, post)
	}
	return out, nil
}
