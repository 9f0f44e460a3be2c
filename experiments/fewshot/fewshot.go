package fewshot

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
	"example.com/patchwork/table"
)

// Options of Report and ReportRows.
type Options struct {
	Data    string   // folder of the data
	Tasks   []string // nil: all
	Seeds   int      // 0 means 5
	Workers int
	Numbers []int  // of examples; nil means 1, 5, 10 and 20, of rows 5, 14 and 50
	Picture string // file of a picture of how well probabilities are calibrated; "": none
}

// examples are what is learned from and what is named, by class.
type examples struct {
	train  [][]*bitmap.Image
	data   patchwork.Data // the same
	labels []string
	tests  []*bitmap.Image
	truth  []int
	seed   uint64
}

// kind is what is measured alike: images, or rows of tables.
type kind struct {
	tasks   []string
	numbers []int
	columns []string // rivals, what was learned alone, and classify
	read    func(dir, name string, n int, seed uint64) (*Task, error)
	rivals  func(e *examples) [][]int // what they name the tests
	learn   func(ctx context.Context, e *examples, workers int) (alone, c *classes.Classifier, err error)
}

var images = kind{
	Names, []int{1, 5, 10, 20},
	[]string{"1-NN", "3-NN", "naive Bayes", "with copies", "logistic", "with copies", "one model a class", "classify"},
	func(dir, name string, n int, seed uint64) (*Task, error) {
		task, err := Read(dir, name, seed)
		if err != nil {
			return nil, err
		}
		for c, k := range task.Classes {
			if len(k.Train) < n {
				return nil, nil // there are fewer examples
			}
			task.Classes[c].Train = k.Train[:n]
		}
		return task, nil
	},
	func(e *examples) [][]int {
		one, three := neighbours(e.train, e.tests)
		copies := withCopies(e.train)
		return [][]int{one, three, naiveBayes(e.train, e.tests), naiveBayes(copies, e.tests),
			logistic(e.train, e.tests, rand.New(rand.NewPCG(e.seed, 1))),
			logistic(copies, e.tests, rand.New(rand.NewPCG(e.seed, 2)))}
	},
	func(ctx context.Context, e *examples, workers int) (alone, c *classes.Classifier, err error) {
		cfg := classes.Config(e.tests[0].Height(), e.tests[0].Width())
		strokes := patchwork.NewConfig(patchwork.RuleMax, cfg.Height, cfg.Width, cfg.Poses)
		fit := func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
			return learn.Learn(ctx, data, strokes, learn.Options{Experts: 3, Starts: 4, Seed: e.seed})
		}
		c, err = classes.Learn(ctx, e.data, e.labels, cfg, classes.Options{Fit: fit, Seed: e.seed, Workers: workers})
		if err != nil {
			return nil, nil, err
		}
		learned := slices.Clone(c.Classes())
		for i := range learned {
			learned[i].Examples = nil
		}
		alone, err = classes.New(learned, c.Sharpness())
		return alone, c, err
	},
}

var rows = kind{
	RowNames, []int{5, 14, 50},
	[]string{"naive Bayes", "logistic", "learned models alone", "classify"},
	ReadRows,
	func(e *examples) [][]int {
		return [][]int{naiveBayes(e.train, e.tests), logistic(e.train, e.tests, rand.New(rand.NewPCG(e.seed, 1)))}
	},
	func(ctx context.Context, e *examples, workers int) (alone, c *classes.Classifier, err error) {
		cfg := patchwork.NewConfig(patchwork.RuleMax, 1, e.tests[0].Width(), pose.Grid{})
		fit := func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
			return table.Learn(ctx, data, cfg, table.Options{})
		}
		c, err = classes.Learn(ctx, e.data, e.labels, cfg, classes.Options{Examples: -1, Fit: fit, Seed: e.seed,
			Workers: workers})
		if err != nil {
			return nil, nil, err
		}
		alone, err = c.WithMarginals(nil)
		return alone, c, err
	},
}

// result is what one seed gives; all but the accuracy is of classify.
type result struct {
	accuracy []float64 // by column
	bins     stat.Bins
	millis   float64 // of one test image
	share    float64 // of the marginals
}

