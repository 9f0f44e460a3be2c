package learn

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"
)

// ResumeOnline returns a learner that continues with the experts of m and appends
// no others. strength, if not nil, says that entry i of expert k counts as seen
// strength[k][i] >= 0 times: N_k(d) of the paper. With nil the learner continues
// from the model's own counts and prior (Extras.Counts), as if it had never
// stopped; a model without counts is an error.
func ResumeOnline(m *patchwork.Model, strength [][]float64, opt OnlineOptions) (*Online, error) {
	opt.Experts = max(opt.Experts, m.K())
	o, err := NewOnline(m.Config(), opt)
	if err != nil {
		return nil, err
	}
	o.opt.Experts = m.K()
	o.model = m
	if strength == nil {
		return o, o.resumeCounts()
	}
	if len(strength) != m.K() {
		return nil, fmt.Errorf("patchwork: strengths of %d parts, the model has %d", len(strength), m.K())
	}
	for k, s := range strength {
		if len(s) != m.Height()*m.Width() {
			return nil, fmt.Errorf("patchwork: part %d has %d strengths for %d pixels", k, len(s), m.Height()*m.Width())
		}
		for i, n := range s {
			if !(n >= 0) || math.IsInf(n, 0) {
				return nil, fmt.Errorf("patchwork: strength of entry %d of part %d is %v", i, k, n)
			}
		}
		o.strength = append(o.strength, slices.Clone(s))
	}
	o.tally, o.start = patchwork.NewTally(m), m.Templates()
	return o, nil
}

// resumeCounts takes over the counts of the model; see ResumeOnline.
func (o *Online) resumeCounts() error {
	if o.model.Extras().Counts == nil {
		return fmt.Errorf("patchwork: the model has no counts to continue from; give the strengths of its templates")
	}
	o.tally = o.model.Extras().Counts.Clone(0)
	for range o.model.K() {
		start, strength := o.prior()
		o.start, o.strength = append(o.start, start), append(o.strength, strength)
	}
	return nil
}
