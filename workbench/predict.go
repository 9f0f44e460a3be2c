package workbench

import (
	"context"
	"iter"
	"math"
	"slices"
	"sort"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/posterior"
)

// Predicting says how unknown values are predicted. The zero value is the recommended default.
type Predicting struct {
	Best     int  // of bits: explanations of each row that are averaged; 16 if 0
	MaxPicks int  // of an explanation; no limit if 0
	All      bool // predict the known values too
	Workers  int
}

// Filled is consecutive rows with their predictions, valid until the next.
type Filled struct {
	*Explained // only which rows they are
	// Values are those of each row: known ones as they are, unless all are predicted; of bits the probability of 1.
	Values [][]float64
	// Deviation is of numbers that of what is predicted, 0 of what is known, Low and High are the ends of the interval
	// that holds 80 %; nil of bits.
	Deviation, Low, High [][]float64
	// Of tables of every kind Sure is how probable a word is, NaN of numbers, Text a value of column d as people read it,
	// and Expected says what is predicted.
	Sure     [][]float64
	Text     func(d int, value float64) string
	Expected [][]string

	all bool
}

// Inside is the share of the probability that is between [Filled].Low and High.
const Inside = .8

// Cells returns which values of row i of these are predictions.
func (x *Filled) Cells(i int) (at []int) {
	if x.Frame.Values != nil {
		for d, v := range x.numbers(i) {
			if x.all || math.IsNaN(v) {
				at = append(at, d)
			}
		}
		return at
	}
	for d, known := range x.Frame.Images[x.From+i].AppendKnown(nil) {
		if x.all || known == 0 {
			at = append(at, d)
		}
	}
	return at
}

// Next returns the n cells of row i of these that are not on and most probably would be, the most probable first; none
// of numbers.
func (x *Filled) Next(i, n int) (at []int) {
	if x.Frame.Values != nil {
		return nil
	}
	row, p := x.Frame.Images[x.From+i].AppendValues(nil), x.Values[i]
	for d, is := range row {
		if is == 1 || len(at) == n && p[d] <= p[at[n-1]] {
			continue
		}
		i := sort.Search(len(at), func(i int) bool { return p[at[i]] < p[d] })
		at = slices.Insert(at, i, d)
		at = at[:min(n, len(at))]
	}
	return at
}

// Predict fills in unknown bits by the average over explanations, or by the predictor of the model.
func (m Bits) Predict(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Predicting) iter.Seq2[*Filled, error] {
	groups, err := exclusive(m.Model)
	opt := posterior.Options{Keep: how.Best, MaxPicks: how.MaxPicks}
	e := m.search(opt, how.Workers, func(ctx context.Context, s *posterior.Searcher, x *Explained) error {
		out := &Filled{Explained: x, all: how.All}
		x.Out = out
		return x.each(ctx, func(i int) error {
			img := x.Frame.Images[x.From+i]
			p := make([]float64, img.Len())
			if how.All || !img.Complete() {
				var err error
				if p, _, err = s.Predict(img); err != nil {
					return err
				}
				groups.Normalize(p, img)
			}
			if !how.All {
				p = posterior.Fill(img, p)
			}
			out.Values = append(out.Values, p)
			return nil
		})
	})
	if err != nil {
		e.err = err
	}
	return e.fill(ctx, data)
}

// Predict fills in unknown numbers by the average over explanations, and over the models of a committee.
func (m Numbers) Predict(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Predicting) iter.Seq2[*Filled, error] {
	return m.by(how.Workers, func(ctx context.Context, p *real.Pursuit, x *Explained) error {
		out := &Filled{Explained: x, all: how.All}
		x.Out = out
		return x.each(ctx, func(i int) error {
			post, err := p.Together(x.numbers(i), 0)
			if err != nil {
				return err
			}
			asked := slices.Clone(x.numbers(i))
			for d := range asked {
				if how.All {
					asked[d] = math.NaN()
				}
			}
			said := post.Predict(asked, Inside)
			out.Values, out.Deviation = append(out.Values, said.Mean), append(out.Deviation, said.Deviation)
			out.Low, out.High = append(out.Low, said.Low), append(out.High, said.High)
			return nil
		})
	}).fill(ctx, data)
}

// Predict yields an error.
func (m Classes) Predict(context.Context, iter.Seq2[*dataset.Frame, error], Predicting) iter.Seq2[*Filled, error] {
	return func(yield func(*Filled, error) bool) { yield(nil, errNoParts) }
}
