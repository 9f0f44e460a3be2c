package dataset

import (
	"fmt"
	"math"
	"slices"
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
	return s.selected(newSelection(conditions, FirstPer{}, math.MaxInt64)) // it is already in memory: no other bound
}

// selected returns what is selected of a whole set.
func (s *Set) selected(by *selection) (*Set, error) {
	index, err := by.of(s)
	if err == nil {
		err = by.nothing(s.Source)
	}
	if err != nil || index == nil {
		return s, err
	}
	return s.Pick(index), nil
}

// selection selects rows of a set, or of one part of it after the other.
type selection struct {
	conditions []Condition
	asked      []asked // for each of them
	groups     *groups
}

// asked holds the state of a condition so far.
type asked struct {
	met    bool     // by some row
	among  string   // that earlier conditions excluded rows, in words
	values []string // while it is not met: the values seen
}

// mostValues bounds the number of values counted for an error.
const mostValues = 10000

func newSelection(where []Condition, first FirstPer, memory int64) *selection {
	first.Count = max(first.Count, 1)
	return &selection{where, make([]asked, len(where)),
		&groups{first: first, seen: map[string]int{}, budget: &budget{left: memory, max: memory}}}
}

// of returns the selected rows of a part; nil says all.
func (l *selection) of(s *Set) ([]int, error) {
	if len(l.conditions)+len(l.groups.first.Names) == 0 {
		return nil, nil
	}
	index := identity(s.Len())
	for k, c := range l.conditions {
		col, err := s.Column(c.Name)
		if err != nil {
			return nil, err
		}
		ok, err := c.test(col)
		if err != nil {
			return nil, at(err, s.Source)
		}
		kept := slices.DeleteFunc(slices.Clone(index), func(i int) bool { return !ok(i) })
		a := &l.asked[k]
		if a.met = a.met || len(kept) > 0; len(index) < s.Len() {
			a.among = " among those that meet the earlier conditions"
		}
		if !a.met && len(a.values) < mostValues {
			for _, v := range col.Pick(index).distinct() {
				if !slices.Contains(a.values, v) {
					a.values = append(a.values, v)
				}
			}
		}
		index = kept
	}
	return l.groups.keep(s, index)
}

// nothing returns the error that some condition was met by no row.
func (l *selection) nothing(source string) error {
	for k, c := range l.conditions {
		if a := l.asked[k]; !a.met {
			return &FormatError{Path: source, Msg: fmt.Sprintf("%s selects nothing; values of %q%s: %s", c, c.Name, a.among,
				list(a.values))}
		}
	}
	return nil
}

// test returns the condition as a function of the row.
func (c Condition) test(col Labels) (func(i int) bool, error) {
	if col.Type == ColumnText {
		if c.Op != "=" && c.Op != "!=" {
			return nil, &FormatError{Msg: fmt.Sprintf("condition %s compares text by size", c),
				Hint: "use = or != with column " + c.Name}
		}
		return func(i int) bool { return slices.Contains(c.Values, col.Cells[i]) == (c.Op == "=") }, nil
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
	return func(i int) bool { return c.compare(col.Number(i), values) }, nil
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
