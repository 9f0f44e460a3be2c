package main

import (
	"encoding/json"
	"io"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/pose"
	"example.com/patchwork/workbench"
)

// lines makes lines of JSON, whose form is a contract, of explanations by a model.
type lines struct {
	places  bool                // picks have places; those of tables, whose parts do not move, have none
	names   [][]byte            // of parts, as they stand in a pick; nil for none
	labels  []string            // the columns of labels
	classes *classes.Classifier // nil of others
	joins   *workbench.Joins    // nil of others than bits whose parts make compounds
}

// newLines returns lines for a model and data whose first rows are those of head.
func newLines(m workbench.Model, head *dataset.Frame) *lines {
	l := &lines{places: !head.Table || m.Moves(), joins: workbench.NewJoins(m)}
	if c, ok := m.(workbench.Classes); ok {
		l.classes = c.Classifier
	}
	for _, name := range m.Names() {
		var text []byte
		if name != "" {
			text = append([]byte(`,"name":`), quoted(name)...)
		}
		l.names = append(l.names, text)
	}
	for _, c := range head.Labels() {
		l.labels = append(l.labels, c.Name)
	}
	return l
}

// prepare makes the lines of explanations. Workers call it.
func (l *lines) prepare(x *workbench.Explained) {
	b, _ := x.Out.([]byte)
	b = b[:0]
	for i := range x.Rows {
		if l.classes != nil {
			b = l.verdict(b, x.Frame, x.From+i, &x.Rows[i])
		} else {
			b = l.line(b, x.Frame, x.From+i, &x.Rows[i])
		}
	}
	x.Out = b
}

// line appends row i of a set with its explanation, and its best explanations if there are several.
func (l *lines) line(b []byte, set *dataset.Set, i int, r *workbench.Row) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendInt(b, int64(r.Index), 10)
	b = l.labelled(b, set, i)
	b = appendField(b, `,"start_log_lik":`, r.StartLogLik)
	b = appendField(b, `,"log_lik":`, r.LogLik)
	b = appendField(b, `,"log_lik_model":`, r.LogLikModel)
	if r.Joint != 0 {
		b = appendField(b, `,"log_joint":`, r.Joint)
	}
	if r.Missing != 0 || r.Clutter != 0 {
		b = appendField(b, `,"missing":`, r.Missing)
		b = appendField(b, `,"clutter":`, r.Clutter)
	}
	b = l.picks(append(b, ',', '"'), r.Picks)
	if l.joins != nil {
		b = l.compounds(b, r.Picks)
	}
	if r.Others != nil {
		b = l.others(b, r)
	}
	return append(b, '}', '\n')
}

