package mixed

import (
	"math/rand/v2"
	"testing"
)

// wide returns a model of six parts of 30 columns of every kind, and rows that it drew.
func wide(rows int) (*Model, [][]float64) {
	var fields []Field
	rng := rand.New(rand.NewPCG(1, 1))
	data := &Data{}
	for range 400 {
		row := make([]float64, 30)
		for d := range row {
			switch d % 3 {
			case 0:
				row[d] = float64(rng.IntN(2))
			case 1:
				row[d] = float64(rng.IntN(5))
			default:
				row[d] = rng.NormFloat64()
			}
		}
		data.Rows = append(data.Rows, row)
	}
	for range 30 {
		fields = append(fields, Field{Kind: Number})
	}
	data.Fields = fields
	m := newModel(data)
	for k := range 6 {
		p := Part{Share: .2, Entries: make([]Entry, 30)}
		for i := range 5 {
			d := (5*k + 3*i) % 30
			p.raise(m, d, 2, 1)
		}
		m.Parts = append(m.Parts, p)
	}
	return m, sampled(m, rows, rng)
}

// raise makes a part say of a column that it is higher than the background by so much: of numbers, or of the scores of
// levels.
func (p *Part) raise(m *Model, d int, numbers, levels float64) {
	e, b := &p.Entries[d], &m.Background[d]
	if e.Numbers = 1; m.Columns[d].Family == Real {
		e.Normal = b.Normal
		e.Mean += numbers
		return
	}
	e.P = m.Columns[d].Tilt(b.P, levels)
	soften(e.P, b.P)
}

// sampled returns the codes of rows that a model draws.
func sampled(m *Model, rows int, rng *rand.Rand) (codes [][]float64) {
	for range rows {
		codes = append(codes, m.Code(m.Sample(rng)))
	}
	return codes
}

// BenchmarkEStep is the time of an E-step over 1000 rows, fast and by the formulas.
func BenchmarkEStep(b *testing.B) {
	m, codes := wide(1000)
	b.Run("fast", func(b *testing.B) {
		for b.Loop() {
			if _, err := newCounter(m, nil, 1, 1).count(b.Context(), codes); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reference", func(b *testing.B) {
		for b.Loop() {
			for _, c := range codes[:10] {
				m.LogEvidence(c)
			}
		}
	})
}
