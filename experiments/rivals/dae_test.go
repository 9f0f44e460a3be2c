package rivals

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The gradient of what is minimised, the cross-entropy of the clean row and the
// reconstruction from the corrupted one, against central differences.
func TestGradient(t *testing.T) {
	for _, untied := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(1, 2))
		m, g := newEncoder(7, untied, rng), newEncoder(7, untied, rng)
		parameters := func(m *encoder) (out []*float64) {
			rows := append([][]float64{m.b, m.c}, m.w...)
			if untied {
				rows = append(rows, m.v...)
			}
			for _, row := range rows {
				for j := range row {
					out = append(out, &row[j])
				}
			}
			return out
		}
		for _, p := range parameters(m) {
			*p = rng.NormFloat64()
		}
		slopes := parameters(g)
		for _, p := range slopes {
			*p = 0
		}
		x, corrupted := []float64{1, 0, 1, 1, 0, .25, 0}, []float64{1, 0, 0, 1, 0, .25, 0}
		loss := func() float64 {
			code, y := make([]float64, units), make([]float64, 7)
			m.encode(corrupted, code)
			m.decode(code, y)
			return crossEntropy(x, y, 1e-9)
		}
		m.step(g, 2, x, corrupted)
		for i, p := range parameters(m) {
			const h = 1e-5
			old := *p
			*p = old + h
			up := loss()
			*p = old - h
			down := loss()
			*p = old
			if want := 2 * (up - down) / (2 * h); math.Abs(*slopes[i]-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("untied %v, parameter %d: gradient %v, by differences %v", untied, i, *slopes[i], want)
			}
		}
	}
}

// With everything corrupted to 0 the encoder learns nothing.
func TestCorruption(t *testing.T) {
	train, err := draw(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fitEncoder(t.Context(), train.rows, true, setting{rate: .03, corruption: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k := range m.w { // nothing comes in, so that the encoder learns nothing from the rows
		fresh := newEncoder(36, true, rand.New(rand.NewPCG(1, 0x646165)))
		for d := range m.w[k] {
			if m.w[k][d] != fresh.w[k][d] {
				t.Fatalf("weight %d, %d of the encoder has changed", k, d)
			}
		}
	}
}
