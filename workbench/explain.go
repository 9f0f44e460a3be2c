package workbench

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table/answers"
)

// Row is what a model of any kind says of a row or an image. Of numbers the explanation is in the form of that of
// bits, with its log-likelihood also as LogLikModel. Of classes it is that by the class named.
type Row struct {
	Index int // of the row in the input before any selection, from 0
	patchwork.Explanation
	Joint float64 // log P(row, picks), in nats; of numbers

	// Others are the best explanations, best first, of which this is the first; Evidence is the logarithm of the sum
	// of their joint probabilities. Where Explaining.Best is above 1.
	Others   []posterior.Alternative
	Evidence float64

	Verdict *classes.Verdict // of a model of classes
	Person  *answers.Person  // of a picture of a table of answers
}

// Explaining says how rows are explained. The zero value is the recommended default.
type Explaining struct {
	Best     int    // explanations that are looked for; one below 2
	MaxPicks int    // of an explanation; no limit if 0
	Pursuit  string // of bits: "refined" or "paper", without a price for parts; "" for what suits the model
	Why      bool   // of classes: also say why
	Workers  int    // 0 means 1; the result is the same for any number
	// Fork, unless nil, is what Bits.Search returned for the same model and settings, which takes time.
	Fork *patchwork.Pursuit
	// Then, unless nil, is called by the workers with each part of the rows, to prepare what is made of it.
	Then func(*Explained)
}

// Explained is consecutive rows of a frame that were explained.
type Explained struct {
	Frame *dataset.Frame
	From  int // the number of the first in the frame
	Rows  []Row
	Out   any // what Explaining.Then made of an earlier part, to be used again, and then of this one

	found patchwork.Explanations
	picks []patchwork.Pick
	err   error
}

// To returns the number of the row after the last in the frame.
func (x *Explained) To() int { return x.From + len(x.Rows) }

// Once returns a frame as a sequence of frames.
func Once(f *dataset.Frame) iter.Seq2[*dataset.Frame, error] {
	return func(yield func(*dataset.Frame, error) bool) { yield(f, nil) }
}

// Explain explains rows in their order.
func (m Bits) Explain(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Explaining) iter.Seq2[*Explained, error] {
	return m.engine(how).explain(ctx, data, how.Then)
}

// Explain explains rows in their order.
func (m Numbers) Explain(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Explaining) iter.Seq2[*Explained, error] {
	return m.by(how.Workers, func(ctx context.Context, p *real.Pursuit, x *Explained) error {
		return x.byNumbers(ctx, p, how.Best)
	}).explain(ctx, data, how.Then)
}

// by returns an engine that does something with numbers by a pursuit.
func (m Numbers) by(workers int, do func(context.Context, *real.Pursuit, *Explained) error) *engine {
	first, err := real.NewPursuit(m.Model)
	return forked(workers, first, err, (*real.Pursuit).Fork, do)
}

// numbers returns the values of row i of these.
func (x *Explained) numbers(i int) []float64 { return x.Frame.Values[x.From+i] }

// each does something with each of some rows.
func (x *Explained) each(ctx context.Context, do func(i int) error) error {
	for i := range x.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(i); err != nil {
			return fmt.Errorf("%s %d: %w", words.NounsOf(x.Frame.Table).Image, x.Rows[i].Index+1, err)
		}
	}
	return nil
}

// Explain names the classes of rows in their order.
func (m Classes) Explain(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Explaining) iter.Seq2[*Explained, error] {
	const atOnce = 1024 // each time all models are prepared
	opt := classes.NameOptions{Reasons: how.Why, Workers: how.Workers}
	e := &engine{least: atOnce, most: atOnce, hands: []hand{func(ctx context.Context, x *Explained) error {
		all, err := m.Classifier.Name(ctx, x.Frame.Images[x.From:x.To()], opt)
		for i := range all {
			x.Rows[i].Verdict = &all[i]
			if e := all[i].Explanation; e != nil {
				x.Rows[i].Explanation = *e
			}
		}
		return err
	}}}
	return e.explain(ctx, data, how.Then)
}

// Search returns what explains bits by these settings.
func (m Bits) Search(how Explaining) (*patchwork.Pursuit, error) {
	opt := patchwork.PursuitOptions{Paper: how.Pursuit == "paper", Refined: how.Pursuit == "refined",
		MaxPicks: how.MaxPicks}
	if how.Pursuit == "" {
		opt.Costs = posterior.PickCosts(m.Model)
	}
	return patchwork.NewPursuit(m.Model, opt)
}

