package main

import (
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/diagnose/words"
)

// maxWarnings is the largest number of warnings of learn, one line each; show lists
// all findings.
const maxWarnings = 8

// warnFindings warns, unless quiet, of what is wrong with a model just learned.
func (a *app) warnFindings(m *patchwork.Model) {
	if a.quiet {
		return
	}
	findings := worthWarning(m, diagnose.Model(m, diagnose.Evidence{}))
	for i, f := range findings {
		if i == maxWarnings-1 && len(findings) > maxWarnings {
			a.warn("and %s more; patchwork show lists them", words.Count(len(findings)-i, "finding"))
			return
		}
		a.warn("%s %s", f.Facts, f.Advice)
	}
}

// worthWarning returns the findings that learn warns of. It leaves to show the
// certainty of the paper's mode, which the user chose; other findings about unused
// parts; and what few images cannot say about poses, which concerns samples only.
func worthWarning(m *patchwork.Model, findings []diagnose.Finding) []diagnose.Finding {
	paper := m.Extras().Record.Mode == "paper"
	unused := make(map[int]bool)
	return slices.DeleteFunc(findings, func(f diagnose.Finding) bool {
		switch f.Kind {
		case diagnose.KindUnused:
			unused[f.Experts[0]] = true
		case diagnose.KindNearConstant, diagnose.KindDuplicate:
			return slices.ContainsFunc(f.Experts, func(k int) bool { return unused[k] })
		case diagnose.KindOverconfident:
			return paper
		case diagnose.KindSingularGeometry:
			return true
		}
		return false
	})
}
