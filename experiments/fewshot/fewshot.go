package fewshot

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/render"
)

// Options of Report.
type Options struct {
	Data    string   // folder of the data
	Tasks   []string // nil: all
	Seeds   int      // 0 means 5
	Workers int
	Numbers []int  // of examples; nil means 1, 5, 10 and 20
	Picture string // file of a picture of how well probabilities are calibrated; "": none
}

// the ways that are compared, by column.
var columns = []string{"1-NN", "3-NN", "naive Bayes", "with copies", "logistic", "with copies", "one model a class",
	"classify"}

const (
	oneModel = 6
	ours     = 7
)

// result is what one seed gives.
type result struct {
	accuracy  [8]float64
	certainty []float64 // of each test image, the probability of the class named
	right     []bool
	seconds   float64 // of one test image
	otherwise [len(factors)]stat.Bins
}

// factors of the sharpness with which calibration is measured as well: 1 should be about
// the best of them.
var factors = [...]float64{0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4}

// Report measures the tasks and writes a table of accuracies, and how well the
// probabilities are calibrated.
func Report(ctx context.Context, w io.Writer, o Options) error {
	if o.Seeds == 0 {
		o.Seeds = 5
	}
	if o.Tasks == nil {
		o.Tasks = Names
	}
	if o.Numbers == nil {
		o.Numbers = []int{1, 5, 10, 20}
	}
	fmt.Fprint(w, "| task, examples |")
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c)
	}
	fmt.Fprint(w, " ahead of the best rival | calibration error | ms an image "+
		"|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	pooled := make(map[string]*stat.Bins)
	var otherwise []string
	for _, name := range o.Tasks {
		pooled[name] = new(stat.Bins)
		for _, n := range o.Numbers {
			var results []result
			for seed := range o.Seeds {
				r, err := measure(ctx, o, name, n, uint64(seed)+1)
				if err != nil {
					return err
				}
				if r != nil {
					results = append(results, *r)
				}
			}
			if results != nil {
				write(w, name, n, results, pooled[name])
				otherwise = append(otherwise, sharper(name, n, results))
			}
		}
	}
	fmt.Fprint(w, "\nCalibration error if the sharpness were so many times what it is:\n\n| task, examples |")
	for _, f := range factors {
		fmt.Fprintf(w, " %.1f |", f)
	}
	fmt.Fprintf(w, "\n|---|%s\n%s", strings.Repeat("---|", len(factors)), strings.Join(otherwise, ""))
	for _, name := range o.Tasks {
		fmt.Fprintf(w, "\n%s, all numbers of examples and seeds: the probability of the class named, and how often it is "+
			"right\n\n", name)
		pooled[name].Write(w)
	}
	if o.Picture == "" {
		return nil
	}
	return render.Save(o.Picture, reliability(o.Tasks, pooled))
}

// leastShown is how many predictions of a bin are shown in the picture at least.
const leastShown = 20

// reliability returns a chart of how many images are named rightly, by the probability
// of their names, for every task.
func reliability(names []string, pooled map[string]*stat.Bins) chart.Chart {
	c := chart.Curves("Classes: how many names of a probability are right", "probability of the name",
		"share that is right",
		[]chart.Series{{Name: "as it should be", X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true}})
	for _, name := range names {
		b := pooled[name]
		s := chart.Series{Name: fmt.Sprintf("%s, error %.3f", name, b.Error())}
		s.X, s.Y, s.Low, s.High = b.Points(leastShown)
		c.Series = append(c.Series, s)
	}
	return c
}

// sharper returns a row of the errors with other sharpnesses.
func sharper(name string, n int, results []result) string {
	row := fmt.Sprintf("| %s, %d |", name, n)
	for f := range factors {
		var all stat.Bins
		for _, r := range results {
			all.AddAll(&r.otherwise[f])
		}
		row += fmt.Sprintf(" %.3f |", all.Error())
	}
	return row + "\n"
}

