package real

import (
	"fmt"
	"math"
	"slices"
)

// survey is what one pass over rows finds out for their grid.
type survey struct {
	height, width int
	rows          int
	span          *span
}

func newSurvey(height, width int) *survey {
	return &survey{height: height, width: width, span: newSpan()}
}

// add looks at a row. The error says what of it is not finite.
func (s *survey) add(row []float64) error {
	s.rows++
	if len(row) != s.height*s.width {
		return fmt.Errorf("real: row %d has %d values, not %d", s.rows, len(row), s.height*s.width)
	}
	for i, x := range row {
		if math.IsInf(x, 0) || math.Abs(x) > 1e150 {
			return fmt.Errorf("real: row %d, column %d is %v: values must be finite, and at most 1e150", s.rows, i+1, x)
		}
		if math.Abs(x) < tiny {
			x = 0
		}
		s.span.take(x)
	}
	return nil
}

// scales returns the scales of the pixels.
func (s *survey) scales() []Scale {
	return slices.Repeat([]Scale{s.span.scale()}, s.height*s.width)
}

// columns returns mean and variance of each pixel over all values that were counted, of all pixels together where
// experts move.
func columns(all []Sums, scales []Scale, moves bool) []Normal {
	if moves {
		var one Sums
		for _, s := range all {
			one.merge(s)
		}
		return slices.Repeat([]Normal{column(one, scales[0])}, len(all))
	}
	out := make([]Normal, len(all))
	for d, s := range all {
		out[d] = column(s, scales[d])
	}
	return out
}

// column is columns for one pixel.
func column(s Sums, scale Scale) Normal {
	n, mean, squares := s.moments(scale)
	return Normal{mean, max(squares/max(n, 1), scale.Floor)}
}

// survey computes mean, variance, median and lower quartile of the pixels; of all together where experts move.
func (l *learner) survey() {
	l.columns = columns(l.data.count(), l.data.Scales, l.o.Poses.Len() > 1)
	if l.o.Poses.Len() > 1 {
		var all []float64
		for _, row := range l.data.Rows {
			all = appendKnown(all, row)
		}
		m, q := middles(all)
		l.medians, l.lower = slices.Repeat([]float64{m}, len(l.columns)), slices.Repeat([]float64{q}, len(l.columns))
		return
	}
	var values []float64
	for d := range l.columns {
		values = values[:0]
		for _, row := range l.data.Rows {
			values = appendKnown(values, row[d:d+1])
		}
		m, q := middles(values)
		l.medians, l.lower = append(l.medians, m), append(l.lower, q)
	}
}

// count returns the sums of all known values by pixel.
func (d *Data) count() []Sums {
	all := make([]Sums, d.Height*d.Width)
	for _, row := range d.Rows {
		for i, x := range row {
			if !math.IsNaN(x) {
				all[i].add(d.Scales[i].number(x), Unit)
			}
		}
	}
	return all
}

// appendKnown appends the values of a row that are known.
func appendKnown(to, row []float64) []float64 {
	for _, x := range row {
		if !math.IsNaN(x) {
			to = append(to, x)
		}
	}
	return to
}

// middles returns the median of values and that of the half below it. It sorts them.
func middles(values []float64) (all, lower float64) {
	all = median(values)
	return all, median(values[:len(values)/2])
}
