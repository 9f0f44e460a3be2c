package mixed

import (
	"fmt"
	"math"
	"slices"
)

// Check returns an error that says what is wrong with the model, or nil.
func (m *Model) Check() error {
	if len(m.Columns) == 0 || len(m.Background) != len(m.Columns) || len(m.Parts) > MostParts {
		return fmt.Errorf("mixed: %d columns with %d backgrounds and %d parts; at most %d parts", len(m.Columns),
			len(m.Background), len(m.Parts), MostParts)
	}
	for d := range m.Columns {
		c := &m.Columns[d]
		if err := c.check(); err != nil {
			return fmt.Errorf("mixed: column %d: %w", d+1, err)
		}
		if err := c.checkOpinion(&m.Background[d]); err != nil {
			return fmt.Errorf("mixed: column %d: background: %w", d+1, err)
		}
	}
	for k := range m.Parts {
		p := &m.Parts[k]
		if !(p.Share > 0 && p.Share < 1) || len(p.Entries) != len(m.Columns) {
			return fmt.Errorf("mixed: part %d has share %v and %d entries", k+1, p.Share, len(p.Entries))
		}
		for d := range p.Entries {
			if err := m.Columns[d].checkEntry(&p.Entries[d]); err != nil {
				return fmt.Errorf("mixed: part %d, column %d: %w", k+1, d+1, err)
			}
		}
	}
	if !(m.GradedShare >= 0 && m.GradedShare < 1) {
		return fmt.Errorf("mixed: graded parts have the weight %v", m.GradedShare)
	}
	if m.Graded == nil {
		return nil
	}
	return m.Graded.check(m.Columns)
}

// finite reports whether all values are numbers.
func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// rising reports whether each value is greater than the one before it.
func rising(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if !(values[i] > values[i-1]) {
			return false
		}
	}
	return finite(values...)
}

// check returns what is wrong with how a column is coded.
func (c *Column) check() error {
	switch n := len(c.Values); {
	case c.Family > Real || (c.Family == Words) != (c.Kind == Category):
		return fmt.Errorf("kind %d does not go with family %d", c.Kind, c.Family)
	case c.Family == Real && (n > 0 || c.Scale == nil || !(c.Floor > 0) || !finite(c.Floor)):
		return fmt.Errorf("real values have %d levels and least variance %v", n, c.Floor)
	case c.Family == Real:
		if err := c.Scale.check(); err != nil {
			return err
		}
	case len(c.Low) != n || len(c.High) != n || len(c.Share) != n || c.Scale != nil || n > mostWords:
		return fmt.Errorf("%d levels have %d, %d and %d numbers", n, len(c.Low), len(c.High), len(c.Share))
	case !rising(c.Values) || !rising(c.Low) || !rising(c.High):
		return fmt.Errorf("levels are not in their order")
	}
	if !finite(c.Least, c.Step) || len(c.Values) > 0 && !(c.Step > 0) {
		return fmt.Errorf("steps of %v from %v", c.Step, c.Least)
	}
	for l, low := range c.Low {
		if low > c.Values[l] || c.Values[l] > c.High[l] || l > 0 && low <= c.High[l-1] {
			return fmt.Errorf("level %d is from %v to %v", l+1, low, c.High[l])
		}
		if c.Family == Words && (low != c.High[l] || low != math.Floor(low) || low < 0 || low >= mostWords) {
			return fmt.Errorf("%v is no word", low)
		}
	}
	return c.checkOpinion(&c.All)
}

// check returns what is wrong with a scale.
func (s *Scale) check() error {
	switch {
	case !(s.SD > 0) || !finite(s.Mean, s.SD) || s.Log && s.Scores != nil:
		return fmt.Errorf("a scale of mean %v and deviation %v", s.Mean, s.SD)
	case len(s.Values) != len(s.Scores) || !rising(s.Values) || !rising(s.Scores):
		return fmt.Errorf("%d and %d knots of a scale are not in their order", len(s.Values), len(s.Scores))
	}
	return nil
}

// checkEntry returns what is wrong with what a part says of a column.
func (c *Column) checkEntry(e *Entry) error {
	if e.Numbers == 0 {
		return nil
	}
	if e.Numbers < 0 || e.Numbers > max(2, len(c.Values)) || e.Level < 0 || e.Level > max(0, len(c.Values)-1) {
		return fmt.Errorf("an opinion of %d numbers about level %d", e.Numbers, e.Level)
	}
	return c.checkOpinion(&e.Opinion)
}

// checkOpinion returns an error if an opinion is no distribution of the column, or nil.
func (c *Column) checkOpinion(o *Opinion) error {
	if c.Family == Real {
		if !(o.Var > 0) || !finite(o.Mean, o.Var) {
			return fmt.Errorf("mean %v and variance %v", o.Mean, o.Var)
		}
		return nil
	}
	sum := 0.0
	for _, p := range o.P {
		if !(p > 0) {
			return fmt.Errorf("a level of probability %v", p)
		}
		sum += p
	}
	if len(o.P) != len(c.Values) || len(o.P) > 0 && !(math.Abs(sum-1) < 1e-9) {
		return fmt.Errorf("%d levels have %d probabilities that add up to %v", len(c.Values), len(o.P), sum)
	}
	return nil
}

// check returns what is wrong with graded parts of columns.
func (g *Graded) check(columns []Column) error {
	n := len(newAxes(columns))
	if len(g.Axes) != n || len(g.Mean) != n || len(g.Noise) != n || len(g.Loadings) > mostGraded ||
		g.Names != nil && len(g.Names) != len(g.Loadings) || !finite(g.Mean...) {
		return fmt.Errorf("mixed: %d graded parts with %d axes, %d means and %d variances; the columns have %d",
			len(g.Loadings), len(g.Axes), len(g.Mean), len(g.Noise), n)
	}
	for _, v := range g.Noise {
		if !(v > 0) || !finite(v) {
			return fmt.Errorf("mixed: an axis has the variance %v", v)
		}
	}
	for k, v := range g.Loadings {
		if len(v) != n || !finite(v...) {
			return fmt.Errorf("mixed: graded part %d has %d numbers for %d axes", k+1, len(v), n)
		}
	}
	return nil
}

// Complete fills in what follows from how often levels come: their scores, and the distribution over all rows. The axes
// of graded parts follow from the columns too.
func (m *Model) Complete() {
	for d := range m.Columns {
		c := &m.Columns[d]
		if c.Family == Real {
			continue
		}
		c.All = Opinion{P: c.Share}
		if c.Family == Levels {
			c.Scores, c.Edges = scores(c.Share), edges(c.Share)
		}
	}
	if m.Graded != nil {
		m.Graded.Axes = newAxes(m.Columns)
	}
}
