package modelfile

import "example.com/patchwork"

// setPrior is a patchwork.SetPrior: the named sets, and for each part how probable it is, and by which other part.
type setPrior struct {
	Sets  []namedSet   `json:"sets,omitempty"`
	Parts []dependence `json:"parts"`
}

type namedSet struct {
	Experts []int   `json:"experts"`
	Share   float64 `json:"share"`
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
	out := new(setPrior)
	for i, set := range p.Sets {
		out.Sets = append(out.Sets, namedSet{append([]int{}, set...), p.Share[i]})
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
	p := new(patchwork.SetPrior)
	for _, set := range s.Sets {
		p.Sets, p.Share = append(p.Sets, set.Experts), append(p.Share, set.Share)
	}
	for k, d := range s.Parts {
		parent, with := -1, d.Active
		if (d.Parent == nil) != (d.With == nil) || d.Parent != nil && *d.Parent < 0 {
			return nil, bad("set_prior", "give both, the parent from 0", "part %d has a parent or a probability with it, not both",
				k+1)
		}
		if d.Parent != nil {
			parent, with = *d.Parent, *d.With
		}
		p.Parent, p.Active = append(p.Parent, parent), append(p.Active, [2]float64{d.Active, with})
	}
	return p, nil
}
