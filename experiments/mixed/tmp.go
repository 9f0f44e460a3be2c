package mixed

import (
	"context"
	"fmt"

	"example.com/patchwork/learn/mixed"
)

func Show(p Planted, seed uint64, o mixed.Options) {
	s := p.Draw(seed)
	used := make([]int, len(s.Votes))
	for _, set := range s.Sets {
		for k := range used {
			used[k] += int(set >> k & 1)
		}
	}
	fmt.Println("seed", seed)
	for k := range s.Votes {
		fmt.Println("  planted", s.Votes[k], float64(used[k])/float64(len(s.Sets)))
	}
	m, _ := mixed.Learn(context.Background(), s.Data, o)
	fmt.Println("  length", m.Record.Length, m.Record.Starts)
	for k := range m.Parts {
		fmt.Printf("  learned %v %.3f:", m.Parts[k].Votes(), m.Parts[k].Share)
		for _, d := range m.Parts[k].Votes() {
			fmt.Printf(" %s/%d", s.Families[d], m.Parts[k].Entries[d].Numbers)
		}
		fmt.Println()
	}
	o.From = s.Sets
	m, _ = mixed.Learn(context.Background(), s.Data, o)
	fmt.Println("  truth's length", m.Record.Length)
	for k := range m.Parts {
		fmt.Printf("  truth   %v %.3f\n", m.Parts[k].Votes(), m.Parts[k].Share)
	}
}

func missing(s *Set, m *mixed.Model) int {
	var learned [][]int
	for k := range m.Parts {
		learned = append(learned, m.Parts[k].Votes())
	}
	for k, w := range s.match(learned) {
		if w < 0 || jaccard(s.Votes[k], learned[w]) < .5 {
			return k
		}
	}
	return 0
}
