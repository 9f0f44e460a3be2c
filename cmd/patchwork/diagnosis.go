package main

import (
	"context"
	"fmt"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/posterior"
)

// findingReport is a finding as JSON, a contract.
type findingReport struct {
	Kind    string  `json:"kind"`
	Experts []int   `json:"experts"` // concerned; empty if it is the background, geometry or data
	Images  []int   `json:"images"`  // concerned, the first ten, as rows of the input
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
	Facts   string  `json:"facts"`
	Advice  string  `json:"advice"`
}

func newFindings(findings []diagnose.Finding) []findingReport {
	out := []findingReport{} // [] for none, never null
	for _, f := range findings {
		out = append(out, findingReport{f.Kind.String(), append([]int{}, f.Experts...), append([]int{}, f.Images...),
			f.Value, f.Limit, f.Facts, f.Advice})
	}
	return out
}

// examine diagnoses a model by how it explains the images of a set. Findings refer
// to images by their rows in the input.
func (a *app) examine(ctx context.Context, m *patchwork.Model, set *dataset.Set, workers int) ([]diagnose.Finding,
	error) {
	last := 0
	for i := range set.Len() {
		last = max(last, row(set, i))
	}
	explained, at := make([]*patchwork.Explanation, last+1), make([]int, last+1)
	bar := a.progress("image", set.Len())
	defer bar.stop()
	t, err := explainAll(ctx, &task{source: source{set: set}, model: m, workers: workers, bar: bar,
		opt: patchwork.PursuitOptions{Paper: true, Costs: posterior.PickCosts(m)}}, func(i int, e *patchwork.Explanation) {
		explained[row(set, i)], at[row(set, i)] = e, i
	})
	if err != nil {
		return nil, request(err)
	}
	called := set.Called()
	name := func(row int) string { return words.Clean(called(at[row])) }
	return diagnose.Model(m, diagnose.Evidence{Tally: t, Explained: explained, Name: name}), nil
}

// maxWarnings is the largest number of warnings of learn, one line each; info lists
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
			a.warn("and %s more; patchwork info lists them", words.Count(len(findings)-i, "finding"))
			return
		}
		a.warn("%s %s", f.Facts, f.Advice)
	}
}

// worthWarning returns the findings that learn warns of. It leaves to info the
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

// printFindings lists findings; none is what it says without any.
func printFindings(line func(string, string, ...any), findings []findingReport, none string) {
	if len(findings) == 0 {
		line("findings", "%s", none)
	}
	for i, f := range findings {
		line(map[bool]string{true: "findings"}[i == 0], "%s: %s %s", f.Kind, f.Facts, f.Advice)
	}
}

// examined describes the data that a diagnosis rests on.
func examined(set *dataset.Set) string {
	return fmt.Sprintf("%s, %s", set.Source, describe(set.Len(), set))
}
