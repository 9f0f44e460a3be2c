package workbench

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/alike"
	"example.com/patchwork/render"
)

// Given returns the name that people gave to part k, as it may be shown, "" for none.
func Given(m Model, k int) string { return words.Clean(nameOf(m, k)) }

// nameOf returns the name of part k as the model has it, "" for none.
func nameOf(m Model, k int) string {
	if names := m.Names(); names != nil {
		return names[k]
	}
	return ""
}

// Called returns what part k is called: its name, or else "part 4" for 3.
func Called(m Model, k int) string { return cmp.Or(Given(m, k), words.Numbered(k)) }

// Full returns what part k is called and its number: "bog (part 3)", or "part 3".
func Full(m Model, k int) string {
	if name := Given(m, k); name != "" {
		return fmt.Sprintf("%s (%s)", name, words.Numbered(k))
	}
	return words.Numbered(k)
}

// SameVotes is the share of its votes from which a part counts as the same.
const SameVotes = alike.Same

// KeepNames gives the parts of a model the names that the same parts have in another one. Two parts are the same if
// at least SameVotes of their votes is; none is where their images or columns are others. It also says which names
// were kept and which were lost; both are empty if there were none.
func KeepNames(now, old Model) (m Model, kept, lost []string) {
	if old.Names() == nil || reflect.TypeOf(old) != reflect.TypeOf(now) {
		return now, nil, nil
	}
	was, _ := votesOf(old)
	is, moves := votesOf(now)
	of := slices.Repeat([]alike.Pair{{Part: -1}}, old.K())
	if was.Height == is.Height && was.Width == is.Width && slices.Equal(old.ColumnNames(), now.ColumnNames()) {
		of = alike.Pairs(was, is, map[bool]int{true: 2}[moves], moves)
	}
	for k := range old.K() {
		name := Given(old, k)
		if name == "" {
			continue
		}
		if of[k].Similarity >= SameVotes {
			if renamed, err := now.Name(of[k].Part, name); err == nil {
				now = renamed
				kept = append(kept, fmt.Sprintf("%q is part %d (%s of its votes are the same)", name, of[k].Part+1,
					words.Percent(of[k].Similarity)))
				continue
			}
		}
		lost = append(lost, fmt.Sprintf("%q (part %d)", name, k+1))
	}
	return now, kept, lost
}

// votesOf returns the votes of all parts to compare, and whether the parts move.
func votesOf(m Model) (v alike.Votes, moves bool) {
	switch m := m.(type) {
	case Bits:
		return alike.Templates(m.Model), m.Moves()
	case Mixed:
		v.Height, v.Width = 1, len(m.Columns)
		for k := range m.K() {
			v.Parts = append(v.Parts, m.deviations(k))
		}
	case Numbers:
		v.Height, v.Width = m.Frame()
		for k := range m.K() {
			v.Parts = append(v.Parts, render.RealDeviations(m.Model, k))
		}
		return v, m.Moves()
	}
	return v, false
}
