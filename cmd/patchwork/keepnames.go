package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/alike"
	"example.com/patchwork/modelfile"
)

// keepNames gives the parts of a model that is to be written over another one the names
// that people gave to the same parts there, and notes which these are and which are
// lost. Two parts are the same if at least alike.Same of their votes is.
func keepNames(cmd *cobra.Command, path string, m *patchwork.Model) *patchwork.Model {
	old, err := modelfile.Load(path)
	if err != nil || old.Extras().Names == nil {
		return m // there is none, or nothing to lose
	}
	of := counterparts(old, m)
	var kept, lost []string
	for k, name := range old.Extras().Names {
		if name = words.Clean(name); name == "" {
			continue
		}
		if of[k].Similarity >= alike.Same {
			if renamed, err := words.Rename(m, of[k].Part, name); err == nil {
				m = renamed
				kept = append(kept, fmt.Sprintf("%q is part %d (%s of its votes are the same)", name, of[k].Part, words.Percent(of[k].Similarity)))
				continue
			}
		}
		lost = append(lost, fmt.Sprintf("%q (part %d)", name, k))
	}
	if len(kept) > 0 {
		sayNotes(cmd, fmt.Sprintf("names kept from the model that %s held: %s", path, strings.Join(kept, ", ")))
	}
	if len(lost) > 0 {
		sayNotes(cmd, fmt.Sprintf("names lost of the model that %s held, since no part has %s of their votes: %s; patchwork name gives new ones",
			path, words.Percent(alike.Same), strings.Join(lost, ", ")))
	}
	return m
}

// counterparts returns the part of m that each part of old is most like; none where
// their images or columns are others.
func counterparts(old, m *patchwork.Model) []alike.Pair {
	none := slices.Repeat([]alike.Pair{{Part: -1}}, old.K())
	if old.Height() != m.Height() || old.Width() != m.Width() || !slices.Equal(old.Extras().Columns, m.Extras().Columns) {
		return none
	}
	moves := m.Config().Scene || m.Config().Poses.Len() > 1
	return alike.Pairs(alike.Templates(old), alike.Templates(m), map[bool]int{true: 2}[moves], moves)
}
