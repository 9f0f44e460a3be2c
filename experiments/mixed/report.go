package mixed

import (
	"context"
	"fmt"
	"io"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn/mixed"
)

// Recovery is how well a model has what was planted.
type Recovery struct {
	Jaccard  float64 // of the columns of parts, on average over those planted, each with a learned part of its own
	Found    int     // planted parts of which this is at least half
	Parts    int
	Nuisance int     // votes about columns that no part has an opinion about
	False    int     // other votes of parts found that were not planted
	Excess   float64 // length of the description less that of the truth, refitted
	Truth    float64 // Jaccard of the truth, refitted
	Seconds  float64
	// Recalled are, by kind of column, votes of parts found, of those Asked.
	Recalled, Asked map[string]int
}

// Measure compares a model with the set that it was learned from.
func (s *Set) Measure(m *mixed.Model) Recovery {
	r := Recovery{Parts: len(m.Parts), Recalled: map[string]int{}, Asked: map[string]int{}}
	var learned [][]int
	for k := range m.Parts {
		votes := m.Parts[k].Votes()
		learned = append(learned, votes)
		for _, d := range votes {
			if s.Nuisance[d] {
				r.Nuisance++
			}
		}
	}
	for k, with := range s.match(learned) {
		if with < 0 {
			continue
		}
		j := jaccard(s.Votes[k], learned[with])
		r.Jaccard += j / float64(len(s.Votes))
		if j >= .5 {
			r.Found++
			s.recall(&r, s.Votes[k], learned[with])
		}
	}
	return r
}

// match gives every planted part a learned part of its own, the most alike first; -1 for none.
func (s *Set) match(learned [][]int) []int {
	out, taken := make([]int, len(s.Votes)), make([]bool, len(learned))
	for k := range out {
		out[k] = -1
	}
	for {
		best, k, with := 0.0, -1, -1
		for i := range s.Votes {
			for j := range learned {
				if a := jaccard(s.Votes[i], learned[j]); out[i] < 0 && !taken[j] && a > best {
					best, k, with = a, i, j
				}
			}
		}
		if k < 0 {
			return out
		}
		out[k], taken[with] = with, true
	}
}

// recall counts votes of a planted part that a learned one has.
func (s *Set) recall(r *Recovery, planted, learned []int) {
	for _, d := range planted {
		r.Asked[s.Families[d]]++
		for _, e := range learned {
			if e == d {
				r.Recalled[s.Families[d]]++
			}
		}
	}
	for _, e := range learned {
		if jaccard([]int{e}, planted) == 0 && !s.Nuisance[e] {
			r.False++
		}
	}
}

// learn learns the model of a set and measures it.
func (s *Set) learn(ctx context.Context, o mixed.Options) (Recovery, error) {
	begin := stat.ProcessorTime()
	m, err := mixed.Learn(ctx, s.Data, o)
	if err != nil {
		return Recovery{}, err
	}
	seconds := (stat.ProcessorTime() - begin).Seconds()
	r := s.Measure(m)
	r.Seconds = seconds
	o.From = s.Sets
	truth, err := mixed.Learn(ctx, s.Data, o)
	if err != nil {
		return r, err
	}
	r.Excess = m.Record.Length - truth.Record.Length
	r.Truth = s.Measure(truth).Jaccard
	return r, nil
}

// ReportPlanted prints how well parts of planted tables are found, with seeds from the first on.
func ReportPlanted(ctx context.Context, w io.Writer, sizes []Planted, first uint64, seeds int, o mixed.Options) error {
	t := stat.NewTable(w, "N, D, K", "outliers", "Jaccard", "found", "K", "K right, within 1", "nuisance votes",
		"false votes", "length over the truth's", "Jaccard of the truth", "s")
	recalled, asked := map[string]int{}, map[string]int{}
	for _, p := range sizes {
		all, err := stat.Seeds(seeds, func(i uint64) (Recovery, error) { return p.Draw(first+i).learn(ctx, o) })
		if err != nil {
			return err
		}
		right, near, ks, excess := 0, 0, "", ""
		for _, r := range all {
			if r.Parts == p.Parts {
				right++
			}
			if r.Parts >= p.Parts-1 && r.Parts <= p.Parts+1 {
				near++
			}
			ks += fmt.Sprintf(" %d", r.Parts)
			excess += fmt.Sprintf(" %.0f", r.Excess)
			for f := range r.Asked {
				recalled[f] += r.Recalled[f]
				asked[f] += r.Asked[f]
			}
		}
		of := func(f func(Recovery) float64) float64 { return stat.MeanOf(all, f) }
		t.Row("%d, %d, %d | %.0f %% | %.3f | %.1f | %s | %d, %d of %d | %.1f | %.1f | %s | %.3f | %.2f",
			p.Rows, p.Columns, p.Parts,
			100*p.Outliers, of(func(r Recovery) float64 { return r.Jaccard }),
			of(func(r Recovery) float64 { return float64(r.Found) }), ks[1:], right, near, seeds,
			of(func(r Recovery) float64 { return float64(r.Nuisance) }),
			of(func(r Recovery) float64 { return float64(r.False) }), excess[1:],
			of(func(r Recovery) float64 { return r.Truth }), of(func(r Recovery) float64 { return r.Seconds }))
	}
	fmt.Fprint(w, "\nVotes of parts found, of those planted:")
	for _, f := range Families {
		fmt.Fprintf(w, " %s %d of %d;", f, recalled[f], asked[f])
	}
	fmt.Fprintln(w)
	return nil
}
