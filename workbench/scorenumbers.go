package workbench

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
)

// HiddenNumbers says how well hidden values were predicted. Errors are in standard deviations of the background,
// log-losses in nats per value in the units of the data.
type HiddenNumbers struct {
	Values      int     `json:"values"`
	RMSE        float64 `json:"rmse"`
	LogLoss     float64 `json:"log_loss"`
	Inside      float64 `json:"inside_80"` // share of the values inside the interval of 80 %
	BaseRMSE    float64 `json:"background_rmse"`
	BaseLogLoss float64 `json:"background_log_loss"`
}

// score explains rows by an engine whose hands say the evidence of each, and says how well; had adds to how many rows
// have each part those that row i has.
func (e *engine) score(ctx context.Context, m Model, data iter.Seq2[*dataset.Frame, error], how Scoring,
	had func(x *Explained, i int, shares []float64)) (*Scores, error) {
	out := &Scores{LikelihoodScores: new(LikelihoodScores), NumberScores: new(NumberScores), table: m.Table()}
	var known, picks, all float64
	s := new(RowScores)
	out.Shares = make([]float64, m.K())
	for x, err := range e.explain(ctx, data, nil) {
		if err != nil {
			return nil, err
		}
		s.Explained, s.LogLik, s.Picks, s.Known = x, s.LogLik[:0], s.Picks[:0], s.Known[:0]
		for i := range x.Rows {
			had(x, i, out.Shares)
			r, n := &x.Rows[i], int64(x.Frame.Known(x.From+i))
			s.LogLik, s.Picks, s.Known = append(s.LogLik, r.Evidence), append(s.Picks, int64(len(r.Picks))), append(s.Known, n)
			w := x.Frame.Times(x.From + i)
			out.LogLik, out.Best = out.LogLik+float64(w*r.Evidence), out.Best+float64(w*r.Joint)
			all, known, picks = all+w, known+float64(w*float64(n)), picks+float64(w*float64(len(r.Picks)))
		}
		out.Images += len(x.Rows)
		if how.Each != nil {
			if err := how.Each(s); err != nil {
				return nil, err
			}
		}
	}
	for k := range out.Shares {
		out.Shares[k] /= all
	}
	out.PerImage, out.PerPixel, out.Best, out.PicksPerImage = out.LogLik/all, out.LogLik/known, out.Best/all, picks/all
	return out, nil
}

// Score explains numbers, and says how well.
func (m Numbers) Score(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*Scores, error) {
	best := func(ctx context.Context, p *real.Pursuit, x *Explained) error {
		found := make([]*real.Posterior, len(x.Rows))
		x.Out = found
		if err := x.byNumbers(ctx, p, 1); err != nil { // the explanations that explain tells
			return err
		}
		return x.each(ctx, func(i int) error {
			var err error
			if found[i], err = p.Best(x.numbers(i), 0); err == nil {
				x.Rows[i].Evidence, x.Rows[i].Joint = found[i].Evidence, found[i].Explanations[0].LogJoint
			}
			return err
		})
	}
	had := func(x *Explained, i int, shares []float64) {
		post := x.Out.([]*real.Posterior)[i]
		for j := range post.Explanations {
			addParts(shares, asBits(&post.Explanations[j]).Picks, post.Weights[j])
		}
	}
	out, err := m.by(how.Workers, best).score(ctx, m, data, how, had)
	if err != nil || how.Hide == 0 {
		return out, err
	}
	out.Hidden, err = m.scoreHidden(ctx, data, how)
	return out, err
}

// hide returns the values of a row, by its number in the input, without those that are hidden.
func (s *Scoring) hide(values []float64, row int) []float64 {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(row)))
	visible := slices.Clone(values)
	for d := range visible {
		if rng.Float64() < s.Hide {
			visible[d] = math.NaN()
		}
	}
	return visible
}

// hiddenSums are sums over hidden values.
type hiddenSums struct{ n, squares, loss, inside, baseSquares, baseLoss float64 }

