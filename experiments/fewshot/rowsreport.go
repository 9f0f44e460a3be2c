package fewshot

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/pose"
	"example.com/patchwork/table"
)

// rowColumns are the ways that are compared on rows, by column.
var rowColumns = [...]string{"naive Bayes", "logistic", "learned models alone", "classify"}

// rowResult is what one seed gives.
type rowResult struct {
	accuracy [len(rowColumns)]float64
	share    float64 // of the marginals
	bins     stat.Bins
}

// ReportRows measures classes of rows of tables and writes a table of accuracies. Options
// are those of Report, with other tasks, and 5, 14 and 50 examples by default.
func ReportRows(ctx context.Context, w io.Writer, o Options) error {
	if o.Seeds == 0 {
		o.Seeds = 5
	}
	if o.Tasks == nil {
		o.Tasks = RowNames
	}
	if o.Numbers == nil {
		o.Numbers = []int{5, 14, 50}
	}
	fmt.Fprint(w, "| task, rows of a class |")
	for _, c := range rowColumns {
		fmt.Fprintf(w, " %s |", c)
	}
	fmt.Fprint(w, " ahead of naive Bayes | share of the marginals | calibration error "+
		"|\n|---|---|---|---|---|---|---|---|\n")
	for _, name := range o.Tasks {
		for _, n := range o.Numbers {
			var results []rowResult
			for seed := range o.Seeds {
				r, err := measureRows(ctx, o, name, n, uint64(seed)+1)
				if err != nil {
					return err
				}
				results = append(results, *r)
			}
			writeRows(w, name, n, results)
		}
	}
	return nil
}

// writeRows writes a row of the table.
func writeRows(w io.Writer, name string, n int, results []rowResult) {
	fmt.Fprintf(w, "| %s, %d |", name, n)
	var pooled stat.Bins
	for c := range rowColumns {
		var all []float64
		for _, r := range results {
			all = append(all, r.accuracy[c])
		}
		fmt.Fprintf(w, " %.3f ± %.3f |", stat.Mean(all), stat.SD(all))
	}
	var ahead, share []float64
	for _, r := range results {
		ahead = append(ahead, r.accuracy[3]-r.accuracy[0])
		share = append(share, r.share)
		pooled.AddAll(&r.bins)
	}
	fmt.Fprintf(w, " %+.3f ± %.3f | %.2f | %.3f |\n", stat.Mean(ahead), stat.SD(ahead), stat.Mean(share), pooled.Error())
}

// measureRows returns what one seed gives.
func measureRows(ctx context.Context, o Options, name string, n int, seed uint64) (*rowResult, error) {
	task, err := ReadRows(o.Data, name, n, seed)
	if err != nil {
		return nil, err
	}
	var data patchwork.Data
	var train [][]*bitmap.Image
	var tests []*bitmap.Image
	var labels []string
	var truth []int
	for c, k := range task.Classes {
		train = append(train, k.Train)
		data.Images = append(data.Images, k.Train...)
		for range k.Train {
			labels = append(labels, fmt.Sprintf("%03d", c)) // in order
		}
		tests = append(tests, k.Test...)
		for range k.Test {
			truth = append(truth, c)
		}
	}
	r := &rowResult{}
	r.accuracy[0] = accuracy(naiveBayes(train, tests), truth)
	r.accuracy[1] = accuracy(logistic(train, tests, rand.New(rand.NewPCG(seed, 1))), truth)
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, tests[0].Width(), pose.Grid{})
	fit := func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
		return table.Learn(ctx, data, cfg, table.Options{})
	}
	c, err := classes.Learn(ctx, data, labels, cfg, classes.Options{Examples: -1, Fit: fit, Seed: seed,
		Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	alone, err := c.WithMarginals(nil)
	if err != nil {
		return nil, err
	}
	for column, by := range []*classes.Classifier{alone, c} {
		verdicts, err := by.Name(ctx, tests, classes.NameOptions{Workers: o.Workers})
		if err != nil {
			return nil, err
		}
		got := make([]int, len(tests))
		for i, v := range verdicts {
			if got[i] = v.Class; by == c {
				r.bins.Add(v.Probabilities[v.Class], v.Class == truth[i])
			}
		}
		r.accuracy[2+column] = accuracy(got, truth)
	}
	if m := c.Marginals(); m != nil {
		r.share = m.Share
	}
	return r, nil
}
