package paper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// number returns a cell of a table: full precision, and empty for NaN.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

// quantile returns the q-quantile of the values that are not NaN, by linear
// interpolation; NaN if there are none.
func quantile(values []float64, q float64) float64 {
	x := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(x) == 0 {
		return math.NaN()
	}
	slices.Sort(x)
	at := q * float64(len(x)-1)
	i := int(at)
	if i+1 == len(x) {
		return x[i]
	}
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}

// mean returns the mean of the values; NaN if there are none.
func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// sd returns the standard deviation of a sample; 0 for fewer than two values.
func sd(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}

// between formats the range of the values.
func between(values []float64, decimals int) string {
	if len(values) == 0 {
		return ""
	}
	return minus(fmt.Sprintf("%.*f to %.*f", decimals, slices.Min(values), decimals, slices.Max(values)))
}

// percent formats a fraction of 1.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// minus replaces hyphens before numbers with real minus signs.
func minus(text string) string {
	out := []rune(text)
	for i, r := range out {
		if r == '-' && i+1 < len(out) && (out[i+1] >= '0' && out[i+1] <= '9' || out[i+1] == '.') && (i == 0 || out[i-1] == ' ' || out[i-1] == '(') {
			out[i] = '−'
		}
	}
	return string(out)
}
