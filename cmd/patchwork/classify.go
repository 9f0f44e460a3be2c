package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/modelfile/classfile"
	"example.com/patchwork/table"
)

const classifyLong = `Say which class images or rows are of, and why: learn classes from a handful of
labelled examples each, then name others.`

func (a *app) classifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "classify",
		Short: "Say which class images or rows are of, and why",
		Long:  classifyLong,
		Example: `  patchwork synth letters --letters TLH --writers 12 --side 28 --seed 1 -o letters.npz
  patchwork classify learn letters.npz --by y --where 'writer<=5' -o classes.npz
  patchwork classify predict -m classes.npz letters.npz -o named.csv`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.classifyLearnCommand(), a.classifyPredictCommand())
	return cmd
}

// loadClasses reads a file of classes.
func loadClasses(path string) (*classes.Classifier, error) {
	if path == "" {
		return nil, usagef("-m CLASSES is required: name the file that patchwork classify learn wrote")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &inputError{fmt.Errorf("%s is a folder, not a file of classes", path)}
	}
	c, err := classfile.Load(path)
	if err != nil {
		if kind := kindOfFile(path); kind != "" && kind != kindClasses {
			return nil, &inputError{
				fmt.Errorf("%s is %s, not a file of classes; learn them: patchwork classify learn DATA --by LABEL -o classes.npz",
					path, kind)}
		}
		return nil, &inputError{err}
	}
	return c, nil
}

// labelsOf returns the labels of the images of a set: the values of a column, or of
// several with commas between, joined by a slash.
func labelsOf(set *dataset.Set, by string) ([]string, error) {
	out := make([]string, set.Len())
	for n, name := range strings.Split(by, ",") {
		c, err := set.Column(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for i := range out {
			if n > 0 {
				out[i] += "/"
			}
			out[i] += c.Text(i)
		}
	}
	return out, nil
}

// asLabels makes the columns of a table that are its labels metadata, beside those that
// the flags name or, if they name none, those of text.
func (f *dataFlags) asLabels(cmd *cobra.Command, by string, paths []string) error {
	if cmd.Flags().Changed("meta") || cmd.Flags().Changed("columns") || f.items {
		return nil // items are no labels
	}
	head, err := f.glance(cmd, paths)
	if err != nil || head == nil || !head.Table {
		return err // reading will say what is wrong
	}
	for _, name := range strings.Split(by, ",") {
		if name = strings.TrimSpace(name); !slices.Contains(head.Columns, name) {
			continue
		}
		if f.meta == nil {
			for _, c := range head.Meta {
				f.meta = append(f.meta, c.Name)
			}
		}
		f.meta = append(f.meta, name)
	}
	return nil
}

// glance returns the columns that data have, whatever is in their cells; nil where they cannot be read.
func (f *dataFlags) glance(cmd *cobra.Command, paths []string) (*dataset.Set, error) {
	opt, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	opt.Where, opt.FirstPer = nil, dataset.FirstPer{} // they may name the label
	if opt.Threshold == nil && !opt.AutoThreshold {
		any := math.Inf(1) // whatever the labels are
		opt.Threshold = &any
	}
	stream, err := dataset.OpenStream(cmd.Context(), paths, opt)
	if err != nil {
		return nil, nil
	}
	return stream.Head(), nil
}

// confusion counts which classes images were said to be of.
type confusion struct {
	names  []string // of the classes
	counts [][]int  // [true][named]
	right  int
	all    int // images that have a label
	others int // of these, with a label that is no class
}

// newConfusion returns counts of the given classes.
func newConfusion(names []string) *confusion {
	c := &confusion{names: names, counts: make([][]int, len(names))}
	for i := range c.counts {
		c.counts[i] = make([]int, len(names))
	}
	return c
}

// add counts an image, unless its label is empty.
func (c *confusion) add(label string, named int) {
	if label == "" {
		return
	}
	c.all++
	at := slices.Index(c.names, label)
	if at < 0 {
		c.others++
		return
	}
	c.counts[at][named]++
	if at == named {
		c.right++
	}
}

// accuracy returns the share of the images with a label that were named rightly.
func (c *confusion) accuracy() float64 { return float64(c.right) / float64(max(c.all, 1)) }

// lines returns what to say about it: a table of few classes, else what is confused most.
func (c *confusion) lines() []string {
	out := []string{fmt.Sprintf("%d of %d right, %.1f %%", c.right, c.all, 100*c.accuracy())}
	if c.others > 0 {
		out[0] += fmt.Sprintf("; %d have a label that is no class", c.others)
	}
	const most, wide = 12, 8
	if len(c.names) <= most && !slices.ContainsFunc(c.names, func(s string) bool { return len(s) > wide }) {
		return append(out, c.table()...)
	}
	type pair struct{ truth, named, n int }
	var pairs []pair
	for i, row := range c.counts {
		for j, n := range row {
			if i != j && n > 0 {
				pairs = append(pairs, pair{i, j, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.n, a.n) })
	for _, p := range pairs[:min(len(pairs), 5)] {
		out = append(out, fmt.Sprintf("  %d of %q named %q", p.n, c.names[p.truth], c.names[p.named]))
	}
	return out
}

// table returns the counts as lines: a row per true class, a column per name.
func (c *confusion) table() []string {
	heads, rows := append([]string{"label named"}, c.names...), [][]string{}
	for i, counts := range c.counts {
		row := []string{c.names[i]}
		for _, n := range counts {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return columnLines(heads, rows)
}

// classPlan is how classes are learned.
type classPlan struct {
	cfg      patchwork.Config // where the pieces of examples may be
	opt      classes.Options  // without Fit
	each     *recipe.Plan     // of one class
	alphabet *recipe.Plan     // of an alphabet that all share; nil without
}

// learn learns classes: first their alphabet, if they share one.
func (p *classPlan) learn(ctx context.Context, data patchwork.Data, labels []string) (*classes.Classifier, error) {
	opt, each := p.opt, *p.each
	if p.alphabet != nil {
		var labelled []int
		for i, label := range labels {
			if label != "" && data.Weight(i) > 0 {
				labelled = append(labelled, i)
			}
		}
		shared, err := learn.Learn(ctx, rows.Part(data, labelled), p.alphabet.Config, p.alphabet.Learn)
		if err != nil {
			return nil, fmt.Errorf("the alphabet of all classes: %w", err)
		}
		each.Learn.From = shared
	}
	opt.Fit = fitOf(&each)
	return classes.Learn(ctx, data, labels, p.cfg, opt)
}

// takeAlphabet returns how the alphabet of --alphabet is learned, and clears the flag: the
// classes themselves are learned as always, from starts made of it. It returns nil without
// the flag.
func (f *classifyFlags) takeAlphabet(s *source) (*recipe.Plan, error) {
	if f.Alphabet == 0 {
		return nil, nil
	}
	if s.head().Table {
		return nil, usagef("--alphabet is for drawings; %s is a table", s.head().Source)
	}
	own := *f
	own.Poses, own.Count = recipe.Poses{}, recipe.Count{} // those flags are about the classes
	if _, err := own.resolve(s, learn.Layout{}); err != nil {
		return nil, err
	}
	f.Alphabet = 0
	h, w := s.head().Size()
	p, err := own.Plan(h, w)
	return p, inFlags(err)
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
