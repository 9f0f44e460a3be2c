package main

import (
	"context"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/posterior"
	"example.com/patchwork/workbench"
)

// cells holds predicted cells of a data set in the order of the input: of which row each is and where in it, and what
// is said of it.
type cells struct {
	set    *dataset.Set // with the labels
	names  []string     // of a table's columns
	width  int          // of an image
	rounds bool

	of, at  []int
	said    []string // what is said of a cell, such as its probability
	numbers [][]float64
}

// newCells returns cells of columns with these names, in images of this width, for a set that has the labels.
func newCells(set *dataset.Set, names []string, width int, rounds bool, said ...string) *cells {
	return &cells{set: set, names: names, width: width, rounds: rounds, said: said, numbers: make([][]float64, len(said))}
}

// answers returns the table of the cells: row and column, or y and x, what is said of
// them, and the labels.
func (c *cells) answers() *answers {
	t, n := new(answers), len(c.of)
	t.add("row", valuesBy(n, func(k int) int64 { return int64(row(c.set, c.of[k])) + 1 }))
	if c.set.Table {
		t.add("column", valuesBy(n, func(k int) string { return c.names[c.at[k]] }))
	} else {
		t.add("y", valuesBy(n, func(k int) int64 { return int64(c.at[k] / c.width) }))
		t.add("x", valuesBy(n, func(k int) int64 { return int64(c.at[k] % c.width) }))
	}
	for k, name := range c.said {
		t.add(name, c.numbers[k])
	}
	labels := make([]dataset.Labels, len(c.set.Meta))
	for i, l := range c.set.Meta {
		labels[i] = l.Pick(c.of)
	}
	t.addLabels(labels, 0, n)
	return t
}

// reset begins again, for another set.
func (c *cells) reset(set *dataset.Set) {
	c.set, c.of, c.at = set, c.of[:0], c.at[:0]
	for k := range c.numbers {
		c.numbers[k] = c.numbers[k][:0]
	}
}

// add adds cell j of row i of the set.
func (c *cells) add(i, j int, numbers ...float64) {
	c.of, c.at = append(c.of, i), append(c.at, j)
	for k, v := range numbers {
		if c.rounds {
			v = rounded(v)
		}
		c.numbers[k] = append(c.numbers[k], v)
	}
}

// cellsAtOnce bounds the images whose cells are in memory together.
const cellsAtOnce = 1 << 15

// predictCells writes the unknown cells, or with all every cell, one per row of a table.
func (a *app) predictCells(ctx context.Context, t *task, opt posterior.Options, all bool, output, format string) error {
	_, width := t.head().Size()
	c := newCells(t.head(), workbench.ColumnNames(t.head()), width, isRounded(format), "probability")
	n := 0
	parts := pushed(func(push func(*answers) error) error {
		_, err := a.inParts(ctx, t, func(part *task) error {
			for from := 0; from < part.set.Len(); from += cellsAtOnce {
				c.reset(part.set)
				if err := c.predict(ctx, part, from, min(from+cellsAtOnce, part.set.Len()), opt, all); err != nil {
					return err
				}
				n += len(c.of)
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
			c.add(i, j, predicted[n][at])
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
