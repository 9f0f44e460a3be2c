package learn

import (
	"slices"

	"example.com/patchwork"
)

// The name of an expert stays with it as long as learning changes it step by step,
// and is dropped with it, or when something else takes its place.

// namesUnless returns the names of a model's experts, none for the experts given,
// whose templates are replaced.
func namesUnless(m *patchwork.Model, replaced ...int) []string {
	names := slices.Clone(m.Extras().Names)
	if names != nil {
		for _, k := range replaced {
			names[k] = ""
		}
	}
	return names
}
