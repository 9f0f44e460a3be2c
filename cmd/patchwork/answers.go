package main

import (
	"errors"
	"io"
	"iter"
	"reflect"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
)

// answers are rows of a table of answers: its columns, and their values.
type answers struct {
	columns  []dataset.TableColumn
	values   []any
	from, to int // columns [from, to) are labels, of which anything can be the name
}

// add adds a column, or a block of columns if there are names of one.
func (t *answers) add(name string, values any, block ...string) {
	c := dataset.TableColumn{Name: name, Block: block}
	switch values.(type) {
	case []int64:
		c.Type = dataset.ColumnInt
	case []float64:
		c.Type = dataset.ColumnFloat
	case []uint8:
		c.Type = dataset.ColumnByte
	case []string:
		c.Type = dataset.ColumnText
	}
	t.columns, t.values = append(t.columns, c), append(t.values, values)
}

// addLabels adds values [from, to) of columns of labels.
func (t *answers) addLabels(meta []dataset.Labels, from, to int) {
	t.from = len(t.columns)
	for _, c := range meta {
		t.columns, t.values = append(t.columns, c.TableColumn()), append(t.values, c.Values(from, to))
	}
	t.to = len(t.columns)
}

// rowAnswers returns a table that says which rows of the input its rows are of, rows [from, to) of a set: by their
// labels, their number from 1, and their weight if there are weights.
func rowAnswers(set *dataset.Set, weighted bool, from, to int) *answers {
	t := new(answers)
	t.addLabels(set.Meta, from, to)
	rows := make([]int64, to-from)
	for i := range rows {
		rows[i] = int64(set.InputRow(from+i)) + 1
	}
	t.add("row", rows)
	if weighted {
		t.add("weight", set.WeightValues(from, to))
	}
	return t
}

// answersOf returns structs as a table: a column for each field that JSON has and that is no array.
func answersOf[T any](rows []T) *answers {
	t := new(answers)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		value := func(i int) reflect.Value { return reflect.ValueOf(&rows[i]).Elem().FieldByIndex(f.Index) }
		switch n := len(rows); f.Type.Kind() {
		case reflect.String:
			t.add(name, valuesBy(n, func(i int) string { return value(i).String() }))
		case reflect.Int:
			t.add(name, valuesBy(n, func(i int) int64 { return value(i).Int() }))
		case reflect.Float64:
			t.add(name, valuesBy(n, func(i int) float64 { return value(i).Float() }))
		case reflect.Bool:
			t.add(name, valuesBy(n, func(i int) uint8 { return bit(value(i).Bool()) }))
		}
	}
	return t
}

func valuesBy[V any](n int, value func(i int) V) []V {
	out := make([]V, n)
	for i := range out {
		out[i] = value(i)
	}
	return out
}

func bit(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}

// distinct makes the names of the columns distinct by underscores at their end, and returns them. Names that programs
// rely on stay; then come the labels, then the parts. In an .npz a block is one array, and its columns have no names.
func (t *answers) distinct(format dataset.TableFormat) []dataset.TableColumn {
	arrays, taken := format == dataset.TableNPZ, map[string]bool{}
	free := func(name string) string {
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		return name
	}
	for i, c := range t.columns {
		if (i < t.from || i >= t.to) && (c.Block == nil || arrays) {
			taken[c.Name] = true
			if c.BlockNames != "" {
				taken[c.BlockNames] = true
			}
		}
	}
	for i := t.from; i < t.to; i++ {
		t.columns[i].Name = free(t.columns[i].Name)
	}
	if arrays {
		return t.columns
	}
	for _, c := range t.columns {
		for k, name := range c.Block {
			c.Block[k] = free(name)
		}
	}
	return t.columns
}

// outputAnswers writes a table of answers in a format of outputFormats: lines of JSON, or one that package dataset
// writes. Of head only the columns count.
func (a *app) outputAnswers(path, format string, head *answers, parts iter.Seq2[*answers, error]) error {
	kind, table := isTable(format)
	columns := head.distinct(kind)
	chunks := func(yield func([]any, error) bool) {
		for part, err := range parts {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(part.values, nil) {
				return
			}
		}
	}
	return a.output(path, func(w io.Writer) error {
		if table {
			return dataset.WriteTable(w, kind, columns, chunks)
		}
		return writeRows(w, columns, chunks)
	})
}

// once is a table in one piece.
func (t *answers) once() iter.Seq2[*answers, error] {
	return func(yield func(*answers, error) bool) { yield(t, nil) }
}

// pushed turns a function that pushes parts of a table into a sequence of them. Its
// push returns an error if no more are wanted.
func pushed[T any](produce func(push func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := produce(func(part T) error {
			if !yield(part, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			var none T
			yield(none, err)
		}
	}
}

// errStopped says that a writer wants no more rows; it has an error of its own.
var errStopped = errors.New("stopped")

// isRounded reports whether a format is one of text, whose numbers are rounded.
func isRounded(format string) bool {
	kind, ok := isTable(format)
	return !ok || kind == dataset.TableCSV
}

// roundAll rounds numbers as people read them.
func roundAll(lists ...[]float64) {
	for _, list := range lists {
		for i, v := range list {
			if v != 0 {
				list[i] = rounded(v)
			}
		}
	}
}

// isTable reports whether a format of outputFormats is that of a table, and which.
func isTable(format string) (dataset.TableFormat, bool) {
	f, err := dataset.TableFormatOf("x" + format)
	return f, err == nil
}

// partNames returns what k parts are called: their names, else part 1, part 2, ...
func partNames(names []string, k int) []string {
	return valuesBy(k, func(k int) string { return words.NameOf(names, k) })
}

// print prints lines of an answer on standard output.
func (a *app) print(lines []string) error {
	return a.output("-", func(w io.Writer) error {
		for _, line := range lines {
			if _, err := io.WriteString(w, words.Visible(line)+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}
