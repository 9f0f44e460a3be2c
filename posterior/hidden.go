package posterior

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score"
)

// HiddenBits holds images of which some pixels are hidden, to measure predictions
// by.
type HiddenBits struct {
	Data    patchwork.Data  // the images as they are
	Visible []*bitmap.Image // the same images with pixels made unknown

	// Exclusive are groups of pixels of which exactly one is on: predictions of groups that
	// are hidden whole add up to 1 (Exclusive.Normalize).
	Exclusive Exclusive
}

// HideBits hides a share of the known pixels of every image at random (see Hide),
// as many times over as times says: each time, the images appear once more. More
// times measure more exactly, up to a point: the images stay the same.
func (x Exclusive) HideBits(data patchwork.Data, share float64, times int, seed uint64) HiddenBits {
	h := HiddenBits{Exclusive: x}
	h.Data.Unit = data.Unit
	for n := range times {
		for i, img := range data.Images {
			h.Data.Images = append(h.Data.Images, img)
			h.Data.Weights = append(h.Data.Weights, data.Weight(i))
			h.Visible = append(h.Visible, x.Hide(img, share, seed, n*len(data.Images)+i))
		}
	}
	return h
}

// checkShare panics unless a share is one.
func checkShare(share float64) {
	if !(share >= 0 && share <= 1) {
		panic(fmt.Sprintf("patchwork: cannot hide a share of %v", share))
	}
}

// Metrics says how well probabilities predicted bits. Weights count as
// repetitions.
type Metrics struct {
	Bits int64 // predicted
	On   int64 // of these, how many were on

	// LogLoss is the mean of -log P(bit), in nats; always predicting 1/2 costs
	// log 2 = 0.693. It is +Inf if any bit was predicted with probability 0;
	// Impossible counts those.
	LogLoss    float64
	Impossible int64

	// Accuracy is the share of bits that were predicted with a probability above
	// 1/2; one of exactly 1/2 counts half.
	Accuracy float64

	// AUC is the exact area under the ROC curve: the probability that a bit that
	// is on has a larger prediction than one that is off, equal ones counting
	// half. It is NaN if all bits are on, or all are off.
	AUC float64
}

// HiddenScore says how well the hidden pixels of some images were predicted from
// the visible ones.
type HiddenScore struct {
	Rows     int64     // images with hidden pixels, weights counted
	Averaged Metrics   // of predictions averaged over the explanations (Searcher.Predict)
	Single   Metrics   // of the best explanation alone, to compare
	Columns  []Metrics // Averaged by pixel, row-major; nil for scenes of several sizes
	Losses   []float64 // of each image: the sum over its hidden pixels of -log P, averaged, in nats
}

// Score predicts the hidden pixels from the visible ones and compares them with
// the data; the prediction of a pixel never sees its value. The score is the same
// for any number of workers (0 means 1). The error is the context's, an option's,
// or says which image does not fit, or that there is nothing to predict.
func Score(ctx context.Context, m *patchwork.Model, hidden HiddenBits, opt Options, workers int) (*HiddenScore, error) {
	data, visible := hidden.Data, hidden.Visible
	if err := rows.Validate(context.Background(), data); err != nil {
		return nil, err
	}
	if err := sameFrames(data.Images, visible); err != nil {
		return nil, err
	}
	bits := make([][]guess, len(visible))
	err := Predict(ctx, m, visible, opt, workers, func(i int, p []float64, post *Posterior) {
		best := m.Compose(visible[i].Height(), visible[i].Width(), post.Alternatives[0].Picks).P
		hidden.Exclusive.Normalize(p, visible[i])
		hidden.Exclusive.Normalize(best, visible[i])
		bits[i] = guesses(data.Images[i], visible[i], p, best, data.Weight(i))
	})
	if err != nil {
		return nil, err
	}
	s := &HiddenScore{Losses: make([]float64, len(bits))}
	for i, b := range bits {
		for _, g := range b {
			s.Losses[i] -= score.LogLik(g.on, g.averaged)
		}
		if len(b) > 0 {
			s.Rows += data.Weight(i)
		}
	}
	all := slices.Concat(bits...)
	if s.Rows == 0 {
		return nil, fmt.Errorf("patchwork: no hidden pixel to predict in %d images; hide a larger share", len(visible))
	}
	s.Averaged, s.Single = measure(all, averaged), measure(all, single)
	if oneSize(visible) {
		s.Columns = byColumn(all, visible[0].Len())
	}
	return s, nil
}

