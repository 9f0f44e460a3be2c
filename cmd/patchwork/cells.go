package main

import (
	"context"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/posterior"
)

// cells holds predicted cells of a data set in the order of the input: for each the
// number of its row in the input, from 1, where it is in the row, what is said of it,
// and the row's labels.
type cells struct {
	table  bool
	names  []string // of a table's columns
	width  int      // of an image
	rounds bool

	rows    []int64
	column  []string // of tables
	y, x    []int64  // of images, from 0
	said    []string // what is said of a cell, such as its probability
	numbers [][]float64
	labels  []dataset.Column // empty columns, for their types
	values  []any            // of the labels, a value per cell
}

// newCells returns cells of columns with these names, in images of this width, for a set that has the labels.
func newCells(labels *dataset.Set, names []string, width int, rounds bool, said ...string) *cells {
	c := &cells{table: labels.Table, names: names, width: width, rounds: rounds, labels: labels.Meta, said: said,
		numbers: make([][]float64, len(said))}
	for _, l := range c.labels {
		c.values = append(c.values, map[dataset.ColumnType]any{dataset.ColumnInt: []int64(nil),
			dataset.ColumnFloat: []float64(nil), dataset.ColumnText: []string(nil)}[l.TableColumn().Type])
	}
	return c
}

// answers returns the table of the cells: row and column, or y and x, what is said of
// them, and the labels.
func (c *cells) answers() *answers {
	t := new(answers)
	t.add("row", c.rows)
	if c.table {
		t.add("column", c.column)
	} else {
		t.add("y", c.y)
		t.add("x", c.x)
	}
	for k, name := range c.said {
		t.add(name, c.numbers[k])
	}
	t.addLabels(c.labels, 0, 0)
	copy(t.values[t.from:], c.values)
	return t
}

func (c *cells) reset() {
	c.rows, c.column, c.y, c.x = c.rows[:0], c.column[:0], c.y[:0], c.x[:0]
	for k := range c.numbers {
		c.numbers[k] = c.numbers[k][:0]
	}
	for k, v := range c.values {
		c.values[k] = valuesOf(dataset.Column{Values: v}, 0, 0)
	}
}

// add adds cell j of row i of a set.
func (c *cells) add(set *dataset.Set, i, j int, numbers ...float64) {
	c.rows = append(c.rows, int64(row(set, i))+1)
	if c.table {
		c.column = append(c.column, c.names[j])
	} else {
		c.y, c.x = append(c.y, int64(j/c.width)), append(c.x, int64(j%c.width))
	}
	for k, v := range numbers {
		if c.rounds {
			v = rounded(v)
		}
		c.numbers[k] = append(c.numbers[k], v)
	}
	for k, l := range set.Meta {
		switch v := c.values[k].(type) {
		case []int64:
			c.values[k] = append(v, l.Values.([]int64)[i])
		case []float64:
			c.values[k] = append(v, l.Values.([]float64)[i])
		case []string:
			c.values[k] = append(v, l.Values.([]string)[i])
		}
	}
}

// cellsAtOnce bounds the images whose cells are in memory together.
const cellsAtOnce = 1 << 15

// predictCells writes the unknown cells, or with all every cell, one per row of a table.
func (a *app) predictCells(ctx context.Context, t *task, opt posterior.Options, all bool, output, format string) error {
	_, width := t.head().Size()
	c := newCells(t.head(), columnNames(t.head()), width, isRounded(format), "probability")
	n := 0
	parts := pushed(func(push func(*answers) error) error {
		_, err := a.inParts(ctx, t, func(part *task) error {
			for from := 0; from < part.set.Len(); from += cellsAtOnce {
				c.reset()
				if err := c.predict(ctx, part, from, min(from+cellsAtOnce, part.set.Len()), opt, all); err != nil {
					return err
				}
				n += len(c.rows)
				if err := push(c.answers()); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	})
	if err := a.outputAnswers(output, format, c.answers(), parts); err != nil {
		return err
	}
	return a.wrote(output, "%s", words.Count(n, "cell"))
}

// predict predicts images [from, to) of a part of a task that have unknown cells.
func (c *cells) predict(ctx context.Context, t *task, from, to int, opt posterior.Options, all bool) error {
	var which []int
	for i, img := range t.set.Images[from:to] {
		if all || !img.Complete() {
			which = append(which, from+i)
		}
	}
	groups, err := exclusiveColumns(t.model)
	if err != nil {
		return err
	}
	predicted := make([][]float64, len(which)) // of each the cells to be written
	err = posterior.Predict(ctx, t.model, t.set.Pick(which).Images, opt, t.workers,
		func(n int, p []float64, _ *posterior.Posterior) {
			groups.Normalize(p, t.set.Images[which[n]])
			predicted[n] = pickCells(p, t.set.Images[which[n]], all)
			t.bar.step("")
		})
	if err != nil {
		return request(err)
	}
	numbers := make([]int, len(c.names))
	for j := range numbers {
		numbers[j] = j
	}
	for n, i := range which {
		for at, j := range pickCells(numbers, t.set.Images[i], all) {
			c.add(t.set, i, j, predicted[n][at])
		}
	}
	t.bar.add(to - from - len(which))
	return nil
}

// pickCells returns what values, one per pixel, has for the unknown pixels of an image,
// or for all.
func pickCells[T any](values []T, img *bitmap.Image, all bool) []T {
	var out []T
	for j, known := range img.AppendKnown(nil) {
		if all || known == 0 {
			out = append(out, values[j])
		}
	}
	return out
}
