package rivals

import (
	"time"

	"example.com/patchwork/experiments/stat"
)

// results collects the outcomes in order.
func (r *run) results(out []outcome, chosen [][]setting) (Results, error) {
	res := Results{Options: r.Options}
	test := r.sets[0].test
	for i := range min(8, len(test.rows)) {
		res.Samples = append(res.Samples, Sample{test.rows[i], test.Truth.Templates[i]})
	}
	for m, model := range r.models {
		c := Curve{Name: model.name, Code: model.code, Signed: model.signed}
		for size, n := range r.Sizes {
			at := out[(m*len(r.Sizes)+size)*r.Sets:][:r.Sets]
			p := Point{N: n, Setting: chosen[m][size].String()}
			for i := range at {
				p.Sets, p.Took = append(p.Sets, at[i].Measure), p.Took+at[i].took/time.Duration(r.Sets)
			}
			p.summarise()
			c.Points = append(c.Points, p)
			if f := at[0].model; f != nil {
				c.Templates, c.Reconstructions = f.templates, f.said[:len(res.Samples)]
				if len(f.errors) > 0 {
					res.Nonzeros = nonzeros(at)
				}
			}
		}
		res.Curves = append(res.Curves, c)
	}
	for _, n := range r.Sizes {
		p := Point{N: n}
		for _, b := range r.sets {
			p.Sets = append(p.Sets, b.truth)
		}
		p.summarise()
		res.Truth = append(res.Truth, p)
	}
	return res, nil
}

// nonzeros returns the quartiles by number of coefficients.
func nonzeros(sets []outcome) []Nonzero {
	var out []Nonzero
	for i, n := range coefficients {
		q := quartiles(stat.Of(sets, func(s outcome) float64 { return s.nonzeros[i] }))
		out = append(out, Nonzero{n, q[0], q[1], q[2]})
	}
	return out
}

// summarise computes the quartiles over the sets.
func (p *Point) summarise() {
	for _, f := range Figures {
		q := quartiles(stat.Of(p.Sets, func(m Measure) float64 { return *f.Of(&m) }))
		*f.Of(&p.Low), *f.Of(&p.Median), *f.Of(&p.High) = q[0], q[1], q[2]
	}
}

// quartiles returns the quartiles of the values.
func quartiles(v []float64) (q [3]float64) {
	for i := range q {
		q[i] = stat.Quantile(v, float64(i+1)/4)
	}
	return q
}
