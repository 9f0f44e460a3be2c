package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/dataset"
)

// Label is a cross table of the parts with the values of a label column.
type Label struct {
	Name   string       `json:"name"`
	Values []LabelValue `json:"values"`
}

// LabelValue is one value of a label column.
type LabelValue struct {
	Value string      `json:"value"`
	Rows  int64       `json:"rows"`
	None  int64       `json:"none"` // rows that use no part
	Parts []LabelPart `json:"parts"`
}

// LabelPart is a part among the rows with one value.
type LabelPart struct {
	Part  int     `json:"part"`
	Rows  int64   `json:"rows"`  // with the value that use the part
	Share float64 `json:"share"` // of the rows with the value
	Lift  Number  `json:"lift"`  // Share over the part's share of all rows
	Z     Number  `json:"z"`     // standard deviations from what chance gives
}

// Skipped is a label column without a cross table, and why.
type Skipped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

const (
	mostValues = 20 // of a label column with a cross table
	beyond     = 3  // standard deviations from chance that the page marks
)

// labels are the label columns of a set: the one that names the rows, if any, those
// with few values, and the others.
type labels struct {
	names *dataset.Labels
	few   []dataset.Labels
	rest  []Skipped
}

// findLabels sorts the label columns by what they are good for.
func findLabels(set *dataset.Set) labels {
	var out labels
	noun := (&Report{Table: set.Table}).Noun()
	for _, c := range set.Meta {
		values := map[string]bool{}
		for i := range set.Len() {
			values[c.Text(i)] = true
		}
		n := len(values)
		switch {
		case n == set.Len() && n > 1:
			reason := fmt.Sprintf("it names every %s differently", noun)
			if c.Type == dataset.ColumnText && !c.Numbers() && out.names == nil {
				out.names, reason = &c, fmt.Sprintf("it names the %ss", noun)
			}
			out.rest = append(out.rest, Skipped{c.Name, reason})
		case n < 2:
			out.rest = append(out.rest, Skipped{c.Name, fmt.Sprintf("all %ss have the same value", noun)})
		case n > mostValues:
			out.rest = append(out.rest,
				Skipped{c.Name, fmt.Sprintf("it has %s different values; a cross table is made of up to %d", thousands(int64(n)),
					mostValues)})
		case 2*n > set.Len():
			out.rest = append(out.rest, Skipped{c.Name, fmt.Sprintf("it has %d different values in %d %ss", n, set.Len(), noun)})
		default:
			out.few = append(out.few, c)
		}
	}
	return out
}

// crossTables counts the parts by the values of the label columns.
func (b *builder) crossTables() {
	b.r.Skipped, b.r.Labels = b.labels.rest, []Label{}
	if b.labels.names != nil {
		b.r.NamedBy = []string{b.labels.names.Name}
	}
	for _, c := range b.labels.few {
		b.r.Labels = append(b.r.Labels, b.crossTable(c))
	}
}

// crossTable counts the parts by the values of one column, in the order of the
// values: numbers by size.
func (b *builder) crossTable(c dataset.Labels) Label {
	at := map[string]int{}
	l := Label{Name: c.Name}
	for _, i := range orderOf(c) {
		v := c.Text(i)
		if c.Missing(i) {
			v = ""
		}
		k, ok := at[v]
		if !ok {
			k = len(l.Values)
			at[v] = k
			l.Values = append(l.Values, LabelValue{Value: cmp.Or(strings.TrimSpace(v), "empty"),
				Parts: make([]LabelPart, len(b.r.Parts))})
		}
		value, w := &l.Values[k], b.set.Weight(i)
		value.Rows += w
		parts := activeParts(b.r.rows[i].Picks)
		if len(parts) == 0 {
			value.None += w
		}
		for _, p := range parts {
			value.Parts[p].Rows += w
		}
	}
	for v := range l.Values {
		for k := range l.Values[v].Parts {
			p, rows := &l.Values[v].Parts[k], l.Values[v].Rows
			p.Part = k
			if rows > 0 {
				p.Share = float64(p.Rows) / float64(rows)
			}
			p.Lift, p.Z = association(p.Rows, rows, b.r.Parts[k].Rows, b.r.Weight)
		}
	}
	return l
}

// orderOf returns the rows in the order of their values, equals as they stand.
func orderOf(c dataset.Labels) []int {
	order := make([]int, c.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		if c.Type != dataset.ColumnText {
			return cmp.Compare(c.Number(x), c.Number(y))
		}
		return slices.Compare([]byte(c.Text(x)), []byte(c.Text(y)))
	})
	return order
}

// association compares the rows that are in both of two sets with what chance gives:
// the lift is their number over the number expected, and z the distance in standard
// deviations of the hypergeometric distribution. Both are NaN where nothing can be
// compared.
func association(both, a, b, all int64) (lift, z Number) {
	n, x, y := float64(all), float64(a), float64(b)
	expected := x * y / n
	if expected == 0 {
		return Number(math.NaN()), Number(math.NaN())
	}
	z = Number(math.NaN())
	if sd := math.Sqrt(expected * (n - x) * (n - y) / n / max(n-1, 1)); sd > 0 {
		z = Number((float64(both) - expected) / sd)
	}
	return Number(float64(both) / expected), z
}
