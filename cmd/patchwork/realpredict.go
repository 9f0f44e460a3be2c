package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
)

// predictReal fills in unknown values.
func (a *app) predictReal(cmd *cobra.Command, f *predictFlags, m *real.Model, paths []string) error {
	kind, table := isTable(f.format)
	if !table {
		return usagef("-o %s: for real values give .csv, .npz or .parquet", f.output)
	}
	t, err := a.realTask(cmd, m, &f.data, f.workers, paths)
	if err != nil {
		return err
	}
	predicted := make([]real.Prediction, t.v.Len())
	asked := make([][]float64, t.v.Len()) // NaN where a prediction is asked for
	err = t.each(cmd.Context(), func(p *real.Pursuit, i int) error {
		post, err := p.Together(t.v.Rows[i], 0)
		if err != nil {
			return err
		}
		asked[i] = slices.Clone(t.v.Rows[i])
		if f.all {
			for d := range asked[i] {
				asked[i][d] = math.NaN()
			}
		}
		predicted[i] = post.Predict(asked[i], .8)
		return nil
	})
	if err != nil {
		return err
	}
	if f.cells {
		return a.realCells(t, predicted, asked, f)
	}
	if kind == dataset.TableNPZ {
		err = a.output(f.output, func(w io.Writer) error { return t.writeFilled(w, predicted) })
	} else {
		filled := rowAnswers(t.rows(), false, 0, len(predicted))
		filled.add("x", t.filled(predicted, kind == dataset.TableCSV), realColumns(t.m)...)
		err = a.outputAnswers(f.output, f.format, filled, filled.once())
	}
	if err != nil {
		return err
	}
	return a.wrote(f.output, "%s", sizeOf(t.v.Len(), t.m.Height, t.m.Width, t.v.Table))
}

// filled returns the rows with unknown values filled in; if rounds, predictions are rounded, and known values stay.
func (t *realTask) filled(p []real.Prediction, rounds bool) (all []float64) {
	for i := range p {
		for d, v := range p[i].Mean {
			if rounds && v != t.v.Rows[i][d] {
				v = rounded(v)
			}
			all = append(all, v)
		}
	}
	return all
}

// writeFilled writes the rows with unknown values filled in, and their deviations.
func (t *realTask) writeFilled(w io.Writer, p []real.Prediction) error {
	var deviation []float64
	for i := range p {
		deviation = append(deviation, p[i].Deviation...)
	}
	index := valuesBy(len(p), func(i int) int64 { return int64(t.v.Index[i]) })
	return writeRealRows(w, t.m, t.v.Table, t.v.Columns, t.filled(p, false),
		npy.Member{Name: "deviation", Array: npy.New(deviation, rowShape(t.m, t.v.Table, len(p))...)},
		npy.Member{Name: "index", Array: npy.New(index, len(p))})
}

// rowShape returns the shape of an array of n rows or images of a model.
func rowShape(m *real.Model, table bool, n int) []int {
	if table {
		return []int{n, m.Width}
	}
	return []int{n, m.Height, m.Width}
}

// writeRealRows writes rows or images of a model as an array x, with more arrays and the names of the columns.
func writeRealRows(w io.Writer, m *real.Model, table bool, columns []string, x []float64, more ...npy.Member) error {
	out := append([]npy.Member{{Name: "x", Array: npy.New(x, rowShape(m, table, len(x)/m.D())...)}}, more...)
	if columns != nil {
		out = append(out, npy.Member{Name: "columns", Array: npy.New(columns, len(columns))})
	}
	return npy.WriteZip(w, npy.Deflate, out...)
}

// realCells writes a row per predicted value: its row and column, the prediction, its deviation, the interval of 80 %,
// and the labels.
func (a *app) realCells(t *realTask, p []real.Prediction, asked [][]float64, f *predictFlags) error {
	c := newCells(t.rows(), realColumns(t.m), t.m.Width, isRounded(f.format), "value", "deviation", "low", "high")
	for i := range p {
		for d, v := range asked[i] {
			if math.IsNaN(v) {
				c.add(i, d, p[i].Mean[d], p[i].Deviation[d], p[i].Low[d], p[i].High[d])
			}
		}
	}
	out := c.answers()
	if err := a.outputAnswers(f.output, f.format, out, out.once()); err != nil {
		return err
	}
	return a.wrote(f.output, "%s", words.Count(len(c.of), "predicted value"))
}

// realColumns returns what the columns of a model are called.
func realColumns(m *real.Model) []string {
	return valuesBy(m.D(), func(d int) string { return words.RealColumn(m, d) })
}

// realScore is what score reports of real values.
type realScore struct {
	Images        int         `json:"images"`
	LogLik        float64     `json:"log_lik"` // of all rows, each the sum over its best explanations
	PerImage      float64     `json:"log_lik_per_image"`
	PerPixel      float64     `json:"log_lik_per_pixel"` // per known value
	Best          float64     `json:"best_log_joint_per_image"`
	PicksPerImage float64     `json:"picks_per_image"`
	Hidden        *realHidden `json:"hidden,omitempty"`
}

// realHidden says how well hidden values were predicted. Errors are in standard deviations of the background,
// log-losses in nats
// per value in the units of the data.
type realHidden struct {
	Values      int     `json:"values"`
	RMSE        float64 `json:"rmse"`
	LogLoss     float64 `json:"log_loss"`
	Inside      float64 `json:"inside_80"` // share of the values inside the interval of 80 %
	BaseRMSE    float64 `json:"background_rmse"`
	BaseLogLoss float64 `json:"background_log_loss"`
}