// scoreHidden hides a share of the known values of every row, predicts them and scores the predictions.
func (m Numbers) scoreHidden(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*HiddenNumbers,
	error) {
	hide := func(ctx context.Context, p *real.Pursuit, x *Explained) error {
		sums := make([]hiddenSums, len(x.Rows))
		x.Out = sums
		return x.each(ctx, func(i int) error {
			values := x.numbers(i)
			visible := how.hide(values, x.Rows[i].Index)
			post, err := p.Together(visible, 0)
			if err == nil {
				sums[i].add(m.Model, post, values, visible)
			}
			return err
		})
	}
	var all hiddenSums
	for x, err := range m.by(how.Workers, hide).explain(ctx, data, nil) {
		if err != nil {
			return nil, err
		}
		for _, s := range x.Out.([]hiddenSums) {
			all = hiddenSums{all.n + s.n, all.squares + s.squares, all.loss + s.loss, all.inside + s.inside,
				all.baseSquares + s.baseSquares, all.baseLoss + s.baseLoss}
		}
	}
	if all.n == 0 {
		return nil, fmt.Errorf("--hide %v hides nothing of so few values; hide more", how.Hide)
	}
	return &HiddenNumbers{int(all.n), math.Sqrt(all.squares / all.n), all.loss / all.n, all.inside / all.n,
		math.Sqrt(all.baseSquares / all.n), all.baseLoss / all.n}, nil
}

// add adds what a posterior predicts of the values that are not visible.
func (s *hiddenSums) add(m *real.Model, post *real.Posterior, values, visible []float64) {
	for d, x := range values {
		if math.IsNaN(x) || !math.IsNaN(visible[d]) {
			continue
		}
		p, b := post.Pixel(d), m.Background[d]
		s.n++
		s.squares += (x - p.Mean()) * (x - p.Mean()) / b.Var
		s.loss -= p.LogDensity(x)
		s.baseSquares += (x - b.Mean) * (x - b.Mean) / b.Var
		s.baseLoss -= b.LogDensity(x)
		if c := p.CDF(x); c >= .1 && c <= .9 {
			s.inside++
		}
	}
}

// HiddenCells says how well hidden cells were predicted, and how well by the columns alone. Gains and log-losses are in
// nats a cell, errors in standard deviations of the columns.
type HiddenCells struct {
	Cells   int            `json:"cells"`
	Gain    float64        `json:"gain"` // of the log-loss over that of the columns alone
	LogLoss float64        `json:"log_loss"`
	Columns []HiddenColumn `json:"columns"`
}

// HiddenColumn says so of one column.
type HiddenColumn struct {
	Name  string  `json:"name"`
	Cells int     `json:"cells"`
	Gain  float64 `json:"gain"`
	// Of words, and of yes and no: the share that was predicted rightly, and that by the commonest.
	Accuracy     float64 `json:"accuracy,omitempty"`
	BaseAccuracy float64 `json:"column_accuracy,omitempty"`
	// Of numbers: the error, that of the mean, and how often the interval of 80 % had the value.
	RMSE     float64 `json:"rmse,omitempty"`
	BaseRMSE float64 `json:"column_rmse,omitempty"`
	Inside   float64 `json:"inside_80,omitempty"`

	words bool
}

// Score explains rows, and says how well.
func (m Mixed) Score(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*Scores, error) {
	e := m.by(how.Workers, func(x *Explained) { x.Out = make([]float64, m.K()*len(x.Rows)) },
		func(e *mixed.Explainer, x *Explained, i int) {
			found := e.Explain(x.numbers(i))
			x.Rows[i].byMixed(found, 2) // with the evidence
			for k := range m.K() {
				x.Out.([]float64)[i*m.K()+k] = x.Frame.Times(x.From+i) * found.Share(k)
			}
		})
	out, err := e.score(ctx, m, data, how, func(x *Explained, i int, shares []float64) {
		for k := range shares {
			shares[k] += x.Out.([]float64)[i*len(shares)+k]
		}
	})
	if err != nil || how.Hide == 0 {
		return out, err
	}
	out.Hidden, err = m.scoreHidden(ctx, data, how)
	return out, err
}

// cellSums are sums over the hidden cells of a column.
type cellSums struct{ n, gain, loss, right, common, squares, baseSquares, inside float64 }

