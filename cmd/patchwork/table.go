package main

import (
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/table"
)

// tableLines returns lines about how a table was learned.
func tableLines(m *patchwork.Model, image string) []string {
	r := m.Extras().Record
	lines := []string{fmt.Sprintf(
		"log-likelihood %.3f per %s by all explanations, with what their parts cost; description length %.1f (nats)",
		r.LogLik/float64(r.Rows), image, r.DescriptionLength)}
	lines = append(lines, ruleLines(m)...)
	for _, p := range r.Curve {
		if p.Stage == table.StageCommittee {
			lines = append(lines,
				fmt.Sprintf("and with %.4f by the average with %d more of the models tried, which the file holds to predict with",
					p.HiddenLoss, len(m.Extras().Committee)))
		}
		if p.Chosen && p.HiddenBits > 0 {
			lines = append(lines,
				fmt.Sprintf("each of %d hidden bits of held-out %ss is predicted with %.4f nats (guessing: %.4f)", p.HiddenBits,
					image, p.HiddenLoss, math.Ln2))
		}
	}
	return lines
}

// ruleLines returns lines about the rules that were compared, if there were any.
func ruleLines(m *patchwork.Model) []string {
	r := m.Extras().Record
	var lines []string
	by := "description length"
	for _, p := range r.Curve {
		var rule patchwork.Rule
		if rule.UnmarshalText([]byte(p.Stage)) != nil {
			continue
		}
		line := fmt.Sprintf("  %-16s %s, description length %.1f", p.Stage, words.Count(p.Experts, "part"),
			p.DescriptionLength)
		if p.HiddenBits > 0 {
			by = "hidden bits"
			line += fmt.Sprintf(", %.4f nats per hidden bit", p.HiddenLoss)
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return nil
	}
	return append([]string{fmt.Sprintf("rule %v chosen by %s:", m.Config().Rule, by)}, lines...)
}
