package workbench

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/table/answers"
)

// Answers are the pictures of a table of answers.
type Answers struct {
	// Needs is which column, an item, needs which skill, by a matrix that is to be checked, and Skills what these are
	// called; nil for none.
	Needs  [][]bool
	Skills []string

	*answers.Result                  // once they are learned
	Checked         *answers.Checked // of the matrix; nil for none
	Written         answers.Compared // what the model is

	Indices map[string]*answers.Indices // of the pick, the classes and the level, by kind
}

// answers learns all pictures; the model is the shortest that a model can hold.
func (l *Learning) answers(ctx context.Context, tell func(Step) bool) (last Step, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	data := l.data.Data
	l.Images, l.Pixels = len(data.Images), knownPixels(data, false)
	opt := answers.Options{Seed: l.Recipe.Seed, Classes: l.Recipe.Experts, Progress: func(kind string) {
		if !tell(Step{CurvePoint: patchwork.CurvePoint{Stage: kind, Rows: rows.Total(data)}}) {
			cancel()
		}
	}}
	if l.Answers.Result, err = answers.Compare(ctx, data, opt); err != nil {
		return last, err
	}
	if err = l.Answers.HoldOut(); err != nil {
		return last, err
	}
	l.Answers.Written = l.Answers.Result.Written()
	if l.Answers.Needs != nil {
		if l.Answers.Checked, err = answers.Check(ctx, data, l.Answers.Needs); err != nil {
			return last, err
		}
		l.Answers.Written = l.Answers.Checked.Compared
	}
	if err = l.Answers.report(data); err != nil {
		return last, err
	}
	m, err := l.Answers.Written.Model(l.Config, rows.Total(data), l.Recipe.Seed)
	if err != nil {
		return last, err
	}
	if l.Answers.Checked != nil {
		extras := m.Extras()
		for _, name := range l.Answers.Skills {
			extras.Names = append(extras.Names, "without "+name)
		}
		if m, err = m.WithExtras(extras); err != nil {
			return last, err
		}
	}
	last.Model = Bits{m}
	last.Experts, last.Rows = m.K(), rows.Total(data)
	last.LogLik, last.DescriptionLength = l.Answers.Written.LogP, l.Answers.Written.Length
	return l.described(last)
}

// report finds out what the field reports of the pick, of classes and of a level.
func (a *Answers) report(data patchwork.Data) (err error) {
	a.Indices = map[string]*answers.Indices{}
	for _, p := range []*answers.Compared{&a.Pictures[0], a.Of("classes"), a.Of("level")} {
		if a.Indices[p.Kind] == nil && err == nil {
			a.Indices[p.Kind], err = p.Indices(data)
		}
	}
	if a.Checked != nil && err == nil {
		a.Indices["q_matrix"], err = a.Checked.Indices(data)
	}
	return err
}
