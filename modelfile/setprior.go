package modelfile

import "example.com/patchwork"

// setPrior is a patchwork.SetPrior: the named sets, and for each part how probable it is, and by which other part; of
// compounds how sets of them come together.
type setPrior struct {
	Sets  []namedSet   `json:"sets,omitempty"`
	Parts []dependence `json:"parts"`
	Above *setPrior    `json:"above,omitempty"`
}

// namedSet is a name, or a compound if it says how probable each part is.
type namedSet struct {
	Experts []int     `json:"experts"`
	Share   float64   `json:"share"`
	Sure    []float64 `json:"sure,omitempty"`
}

// dependence is how probable a part is: without its parent, and with it if it has one.
type dependence struct {
	Active float64  `json:"active"`
	Parent *int     `json:"parent,omitempty"`
	With   *float64 `json:"with,omitempty"`
}

func newSetPrior(p *patchwork.SetPrior) *setPrior {
	if p == nil {
		return nil
	}
	out := &setPrior{Above: newSetPrior(p.Above)}
	for i, set := range p.Sets {
		out.Sets = append(out.Sets, namedSet{Experts: append([]int{}, set...), Share: p.Share[i]})
		if p.Sure != nil {
			out.Sets[i].Sure = p.Sure[i]
		}
	}
	for k, a := range p.Active {
		d := dependence{Active: a[0]}
		if p.Parent[k] >= 0 {
			d.Parent, d.With = &p.Parent[k], &a[1]
		}
		out.Parts = append(out.Parts, d)
	}
	return out
}

// model returns the prior; that it fits the model is not checked.
func (s *setPrior) model() (*patchwork.SetPrior, error) {
	if s == nil {
		return nil, nil
	}
	above, err := s.Above.model()
	if err != nil {
		return nil, err
	}
	p := &patchwork.SetPrior{Above: above}
	for _, set := range s.Sets {
		p.Sets, p.Share = append(p.Sets, set.Experts), append(p.Share, set.Share)
		if set.Sure != nil {
			p.Sure = append(p.Sure, set.Sure)
		}
	}
	for k, d := range s.Parts {
		parent, with := -1, d.Active
		if (d.Parent == nil) != (d.With == nil) || d.Parent != nil && *d.Parent < 0 {
			return nil, bad("set_prior", "give both, the parent from 0",
				"part %d has a parent or a probability with it, not both", k+1)
		}
		if d.Parent != nil {
			parent, with = *d.Parent, *d.With
		}
		p.Parent, p.Active = append(p.Parent, parent), append(p.Active, [2]float64{d.Active, with})
	}
	return p, nil
}

// compoundArrays returns named sets as numbers, for programs other than this one: by set and part how probable the part
// is where the set comes, 0 if it is none of its parts; how often each set comes; and each part alone.
func compoundArrays(p *patchwork.SetPrior) (sure, share, alone []float64) {
	if p.Kind() == "" {
		return nil, nil, nil
	}
	alone = p.Alone()
	sure = make([]float64, len(p.Sets)*len(alone))
	for i, set := range p.Sets {
		for j, k := range set {
			if sure[i*len(alone)+k] = 1; p.Sure != nil {
				sure[i*len(alone)+k] = p.Sure[i][j]
			}
		}
	}
	return sure, p.Share, alone
}
