package report

import (
	"fmt"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
)

// called returns a model without the usage it recorded, whose columns are named by the
// data if it has no names for them: what its parts say in words.
func called(m *patchwork.Model, set *dataset.Set) *patchwork.Model {
	e := m.Extras()
	e.Usage = nil
	if e.Columns == nil && set.Table && len(set.Columns) == m.Width() {
		e.Columns = set.Columns
	}
	out, err := m.WithExtras(e)
	if err != nil {
		return m // the columns of the set do not fit: they are counted
	}
	return out
}

// row returns the number of row i in the input, from 1.
func (b *builder) row(i int) int { return b.set.InputRow(i) + 1 }

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

// percent returns a share in per cent; the templates and sentences say it often.
func percent(share float64) string { return words.PercentFine(share) }
