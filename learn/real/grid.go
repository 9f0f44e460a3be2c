package real

import (
	"fmt"
	"math"
	"slices"
)

// Data are images or rows of real values, all of one size.
type Data struct {
	Height, Width int         // 1 x the number of columns for a table
	Rows          [][]float64 // each Height*Width values, row-major; NaN is unknown
	Scales        []Scale     // of the pixels: values lie on the grid of their scale
}

// tiny is what counts as 0: the square of a smaller value would be no number.
const tiny = 1e-140

// Steps is the largest number of steps between a value and the origin.
const Steps = 1 << 20

// NewData returns a copy of rows on a grid of values, so that sums over them are exact. Decimals of up to
// six digits keep their value; other values are rounded to less than a millionth of the range of their
// column, or of their size where it never varies. Images (height > 1) have one scale for all pixels; where values are whole
// or decimal numbers, its floor is a quarter of the square of their greatest common divisor. Columns of tables have a scale each, with a floor of a hundredth of
// the variance. No floor is below step^2/12, the variance of rounding, and a column that never varies
// has the variance of the step. Values nearer to 0 than 1e-140 are 0. The error names the row and column that is not finite.
func NewData(height, width int, rows [][]float64) (*Data, error) {
	d := &Data{Height: height, Width: width}
	for n, row := range rows {
		if len(row) != height*width {
			return nil, fmt.Errorf("real: row %d has %d values, not %d", n+1, len(row), height*width)
		}
		for i, x := range row {
			if math.IsInf(x, 0) || math.Abs(x) > 1e150 {
				return nil, fmt.Errorf("real: row %d, column %d is %v: values must be finite, and at most 1e150", n+1, i+1, x)
			}
		}
		d.Rows = append(d.Rows, slices.Clone(row))
		for i, x := range row {
			if math.Abs(x) < tiny {
				d.Rows[n][i] = 0
			}
		}
	}
	rows = d.Rows
	if height > 1 {
		s := newSpan(0)
		for _, row := range rows {
			for _, x := range row {
				s.take(x)
			}
		}
		one := s.scale(true)
		d.Scales = slices.Repeat([]Scale{one}, height*width)
	} else {
		for i := range width {
			s := newSpan(0)
			for _, row := range rows {
				s.take(row[i])
			}
			d.Scales = append(d.Scales, s.scale(false))
		}
	}
	for _, row := range d.Rows {
		for i, x := range row {
			row[i] = d.Scales[i].value(d.Scales[i].number(x), x)
		}
	}
	return d, nil
}

// number returns how many steps from the origin a value is, to the nearest; 0 for NaN.
func (s Scale) number(x float64) int64 {
	if math.IsNaN(x) {
		return 0
	}
	return int64(math.RoundToEven((x - s.Origin) / s.Step))
}

// value returns the value of a number of steps, or NaN where x is NaN.
func (s Scale) value(number int64, x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	if per := math.Round(1 / s.Step); s.Step < 1 && s.Step == 1/per { // exact for decimals: 727 / 100, not 727 * .01
		return s.Origin + float64(number)/per
	}
	return s.Origin + s.Step*float64(number)
}

// span is what is known of the values of one scale.
type span struct {
	low, high float64
	decimals  int // digits after the point that all values need; too many if > maxDecimals
	values    []float64
}

const maxDecimals = 6

func newSpan(capacity int) *span {
	return &span{low: math.Inf(1), high: math.Inf(-1), values: make([]float64, 0, capacity)}
}

// take adds a value, unless it is NaN.
func (s *span) take(x float64) {
	if math.IsNaN(x) {
		return
	}
	s.low, s.high = min(s.low, x), max(s.high, x)
	for s.decimals <= maxDecimals && !isDecimal(x, s.decimals) {
		s.decimals++
	}
	s.values = append(s.values, x)
}

// isDecimal reports whether x is the float64 nearest to a number with so many digits after the point.
func isDecimal(x float64, digits int) bool {
	unit := math.Pow10(digits)
	whole := math.Round(x * unit)
	return math.Abs(whole) < 1<<52 && whole/unit == x
}

// scale returns the scale of the values.
func (s *span) scale(image bool) Scale {
	if len(s.values) == 0 {
		return Scale{Step: 1, Floor: 1}
	}
	var out Scale
	out.Step = math.Pow10(-min(s.decimals, maxDecimals))
	decimal := s.decimals <= maxDecimals && max(math.Abs(s.low), math.Abs(s.high)) <= Steps*out.Step
	if !decimal { // a power of two, so that products with it are exact
		out.Step = math.Ldexp(1, int(math.Ceil(math.Log2((s.high-s.low)/(2*Steps)))))
		if s.high == s.low {
			out.Step = math.Ldexp(1, int(math.Ceil(math.Log2(math.Abs(s.high)/Steps))))
		}
		out.Origin = math.Round((s.low+s.high)/2/out.Step) * out.Step
	}
	_, variance := moments(s.values)
	switch {
	case variance == 0:
		out.Floor = out.Step * out.Step
	case image && decimal:
		gap := out.Step * float64(max(s.divisor(out), 1))
		out.Floor = gap * gap / 4
	default:
		out.Floor = variance / 100
	}
	out.Floor = max(out.Floor, out.Step*out.Step/12)
	return out
}

// divisor returns the greatest common divisor of the distances between values, in steps: 625 of sixteenths, whose step
// is 0.0001; 0 of equal values.
func (s *span) divisor(of Scale) int64 {
	d, first := int64(0), of.number(s.values[0])
	for _, x := range s.values {
		for a, b := d, of.number(x)-first; ; a, b = b, a%b {
			if b == 0 {
				d = max(a, -a)
				break
			}
		}
		if d == 1 {
			break
		}
	}
	return d
}

// moments returns mean and variance of values, computed in their order.
func moments(values []float64) (mean, variance float64) {
	for _, x := range values {
		mean += x / float64(len(values))
	}
	for _, x := range values {
		variance += (x - mean) * (x - mean) / float64(len(values))
	}
	return mean, variance
}

// median returns the median of values, which it sorts: the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	n := len(values)
	return values[(n-1)/2] + (values[n/2]-values[(n-1)/2])/2
}
