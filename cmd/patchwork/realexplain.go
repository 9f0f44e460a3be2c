package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
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
	l := realLine{Index: t.v.Index[i], StartLogLik: jsonFloat(rounded(e.StartLogLik)),
		LogLik:   jsonFloat(rounded(e.LogLik)),
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
func (a *app) explainReal(cmd *cobra.Command, f *explainFlags, paths []string) error {
	if err := onlyReal(cmd, "output best picture"); err != nil {
		return err
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	t, err := a.realTask(cmd, f.input.model, &f.input.data, f.input.workers, paths)
	if err != nil {
		return err
	}
	e, err := t.explanations(cmd.Context())
	if err != nil {
		return err
	}
	best, err := t.alternatives(cmd.Context(), int(f.best))
	if err != nil {
		return err
	}
	if err := a.output(f.path, func(w io.Writer) error {
		if kind, table := isTable(f.format); table {
			return t.writeCodes(w, kind, e)
		}
		return t.writeLines(w, e, best)
	}); err != nil {
		return err
	}
	if err := a.wrote(f.path, "%s", words.Count(len(e), "explanation")); err != nil || f.picture == "" {
		return err
	}
	shown := min(pictured, len(e))
	picture := render.RealExplanations(t.m, t.v.Rows[:shown], e[:shown], t.titles(shown))
	if err := a.savePicture(string(f.picture), picture); err != nil || shown == len(e) {
		return err
	}
	return a.wrote(string(f.picture), "the first %d of %s; --rows draws others", shown,
		sizeOf(len(e), t.m.Height, t.m.Width, isTableModel(t.m)))
}

// writeLines writes a JSON line for each explanation, with its alternatives if there are any.
func (t *realTask) writeLines(w io.Writer, e []real.Explanation, best []*real.Posterior) error {
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
		l.Alternatives = append(l.Alternatives, realAlternative{t.picks(e), jsonFloat(rounded(e.LogLik)),
			jsonFloat(rounded(e.LogJoint)), jsonFloat(rounded(post.Weights[i]))})
	}
}

// writeCodes writes a row per input and a column per part.
func (t *realTask) writeCodes(w io.Writer, format dataset.TableFormat, e []real.Explanation) error {
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
		columns = append(columns, dataset.TableColumn{Name: "codes", Type: dataset.ColumnByte, Block: parts},
			dataset.TableColumn{Name: "gain", Type: dataset.ColumnFloat, Block: suffixed(parts, " gain")})
		values = append(values, codes, gain)
	}
	columns, values = append(columns, dataset.TableColumn{Name: "log_lik", Type: dataset.ColumnFloat}),
		append(values, score)
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
