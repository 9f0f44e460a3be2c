package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"example.com/patchwork/diagnose/words"
)

// Table is one table of a report, to be written as CSV.
type Table struct {
	Name string // to be added to the name of the file
	Rows [][]string
}

// Write writes the table as CSV.
func (t Table) Write(w io.Writer) error { return csv.NewWriter(w).WriteAll(t.Rows) }

// Tables returns the numbers of the report as tables, the rows by parts first. Those
// that would be empty are left out. Numbers that are not finite are empty cells,
// and losses are in nats, as on the page.
func (r *Report) Tables() []Table {
	var unknown []Cell
	if r.Missing != nil {
		unknown = r.Missing.Predicted
	}
	all := []Table{
		{"rows", r.rowTable()}, {"parts", r.partTable()}, {"votes", r.voteTable()}, {"labels", r.labelTable()},
		{"together", r.pairTable()}, {"columns", r.columnTable()}, {"cells", cellTable(unknown)},
		{"quality", r.qualityTable()}, {"stability", r.stabilityTable()}, {"places", r.placeTable()},
		{"surprises", cellTable(r.Surprises)},
	}
	all = append(all, r.answerTables()...)
	return slices.DeleteFunc(all, func(t Table) bool { return len(t.Rows) < 2 })
}

// num writes a number with up to six digits.
func num(v float64) string {
	if text, err := Number(v).MarshalJSON(); err != nil || string(text) == "null" {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// pixel is what a value of a row or image is called.
func (r *Report) pixel() string { return words.NounsOf(r.Table).Pixel }

func whole[T int | int64](v T) string { return strconv.FormatInt(int64(v), 10) }

func (r *Report) rowTable() [][]string {
	head := []string{"row", "name"}
	for _, c := range r.set.Meta {
		head = append(head, c.Name)
	}
	head = append(head, "parts", "nats_per_"+r.pixel())
	for _, p := range r.Parts {
		head = append(head, p.Name)
	}
	out := [][]string{head}
	for i, row := range r.ByRow {
		line := []string{whole(row.Row), row.Name}
		for _, c := range r.set.Meta {
			line = append(line, c.Text(i))
		}
		line = append(line, whole(len(activeParts(r.rows[i].Picks))), num(float64(row.Loss)))
		for k := range r.Parts {
			uses := "0"
			if slices.Contains(row.Parts, k) {
				uses = "1"
			}
			line = append(line, uses)
		}
		out = append(out, line)
	}
	return out
}

func (r *Report) partTable() [][]string {
	out := [][]string{{"part", "name", "rows", "share", "alone", "words"}}
	for _, p := range r.Parts {
		out = append(out, []string{whole(p.Number), p.Name, whole(p.Rows), num(p.Share), whole(p.Alone), p.Words})
	}
	return out
}

func (r *Report) voteTable() [][]string {
	out := [][]string{{"part", "name", "column", "value", "otherwise", "spread", "everywhere", "among"}}
	for _, p := range r.Parts {
		for _, v := range p.Votes {
			out = append(out, []string{whole(p.Number), p.Name, v.Column, num(v.Value), num(v.Otherwise),
				num(v.Spread), num(float64(v.Everywhere)), num(float64(v.Among))})
		}
	}
	return out
}

func (r *Report) labelTable() [][]string {
	out := [][]string{{"label", "value", "rows", "part", "name", "with_part", "share", "lift", "z"}}
	for _, l := range r.Labels {
		for _, v := range l.Values {
			for _, p := range v.Parts {
				out = append(out, []string{l.Name, v.Value, whole(v.Rows), whole(p.Part), r.Parts[p.Part].Name, whole(p.Rows),
					num(p.Share), num(float64(p.Lift)), num(float64(p.Z))})
			}
			out = append(out, []string{l.Name, v.Value, whole(v.Rows), "", "no part", whole(v.None),
				num(float64(v.None) / float64(max(v.Rows, 1))), "", ""})
		}
	}
	return out
}

func (r *Report) pairTable() [][]string {
	out := [][]string{{"part_a", "name_a", "part_b", "name_b", "rows", "expected", "lift", "z"}}
	for _, p := range r.Together {
		out = append(out, []string{whole(p.A), r.Parts[p.A].Name, whole(p.B), r.Parts[p.B].Name, whole(p.Rows),
			num(float64(p.Expected)), num(float64(p.Lift)), num(float64(p.Z))})
	}
	return out
}

func (r *Report) columnTable() [][]string {
	out := [][]string{{"column", "name", "known", "mean", "deviation", "left"}}
	for _, c := range r.ByColumn {
		out = append(out, []string{whole(c.Number), c.Name, whole(c.Known), num(float64(c.Mean)), num(float64(c.Deviation)),
			num(float64(c.Left))})
	}
	return out
}

func cellTable(cells []Cell) [][]string {
	out := [][]string{{"row", "name", "column", "value", "mean", "deviation", "low", "high"}}
	for _, c := range cells {
		out = append(out, []string{whole(c.Row), c.Name, c.Column, num(float64(c.Value)), num(float64(c.Mean)),
			num(float64(c.Deviation)), num(float64(c.Low)), num(float64(c.High))})
	}
	return out
}

func (r *Report) qualityTable() [][]string {
	out := [][]string{{"method", "bits_per_hidden_cell", "accuracy", "auc"}}
	if r.Quality == nil {
		return out
	}
	for f := range r.Quality.Folds {
		out[0] = append(out[0], fmt.Sprintf("bits_fold_%d", f+1))
	}
	for _, m := range r.Quality.By {
		line := []string{m.Name, num(float64(m.Bits)), num(float64(m.Accuracy)), num(float64(m.AUC))}
		for _, v := range m.Folds {
			line = append(line, num(bits(Number(v))))
		}
		out = append(out, line)
	}
	return out
}

func (r *Report) stabilityTable() [][]string {
	out := [][]string{{"part", "name", "kind", "mean", "worst"}}
	if r.Stability == nil {
		return out
	}
	for i := range r.Stability.Times {
		out[0] = append(out[0], fmt.Sprintf("time_%d", i+1))
	}
	for _, p := range r.Stability.Parts {
		out = append(out, stabilityLine(r.Parts[p.Part], "restarts", p.Restarts),
			stabilityLine(r.Parts[p.Part], "bootstrap", p.Bootstrap))
	}
	return out
}

func stabilityLine(p Part, kind string, s []float64) []string {
	line := []string{whole(p.Number), p.Name, kind, num(Mean(s)), num(Worst(s))}
	for _, v := range s {
		line = append(line, num(v))
	}
	return line
}

func (r *Report) placeTable() [][]string {
	out := [][]string{{"part", "name", "image", "dy", "dx", "angle"}}
	for _, p := range r.Places {
		for i := range p.DY {
			out = append(out, []string{whole(p.Part), r.Parts[p.Part].Name, whole(p.Images[i]), whole(p.DY[i]), whole(p.DX[i]),
				num(p.Angle[i])})
		}
	}
	return out
}

// TableNames returns the names that tables may have.
func TableNames() []string {
	return []string{"rows", "parts", "votes", "labels", "together", "columns", "cells", "quality", "stability", "places",
		"surprises", "items", "persons", "indices", "residuals"}
}
