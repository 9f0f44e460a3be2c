package figures

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
		if r == '-' && i+1 < len(out) && (out[i+1] >= '0' && out[i+1] <= '9' || out[i+1] == '.') &&
			(i == 0 || out[i-1] == ' ' || out[i-1] == '(') {
			out[i] = '−'
		}
	}
	return string(out)
}