// scoreReal scores data by a model of real values.
func (a *app) scoreReal(cmd *cobra.Command, f *scoreFlags, m *real.Model, paths []string) error {
	h, output := &f.hidden, f.output
	_, table := isTable(f.format)
	if output == "-" || output != "" && !table {
		return usagef("-o %s: for real values name a file: .csv, .npz or .parquet", output)
	}
	t, err := a.realTask(cmd, m, &f.input.data, f.input.workers, paths)
	if err != nil {
		return err
	}
	r, evidence, picks, err := t.score(cmd.Context())
	if err != nil {
		return err
	}
	if h.fraction > 0 {
		if r.Hidden, err = t.hidden(cmd.Context(), h.fraction, h.seed); err != nil {
			return err
		}
	}
	if output != "" {
		scores := rowAnswers(t.rows(), false, 0, t.v.Len())
		scores.add("log_lik", evidence)
		scores.add("picks", picks)
		if err := a.outputAnswers(output, f.format, scores, scores.once()); err != nil {
			return err
		}
	}
	if f.json {
		return a.printObject(r, output)
	}
	return a.print(r.lines(isTableModel(t.m)))
}

// score returns the report, and of each row the log-likelihood and the number of picks.
func (t *realTask) score(ctx context.Context) (r *realScore, evidence []float64, picks []int64, err error) {
	n := t.v.Len()
	evidence, picks = make([]float64, n), make([]int64, n)
	best := make([]float64, n)
	err = t.each(ctx, func(p *real.Pursuit, i int) error {
		post, err := p.Best(t.v.Rows[i], 0)
		if err == nil {
			evidence[i], best[i], picks[i] = post.Evidence, post.Explanations[0].LogJoint, int64(len(post.Explanations[0].Picks))
		}
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	known, used := 0, int64(0)
	for i, row := range t.v.Rows {
		used += picks[i]
		for _, x := range row {
			if !math.IsNaN(x) {
				known++
			}
		}
	}
	total := sum(evidence)
	return &realScore{Images: n, LogLik: total, PerImage: total / float64(n),
		PerPixel: total / float64(known),
		Best:     sum(best) / float64(n), PicksPerImage: float64(used) / float64(n)}, evidence, picks, nil
}

// lines returns the report for people.
func (r *realScore) lines(table bool) []string {
	row, value := "image", "pixel"
	if table {
		row, value = "row", "value"
	}
	out := []string{
		fmt.Sprintf("log-likelihood %.3f per %s, %.5f per known %s (nats), over the best explanations", r.PerImage, row,
			r.PerPixel, value),
		fmt.Sprintf("%.3f per %s with the best explanation alone, its parts included; %.2f parts per %s", r.Best, row,
			r.PicksPerImage, row),
	}
	if h := r.Hidden; h != nil {
		out = append(out, fmt.Sprintf(
			"%s hidden: error %.3f standard deviations, log-loss %.4f nats, %.1f %% inside the interval of 80 %%",
			words.Count(h.Values, "value"), h.RMSE, h.LogLoss, 100*h.Inside),
			fmt.Sprintf("the background alone: error %.3f, log-loss %.4f", h.BaseRMSE, h.BaseLogLoss))
	}
	return out
}

// hidden hides a share of the known values of every row, and predicts them.
func (t *realTask) hidden(ctx context.Context, fraction float64, seed uint64) (*realHidden, error) {
	type sums struct{ n, squares, loss, inside, baseSquares, baseLoss float64 }
	rows := make([]sums, t.v.Len())
	err := t.each(ctx, func(p *real.Pursuit, i int) error {
		rng := rand.New(rand.NewPCG(seed, uint64(t.v.Index[i])))
		row, hidden := slices.Clone(t.v.Rows[i]), []int{}
		for d, x := range row {
			if hide := rng.Float64() < fraction; hide && !math.IsNaN(x) {
				row[d], hidden = math.NaN(), append(hidden, d)
			}
		}
		post, err := p.Together(row, 0)
		if err != nil {
			return err
		}
		s := &rows[i]
		for _, d := range hidden {
			x, m, b := t.v.Rows[i][d], post.Pixel(d), t.m.Background[d]
			s.n++
			s.squares += (x - m.Mean()) * (x - m.Mean()) / b.Var
			s.loss -= m.LogDensity(x)
			s.baseSquares += (x - b.Mean) * (x - b.Mean) / b.Var
			s.baseLoss -= b.LogDensity(x)
			if c := m.CDF(x); c >= .1 && c <= .9 {
				s.inside++
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all sums
	for _, s := range rows {
		all = sums{all.n + s.n, all.squares + s.squares, all.loss + s.loss, all.inside + s.inside,
			all.baseSquares + s.baseSquares, all.baseLoss + s.baseLoss}
	}
	if all.n == 0 {
		return nil, usagef("--hide %v hides nothing of so few values; hide more", fraction)
	}
	return &realHidden{int(all.n), math.Sqrt(all.squares / all.n), all.loss / all.n,
		all.inside / all.n,
		math.Sqrt(all.baseSquares / all.n), all.baseLoss / all.n}, nil
}
