package words

import (
	"fmt"
	"strings"

	"example.com/patchwork"
)

// mostlyOne is the share of rows with one part or none from which these are said to exclude each other.
const mostlyOne = 0.9

// Together says which parts of a table come together or exclude each other, a sentence each; nil if parts are active
// independently.
func Together(m *patchwork.Model) (out []string) {
	p := m.Extras().SetPrior
	if p == nil {
		return nil
	}
	for k, on := range p.Parent {
		if on >= 0 {
			out = append(out, fmt.Sprintf("%s of the rows with %s have %s, %s of the others", Percent(p.Active[k][1]),
				Full(m, on), Full(m, k), Percent(p.Active[k][0])))
		}
	}
	single := 0.0
	for i, set := range p.Sets {
		if len(set) < 2 {
			single += p.Share[i]
		}
	}
	if single >= mostlyOne {
		out = append(out, fmt.Sprintf("%s of the rows have one part, or none: parts exclude each other", Percent(single)))
	}
	for i, set := range p.Sets {
		if len(set) < 2 {
			continue
		}
		chance, names := 1.0, make([]string, len(set))
		for k, share := range m.Extras().Usage {
			chance *= 1 - share
			for j, in := range set {
				if in == k {
					chance, names[j] = chance/(1-share)*share, Full(m, k)
				}
			}
		}
		out = append(out, fmt.Sprintf("%s of the rows have just %s; by chance %s would", Percent(p.Share[i]), strings.Join(names, " and "),
			Percent(chance)))
	}
	return out
}