// ScorePredictions compares predictions by any other means with the hidden pixels,
// to stand beside those of Score: predict returns the probability of every pixel of
// image i, row-major, in memory that may be written to, and must look at
// hidden.Visible[i] only. The error says that
// there is nothing to predict, or what does not fit.
func ScorePredictions(hidden HiddenBits, predict func(i int) []float64) (Metrics, error) {
	if err := sameFrames(hidden.Data.Images, hidden.Visible); err != nil {
		return Metrics{}, err
	}
	var all []guess
	for i, truth := range hidden.Data.Images {
		p := predict(i)
		if len(p) != truth.Len() {
			return Metrics{}, fmt.Errorf("patchwork: %d predictions for the %d pixels of image %d", len(p), truth.Len(), i)
		}
		hidden.Exclusive.Normalize(p, hidden.Visible[i])
		all = append(all, guesses(truth, hidden.Visible[i], p, p, hidden.Data.Weight(i))...)
	}
	if len(all) == 0 {
		return Metrics{}, fmt.Errorf("patchwork: no hidden pixel to predict in %d images; hide a larger share",
			len(hidden.Visible))
	}
	return measure(all, averaged), nil
}

func sameFrames(data, visible []*bitmap.Image) error {
	if len(data) != len(visible) {
		return fmt.Errorf("patchwork: %d images with hidden pixels for %d images", len(visible), len(data))
	}
	for i, v := range visible {
		if d := data[i]; v.Height() != d.Height() || v.Width() != d.Width() {
			return fmt.Errorf("patchwork: image %d is %d x %d, with hidden pixels %d x %d", i, d.Height(), d.Width(), v.Height(),
				v.Width())
		}
	}
	return nil
}

func oneSize(images []*bitmap.Image) bool {
	return !slices.ContainsFunc(images, func(m *bitmap.Image) bool {
		return m.Height() != images[0].Height() || m.Width() != images[0].Width()
	})
}

// guess holds the predictions of a hidden bit.
type guess struct {
	averaged, single float64
	weight           int64
	column           int32
	on               bool
}

func averaged(g *guess) float64 { return g.averaged }
func single(g *guess) float64   { return g.single }

// guesses pairs two predictions of every pixel with the hidden ones.
func guesses(truth, visible *bitmap.Image, p, best []float64, weight int64) []guess {
	if weight == 0 {
		return nil
	}
	var out []guess
	on, known, seen := truth.AppendBytes(nil), truth.AppendKnown(nil), visible.AppendKnown(nil)
	for i := range on {
		if known[i] != 0 && seen[i] == 0 {
			out = append(out, guess{p[i], best[i], weight, int32(i), on[i] != 0})
		}
	}
	return out
}

// byColumn measures the averaged predictions column by column.
func byColumn(all []guess, columns int) []Metrics {
	of := make([][]guess, columns)
	for _, g := range all {
		of[g.column] = append(of[g.column], g)
	}
	out := make([]Metrics, columns)
	for i, guesses := range of {
		out[i] = measure(guesses, averaged)
	}
	return out
}

// measure scores one kind of prediction and sums in the order of the guesses. The
// shares of no guesses are NaN.
func measure(guesses []guess, p func(*guess) float64) Metrics {
	var m Metrics
	loss, right := 0.0, 0.0
	for i := range guesses {
		g := &guesses[i]
		w, p := float64(g.weight), p(g)
		m.Bits += g.weight
		if g.on {
			m.On += g.weight
		}
		l := -score.LogLik(g.on, p)
		if math.IsInf(l, 1) {
			m.Impossible += g.weight
		}
		loss += float64(w * l)
		switch {
		case p == 0.5:
			right += float64(w / 2)
		case (p > 0.5) == g.on:
			right += w
		}
	}
	m.LogLoss = loss / float64(m.Bits)
	m.Accuracy = right / float64(m.Bits)
	m.AUC = auc(guesses, p)
	return m
}

// auc returns the Mann-Whitney statistic as a share: the share of all pairs of an
// on and an off bit in which the on bit is predicted higher, ties counting half.
func auc(guesses []guess, p func(*guess) float64) float64 {
	order := make([]*guess, len(guesses))
	for i := range guesses {
		order[i] = &guesses[i]
	}
	slices.SortFunc(order, func(a, b *guess) int { return cmp.Compare(p(a), p(b)) })
	below, above := int64(0), int64(0) // off and on bits so far
	pairs := 0.0
	for i := 0; i < len(order); {
		on, off := int64(0), int64(0)
		for tie := p(order[i]); i < len(order) && p(order[i]) == tie; i++ {
			if order[i].on {
				on += order[i].weight
			} else {
				off += order[i].weight
			}
		}
		pairs += float64(float64(on) * (float64(below) + float64(float64(off)/2)))
		below, above = below+off, above+on
	}
	return pairs / (float64(below) * float64(above))
}
