package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// Quality says how well hidden cells of rows, or pixels of images, are predicted by
// models that were learned from other rows.
type Quality struct {
	Rows    int      `json:"rows"`    // that took part: the table, or a sample of it
	Folds   int      `json:"folds"`   // the rows were divided into so many parts
	Hidden  float64  `json:"hidden"`  // share of the known cells of a row that were hidden
	Cells   int64    `json:"cells"`   // hidden in all
	Learned string   `json:"learned"` // how the model was learned again
	By      []Method `json:"by"`      // the parts, the column means, a mixture; where parts move, one part
}

// Method is one way to predict hidden cells.
type Method struct {
	Name     string    `json:"name"`
	LogLoss  Number    `json:"log_loss"` // nats per hidden cell
	Bits     Number    `json:"bits"`     // the same in bits
	Accuracy Number    `json:"accuracy"`
	AUC      Number    `json:"auc"`   // mean over the folds
	Folds    []float64 `json:"folds"` // log-loss of each
	Sizes    []int     `json:"sizes"` // numbers of parts or components, by fold
}

const (
	hiddenShare = 0.2
	fewRows     = 20 // below which nothing is held out
	fewImages   = 9  // the same of images
)

// quality divides the rows into folds. For each, models are learned from the other
// rows, and predict the same hidden cells of its rows.
func (b *builder) quality(ctx context.Context) error {
	if b.mixed != nil {
		return b.mixedQuality(ctx, *b.mixed)
	}
	l, data, why := b.relearning()
	if b.folds == 0 {
		l, why = nil, leftOut
	}
	if l == nil {
		b.r.NoQuality = why
		return nil
	}
	n := len(data.Images)
	if b.set.Table && n < fewRows || n < fewImages {
		b.r.NoQuality = fmt.Sprintf("There are too few %ss to leave some out.", b.r.Noun())
		return nil
	}
	if h, w := b.set.Size(); h != b.bits.Height() || w != b.bits.Width() {
		b.r.NoQuality = "The images are larger than the model's."
		return nil
	}
	names := []string{"parts", b.r.means(), "mixture", "one part, moved"}
	return b.inFolds(ctx, n, names, l.words, func(train, test []int, seed uint64) (foldScore, error) {
		hidden := posterior.Exclusive(b.set.Exclusive()).HideBits(rows.Part(data, test), hiddenShare, 1, seed)
		return scoreFold(ctx, l, rows.Part(data, train), hidden, seed)
	})
}

// inFolds scores the predictions of n rows, those of each fold by what was learned from the others.
func (b *builder) inFolds(ctx context.Context, n int, names []string, learned string,
	score func(train, test []int, seed uint64) (foldScore, error)) error {
	folds, order := b.folds, source(b.opt.Seed, "folds", 0).Perm(n)
	scores := make([]foldScore, folds)
	step := b.counter(stepHidden, folds)
	_, err := pool.Run(ctx, folds, b.opt.Workers, 1, func(_, f int) error {
		var test, train []int
		for i, row := range order {
			if i%folds == f {
				test = append(test, row)
			} else {
				train = append(train, row)
			}
		}
		slices.Sort(test)
		slices.Sort(train)
		var err error
		scores[f], err = score(train, test, b.opt.Seed+uint64(f))
		step()
		return err
	})
	if err != nil {
		b.r.NoQuality, err = failed(ctx, err)
		return err
	}
	q := &Quality{Rows: n, Folds: folds, Hidden: hiddenShare, Learned: learned}
	for i, name := range names {
		if i < len(scores[0].of) {
			q.By = append(q.By, joinFolds(name, i, scores))
		}
	}
	for _, s := range scores {
		q.Cells += s.of[0].Bits
	}
	b.r.Quality = q
	return nil
}

// failed returns why there is nothing to report, if learning again failed, which is
// no reason to have no report; or the error of the context.
func failed(ctx context.Context, err error) (why string, stop error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return fmt.Sprintf("Learning again failed: %s.", strings.TrimPrefix(err.Error(), "patchwork: ")), nil
}

// cell is what a cell is called: cell or pixel.
func (r *Report) cell() string {
	if r.Table {
		return "cell"
	}
	return "pixel"
}

// means is what predicting each cell by its share is called.
func (r *Report) means() string {
	if r.Table {
		return "column means"
	}
	return "mean image"
}

// foldScore is how well each method predicts the hidden cells of one fold.
type foldScore struct {
	of    []posterior.Metrics
	sizes []int
}

