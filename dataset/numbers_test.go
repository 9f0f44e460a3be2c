package dataset

import (
	"math"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

func TestColumnsOfNumbers(t *testing.T) {
	for _, c := range []struct {
		values any
		want   bool
	}{
		{[]int64{1, 2}, true},
		{[]float64{1.5, math.NaN()}, true},
		{[]string{"1,54", "1.54", "", "NA", "-3", "1e3", "0"}, true},
		{[]string{"1.234,50", "12 €", "€ 3", "12\u00a0345", "1'000.5", "7 %", "EUR 12,30", "5 CHF"}, true},
		{[]string{"12", "12a"}, false},
		{[]string{"007", "008"}, false},
		{[]string{"12.5.3", "1.2.2024"}, false},
		{[]string{"2024-01-03", "1"}, false},
		{[]string{"192.168.0.1"}, false},
		{[]string{"P1", "P2"}, false},
		{[]string{"€"}, false},
		{[]string{"", "NA"}, false},
		{[]string{}, false},
	} {
		if got := LabelsOf("c", c.values).Numbers(); got != c.want {
			t.Errorf("%q: %v, want %v", c.values, got, c.want)
		}
	}
}

func TestMissing(t *testing.T) {
	for i, c := range []Labels{LabelsOf("i", []int64{0}), LabelsOf("f", []float64{0}), LabelsOf("s", []string{"NaN"})} {
		if c.Missing(0) {
			t.Errorf("column %d has a value", i)
		}
	}
	for i, c := range []Labels{LabelsOf("f", []float64{math.NaN()}), LabelsOf("s", []string{""})} {
		if !c.Missing(0) || c.Text(0) != "" {
			t.Errorf("column %d has none", i)
		}
	}
}

// Empty cells of text and of numbers are one and the same, and amounts name no rows.
func TestRowsAreNotCalledByAmounts(t *testing.T) {
	two := patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 1), bitmap.New(1, 1)}}
	s := Set{Table: true, Data: two, Meta: []Labels{LabelsOf("age", []float64{math.NaN(), 3}), LabelsOf("town", []string{"Ulm", ""}),
		LabelsOf("paid", []string{"1,54", "2.5"})}}
	called := s.Called()
	if a, b := called(0), called(1); a != "row 1 (Ulm, 1,54)" || b != "row 2 (3, 2.5)" {
		t.Errorf("called %q and %q", a, b)
	}
	for _, l := range s.Meta[:2] {
		if _, counts := l.counts(); counts[0].Value != "" {
			t.Errorf("%s: the empty cell is %q", l.Name, counts[0].Value)
		}
	}
}
