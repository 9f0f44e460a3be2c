package rows

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
)

// Search returns a search for sets of the parts of a table, by the model's prior over these, or where it has none as if
// part k were active with probability pi[k], independently; see joint.NewSearch.
func Search(m *patchwork.Model, pi []float64, beam, keep, most int) *joint.Search {
	s := joint.NewSearch(joint.NewExperts(joint.Rule(m.Config().Rule), Background(m), m.Templates()), pi, beam, keep, most)
	if p := m.Extras().SetPrior; p != nil {
		s.Prior = joint.NewSetPrior(p.Sets, p.Share, p.Parent, p.Active)
	}
	return s
}
