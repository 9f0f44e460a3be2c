package joint

import "example.com/patchwork/internal/elem"

// Gain returns the change of the row's log-likelihood, in nats, if expert k joined.
func (s *State) Gain(k int) float64 { return s.GainOf(s.e.columns[k], s.e.packed[k]) }

// stretch is how many ratios are multiplied before the product is looked at: no ratio
// is beyond 1/least.
const stretch = 8

// GainOf returns the change of the row's log-likelihood, in nats, if opinions with
// these parameters joined at these bits: the logarithm of the product of the ratios of
// likelihoods.
func (s *State) GainOf(columns []int32, params []float64) float64 {
	sum, product := 0.0, 1.0
	for len(columns) > stretch {
		product *= s.ratios(columns[:stretch], params[:stretch])
		columns, params = columns[stretch:], params[stretch:]
		if product < 1e-60 || product > 1e60 {
			sum += elem.Log(max(product, 1e-300))
			product = 1
		}
	}
	product *= s.ratios(columns, params)
	return sum + elem.Log(max(product, 1e-300))
}

// ratios returns the product of P'(x)/P(x) at some bits.
func (s *State) ratios(columns []int32, params []float64) float64 {
	product := 1.0
	params = params[:len(columns)]
	a, c0, c1 := s.a, s.c0, s.c1
	switch s.e.Rule {
	case Max:
		for j, i := range columns {
			v := params[j]
			if a[i] > v {
				v = a[i]
			}
			product *= c0[i] + float64(c1[i]*v)
		}
	case MaxMinusMin:
		b := s.b
		for j, i := range columns {
			hi, lo := a[i], b[i]
			if v := params[j]; v > hi {
				hi = v
			} else if v < lo {
				lo = v
			}
			product *= c0[i] + float64(c1[i]*(hi+lo))
		}
	case NoisyOr, Mean:
		for j, i := range columns {
			product *= c0[i] + float64(c1[i]*params[j])
		}
	case SumOfOdds:
		for j, i := range columns {
			v := params[j]
			product *= (c0[i] + float64(c1[i]*v)) / (1 + a[i] + v)
		}
	case SumOfLogOdds:
		for j, i := range columns {
			v := params[j]
			product *= (c0[i] + float64(c1[i]*v)) / (1 + float64(a[i]*v))
		}
	case NormalizedSum:
		for j, i := range columns {
			c := c0[i]
			if params[j] < 0 {
				c = c1[i]
			}
			product *= 1 + float64(c*params[j])
		}
	}
	return product
}

// logLik returns the log-likelihood of the known bits of a row without experts, in nats.
func (e *Experts) logLik(row []uint8) float64 {
	sum := 0.0
	for i, x := range row {
		sum += e.alone[x][i].logLik
	}
	return sum
}
