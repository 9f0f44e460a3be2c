package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/workbench"
)

// classTask is a file of classes and images to name.
type classTask struct {
	task
	classes *classes.Classifier
}

// namedBlock is how many images are named together: each block prepares all models.
const namedBlock = 1024

func (a *app) classTask(cmd *cobra.Command, f *inputFlags, c *classes.Classifier, paths []string) (*classTask,
	error) {
	f.data.model = c.Like()
	s, err := f.data.open(cmd, paths)
	if err != nil {
		return nil, err
	}
	a.sayStreaming(s, f.data.memory, "naming it block by block")
	return &classTask{task{source: *s, workers: f.workers}, c}, fits(f.data.model, s.head())
}

// verdicts are what was said of a block of images.
type verdicts struct {
	set *dataset.Set
	all []classes.Verdict
}

// verdicts names all images, block by block, and says why if asked to. It returns how many there are.
func (t *classTask) verdicts(ctx context.Context, a *app, why bool, do func(verdicts) error) (int, error) {
	return a.inParts(ctx, &t.task, func(part *task) error {
		for at := 0; at < part.set.Len(); at += namedBlock {
			set := part.set.Skip(at).Take(namedBlock)
			all, err := t.classes.Name(ctx, set.Images, classes.NameOptions{Reasons: why, Workers: t.workers})
			if err != nil {
				return request(err)
			}
			if err := do(verdicts{set, all}); err != nil {
				return err
			}
			part.bar.add(set.Len())
		}
		return nil
	})
}

// verdictTable returns a table of the classes of rows.
func verdictTable(names []string, x *workbench.Explained, round bool) *answers {
	n := len(x.Rows)
	p, probability := []float64{}, make([]float64, n)
	for i := range x.Rows {
		d := x.Rows[i].Verdict
		p, probability[i] = append(p, d.Probabilities...), d.Probabilities[d.Class]
	}
	if round {
		roundAll(probability, p)
	}
	out := new(answers)
	out.add("index", valuesBy(n, func(i int) int64 { return int64(x.Rows[i].Index) }))
	out.add("class", valuesBy(n, func(i int) string { return names[x.Rows[i].Verdict.Class] }))
	out.add("probability", probability)
	out.add("p", p, valuesBy(len(names), func(k int) string { return "p:" + names[k] })...)
	if pictures := pictureNames(x.Set); pictures != nil {
		out.add("name", pictures[x.From:x.To()])
	}
	return out
}

// pictureNames returns the names of the files that pictures are from; nil of other data.
func pictureNames(set *dataset.Set) []string {
	c, err := set.Column("name")
	if set.Table || err != nil {
		return nil
	}
	names, _ := c.Values.([]string)
	return names
}

// verdict appends what is said of row i of a set as a line of JSON, whose form is a contract.
func (l *lines) verdict(b []byte, set *dataset.Set, i int, r *workbench.Row) []byte {
	names, d := l.classes.Names(), r.Verdict
	b = strconv.AppendInt(append(b, `{"index":`...), int64(r.Index), 10)
	if pictures := pictureNames(set); pictures != nil {
		b = append(append(b, `,"name":`...), quoted(pictures[i])...)
	}
	b = append(append(b, `,"class":`...), quoted(names[d.Class])...)
	b = appendField(b, `,"probability":`, d.Probabilities[d.Class])
	b = append(append(b, `,"second":`...), quoted(names[d.Second])...)
	b = appendField(b, `,"log_odds":`, d.LogOdds)
	b = fmt.Appendf(b, `,"left":%d,"missing":%d`, d.Left, d.Missing)
	if d.Example >= 0 {
		b = fmt.Appendf(b, `,"example":%d`, l.classes.Classes()[d.Class].Examples[d.Example].Row)
	}
	b = l.picks(append(b, `,"`...), r.Picks, true)
	if set.Table {
		b = appendReasons(b, set, i, d.Alone)
	}
	for k, name := range names {
		b = append(append(b, [...]string{`,"probabilities":{`, `,`}[min(k, 1)]...), quoted(name)...)
		b = appendField(b, ":", d.Probabilities[k])
	}
	return append(b, "}}\n"...)
}

// mostReasons is how many columns are named as reasons.
const mostReasons = 5

