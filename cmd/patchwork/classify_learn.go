package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/modelfile/classfile"
)

const classifyLearnLong = `Learn what each class looks like, a class for every value of the column --by.

Of drawings, up to 20 examples of each class are kept whole, cut into one to four pieces
that move a little, and three parts are learned of all examples of the class: both judge.
Shifts of up to 0.15 of the frame and turns of up to 16 degrees are tried, unless --shift
or --rotate is given. Of tables, and where parts stay in their places, one model is learned
of each class, and its columns one by one are a second judge; cells may be unknown. The
flags are those of patchwork learn.

--alphabet K learns an alphabet of so many parts from the examples of all classes, and
begins the parts of each class with those that the alphabet has in its examples;
--start-from alphabet.npz begins them with an alphabet that was learned before. It takes
longer, and named no more images rightly where it was measured.

Examples are then left out and named by the others, which says how sure of a name to be:
of the images named with probability 0.9, nine in ten should be right. That needs two
examples of a class; with one, probabilities are a guess.

--curve 1,5,10,20 says how many of the other examples are named rightly by classes of 1,
5, 10 and 20 examples each; -o can then be left out.`

const classifyLearnExample = `  patchwork synth letters --letters TLH --writers 12 --side 28 --seed 1 -o letters.npz
  patchwork classify learn letters.npz --by y --where 'writer<=5' -o classes.npz
  patchwork classify learn letters.npz --by y --curve 1,3,5`

// classifyFlags are the flags of classify learn.
type classifyFlags struct {
	learnFlags
	by       string
	examples int
	numbers  []int // of --curve
}

func (a *app) classifyLearnCommand() *cobra.Command {
	f := new(classifyFlags)
	cmd := &cobra.Command{
		Use:     "learn DATA... --by COLUMN -o CLASSES",
		Short:   "Learn classes from labelled examples",
		Long:    classifyLearnLong,
		Example: classifyLearnExample,
		Args:    oneOrMoreData,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.classifyLearn(cmd, f, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.by, "by", "", "column with the class of each row or image (several: with commas)")
	fs.StringVarP(&f.output, "output", "o", "", "file of classes to write (- for standard output)")
	fs.IntVar(&f.examples, "examples", 20, "examples of each class that are kept whole, for drawings; 0: none")
	textVar(cmd, "curve", "N,N...", f.setCurve, "name the other examples by classes of so many each, such as 1,5,10,20")
	(*jsonFlag)(&f.json).add(cmd)
	f.addRecipe(cmd)
	f.data.add(cmd)
	everyday(cmd, "by output experts examples curve shift rotate rows where seed")
	f.data.addMemory(cmd)
	return cmd
}

// setCurve reads the numbers of --curve.
func (f *classifyFlags) setCurve(text string) error {
	f.numbers = nil
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return fmt.Errorf("give numbers of examples, such as 1,5,10,20")
		}
		f.numbers = append(f.numbers, n)
	}
	return nil
}

// check returns an error if something is wrong that shows before any data are read.
func (f *classifyFlags) check(cmd *cobra.Command) error {
	f.Memory = int64(f.data.memory)
	if _, err := checkOutput("classify learn", f.output); err != nil {
		return err
	}
	if err := jsonFlag(f.json).check(f.output); err != nil {
		return err
	}
	switch {
	case f.output == "" && f.numbers == nil:
		return usagef("-o CLASSES is required: name the file to write, such as -o classes.npz; or give --curve")
	case f.examples < 0:
		return usagef("--examples %d: give 0 or more", f.examples)
	}
	if err := f.loadAlphabet(); err != nil {
		return err
	}
	return inFlags(f.Check())
}

// needsBy returns the error that --by is missing, with the columns that it may name.
func (f *classifyFlags) needsBy(cmd *cobra.Command, paths []string) error {
	const wanted = "--by COLUMN is required: name the column with the class of each row, such as --by y"
	head, err := f.data.glance(cmd, paths)
	if err != nil {
		return err
	}
	if head == nil {
		return usagef(wanted)
	}
	var names []string
	for _, c := range head.Meta {
		names = append(names, c.Name)
	}
	if head.Table {
		names = append(names, head.Columns...)
	}
	const most = 12
	if len(names) > most {
		names = append(names[:most], "...")
	}
	if len(names) == 0 {
		return usagef("%s; %s has no columns beside the images: put pictures in a folder for each class, or name the file "+
			"of their labels after it", wanted, head.Source)
	}
	return usagef("%s; %s has %s", wanted, head.Source, strings.Join(names, ", "))
}