func (s *cellSums) add(o cellSums) {
	*s = cellSums{s.n + o.n, s.gain + o.gain, s.loss + o.loss, s.right + o.right, s.common + o.common,
		s.squares + o.squares, s.baseSquares + o.baseSquares, s.inside + o.inside}
}

// scoreHidden hides a share of the known cells of every row, predicts them and scores the predictions.
func (m Mixed) scoreHidden(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*HiddenCells,
	error) {
	hide := m.by(how.Workers, func(x *Explained) { x.Out = make([][]cellSums, len(x.Rows)) },
		func(e *mixed.Explainer, x *Explained, i int) {
			values := x.numbers(i)
			visible := how.hide(values, x.Rows[i].Index)
			found, sums := e.Explain(visible), make([]cellSums, len(values))
			for d, x := range values {
				if math.IsNaN(visible[d]) && !math.IsNaN(m.Columns[d].Code(x)) {
					sums[d] = m.judge(d, found.Believe(d), x)
				}
			}
			x.Out.([][]cellSums)[i] = sums
		})
	all := make([]cellSums, len(m.Columns))
	for x, err := range hide.explain(ctx, data, nil) {
		if err != nil {
			return nil, err
		}
		for _, row := range x.Out.([][]cellSums) {
			for d, s := range row {
				all[d].add(s)
			}
		}
	}
	return m.hidden(all, how.Hide)
}

// judge compares what is believed of a cell with its value.
func (m Mixed) judge(d int, said mixed.Cell, x float64) cellSums {
	c := said.Column
	alone := mixed.CellOf(c, &c.All)
	s := cellSums{n: 1, loss: -said.LogDensity(x)}
	s.gain = -s.loss - alone.LogDensity(x)
	if m.isWords(d) {
		same := func(of mixed.Cell) float64 {
			if v, _ := of.Likeliest(); v == x {
				return 1
			}
			return 0
		}
		s.right, s.common = same(said), same(alone)
		return s
	}
	sd := alone.Deviation()
	if sd > 0 {
		off, base := (x-said.Mean())/sd, (x-alone.Mean())/sd
		s.squares, s.baseSquares = off*off, base*base
	}
	if x >= said.Quantile((1-Inside)/2) && x <= said.Quantile((1+Inside)/2) {
		s.inside = 1
	}
	return s
}

// hidden returns the scores of all columns.
func (m Mixed) hidden(all []cellSums, hide float64) (*HiddenCells, error) {
	out := new(HiddenCells)
	gain, loss := 0.0, 0.0
	for d, s := range all {
		loss += s.loss
		if s.n == 0 {
			continue
		}
		c := HiddenColumn{Name: m.called(d), Cells: int(s.n), Gain: s.gain / s.n, words: m.isWords(d)}
		if c.words {
			c.Accuracy, c.BaseAccuracy = s.right/s.n, s.common/s.n
		} else {
			c.RMSE, c.BaseRMSE, c.Inside = math.Sqrt(s.squares/s.n), math.Sqrt(s.baseSquares/s.n), s.inside/s.n
		}
		out.Cells, gain, out.Columns = out.Cells+c.Cells, gain+s.gain, append(out.Columns, c)
	}
	if out.Cells == 0 {
		return nil, fmt.Errorf("--hide %v hides nothing of so few values; hide more", hide)
	}
	out.Gain, out.LogLoss = gain/float64(out.Cells), loss/float64(out.Cells)
	return out, nil
}

// lines says the scores, for people.
func (h *HiddenCells) lines() []string {
	out := []string{fmt.Sprintf("%-25s %d, log-loss %.4f nats a cell less than by the columns alone",
		"hidden cells", h.Cells, h.Gain)}
	if len(h.Columns) > mostColumnsSaid {
		return out
	}
	var rows [][]string
	for _, c := range h.Columns {
		row := []string{c.Name, fmt.Sprint(c.Cells), cell(c.Gain), "", "", "", ""}
		if c.words {
			row[3], row[4] = cell(c.Accuracy), cell(c.BaseAccuracy)
		} else {
			row[5], row[6] = cell(c.RMSE), cell(c.BaseRMSE)
		}
		rows = append(rows, row)
	}
	return append(append(out, ""), Columns([]string{"column", "cells", "gain", "right", "by the commonest", "error",
		"of the mean"}, rows)...)
}
