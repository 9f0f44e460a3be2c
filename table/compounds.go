package table

import (
	"context"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table/described"
)

// codeUnit is the weight of a row in the table of the sets of parts that rows have.
const codeUnit = 256

// compounds returns how the parts of the rows that were counted come together: what is learned of the table of the sets
// of parts by the same learner, a column a part, with that of the table of its own sets above; nil for nothing.
func (l *learner) compounds(ctx context.Context, t *counts) (*patchwork.SetPrior, error) {
	data := patchwork.Data{Unit: codeUnit}
	t.groups.Each(func(set []int16, weight int64, _, _ []int64) {
		if n := int64(math.Round(float64(weight) / weightUnit * codeUnit)); n > 0 {
			row := make([]byte, len(t.active))
			for _, k := range set {
				row[k] = 1
			}
			data.Images, data.Weights = append(data.Images, bitmap.FromBytes(1, len(row), row)), append(data.Weights, n)
		}
	})
	if len(t.active) < 2 || len(data.Images) < 2 || l.opt.ofSets && len(t.active) >= l.data.Images[0].Len() {
		return nil, nil
	}
	opt := Options{MaxExperts: max(1, len(t.active)/2), Explain: l.opt.Explain, Seed: l.opt.Seed, Workers: l.opt.Workers, ofSets: true}
	m, err := Learn(ctx, data, patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: len(t.active)}, opt)
	if err != nil {
		return nil, err
	}
	return priorOfCompounds(m), nil
}

// priorOfCompounds returns a model of sets of parts as a prior over these; nil where it has no fewer compounds than
// there are parts, or one votes for none.
func priorOfCompounds(m *patchwork.Model) *patchwork.SetPrior {
	p, pi := &patchwork.SetPrior{}, posterior.ActivationPrior(m)
	if m.K() >= m.Width() {
		return nil
	}
	q := rows.Background(m)
	for _, v := range q {
		p.Parent, p.Active = append(p.Parent, -1), append(p.Active, [2]float64{v, v})
	}
	for k, template := range m.Templates() {
		var set []int
		var sure []float64
		for i, v := range template {
			if v > q[i] {
				set, sure = append(set, i), append(sure, v)
			}
		}
		if set == nil {
			return nil
		}
		p.Sets, p.Sure, p.Share = append(p.Sets, set), append(p.Sure, sure), append(p.Share, pi[k])
	}
	p.Above = m.Extras().SetPrior
	return p
}

// priorLength returns what it takes to say a prior over sets of parts of so many rows, beside how often each part is
// active, alone where there are compounds.
func priorLength(p *patchwork.SetPrior, n int64) float64 {
	if p.Sure == nil {
		return described.PriorLength(p, described.Number(float64(n)))
	}
	d := describe(rows.Compounds(p), n, func(i int) float64 { return p.Share[i] * float64(n) })
	sum := elem.Log(3) + float64(float64(len(d.Parts))*d.Number) + d.Columns() + d.Votes()
	if p.Above != nil {
		sum += priorLength(p.Above, n)
	}
	return sum
}
