package main

import (
	"cmp"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/classes"
)

const classifyPredictLong = `Name the class of each image or row, by classes that patchwork classify learn wrote.

-o OUT.csv, .npz or .parquet is a table with a row per image, in the order of the
input: index, its row in the input before --where and --rows, from 0; class; probability;
and the probability of each class, in the columns p:CLASS (in an .npz one array, p, of
shape (N, classes)), and of pictures their name. -o OUT.jsonl, or - for standard output, has a line per image that also
says why:

  {"index":4,"class":"T","probability":0.93,"second":"L","log_odds":2.71,
   "left":3,"missing":1,"example":7,"picks":[{"expert":0,"dy":1,...}, ...],
   "probabilities":{"H":0.005,"L":0.062,"T":0.93}}

second and log_odds: what came second, and by how many nats. picks are the parts by which
the class explains the image best: pieces of the example of that number in the data that
the class was learned from, from 0, moved and turned; or of the model learned of the class,
without an example. For rows of tables, columns are those that count most, each alone,
for the class rather than the second, or (below 0) against it, in nats. left counts the pixels of ink that they leave over, missing those that
they say are ink and are not.

If the data have the column of labels, by its name when the classes were learned or by
--by, what was right is counted; --json prints it as one object: images, accuracy,
confusion (a row per label and a column per name, in the order of classes).`

const classifyPredictExample = `  patchwork classify predict -m classes.npz letters.npz --where 'writer>5' -o named.csv
  patchwork classify predict -m classes.npz letters.npz --rows 1 -o -
  patchwork classify predict -m classes.npz letters.npz -o named.csv --json`

// namedBlock is how many images are named together: each block prepares all models.
const namedBlock = 1024

// naming is one run of classify predict.
type naming struct {
	data      dataFlags
	model, by string
	output    string
	json      jsonFlag
	workers   int

	classifier *classes.Classifier
	labelled   bool
	confused   *confusion
	images     int
}

func (a *app) classifyPredictCommand() *cobra.Command {
	f := new(naming)
	cmd := &cobra.Command{
		Use:     "predict -m CLASSES DATA... [-o OUT]",
		Short:   "Name the class of images or rows",
		Long:    classifyPredictLong,
		Example: classifyPredictExample,
		Args:    oneOrMoreData,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.classifyPredict(cmd, f, args)
		},
	}
	fs := cmd.Flags()
	modelFlag(cmd, &f.model)
	fs.StringVarP(&f.output, "output", "o", "",
		"file to write (.csv, .npz, .parquet, .jsonl; - for JSON lines on standard output)")
	fs.StringVar(&f.by, "by", "",
		"column with the right class, to count what is right (default: as when the classes were learned)")
	f.json.add(cmd)
	workersFlag(cmd, &f.workers)
	f.data.add(cmd)
	everyday(cmd, "model output by rows where json")
	f.data.addMemory(cmd)
	return cmd
}

// classifyPredict names images, block by block.
func (a *app) classifyPredict(cmd *cobra.Command, f *naming, paths []string) error {
	format, err := checkOutput("classify predict", f.output)
	if err != nil {
		return err
	}
	if f.output == "" && !bool(f.json) {
		f.output = "-"
	}
	if f.output == "-" {
		format = ""
	}
	if err := f.json.check(f.output); err != nil {
		return err
	}
	if f.classifier, err = loadClasses(f.model); err != nil {
		return err
	}
	f.data.model = f.classifier.Like()
	given := f.by != ""
	if f.by == "" {
		f.by = f.classifier.By()
	}
	s, err := f.data.open(cmd, paths)
	if err != nil {
		return err
	}
	if err := fits(f.data.model, s.head()); err != nil {
		return err
	}
	if _, err = labelsOf(s.head().Take(0), f.by); given && err != nil {
		return &inputError{err}
	}
	f.labelled = err == nil
	a.sayStreaming(s, f.data.memory, "naming it block by block")
	f.confused = newConfusion(f.classifier.Names())
	t := &task{source: *s, workers: f.workers}
	if err := a.nameAll(cmd, f, t, format); err != nil {
		return err
	}
	return a.sayNamed(f, s.head())
}

// verdicts is a block of images with what was said of them.
type verdicts struct {
	set *dataset.Set
	all []classes.Verdict
}

