package workbench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
	"example.com/patchwork/table/lists"
	"example.com/patchwork/table/stack"
)

// Learning is a run that learns a model: planned, going on, or done.
type Learning struct {
	Recipe       recipe.Recipe  // with what the data say about the settings that are not given
	Profile      string         // what was recognised of the data, and how to change it; may be empty
	*recipe.Plan                // of bits
	Numbers      *real.Options  // of grey images
	Mixed        *mixed.Options // of tables of numbers and words
	Answers      *Answers       // of tables of which several pictures are compared
	Lists        *lists.Options // of wide tables, whose rows are lists

	// Memory, if not nil, keeps what steps came to, so that a run that was interrupted goes on where it was.
	Memory learn.Memory

	Blank   int      // images without ink, which are left out
	Images  int      // learned from
	Pixels  float64  // known ones of these, weights counted; of bits
	Sampled int      // rows of the table of which the images are a sample; 0 for none
	All     *AllRows // nil unless sampled

	data    Data
	counts  rows.Columns // of a table
	byLabel *byLabel     // nil unless classes are learned
	grid    *real.Data   // numbers in memory
}

// AllRows is what is found out about all rows of a table of which a sample was learned.
type AllRows struct {
	Rows   int64   // weights counted
	LogLik float64 // under the model, by the best explanations
	Pixels float64 // known ones
}

// Step is one step of learning.
type Step struct {
	// CurvePoint has the stage, the number of parts, and the scores as far as the stage has found them out.
	patchwork.CurvePoint

	Start, Starts int // the number of the start, from 0, and how many there are; Starts is 0 if the step belongs to none
	Iteration     int // of the stage, from 0

	// Candidate reports whether the model may be chosen. Model is the model after the step and Best the best so far; of
	// numbers and classes there are none before the last step.
	Candidate   bool
	Model, Best Model

	// Final marks the last step, whose Model is the result. Interrupted says that it is the best of a run that was ended
	// by [learn.Enough].
	Final, Interrupted bool
}

// NewLearning plans to learn from data as a recipe says. The error names a setting: a [*recipe.Error].
func NewLearning(data Data, how recipe.Recipe, facts recipe.Facts) (*Learning, error) {
	l := &Learning{data: data, Recipe: how, Images: data.Len()}
	var err error
	if data.Values != nil && facts.Table {
		l.Mixed, err = how.Mixed()
		l.Profile = l.mixedProfile(&facts)
		return l, err
	}
	if data.Values != nil {
		if l.Numbers, err = how.Numbers(facts.Height, facts.Width); err != nil {
			return nil, err
		}
		if facts.Streamed {
			l.Numbers.Sample = how.FittingNumbers(facts.Height, facts.Width)
			return l, nil
		}
		if l.grid, err = real.NewData(data.Height, data.Width, data.Values); err == nil {
			l.Profile = l.measured(&facts)
		}
		return l, err
	}
	l.Recipe, l.Profile = how.Resolve(facts)
	if l.Plan, err = l.Recipe.Plan(facts.Height, facts.Width); err != nil {
		return nil, err
	}
	switch {
	case how.For == recipe.ForAnswers:
		l.Answers = new(Answers)
		return l, how.CheckAnswers(facts)
	case l.wide(&facts):
		l.Lists = &lists.Options{MaxParts: l.Table.WithDefaults().MaxExperts, Seed: l.Recipe.Seed, Workers: l.Recipe.Workers}
		if how.Experts == 0 && how.AtMost == 0 {
			l.Lists.MaxParts = 0
		}
	case l.Table == nil && !facts.Streamed:
		l.Blank = l.Learn.Blank(l.Config, data.Data)
	}
	return l, nil
}

// measured says how numbers were read, and if it was recognised, why, and how to change it.
func (l *Learning) measured(facts *recipe.Facts) string {
	size := RowsText(facts.Rows, facts.Height, facts.Width, l.data.Table)
	low, high := Range(l.grid.Rows)
	how := fmt.Sprintf("from %v to %v, in steps of %v", low, high, l.grid.Scales[0].Step)
	if l.data.Why == "" {
		return fmt.Sprintf("read %s as real values: %s", size, how)
	}
	return fmt.Sprintf("%s: learning from real values, since %s (--threshold T makes bits of them); %s", size, l.data.Why,
		how)
}

