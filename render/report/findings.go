package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/diagnose/words"
)

// findings adds what may be wrong with the model, if it is of bits, and with the data of a table.
func (b *builder) findings() {
	if b.evidence != nil {
		explained := make([]*patchwork.Explanation, len(b.r.rows))
		for i := range b.r.rows {
			explained[i] = &b.r.rows[i].Explanation
		}
		on := diagnose.Evidence{Tally: b.evidence, Explained: explained, Name: b.rowName}
		for _, f := range diagnose.Model(b.bits, on) {
			b.r.Findings = append(b.r.Findings, Finding{f.Kind.String(), f.Facts, f.Advice})
		}
	}
	if b.set.Table {
		b.r.Findings = append(b.r.Findings, b.dataFindings()...)
	}
}

// dataFindings returns what may be wrong with the data of a table: columns that are the
// same in every row, and label columns that name nearly every row, but some twice.
func (b *builder) dataFindings() []Finding {
	var out []Finding
	constant := map[string][]string{}
	for j, name := range b.r.names {
		s := &b.columns[j]
		switch {
		case s.n == 0:
			constant["unknown"] = append(constant["unknown"], name)
		case s.deviation() <= 1e-9*math.Abs(s.mean()):
			constant[words.Digits(s.mean())] = append(constant[words.Digits(s.mean())], name)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(constant)) {
		names := constant[value]
		is := map[bool]string{true: "is", false: "are"}[len(names) == 1]
		out = append(out, Finding{"constant-columns",
			fmt.Sprintf("%s %s %s in every row (%s).", words.Count(len(names), "column"), is, value, words.Listed(names, 5)),
			"Such columns say nothing about the rows; leave them out, or look whether they were read as meant " +
				"(patchwork show)."})
	}
	for _, c := range b.set.Labels() {
		if c.Numbers() {
			continue
		}
		if twice := doubledNames(c.Cells); twice != nil {
			out = append(out, Finding{"doubled-names", fmt.Sprintf("%s of the column %s %s more than one row (%s).",
				words.Count(len(twice), "name"), c.Name,
				map[bool]string{true: "stands for", false: "stand for"}[len(twice) == 1], words.Listed(twice, 5)),
				"Rows that are there twice count twice; make the names distinct if the rows are different things, and remove " +
					"rows that are copies."})
		}
	}
	return out
}

// mostlyNames is the least share of rows with a name of their own, for a column that names
// rows.
const mostlyNames = 0.9

// doubledNames returns the values that more than one row has, in order, of a column that
// names rows.
func doubledNames(text []string) []string {
	count := map[string]int{}
	for _, v := range text {
		count[v]++
	}
	delete(count, "")
	if len(count) == len(text) || float64(len(count)) < mostlyNames*float64(len(text)) {
		return nil
	}
	var twice []string
	for _, v := range text {
		if count[v] > 1 {
			twice = append(twice, v)
			delete(count, v)
		}
	}
	return twice
}
