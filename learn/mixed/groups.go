package mixed

import (
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/real"
)

const (
	mostGroups  = 2   // of values
	smallGroup  = .05 // of the rows are in one at least
	apart       = 2.5 // standard deviations are between two
	groupSteps  = 50
	groupValues = 512 // that are looked at, evenly by rank
	leastOfAll  = 16  // values, for groups
)

// groups looks for two or three clear groups of values, each normal with the same variance: a column of which parts
// speak is as skewed as these are rare. It returns the length of the description by them, in nats.
func groups(values []float64) (length float64, ok bool) {
	length = math.Inf(1)
	if len(values) < leastOfAll {
		return length, false
	}
	some := slices.Sorted(slices.Values(values))
	if n := len(some); n > groupValues {
		for i := range groupValues {
			some[i] = some[(2*i+1)*n/(2*groupValues)]
		}
		some = some[:groupValues]
	}
	for n := 2; n <= mostGroups; n++ {
		mix, logLik := normals(some, n)
		l := float64(2*n)*price(int64(len(values))) - logLik*float64(len(values))/float64(len(some))
		if l < length && distinct(mix) && fits(mix, some) {
			length, ok = l, true
		}
	}
	return length, ok
}

// normals fits n normal distributions of one variance to values, from equal parts of their range, and returns the
// log-likelihood.
func normals(values []float64, n int) (mix real.Mixture, logLik float64) {
	low, high := slices.Min(values), slices.Max(values)
	part := (high - low) / float64(n)
	for i := range n {
		mix = append(mix, real.Component{Weight: 1 / float64(n),
			Normal: real.Normal{Mean: low + float64(part*(float64(i)+.5)), Var: part * part / 12}})
	}
	for range groupSteps {
		used, sums, squares := make([]float64, n), make([]float64, n), 0.0
		logLik = 0
		for _, x := range values {
			var each [mostGroups]float64
			all := math.Inf(-1)
			for i := range mix {
				each[i] = elem.Log(mix[i].Weight) + mix[i].LogDensity(x)
				all = logAdd(all, each[i])
			}
			logLik += all
			for i := range mix {
				w := elem.Exp(each[i] - all)
				used[i], sums[i] = used[i]+w, sums[i]+float64(w*x)
			}
			squares += float64(x * x)
		}
		for i := range mix {
			mix[i].Weight = (used[i] + .01) / (float64(len(values)) + .01*float64(n))
			mix[i].Mean = sums[i] / max(used[i], .01)
			squares -= float64(used[i] * mix[i].Mean * mix[i].Mean)
		}
		for i := range mix {
			mix[i].Var = max(squares/float64(len(values)), part*part*1e-6)
		}
	}
	return mix, logLik
}

// distinct reports whether all groups are of some size, and at some distance from each other.
func distinct(mix real.Mixture) bool {
	for i := range mix {
		if mix[i].Weight < smallGroup || i > 0 && mix[i].Mean-mix[i-1].Mean < float64(apart*math.Sqrt(mix[i].Var)) {
			return false
		}
	}
	return true
}

// fits reports whether values are as the groups say: their ranks by these are those of a normal distribution.
func fits(mix real.Mixture, values []float64) bool {
	scores := make([]float64, len(values))
	for i, x := range values {
		for _, c := range mix {
			scores[i] += float64(c.Weight * c.CDF(x))
		}
		scores[i] = quantile(min(max(scores[i], 1e-9), 1-1e-9))
	}
	_, _, skew, kurtosis := shape(scores)
	return math.Abs(skew) < .5 && kurtosis < 4
}
