package mixed

import (
	"math"
	"reflect"
	"testing"
)

// weigh returns a table whose rows have weights, and one of as many copies of them.
func weigh(data *Data, unit int64) (weighted, copies *Data) {
	weighted, copies = &Data{Fields: data.Fields, Unit: unit}, &Data{Fields: data.Fields}
	for i, row := range data.Rows {
		w := int64(i % 4)
		weighted.Rows, weighted.Weights = append(weighted.Rows, row), append(weighted.Weights, w*unit)
		for range w {
			copies.Rows = append(copies.Rows, row)
		}
	}
	return weighted, copies
}

// A row of weight w is w equal rows: the columns, the counts and the parts are the same, to the last bit. In another unit
// sums are rounded otherwise.
func TestWeightsAreCopies(t *testing.T) {
	for _, unit := range []int64{1, 100} {
		rows, copies := weigh(planted(200, 5), unit)
		m, n := learned(t, rows, Options{Starts: 2, Seed: 1}), learned(t, copies, Options{Starts: 2, Seed: 1})
		same := reflect.DeepEqual(m.Columns, n.Columns) && reflect.DeepEqual(m.Parts, n.Parts) &&
			reflect.DeepEqual(m.Background, n.Background)
		if len(m.Parts) != 2 || !reflect.DeepEqual(votes(m), votes(n)) || unit == 1 && !same {
			t.Errorf("unit %d: parts of columns %v, of copies %v, to the bit: %v", unit, votes(m), votes(n), same)
		}
		if m.Record.Rows != n.Record.Rows || math.Abs(m.Record.Length-n.Record.Length) > 1e-6 {
			t.Errorf("unit %d: %+v, of copies %+v", unit, m.Record, n.Record)
		}
		if len(m.Graded.Loadings) != len(n.Graded.Loadings) {
			t.Errorf("unit %d: %d graded parts, of copies %d", unit, len(m.Graded.Loadings), len(n.Graded.Loadings))
		}
		one, err := EStep(t.Context(), n, rows, 2)
		if err != nil {
			t.Fatal(err)
		}
		all, err := EStep(t.Context(), n, copies, 1)
		if err != nil {
			t.Fatal(err)
		}
		if one.Count() != all.Count() || one.Nats() != all.Nats() || one.Picks() != all.Picks() {
			t.Errorf("unit %d: %v rows of %v nats, copies %v of %v", unit, one.Count(), one.Nats(), all.Count(), all.Nats())
		}
		if one.Merge(all) == nil != (unit == 1) {
			t.Error("counts of rows of different units add up")
		}
	}
}

// Weights that cannot be are refused.
func TestBadWeights(t *testing.T) {
	row := [][]float64{{1}, {2}}
	for _, d := range []Data{{Weights: []int64{1}}, {Weights: []int64{0, 0}}, {Weights: []int64{1, MostRows}},
		{Weights: []int64{-1, 3}}, {Unit: -1}, {Unit: mostUnit + 1}} {
		d.Fields, d.Rows = make([]Field, 1), row
		if _, err := Learn(t.Context(), &d, Options{}); err == nil {
			t.Errorf("weights %v in units of %d are taken", d.Weights, d.Unit)
		}
	}
}

// A sample of a stream has the weights of its rows.
func TestDrawnWeights(t *testing.T) {
	rows, _ := weigh(planted(60, 5), 10)
	some, n, err := drawn(t.Context(), rows, 20, 1)
	if err != nil || n != 60 || len(some.Weights) != 20 || some.Unit != 10 {
		t.Fatalf("%d rows of %d with weights %v, %v", len(some.Rows), n, some.Weights, err)
	}
	for i, row := range some.Rows {
		found := false
		for j := range rows.Rows {
			found = found || &rows.Rows[j][0] == &row[0] || reflect.DeepEqual(key(rows.Rows[j]), key(row)) &&
				rows.Weights[j] == some.Weights[i]
		}
		if !found {
			t.Errorf("row %d has another weight", i)
		}
	}
}

// key returns a row as numbers that compare as equal, unknown ones too.
func key(row []float64) (out []uint64) {
	for _, x := range row {
		out = append(out, math.Float64bits(x))
	}
	return out
}