// classifyLearn learns classes, and reports.
func (a *app) classifyLearn(cmd *cobra.Command, f *classifyFlags, paths []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if f.by == "" {
		return f.needsBy(cmd, paths)
	}
	if err := f.data.asLabels(cmd, f.by, paths); err != nil {
		return err
	}
	set, err := f.data.read(cmd, paths)
	if err != nil {
		return err
	}
	labels, err := labelsOf(set, f.by)
	if err != nil {
		return &inputError{err}
	}
	plan, err := f.plan(cmd, &source{set: set})
	if err != nil {
		return err
	}
	began := time.Now()
	report := classifyReport{Output: f.output, By: f.by, Examples: set.Len()}
	if f.numbers != nil {
		if report.Curve, err = a.classifyCurve(cmd.Context(), f, set, labels, plan); err != nil {
			return err
		}
	}
	if f.output == "" {
		return a.sayClasses(f, &report, nil, set)
	}
	c, err := plan.learn(cmd.Context(), set.Data, labels)
	if err != nil {
		return request(err)
	}
	if c, err = f.described(c, set); err != nil {
		return err
	}
	if err := a.output(f.output, func(w io.Writer) error { return classfile.Write(w, c) }); err != nil {
		return err
	}
	report.Seconds = time.Since(began).Seconds()
	return a.sayClasses(f, &report, c, set)
}

// described returns the classes with how their data were read; examples get the numbers of
// their rows in the input.
func (f *classifyFlags) described(c *classes.Classifier, set *dataset.Set) (*classes.Classifier, error) {
	all := slices.Clone(c.Classes())
	for k := range all {
		all[k].Examples = slices.Clone(all[k].Examples)
		for e := range all[k].Examples {
			at := &all[k].Examples[e].Row
			*at = row(set, *at)
		}
	}
	like, err := set.Describe(c.Like())
	if err != nil {
		return nil, err
	}
	marginals := c.Marginals()
	if c, err = classes.New(all, c.Sharpness()); err != nil {
		return nil, err
	}
	if c, err = c.WithMarginals(marginals); err != nil {
		return nil, err
	}
	if c, err = c.Described(like); err != nil {
		return nil, err
	}
	return c.LabelledBy(f.by), nil
}

// plan returns how the classes are learned.
func (f *classifyFlags) plan(cmd *cobra.Command, s *source) (*classPlan, error) {
	shared, err := f.takeAlphabet(s)
	if err != nil {
		return nil, err
	}
	h, w := s.head().Size()
	cuts := classes.Config(h, w)
	if !f.Given && f.Shift == 0 && f.ShiftX == nil && h > 1 && f.For == "" && f.Method != "soft" &&
		f.Rule != "max-minus-min" && !f.Paper() {
		g := cuts.Poses
		dx := g.DX.Max
		f.Poses = recipe.Poses{Shift: g.DY.Max, ShiftX: &dx, ShiftStep: max(g.DY.Step, 1), Rotate: "16:8", Given: true}
		if f.Count == (recipe.Count{}) {
			f.Experts = 3
		}
	}
	if _, err := f.resolve(s, learn.Layout{}); err != nil {
		return nil, err
	}
	p, err := f.Plan(h, w)
	if err != nil {
		return nil, inFlags(err)
	}
	plan := &classPlan{cfg: cuts, opt: classes.Options{Examples: f.examples, Seed: f.Seed, Workers: f.Workers}, each: p,
		alphabet: shared}
	if f.examples == 0 || p.Table != nil || p.Config.Poses.Len() == 1 || p.Config.Scene {
		if cmd.Flags().Changed("examples") && f.examples > 0 {
			return nil, usagef("--examples %d: only examples of drawings whose parts move are kept whole; give --shift, or "+
				"leave it out", f.examples)
		}
		plan.opt.Examples = -1
	}
	plan.cfg.Poses = p.Config.Poses
	return plan, nil
}

