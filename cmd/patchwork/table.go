package main

import (
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
)

// tableLines returns lines about how a table was learned.
func tableLines(m *patchwork.Model, image string) []string {
	r := m.Extras().Record
	lines := []string{fmt.Sprintf(
		"log-likelihood %.3f per %s by all explanations, with what their parts cost; description length %.1f (nats)",
		r.LogLik/float64(r.Rows), image, r.DescriptionLength)}
	lines = append(lines, ruleLines(m)...)
	for _, p := range r.Curve {
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
	for _, p := range r.Curve {
		var rule patchwork.Rule
		if rule.UnmarshalText([]byte(p.Stage)) != nil {
			continue
		}
		line := fmt.Sprintf("  %-16s %s, description length %.1f", p.Stage, words.Count(p.Experts, "part"),
			p.DescriptionLength)
		lines = append(lines, line)
	}
	if lines == nil {
		return nil
	}
	return append([]string{fmt.Sprintf("rule %v chosen by description length:", m.Config().Rule)}, lines...)
}
