package matrix

import "math"

// powerSteps is how often a direction is turned to the first principal component.
const powerSteps = 30

// Principal returns the first principal component of weighted rows of bits, by power iteration;
// nil if they do not vary share times more in its direction than independent bits would.
func Principal(points [][]float64, weights []float64, share float64) []float64 {
	if len(points) < 2 {
		return nil
	}
	n, mean := 0.0, make([]float64, len(points[0]))
	for r, p := range points {
		n += weights[r]
		for j, v := range p {
			mean[j] += float64(weights[r] * v)
		}
	}
	for j := range mean {
		mean[j] /= n
	}
	centred := make([][]float64, len(points))
	v := make([]float64, len(mean))
	for r, p := range points {
		centred[r] = make([]float64, len(p))
		for j := range p {
			centred[r][j] = p[j] - mean[j]
			v[j] += float64(weights[r] * centred[r][j] * centred[r][j] * float64(1+j%3))
		}
	}
	normalise(v)
	next, most := make([]float64, len(v)), 0.0
	for range powerSteps {
		clear(next)
		for r, p := range centred {
			dot := 0.0
			for j, c := range p {
				dot += float64(c * v[j])
			}
			dot *= weights[r]
			for j, c := range p {
				next[j] += float64(dot * c)
			}
		}
		if most = normalise(next); most == 0 {
			return nil
		}
		copy(v, next)
	}
	spread := 0.0
	for _, p := range mean {
		spread += float64(p*(1-p)) / float64(len(mean))
	}
	if noise := 1 + math.Sqrt(float64(len(mean))/n); most < float64(share*n*spread*noise*noise) {
		return nil
	}
	return v
}

// normalise makes a vector one of length 1, and returns the length that it had.
func normalise(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	if sum = math.Sqrt(sum); sum > 0 {
		for j := range v {
			v[j] /= sum
		}
	}
	return sum
}
