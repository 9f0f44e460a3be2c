package main

import (
	"math"

	"example.com/patchwork/workbench"
)

// codesOf returns what makes tables of the explanations of a job, a row per row of the data: the labels, the row, its
// weight if there are weights, how many picks each part has in it (at most 255), their gain together, and the
// log-likelihood. Workers call it.
func codesOf(j *job, round bool) func(*workbench.Explained) *answers {
	if m, ok := j.model.(workbench.Classes); ok {
		return func(x *workbench.Explained) *answers { return verdictTable(m.Classifier.Names(), x, round) }
	}
	parts, weighted := partNames(j.model.Names(), j.model.K()), j.weighted()
	return func(x *workbench.Explained) *answers {
		n, k := len(x.Rows), len(parts)
		codes, gain, score := make([]uint8, n*k), make([]float64, n*k), make([]float64, n)
		for i := range x.Rows {
			score[i] = x.Rows[i].LogLik
			for _, p := range x.Rows[i].Picks {
				at := i*k + p.Expert
				codes[at] = min(codes[at], math.MaxUint8-1) + 1
				gain[at] += p.Gain
			}
		}
		if round {
			roundAll(gain, score)
		}
		out := rowAnswers(x.Frame, weighted, x.From, x.To())
		if k > 0 {
			out.add("codes", codes, parts...)
			out.columns[len(out.columns)-1].BlockNames = "parts"
			out.add("gain", gain, valuesBy(k, func(k int) string { return parts[k] + " gain" })...)
		}
		out.add("log_lik", score)
		return out
	}
}
