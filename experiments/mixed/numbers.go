package mixed

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"example.com/patchwork/experiments/real"
	"example.com/patchwork/experiments/sklearn"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn/mixed"
)

// NumberTables are those of numbers alone, which come with scikit-learn.
var NumberTables = []string{"wine", "diabetes", "breast_cancer", "iris"}

// ReportNumbers prints the error of hidden numbers in standard deviations, beside factor analysis and nearest
// neighbours, each with the setting that is best on the hidden numbers themselves; of all tables, if none is named.
func ReportNumbers(ctx context.Context, w io.Writer, first uint64, splits int, o mixed.Options, names ...string) error {
	if len(names) == 0 {
		names = NumberTables
	}
	t := stat.NewTable(w, "table", "on/off", "graded", "both", "factor analysis", "nearest neighbours",
		"over the best", "first split", "s")
	for _, name := range names {
		var rows [][]float64
		if err := sklearn.Ask(ctx, "table", map[string]string{"name": name}, &rows); err != nil {
			return err
		}
		data := &mixed.Data{Fields: make([]mixed.Field, len(rows[0])), Rows: rows}
		first1, seconds := "", 0.0
		all, err := stat.Seeds(splits, func(i uint64) ([]float64, error) {
			begin := stat.ProcessorTime()
			parts, errors, job, err := numbers(ctx, data, first+i, o)
			if err != nil {
				return nil, err
			}
			seconds += (stat.ProcessorTime() - begin).Seconds() / float64(splits)
			if i == 0 {
				first1 = parts
			}
			rivals, err := real.Rivals(ctx, job)
			return append(errors, rivals["factor analysis"].RMSE, nearest(job)), err
		})
		if err != nil {
			return err
		}
		of := func(i int) float64 { return stat.MeanOf(all, func(s []float64) float64 { return s[i] }) }
		t.Row("%s, %d x %d | %s | %+.1f %% | %s | %.1f", name, len(rows), len(rows[0]),
			stat.Cells([]int{0, 1, 2, 3, 4}, func(i int) string { return fmt.Sprintf("%.3f", of(i)) }),
			100*(of(2)/min(of(3), of(4))-1), first1, seconds)
	}
	return nil
}

// numbers learns from one split and returns the errors of both kinds of parts and of both together, and the job of
// their rivals, in standard deviations.
func numbers(ctx context.Context, data *mixed.Data, seed uint64, o mixed.Options) (parts string, errors []float64,
	job *real.Job, err error) {
	train, test, rng := split(data, seed)
	m, err := mixed.Learn(ctx, train, o)
	if err != nil {
		return "", nil, nil, err
	}
	job = &real.Job{Floor: slices.Repeat([]float64{.01}, len(data.Fields)), Normal: true}
	var means, deviations []float64
	for d := range data.Fields {
		mean := 0.0
		for _, row := range train.Rows {
			mean += row[d] / float64(len(train.Rows))
		}
		means, deviations = append(means, mean), append(deviations, deviation(train, d))
	}
	standard := func(row []float64) (out []float64) {
		for d, x := range row {
			out = append(out, (x-means[d])/deviations[d])
		}
		return out
	}
	for _, row := range train.Rows {
		job.Train = append(job.Train, standard(row))
	}
	sums, e := make([]sum, 3), mixed.NewExplainer(m)
	for _, row := range test.Rows {
		seen := slices.Clone(row)
		for d := range seen {
			if rng.Float64() < hidden {
				seen[d] = math.NaN()
			}
		}
		job.Truth, job.Test = append(job.Truth, standard(row)), append(job.Test, standard(seen))
		x := e.Explain(seen)
		for d, truth := range row {
			if !math.IsNaN(seen[d]) {
				continue
			}
			c := &m.Columns[d]
			for i, cell := range []mixed.Cell{{Column: c, Belief: x.OnOff(d)}, {Column: c, Belief: x.Graded(d)},
				x.Believe(d)} {
				sums[i].squares += math.Pow((cell.Mean()-truth)/deviations[d], 2)
				sums[i].numbers++
			}
		}
	}
	for _, s := range sums {
		errors = append(errors, s.score().Error)
	}
	return fmt.Sprintf("%d parts, %d graded", len(m.Parts), len(m.Graded.Loadings)), errors, job, nil
}

// nearest returns the error of the mean of the nearest rows, by the known values, of the best number of them.
func nearest(j *real.Job) float64 {
	best := math.Inf(1)
	for _, k := range []int{1, 2, 3, 5, 10, 20, 40} {
		var s sum
		for i, row := range j.Test {
			near := slices.Clone(j.Train)
			far := func(other []float64) (sum float64) {
				for d, x := range row {
					if !math.IsNaN(x) {
						sum += math.Pow(x-other[d], 2)
					}
				}
				return sum
			}
			slices.SortFunc(near, func(a, b []float64) int { return cmp.Compare(far(a), far(b)) })
			near = near[:min(k, len(near))]
			for d, x := range row {
				if math.IsNaN(x) {
					said := stat.MeanOf(near, func(r []float64) float64 { return r[d] })
					s.squares += math.Pow(said-j.Truth[i][d], 2)
					s.numbers++
				}
			}
		}
		best = min(best, s.score().Error)
	}
	return best
}
