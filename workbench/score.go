package workbench

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// Scoring says how data are scored. Of Explaining count Best (with Hide: how many explanations to average), MaxPicks,
// Pursuit and Workers.
type Scoring struct {
	Explaining
	Hide float64                // share of the known values to hide and predict too; data in one frame
	Seed uint64                 // of what is hidden
	Each func(*RowScores) error // gets the scores of the rows, in order, unless nil
}

// RowScores are the scores of some rows, valid until the next.
type RowScores struct {
	*Explained
	LogLik []float64 // of bits under the untruncated composition and the noise, of numbers over the best explanations
	Picks  []int64
	Known  []int64 // how many values are known
}

// Scores says how well a model explains data, or names classes; its JSON is a contract. Numbers per row count weights.
type Scores struct {
	Images int `json:"images"`
	*LikelihoodScores
	*BitScores
	*NumberScores
	*ClassScores
	Odd []Oddity `json:"odd,omitempty"` // the oddest rows of a table, first the oddest; see SetOdd
	// Hidden says how well hidden values were predicted: *HiddenBits, *HiddenNumbers or *HiddenCells.
	Hidden any `json:"hidden,omitempty"`

	table bool
}

// LikelihoodScores are of bits and of numbers.
type LikelihoodScores struct {
	LogLik        float64 `json:"log_lik"`
	PerImage      float64 `json:"log_lik_per_image"`
	PerPixel      float64 `json:"log_lik_per_pixel"` // per known value
	PicksPerImage float64 `json:"picks_per_image"`

	// Shares are how many of the rows have each part: of a model that was learned by all explanations of rows, each
	// explanation counted by its probability, else by the best one.
	Shares []float64 `json:"shares"`
}

// BitScores are what only bits have.
type BitScores struct {
	Weight       int64   `json:"weight"`         // of all images; their number if there are no weights
	CrossEntropy float64 `json:"cross_entropy"`  // nats per image: minus log_lik_per_image
	BitsPerPixel float64 `json:"bits_per_pixel"` // the same in bits, per known pixel
	Impossible   int64   `json:"impossible"`     // images of probability 0

	// The noise that the images were found to have beyond what the parts say, on
	// average: the shares of the ink that is missing, and of the paper that is inked.
	// Both are absent if none has any; else the log-likelihoods are those under it.
	Missing float64 `json:"missing,omitempty"`
	Clutter float64 `json:"clutter,omitempty"`

	// The length of a two-part code for the images by the model, in nats, and in
	// bits per image; absent if parts move, because poses have no cost in it.
	Length       *float64 `json:"description_length,omitempty"`
	BitsPerImage *float64 `json:"description_bits_per_image,omitempty"`

	given string // what the log-likelihood per image is given, to print
}

// NumberScores are what only numbers have.
type NumberScores struct {
	Best float64 `json:"best_log_joint_per_image"`
}

