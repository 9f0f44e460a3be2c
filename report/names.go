package report

import (
	"fmt"
	"math"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
)

// columnNames returns the names of a table's columns, those of the data or else of the
// model; columns without one are counted from 1.
func columnNames(m *patchwork.Model, set *dataset.Set) []string {
	if !set.Table {
		return nil
	}
	_, n := set.Size()
	names := set.Columns
	if len(names) == 0 {
		names = m.Extras().Columns
	}
	out := make([]string, n)
	for i := range out {
		if out[i] = fmt.Sprintf("column %d", i+1); i < len(names) && names[i] != "" {
			out[i] = names[i]
		}
	}
	return out
}

// partName returns what part k is called.
func (b *builder) partName(k int) string {
	if names := b.m.Extras().Names; k < len(names) && names[k] != "" {
		return names[k]
	}
	return fmt.Sprintf("part %d", k)
}

// row returns the number of row i in the input, from 1.
func (b *builder) row(i int) int {
	if b.set.Rows != nil {
		return b.set.Rows[i] + 1
	}
	return i + 1
}

// rowName returns what row i is called: by the label column that names each row
// differently, else by its number and its labels.
func (b *builder) rowName(i int) string {
	if c := b.labels.names; c != nil {
		if _, text := c.Values.([]string); !text {
			return c.Name + " " + c.Text(i) // a number alone says nothing
		}
		return c.Text(i)
	}
	noun := b.r.Noun()
	var values []string
	for _, c := range b.labels.few {
		values = append(values, c.Text(i))
	}
	if len(values) == 0 {
		return fmt.Sprintf("%s %d", noun, b.row(i))
	}
	return fmt.Sprintf("%s %d (%s)", noun, b.row(i), strings.Join(values, ", "))
}

// plural returns a number with its noun, in words for people: 12,345 rows.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands returns a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent returns a share in per cent, with a digit after the point where it is small,
// and a dash for none.
func percent(share float64) string {
	switch p := 100 * share; {
	case math.IsNaN(p):
		return "–"
	case p != 0 && p < 0.05:
		return "< 0.1 %"
	case p > 99.95 && p < 100:
		return "> 99.9 %"
	case p < 9.95 && p != 0 && p != float64(int(p)):
		return fmt.Sprintf("%.1f %%", p)
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}
