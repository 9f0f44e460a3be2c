package workbench

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/mixed"
)

// Oddity says how odd a row of a table is.
type Oddity struct {
	Name     string    `json:"name"`
	Row      int       `json:"row"`      // in the input, from 1
	Rank     int       `json:"rank"`     // 1 is the oddest; rows that are as odd as each other have one rank
	Surprise float64   `json:"surprise"` // the sum of the losses of its known cells, in nats
	Cells    []OddCell `json:"cells"`    // to blame: at most mostBlamed, the oddest first
}

// OddCell is a cell that is odd.
type OddCell struct {
	Column string  `json:"column"`
	Loss   float64 `json:"loss"`  // nats: minus the logarithm of the probability or density of its value
	Words  string  `json:"words"` // what it is, and what was expected
}

const (
	mostBlamed    = 3  // cells of a row
	oddBlamed     = .2 // a cell is to blame if one as odd is less probable
	mostOddListed = 10 // rows that JSON lists
	mostOddSaid   = 5  // rows that are said
)

// Oddities says how odd each row of a table is by what the model says of its cells: of bits the parts that explain the
// row, else all other cells of the row, as if the cell were predicted. It returns nil where there are no cells: of
// images and of classes.
func Oddities(ctx context.Context, m Model, data iter.Seq2[*dataset.Frame, error], workers int) ([]Oddity, error) {
	begin := func(x *Explained) []Oddity {
		x.Out = make([]Oddity, len(x.Rows))
		return x.Out.([]Oddity)
	}
	var explained iter.Seq2[*Explained, error]
	switch m := m.(type) {
	case Mixed:
		explained = m.by(workers, func(x *Explained) { begin(x) }, func(e *mixed.Explainer, x *Explained, i int) {
			values := slices.Clone(x.numbers(i))
			said := func(d int) mixed.Cell {
				hidden := values[d]
				values[d] = math.NaN()
				cell := e.Explain(values).Believe(d)
				values[d] = hidden
				return cell
			}
			x.Out.([]Oddity)[i] = oddityOf(m, m.cells(x.numbers(i), said, nil))
		}).explain(ctx, data, nil)
	case Bits, Lists:
		if !m.Table() {
			return nil, nil
		}
		explained = m.Explain(ctx, data, Explaining{Workers: workers, Then: func(x *Explained) {
			out := begin(x)
			for i := range x.Rows {
				out[i] = oddityOf(m, m.Cells(&Case{x.Frame, x.From + i, x.Rows[i]}, nil))
			}
		}})
	default:
		return nil, nil
	}
	all, of, called := []Oddity{}, (*dataset.Frame)(nil), (func(int) string)(nil)
	for x, err := range explained {
		if err != nil {
			return nil, err
		}
		if x.Frame != of {
			of, called = x.Frame, x.Frame.Called()
		}
		for i, o := range x.Out.([]Oddity) {
			o.Name, o.Row = called(x.From+i), x.Rows[i].Index+1
			all = append(all, o)
		}
	}
	rank(all)
	return all, nil
}

// oddityOf sums up the cells of a row.
func oddityOf(m Model, cells []Cell) (o Oddity) {
	for i := range cells {
		if !math.IsNaN(cells[i].Tail) {
			o.Surprise += cells[i].Loss
		}
	}
	o.Cells = []OddCell{}
	for _, c := range oddest(cells, oddBlamed, mostBlamed) {
		o.Cells = append(o.Cells, OddCell{ColumnName(m, c.Column), c.Loss, c.inWords(m)})
	}
	return o
}

// rank sets the ranks of rows.
func rank(all []Oddity) {
	order := byOddity(all)
	for at, i := range order {
		all[i].Rank = at + 1
		if at > 0 && all[order[at-1]].Surprise == all[i].Surprise {
			all[i].Rank = all[order[at-1]].Rank
		}
	}
}

// byOddity returns the order of rows, the oddest first.
func byOddity(all []Oddity) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(all[y].Surprise, all[x].Surprise) })
	return order
}

// oddestRows returns the oddest rows, of those of one surprise the first: at most so many. Alike counts the others.
func oddestRows(all []Oddity, most int) (rows, alike []int) {
	for _, i := range byOddity(all) {
		n := len(rows)
		switch {
		case n > 0 && all[rows[n-1]].Surprise == all[i].Surprise:
			alike[n-1]++
		case n < most:
			rows, alike = append(rows, i), append(alike, 0)
		default:
			return rows, alike
		}
	}
	return rows, alike
}

// SayOdd says which rows are the oddest, at most so many, and which of their cells are to blame.
func SayOdd(all []Oddity, most int) (out []string) {
	rows, alike := oddestRows(all, most)
	for at, i := range rows {
		line := "  " + all[i].Name
		if alike[at] > 0 {
			line += fmt.Sprintf(" and %d like it", alike[at])
		}
		if blame := all[i].Blame(); blame != "" {
			line += ": " + blame
		}
		out = append(out, line)
	}
	return out
}

// SetOdd makes the oddest rows a part of the scores.
func (s *Scores) SetOdd(all []Oddity) {
	rows, _ := oddestRows(all, mostOddListed)
	for _, i := range rows {
		s.Odd = append(s.Odd, all[i])
	}
}

// Blame says which cells are to blame, in words; "" where none is.
func (o *Oddity) Blame() string {
	var said []string
	for _, c := range o.Cells {
		said = append(said, c.Words)
	}
	return strings.Join(said, "; ")
}

// Blame says which cells of an explained row are the oddest, and what was expected; "" where none is odd.
func Blame(m Model, c *Case) string {
	o := oddityOf(m, m.Cells(c, nil))
	return o.Blame()
}

// inWords says what a cell is, and what was expected.
func (c *Cell) inWords(m Model) string {
	text := cmp.Or(c.Text, words.Digits(c.Value))
	if yes := c.Text == "" || c.Text == "0" || c.Text == "1"; yes && c.quantile == nil {
		text = map[float64]string{0: "no", 1: "yes"}[c.Value]
	}
	return fmt.Sprintf("%s %s, expected %s", ColumnName(m, c.Column), text, c.Expected())
}

// Odd returns the cells of an explained row of which one as odd is less probable than below: at most so many, the
// oddest first.
func Odd(m Model, c *Case, below float64, most int) []Cell {
	return oddest(m.Cells(c, nil), below, most)
}

// oddest returns the cells of which one as odd is less probable than below: at most so many, the oddest first.
func oddest(cells []Cell, below float64, most int) []Cell {
	cells = slices.DeleteFunc(cells, func(c Cell) bool { return !(c.Tail < below) })
	slices.SortStableFunc(cells, func(x, y Cell) int { return cmp.Compare(x.Tail, y.Tail) })
	return cells[:min(len(cells), most)]
}
