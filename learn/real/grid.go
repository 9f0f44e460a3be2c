package real

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Data are images of real values, all of one size.
type Data struct {
	Height, Width int
	Rows          [][]float64 // each Height*Width values, row-major; NaN is unknown
	Scales        []Scale     // of the pixels: values lie on the grid of their scale
}

// tiny is what counts as 0: the square of a smaller value would be no number.
const tiny = 1e-140

// Steps is the largest number of steps between a value and the origin.
const Steps = 1 << 20

// NewData returns a copy of rows on a grid of values, so that sums over them are exact. Decimals of up to
// six digits keep their value; other values are rounded to less than a millionth of their range, or of their size where
// they never vary. All pixels have one scale; where values are whole or decimal numbers, its floor is a quarter of the
// square of their greatest common divisor, else a hundredth of the variance. No floor is below step^2/12, the variance
// of rounding, and values that never vary have the variance of the step. Values nearer to 0 than 1e-140 are 0. The
// error names the row and pixel that is not finite.
func NewData(height, width int, rows [][]float64) (*Data, error) {
	s := newSurvey(height, width)
	d := &Data{Height: height, Width: width}
	for _, row := range rows {
		if err := s.add(row); err != nil {
			return nil, err
		}
		d.Rows = append(d.Rows, slices.Clone(row))
	}
	d.Scales = s.scales()
	for _, row := range d.Rows {
		for i, x := range row {
			row[i] = d.Scales[i].nearest(x)
		}
	}
	return d, nil
}

// nearest returns the value of the grid nearest to x; NaN for NaN.
func (s Scale) nearest(x float64) float64 {
	if math.Abs(x) < tiny {
		x = 0
	}
	return s.value(s.number(x), x)
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
	return s.Origin + float64(s.Step*float64(number))
}

// span is what is known of the values of one scale. Mean and variance are those of the values so far (Welford 1962).
type span struct {
	low, high      float64
	decimals       int // digits after the point that all values need; too many if > maxDecimals
	n              int
	mean, variance float64
	first, gap     int64 // in millionths: the first value, and the greatest common divisor of the distances to it
}

const (
	maxDecimals = 6
	micros      = 1e6 // millionths, the smallest decimal step
)

func newSpan() *span { return &span{low: math.Inf(1), high: math.Inf(-1)} }

// take adds a value, unless it is NaN.
func (s *span) take(x float64) {
	if math.IsNaN(x) {
		return
	}
	s.low, s.high = min(s.low, x), max(s.high, x)
	for s.decimals <= maxDecimals && !isDecimal(x, s.decimals) {
		s.decimals++
	}
	if s.decimals <= maxDecimals && math.Abs(x) <= Steps {
		s.divide(int64(math.Round(x * micros)))
	}
	s.n++
	off := x - s.mean
	s.mean += off / float64(s.n)
	s.variance += (float64(off*(x-s.mean)) - s.variance) / float64(s.n)
}

// farthest is how many steps from the origin a value may be to be counted; beyond Steps are values of other
// data than those that the scale was made for.
const farthest = 2 * Steps

// check returns an error if value x of column d, from 0, is beyond what can be counted, or nil.
func (s Scale) check(d int, x float64) error {
	if n := math.Abs((x - s.Origin) / s.Step); n > farthest {
		return fmt.Errorf("real: column %d is %v, far beyond the values that the model's grid was made for (%v and %v "+
			"steps of %v around it); learn again with such values among the data", d+1, x, s.Origin, farthest, s.Step)
	}
	return nil
}

// divide takes a value in millionths.
func (s *span) divide(x int64) {
	if s.n == 0 {
		s.first = x
	}
	a, b := x-s.first, s.gap
	for b != 0 {
		a, b = b, a%b
	}
	s.gap = max(a, -a)
}

// isDecimal reports whether x is the float64 nearest to a number with so many digits after the point.
func isDecimal(x float64, digits int) bool {
	unit := math.Pow10(digits)
	whole := math.Round(x * unit)
	return math.Abs(whole) < 1<<52 && whole/unit == x
}

// scale returns the scale of the values.
func (s *span) scale() Scale {
	if s.n == 0 {
		return Scale{Step: 1, Floor: 1}
	}
	var out Scale
	out.Step = math.Pow10(-min(s.decimals, maxDecimals))
	decimal := s.decimals <= maxDecimals && max(math.Abs(s.low), math.Abs(s.high)) <= Steps*out.Step
	if !decimal { // a power of two, so that products with it are exact
		out.Step = math.Ldexp(1, int(math.Ceil(elem.Log2((s.high-s.low)/(2*Steps)))))
		if s.high == s.low {
			out.Step = math.Ldexp(1, int(math.Ceil(elem.Log2(math.Abs(s.high)/Steps))))
		}
		out.Origin = math.Round((s.low+s.high)/2/out.Step) * out.Step
	}
	switch {
	case s.variance == 0:
		out.Floor = out.Step * out.Step
	case decimal:
		gap := out.Step * float64(max(s.divisor(out), 1))
		out.Floor = gap * gap / 4
	default:
		out.Floor = s.variance / 100
	}
	out.Floor = max(out.Floor, out.Step*out.Step/12)
	return out
}

// divisor returns the greatest common divisor of the distances between values, in steps, which are decimal: 625 of
// sixteenths, whose step is 0.0001; 0 of equal values.
func (s *span) divisor(of Scale) int64 {
	return s.gap / int64(math.Round(of.Step*micros))
}

// median returns the median of values, which it sorts: the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	n := len(values)
	return values[(n-1)/2] + float64((values[n/2]-values[(n-1)/2])/2)
}
