package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/modelfile/classfile"
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

// hasLabels reports whether a set has the columns that labelsOf takes.
func hasLabels(set *dataset.Set, by string) (bool, error) {
	for _, name := range strings.Split(by, ",") {
		if _, err := set.Column(strings.TrimSpace(name)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// asLabels makes the columns of a table that are its labels metadata, beside those that
// the flags name or, if they name none, those of text.
func (f *dataFlags) asLabels(cmd *cobra.Command, by string, paths []string) error {
	if cmd.Flags().Changed("meta") || cmd.Flags().Changed("columns") || f.items {
		return nil // items are no labels
	}
	opt, err := f.options(cmd)
	if err != nil {
		return err
	}
	opt.Where, opt.FirstPer = nil, dataset.FirstPer{} // they may name the label
	if opt.Threshold == nil && !opt.AutoThreshold {
		any := math.Inf(1) // whatever the labels are
		opt.Threshold = &any
	}
	stream, err := dataset.Open(cmd.Context(), paths, opt)
	if err != nil || !stream.Head().Table {
		return nil // reading will say what is wrong
	}
	head := stream.Head()
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
	width := 4
	for _, name := range c.names {
		width = max(width, len(name)+1)
	}
	cell := func(text string) string { return fmt.Sprintf("%*s", width, text) }
	line := "  label" + strings.Repeat(" ", max(0, width-5)) + " named"
	for _, name := range c.names {
		line += cell(name)
	}
	out := []string{line}
	for i, row := range c.counts {
		line := "  " + cell(c.names[i]) + strings.Repeat(" ", max(0, 5-width)+6)
		for _, n := range row {
			line += cell(fmt.Sprint(n))
		}
		out = append(out, line)
	}
	return out
}
