package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// realTask is a model of real values and data for it.
type realTask struct {
	m       *real.Model
	v       *dataset.Values
	workers int
}

// realTask reads a model of real values and data.
func (a *app) realTask(cmd *cobra.Command, model string, f *dataFlags, workers int, paths []string) (*realTask, error) {
	m, err := loadReal(model)
	if err != nil {
		return nil, err
	}
	v, err := f.readReal(cmd, paths, m)
	if err != nil {
		return nil, err
	}
	return &realTask{m, v, workers}, nil
}

// each calls do for each row, with a pursuit of its worker.
func (t *realTask) each(ctx context.Context, do func(p *real.Pursuit, i int) error) error {
	first, err := real.NewPursuit(t.m)
	if err != nil {
		return err
	}
	workers := pool.Size(t.v.Len(), max(t.workers, 1), pool.Chunk)
	pursuits := []*real.Pursuit{first}
	for len(pursuits) < workers {
		pursuits = append(pursuits, first.Fork())
	}
	at, err := pool.Run(ctx, t.v.Len(), workers, pool.Chunk, func(w, i int) error { return do(pursuits[w], i) })
	if err != nil && ctx.Err() == nil {
		return &inputError{fmt.Errorf("row %d: %w", t.v.Index[at]+1, err)}
	}
	return err
}

// explanations explains all rows.
func (t *realTask) explanations(ctx context.Context) ([]real.Explanation, error) {
	out := make([]real.Explanation, t.v.Len())
	err := t.each(ctx, func(p *real.Pursuit, i int) (err error) {
		out[i], err = p.Explain(t.v.Rows[i])
		return err
	})
	return out, err
}

// realLine is a line of explain; fields as in lines of bits.
type realLine struct {
	Index       int            `json:"index"`
	Labels      map[string]any `json:"labels,omitempty"`
	StartLogLik jsonFloat      `json:"start_log_lik"`
	LogLik      jsonFloat      `json:"log_lik"`
	LogJoint    jsonFloat      `json:"log_joint"`
	Picks       []any          `json:"picks"`

	Evidence     *jsonFloat        `json:"evidence,omitempty"` // with --best
	Alternatives []realAlternative `json:"alternatives,omitempty"`
}

// realAlternative is one of the best explanations.
type realAlternative struct {
	Picks    []any     `json:"picks"`
	LogLik   jsonFloat `json:"log_lik"`
	LogJoint jsonFloat `json:"log_joint"`
	Weight   jsonFloat `json:"weight"`
}

// A pick of a part that moves says where.
type realPick struct {
	Expert int        `json:"expert"`
	Name   string     `json:"name,omitempty"`
	Gain   *jsonFloat `json:"gain,omitempty"` // none of alternatives
}
type movedPick struct {
	Expert int        `json:"expert"`
	Name   string     `json:"name,omitempty"`
	DY     int        `json:"dy"`
	DX     int        `json:"dx"`
	Angle  float64    `json:"angle"`
	Gain   *jsonFloat `json:"gain,omitempty"`
}

// picks returns the picks of an explanation for JSON.
func (t *realTask) picks(e *real.Explanation) []any {
	out := []any{}
	for j, p := range e.Picks {
		var gain *jsonFloat
		if e.Gains != nil {
			v := jsonFloat(rounded(e.Gains[j]))
			gain = &v
		}
		if name := givenName(t.m.Names, p.Expert); t.m.Moves() {
			out = append(out, movedPick{p.Expert, name, p.Pose.DY, p.Pose.DX, p.Pose.Angle, gain})
		} else {
			out = append(out, realPick{p.Expert, name, gain})
		}
	}
	return out
}

