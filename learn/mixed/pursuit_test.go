package mixed

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// bestOf returns the joint probability of a row and the best of all sets.
func (p *pursuit) bestOf(row []float64) float64 {
	p.load(row)
	joint := p.joint
	for i := uint64(1); i < 1<<len(p.odds); i++ { // Gray's order
		joint = max(joint, p.flip(bits.TrailingZeros64(i)))
	}
	return joint
}

// The set that is found first is the most probable of all sets, whatever parts say.
func TestBestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, row := modelOf(t, rapid.IntRange(always+1, 12).Draw(t, "parts"))
		p := newPursuit(newBank(m))
		best := p.bestOf(row)
		sets, _ := p.explain(row)
		if got, _ := p.worth(row, sets[0].set); got < best-1e-6 && p.bounds.left >= 0 {
			t.Fatalf("set %b has the joint probability %v, the best %v", sets[0].set, got, best)
		}
	})
}

// many returns a model of so many parts of five columns each, of 30 of every kind, and rows that it drew.
func many(parts, rows int) (*Model, [][]float64) {
	rng := rand.New(rand.NewPCG(3, 3))
	m, _ := wide(0)
	m.Parts = nil
	for range parts {
		p := Part{Share: .1 + .1*rng.Float64(), Entries: make([]Entry, len(m.Columns))}
		for range 5 {
			d, x := rng.IntN(len(m.Columns)), 1.5*rng.NormFloat64()
			p.raise(m, d, x, max(-1, min(1, x)))
		}
		m.Parts = append(m.Parts, p)
	}
	return m, sampled(m, rows, rng)
}

// Of nearly all rows the search for the best set among those of 20 parts comes to its end.
func TestBoundsAreTight(t *testing.T) {
	m, rows := many(20, 500)
	p, ends := newPursuit(newBank(m)), 0
	for _, row := range rows {
		if p.explain(row); p.bounds.left >= 0 {
			ends++
		}
	}
	if ends < 490 {
		t.Errorf("the best set is proved to be the best in %d of 500 rows", ends)
	}
}

// BenchmarkPursuit is the time of a row.
func BenchmarkPursuit(b *testing.B) {
	for _, parts := range []int{6, 12, 20, 40} {
		m, rows := many(parts, 1000)
		p := newPursuit(newBank(m))
		b.Run(fmt.Sprint(parts), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				p.explain(rows[i%len(rows)])
			}
		})
	}
}
