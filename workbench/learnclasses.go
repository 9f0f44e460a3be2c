package workbench

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
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
		opt.Workers = 1
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

// ClassScores count which classes rows were said to be of.
type ClassScores struct {
	Classes  []string `json:"classes"`
	By       string   `json:"by"`
	Labelled int      `json:"labelled"` // rows that have a label
	Right    int      `json:"right"`
	Accuracy float64  `json:"accuracy"`
	Common   string   `json:"commonest"` // class of the rows with a label
	Baseline float64  `json:"baseline"`  // its share: the accuracy of naming it always
	Counts   [][]int  `json:"confusion"` // [true][named]
	others   int      // with a label that is no class
}

// newClassScores returns counts of none.
func newClassScores(by string, classes []string) *ClassScores {
	c := &ClassScores{By: by, Classes: classes}
	for range classes {
		c.Counts = append(c.Counts, make([]int, len(classes)))
	}
	return c
}

// Score counts how many rows are named rightly, and what is confused.
func (m Classes) Score(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*Scores, error) {
	c := newClassScores(m.By(), m.Classifier.Names())
	out := &Scores{ClassScores: c, table: m.Table()}
	how.Why = false
	for x, err := range m.Explain(ctx, data, how.Explaining) {
		if err != nil {
			return nil, err
		}
		labels, err := LabelsBy(x.Frame, c.By)
		if err != nil {
			return nil, err
		}
		for i := range x.Rows {
			c.add(labels[x.From+i], x.Rows[i].Verdict.Class)
		}
		out.Images += len(x.Rows)
	}
	c.Accuracy = float64(c.Right) / float64(max(c.Labelled, 1))
	most := 0
	for i, counts := range c.Counts {
		rows := 0
		for _, n := range counts {
			rows += n
		}
		if rows > most {
			most, c.Common, c.Baseline = rows, c.Classes[i], float64(rows)/float64(c.Labelled)
		}
	}
	return out, nil
}

// add counts a row, unless its label is empty.
func (c *ClassScores) add(label string, named int) {
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

// LabelsBy returns the labels of rows: the values of a column, or of several with commas between, joined by a slash;
// "" where one is not known.
func LabelsBy(set *dataset.Frame, by string) ([]string, error) {
	out, unknown := make([]string, set.Len()), make([]bool, set.Len())
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
			if unknown[i] = unknown[i] || c.Missing(i) || dataset.IsUnknown(c.Text(i)); unknown[i] {
				out[i] = ""
			}
		}
	}
	return out, nil
}

// ColumnNames returns the names of a table's columns, or if it has none their
// numbers, as --columns takes them. Columns of images are named y0x3.
func ColumnNames(set *dataset.Frame) []string {
	if set.Columns != nil {
		return set.Columns
	}
	height, width := set.Size()
	names := make([]string, 0, height*width)
	for y := range height {
		for x := range width {
			if set.Table {
				names = append(names, strconv.Itoa(x+1))
			} else {
				names = append(names, fmt.Sprintf("y%dx%d", y, x))
			}
		}
	}
	return names
}