// blocks names a task block by block.
func (a *app) blocks(cmd *cobra.Command, f *naming, t *task, why bool) iter.Seq2[verdicts, error] {
	return pushed(func(push func(verdicts) error) (err error) {
		f.images, err = a.inParts(cmd.Context(), t, func(part *task) error {
			for at := 0; at < part.set.Len(); at += namedBlock {
				set := part.set.Skip(at).Take(namedBlock)
				all, err := f.classifier.Name(cmd.Context(), set.Images, classes.NameOptions{Reasons: why, Workers: f.workers})
				if err != nil {
					return request(err)
				}
				if f.labelled {
					labels, err := labelsOf(set, f.by)
					if err != nil {
						return &inputError{err}
					}
					for i, v := range all {
						f.confused.add(labels[i], v.Class)
					}
				}
				part.bar.add(set.Len())
				if err := push(verdicts{set, all}); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	})
}

// nameAll names all images and writes the output, if there is one.
func (a *app) nameAll(cmd *cobra.Command, f *naming, t *task, format string) error {
	if f.output == "" {
		for _, err := range a.blocks(cmd, f, t, false) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	kind, isTable := isTable(format)
	if !isTable {
		return a.output(f.output, func(w io.Writer) error {
			for v, err := range a.blocks(cmd, f, t, true) {
				if err != nil {
					return err
				}
				if err := f.writeLines(w, v); err != nil {
					return err
				}
			}
			return nil
		})
	}
	names := f.classifier.Names()
	p := valuesBy(len(names), func(k int) string { return "p:" + names[k] })
	head := verdicts{set: t.head()}.answers(names, p, false)
	return a.outputAnswers(f.output, format, head, func(yield func(*answers, error) bool) {
		for v, err := range a.blocks(cmd, f, t, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(v.answers(names, p, kind == dataset.TableCSV), nil) {
				return
			}
		}
	})
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

// answers returns a block as a table.
func (v verdicts) answers(names, columns []string, round bool) *answers {
	index, class := make([]int64, len(v.all)), make([]string, len(v.all))
	probability, p := make([]float64, len(v.all)), []float64{}
	for i, d := range v.all {
		index[i], class[i], probability[i] = int64(row(v.set, i)), names[d.Class], d.Probabilities[d.Class]
		p = append(p, d.Probabilities...)
	}
	if round {
		roundAll(probability, p)
	}
	t := new(answers)
	t.add("index", index)
	t.add("class", class)
	t.add("probability", probability)
	t.add("p", p, columns...)
	if pictures := pictureNames(v.set); pictures != nil {
		t.add("name", pictures)
	}
	return t
}

// namedLine is a line of JSON about an image: a contract.
type namedLine struct {
	Index         int                `json:"index"`
	Name          string             `json:"name,omitempty"` // of a picture
	Class         string             `json:"class"`
	Probability   float64            `json:"probability"`
	Second        string             `json:"second"`
	LogOdds       float64            `json:"log_odds"`
	Left          int                `json:"left"`
	Missing       int                `json:"missing"`
	Example       *int               `json:"example,omitempty"`
	Picks         []namedPick        `json:"picks"`
	Columns       []namedColumn      `json:"columns,omitempty"`
	Probabilities map[string]float64 `json:"probabilities"`
}

// namedPick is a pick of such a line, as explain writes it.
type namedPick struct {
	Expert int     `json:"expert"`
	DY     int     `json:"dy"`
	DX     int     `json:"dx"`
	Angle  float64 `json:"angle"`
	Gain   float64 `json:"gain"`
}

// namedColumn is a column of a row: by how many nats it alone is for the class rather
// than for the second.
type namedColumn struct {
	Name  string  `json:"name"`
	Value int     `json:"value"`
	Nats  float64 `json:"nats"`
}

// mostColumns is how many columns are named as reasons.
const mostColumns = 5

// namedColumns returns the columns that count most for the class of a row, or against it.
func namedColumns(set *dataset.Set, i int, alone []float64) []namedColumn {
	values := set.Images[i].AppendValues(nil)
	order := make([]int, len(alone))
	for x := range order {
		order[x] = x
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(math.Abs(alone[y]), math.Abs(alone[x])) })
	var out []namedColumn
	for _, x := range order[:min(mostColumns, len(order))] {
		if alone[x] != 0 {
			out = append(out, namedColumn{set.ColumnName(x), int(values[x]), rounded(alone[x])})
		}
	}
	return out
}

// writeLines writes a block as lines of JSON.
func (f *naming) writeLines(w io.Writer, v verdicts) error {
	names, pictures := f.classifier.Names(), pictureNames(v.set)
	for i, d := range v.all {
		l := namedLine{Index: row(v.set, i), Class: names[d.Class], Probability: rounded(d.Probabilities[d.Class]),
			Second:  names[d.Second],
			LogOdds: rounded(d.LogOdds), Left: d.Left, Missing: d.Missing, Picks: []namedPick{},
			Probabilities: map[string]float64{}}
		if pictures != nil {
			l.Name = pictures[i]
		}
		if d.Example >= 0 {
			l.Example = &f.classifier.Classes()[d.Class].Examples[d.Example].Row
		}
		for _, p := range d.Explanation.Picks {
			l.Picks = append(l.Picks, namedPick{p.Expert, p.Pose.DY, p.Pose.DX, p.Pose.Angle, rounded(p.Gain)})
		}
		if v.set.Table {
			l.Columns = namedColumns(v.set, i, d.Alone)
		}
		for k, name := range names {
			l.Probabilities[name] = rounded(d.Probabilities[k])
		}
		if err := encodeJSON(w, l, jsontext.EscapeForHTML(false)); err != nil {
			return err
		}
	}
	return nil
}

// namedReport is what classify predict --json reports.
type namedReport struct {
	Output    string   `json:"output,omitempty"`
	Images    int      `json:"images"`
	Classes   []string `json:"classes"`
	By        string   `json:"by,omitempty"`
	Labelled  *int     `json:"labelled,omitempty"` // images that have a label
	Right     *int     `json:"right,omitempty"`
	Accuracy  *float64 `json:"accuracy,omitempty"`
	Confusion [][]int  `json:"confusion,omitempty"`
}

// sayNamed reports what was right.
func (a *app) sayNamed(f *naming, head *dataset.Set) error {
	c := f.confused
	if f.json {
		r := namedReport{Output: f.output, Images: f.images, Classes: f.classifier.Names()}
		if f.labelled {
			accuracy := c.accuracy()
			r.By, r.Labelled, r.Right, r.Accuracy, r.Confusion = f.by, &c.all, &c.right, &accuracy, slices.Clone(c.counts)
		}
		return a.printObject(r, f.output)
	}
	w := a.beside()
	if f.labelled {
		if err := a.sayAll(w, c.lines()); err != nil {
			return err
		}
	}
	return a.wrote(f.output, "%s named", describe(f.images, head))
}
