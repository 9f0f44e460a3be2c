package diagnose

import (
	"fmt"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/alike"
)

const (
	// onEachOther is how much of an expert may lie on another at their mean places.
	// Measured: 0.03 to 0.35 where the experts are the strokes of a letter, and 0.50
	// to 0.88 where one is the letter as a whole, or its outline.
	onEachOther = 0.4
	// together is in how many of the images at least two experts are both used.
	together = 0.5
)

// findOverlaps reports experts of drawings that lie on each other: pieces of one
// drawing lie beside each other.
func findOverlaps(m *patchwork.Model) []Finding {
	e, c := m.Extras(), m.Config()
	if e.Geometry == nil || e.Usage == nil || c.Scene || c.Rule != patchwork.RuleMax || c.Height == 1 {
		return nil
	}
	votes := alike.Placed(m).Parts
	var out []Finding
	for a := range m.K() {
		for b := a + 1; b < m.K(); b++ {
			if e.Usage[a]+e.Usage[b]-1 < together { // the least share of the images with both
				continue
			}
			if share := alike.Inside(votes[a], votes[b]); share > onEachOther {
				out = append(out, Finding{Kind: KindOverlap, Experts: []int{a, b}, Value: share, Limit: onEachOther,
					Facts: fmt.Sprintf("%s and %s lie on each other: %.0f %% of the smaller is ink of the other, too.", called(m, a),
						words.Full(m, b), 100*share),
					Advice: "One may be the whole drawing or its outline rather than a piece of it: another start, by another seed, " +
						"another number of parts or more images may give other parts; " +
						"patchwork report says which come back."})
			}
		}
	}
	return out
}
