package report

import "example.com/patchwork/diagnose/words"

// Pair is two parts and how often rows use both.
type Pair struct {
	A        int    `json:"part_a"`
	B        int    `json:"part_b"`
	Rows     int64  `json:"rows"`     // that use both
	Expected Number `json:"expected"` // if the one had nothing to do with the other
	Lift     Number `json:"lift"`     // Rows over Expected
	Z        Number `json:"z"`        // standard deviations from Expected
}

// together counts the rows that use each pair of parts.
func (b *builder) together() {
	k := len(b.r.Parts)
	both := make([]int64, k*k)
	for i, row := range b.r.rows {
		parts := activeParts(row.Picks)
		for _, p := range parts {
			for _, q := range parts {
				both[p*k+q] += b.set.Weight(i)
			}
		}
	}
	if of := b.bits; of != nil {
		if kind, _ := words.Compounds(of); kind != "" {
			b.r.Compounds = words.Together(of)
		}
	}
	b.r.Together = []Pair{}
	for p := range k {
		for q := p + 1; q < k; q++ {
			n, x, y := both[p*k+q], b.r.Parts[p].Rows, b.r.Parts[q].Rows
			pair := Pair{A: p, B: q, Rows: n, Expected: Number(float64(x) * float64(y) / float64(b.r.Weight))}
			pair.Lift, pair.Z = association(n, x, y, b.r.Weight)
			b.r.Together = append(b.r.Together, pair)
		}
	}
}
