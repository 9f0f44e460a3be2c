package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

// verdictTable returns a table of the classes of rows.
func verdictTable(names []string, x *workbench.Explained, round bool) *answers {
	n := len(x.Rows)
	p, probability := []float64{}, make([]float64, n)
	for i := range x.Rows {
		d := x.Rows[i].Verdict
		p, probability[i] = append(p, d.Probabilities...), d.Probabilities[d.Class]
	}
	if round {
		roundAll(probability, p)
	}
	out := new(answers)
	out.add("index", valuesBy(n, func(i int) int64 { return int64(x.Rows[i].Index) }))
	out.add("class", valuesBy(n, func(i int) string { return names[x.Rows[i].Verdict.Class] }))
	out.add("probability", probability)
	out.add("p", p, valuesBy(len(names), func(k int) string { return "p:" + names[k] })...)
	if pictures := pictureNames(x.Frame); pictures != nil {
		out.add("name", pictures[x.From:x.To()])
	}
	return out
}

// pictureNames returns the names of the files that pictures are from; nil of other data.
func pictureNames(set *dataset.Set) []string {
	c, err := set.Column("name")
	if set.Table || err != nil || c.Type != dataset.ColumnText {
		return nil
	}
	return c.Cells
}

// verdict appends what is said of row i of a set as a line of JSON, whose form is a contract.
func (l *lines) verdict(b []byte, set *dataset.Set, i int, r *workbench.Row) []byte {
	names, d := l.classes.Names(), r.Verdict
	b = strconv.AppendInt(append(b, `{"index":`...), int64(r.Index), 10)
	if pictures := pictureNames(set); pictures != nil {
		b = append(append(b, `,"name":`...), quoted(pictures[i])...)
	}
	b = append(append(b, `,"class":`...), quoted(names[d.Class])...)
	b = appendField(b, `,"probability":`, d.Probabilities[d.Class])
	b = append(append(b, `,"second":`...), quoted(names[d.Second])...)
	b = appendField(b, `,"log_odds":`, d.LogOdds)
	b = fmt.Appendf(b, `,"left":%d,"missing":%d`, d.Left, d.Missing)
	if d.Example >= 0 {
		b = fmt.Appendf(b, `,"example":%d`, l.classes.Classes()[d.Class].Examples[d.Example].Row)
	}
	b = l.picks(append(b, `,"`...), r.Picks)
	if set.Table {
		b = appendReasons(b, set, i, d.Alone)
	}
	for k, name := range names {
		b = append(append(b, [...]string{`,"probabilities":{`, `,`}[min(k, 1)]...), quoted(name)...)
		b = appendField(b, ":", d.Probabilities[k])
	}
	return append(b, "}}\n"...)
}

// mostReasons is how many columns are named as reasons.
const mostReasons = 5

// appendReasons appends the columns that count most for the class of a row rather than for the second, or, below 0,
// against it: by how many nats each alone does.
func appendReasons(b []byte, set *dataset.Set, i int, alone []float64) []byte {
	values, order := set.Images[i].AppendValues(nil), valuesBy(len(alone), func(x int) int { return x })
	order = slices.DeleteFunc(order, func(x int) bool { return alone[x] == 0 })
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(math.Abs(alone[y]), math.Abs(alone[x])) })
	for n, x := range order[:min(mostReasons, len(order))] {
		b = append(append(b, [...]string{`,"columns":[{"name":`, `,{"name":`}[min(n, 1)]...), quoted(set.ColumnName(x))...)
		b = append(appendField(fmt.Appendf(b, `,"value":%d`, values[x]), `,"nats":`, alone[x]), '}')
	}
	if len(order) > 0 {
		b = append(b, ']')
	}
	return b
}
