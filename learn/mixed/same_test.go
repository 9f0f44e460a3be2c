package mixed

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork/learn/real"
)

// blocks returns rows of 12 columns of one kind, of three parts of five columns that overlap in one or two.
func blocks(rows int, bits bool) (out [][]float64) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range rows {
		row := make([]float64, 12)
		for k := range 3 {
			if rng.Float64() < .25 {
				for d := range 5 {
					row[4*k+d-min(k, 1)] = 1
				}
			}
		}
		for d := range row {
			switch {
			case !bits:
				row[d] = 2*row[d] + rng.NormFloat64()
			case rng.Float64() < .1:
				row[d] = 1 - row[d]
			}
		}
		out = append(out, row)
	}
	return out
}

// Of columns of bits alone, or of real values alone, the parts are those of the learner of grey pictures.
func TestOneKindAlone(t *testing.T) {
	for name, bits := range map[string]bool{"bits": true, "reals": false} {
		rows := blocks(300, bits)
		m := learned(t, &Data{Fields: make([]Field, 12), Rows: rows}, Options{Starts: 2})
		data, err := real.NewData(1, 12, rows)
		if err != nil {
			t.Fatal(err)
		}
		r, err := real.Learn(t.Context(), data, real.Options{Starts: 2})
		if err != nil {
			t.Fatal(err)
		}
		var want [][]int
		for _, e := range r.Model.Experts {
			var votes []int
			for d := range e {
				if e[d].Vote != real.Abstains {
					votes = append(votes, d)
				}
			}
			want = append(want, votes)
		}
		slices.SortFunc(want, slices.Compare)
		if got := votes(m); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: parts of columns %v, of real values %v", name, got, want)
		}
	}
}