// RowsText returns a number of rows or images with their size.
func RowsText(n, height, width int, table bool) string {
	if table {
		return fmt.Sprintf("%s of %s", words.Count(n, "row"), words.Count(width, "column"))
	}
	return fmt.Sprintf("%s of %d x %d", words.Count(n, "image"), height, width)
}

// Range returns the least and the greatest of the known values.
func Range(rows [][]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		for _, x := range row {
			if !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	return low, high
}

// Settings returns all that the result depends on beside the data: structs with their defaults.
func (l *Learning) Settings() []any {
	switch {
	case l.Mixed != nil:
		return []any{*l.Mixed}
	case l.Numbers != nil:
		return []any{*l.Numbers}
	case l.Lists != nil:
		return []any{l.Lists.MaxParts, l.Lists.Seed}
	case l.Table != nil:
		return []any{l.Config, l.Table.WithDefaults()}
	}
	return []any{l.Config, l.Learn.WithDefaults(l.Config)}
}

// Steps learns, and yields every step. If the context is cancelled by [learn.Enough], the last step has the best model
// so far, or the error is the cause if there is none. Other errors are those of the context or the data, or say what
// does not fit.
func (l *Learning) Steps(ctx context.Context) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		steps := l.images
		switch {
		case l.Mixed != nil:
			steps = l.mixed
		case l.Numbers != nil:
			steps = l.numbers
		case l.byLabel != nil:
			steps = l.classes
		case l.Answers != nil:
			steps = l.answers
		case l.Lists != nil:
			steps = l.lists
		case l.Table != nil:
			steps = l.table
		}
		left := false
		last, err := steps(ctx, func(s Step) bool {
			left = left || !yield(s, nil)
			return !left
		})
		switch {
		case left:
			return
		case err != nil && enough(ctx):
			err = context.Cause(ctx)
		case err == nil:
			last.Final = true
		}
		yield(last, err)
	}
}

// enough reports whether a run was ended to keep the best so far.
func enough(ctx context.Context) bool { return errors.Is(context.Cause(ctx), learn.Enough) }

// images learns by learn.Run.
func (l *Learning) images(ctx context.Context, tell func(Step) bool) (last Step, err error) {
	if l.data.Unit > 1 {
		return last, errors.New("the weights are decimals, and this learner takes whole ones: round them")
	}
	opt, src := l.Learn, patchwork.Source(l.data.Data)
	if opt.Memory = l.Memory; l.data.Blocks != nil {
		if src = l.counted(); l.data.Tally != nil {
			src = elsewhere{src, l.data.Tally}
		}
	} else {
		l.Pixels = knownPixels(l.data.Data, l.Blank > 0)
	}
	for s, err := range learn.Run(ctx, src, l.Config, opt) {
		if err != nil {
			return last, err
		}
		last = Step{CurvePoint: s.CurvePoint, Start: s.Start, Starts: s.Starts, Iteration: s.Iteration,
			Candidate: true, Model: Bits{s.Model}, Best: Bits{s.Best}}
		if !s.Chosen && !tell(last) {
			return last, nil
		}
	}
	last.Interrupted = enough(ctx)
	if l.Learn.Alphabet {
		l.drawn(last.Model.(Bits).Model)
	}
	return l.described(last)
}

// table learns by table.Run, of a stream from a sample, and then judges all rows.
func (l *Learning) table(ctx context.Context, tell func(Step) bool) (last Step, err error) {
	data := l.data.Data
	if l.data.Blocks != nil {
		n := l.Recipe.Fitting(l.data.Size())
		if data, l.Sampled, err = learn.Sample(ctx, l.counted(), n, l.Recipe.Seed); err != nil {
			return last, err
		}
		l.counts = rows.Columns{}
	}
	l.Images, l.Pixels, data.Memory = len(data.Images), knownPixels(data, false), l.Memory
	for s, err := range table.Run(ctx, data, l.Config, *l.Table) {
		if err != nil && last.Best != nil && enough(ctx) {
			last.Model, last.Interrupted = last.Best, true
			return l.described(last)
		}
		if err != nil {
			return last, err
		}
		last = Step{CurvePoint: s.CurvePoint, Iteration: s.Iteration, Candidate: s.Candidate, Model: Bits{s.Model},
			Best: Bits{s.Best}}
		if !s.Chosen && !tell(last) {
			return last, nil
		}
	}
	if l.data.Blocks != nil {
		if err := l.judgeAll(ctx, last.Model.(Bits).Model); err != nil && !enough(ctx) {
			return last, err
		}
	}
	if last.Interrupted = enough(ctx); l.Predict && !last.Interrupted {
		if last, err = l.stacked(ctx, data, last, tell); err != nil {
			return last, err
		}
	}
	return l.described(last)
}

