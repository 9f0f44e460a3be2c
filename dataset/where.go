package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Condition is one test of a metadata column.
type Condition struct {
	Name   string
	Op     string   // "=", "!=", "<", "<=", ">" or ">="
	Values []string // "=": any of them; "!=": none of them; the others: exactly one
}

// String returns the condition in the form that [ParseCondition] reads.
func (c Condition) String() string { return c.Name + c.Op + strings.Join(c.Values, ",") }

// ParseCondition reads NAME OP VALUE, such as `y=T`, `writer<=20` or `y!=T`.
// With = and != there may be several values, `y=T,L`; a value with a comma is
// put in double quotes, `city="Delft, NL"`. Blanks around the parts are
// dropped, and so is a second = sign (`y==T`).
func ParseCondition(s string) (Condition, error) {
	bad := func(msg string) (Condition, error) {
		return Condition{}, &FormatError{Msg: fmt.Sprintf("condition %q %s", s, msg),
			Hint: "write it like y=T, y!=T, y=T,L or writer<=20"}
	}
	at := strings.IndexAny(s, "=<>!")
	if at < 0 {
		return bad("has no operator")
	}
	c := Condition{Name: strings.TrimSpace(s[:at])}
	rest := s[at:]
	for _, op := range []string{"<=", ">=", "!=", "==", "=", "<", ">"} {
		if strings.HasPrefix(rest, op) {
			c.Op, rest = op, strings.TrimSpace(rest[len(op):])
			break
		}
	}
	if c.Op == "==" {
		c.Op = "="
	}
	ordered := c.Op != "=" && c.Op != "!="
	switch n := len(rest); {
	case c.Op == "":
		return bad("has no operator")
	case c.Name == "":
		return bad("names no column")
	case n >= 2 && rest[0] == '"' && rest[n-1] == '"':
		c.Values = []string{rest[1 : n-1]}
	case ordered:
		c.Values = []string{rest}
	default:
		for _, v := range strings.Split(rest, ",") {
			c.Values = append(c.Values, strings.TrimSpace(v))
		}
	}
	if ordered {
		if _, err := strconv.ParseFloat(c.Values[0], 64); err != nil {
			return bad("compares with something that is not a number")
		}
	}
	return c, nil
}

// Where returns the images that meet every condition, in order. It returns an
// error if a column does not exist (the message lists those that do), if a
// column of text is compared by size, or if no image is left (the message lists
// the existing values).
func (s *Set) Where(conditions ...Condition) (*Set, error) {
	index := identity(s.Len())
	for _, c := range conditions {
		col, kept, err := s.meet(c, index)
		if err != nil {
			return nil, err
		}
		if len(kept) == 0 {
			// The values among the rows that passed the earlier conditions.
			return nil, noneMeets(s.Source, c, len(index) < s.Len(), col.Pick(index).distinct())
		}
		index = kept
	}
	return s.Pick(index), nil
}

// meet returns those of the given images that meet a condition, and the column
// that it tests.
func (s *Set) meet(c Condition, index []int) (col Labels, kept []int, err error) {
	if col, err = s.Column(c.Name); err != nil {
		return col, nil, err
	}
	ok, err := c.test(col)
	if err != nil {
		return col, nil, s.here(err)
	}
	for _, i := range index {
		if ok(i) {
			kept = append(kept, i)
		}
	}
	return col, kept, nil
}

// noneMeets returns the error for a condition that no image meets among those
// that met the earlier ones.
func noneMeets(source string, c Condition, some bool, values []string) error {
	return &FormatError{Path: source, Msg: fmt.Sprintf("%s selects nothing; values of %q%s: %s", c, c.Name, among(some),
		list(values))}
}

func among(some bool) string {
	if some {
		return " among those that meet the earlier conditions"
	}
	return ""
}

func (s *Set) here(err error) error {
	if fe, ok := err.(*FormatError); ok && fe.Path == "" {
		fe.Path = s.Source
	}
	return err
}

// test returns the condition as a function of the row.
func (c Condition) test(col Labels) (func(i int) bool, error) {
	if text, ok := col.Values.([]string); ok {
		if c.Op != "=" && c.Op != "!=" {
			return nil, &FormatError{Msg: fmt.Sprintf("condition %s compares text by size", c),
				Hint: "use = or != with column " + c.Name}
		}
		return func(i int) bool { return contains(c.Values, text[i]) == (c.Op == "=") }, nil
	}
	values := make([]float64, len(c.Values))
	for k, s := range c.Values {
		v, state := parseCell(s)
		if state == cellBad || state == cellUnknown && s != "NaN" && s != "nan" {
			return nil, &FormatError{Msg: fmt.Sprintf("condition %s: column %q holds numbers, and %q is not one", c, c.Name, s),
				Hint: "values there: " + list(col.distinct())}
		}
		values[k] = v
	}
	number := func(i int) float64 { return float64(col.Values.([]int64)[i]) }
	if floats, ok := col.Values.([]float64); ok {
		number = func(i int) float64 { return floats[i] }
	}
	return func(i int) bool { return c.compare(number(i), values) }, nil
}

// compare treats NaN as a value equal to itself and outside every order.
func (c Condition) compare(v float64, values []float64) bool {
	w := values[0]
	switch c.Op {
	case "<":
		return v < w
	case "<=":
		return v <= w
	case ">":
		return v > w
	case ">=":
		return v >= w
	}
	for _, w := range values {
		if v == w || math.IsNaN(v) && math.IsNaN(w) {
			return c.Op == "="
		}
	}
	return c.Op == "!="
}

func contains(values []string, v string) bool {
	for _, w := range values {
		if v == w {
			return true
		}
	}
	return false
}
