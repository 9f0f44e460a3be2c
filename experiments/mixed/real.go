package mixed

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn/mixed"
)

// orders are the scales of words whose order is known.
var orders = [][]string{{"None", "Some", "Freq"}, {"Never", "Occas", "Regul", "Heavy"}}

// ReadTable reads a table with a header: a column whose cells are all numbers is one of numbers, as are words of two
// kinds or of a known order; other words are a category. NA is unknown.
func ReadTable(path string) (*mixed.Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cells, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := &mixed.Data{Rows: make([][]float64, len(cells)-1)}
	for j, name := range cells[0] {
		var column []string
		for _, row := range cells[1:] {
			column = append(column, row[j])
		}
		field, values := coded(column)
		field.Name = name
		out.Fields = append(out.Fields, field)
		for i, x := range values {
			out.Rows[i] = append(out.Rows[i], x)
		}
	}
	return out, nil
}

// coded returns the kind and the values of the cells of a column.
func coded(cells []string) (field mixed.Field, values []float64) {
	var words []string
	numbers := true
	for _, c := range cells {
		if c == "NA" {
			continue
		}
		if _, err := strconv.ParseFloat(c, 64); err != nil {
			numbers = false
		}
		if !slices.Contains(words, c) {
			words = append(words, c)
		}
	}
	slices.Sort(words)
	for _, o := range orders {
		if !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(o, w) }) {
			field.Kind = mixed.Number
			return field, numbered(cells, o)
		}
	}
	if !numbers {
		if len(words) > 2 {
			field.Kind = mixed.Category
		}
		return field, numbered(cells, words)
	}
	for _, c := range cells {
		x, err := strconv.ParseFloat(c, 64)
		if err != nil {
			x = math.NaN()
		}
		values = append(values, x)
	}
	return field, values
}

// numbered returns the numbers of words, NaN for unknown.
func numbered(cells, words []string) (out []float64) {
	for _, c := range cells {
		x := math.NaN()
		if i := slices.Index(words, c); i >= 0 {
			x = float64(i)
		}
		out = append(out, x)
	}
	return out
}

const (
	mostRows = 1000 // of a table
	trained  = .8   // of the rows
	hidden   = .2   // of the known cells of others
)

// split permutes the rows of a table and returns those to learn from and those to test.
func split(data *mixed.Data, seed uint64) (train, test *mixed.Data, rng *rand.Rand) {
	rng = rand.New(rand.NewPCG(seed, 373))
	order := rng.Perm(len(data.Rows))
	order = order[:min(len(order), mostRows)]
	train, test = &mixed.Data{Fields: data.Fields}, &mixed.Data{Fields: data.Fields}
	for i, at := range order {
		if float64(i) < trained*float64(len(order)) {
			train.Rows = append(train.Rows, data.Rows[at])
		} else {
			test.Rows = append(test.Rows, data.Rows[at])
		}
	}
	return train, test, rng
}

// Score is how well hidden cells are predicted: the gain in nats over the columns alone, the error of numbers in
// standard deviations, and the share of categories and bits that is right.
type Score struct{ Gain, Error, Right float64 }

// Methods are what predicts: parts that are there or not, graded parts, both, a mixture, and the columns alone.
var Methods = []string{"on/off", "graded", "average", "mixture", "columns alone"}