// line returns explanation e of row i.
func (t *realTask) line(i int, e *real.Explanation) realLine {
	l := realLine{Index: t.v.Index[i], StartLogLik: jsonFloat(rounded(e.StartLogLik)), LogLik: jsonFloat(rounded(e.LogLik)),
		LogJoint: jsonFloat(rounded(e.LogJoint)), Picks: t.picks(e)}
	for _, c := range t.v.Meta {
		if l.Labels == nil {
			l.Labels = map[string]any{}
		}
		switch v := c.Values.(type) {
		case []int64:
			l.Labels[c.Name] = v[i]
		case []float64:
			l.Labels[c.Name] = jsonFloat(v[i])
		default:
			l.Labels[c.Name] = c.Text(i)
		}
	}
	return l
}

// explainReal explains data by a model of real values.
func (a *app) explainReal(cmd *cobra.Command, f *inputFlags, out *explainOutput, picture picturePath, shown int, paths []string) error {
	if err := onlyReal(cmd, "output gains best picture picture-images"); err != nil {
		return err
	}
	format, err := checkOutput("explain", out.path)
	if err != nil {
		return err
	}
	if err := checkOutputs(string(picture)); err != nil {
		return err
	}
	kind, table := isTable(format)
	switch {
	case shown < 1:
		return usagef("--picture-images %d: give at least 1", shown)
	case out.best.best > 1 && table:
		return usagef("-o %s: --best %d writes JSON lines; name a .jsonl file", out.path, out.best.best)
	}
	if err := out.best.check(); err != nil {
		return err
	}
	t, err := a.realTask(cmd, f.model, &f.data, f.workers, paths)
	if err != nil {
		return err
	}
	e, err := t.explanations(cmd.Context())
	if err != nil {
		return err
	}
	best, err := t.alternatives(cmd.Context(), out.best.best)
	if err != nil {
		return err
	}
	err = a.output(out.path, func(w io.Writer) error {
		if table {
			return t.writeCodes(w, kind, e, out.gains)
		}
		enc := json.NewEncoder(w)
		for i := range e {
			l := t.line(i, &e[i])
			if best != nil {
				l.add(t, best[i])
			}
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := a.wrote(out.path, "%s", words.Count(len(e), "explanation")); err != nil || picture == "" {
		return err
	}
	shown = min(shown, len(e))
	if err := render.Save(string(picture), render.RealExplanations(t.m, t.v.Rows[:shown], e[:shown], t.titles(shown))); err != nil || shown == len(e) {
		return err
	}
	return a.wrote(string(picture), "the first %d of %s; --picture-images %d shows all", shown, sizeOf(len(e), t.m.Height, t.m.Width, isTableModel(t.m)), len(e))
}

// titles returns what the first rows are called: by their first label, or their number from 1.
func (t *realTask) titles(n int) []string {
	out := make([]string, n)
	for i := range out {
		if out[i] = fmt.Sprint(t.v.Index[i] + 1); len(t.v.Meta) > 0 {
			out[i] = fmt.Sprintf("%d: %s", t.v.Index[i]+1, t.v.Meta[0].Text(i))
		}
	}
	return out
}

// alternatives returns the n best explanations of each row; nil for one.
func (t *realTask) alternatives(ctx context.Context, n int) ([]*real.Posterior, error) {
	if n < 2 {
		return nil, nil
	}
	out := make([]*real.Posterior, t.v.Len())
	return out, t.each(ctx, func(p *real.Pursuit, i int) (err error) {
		out[i], err = p.Best(t.v.Rows[i], n)
		return err
	})
}

// add adds the best explanations to a line.
func (l *realLine) add(t *realTask, post *real.Posterior) {
	evidence := jsonFloat(rounded(post.Evidence))
	l.Evidence = &evidence
	for i := range post.Explanations {
		e := &post.Explanations[i]
		l.Alternatives = append(l.Alternatives, realAlternative{t.picks(e), jsonFloat(rounded(e.LogLik)), jsonFloat(rounded(e.LogJoint)), jsonFloat(rounded(post.Weights[i]))})
	}
}

// writeCodes writes a row per input and a column per part.
func (t *realTask) writeCodes(w io.Writer, format dataset.TableFormat, e []real.Explanation, gains bool) error {
	k := t.m.K()
	var parts []string
	for i := range k {
		parts = append(parts, words.NameOf(t.m.Names, i))
	}
	columns, values := t.rowColumns()
	labels := len(t.v.Meta)
	codes, gain, score := make([]uint8, len(e)*k), make([]float64, len(e)*k), make([]float64, len(e))
	for i := range e {
		for j, p := range e[i].Picks {
			codes[i*k+p.Expert] = min(codes[i*k+p.Expert], math.MaxUint8-1) + 1
			gain[i*k+p.Expert] += e[i].Gains[j]
		}
		score[i] = e[i].LogLik
	}
	if isRounded("." + string(format)) {
		for _, list := range [][]float64{gain, score} {
			for i, v := range list {
				list[i] = rounded(v)
			}
		}
	}
	if k > 0 {
		columns, values = append(columns, dataset.TableColumn{Name: "codes", Type: dataset.ColumnByte, Block: parts}), append(values, codes)
		if gains {
			columns, values = append(columns, dataset.TableColumn{Name: "gain", Type: dataset.ColumnFloat, Block: suffixed(parts, " gain")}), append(values, gain)
		}
	}
	columns, values = append(columns, dataset.TableColumn{Name: "log_lik", Type: dataset.ColumnFloat}), append(values, score)
	distinctNames(columns, 0, labels, format == dataset.TableNPZ)
	return writeOnce(w, format, columns, values)
}

// rowColumns returns the columns that say which row it is: its labels and its number, from 1.
func (t *realTask) rowColumns() (columns []dataset.TableColumn, values []any) {
	for _, c := range t.v.Meta {
		columns, values = append(columns, c.TableColumn()), append(values, c.Values)
	}
	rows := make([]int64, t.v.Len())
	for i, at := range t.v.Index {
		rows[i] = int64(at) + 1
	}
	return append(columns, dataset.TableColumn{Name: "row", Type: dataset.ColumnInt}), append(values, rows)
}

// writeOnce writes a table that is in memory.
func writeOnce(w io.Writer, format dataset.TableFormat, columns []dataset.TableColumn, values []any) error {
	return dataset.WriteTable(w, format, columns, pushed(func(push func([]any) error) error { return push(values) }))
}

// realScore is what score reports of real values.
type realScore struct {
	Images        int         `json:"images"`
	LogLik        jsonFloat   `json:"log_lik"` // of all rows, each the sum over its best explanations
	PerImage      jsonFloat   `json:"log_lik_per_image"`
	PerPixel      jsonFloat   `json:"log_lik_per_pixel"` // per known value
	Best          jsonFloat   `json:"best_log_joint_per_image"`
	PicksPerImage float64     `json:"picks_per_image"`
	Hidden        *realHidden `json:"hidden,omitempty"`
}

// realHidden says how well hidden values were predicted. Errors are in standard deviations of the background, log-losses in nats
// per value in the units of the data.
type realHidden struct {
	Values      int       `json:"values"`
	RMSE        jsonFloat `json:"rmse"`
	LogLoss     jsonFloat `json:"log_loss"`
	Inside      float64   `json:"inside_80"` // share of the values inside the interval of 80 %
	BaseRMSE    jsonFloat `json:"background_rmse"`
	BaseLogLoss jsonFloat `json:"background_log_loss"`
}

// scoreReal scores data by a model of real values.
func (a *app) scoreReal(cmd *cobra.Command, f *inputFlags, h *hiddenFlags, asJSON bool, output string, paths []string) error {
	if err := onlyReal(cmd, "hide seed output"); err != nil {
		return err
	}
	if err := h.check(cmd); err != nil {
		return err
	}
	format, err := checkOutput("score", output)
	if err != nil {
		return err
	}
	kind, table := isTable(format)
	if output == "-" || output != "" && !table {
		return usagef("-o %s: for real values name a file: .csv, .npz, .parquet or .arrow", output)
	}
	t, err := a.realTask(cmd, f.model, &f.data, f.workers, paths)
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
		if err := a.output(output, func(w io.Writer) error { return t.writeScores(w, kind, evidence, picks) }); err != nil {
			return err
		}
	}
	if asJSON {
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
	return &realScore{Images: n, LogLik: jsonFloat(total), PerImage: jsonFloat(total / float64(n)), PerPixel: jsonFloat(total / float64(known)),
		Best: jsonFloat(sum(best) / float64(n)), PicksPerImage: float64(used) / float64(n)}, evidence, picks, nil
}

// writeScores writes a row per input: its labels and number, its log-likelihood and how many picks it has.
func (t *realTask) writeScores(w io.Writer, kind dataset.TableFormat, evidence []float64, picks []int64) error {
	columns, values := t.rowColumns()
	columns = append(columns, dataset.TableColumn{Name: "log_lik", Type: dataset.ColumnFloat}, dataset.TableColumn{Name: "picks", Type: dataset.ColumnInt})
	distinctNames(columns, 0, len(t.v.Meta), kind == dataset.TableNPZ)
	return writeOnce(w, kind, columns, append(values, evidence, picks))
}

// lines returns the report for people.
func (r *realScore) lines(table bool) []string {
	row, value := "image", "pixel"
	if table {
		row, value = "row", "value"
	}
	out := []string{
		fmt.Sprintf("log-likelihood %.3f per %s, %.5f per known %s (nats), over the best explanations", r.PerImage, row, r.PerPixel, value),
		fmt.Sprintf("%.3f per %s with the best explanation alone, its parts included; %.2f parts per %s", r.Best, row, r.PicksPerImage, row),
	}
	if h := r.Hidden; h != nil {
		out = append(out, fmt.Sprintf("%s hidden: error %.3f standard deviations, log-loss %.4f nats, %.1f %% inside the interval of 80 %%", words.Count(h.Values, "value"), h.RMSE, h.LogLoss, 100*h.Inside),
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
		post, err := p.Best(row, 0)
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
		all = sums{all.n + s.n, all.squares + s.squares, all.loss + s.loss, all.inside + s.inside, all.baseSquares + s.baseSquares, all.baseLoss + s.baseLoss}
	}
	if all.n == 0 {
		return nil, usagef("--hide %v hides nothing of so few values; hide more", fraction)
	}
	return &realHidden{int(all.n), jsonFloat(math.Sqrt(all.squares / all.n)), jsonFloat(all.loss / all.n), all.inside / all.n,
		jsonFloat(math.Sqrt(all.baseSquares / all.n)), jsonFloat(all.baseLoss / all.n)}, nil
}

// predictReal fills in unknown values.
func (a *app) predictReal(cmd *cobra.Command, f *inputFlags, output string, single, all bool, paths []string) error {
	if err := onlyReal(cmd, "output cells all"); err != nil {
		return err
	}
	command := "predict"
	if single {
		command = "predict --cells"
	}
	if output == "" {
		return usagef("-o OUT is required: name the file for the predictions")
	}
	format, err := checkOutput(command, output)
	if err != nil {
		return err
	}
	kind, table := isTable(format)
	if !table {
		return usagef("-o %s: for real values give .csv, .npz, .parquet or .arrow", output)
	}
	t, err := a.realTask(cmd, f.model, &f.data, f.workers, paths)
	if err != nil {
		return err
	}
	predicted := make([]real.Prediction, t.v.Len())
	asked := make([][]float64, t.v.Len()) // NaN where a prediction is asked for
	err = t.each(cmd.Context(), func(p *real.Pursuit, i int) error {
		post, err := p.Best(t.v.Rows[i], 0)
		if err != nil {
			return err
		}
		asked[i] = slices.Clone(t.v.Rows[i])
		if all {
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
	if single {
		return a.realCells(t, predicted, asked, output, kind)
	}
	if err := a.output(output, func(w io.Writer) error { return t.writeFilled(w, kind, predicted) }); err != nil {
		return err
	}
	return a.wrote(output, "%s", sizeOf(t.v.Len(), t.m.Height, t.m.Width, t.v.Table))
}

// writeFilled writes the rows with unknown values filled in, and in an .npz their deviations.
func (t *realTask) writeFilled(w io.Writer, kind dataset.TableFormat, p []real.Prediction) error {
	d := t.m.D()
	var mean, deviation []float64
	if kind == dataset.TableCSV {
		for i := range p {
			for d, x := range t.v.Rows[i] {
				if p[i].Mean[d] != x { // a prediction: known values stay as they are
					p[i].Mean[d] = rounded(p[i].Mean[d])
				}
			}
		}
	}
	for i := range p {
		mean, deviation = append(mean, p[i].Mean...), append(deviation, p[i].Deviation...)
	}
	if kind == dataset.TableNPZ {
		shape := []int{len(p), d}
		if !t.v.Table {
			shape = []int{len(p), t.m.Height, t.m.Width}
		}
		index := make([]int64, len(p))
		for i, at := range t.v.Index {
			index[i] = int64(at)
		}
		members := []npy.Member{{Name: "x", Array: npy.New(mean, shape...)}, {Name: "deviation", Array: npy.New(deviation, shape...)}, {Name: "index", Array: npy.New(index, len(p))}}
		if t.v.Columns != nil {
			members = append(members, npy.Member{Name: "columns", Array: npy.New(t.v.Columns, d)})
		}
		return npy.WriteZip(w, npy.Deflate, members...)
	}
	var names []string
	for i := range d {
		names = append(names, words.RealColumn(t.m, i))
	}
	columns, values := t.rowColumns()
	columns = append(columns, dataset.TableColumn{Name: "x", Type: dataset.ColumnFloat, Block: names})
	distinctNames(columns, 0, len(t.v.Meta), false)
	return writeOnce(w, kind, columns, append(values, mean))
}

// realCells writes a row per predicted value: its row and column, the prediction, its deviation, the interval of 80 %, and
// the labels.
func (a *app) realCells(t *realTask, p []real.Prediction, asked [][]float64, output string, kind dataset.TableFormat) error {
	var at []int
	var rows, y, x []int64
	var column []string
	numbers := make([][]float64, 4)
	for i := range p {
		for d, v := range asked[i] {
			if !math.IsNaN(v) {
				continue
			}
			at, rows = append(at, i), append(rows, int64(t.v.Index[i])+1)
			column, y, x = append(column, words.RealColumn(t.m, d)), append(y, int64(d/t.m.Width)), append(x, int64(d%t.m.Width))
			for j, v := range []float64{p[i].Mean[d], p[i].Deviation[d], p[i].Low[d], p[i].High[d]} {
				if kind == dataset.TableCSV {
					v = rounded(v)
				}
				numbers[j] = append(numbers[j], v)
			}
		}
	}
	columns, values := []dataset.TableColumn{{Name: "row", Type: dataset.ColumnInt}}, []any{rows}
	if t.v.Table {
		columns, values = append(columns, dataset.TableColumn{Name: "column", Type: dataset.ColumnText}), append(values, column)
	} else {
		columns = append(columns, dataset.TableColumn{Name: "y", Type: dataset.ColumnInt}, dataset.TableColumn{Name: "x", Type: dataset.ColumnInt})
		values = append(values, y, x)
	}
	for j, name := range []string{"value", "deviation", "low", "high"} {
		columns, values = append(columns, dataset.TableColumn{Name: name, Type: dataset.ColumnFloat}), append(values, numbers[j])
	}
	from := len(columns)
	picked := t.v.Pick(at)
	for _, c := range picked.Meta {
		columns, values = append(columns, c.TableColumn()), append(values, c.Values)
	}
	distinctNames(columns, from, len(columns), false)
	if err := a.output(output, func(w io.Writer) error { return writeOnce(w, kind, columns, values) }); err != nil {
		return err
	}
	return a.wrote(output, "%s", words.Count(len(at), "predicted value"))
}
