package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// hiddenFlags are the flags of score that hide bits and predict them.
type hiddenFlags struct {
	fraction float64
	seed     uint64
	byColumn bool
	best     bestFlag
}

func (f *hiddenFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Float64Var(&f.fraction, "hide", 0,
		"also hide this fraction of the known bits of each image, predict them from the others, and score that")
	fs.Uint64Var(&f.seed, "seed", 0,
		"with --hide: seed of the hidden bits; those of a row depend on it and the row's index alone")
	fs.BoolVar(&f.byColumn, "by-column", false, "with --hide: also score each column of a table")
	f.best.add(cmd, 16, "with --hide: how many explanations to average")
}

func (f *hiddenFlags) check(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("hide") {
		if name := given(cmd, "seed", "by-column", "best"); name != "" {
			return usagef("--%s belongs to --hide, the fraction of bits to predict", name)
		}
		return nil
	}
	if !(f.fraction > 0 && f.fraction < 1) {
		return usagef("--hide %v is not a fraction above 0 and below 1", f.fraction)
	}
	return f.best.check()
}

// suits returns an error if the flags do not suit the images of a task.
func (f *hiddenFlags) suits(t *task) error {
	head := t.head()
	switch {
	case f.byColumn && !head.Table:
		return usagef("--by-column is for tables, not for images of %d x %d", head.Images[0].Height(), head.Images[0].Width())
	case f.fraction > 0 && t.stream != nil:
		return usagef("--hide compares all hidden bits with each other, so their images must be in memory; take fewer " +
			"with --rows, " +
			"or allow more with --memory")
	}
	return nil
}

// hiddenReport says how well hidden bits were predicted; the JSON names are a
// contract.
type hiddenReport struct {
	Fraction float64       `json:"fraction"`
	Seed     uint64        `json:"seed"`
	Weight   int64         `json:"weight"` // of the images with hidden bits
	Bits     int64         `json:"bits"`   // hidden, weights counted
	On       int64         `json:"on"`
	Averaged metricsReport `json:"averaged"` // over the best explanations
	Single   metricsReport `json:"single"`   // of the best explanation alone
	Marginal metricsReport `json:"marginal"` // by the mean of each column

	// MarginalOf says which rows the means are of: "training rows" or, where the model does
	// not have theirs, "visible bits".
	MarginalOf string         `json:"marginal_of"`
	Committee  int            `json:"committee,omitempty"` // other models that the averaged prediction is of
	Columns    []columnReport `json:"columns,omitempty"`
}

type metricsReport struct {
	LogLoss    float64 `json:"log_loss"` // nats per bit
	Accuracy   float64 `json:"accuracy"`
	AUC        float64 `json:"auc"`
	Impossible int64   `json:"impossible"` // bits that were given probability 0
}

// columnReport is the averaged prediction of one column.
type columnReport struct {
	Name string `json:"name"`
	Bits int64  `json:"bits"`
	On   int64  `json:"on"`
	metricsReport
	Marginal float64 `json:"marginal_log_loss"`
}

func newMetrics(m posterior.Metrics) metricsReport {
	return metricsReport{m.LogLoss, m.Accuracy, m.AUC, m.Impossible}
}

// scoreHidden hides bits, predicts them and scores the predictions.
func scoreHidden(ctx context.Context, t *task, f *hiddenFlags) (*hiddenReport, error) {
	opt, err := f.best.options(t)
	if err != nil {
		return nil, err
	}
	groups, err := exclusiveColumns(t.model)
	if err != nil {
		return nil, err
	}
	hidden := posterior.HiddenBits{Data: t.set.Data, Exclusive: groups}
	for i, img := range t.set.Images {
		hidden.Visible = append(hidden.Visible, hidden.Exclusive.Hide(img, f.fraction, f.seed, row(t.set, i)))
	}
	s, err := posterior.Score(ctx, t.model, hidden, opt, t.workers)
	if err != nil {
		return nil, request(err)
	}
	marginal, err := scoreMarginal(ctx, t, hidden)
	if err != nil {
		return nil, err
	}
	r := &hiddenReport{Fraction: f.fraction, Seed: f.seed, Weight: s.Rows, Bits: s.Averaged.Bits, On: s.Averaged.On,
		Averaged: newMetrics(s.Averaged), Single: newMetrics(s.Single), Marginal: newMetrics(marginal.Single),
		MarginalOf: meansOf(t.model), Committee: len(t.model.Extras().Committee)}
	if f.byColumn {
		names := columnNames(t.set)
		for j, m := range s.Columns {
			r.Columns = append(r.Columns, columnReport{names[j], m.Bits, m.On, newMetrics(m),
				marginal.Columns[j].LogLoss})
		}
	}
	return r, nil
}

// meansOf says which rows the column means of a model are of.
func meansOf(m *patchwork.Model) string {
	if m.Extras().Means != nil {
		return "training rows"
	}
	return "visible bits"
}

// scoreMarginal scores the baseline that every model should beat: the mean of each
// pixel, whatever the other pixels are. As a model it is an abstention value per pixel,
// and one part that always abstains.
func scoreMarginal(ctx context.Context, t *task, hidden posterior.HiddenBits) (*posterior.HiddenScore, error) {
	h, w := t.set.Size()
	p := t.model.Extras().Means
	if p == nil {
		p = rows.Means(patchwork.Data{Images: hidden.Visible, Weights: t.set.Weights})
	}
	m, err := patchwork.NewModel(patchwork.Config{Height: h, Width: w, QMap: p}, [][]float64{p})
	if err != nil {
		return nil, err
	}
	return posterior.Score(ctx, m, hidden, posterior.Options{Beam: 1, Keep: 1}, t.workers)
}

func (r *hiddenReport) print(w io.Writer, image string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%d bits hidden (%v of each %s, seed %d), predicted from the others:\n", r.Bits, r.Fraction, image,
		r.Seed)
	fmt.Fprintln(table, "prediction\tlog-loss\taccuracy\tAUC")
	for _, line := range []struct {
		name string
		of   metricsReport
	}{{r.averaged(), r.Averaged}, {"best explanation alone", r.Single},
		{"column means of the " + r.MarginalOf + " (baseline)", r.Marginal}} {
		fmt.Fprintf(table, "%s\t%s\n", line.name, line.of.cells())
	}
	if err := table.Flush(); err != nil || len(r.Columns) == 0 {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(table, "column\tbits\ton\tlog-loss\taccuracy\tAUC\tlog-loss of its mean")
	for _, c := range r.Columns {
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\n", c.Name, c.Bits, c.On, c.cells(), cell("%.4f", c.Marginal))
	}
	return table.Flush()
}

// averaged says what an averaged prediction is the average of.
func (r *hiddenReport) averaged() string {
	if r.Committee > 0 {
		return fmt.Sprintf("average of the best explanations by %d models", 1+r.Committee)
	}
	return "average of the best explanations"
}

func (m *metricsReport) cells() string {
	return cell("%.4f", m.LogLoss) + "\t" + cell("%.4f", m.Accuracy) + "\t" + cell("%.4f", m.AUC)
}

// cell returns a number as text for a table, or a dash if there is none.
func cell(format string, f float64) string {
	if math.IsNaN(float64(f)) {
		return "-"
	}
	return fmt.Sprintf(format, float64(f))
}
