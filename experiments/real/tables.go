package real

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/experiments/sklearn"
	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
)

// tableNames are the data sets of ReportTables.
var tableNames = []string{"wine", "breast_cancer", "diabetes"}

// hidden is a table of which a fifth of the rows are a test, and a fifth of their cells hidden; in standard deviations
// of the
// training rows.
func hidden(rows [][]float64, seed uint64) *Job {
	rng := rand.New(rand.NewPCG(seed, 20))
	n, d := len(rows), len(rows[0])
	order := rng.Perm(n)
	cut := n * 4 / 5
	mean, dev := make([]float64, d), make([]float64, d)
	for c := range d {
		var column []float64
		for _, i := range order[:cut] {
			column = append(column, rows[i][c])
		}
		mean[c], dev[c] = stat.Mean(column), stat.SD(column)
	}
	j := &Job{Floor: slices.Repeat([]float64{.01}, d)}
	for at, i := range order {
		row := make([]float64, d)
		for c := range row {
			row[c] = (rows[i][c] - mean[c]) / dev[c]
		}
		if at < cut {
			j.Train = append(j.Train, row)
			continue
		}
		j.Truth = append(j.Truth, row)
		seen := slices.Clone(row)
		for c := range seen {
			if rng.Float64() < .2 {
				seen[c] = math.NaN()
			}
		}
		j.Test = append(j.Test, seen)
	}
	return j
}

// score learns a job and scores it like its rivals.
func (j *Job) score(ctx context.Context, height, width int, o model.Options) (Score, *model.Model, error) {
	m, err := Learn(ctx, height, width, j.Train, o)
	if err != nil {
		return Score{}, nil, err
	}
	p, err := model.NewPursuit(m)
	if err != nil {
		return Score{}, nil, err
	}
	var s Score
	n := 0.0
	for i, row := range j.Test {
		post, err := p.Together(row, 0)
		if err != nil {
			return s, nil, err
		}
		s.Known += post.Evidence / float64(len(j.Test))
		for d, x := range row {
			if math.IsNaN(x) {
				mix := post.Pixel(d)
				off := mix.Mean() - j.Truth[i][d]
				s.RMSE, s.NLL, n = s.RMSE+off*off, s.NLL-mix.LogDensity(j.Truth[i][d]), n+1
			}
		}
	}
	if n > 0 {
		s.RMSE, s.NLL = math.Sqrt(s.RMSE/n), s.NLL/n
	}
	return s, m, nil
}

// ReportTables prints how well hidden values of tables are predicted, beside rivals; names choose some.
func ReportTables(ctx context.Context, w io.Writer, splits int, names ...string) error {
	if len(names) == 0 {
		names = tableNames
	}
	fmt.Fprintf(w, "Hidden values of tables, %d splits: a fifth of the rows to test, a fifth of their cells hidden; in "+
		"standard deviations of the other rows\n\n", splits)
	t := stat.NewTable(w, "table", "model", "RMSE", "NLL of a value")
	for _, name := range names {
		var rows [][]float64
		if err := sklearn.Ask(ctx, "table", map[string]string{"name": name}, &rows); err != nil {
			return err
		}
		parts := 0.0
		all, err := stat.Seeds(splits, func(seed uint64) (map[string]Score, error) {
			j := hidden(rows, seed)
			s, m, err := j.score(ctx, 1, len(rows[0]), model.Options{Seed: seed, Predict: true})
			if err != nil {
				return nil, err
			}
			parts += float64(m.K()) / float64(splits)
			scores, err := Rivals(ctx, j)
			if err == nil {
				scores["Patchwork"] = s
			}
			return scores, err
		})
		if err != nil {
			return err
		}
		for _, who := range []string{"Patchwork", "mixture", "PPCA", "factor analysis", "full Gaussian", "ICA", "NMF",
			"dictionary learning"} {
			if _, there := all[0][who]; !there {
				continue
			}
			shown := who
			if who == "Patchwork" {
				shown = fmt.Sprintf("Patchwork, %.0f parts", parts)
			}
			t.Row("%s, %d x %d | %s | %s | %s", name, len(rows), len(rows[0]), shown,
				stat.Spread(stat.Of(all, func(s map[string]Score) float64 { return s[who].RMSE }), 3),
				stat.Spread(stat.Of(all, func(s map[string]Score) float64 { return s[who].NLL }), 3))
		}
	}
	return nil
}
