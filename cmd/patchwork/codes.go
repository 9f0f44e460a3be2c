package main

import (
	"fmt"
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
	parts, weighted, joins := partNames(j.model.Names(), j.model.K()), j.weighted(), workbench.NewJoins(j.model)
	if m, ok := j.model.(workbench.Bits); ok && m.Reader() != nil && len(m.Reader().Votes) == 0 {
		parts = nil
	}
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
		if joins != nil {
			addCompounds(out, joins, x)
		}
		out.add("log_lik", score)
		if m, ok := j.model.(workbench.Bits); ok && m.Reader() != nil {
			addPersons(out, m, parts, x, round)
		}
		if m, ok := j.model.(workbench.Lists); ok && m.Level != nil {
			addLevels(out, x, round)
		}
		return out
	}
}

// addPersons adds what the picture of a table of answers says of each row: which class it is of, or which skills or
// parts it has, each with its probability, and in words; and its level, with the standard error of that.
func addPersons(out *answers, m workbench.Bits, parts []string, x *workbench.Explained, round bool) {
	r, n := m.Reader(), len(x.Rows)
	k := len(r.Votes)
	has := make([]float64, n*k)
	said := make([]string, n)
	for i := range x.Rows {
		p := x.Rows[i].Person
		if p == nil { // of the head
			continue
		}
		copy(has[i*k:], r.Probable(p))
		said[i] = r.Profile(p, parts)
	}
	if round {
		roundAll(has)
	}
	if k > 0 {
		names := valuesBy(k, func(k int) string { return "p:" + r.Called(parts[k]) })
		out.add("p", has, names...)
		what := "profile"
		if r.Classes {
			what = "class"
		}
		out.add(what, said)
	}
	if r.Leveled() {
		addLevels(out, x, round)
	}
}

// addLevels adds the level of each row, with its standard error.
func addLevels(out *answers, x *workbench.Explained, round bool) {
	level, spread := make([]float64, len(x.Rows)), make([]float64, len(x.Rows))
	for i := range x.Rows {
		if p := x.Rows[i].Person; p != nil { // not of the head
			level[i], spread[i] = p.Level, p.Error
		}
	}
	if round {
		roundAll(level, spread)
	}
	out.add("level", level)
	out.add("level_error", spread)
}

// addCompounds adds which compounds the rows have.
func addCompounds(out *answers, joins *workbench.Joins, x *workbench.Explained) {
	n := len(joins.All)
	has := make([]uint8, len(x.Rows)*n)
	for i := range x.Rows {
		for _, c := range joins.Of(x.Rows[i].Picks) {
			has[i*n+c.ID] = 1
		}
	}
	out.add("compounds", has, valuesBy(n, func(k int) string { return fmt.Sprintf("compound %d", k) })...)
}
