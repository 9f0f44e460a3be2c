package gauss

import "math"

// step performs one iteration of EM and returns how far it moved: the largest
// change of a mean in standard deviations, or of a covariance in their
// products.
//
// E-step: in each pattern the missing coordinates are predicted by regression
// on the present ones, and the residual covariance of the prediction is added
// to their scatter. M-step: mean and scatter of the completed patterns.
func (e *em) step() float64 {
	d := len(e.mean)
	completed := make([][]float64, len(e.patterns)) // means with predictions
	mean, scatter := make([]float64, d), make([]float64, d*d)
	cov := make([]float64, d*d)
	for i, s := range e.scatter {
		cov[i] = s / e.total
	}
	for i, p := range e.patterns {
		r := regress(cov, p.present)
		completed[i] = p.completeMean(r, e.mean)
		p.addScatter(r, scatter)
		for j, z := range completed[i] {
			mean[j] += float64(p.n / e.total * z)
		}
	}
	for i, p := range e.patterns {
		for a := range d {
			for b := range d {
				scatter[a*d+b] += float64(p.n * ((completed[i][a] - mean[a]) * (completed[i][b] - mean[b])))
			}
		}
	}
	moved := e.moved(mean, scatter)
	e.mean, e.scatter = mean, scatter
	return moved
}

// completeMean returns the mean of the pattern, with missing coordinates
// predicted under a Gaussian with the given mean.
func (p *pattern) completeMean(r regression, mean []float64) []float64 {
	z := make([]float64, len(p.present))
	for j, o := range r.observed {
		z[o] = p.mean[j]
	}
	for i, u := range r.missing {
		z[u] = mean[u]
		for j, o := range r.observed {
			z[u] += float64(r.slope.At(i, j) * (p.mean[j] - mean[o]))
		}
	}
	return z
}

// addScatter adds the expected scatter of the completed configurations about
// their mean to into (d*d): with B the slope and S the scatter of what is
// present, S for two present coordinates, B S for a missing and a present one,
// and B S B' + n * rest for two missing ones.
func (p *pattern) addScatter(r regression, into []float64) {
	d := len(p.present)
	for i, a := range r.observed {
		for j, b := range r.observed {
			into[a*d+b] += p.scatter.At(i, j)
		}
	}
	if len(r.missing) == 0 {
		return
	}
	cross := r.slope.Times(p.scatter)
	among := cross.TimesTurned(r.slope)
	for i, a := range r.missing {
		for j, b := range r.observed {
			into[a*d+b] += cross.At(i, j)
			into[b*d+a] += cross.At(i, j)
		}
		for j, b := range r.missing {
			into[a*d+b] += float64((among.At(i, j)+among.At(j, i))/2) + float64(p.n*r.rest.At(i, j))
		}
	}
}

// moved returns how far a new mean and scatter are from the current ones.
func (e *em) moved(mean, scatter []float64) float64 {
	d := len(mean)
	sd := make([]float64, d)
	for i := range d {
		sd[i] = math.Sqrt(max(scatter[i*d+i], e.scatter[i*d+i]) / e.total)
	}
	most := 0.0
	for i := range d {
		if sd[i] == 0 {
			continue // a constant: both means are the same
		}
		most = max(most, math.Abs(mean[i]-e.mean[i])/sd[i])
		for j := range i + 1 {
			if sd[j] > 0 {
				most = max(most, math.Abs(scatter[i*d+j]-e.scatter[i*d+j])/e.total/(sd[i]*sd[j]))
			}
		}
	}
	return most
}