// measure returns what one seed gives; nil if a task has fewer examples.
func (k kind) measure(ctx context.Context, o Options, name string, n int, seed uint64) (*result, error) {
	task, err := k.read(o.Data, name, n, seed)
	if task == nil {
		return nil, err
	}
	e := &examples{seed: seed}
	for c, class := range task.Classes {
		e.train = append(e.train, class.Train)
		e.data.Images = append(e.data.Images, class.Train...)
		e.labels = append(e.labels, slices.Repeat([]string{fmt.Sprintf("%03d", c)}, len(class.Train))...) // in order
		e.tests = append(e.tests, class.Test...)
		e.truth = append(e.truth, slices.Repeat([]int{c}, len(class.Test))...)
	}
	r := &result{}
	for _, got := range k.rivals(e) {
		r.accuracy = append(r.accuracy, accuracy(got, e.truth))
	}
	alone, c, err := k.learn(ctx, e, o.Workers)
	if err != nil {
		return nil, err
	}
	if m := c.Marginals(); m != nil {
		r.share = m.Share
	}
	for _, by := range []*classes.Classifier{alone, c} {
		began := time.Now()
		verdicts, err := by.Name(ctx, e.tests, classes.NameOptions{Workers: o.Workers})
		if err != nil {
			return nil, err
		}
		r.millis = 1000 * time.Since(began).Seconds() / float64(len(e.tests))
		got := make([]int, len(e.tests))
		for i, v := range verdicts {
			if got[i] = v.Class; by == c {
				r.bins.Add(v.Probabilities[v.Class], v.Class == e.truth[i])
			}
		}
		r.accuracy = append(r.accuracy, accuracy(got, e.truth))
	}
	return r, nil
}

// accuracy returns the share of images that are named rightly.
func accuracy(got, truth []int) float64 {
	right := 0
	for i, c := range got {
		if c == truth[i] {
			right++
		}
	}
	return float64(right) / float64(len(got))
}

// ahead returns by how much classify is ahead of the best of some columns.
func (r result) ahead(columns int) float64 {
	return r.accuracy[len(r.accuracy)-1] - slices.Max(r.accuracy[:columns])
}

// pooled returns all predictions of some results.
func pooled(results []result) (all stat.Bins) {
	for _, r := range results {
		all.AddAll(&r.bins)
	}
	return all
}

// each measures the tasks, and calls f with the accuracies as cells of a table.
func (k kind) each(ctx context.Context, o Options, f func(name, cells string, results []result)) error {
	if o.Seeds == 0 {
		o.Seeds = 5
	}
	if o.Numbers == nil {
		o.Numbers = k.numbers
	}
	for _, name := range o.Tasks {
		for _, n := range o.Numbers {
			var results []result
			for seed := range o.Seeds {
				r, err := k.measure(ctx, o, name, n, uint64(seed)+1)
				if err != nil {
					return err
				}
				if r != nil {
					results = append(results, *r)
				}
			}
			if results == nil {
				continue
			}
			column := -1
			cells := stat.Cells(k.columns, func(string) string {
				column++
				return stat.Spread(stat.Of(results, func(r result) float64 { return r.accuracy[column] }), 3)
			})
			f(name, fmt.Sprintf("%s, %d | %s", name, n, cells), results)
		}
	}
	return nil
}

// ReportRows measures classes of rows of tables and writes a table of accuracies.
func ReportRows(ctx context.Context, w io.Writer, o Options) error {
	if o.Tasks == nil {
		o.Tasks = rows.tasks
	}
	t := stat.NewTable(w, append(append([]string{"task, rows of a class"}, rows.columns...), "ahead of naive Bayes",
		"share of the marginals", "calibration error")...)
	return rows.each(ctx, o, func(_, cells string, results []result) {
		ahead := stat.Of(results, func(r result) float64 { return r.ahead(1) })
		all := pooled(results)
		t.Row("%s | %+.3f ± %.3f | %.2f | %.3f", cells, stat.Mean(ahead), stat.SD(ahead),
			stat.MeanOf(results, func(r result) float64 { return r.share }), all.Error())
	})
}

// Report measures the tasks and writes a table of accuracies, and how well the
// probabilities are calibrated.
func Report(ctx context.Context, w io.Writer, o Options) error {
	if o.Tasks == nil {
		o.Tasks = images.tasks
	}
	t := stat.NewTable(w, append(append([]string{"task, examples"}, images.columns...), "ahead of the best rival",
		"calibration error", "ms an image")...)
	byTask := map[string][]result{}
	err := images.each(ctx, o, func(name, cells string, results []result) {
		byTask[name] = append(byTask[name], results...)
		ahead := stat.Of(results, func(r result) float64 { return r.ahead(len(r.accuracy) - 2) })
		all := pooled(results)
		t.Row("%s | %+.3f ± %.3f | %.3f | %.1f", cells, stat.Mean(ahead), stat.SD(ahead), all.Error(),
			stat.MeanOf(results, func(r result) float64 { return r.millis }))
	})
	if err != nil {
		return err
	}
	c := chart.Curves("Classes: how many names of a probability are right", "probability of the name",
		"share that is right",
		[]chart.Series{{Name: "as it should be", X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true}})
	for _, name := range o.Tasks {
		fmt.Fprintf(w, "\n%s, all numbers of examples and seeds: the probability of the class named, and how often it is "+
			"right\n\n", name)
		all := pooled(byTask[name])
		all.Write(w)
		s := chart.Series{Name: fmt.Sprintf("%s, error %.3f", name, all.Error())}
		s.X, s.Y, s.Low, s.High = all.Points(leastShown)
		c.Series = append(c.Series, s)
	}
	if o.Picture == "" {
		return nil
	}
	return render.Save(o.Picture, c)
}

// leastShown is how many predictions of a bin are shown in the picture at least.
const leastShown = 20