// write writes a row of the table.
func write(w io.Writer, name string, n int, results []result, pooled *stat.Bins) {
	fmt.Fprintf(w, "| %s, %d |", name, n)
	var ahead, millis []float64
	var own stat.Bins
	for c := range columns {
		var all []float64
		for _, r := range results {
			all = append(all, r.accuracy[c])
		}
		fmt.Fprintf(w, " %.3f ± %.3f |", stat.Mean(all), stat.SD(all))
	}
	for _, r := range results {
		best := 0.0
		for _, a := range r.accuracy[:oneModel] {
			best = max(best, a)
		}
		ahead = append(ahead, r.accuracy[ours]-best)
		millis = append(millis, 1000*r.seconds)
		for i, p := range r.certainty {
			own.Add(p, r.right[i])
			pooled.Add(p, r.right[i])
		}
	}
	fmt.Fprintf(w, " %+.3f ± %.3f | %.3f | %.1f |\n", stat.Mean(ahead), stat.SD(ahead), own.Error(), stat.Mean(millis))
}

// measure returns what one seed gives; nil if a task has fewer examples.
func measure(ctx context.Context, o Options, name string, n int, seed uint64) (*result, error) {
	task, err := Read(o.Data, name, seed)
	if err != nil {
		return nil, err
	}
	var train [][]*bitmap.Image
	var data patchwork.Data
	var labels []string
	var tests []*bitmap.Image
	var truth []int
	for c, k := range task.Classes {
		if len(k.Train) < n {
			return nil, nil
		}
		train = append(train, k.Train[:n])
		data.Images = append(data.Images, k.Train[:n]...)
		label := fmt.Sprintf("%03d", c) // in order
		for range n {
			labels = append(labels, label)
		}
		tests = append(tests, k.Test...)
		for range k.Test {
			truth = append(truth, c)
		}
	}
	r := &result{}
	rivals(r, train, tests, truth, seed)
	h, w := tests[0].Height(), tests[0].Width()
	cfg := classes.Config(h, w)
	c, err := classes.Learn(ctx, data, labels, cfg, classes.Options{Fit: strokes(cfg, seed), Seed: seed,
		Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	one, err := classes.New(learnedOnly(c.Classes()), c.Sharpness())
	if err != nil {
		return nil, err
	}
	if err := name1(ctx, r, oneModel, one, tests, truth, o); err != nil {
		return nil, err
	}
	return r, name1(ctx, r, ours, c, tests, truth, o)
}

// learnedOnly returns classes without their examples.
func learnedOnly(all []classes.Class) []classes.Class {
	out := slices.Clone(all)
	for i := range out {
		out[i].Examples = nil
	}
	return out
}

// strokes learns three parts of each class.
func strokes(c patchwork.Config, seed uint64) func(context.Context, patchwork.Data) (*patchwork.Model, error) {
	cfg := patchwork.NewConfig(patchwork.RuleMax, c.Height, c.Width, c.Poses)
	return func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
		return learn.Learn(ctx, data, cfg, learn.Options{Experts: 3, Starts: 4, Seed: seed})
	}
}

// name1 names the test images.
func name1(ctx context.Context, r *result, column int, c *classes.Classifier, tests []*bitmap.Image, truth []int,
	o Options) error {
	began := time.Now()
	verdicts, err := c.Name(ctx, tests, classes.NameOptions{Workers: o.Workers})
	if err != nil {
		return err
	}
	r.seconds = time.Since(began).Seconds() / float64(len(tests))
	r.certainty, r.right, r.otherwise = nil, nil, [len(factors)]stat.Bins{}
	got := make([]int, len(tests))
	for i, v := range verdicts {
		got[i] = v.Class
		r.certainty = append(r.certainty, v.Probabilities[v.Class])
		r.right = append(r.right, v.Class == truth[i])
		for n, f := range factors { // classes have as many examples each
			p := slices.Clone(v.Scores)
			for k := range p {
				p[k] *= f * c.Sharpness()
			}
			softmax(p)
			r.otherwise[n].Add(slices.Max(p), v.Class == truth[i])
		}
	}
	r.accuracy[column] = accuracy(got, truth)
	return nil
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

// rivals fills in the accuracies of the rivals.
func rivals(r *result, train [][]*bitmap.Image, tests []*bitmap.Image, truth []int, seed uint64) {
	one, three := neighbours(train, tests)
	copies := withCopies(train)
	for i, got := range [][]int{one, three, naiveBayes(train, tests), naiveBayes(copies, tests),
		logistic(train, tests, rand.New(rand.NewPCG(seed, 1))), logistic(copies, tests, rand.New(rand.NewPCG(seed, 2)))} {
		r.accuracy[i] = accuracy(got, truth)
	}
}
