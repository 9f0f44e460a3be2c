package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/workbench"
)

const (
	oddBelow = 0.01   // a cell is among the surprises if one as odd is less probable
	mostOdd  = 24     // surprises
	oddInRow = 0.2    // a cell of a row that is described badly is named if one as odd is less probable
	oddNamed = 6      // of such a row
	mostGaps = 20_000 // rows whose unknown cells are predicted
)

// Cell is a value, or one that is unknown, beside what is said about it. Of a bit the mean is the probability of a 1,
// and there is no interval.
type Cell struct {
	Row       int    `json:"row"`
	Name      string `json:"row_name"`
	Column    string `json:"column"`
	Number    int    `json:"column_number"`
	Value     Number `json:"value"` // null where it is unknown
	Mean      Number `json:"mean"`
	Deviation Number `json:"deviation"`
	Low       Number `json:"low"` // ends of the interval of 80 %
	High      Number `json:"high"`
	Tail      Number `json:"tail"`           // the probability of a value that is at least as odd
	Expected  string `json:"expected"`       // in words
	Text      string `json:"text,omitempty"` // the value in words, of tables of every kind

	otherwise, spread float64
}

// cellOf returns a cell of a row.
func (r *Report) cellOf(at int, c *workbench.Cell) Cell {
	low, high := c.Interval()
	row := &r.ByRow[at]
	return Cell{row.Row, row.Name, r.names[c.Column], c.Column + 1, Number(c.Value), Number(c.Mean),
		Number(c.Deviation), Number(low), Number(high), Number(c.Tail), c.Expected(), c.Text, c.Otherwise, c.Spread}
}

// shown returns the value of a cell as people read it.
func shown(c Cell) string { return cmp.Or(c.Text, words.Digits(float64(c.Value))) }

// caseOf returns a row as it was explained.
func (r *Report) caseOf(at int) *workbench.Case {
	return &workbench.Case{Frame: r.set, At: at, Row: r.rows[at]}
}

// oddest keeps the oddest cells.
func (r *Report) oddest() {
	slices.SortStableFunc(r.Surprises, func(x, y Cell) int { return cmp.Compare(x.Tail, y.Tail) })
	r.Surprises = r.Surprises[:min(len(r.Surprises), mostOdd)]
}

// oddOf returns the cells of a row that are odd, the oddest first. No row is of a wrong size: all were explained.
func (r *Report) oddOf(at int) (out []Cell) {
	odd, _ := r.judge.Odd(r.caseOf(at), oddInRow, oddNamed)
	for _, c := range odd {
		out = append(out, r.cellOf(at, &c))
	}
	return out
}

// Odd returns for the rows of a table that are described worst, at most so many, what is odd about them, by their index.
func (r *Report) Odd(most int) map[int]string {
	out := map[int]string{}
	if r.judge == nil {
		return out
	}
	for _, i := range r.Unusual()[:min(most, len(r.ByRow))] {
		o, _ := r.judge.Of(r.caseOf(i))
		out[i] = o.Blame()
	}
	return out
}

// spread returns so many rows at the most, spread evenly over the data.
func (r *Report) spread(most int) []int {
	var out []int
	n := min(r.Rows, most)
	for j := range n {
		out = append(out, j*r.Rows/n)
	}
	return out
}

// Missing is what the model predicts for the cells of a table that are unknown.
type Missing struct {
	Cells int64 `json:"cells"` // that are unknown; rows of weight above 1 counted once
	Rows  int   `json:"rows"`  // that have one
	// rows of these whose cells were predicted, drawn at random; as many if they are few
	Sample    int    `json:"sample"`
	Predicted []Cell `json:"predicted"`
}

// missing predicts the unknown cells of a table from the other cells of their rows.
func (b *builder) missing(ctx context.Context) error {
	if !b.set.Table || b.r.Unknown == 0 {
		return nil
	}
	var gaps []int
	for i := range b.set.Len() {
		if b.set.Known(i) < b.r.Width {
			gaps = append(gaps, i)
		}
	}
	all, most := len(gaps), min(max(workOfMissing/(b.r.Width*max(b.m.K(), 1)), fewestRefitRows), mostGaps)
	if all > most {
		rng := source(b.opt.Seed, "missing", 0)
		rng.Shuffle(all, func(i, j int) { gaps[i], gaps[j] = gaps[j], gaps[i] })
		gaps = gaps[:most]
		slices.Sort(gaps)
	}
	b.opt.Progress(stepPredict, 0, len(gaps))
	missing := &Missing{Cells: b.r.Unknown, Rows: all, Sample: len(gaps)}
	how := workbench.Predicting{Workers: b.opt.Workers}
	for x, err := range b.m.Predict(ctx, workbench.Once(b.set.Pick(gaps)), how) {
		if err != nil {
			return err
		}
		for i := range x.Values {
			at := gaps[x.From+i]
			said := b.m.Cells(&workbench.Case{Frame: b.set, At: at, Row: b.r.rows[at]}, nil)
			for _, d := range x.Cells(i) {
				missing.Predicted = append(missing.Predicted, b.r.cellOf(at, &said[d]).predicted(x, i))
			}
		}
		b.opt.Progress(stepPredict, x.To(), len(gaps))
	}
	b.r.Missing = missing
	return nil
}

// predicted returns the cell with what was predicted of it.
func (c Cell) predicted(x *workbench.Filled, i int) Cell {
	d := c.Number - 1
	c.Mean = Number(x.Values[i][d])
	switch {
	case c.spread == 0 && x.Sure != nil:
		c.Mean = Number(x.Sure[i][d])
		fallthrough
	case c.spread == 0:
		c.Deviation = Number(math.Sqrt(float64(c.Mean * (1 - c.Mean))))
	default:
		c.Deviation, c.Low, c.High = Number(x.Deviation[i][d]), Number(x.Low[i][d]), Number(x.High[i][d])
	}
	c.Expected = workbench.Expected(float64(c.Mean), float64(c.Low), float64(c.High))
	if x.Expected != nil {
		c.Expected = x.Expected[i][d]
	}
	return c
}
