package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/workbench"
)

// Numbers are what only a report about real values has. What it shares with a report about bits is in Report: who
// uses which parts, labels, pairs of parts, and of every row its parts and its loss, which is minus the logarithm of
// the density by its best explanation, in nats per known value, and may be negative.
type Numbers struct {
	PartVotes [][]RealVote `json:"part_votes"` // of each part; of tables the strongest first
	Background
	BaseLogLik  Number       `json:"background_log_lik_per_row"` // nats, of the background alone
	RealColumns []RealColumn `json:"real_columns"`               // of tables
	Cells       []RealCell   `json:"cells"`                      // what is unknown, predicted
	Worked      []RealRow    `json:"worked"`                     // some rows, worked out
	// known values that are furthest from what their row's parts say
	Surprises []RealCell `json:"surprises"`

	model *real.Model
	found []real.Explanation
}

// Background is what the model says where no part does.
type Background struct {
	Mean      []float64 `json:"background_mean"`
	Deviation []float64 `json:"background_deviation"`
}

// RealVote is what a part says of a column, or of a pixel.
type RealVote struct {
	Column    string  `json:"column,omitempty"`
	Number    int     `json:"column_number"` // or pixel, row-major, from 1
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
	Own       bool    `json:"own_deviation"` // not that of the background
	Before    float64 `json:"background"`
	Otherwise float64 `json:"background_deviation"`
	Among     Number  `json:"among"` // mean of the values of the rows that use the part

	bit bool // 0 or 1: the means are shares
}

// RealColumn is a column of a table, and how much of it the parts leave unexplained.
type RealColumn struct {
	Number    int    `json:"column"`
	Name      string `json:"name"`
	Known     int    `json:"known"`
	Mean      Number `json:"mean"`
	Deviation Number `json:"deviation"`
	Left      Number `json:"left"` // root mean square of what the parts leave, given the explanations of the rows
}

// RealCell is a value, or one that is unknown, beside what is said about it.
type RealCell struct {
	Row       int    `json:"row"` // from 1
	Name      string `json:"name"`
	Column    string `json:"column,omitempty"`
	Number    int    `json:"column_number"` // or pixel, row-major, from 1
	Value     Number `json:"value"`         // null where it is unknown
	Mean      Number `json:"mean"`
	Deviation Number `json:"deviation"`
	Low       Number `json:"low"` // ends of the interval of 80 %
	High      Number `json:"high"`

	bit bool // 0 or 1: the mean is a share
}

// Expected says what is expected: an interval, or of a bit the share of rows in which it is 1.
func (c RealCell) Expected() string {
	if c.bit {
		return words.Percent(float64(c.Mean))
	}
	return words.Digits(float64(c.Low)) + " to " + words.Digits(float64(c.High))
}

// Off returns how many deviations the value is from the mean.
func (c RealCell) Off() float64 {
	return float64(c.Value-c.Mean) / math.Max(float64(c.Deviation), 1e-300)
}

// RealRow is a row worked out: what its parts say about each value.
type RealRow struct {
	Row   Row        `json:"row"`
	Cells []RealCell `json:"cells"` // of tables: those that the parts say something about, the most first, then the others

	at int
}

const (
	workedRows  = 6    // shown of tables
	mostCells   = 5000 // unknown values that are predicted
	mostOdd     = 24   // surprises
	oddFrom     = 3    // deviations
	workedCells = 14
)

// numbers builds a report about real values, for which of the options Workers and Progress count.
func (b *builder) numbers(ctx context.Context, m *real.Model) error {
	r := b.r
	r.Rule, r.interrupted, r.Weight = m.Rule.String(), m.Record.Interrupted, int64(b.set.Len())
	r.Numbers = &Numbers{model: m}
	if r.Table {
		r.Columns = r.Width
	}
	for _, g := range m.Background {
		r.Mean, r.Deviation = append(r.Mean, g.Mean), append(r.Deviation, math.Sqrt(g.Var))
	}
	n := &realBuilder{builder: b}
	if err := n.explain(ctx); err != nil {
		return err
	}
	n.parts()
	n.columns()
	n.work()
	b.crossTables()
	b.together()
	r.Summary = n.summary()
	return nil
}

// realBuilder is the work on a report about real values.
type realBuilder struct {
	*builder
	rows []explained
}

// explained is what one row gives to the report.
type explained struct {
	found    real.Explanation
	evidence float64
	unknown  []RealCell
	odd      []RealCell
	left     []float64 // of tables: value less mean; NaN where it is unknown
}