// curvePoint is a point of a few-shot curve, as JSON.
type curvePoint struct {
	Examples int     `json:"examples"`
	Named    int     `json:"named"`
	Right    int     `json:"right"`
	Accuracy float64 `json:"accuracy"`
}

// mostNamed is how many of the other examples of each class a curve names.
const mostNamed = 40

// classifyCurve names the examples that are left by classes of the first n of each, in
// an order drawn by the seed.
func (a *app) classifyCurve(ctx context.Context, f *classifyFlags, set *dataset.Set, labels []string,
	plan *classPlan) ([]curvePoint, error) {
	members := make(map[string][]int)
	for _, i := range rand.New(rand.NewPCG(f.Seed, 1<<42)).Perm(set.Len()) {
		if labels[i] != "" {
			members[labels[i]] = append(members[labels[i]], i)
		}
	}
	var out []curvePoint
	for _, n := range f.numbers {
		var train, test []int
		able := 0
		for _, own := range members {
			if len(own) > n {
				able++
				train = append(train, own[:n]...)
				test = append(test, own[n:min(len(own), n+mostNamed)]...)
			}
		}
		if able < 2 {
			return nil, usagef("--curve %d: %s of %s has more than %s; two are needed", n,
				[]string{"no class", "only one class"}[able], f.by, words.Count(n, "example"))
		}
		slices.Sort(train)
		slices.Sort(test)
		c, err := plan.learn(ctx, set.Pick(train).Data, picked(labels, train))
		if err != nil {
			return nil, request(err)
		}
		verdicts, err := c.Name(ctx, set.Pick(test).Images, classes.NameOptions{Workers: f.Workers})
		if err != nil {
			return nil, err
		}
		counts := newConfusion(c.Names())
		for j, v := range verdicts {
			counts.add(labels[test[j]], v.Class)
		}
		out = append(out, curvePoint{n, counts.all, counts.right, counts.accuracy()})
	}
	return out, nil
}

// picked returns some values.
func picked[V any](from []V, which []int) []V {
	return valuesBy(len(which), func(j int) V { return from[which[j]] })
}

// classifyReport is what classify learn --json reports.
type classifyReport struct {
	Output    string       `json:"output,omitempty"`
	By        string       `json:"by"`
	Classes   []classCount `json:"classes,omitempty"`
	Examples  int          `json:"examples"`
	Sharpness float64      `json:"sharpness,omitempty"`
	Curve     []curvePoint `json:"curve,omitempty"`
	Seconds   float64      `json:"seconds,omitempty"`
}

// classCount is a class of a report.
type classCount struct {
	Name     string `json:"name"`
	Examples int64  `json:"examples"`
	Kept     int    `json:"kept"` // whole
}

// sayClasses reports what was learned; c is nil for a curve alone.
func (a *app) sayClasses(f *classifyFlags, r *classifyReport, c *classes.Classifier, set *dataset.Set) error {
	if c != nil {
		r.Sharpness = c.Sharpness()
		for _, k := range c.Classes() {
			r.Classes = append(r.Classes, classCount{k.Name, k.Rows, len(k.Examples)})
		}
	}
	if f.json {
		return a.printObject(r, f.output)
	}
	for _, p := range r.Curve {
		if err := a.say(a.out, "%s of each class: %d of %d others right, %.1f %%", words.Count(p.Examples, "example"),
			p.Right, p.Named, 100*p.Accuracy); err != nil {
			return err
		}
	}
	if c == nil {
		return nil
	}
	least, most, alone := r.Classes[0].Examples, int64(0), 0
	for _, k := range r.Classes {
		least, most = min(least, k.Examples), max(most, k.Examples)
		if k.Examples == 1 {
			alone++
		}
	}
	each := fmt.Sprint(least)
	if most > least {
		each = fmt.Sprintf("%d to %d", least, most)
	}
	if alone == len(r.Classes) {
		a.warn("every class has one example: how sure a name is cannot be measured, and its probability is a guess")
	}
	return a.wrote(f.output, "%d classes of %s, %s examples each, of %s", len(r.Classes), f.by, each,
		describe(set.Len(), set))
}
