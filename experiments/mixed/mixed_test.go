package mixed

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/experiments/real"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/learn/mixed"
)

// A planted table is as it is described: parts of a few columns of two kinds, cells unknown, and nothing about columns
// of noise.
func TestDraw(t *testing.T) {
	p := Planted{Rows: 400, Columns: 14, Parts: 4, Nuisance: 2, Missing: .1}
	s, same := p.Draw(7), p.Draw(7)
	if !reflect.DeepEqual(s.Votes, same.Votes) || len(s.Data.Rows) != 400 || len(s.Votes) != 4 {
		t.Fatalf("%d rows, parts %v and %v", len(s.Data.Rows), s.Votes, same.Votes)
	}
	unknown := 0
	for _, row := range s.Data.Rows {
		for d, x := range row {
			if math.IsNaN(x) {
				unknown++
			} else if f := s.Families[d]; f != "normal" && f != "heavy" && x < 0 || f == "bit" && x > 1 {
				t.Fatalf("%s is %v", f, x)
			}
		}
	}
	if share := float64(unknown) / (400 * 14); math.Abs(share-.1) > .02 {
		t.Errorf("%v of the cells are unknown", share)
	}
	for _, votes := range s.Votes {
		if slices.ContainsFunc(votes, func(d int) bool { return s.Nuisance[d] }) || len(votes) < 3 || len(votes) > 6 {
			t.Errorf("a part of columns %v", votes)
		}
	}
}

// model returns a model whose parts vote for columns.
func model(columns int, votes ...[]int) *mixed.Model {
	m := &mixed.Model{}
	for _, v := range votes {
		p := mixed.Part{Entries: make([]mixed.Entry, columns)}
		for _, d := range v {
			p.Entries[d].Numbers = 1
		}
		m.Parts = append(m.Parts, p)
	}
	return m
}

// Parts are found by their columns, each once; votes about noise are counted, and those that are missing, by kind.
func TestMeasure(t *testing.T) {
	s := &Set{Votes: [][]int{{1, 2, 3}, {3, 4, 5, 6}}, Nuisance: []bool{0: true, 6: false},
		Families: strings.Fields("bit bit bit bit count count count")}
	if r := s.Measure(model(7, s.Votes[1], s.Votes[0])); r.Jaccard != 1 || r.Found != 2 || r.Nuisance+r.False > 0 {
		t.Errorf("the truth: %+v", r)
	}
	r := s.Measure(model(7, []int{0, 1, 2}, []int{1, 2}, []int{4, 5, 6}))
	if math.Abs(r.Jaccard-(2./3+3./4)/2) > 1e-9 || r.Found != 2 || r.Parts != 3 || r.Nuisance != 1 ||
		r.Recalled["bit"] != 2 || r.Asked["bit"] != 4 || r.Recalled["count"] != 3 {
		t.Errorf("%+v", r)
	}
}

// Columns of words are categories, those of two words or of a known order are numbers, and NA is unknown.
func TestCoded(t *testing.T) {
	for _, c := range []struct {
		cells string
		kind  mixed.Kind
		want  []float64
	}{
		{"1 2.5 NA", mixed.Number, []float64{1, 2.5, math.NaN()}},
		{"b a NA b", mixed.Number, []float64{1, 0, math.NaN(), 1}},
		{"c a b", mixed.Category, []float64{2, 0, 1}},
		{"Some None Freq", mixed.Number, []float64{1, 0, 2}},
	} {
		field, got := coded(strings.Fields(c.cells))
		same := func(a, b float64) bool { return a == b || a != a && b != b }
		if field.Kind != c.kind || !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: kind %d, %v", c.cells, field.Kind, got)
		}
	}
}

// Small reports are printed, and the parts of an easy table are found.
func TestReports(t *testing.T) {
	testenv.Slow(t)
	var out bytes.Buffer
	p := []Planted{{Rows: 300, Columns: 8, Parts: 2, Nuisance: 1}}
	if err := ReportPlanted(context.Background(), &out, p, 1, 1, mixed.Options{Starts: 1}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| 300, 8, 2 | 0 % |") {
		t.Error(out.String())
	}
}

// The mixture of two classes finds them, and predicts a cell of a row by its class.
func TestMixture(t *testing.T) {
	column := mixed.Column{Values: []float64{0, 1}, Share: []float64{.5, .5}}
	columns := []mixed.Column{column, column, column, column}
	var codes [][]float64
	for i := range 80 {
		x := float64(i % 2)
		codes = append(codes, []float64{x, x, x, x})
	}
	m := learnMixture(columns, codes, 2, rand.New(rand.NewPCG(1, 1)))
	p := 0.0
	for _, s := range m.Believe([]float64{1, 1, math.NaN(), 1}, 2) {
		p += s.Weight * s.Opinion.P[1]
	}
	if p < .9 {
		t.Errorf("the cell is 1 with probability %v", p)
	}
}

// Hidden numbers are the mean of the rows nearest by the others, of the best number of them: here three.
func TestNearest(t *testing.T) {
	job := &real.Job{Train: [][]float64{{0, 1}, {0, 2}, {0, 6}, {9, 50}, {9, 70}}, Truth: [][]float64{{.1, 3}},
		Test: [][]float64{{.1, math.NaN()}}}
	if got := nearest(job); got > 1e-12 {
		t.Errorf("an error of %v", got)
	}
	job.Truth[0][1] = 1.5 // the mean of two
	if got := nearest(job); got > 1e-12 {
		t.Errorf("an error of %v", got)
	}
}

// Numbers are hidden from both kinds of parts and from rivals alike, in standard deviations.
func TestNumbers(t *testing.T) {
	data := &mixed.Data{Fields: make([]mixed.Field, 3)}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		x := rng.NormFloat64()
		data.Rows = append(data.Rows, []float64{x, 100 + 10*x + rng.NormFloat64(), x + .1*rng.NormFloat64()})
	}
	_, errors, job, err := numbers(context.Background(), data, 1, mixed.Options{Quick: true})
	if err != nil || len(errors) != 3 || errors[1] > .5 || len(job.Train) != 80 || len(job.Test) != 20 {
		t.Fatalf("errors %v of %d and %d rows: %v", errors, len(job.Train), len(job.Test), err)
	}
	for d := range data.Fields {
		if mean := stat.MeanOf(job.Train, func(row []float64) float64 { return row[d] }); math.Abs(mean) > 1e-9 {
			t.Errorf("column %d has the mean %v", d, mean)
		}
	}
}
