package rows

import (
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
)

// Search returns a search for sets of the parts of a table, by the model's prior over these, or where it has none as if
// part k were active with probability pi[k], independently; see joint.NewSearch.
func Search(m *patchwork.Model, pi []float64, beam, keep, most int) *joint.Search {
	s := joint.NewSearch(joint.NewExperts(joint.Rule(m.Config().Rule), Background(m), m.Templates()), pi, beam, keep, most)
	s.Prior = jointPrior(m.Extras().SetPrior)
	return s
}

// jointPrior returns a prior over sets as package joint has it.
func jointPrior(p *patchwork.SetPrior) *joint.SetPrior {
	if p == nil {
		return nil
	}
	if p.Sure == nil {
		return joint.NewSetPrior(p.Sets, p.Share, p.Parent, p.Active)
	}
	return joint.NewCompounds(p.Sets, p.Sure, p.Share, p.Alone(), jointPrior(p.Above))
}

// Compounds returns the model of the table of sets of parts that a prior of compounds is: a column a part, a part a
// compound.
func Compounds(p *patchwork.SetPrior) *patchwork.Model {
	q := p.Alone()
	templates := make([][]float64, len(p.Sets))
	for i, set := range p.Sets {
		templates[i] = slices.Clone(q)
		for j, k := range set {
			templates[i][k] = max(q[k], p.Sure[i][j])
		}
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: len(q), QMap: q}, templates)
	if err == nil {
		m, err = m.WithExtras(patchwork.Extras{Usage: p.Share, SetPrior: p.Above})
	}
	if err != nil {
		panic(err) // the prior was checked
	}
	return m
}