// compounds appends the compounds of a row.
func (l *lines) compounds(b []byte, picks []patchwork.Pick) []byte {
	b = append(b, `,"compounds":[`...)
	for i, c := range l.joins.Of(picks) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"id":`...), int64(c.ID), 10)
		b = appendField(b, `,"odds":`, c.Odds)
		b = numbers(append(b, `,"parts":`...), c.Parts)
		b = append(numbers(append(b, `,"missing":`...), c.Missing), '}')
	}
	return append(b, ']')
}

// numbers appends a list of numbers.
func numbers(b []byte, all []int) []byte {
	b = append(b, '[')
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return append(b, ']')
}

// labelled appends the labels of image i, if there are any.
func (l *lines) labelled(b []byte, set *dataset.Set, i int) []byte {
	for j, name := range l.labels {
		b = append(b, [...]string{`,"labels":{`, `,`}[min(j, 1)]...)
		b = append(append(b, quoted(name)...), ':')
		at := slices.IndexFunc(set.Meta, func(c dataset.Labels) bool { return c.Name == name })
		switch c := set.Meta[at]; {
		case c.Type == dataset.ColumnText:
			b = append(b, quoted(c.Cells[i])...)
		case c.Cells[i] == "" || math.IsInf(c.Number(i), 0):
			b = append(b, "null"...)
		default:
			b = append(b, c.Cells[i]...)
		}
	}
	if len(l.labels) > 0 {
		b = append(b, '}')
	}
	return b
}

// others appends the fields of --best.
func (l *lines) others(b []byte, r *workbench.Row) []byte {
	b = appendField(b, `,"evidence":`, r.Evidence)
	b = append(b, `,"alternatives":[`...)
	for j, a := range r.Others {
		if j > 0 {
			b = append(b, ',')
		}
		b = l.picks(append(b, '{', '"'), a.Picks)
		b = appendField(b, `,"log_lik_model":`, a.LogLikModel)
		b = appendField(b, `,"log_joint":`, a.LogJoint)
		b = append(appendField(b, `,"weight":`, a.Weight), '}')
	}
	return append(b, ']')
}

// picks appends picks, after the quotation mark that begins the name of their field.
func (l *lines) picks(b []byte, picks []patchwork.Pick) []byte {
	b = append(b, `picks":[`...)
	for j, p := range picks {
		if j > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"part":`...)
		b = strconv.AppendInt(b, int64(p.Expert), 10)
		b = append(b, `,"expert":`...) // what programs know it by that were written before it was called part
		b = strconv.AppendInt(b, int64(p.Expert), 10)
		if l.names != nil {
			b = append(b, l.names[p.Expert]...)
		}
		if l.places {
			b = append(b, `,"dy":`...)
			b = strconv.AppendInt(b, int64(p.Pose.DY), 10)
			b = append(b, `,"dx":`...)
			b = strconv.AppendInt(b, int64(p.Pose.DX), 10)
			b = appendField(b, `,"angle":`, p.Pose.Angle)
			b = appendStretch(b, p.Pose.Stretch)
		}
		b = append(appendField(b, `,"gain":`, p.Gain), '}')
	}
	return append(b, ']')
}

// appendStretch appends a stretch, if it is one: its factor along the part's own axis, or
// [y,x].
func appendStretch(b []byte, s pose.Stretch) []byte {
	switch y, x := s.Factors(); {
	case y == 1 && x == 1:
		return b
	case x == 1:
		return appendField(b, `,"stretch":`, y)
	default:
		b = appendField(b, `,"stretch":[`, y)
		return append(appendField(b, ",", x), ']')
	}
}

// appendField appends the name of a field, as it stands before its value, and a
// number, or null for one that JSON does not have.
func appendField(b []byte, name string, v float64) []byte {
	b = append(b, name...)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return append(b, "null"...)
	}
	v = rounded(v)
	if a := math.Abs(v); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// rounded returns a number as people read it: rounded to six decimals, or below 1 to
// six digits, so that it is at most half a millionth off. From 1e9 on, where float64
// has few decimals, it stays as it is.
func rounded(v float64) float64 {
	const million = 1e6
	switch a := math.Abs(v); {
	case !(a < 1e9):
		return v
	case a < 1:
		var b [32]byte
		r, err := strconv.ParseFloat(string(strconv.AppendFloat(b[:0], v, 'g', 6, 64)), 64)
		if err != nil {
			panic(err) // what AppendFloat writes is a number
		}
		return r
	}
	return math.Round(v*million) / million
}

// writeRows writes a table as lines of JSON, an object per row, with the names of the
// columns. The columns are no blocks.
func writeRows(w io.Writer, columns []dataset.TableColumn, chunks iter.Seq2[[]any, error]) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		separator := ","
		if i == 0 {
			separator = "{"
		}
		names[i] = separator + string(quoted(c.Name)) + ":"
	}
	var b []byte
	for chunk, err := range chunks {
		if err != nil {
			return err
		}
		b = b[:0]
		for i := range reflect.ValueOf(chunk[0]).Len() {
			for k, values := range chunk {
				b = appendValue(append(b, names[k]...), values, i)
			}
			b = append(b, "}\n"...)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// appendValue appends value i of a column as JSON.
func appendValue(b []byte, values any, i int) []byte {
	switch v := values.(type) {
	case []int64:
		return strconv.AppendInt(b, v[i], 10)
	case []float64:
		return appendField(b, "", v[i])
	case []uint8:
		return strconv.AppendUint(b, uint64(v[i]), 10)
	}
	return append(b, quoted(values.([]string)[i])...)
}

// quoted returns text as a string of JSON.
func quoted(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // every text has a form in JSON
	}
	return b
}
