// Package diagnose says what may be wrong with a model.
//
// [Model] looks at the model itself and, if there is [Evidence], at how it
// explains images; it returns a list of [Finding]s, each with the facts and an
// advice. Read diagnose.go, finding.go (the kinds), and checks.go (a function and
// a limit per kind).
package diagnose

import (
	"slices"
	"strconv"

	"example.com/patchwork"
)

// Evidence is how a model explains some images, as patchwork.Explain returns it.
// Checks that need what is nil are skipped.
type Evidence struct {
	Tally     *patchwork.Tally
	Explained []*patchwork.Explanation // by number of the image; nil ones are skipped

	// Name says what an image is called in the facts; nil means by its number, from 1.
	Name func(i int) string
}

// Model returns what is odd about a model: about its templates and its geometry,
// and about how it explains images. Findings come in the order of their kinds,
// then of experts. It panics if the tally is of other experts.
func Model(m *patchwork.Model, on Evidence) []Finding {
	if on.Tally != nil && !on.Tally.Fits(m) {
		panic("patchwork: this tally counts other parts than the model's")
	}
	out := findUnused(m, on.Tally)
	out = append(out, findDuplicates(m)...)
	out = append(out, findConstant(m)...)
	out = append(out, findEdges(m, on.Explained)...)
	out = append(out, findOverconfident(m, on.Tally)...)
	out = append(out, findSingular(m)...)
	name := on.Name
	if name == nil {
		name = func(i int) string { return strconv.Itoa(i + 1) }
	}
	tooMany := slices.ContainsFunc(out, func(f Finding) bool {
		return f.Kind == KindUnused || f.Kind == KindDuplicate || f.Kind == KindNearConstant
	})
	out = append(out, findUnexplained(m, on.Explained, name, tooMany)...)
	out = append(out, findRare(m, on.Tally)...)
	return append(out, findOverlaps(m)...)
}
