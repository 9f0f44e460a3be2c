package report

import (
	"context"
	"errors"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/table/answers"
	"example.com/patchwork/workbench"
)

// Build explains rows or images by a model and computes a report. The error is the context's,
// or says which row does not fit the model. The report is the same for any number of
// workers.
func Build(ctx context.Context, m workbench.Model, set *dataset.Frame, opt Options) (*Report, error) {
	if set.Len() == 0 {
		return nil, errors.New("patchwork: there are no rows to report on")
	}
	if opt.Workers = max(opt.Workers, 1); opt.Progress == nil {
		opt.Progress = func(string, int, int) {}
	}
	about := m.Describe()
	if about.OfClasses != nil {
		return nil, errors.New("patchwork: a report is of parts, which a model of classes has none of its own")
	}
	judge, err := workbench.NewJudge(m)
	if err != nil {
		return nil, err
	}
	set = set.Whole()
	b := &builder{m: m, set: set, opt: opt, rowName: set.Called(), labels: findLabels(set)}
	b.r = &Report{Source: set.Source, Table: set.Table, Rule: about.Rule, Rows: set.Len(), Seed: opt.Seed,
		ByRow: []Row{}, ByColumn: []Column{}, Surprises: []Cell{}, set: set, model: m, judge: judge,
		interrupted: about.Interrupted()}
	b.r.Height, b.r.Width = set.Size()
	switch m := m.(type) {
	case workbench.Bits:
		b.bits, b.evidence, b.reader = m.Model, patchwork.NewTally(m.Model), m.Reader()
	case workbench.Mixed:
		b.mixed = &m
	}
	b.folds = b.opt.settle(m, set, b.mixed != nil)
	if set.Table {
		b.r.Columns = b.r.Width
		for j := range b.r.Width {
			b.r.names = append(b.r.names, b.columnName(j))
		}
	}
	for _, do := range []func(context.Context) error{b.explain, b.answers, b.missing, b.describe, b.quality, b.stability} {
		if err := do(ctx); err != nil {
			return nil, err
		}
	}
	b.distrust()
	b.r.Summary = b.r.summary()
	return b.r, nil
}

// describe adds what needs no learning, and hands out what there is of the report before learning again.
func (b *builder) describe(context.Context) error {
	b.crossTables()
	b.together()
	b.places()
	if b.opt.First == nil {
		return nil
	}
	first := *b.r
	first.NoQuality, first.NoStability = comes, comes
	first.Summary = first.summary()
	return b.opt.First(&first)
}

// comes says of what is not there yet that it will be.
const comes = "It is being worked out; this page is replaced when that is done."

// builder is the work on one report.
type builder struct {
	m      workbench.Model
	set    *dataset.Frame
	opt    Options
	folds  int // of Quality
	labels labels
	r      *Report

	bits     *patchwork.Model // what can be learned again, and diagnosed; nil of others
	mixed    *workbench.Mixed // what can be learned again of tables of every kind; nil of others
	evidence *patchwork.Tally // of the same
	reader   *answers.Reader  // of a picture of a table of answers; else nil

	rowName func(i int) string // what row i is called
	shares  []float64          // of the parts
	columns []sums             // of each column of a table, what the parts leave of it
	among   [][]sums           // of each part, the columns of the rows that use it
}

// columnName returns what a column is called by the model, or else by the data.
func (b *builder) columnName(j int) string {
	if b.m.ColumnNames() == nil && len(b.set.Columns) == b.r.Width {
		return words.ColumnOf(b.set.Columns, j)
	}
	return workbench.ColumnName(b.m, j)
}

// sums are sums over known cells, weights counted.
type sums struct{ n, x, squares, left float64 }

func (s *sums) add(c *workbench.Cell, weight float64) {
	s.n, s.x, s.squares = s.n+weight, s.x+float64(weight*c.Value), s.squares+float64(weight*c.Value*c.Value)
	s.left += float64(weight * (c.Value - c.Mean) * (c.Value - c.Mean))
}

// mean returns the mean of the values; NaN of none.
func (s *sums) mean() float64 { return s.x / s.n }