// Hidden learns from one split and returns the scores of each method.
func Hidden(ctx context.Context, data *mixed.Data, seed uint64, o mixed.Options) (scores []Score, parts string,
	err error) {
	train, test, rng := split(data, seed)
	m, err := mixed.Learn(ctx, train, o)
	if err != nil {
		return nil, "", err
	}
	codes := make([][]float64, len(train.Rows))
	for i, row := range train.Rows {
		codes[i] = m.Code(row)
	}
	rival := NewMixture(m.Columns, codes, rand.New(rand.NewPCG(seed, 5)))
	sums := make([]sum, len(Methods))
	e := mixed.NewExplainer(m)
	for _, row := range test.Rows {
		seen := slices.Clone(row)
		for d := range seen {
			if rng.Float64() < hidden {
				seen[d] = math.NaN()
			}
		}
		x := e.Explain(seen)
		for d, truth := range row {
			c := &m.Columns[d]
			if !math.IsNaN(seen[d]) || math.IsNaN(c.Code(truth)) {
				continue
			}
			alone := mixed.Cell{Column: c, Belief: mixed.Belief{{Weight: 1, Opinion: &c.All}}}
			for i, cell := range []mixed.Cell{{Column: c, Belief: x.OnOff(d)}, {Column: c, Belief: x.Graded(d)}, x.Believe(d),
				{Column: c, Belief: rival.Believe(m.Code(seen), d)}, alone} {
				sums[i].add(cell, truth, cell.LogDensity(truth)-alone.LogDensity(truth), deviation(train, d))
			}
		}
	}
	for _, s := range sums {
		scores = append(scores, s.score())
	}
	votes := 0
	for k := range m.Parts {
		votes += len(m.Parts[k].Votes())
	}
	return scores, fmt.Sprintf("%d parts, %d votes; %d graded; shows graded: %v", len(m.Parts), votes,
		len(m.Graded.Loadings), m.ShowGraded), nil
}

// sum adds up scores.
type sum struct{ cells, gain, numbers, squares, classes, right float64 }

func (s *sum) add(c mixed.Cell, truth, gain, sd float64) {
	s.cells++
	s.gain += gain
	if c.Column.Family == mixed.Words || len(c.Column.Values) == 2 {
		s.classes++
		if said, _ := c.Likeliest(); said == truth {
			s.right++
		}
		return
	}
	s.numbers++
	s.squares += math.Pow((c.Mean()-truth)/sd, 2)
}

func (s *sum) score() Score {
	return Score{s.gain / s.cells, math.Sqrt(s.squares / max(s.numbers, 1)), s.right / max(s.classes, 1)}
}

// deviation returns the standard deviation of a column.
func deviation(data *mixed.Data, d int) float64 {
	var known []float64
	for _, row := range data.Rows {
		if !math.IsNaN(row[d]) {
			known = append(known, row[d])
		}
	}
	return stat.SD(known)
}

// Tables are the real tables, and the least gain that the average is to have.
var Tables = []struct {
	Name   string
	Target float64
}{{"pbc", .115}, {"survey", .095}, {"beps", .075}, {"birthwt", .085}}

// ReportTables prints how well hidden cells of real tables are predicted.
func ReportTables(ctx context.Context, w io.Writer, dir string, first uint64, splits int, o mixed.Options) error {
	fmt.Fprintf(w, "Gain over the columns alone in nats a hidden cell, error of numbers in standard deviations, share of "+
		"categories and bits that is right; %d splits\n\n", splits)
	t := stat.NewTable(w, append(append([]string{"table"}, Methods...), "target", "first split", "s")...)
	for _, table := range Tables {
		data, err := ReadTable(filepath.Join(dir, table.Name+".csv"))
		if err != nil {
			return err
		}
		begin := stat.ProcessorTime()
		first1 := ""
		all, err := stat.Seeds(splits, func(i uint64) ([]Score, error) {
			s, parts, err := Hidden(ctx, data, first+i, o)
			if i == 0 {
				first1 = parts
			}
			return s, err
		})
		if err != nil {
			return err
		}
		cells := stat.Cells([]int{0, 1, 2, 3, 4}, func(i int) string {
			return fmt.Sprintf("%.3f, %.3f, %.3f", stat.MeanOf(all, func(s []Score) float64 { return s[i].Gain }),
				stat.MeanOf(all, func(s []Score) float64 { return s[i].Error }),
				stat.MeanOf(all, func(s []Score) float64 { return s[i].Right }))
		})
		t.Row("%s | %s | %.3f | %s | %.1f", table.Name, cells, table.Target, first1,
			(stat.ProcessorTime()-begin).Seconds()/float64(splits))
	}
	return nil
}
