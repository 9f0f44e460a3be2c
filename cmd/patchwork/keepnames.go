package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/alike"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/render"
)

// keepNames gives the parts of a model that is to be written over another one the names
// that people gave to the same parts there, and notes which these are and which are
// lost. Two parts are the same if at least alike.Same of their votes is.
func keepNames(cmd *cobra.Command, path string, m *patchwork.Model) *patchwork.Model {
	old, err := modelfile.Load(path)
	if err != nil || old.Extras().Names == nil {
		return m // there is none, or nothing to lose
	}
	out := matchNames(cmd, path, old.Extras().Names, counterparts(old, m), namedBits{m})
	return out.(namedBits).Model
}

// keepRealNames is keepNames for a model of real values.
func keepRealNames(cmd *cobra.Command, path string, m *real.Model) *real.Model {
	if !isReal(path) {
		return m
	}
	old, err := modelfile.LoadReal(path)
	if err != nil || old.Names == nil || old.D() != m.D() || old.F() != m.F() || !slices.Equal(old.Columns, m.Columns) {
		return m
	}
	votes := func(m *real.Model) alike.Votes {
		h, w := m.Frame()
		v := alike.Votes{Height: h, Width: w}
		for k := range m.K() {
			v.Parts = append(v.Parts, render.RealDeviations(m, k))
		}
		return v
	}
	of := alike.Pairs(votes(old), votes(m), map[bool]int{true: 2}[m.Moves()], m.Moves())
	return matchNames(cmd, path, old.Names, of, namedReal{m}).(namedReal).Model
}

// matchNames gives the parts of a model the names of their counterparts, and notes which these are and which are lost.
func matchNames(cmd *cobra.Command, path string, names []string, of []alike.Pair, m namedModel) namedModel {
	var kept, lost []string
	for k, name := range names {
		if name = words.Clean(name); name == "" {
			continue
		}
		if of[k].Similarity >= alike.Same {
			if renamed, err := m.rename(of[k].Part, name); err == nil {
				m = renamed
				kept = append(kept, fmt.Sprintf("%q is part %d (%s of its votes are the same)", name, of[k].Part+1,
					words.Percent(of[k].Similarity)))
				continue
			}
		}
		lost = append(lost, fmt.Sprintf("%q (part %d)", name, k+1))
	}
	if len(kept) > 0 {
		sayNotes(cmd, fmt.Sprintf("names kept from the model that %s held: %s", path, strings.Join(kept, ", ")))
	}
	if len(lost) > 0 {
		sayNotes(cmd, fmt.Sprintf(
			"names lost of the model that %s held, since no part has %s of their votes: %s; patchwork name gives new ones",
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