// explain explains all rows, predicts what is unknown in them and finds what is far from what their parts say.
func (b *realBuilder) explain(ctx context.Context) error {
	m, v := b.r.Numbers.model, b.set
	first, err := real.NewPursuit(m)
	if err != nil {
		return err
	}
	workers := pool.Size(v.Len(), b.opt.Workers, pool.Chunk)
	pursuits := []*real.Pursuit{first}
	for len(pursuits) < workers {
		pursuits = append(pursuits, first.Fork())
	}
	rows := make([]explained, v.Len())
	step := b.counter("explaining", v.Len())
	at, err := pool.Run(ctx, v.Len(), workers, pool.Chunk, func(w, i int) (err error) {
		rows[i], err = b.explainRow(pursuits[w], i)
		step()
		return err
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("row %d: %w", b.row(at), err)
	}
	if err != nil {
		return err
	}
	b.add(rows)
	return nil
}

// explainRow explains row i.
func (b *realBuilder) explainRow(p *real.Pursuit, i int) (out explained, err error) {
	m, values := b.r.Numbers.model, b.set.Values[i]
	if out.found, err = p.Explain(values); err != nil {
		return out, err
	}
	look := p.Best
	if slices.ContainsFunc(values, math.IsNaN) {
		look = p.Together
	}
	post, err := look(values, 0)
	if err != nil {
		return out, err
	}
	out.evidence = post.Evidence
	predicted := post.Predict(values, workbench.Inside)
	for d, x := range values {
		if math.IsNaN(x) {
			out.unknown = append(out.unknown, b.cell(i, d, x, predicted.Mean[d], predicted.Deviation[d], predicted.Low[d],
				predicted.High[d]))
			out.left = append(out.left, x)
			continue
		}
		mix := m.Compose(d, out.found.Picks)
		mean, deviation := mix.Mean(), math.Sqrt(mix.Variance())
		out.left = append(out.left, x-mean)
		if math.Abs(x-mean) >= oddFrom*deviation {
			low, high := ends(mix)
			out.odd = append(out.odd, b.cell(i, d, x, mean, deviation, low, high))
		}
	}
	return out, nil
}

// ends returns the ends of the interval of 80 %.
func ends(m real.Mixture) (low, high float64) {
	return m.Quantile((1 - workbench.Inside) / 2), m.Quantile((1 + workbench.Inside) / 2)
}

// cell returns a value of row i with what is said about it.
func (b *realBuilder) cell(i, d int, x, mean, deviation, low, high float64) RealCell {
	bit := b.r.Numbers.model.Scales != nil && b.r.Numbers.model.Scales[d].Bit
	if bit {
		low, high = max(low, 0), min(high, 1)
	}
	c := RealCell{b.row(i), b.rowName(i), "", d + 1, Number(x), Number(mean), Number(deviation), Number(low), Number(high),
		bit}
	if b.r.Table {
		c.Column = words.RealColumn(b.r.Numbers.model, d)
	}
	return c
}

// add adds up what was found of the rows, in their order.
func (b *realBuilder) add(rows []explained) {
	r, known, logLik, base := b.r, 0, 0.0, 0.0
	for i, e := range rows {
		picks := []patchwork.Pick{} // for what is counted as of bits: only the parts matter
		for j, p := range e.found.Picks {
			picks = append(picks, patchwork.Pick{Expert: p.Expert, Gain: e.found.Gains[j]})
		}
		b.found = append(b.found, patchwork.Explanation{Picks: picks})
		r.picks = append(r.picks, picks)
		r.found = append(r.found, e.found)
		row := b.rowOf(i, r.Numbers.model.D()-len(e.unknown))
		row.Loss = Number(-e.found.LogLik / float64(row.Known))
		r.ByRow = append(r.ByRow, row)
		known += row.Known
		logLik, base = logLik+e.evidence, base+e.found.StartLogLik
		r.Unknown += int64(len(e.unknown))
		if room := mostCells - len(r.Cells); room > 0 {
			r.Cells = append(r.Cells, e.unknown[:min(room, len(e.unknown))]...)
		}
		r.Surprises = append(r.Surprises, e.odd...)
	}
	slices.SortStableFunc(r.Surprises,
		func(x, y RealCell) int { return cmp.Compare(math.Abs(y.Off()), math.Abs(x.Off())) })
	r.Surprises = r.Surprises[:min(len(r.Surprises), mostOdd)]
	n := float64(len(rows))
	r.LogLik, r.PerCell, r.BaseLogLik = Number(logLik/n), Number(logLik/float64(known)), Number(base/n)
	b.rows = rows
}
