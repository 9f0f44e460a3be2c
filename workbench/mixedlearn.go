package workbench

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn/mixed"
)

// mixedProfile says what a table has, and if it was recognised, why, and how to change it.
func (l *Learning) mixedProfile(facts *recipe.Facts) string {
	of := 0 // words
	for d := range l.data.Width {
		if l.data.Words(d) != nil {
			of++
		}
	}
	size := RowsText(facts.Rows, 1, facts.Width, true)
	if facts.Rows == 0 { // of a stream, whose rows are not counted yet
		size = words.Count(facts.Width, "column")
	}
	text := fmt.Sprintf("%s, %s of numbers, yes and no, and %d of words", size, words.Count(l.data.Width-of, "column"), of)
	if of == 0 {
		text = size + " of numbers, yes and no"
	}
	if l.data.Why == "" {
		return text
	}
	return fmt.Sprintf("%s, since %s (--column NAME=label leaves one out, show FILE says what each is)", text, l.data.Why)
}

// mixedRows are the rows of a table as the learner reads them.
type mixedRows struct {
	*Data
	seen func([][]float64)
}

// Mixed returns the rows of a table as the learner of every kind of column reads them; seen, if not nil, sees each block.
func (d *Data) Mixed(seen func([][]float64)) mixed.Source { return mixedRows{d, seen} }

// mixedData returns a frame as the learner reads it.
func mixedData(f *dataset.Frame) *mixed.Data {
	if slices.Contains(f.Weights, 0) {
		var kept []int
		for i, w := range f.Weights {
			if w > 0 {
				kept = append(kept, i)
			}
		}
		f = f.Pick(kept)
	}
	out := &mixed.Data{Rows: f.Values, Weights: f.Weights, Unit: f.Unit}
	for d := range f.Width {
		var field mixed.Field
		if f.Columns != nil {
			field.Name = f.Columns[d]
		}
		if c := f.Words(d); c != nil && c.Kind == dataset.Category && c.Cuts == nil {
			field.Kind = mixed.Category
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

// Blocks reads the rows once.
func (m mixedRows) Blocks(ctx context.Context) iter.Seq2[*mixed.Data, error] {
	return func(yield func(*mixed.Data, error) bool) {
		blocks := Once(m.Frame)
		if m.Data.Blocks != nil {
			blocks = m.Data.Blocks(ctx)
		}
		for f, err := range blocks {
			if err != nil {
				yield(nil, err)
				return
			}
			if m.seen != nil {
				m.seen(f.Values)
			}
			if !yield(mixedData(f), nil) {
				return
			}
		}
	}
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

// Deviations returns how far what each part says is from what all rows are like, 0 where it abstains.
func (m Mixed) Deviations() (out [][]float64) {
	for k := range m.Parts {
		out = append(out, m.deviations(k))
	}
	return out
}

// mixed learns by mixed.Learn.
func (l *Learning) mixed(ctx context.Context, tell func(Step) bool) (last Step, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o, left := *l.Mixed, false
	o.Progress = func(p mixed.Progress) {
		point := patchwork.CurvePoint{Stage: p.Stage, Experts: p.Parts, DescriptionLength: p.Length, Rows: int64(l.Images)}
		if left = left || !tell(Step{CurvePoint: point, Start: min(p.Start, p.Starts-1), Starts: p.Starts}); left {
			cancel()
		}
	}
	var m *mixed.Model
	if l.data.Blocks != nil {
		most := l.Recipe.FittingNumbers(1, l.data.Width)
		m, err = mixed.LearnStream(ctx, l.data.Mixed(nil), most, o)
	} else {
		m, err = mixed.Learn(ctx, mixedData(l.data.Frame), o)
	}
	if err != nil && (left || m == nil || !enough(ctx)) {
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