// appendReasons appends the columns that count most for the class of a row rather than for the second, or, below 0,
// against it: by how many nats each alone does.
func appendReasons(b []byte, set *dataset.Set, i int, alone []float64) []byte {
	values, order := set.Images[i].AppendValues(nil), valuesBy(len(alone), func(x int) int { return x })
	order = slices.DeleteFunc(order, func(x int) bool { return alone[x] == 0 })
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(math.Abs(alone[y]), math.Abs(alone[x])) })
	for n, x := range order[:min(mostReasons, len(order))] {
		b = append(append(b, [...]string{`,"columns":[{"name":`, `,{"name":`}[min(n, 1)]...), quoted(set.ColumnName(x))...)
		b = append(appendField(fmt.Appendf(b, `,"value":%d`, values[x]), `,"nats":`, alone[x]), '}')
	}
	if len(order) > 0 {
		b = append(b, ']')
	}
	return b
}

// scoreClasses counts how many images are named rightly, and what is confused.
func (a *app) scoreClasses(cmd *cobra.Command, f *scoreFlags, of *classes.Classifier, paths []string) error {
	t, err := a.classTask(cmd, &f.input, of, paths)
	if err != nil {
		return err
	}
	c := newConfusion(t.classes.By(), t.classes.Names())
	if _, err := labelsOf(t.head().Take(0), c.By); err != nil {
		return err
	}
	c.Images, err = t.verdicts(cmd.Context(), a, false, func(v verdicts) error {
		labels, err := labelsOf(v.set, c.By)
		for i, label := range labels {
			c.add(label, v.all[i].Class)
		}
		return err
	})
	if err != nil {
		return err
	}
	c.Accuracy = float64(c.Right) / float64(max(c.Labelled, 1))
	if f.json {
		return a.printObject(c)
	}
	return a.print(c.lines())
}

// confusion counts which classes images were said to be of; the JSON names are a contract.
type confusion struct {
	Images   int      `json:"images"`
	Classes  []string `json:"classes"`
	By       string   `json:"by"`
	Labelled int      `json:"labelled"` // images that have a label
	Right    int      `json:"right"`
	Accuracy float64  `json:"accuracy"`
	Counts   [][]int  `json:"confusion"` // [true][named]
	others   int      // with a label that is no class
}

// newConfusion returns counts of the given classes of a column.
func newConfusion(by string, classes []string) *confusion {
	return &confusion{By: by, Classes: classes,
		Counts: valuesBy(len(classes), func(int) []int { return make([]int, len(classes)) })}
}

// add counts an image, unless its label is empty.
func (c *confusion) add(label string, named int) {
	if label == "" {
		return
	}
	c.Labelled++
	at := slices.Index(c.Classes, label)
	if at < 0 {
		c.others++
		return
	}
	c.Counts[at][named]++
	if at == named {
		c.Right++
	}
}

// lines returns what to say about it: a table of few classes, else what is confused most.
func (c *confusion) lines() []string {
	out := []string{fmt.Sprintf("%d of %d right, %.1f %%", c.Right, c.Labelled, 100*c.Accuracy)}
	if c.others > 0 {
		out[0] += fmt.Sprintf("; %d have a label that is no class", c.others)
	}
	const most, wide, pairsSaid = 12, 8, 5
	if len(c.Classes) <= most && !slices.ContainsFunc(c.Classes, func(s string) bool { return len(s) > wide }) {
		rows := valuesBy(len(c.Classes), func(i int) []string {
			return append([]string{c.Classes[i]}, strings.Fields(strings.Trim(fmt.Sprint(c.Counts[i]), "[]"))...)
		})
		return append(out, columnLines(append([]string{"label named"}, c.Classes...), rows)...)
	}
	type pair struct{ truth, named, n int }
	var pairs []pair
	for i, row := range c.Counts {
		for j, n := range row {
			if i != j && n > 0 {
				pairs = append(pairs, pair{i, j, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.n, a.n) })
	for _, p := range pairs[:min(len(pairs), pairsSaid)] {
		out = append(out, fmt.Sprintf("  %d of %q named %q", p.n, c.Classes[p.truth], c.Classes[p.named]))
	}
	return out
}