// stacked adds to the model of a table what predicts unknown bits beside its parts.
func (l *Learning) stacked(ctx context.Context, data patchwork.Data, s Step, tell func(Step) bool) (Step, error) {
	m := s.Model.(Bits).Model
	told := s
	told.Stage = "predict"
	if !tell(told) {
		return s, nil
	}
	p, held, err := stack.Fit(ctx, data, stack.Options{Exclusive: l.data.Exclusive(), Seed: l.Recipe.Seed,
		Workers: l.Recipe.Workers, Parts: func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
			opt := *l.Table
			opt.Experts, opt.AnyRule = m.K(), false
			return table.Learn(ctx, data, m.Config(), opt)
		}})
	if err != nil || p == nil {
		return s, err
	}
	extras := m.Extras()
	extras.Predictor, extras.Record.Mode = p, "predict"
	for i := range extras.Record.Curve {
		if c := &extras.Record.Curve[i]; c.Chosen {
			c.HiddenBits, c.HiddenLoss = held.Bits, held.LogLoss
		}
	}
	m, err = m.WithExtras(extras)
	s.Model = Bits{m}
	return s, err
}

// judgeAll explains all rows of a stream by the model that was learned from a sample.
func (l *Learning) judgeAll(ctx context.Context, m *patchwork.Model) error {
	all := *l // whose figures are those of the sample
	opt := patchwork.PursuitOptions{Costs: posterior.PickCosts(m)}
	tally, err := patchwork.EStep(ctx, m, all.counted(), opt, l.Recipe.Workers, nil)
	if err != nil {
		return err
	}
	unit := max(l.data.Unit, 1)
	l.All = &AllRows{rows.InUnits(tally.Rows(), unit), tally.LogLik() / float64(unit), all.Pixels}
	return nil
}

// numbers learns grey images.
func (l *Learning) numbers(ctx context.Context, tell func(Step) bool) (last Step, err error) {
	if l.data.Weights != nil {
		return last, errors.New("images of real values take no weights; leave them out")
	}
	o, r := *l.Numbers, (*real.Result)(nil)
	o.Memory = l.Memory
	err = l.watched(ctx, tell, func(ctx context.Context, say func(Step)) (some bool, err error) {
		o.Progress = func(p real.Progress) {
			say(Step{CurvePoint: patchwork.CurvePoint{Stage: p.Stage, Experts: p.Experts,
				DescriptionLength: p.DescriptionLength}, Start: p.Start, Starts: p.Starts})
		}
		if l.data.Blocks != nil {
			r, err = real.LearnStream(ctx, l.data.Numbers(nil), o)
		} else {
			r, err = real.Learn(ctx, l.grid, o)
		}
		return r != nil, err
	})
	if err != nil {
		return last, err
	}
	m := *r.Model
	l.Images = m.Record.Rows
	last.Interrupted, last.Experts, last.LogLik = enough(ctx), m.K(), r.LogLik
	last.DescriptionLength, last.Rows = r.DescriptionLength, int64(m.Record.Rows)
	m.Reading, err = l.data.Reading()
	last.Model = Numbers{&m}
	return last, err
}

