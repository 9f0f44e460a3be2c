package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/table"
	"example.com/patchwork/workbench"
)

// learnClasses learns a class for each value of --by.
func (a *app) learnClasses(cmd *cobra.Command, f *learnFlags, paths []string) error {
	if err := cmp.Or(meantFor(cmd, classKind), f.check(cmd), jsonFlag(f.json).check(f.output)); err != nil {
		return err
	}
	if f.data.asNumbers() {
		return usagef("--column NAME=number does not apply to %s, which are learned of bits; leave it out", classKind)
	}
	if !f.data.items { // whose words are no columns yet
		for name := range strings.SplitSeq(f.by, ",") {
			f.data.edits = append(f.data.edits, dataset.Edit{Column: name, Want: "label"})
		}
	}
	set, err := f.data.read(cmd, paths)
	if err != nil {
		return err
	}
	labels, err := workbench.LabelsBy(set, f.by)
	if err != nil {
		return request(err)
	}
	cfg, opt, err := f.classPlan(set)
	if err != nil {
		return err
	}
	began := time.Now()
	c, err := classes.Learn(cmd.Context(), set.Data, labels, cfg, opt)
	if err != nil {
		return request(err)
	}
	like, err := set.Describe(c.Like())
	if err != nil {
		return err
	}
	if c, err = c.Described(like); err != nil {
		return err
	}
	c = c.LabelledBy(f.by)
	if err := a.saveModel(f.output, workbench.Classes{Classifier: c}); err != nil {
		return err
	}
	return a.classSummary(f, c, set, time.Since(began))
}

// classPlan returns how far the pieces of examples move, and how classes are learned.
func (f *learnFlags) classPlan(set *dataset.Set) (patchwork.Config, classes.Options, error) {
	h, w := set.Size()
	cfg := classes.Config(h, w)
	opt := classes.Options{Rows: set.Index, Seed: f.Seed, Workers: f.Workers}
	if !f.Given && f.Shift == 0 && f.ShiftX == nil && h > 1 && f.For == "" && f.Method != "soft" &&
		f.Rule != "max-minus-min" {
		g := cfg.Poses
		f.Poses = recipe.Poses{Shift: g.DY.Max, ShiftX: &g.DX.Max, ShiftStep: max(g.DY.Step, 1), Rotate: "16:8",
			Given: true}
		if f.Count == (recipe.Count{}) {
			f.Experts = 3
		}
	}
	if _, err := f.resolve(&source{set: set}, learn.Layout{}); err != nil {
		return cfg, opt, err
	}
	p, err := f.Plan(h, w)
	if err != nil {
		return cfg, opt, inFlags(err)
	}
	if p.Table != nil || p.Config.Poses.Len() == 1 || p.Config.Scene {
		opt.Examples = -1 // only those of drawings whose parts move are kept whole
	}
	opt.Fit, cfg.Poses = fitOf(p), p.Config.Poses
	return cfg, opt, nil
}

// fitOf returns how one class is learned. Classes are learned side by side, so each takes
// one worker.
func fitOf(p *recipe.Plan) func(context.Context, patchwork.Data) (*patchwork.Model, error) {
	return func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
		if p.Table != nil {
			opt := *p.Table
			opt.Workers = 1
			return table.Learn(ctx, data, p.Config, opt)
		}
		opt := p.Learn
		opt.Workers = 1
		return learn.Learn(ctx, data, p.Config, opt)
	}
}

// classesLearned is what learn --by --json reports.
type classesLearned struct {
	Output    string       `json:"output"`
	By        string       `json:"by"`
	Classes   []classCount `json:"classes"`
	Examples  int          `json:"examples"`
	Sharpness float64      `json:"sharpness"`
	Seconds   float64      `json:"seconds"`
}

type classCount struct {
	Name     string `json:"name"`
	Examples int64  `json:"examples"`
	Kept     int    `json:"kept"` // whole
}

// classSummary says what was learned.
func (a *app) classSummary(f *learnFlags, c *classes.Classifier, set *dataset.Set, took time.Duration) error {
	r := classesLearned{Output: f.output, By: f.by, Examples: set.Len(), Sharpness: c.Sharpness(),
		Seconds: took.Seconds()}
	least, most := c.Classes()[0].Rows, int64(0)
	for _, k := range c.Classes() {
		r.Classes = append(r.Classes, classCount{k.Name, k.Rows, len(k.Examples)})
		least, most = min(least, k.Rows), max(most, k.Rows)
	}
	if f.json {
		return a.printObject(r, f.output)
	}
	each := fmt.Sprint(least)
	if most > least {
		each = fmt.Sprintf("%d to %d", least, most)
	}
	if most == 1 {
		a.warn("every class has one example: how sure a name is cannot be measured, and its probability is a guess")
	}
	return a.wrote(f.output, "%d classes of %s, %s examples each, of %s", len(r.Classes), f.by, each,
		describe(set.Len(), set))
}
