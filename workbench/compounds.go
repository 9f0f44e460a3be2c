package workbench

import (
	"slices"
	"sync"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// Joined is a compound of parts that a row has, more probably than not.
type Joined struct {
	ID      int
	Odds    float64 // for it
	Parts   []int   // of its parts those that the row has
	Missing []int   // and those that it lacks
}

// Joins says which compounds rows have. It is safe for concurrent use.
type Joins struct {
	All []words.Compound

	parts  int
	search *posterior.Searcher // of compounds of which any may come
	lock   sync.Mutex
	known  map[string][]Joined
}

const (
	mostOdds      = 1e9
	mostJoinsKept = 1 << 16
)

// NewJoins returns what says it by a model; nil where parts make no compounds.
func NewJoins(m Model) *Joins {
	of, ok := m.(Bits)
	if !ok || of.Reader() != nil { // a table of answers has its own words
		return nil
	}
	kind, all := words.Compounds(of.Model)
	if kind == "" {
		return nil
	}
	j := &Joins{All: all, parts: of.K(), known: map[string][]Joined{}}
	if kind == patchwork.CompoundsAny {
		var err error
		if j.search, err = posterior.NewSearcher(rows.Compounds(of.Extras().SetPrior), posterior.Options{}); err != nil {
			panic(err) // it is of a table
		}
	}
	return j
}

// Of returns the compounds of a row that has these parts, the first first.
func (j *Joins) Of(picks []patchwork.Pick) []Joined {
	has := make([]byte, j.parts)
	for _, p := range picks {
		has[p.Expert] = 1
	}
	j.lock.Lock()
	defer j.lock.Unlock()
	if out, ok := j.known[string(has)]; ok {
		return out
	}
	out := []Joined{}
	if j.search == nil {
		out = j.just(has)
	} else {
		post, err := j.search.Explain(bitmap.FromBytes(1, j.parts, has))
		if err != nil {
			panic(err) // a column a part
		}
		probability := make([]float64, len(j.All))
		for _, a := range post.Alternatives {
			for _, p := range a.Picks {
				probability[p.Expert] += a.Weight
			}
		}
		for i, v := range probability {
			if v > 0.5 {
				out = append(out, j.joined(i, min(v/max(1-v, 1/mostOdds), mostOdds), has))
			}
		}
	}
	if len(j.known) < mostJoinsKept {
		j.known[string(has)] = out
	}
	return out
}

// just returns the compound that has just these parts, of which a row has one.
func (j *Joins) just(has []byte) []Joined {
	out, n := []Joined{}, 0
	for _, v := range has {
		n += int(v)
	}
	for i, c := range j.All {
		if n == len(c.Parts) && !slices.ContainsFunc(c.Parts, func(k int) bool { return has[k] == 0 }) {
			out = append(out, j.joined(i, mostOdds, has))
		}
	}
	return out
}

// joined returns a compound with what a row has of it.
func (j *Joins) joined(i int, odds float64, has []byte) Joined {
	c := Joined{ID: i, Odds: odds, Parts: []int{}, Missing: []int{}}
	for _, k := range j.All[i].Parts {
		if has[k] == 1 {
			c.Parts = append(c.Parts, k)
		} else {
			c.Missing = append(c.Missing, k)
		}
	}
	return c
}