// engine returns what explains bits. It is the only place that chooses between parts that stay and parts that move:
// where they stay as many rows as are explained together are a part, and fewer where few are to be divided among
// workers or there are many parts.
func (m Bits) engine(how Explaining) *engine {
	if r := m.Reader(); r != nil {
		same := func(r *answers.Reader) *answers.Reader { return r }
		return forked(how.Workers, r, nil, same, func(ctx context.Context, r *answers.Reader, x *Explained) error {
			return m.byPicture(ctx, r, x, how.Best)
		})
	}
	if how.Best > 1 {
		return m.search(posterior.Options{Keep: how.Best, MaxPicks: how.MaxPicks}, how.Workers, bySearch)
	}
	e := &engine{least: least, most: least}
	if c := m.Config(); !c.Scene && c.Poses.Len() == 1 {
		const rows, cells = 1024, 1 << 20 // cells are rows times parts
		e.most = max(least, min(rows, cells/max(m.K(), 1)))
	}
	first := how.Fork
	if first == nil {
		first, e.err = m.Search(how)
	}
	for w := range max(how.Workers, 1) {
		p := first
		if w > 0 && e.err == nil || how.Fork != nil {
			p = first.Fork()
		}
		e.hands = append(e.hands, func(ctx context.Context, x *Explained) error {
			p.Within(ctx) // an image alone may take long
			return x.byPursuit(p)
		})
	}
	return e
}

// byPursuit explains bits by a pursuit.
func (x *Explained) byPursuit(p *patchwork.Pursuit) error {
	if err := p.ExplainAll(x.Frame.Images[x.From:x.To()], &x.found); err != nil {
		return fmt.Errorf("%s: %w", x.Frame.Source, err)
	}
	e := &x.found
	x.picks = slices.Grow(x.picks[:0], len(e.Experts))[:len(e.Experts)]
	for at, k := range e.Experts {
		x.picks[at] = patchwork.Pick{Expert: int(k), Gain: e.Gains[at]}
		if e.Poses != nil {
			x.picks[at].Pose = e.Poses[at]
		}
	}
	for i := range x.Rows {
		r := &x.Rows[i].Explanation
		r.Picks, r.Scoring = x.picks[e.From[i]:e.From[i+1]], e.Scoring
		if r.StartLogLik, r.LogLik, r.LogLikModel = e.StartLogLik[i], e.LogLik[i], e.LogLikModel[i]; i < len(e.Missing) {
			r.Missing, r.Clutter = e.Missing[i], e.Clutter[i]
		}
	}
	return nil
}

// search returns an engine that does something with bits by a search for the best explanations.
func (m Bits) search(opt posterior.Options, workers int,
	do func(context.Context, *posterior.Searcher, *Explained) error) *engine {
	first, err := posterior.NewSearcher(m.Model, opt)
	return forked(workers, first, err, (*posterior.Searcher).Fork, do)
}

// bySearch finds the best explanations of bits.
func bySearch(ctx context.Context, s *posterior.Searcher, x *Explained) error {
	return x.each(ctx, func(i int) error {
		post, err := s.Explain(x.Frame.Images[x.From+i])
		if err == nil {
			r := &x.Rows[i]
			r.Explanation, r.Others, r.Evidence = post.Alternatives[0].Explanation, post.Alternatives, post.Evidence
		}
		return err
	})
}

// byNumbers explains numbers by a pursuit, and finds their best explanations too, if more than one is wanted.
func (x *Explained) byNumbers(ctx context.Context, p *real.Pursuit, best int) error {
	return x.each(ctx, func(i int) error {
		r, values := &x.Rows[i], x.numbers(i)
		e, err := p.Explain(values)
		if err != nil {
			return err
		}
		if r.Explanation, r.Joint = asBits(&e), e.LogJoint; best < 2 {
			return nil
		}
		post, err := p.Best(values, best)
		if err != nil {
			return err
		}
		if b := post.Explanations[0]; b.LogJoint > e.LogJoint+1e-9 { // else it is the same, whose gains are known
			r.Explanation, r.Joint = asBits(&b), b.LogJoint
		}
		r.Evidence = post.Evidence
		for j, e := range post.Explanations {
			r.Others = append(r.Others, posterior.Alternative{Explanation: asBits(&e), LogJoint: e.LogJoint,
				Weight: post.Weights[j]})
		}
		return nil
	})
}

// asBits returns an explanation of numbers in the form of those of bits. Gains that are not known are NaN.
func asBits(e *real.Explanation) patchwork.Explanation {
	out := patchwork.Explanation{StartLogLik: e.StartLogLik, LogLik: e.LogLik, LogLikModel: e.LogLik}
	for j, p := range e.Picks {
		pick := patchwork.Pick{Expert: p.Expert, Pose: p.Pose, Gain: math.NaN()}
		if e.Gains != nil {
			pick.Gain = e.Gains[j]
		}
		out.Picks = append(out.Picks, pick)
	}
	return out
}