// deviation returns the standard deviation of the values.
func (s *sums) deviation() float64 {
	return math.Sqrt(max(0, s.squares/s.n-float64(s.mean()*s.mean())))
}

// explain explains all rows as score does, and counts.
func (b *builder) explain(ctx context.Context) error {
	n := b.set.Len()
	if b.set.Table {
		b.columns, b.among = make([]sums, b.r.Width), make([][]sums, b.m.K())
		for k := range b.among {
			b.among[k] = make([]sums, b.r.Width)
		}
	}
	b.opt.Progress(stepExplain, 0, n)
	gained := 0.0
	var cells []workbench.Cell
	how := workbench.Scoring{Explaining: workbench.Explaining{Workers: b.opt.Workers},
		Each: func(s *workbench.RowScores) error {
			for i := range s.Rows {
				row := s.Rows[i]
				row.Picks = slices.Clone(row.Picks) // the memory of a part is used again
				gained += b.addRow(s, i, row)
				cells = b.addCells(s.From+i, &row, cells[:0])
			}
			b.opt.Progress(stepExplain, len(b.r.rows), n)
			return ctx.Err()
		}}
	scores, err := b.m.Score(ctx, workbench.Once(b.set), how)
	if err != nil {
		return err
	}
	b.shares = scores.Shares
	b.r.LogLik, b.r.PerCell = Number(scores.PerImage), Number(scores.PerPixel)
	b.r.Gained, b.r.scores = Number(gained/float64(b.r.Weight)), scores.Lines()
	b.r.oddest()
	for j, s := range b.columns {
		b.r.ByColumn = append(b.r.ByColumn, Column{j + 1, b.r.names[j], int64(s.n), Number(s.mean()), Number(s.deviation()),
			Number(math.Sqrt(s.left / s.n))})
	}
	b.findings()
	b.parts()
	return nil
}

// addRow adds an explained row, and returns how many nats its parts gain, weights counted.
func (b *builder) addRow(s *workbench.RowScores, i int, row workbench.Row) float64 {
	r, at := b.r, s.From+i
	w := b.set.Weight(at)
	out := Row{Row: row.Index + 1, Name: b.rowName(at), Known: int(s.Known[i]), Parts: []int{}, Gains: []Number{},
		Loss: Number(-s.LogLik[i] / float64(s.Known[i]))}
	for _, p := range row.Picks {
		out.Parts, out.Gains = append(out.Parts, p.Expert), append(out.Gains, Number(p.Gain))
	}
	r.rows, r.ByRow = append(r.rows, row), append(r.ByRow, out)
	r.Weight += w
	r.Unknown += int64(r.Height*r.Width) - s.Known[i]
	if b.evidence != nil {
		b.evidence.Add(b.bits, b.set.Images[at], &row.Explanation, w)
	}
	if math.IsInf(s.LogLik[i], -1) {
		r.Impossible += w
		return 0
	}
	return float64(w) * (row.LogLik - row.StartLogLik)
}

// addCells adds the cells of a row of a table.
func (b *builder) addCells(at int, row *workbench.Row, cells []workbench.Cell) []workbench.Cell {
	if !b.set.Table {
		return cells
	}
	cells = b.m.Cells(&workbench.Case{Frame: b.set, At: at, Row: *row}, cells)
	w, active := float64(b.set.Weight(at)), activeParts(row.Picks)
	for j := range cells {
		c := &cells[j]
		if math.IsNaN(c.Value) {
			continue
		}
		b.columns[j].add(c, w)
		for _, k := range active {
			b.among[k][j].add(c, w)
		}
		if c.Tail < oddBelow {
			b.r.Surprises = append(b.r.Surprises, b.r.cellOf(at, c))
		}
	}
	if len(b.r.Surprises) > 100*mostOdd { // of many rows
		b.r.oddest()
	}
	return cells
}

// activeParts returns the parts among picks, each once, in the order of the pursuit.
func activeParts(picks []patchwork.Pick) []int {
	var out []int
	for _, p := range picks {
		if !slices.Contains(out, p.Expert) {
			out = append(out, p.Expert)
		}
	}
	return out
}
