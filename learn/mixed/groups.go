package mixed

import (
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/real"
)

const (
	smallGroup  = .05 // of the rows are in each at least
	apart       = 2.5 // standard deviations are between them
	groupSteps  = 50
	groupValues = 512 // that are looked at, evenly by rank
	leastOfAll  = 16  // values, for groups
)

// groups looks for two clear groups of sorted values, each normal with the same variance: a column of which parts speak
// is as skewed as these are rare. It returns the length of the description by them, in nats.
func groups(values []float64, often []int64, rows float64) (length float64, ok bool) {
	if rows < leastOfAll {
		return 0, false
	}
	some := ranked(values, often, min(groupValues, int(rows)))
	mix, logLik := normals(some)
	if !distinct(mix) || !fits(mix, some) {
		return 0, false
	}
	return 4*price(rows) - logLik*rows/float64(len(some)), true
}

// ranked returns n of sorted values, evenly by rank.
func ranked(values []float64, often []int64, n int) (out []float64) {
	all, below := total(often), int64(0)
	for i, x := range values {
		below += often[i]
		for len(out) < n && float64(2*len(out)+1)*float64(all) < float64(2*int64(n)*below) {
			out = append(out, x)
		}
	}
	return out
}

// normals fits two normal distributions of one variance to sorted values, from both halves of their range, and returns
// the log-likelihood.
func normals(values []float64) (mix real.Mixture, logLik float64) {
	low := values[0]
	half := (values[len(values)-1] - low) / 2
	for i := range 2 {
		mix = append(mix, real.Component{Weight: .5,
			Normal: real.Normal{Mean: low + float64(half*(float64(i)+.5)), Var: half * half / 12}})
	}
	for range groupSteps {
		var used, sums, each [2]float64
		squares := 0.0
		logLik = 0
		for _, x := range values {
			all := math.Inf(-1)
			for i := range mix {
				each[i] = elem.Log(mix[i].Weight) + mix[i].LogDensity(x)
				all = elem.LogAdd(all, each[i])
			}
			logLik += all
			for i := range mix {
				w := elem.Exp(each[i] - all)
				used[i], sums[i] = used[i]+w, sums[i]+float64(w*x)
			}
			squares += float64(x * x)
		}
		for i := range mix {
			mix[i].Weight = (used[i] + .01) / (float64(len(values)) + .02)
			mix[i].Mean = sums[i] / max(used[i], .01)
			squares -= float64(used[i] * mix[i].Mean * mix[i].Mean)
		}
		for i := range mix {
			mix[i].Var = max(squares/float64(len(values)), half*half*1e-6)
		}
	}
	return mix, logLik
}

// distinct reports whether both groups are of some size, and at some distance from each other.
func distinct(mix real.Mixture) bool {
	return min(mix[0].Weight, mix[1].Weight) >= smallGroup &&
		mix[1].Mean-mix[0].Mean >= float64(apart*math.Sqrt(mix[0].Var))
}

// fits reports whether values are as the groups say: their ranks by these are those of a normal distribution.
func fits(mix real.Mixture, values []float64) bool {
	scores, once := make([]float64, len(values)), make([]int64, len(values))
	for i, x := range values {
		once[i] = 1
		for _, c := range mix {
			scores[i] += float64(c.Weight * c.CDF(x))
		}
		scores[i] = quantile(min(max(scores[i], 1e-9), 1-1e-9))
	}
	_, _, skew, kurtosis := shape(scores, once)
	return math.Abs(skew) < .5 && kurtosis < 4
}