// byModel returns the predictions of a model.
func byModel(ctx context.Context, m *patchwork.Model, visible []*bitmap.Image) ([][]float64, error) {
	out := make([][]float64, len(visible))
	err := posterior.Predict(ctx, m, visible, posterior.Options{}, 1,
		func(i int, p []float64, _ *posterior.Posterior) { out[i] = p })
	return out, err
}

// scoreFold learns a model of each kind from some rows, and scores their predictions of
// the hidden cells of others. Where parts move, one part that moves is among them: the
// mean image without it would lose by standing still alone.
func scoreFold(ctx context.Context, l *learner, train patchwork.Data, hidden posterior.HiddenBits,
	seed uint64) (foldScore, error) {
	var s foldScore
	m, err := l.fit(ctx, train, seed)
	if err != nil {
		return s, err
	}
	byParts, err := byModel(ctx, m, hidden.Visible)
	if err != nil {
		return s, err
	}
	means, err := table.FitMixture(ctx, train, 1, seed)
	if err != nil {
		return s, err
	}
	mixture, err := chooseMixture(ctx, train, hidden.Exclusive, seed)
	if err != nil {
		return s, err
	}
	s.sizes = []int{m.K(), 1, len(mixture.Share)}
	predict := []func(i int) []float64{
		func(i int) []float64 { return byParts[i] },
		func(i int) []float64 { return means.Predict(hidden.Visible[i]) },
		func(i int) []float64 { return mixture.Predict(hidden.Visible[i]) },
	}
	if one := l.one(); one != nil && m.K() > 1 {
		alone, err := one.fit(ctx, train, seed)
		if err != nil {
			return s, err
		}
		byOne, err := byModel(ctx, alone, hidden.Visible)
		if err != nil {
			return s, err
		}
		s.sizes, predict = append(s.sizes, 1), append(predict, func(i int) []float64 { return byOne[i] })
	}
	for _, by := range predict {
		score, err := posterior.ScorePredictions(hidden, func(i int) []float64 { return sure(by(i), len(train.Images)) })
		if err != nil {
			return s, err
		}
		s.of = append(s.of, score)
	}
	return s, nil
}

// sure keeps predictions as far from 0 and 1 as so many rows can tell, for all
// methods alike: a value never seen in them is not impossible.
func sure(p []float64, rows int) []float64 {
	low := 0.5 / float64(rows+1)
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = min(max(v, low), 1-low)
	}
	return out
}

// chooseMixture fits mixtures of 2, 4, 8, ... components and keeps the size that
// predicts hidden cells of a fifth of the rows best, fitted to all of them.
func chooseMixture(ctx context.Context, train patchwork.Data, groups posterior.Exclusive, seed uint64) (*table.Mixture,
	error) {
	order := source(seed, "mixture", 0).Perm(len(train.Images))
	cut := max(1, len(order)/5)
	held, rest := slices.Clone(order[:cut]), slices.Clone(order[cut:])
	slices.Sort(held)
	slices.Sort(rest)
	hidden := groups.HideBits(rows.Part(train, held), hiddenShare, max(1, min(8, 1000/cut)), seed)
	best, size := math.Inf(1), 1
	for k := 2; k <= 64 && 4*k <= len(rest) && k <= 4*size; k *= 2 { // until two sizes gain nothing
		x, err := table.FitMixture(ctx, rows.Part(train, rest), k, seed)
		if err != nil {
			return nil, err
		}
		s, err := posterior.ScorePredictions(hidden,
			func(i int) []float64 { return sure(x.Predict(hidden.Visible[i]), len(rest)) })
		if err != nil {
			break // nothing is hidden: rows of one or two cells
		}
		if s.LogLoss < best {
			best, size = s.LogLoss, k
		}
	}
	return table.FitMixture(ctx, train, size, seed)
}

// joinFolds adds up what a method did in all folds.
func joinFolds(name string, i int, scores []foldScore) Method {
	m := Method{Name: name}
	bits, loss, right, auc, aucs := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, s := range scores {
		of := s.of[i]
		n := float64(of.Bits)
		bits, loss, right = bits+n, loss+float64(n*of.LogLoss), right+float64(n*of.Accuracy)
		if !math.IsNaN(of.AUC) {
			auc, aucs = auc+of.AUC, aucs+1
		}
		m.Folds, m.Sizes = append(m.Folds, of.LogLoss), append(m.Sizes, s.sizes[i])
	}
	m.LogLoss, m.Bits = Number(loss/bits), Number(loss/bits/math.Ln2)
	m.Accuracy, m.AUC = Number(right/bits), Number(auc/aucs)
	return m
}
