package workbench

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/real"
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
	Hidden any `json:"hidden,omitempty"` // *HiddenBits, *HiddenNumbers or *HiddenCells: how well hidden values were predicted

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

// Score explains bits, and says how well.
func (m Bits) Score(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*Scores, error) {
	average := how.Best
	how.Best = 0
	tally, sums := patchwork.NewTally(m.Model), noiseSums{}
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
			counts, err := m.Count(ctx, data, how.Workers)
			if err != nil {
				return nil, err
			}
			nats = counts.DescriptionLength(m.Model)
			for k := range shares {
				shares[k] = counts.Share(k)
			}
			out.given = " (given the best explanation, without what its parts cost)"
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
	Committee  int            `json:"committee,omitempty"` // other models that the averaged prediction is of
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
		MarginalOf: of, Committee: len(m.Extras().Committee)}
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

// Score explains numbers, and says how well.
func (m Numbers) Score(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*Scores, error) {
	out := &Scores{LikelihoodScores: new(LikelihoodScores), NumberScores: new(NumberScores), table: m.Table()}
	known, picks, s := int64(0), int64(0), new(RowScores)
	shares := make([]float64, m.K())
	best := func(ctx context.Context, p *real.Pursuit, x *Explained) error {
		found := make([]*real.Posterior, len(x.Rows))
		x.Out = found
		if err := x.byNumbers(ctx, p, 1); err != nil { // the explanations that explain tells
			return err
		}
		return x.each(ctx, func(i int) error {
			var err error
			if found[i], err = p.Best(x.numbers(i), 0); err == nil {
				x.Rows[i].Evidence = found[i].Evidence
			}
			return err
		})
	}
	for x, err := range m.by(how.Workers, best).explain(ctx, data, nil) {
		if err != nil {
			return nil, err
		}
		s.Explained, s.LogLik, s.Picks, s.Known = x, s.LogLik[:0], s.Picks[:0], s.Known[:0]
		for i := range x.Rows {
			r, post := &x.Rows[i], x.Out.([]*real.Posterior)[i]
			for j := range post.Explanations {
				addParts(shares, asBits(&post.Explanations[j]).Picks, post.Weights[j])
			}
			s.LogLik, s.Picks = append(s.LogLik, r.Evidence), append(s.Picks, int64(len(r.Picks)))
			out.LogLik, out.Best, picks = out.LogLik+r.Evidence, out.Best+post.Explanations[0].LogJoint, picks+int64(len(r.Picks))
			n := int64(x.Frame.Known(x.From + i))
			s.Known, known = append(s.Known, n), known+n
		}
		out.Images += len(x.Rows)
		if how.Each != nil {
			if err := how.Each(s); err != nil {
				return nil, err
			}
		}
	}
	n := float64(out.Images)
	for k := range shares {
		shares[k] /= n
	}
	out.Shares = shares
	out.PerImage, out.PerPixel, out.Best, out.PicksPerImage = out.LogLik/n, out.LogLik/float64(known), out.Best/n,
		float64(picks)/n
	if how.Hide == 0 {
		return out, nil
	}
	var err error
	out.Hidden, err = m.scoreHidden(ctx, data, how)
	return out, err
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
			rng := rand.New(rand.NewPCG(how.Seed, uint64(x.Rows[i].Index)))
			visible := slices.Clone(values)
			for d, v := range values {
				if hide := rng.Float64() < how.Hide; hide && !math.IsNaN(v) {
					visible[d] = math.NaN()
				}
			}
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

// ClassScores count which classes rows were said to be of.
type ClassScores struct {
	Classes  []string `json:"classes"`
	By       string   `json:"by"`
	Labelled int      `json:"labelled"` // rows that have a label
	Right    int      `json:"right"`
	Accuracy float64  `json:"accuracy"`
	Common   string   `json:"commonest"` // class of the rows with a label
	Baseline float64  `json:"baseline"`  // its share: the accuracy of naming it always
	Counts   [][]int  `json:"confusion"` // [true][named]
	others   int      // with a label that is no class
}

// newClassScores returns counts of none.
func newClassScores(by string, classes []string) *ClassScores {
	c := &ClassScores{By: by, Classes: classes}
	for range classes {
		c.Counts = append(c.Counts, make([]int, len(classes)))
	}
	return c
}

// Score counts how many rows are named rightly, and what is confused.
func (m Classes) Score(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*Scores, error) {
	c := newClassScores(m.By(), m.Classifier.Names())
	out := &Scores{ClassScores: c, table: m.Table()}
	how.Why = false
	for x, err := range m.Explain(ctx, data, how.Explaining) {
		if err != nil {
			return nil, err
		}
		labels, err := LabelsBy(x.Frame, c.By)
		if err != nil {
			return nil, err
		}
		for i := range x.Rows {
			c.add(labels[x.From+i], x.Rows[i].Verdict.Class)
		}
		out.Images += len(x.Rows)
	}
	c.Accuracy = float64(c.Right) / float64(max(c.Labelled, 1))
	most := 0
	for i, counts := range c.Counts {
		rows := 0
		for _, n := range counts {
			rows += n
		}
		if rows > most {
			most, c.Common, c.Baseline = rows, c.Classes[i], float64(rows)/float64(c.Labelled)
		}
	}
	return out, nil
}

// add counts a row, unless its label is empty.
func (c *ClassScores) add(label string, named int) {
	if label == "" {
		return
	}
	c.Labelled++
	at := slices.Index(c.Classes, label)
	if at < 0 {
		c.others++
		return
	}
	c.Counts[at][named]++
	if at == named {
		c.Right++
	}
}

// LabelsBy returns the labels of rows: the values of a column, or of several with commas between, joined by a slash;
// "" where one is not known.
func LabelsBy(set *dataset.Frame, by string) ([]string, error) {
	out, unknown := make([]string, set.Len()), make([]bool, set.Len())
	for n, name := range strings.Split(by, ",") {
		c, err := set.Column(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for i := range out {
			if n > 0 {
				out[i] += "/"
			}
			out[i] += c.Text(i)
			if unknown[i] = unknown[i] || c.Missing(i) || dataset.IsUnknown(c.Text(i)); unknown[i] {
				out[i] = ""
			}
		}
	}
	return out, nil
}

// ColumnNames returns the names of a table's columns, or if it has none their
// numbers, as --columns takes them. Columns of images are named y0x3.
func ColumnNames(set *dataset.Frame) []string {
	if set.Columns != nil {
		return set.Columns
	}
	height, width := set.Size()
	names := make([]string, 0, height*width)
	for y := range height {
		for x := range width {
			if set.Table {
				names = append(names, strconv.Itoa(x+1))
			} else {
				names = append(names, fmt.Sprintf("y%dx%d", y, x))
			}
		}
	}
	return names
}
