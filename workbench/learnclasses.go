package workbench

import (
	"context"
	"fmt"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/table"
)

// byLabel says how classes are learned.
type byLabel struct {
	column string
	labels []string
	cfg    patchwork.Config // how far the pieces of examples move
	opt    classes.Options
}

// NewClasses plans to learn a class for each value of a label, by: of several with commas between. The error names a
// setting, or says that there is no such label.
func NewClasses(data Data, by string, how recipe.Recipe) (*Learning, error) {
	labels, err := LabelsBy(data.Frame, by)
	if err != nil {
		return nil, err
	}
	facts := data.Facts()
	cfg := classes.Config(facts.Height, facts.Width)
	if !how.Given && how.Shift == 0 && how.ShiftX == nil && facts.Height > 1 && how.For == "" && !how.Soft() &&
		how.Rule != "max-minus-min" {
		g := cfg.Poses
		how.Poses = recipe.Poses{Shift: g.DY.Max, ShiftX: &g.DX.Max, ShiftStep: max(g.DY.Step, 1), Rotate: "16:8",
			Given: true}
		if how.Count == (recipe.Count{}) {
			how.Experts = 3
		}
	}
	l, err := NewLearning(data, how, facts)
	if err != nil {
		return nil, err
	}
	opt := classes.Options{Rows: data.Index, Seed: how.Seed, Workers: how.Workers, Fit: l.fit}
	if l.Table != nil || l.Config.Poses.Len() == 1 || l.Config.Scene {
		opt.Examples = -1 // only those of drawings whose parts move are kept whole
	}
	cfg.Poses = l.Config.Poses
	l.Profile, l.Blank = "", 0
	known := len(slices.DeleteFunc(slices.Clone(labels), func(label string) bool { return label == "" }))
	if none := l.Images - known; none > 0 {
		l.Profile = fmt.Sprintf("left out: %s without %s", words.Count(none, words.NounsOf(data.Table).Image), by)
		l.Images = known
	}
	l.byLabel = &byLabel{by, labels, cfg, opt}
	return l, nil
}

// fit learns one class. Classes are learned side by side, so each takes one worker.
func (l *Learning) fit(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
	if l.Table != nil {
		opt := *l.Table
		opt.Workers, opt.Exclusive = 1, nil
		return table.Learn(ctx, data, l.Config, opt)
	}
	opt := l.Learn
	opt.Workers = 1
	return learn.Learn(ctx, data, l.Config, opt)
}

// classes learns by classes.Learn.
func (l *Learning) classes(ctx context.Context, _ func(Step) bool) (last Step, err error) {
	c, err := classes.Learn(ctx, l.data.Data, l.byLabel.labels, l.byLabel.cfg, l.byLabel.opt)
	if err != nil {
		return last, err
	}
	like, err := l.data.Describe(c.Like())
	if err != nil {
		return last, err
	}
	if c, err = c.Described(like); err != nil {
		return last, err
	}
	last.Model = Classes{c.LabelledBy(l.byLabel.column)}
	return last, nil
}
