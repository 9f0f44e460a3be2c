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
	"example.com/patchwork/posterior"
)

// Oddity says how odd a row of a table is.
type Oddity struct {
	Name     string    `json:"name"`
	Row      int       `json:"row"`      // in the input, from 1
	Rank     int       `json:"rank"`     // 1 is the oddest; rows that are as odd as each other have one rank
	Surprise float64   `json:"surprise"` // the sum of what its known cells cost, in nats; see Oddities
	Cells    []OddCell `json:"cells"`    // to blame: at most mostBlamed, the oddest first
}

// OddCell is a cell that is odd.
type OddCell struct {
	Column string  `json:"column"`
	Loss   float64 `json:"loss"`  // nats: its share of the surprise
	Words  string  `json:"words"` // what it is, and what was expected
}

const (
	mostBlamed    = 3  // cells of a row
	oddBlamed     = .2 // a cell is to blame if one as odd is less probable
	mostOddListed = 10 // rows that JSON lists
	mostOddSaid   = 5  // rows that are said
)

// Judge says what is odd of the rows of a table. What a row costs is the exact sum of its cells' losses, minus the
// logarithms of the probabilities of their values: given the parts that explain the row, or, of a model that predicts
// and of tables of every kind, given all other cells. To blame are cells that are odd given all others; that sum by
// parts alone would rank rows worse. A Judge belongs to one goroutine.
type Judge struct {
	model Model
	cells func(*Case) ([]Cell, error)
}

// newJudges returns so many judges; none where there are no cells: of images and of classes.
func newJudges(m Model, n int) (all []*Judge, err error) {
	switch m := m.(type) {
	case Mixed:
		first := mixed.NewExplainer(m.Model)
		for range n {
			all = append(all, &Judge{m, m.apart(first.Fork())})
		}
	case Lists:
		all = slices.Repeat([]*Judge{{m, func(c *Case) ([]Cell, error) { return m.Cells(c, nil), nil }}}, n)
	case Bits:
		if !m.Table() {
			return nil, nil
		}
		groups, err := exclusive(m.Model)
		first, wrong := posterior.NewSearcher(m.Model, posterior.Options{})
		if err = cmp.Or(err, wrong); err != nil {
			return nil, err
		}
		for range n {
			all = append(all, &Judge{m, m.apart(first.Fork(), groups)})
		}
	}
	return all, nil
}

// NewJudge returns a judge of rows; nil where there are no cells: of images and of classes. The error says what is wrong
// with the model.
func NewJudge(m Model) (*Judge, error) {
	all, err := newJudges(m, 1)
	if err != nil || all == nil {
		return nil, err
	}
	return all[0], nil
}

// Of says how odd an explained row is; its name, row and rank are not set. The error is a *patchwork.SizeError.
func (j *Judge) Of(c *Case) (o Oddity, err error) {
	cells, err := j.cells(c)
	if err != nil {
		return o, err
	}
	for i := range cells {
		if !math.IsNaN(cells[i].Tail) {
			o.Surprise += cells[i].Loss
		}
	}
	o.Cells = []OddCell{}
	for _, c := range oddest(cells, oddBlamed, mostBlamed) {
		o.Cells = append(o.Cells, OddCell{ColumnName(j.model, c.Column), c.Loss, c.inWords(j.model)})
	}
	return o, nil
}

// Odd returns the cells of an explained row of which one as odd is less probable than below: at most so many, the oddest
// first. The error is a *patchwork.SizeError.
func (j *Judge) Odd(c *Case, below float64, most int) ([]Cell, error) {
	cells, err := j.cells(c)
	return oddest(cells, below, most), err
}

// Oddities says how odd each row of a table is. It returns nil where there are no cells: of images and of classes.
func Oddities(ctx context.Context, m Model, data iter.Seq2[*dataset.Frame, error], workers int) ([]Oddity, error) {
	judges, err := newJudges(m, max(workers, 1))
	if err != nil || judges == nil {
		return nil, err
	}
	idle := make(chan *Judge, len(judges))
	for _, j := range judges {
		idle <- j
	}
	explained := m.Explain(ctx, data, Explaining{Workers: workers, Then: func(x *Explained) {
		j, out := <-idle, make([]Oddity, len(x.Rows))
		x.err = x.each(ctx, func(i int) (err error) {
			out[i], err = j.Of(&Case{x.Frame, x.From + i, x.Rows[i]})
			return err
		})
		x.Out = out
		idle <- j
	}})
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

// apart returns what says of each cell of a row what all others say.
func (m Mixed) apart(e *mixed.Explainer) func(*Case) ([]Cell, error) {
	return func(c *Case) ([]Cell, error) {
		values := slices.Clone(c.Frame.Values[c.At])
		said := func(d int) mixed.Cell {
			hidden := values[d]
			values[d] = math.NaN()
			cell := e.Explain(values).Believe(d)
			values[d] = hidden
			return cell
		}
		return m.cells(c.Frame.Values[c.At], said, nil), nil
	}
}

// apart returns what makes the cells of a row those to blame by what all others say, and what they cost if the model
// predicts. Of a group of which one is on that alone is one cell.
func (m Bits) apart(s *posterior.Searcher, groups posterior.Exclusive) func(*Case) ([]Cell, error) {
	predicts := m.Extras().Predictor != nil
	return func(c *Case) ([]Cell, error) {
		p, err := s.Apart(c.Frame.Images[c.At], groups)
		if err != nil {
			return nil, err
		}
		cells := m.Cells(c, nil)
		for j := range cells {
			c := &cells[j]
			apart := bitCell(j, c.Value == 1, !math.IsNaN(c.Value), p[j], c.Otherwise)
			if c.Mean, c.Tail = apart.Mean, apart.Tail; predicts {
				c.Loss = apart.Loss
			}
		}
		for _, group := range groups {
			blameOne(cells, group, predicts)
		}
		return cells, nil
	}
}

// blameOne makes the one cell that is on of a group that of which the others are not to blame.
func blameOne(cells []Cell, group []int, predicts bool) {
	if !slices.ContainsFunc(group, func(j int) bool { return cells[j].Value == 1 }) {
		return
	}
	for _, j := range group {
		if c := &cells[j]; c.Value == 0 {
			if c.Tail = 1; predicts {
				c.Loss = 0
			}
		}
	}
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

// inWords says what a cell is, and what was expected.
func (c *Cell) inWords(m Model) string {
	text := cmp.Or(c.Text, words.Digits(c.Value))
	if yes := c.Text == "" || c.Text == "0" || c.Text == "1"; yes && c.quantile == nil {
		text = map[float64]string{0: "no", 1: "yes"}[c.Value]
	}
	return fmt.Sprintf("%s %s, expected %s", ColumnName(m, c.Column), text, c.Expected())
}

// oddest returns the cells of which one as odd is less probable than below: at most so many, the oddest first.
func oddest(cells []Cell, below float64, most int) []Cell {
	cells = slices.DeleteFunc(cells, func(c Cell) bool { return !(c.Tail < below) })
	slices.SortStableFunc(cells, func(x, y Cell) int { return cmp.Compare(x.Tail, y.Tail) })
	return cells[:min(len(cells), most)]
}