// Score explains bits, and says how well.
func (m Bits) Score(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*Scores, error) {
	average := how.Best
	how.Best = 0
	tally, sums := patchwork.NewTally(m.Model), noiseSums{any: m.Reader() != nil}
	unit := int64(1)
	out, impossible, pixels := &Scores{table: m.Height() == 1}, int64(0), 0.0
	shares := make([]float64, m.K())
	how.Then = func(x *Explained) { x.Out = m.rowScores(x) }
	for x, err := range m.Explain(ctx, data, how.Explaining) {
		if err != nil {
			return nil, err
		}
		s := x.Out.(*RowScores)
		for i := range x.Rows {
			w, times := x.Frame.Weight(x.From+i), x.Frame.Times(x.From+i)
			tally.AddScores(&x.Rows[i].Explanation, w)
			addParts(shares, x.Rows[i].Picks, times)
			pixels += times * float64(s.Known[i])
			if math.IsInf(s.LogLik[i], -1) {
				impossible += w
			}
			sums.add(&x.Rows[i], s.LogLik[i], times)
		}
		unit = max(x.Frame.Unit, 1)
		out.Images, out.table = out.Images+len(x.Rows), x.Frame.Table
		if how.Each != nil {
			if err := how.Each(s); err != nil {
				return nil, err
			}
		}
	}
	n, logLik := float64(tally.Rows())/float64(unit), tally.LogLik()/float64(unit)
	if sums.any {
		logLik = sums.logLik
	}
	for k := range shares {
		shares[k] /= n
	}
	out.LikelihoodScores = &LikelihoodScores{logLik, logLik / n, logLik / pixels,
		float64(tally.Picks()) / float64(unit) / n, shares}
	out.BitScores = &BitScores{Weight: rows.InUnits(tally.Rows(), unit), CrossEntropy: -logLik / n,
		BitsPerPixel: -logLik / pixels / math.Ln2, Impossible: rows.InUnits(impossible, unit),
		Missing: sums.missing / n, Clutter: sums.clutter / n}
	if c := m.Config(); !c.Scene && c.Poses.Len() == 1 && (unit == 1 || m.Soft()) {
		nats := learn.DescriptionLength(m.Model, tally)
		if m.Soft() { // learned by all explanations
			var err error
			if nats, err = m.softly(ctx, data, how.Workers, out); err != nil {
				return nil, err
			}
		}
		bits := nats / n / math.Ln2
		out.Length, out.BitsPerImage = &nats, &bits
	}
	if how.Hide > 0 {
		how.Best = average
		var err error
		if out.Hidden, err = m.scoreHidden(ctx, data, how); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addParts adds to how often the parts are had those of a row, each once.
func addParts(to []float64, picks []patchwork.Pick, weight float64) {
	for j, p := range picks {
		if !slices.ContainsFunc(picks[:j], func(o patchwork.Pick) bool { return o.Expert == p.Expert }) {
			to[p.Expert] += weight
		}
	}
}

// Soft reports whether the model was learned by all explanations of rows, by their probabilities.
func (m Bits) Soft() bool { return m.Extras().Record.Method == "soft" }

// softly sets what rows are by all their explanations, and returns the length of their description.
func (m Bits) softly(ctx context.Context, data iter.Seq2[*dataset.Frame, error], workers int, s *Scores) (float64,
	error) {
	if r := m.Reader(); r != nil {
		return lengthBy(r, data)
	}
	counts, err := m.Count(ctx, data, workers)
	if err != nil {
		return 0, err
	}
	for k := range s.Shares {
		s.Shares[k] = counts.Share(k)
	}
	s.given = " (given the best explanation, without what its parts cost)"
	return counts.DescriptionLength(m.Model), nil
}

// Count counts rows by all their explanations.
func (m Bits) Count(ctx context.Context, data iter.Seq2[*dataset.Frame, error], workers int) (*table.Counts, error) {
	return table.Count(ctx, m.Model, bits(func(context.Context) iter.Seq2[*dataset.Frame, error] { return data }), workers)
}

// rowScores returns the scores of explained rows.
func (m Bits) rowScores(x *Explained) *RowScores {
	n := len(x.Rows)
	s := &RowScores{x, make([]float64, n), make([]int64, n), make([]int64, n)}
	for i := range x.Rows {
		e, img := &x.Rows[i].Explanation, x.Frame.Images[x.From+i]
		s.LogLik[i], s.Picks[i], s.Known[i] = e.NoisyLogLik(m.Model, img), int64(len(e.Picks)), int64(x.Frame.Known(x.From+i))
	}
	return s
}

// noiseSums are the sums over images of which some were found to have noise, weights counted.
type noiseSums struct {
	any                      bool
	logLik, missing, clutter float64
}

// add adds a row, even if it is impossible, unless it does not count.
func (n *noiseSums) add(r *Row, logLik, weight float64) {
	if weight == 0 {
		return
	}
	n.any = n.any || r.Missing != 0 || r.Clutter != 0
	n.logLik, n.missing, n.clutter = n.logLik+float64(weight*logLik), n.missing+float64(weight*r.Missing),
		n.clutter+float64(weight*r.Clutter)
}

// HiddenBits says how well hidden bits were predicted.
type HiddenBits struct {
	Fraction float64 `json:"fraction"`
	Seed     uint64  `json:"seed"`
	Weight   int64   `json:"weight"` // of the images with hidden bits
	Bits     int64   `json:"bits"`   // hidden, weights counted
	On       int64   `json:"on"`
	Averaged Metrics `json:"averaged"` // over the best explanations
	Single   Metrics `json:"single"`   // of the best explanation alone
	Marginal Metrics `json:"marginal"` // by the mean of each column

	// MarginalOf says which rows the means are of: "training rows" or, where the model does
	// not have theirs, "visible bits".
	MarginalOf string         `json:"marginal_of"`
	Predictor  string         `json:"predictor,omitempty"` // what the averaged prediction is of, if not of the parts alone
	Columns    []ColumnScores `json:"columns,omitempty"`
}

// Metrics says how well bits were predicted.
type Metrics struct {
	LogLoss    float64 `json:"log_loss"` // nats per bit
	Accuracy   float64 `json:"accuracy"`
	AUC        float64 `json:"auc"`
	Impossible int64   `json:"impossible"` // bits that were given probability 0
}

// ColumnScores is the averaged prediction of one column.
type ColumnScores struct {
	Name string `json:"name"`
	Bits int64  `json:"bits"`
	On   int64  `json:"on"`
	Metrics
	Marginal float64 `json:"marginal_log_loss"`
}

func newMetrics(m posterior.Metrics) Metrics {
	return Metrics{m.LogLoss, m.Accuracy, m.AUC, m.Impossible}
}

// scoreHidden hides bits, predicts them and scores the predictions.
func (m Bits) scoreHidden(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*HiddenBits,
	error) {
	set, err := whole(data)
	if err != nil {
		return nil, err
	}
	hidden := posterior.HiddenBits{Data: set.Data}
	if hidden.Exclusive, err = exclusive(m.Model); err != nil {
		return nil, err
	}
	for i, img := range set.Images {
		hidden.Visible = append(hidden.Visible, hidden.Exclusive.Hide(img, how.Hide, how.Seed, set.InputRow(i)))
	}
	s, err := posterior.Score(ctx, m.Model, hidden, posterior.Options{Keep: how.Best, MaxPicks: how.MaxPicks}, how.Workers)
	if err != nil {
		return nil, err
	}
	marginal, of, err := m.scoreMarginal(ctx, hidden, how.Workers)
	if err != nil {
		return nil, err
	}
	r := &HiddenBits{Fraction: how.Hide, Seed: how.Seed, Weight: s.Rows, Bits: s.Averaged.Bits, On: s.Averaged.On,
		Averaged: newMetrics(s.Averaged), Single: newMetrics(s.Single), Marginal: newMetrics(marginal.Single),
		MarginalOf: of, Predictor: predictorText(m.Model)}
	if set.Table {
		names := ColumnNames(set)
		for j, m := range s.Columns {
			r.Columns = append(r.Columns, ColumnScores{names[j], m.Bits, m.On, newMetrics(m), marginal.Columns[j].LogLoss})
		}
	}
	return r, nil
}

// whole returns data that are one frame.
func whole(data iter.Seq2[*dataset.Frame, error]) (out *dataset.Frame, err error) {
	for f, err := range data {
		if err != nil {
			return nil, err
		}
		if out != nil {
			return nil, fmt.Errorf("hidden values are compared with each other, so their rows must be in memory together")
		}
		out = f
	}
	return out, nil
}

// exclusive returns the columns of a model of which exactly one is on.
func exclusive(m *patchwork.Model) (posterior.Exclusive, error) {
	return dataset.ExclusiveColumns(m)
}

// scoreMarginal scores the baseline that every model should beat: the mean of each
// pixel, whatever the other pixels are; of says which rows it is of. As a model it is an abstention value per pixel,
// and one part that always abstains.
func (m Bits) scoreMarginal(ctx context.Context, hidden posterior.HiddenBits, workers int) (s *posterior.HiddenScore,
	of string, err error) {
	p, of := m.Extras().Means, "training rows"
	if p == nil {
		p, of = rows.Means(patchwork.Data{Images: hidden.Visible, Weights: hidden.Data.Weights,
			Unit: hidden.Data.Unit}), "visible bits"
	}
	h, w := hidden.Visible[0].Height(), hidden.Visible[0].Width()
	base, err := patchwork.NewModel(patchwork.Config{Height: h, Width: w, QMap: p}, [][]float64{p})
	if err != nil {
		return nil, "", err
	}
	s, err = posterior.Score(ctx, base, hidden, posterior.Options{Beam: 1, Keep: 1}, workers)
	return s, of, err
}