// watched runs a learner of numbers with a context that ends as soon as nobody wants its steps, and that it says them
// to. The error is the learner's, unless the run was ended to keep what there is and there is some.
func (l *Learning) watched(ctx context.Context, tell func(Step) bool,
	run func(ctx context.Context, say func(Step)) (some bool, err error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := false
	some, err := run(ctx, func(s Step) {
		s.Rows = int64(l.Images)
		if left = left || !tell(s); left {
			cancel()
		}
	})
	if err != nil && (left || !some || !enough(ctx)) {
		return err
	}
	return nil
}

// described adds to the model of a step of bits what the data say about its columns.
func (l *Learning) described(s Step) (Step, error) {
	if l.data.Blocks == nil && l.data.Table {
		l.counts.Add(l.data.Data)
	}
	m, err := WithMeans(s.Model.(Bits).Model, &l.counts)
	if err != nil {
		return s, err
	}
	m, err = l.data.Describe(m)
	s.Model = Bits{m}
	return s, err
}

// WithMeans gives a model of a table the means of its columns in the rows that were counted, as if half a row more were
// on and half a row off, unless it has some: what a score of hidden cells compares with.
func WithMeans(m *patchwork.Model, c *rows.Columns) (*patchwork.Model, error) {
	e := m.Extras()
	if e.Means != nil || c.Len() != m.Height()*m.Width() {
		return m, nil
	}
	e.Means = c.Means()
	return m.WithExtras(e)
}

// drawn counts only the pixels of the images that were drawn to learn an alphabet from.
func (l *Learning) drawn(m *patchwork.Model) {
	all := int64(0)
	for i := range l.data.Images {
		all += l.data.Weight(i)
	}
	if n := m.Extras().Record.Rows; n > 0 && n < all {
		l.Pixels *= float64(n) / float64(all)
	}
}

// Repeats returns how many starts give the model of an interrupted run again, if as many are asked for: 0 if no number
// does.
func (l *Learning) Repeats(m Model) int {
	switch m := m.(type) {
	case Bits:
		// One start is judged otherwise; a description is improved at length.
		r := m.Extras().Record
		if l.Table == nil && l.Learn.Experts != 0 && len(r.Starts) > 1 && r.DescriptionLength == 0 {
			return len(r.Starts)
		}
	case Numbers: // who predicts has steps after all starts
		if !l.Numbers.Predict {
			return len(m.Record.Starts)
		}
	}
	return 0
}

// Unfinished returns a model with a record that says that learning was interrupted.
func Unfinished(of Model) (Model, error) {
	switch m := of.(type) {
	case Bits:
		e := m.Extras()
		e.Record.Interrupted = true
		out, err := m.WithExtras(e)
		return Bits{out}, err
	case Numbers:
		out := *m.Model
		out.Record.Interrupted = true
		return Numbers{&out}, nil
	case Lists:
		out := *m.Model
		out.Record.Interrupted = true
		return Lists{&out}, nil
	case Mixed:
		out := *m.Model
		out.Record.Interrupted = true
		return Mixed{&out, m.codings}, nil
	}
	return of, nil
}

// knownPixels counts the known pixels, by which a log-likelihood per pixel divides; those of images without ink, if
// they are left out, do not count.
func knownPixels(data patchwork.Data, inked bool) float64 {
	sum := 0.0
	for i, img := range data.Images {
		if inked && img.CountOn() == 0 {
			continue
		}
		sum += data.Times(i) * float64(img.CountKnown())
	}
	return sum
}

// Again learns from other rows, with less care: to see what comes back, and how well it predicts.
func (m Mixed) Again(ctx context.Context, f *dataset.Frame, seed uint64) (Mixed, error) {
	again, err := mixed.Learn(ctx, mixedData(f), mixed.Options{Seed: seed, Quick: true})
	if err != nil {
		return m, err
	}
	again.Reading = m.Reading
	return newMixed(again)
}

// mixed learns by mixed.Learn.
func (l *Learning) mixed(ctx context.Context, tell func(Step) bool) (last Step, err error) {
	o, m := *l.Mixed, (*mixed.Model)(nil)
	err = l.watched(ctx, tell, func(ctx context.Context, say func(Step)) (some bool, err error) {
		o.Progress = func(p mixed.Progress) {
			say(Step{CurvePoint: patchwork.CurvePoint{Stage: p.Stage, Experts: p.Parts, DescriptionLength: p.Length},
				Start: min(p.Start, p.Starts-1), Starts: p.Starts})
		}
		if l.data.Blocks != nil {
			most := l.Recipe.FittingNumbers(1, l.data.Width)
			m, err = mixed.LearnStream(ctx, l.data.Mixed(nil), most, o)
		} else {
			m, err = mixed.Learn(ctx, mixedData(l.data.Frame), o)
		}
		return m != nil, err
	})
	if err != nil {
		return last, err
	}
	out := *m
	if out.Reading, err = l.data.Reading(); err != nil {
		return last, err
	}
	l.Images = out.Record.Rows
	last.Experts, last.LogLik, last.DescriptionLength = len(out.Parts), out.Record.LogLik, out.Record.Length
	last.Rows = int64(out.Record.Rows)
	last.Interrupted, out.Record.Interrupted = enough(ctx), enough(ctx)
	last.Model, err = newMixed(&out)
	return last, err
}
