package main

import (
	"context"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/table"
)

// learnTable learns by soft EM and shows progress.
func (a *app) learnTable(ctx context.Context, l *learning) error {
	if l.journal != nil {
		l.data.Memory = memory{l.journal}
	}
	p := a.progress("iteration", 0)
	defer p.stop()
	for s, err := range table.Run(ctx, l.data, l.Config, *l.Table) {
		if err != nil && l.model != nil && interrupted(ctx) {
			l.interrupted = true
			return nil
		}
		if err == nil {
			err = l.begun()
		}
		if err != nil {
			return request(err)
		}
		l.model = s.Best
		p.step(tableNote(s))
	}
	return nil
}

// tableNote describes the latest candidate, and the best so far.
func tableNote(s table.Step) string {
	best := ""
	if s.Candidate && s.Best != nil {
		best = "; best so far " + words.Count(s.Best.K(), "part")
	}
	switch {
	case !s.Candidate:
		return ""
	case s.HiddenBits > 0:
		return fmt.Sprintf("%s (%s), %.4f nats per hidden bit%s", words.Count(s.Experts, "part"), s.Stage, s.HiddenLoss, best)
	}
	return fmt.Sprintf("%s (%s), %.3f nats per row%s", words.Count(s.Experts, "part"), s.Stage,
		s.DescriptionLength/float64(s.Rows), best)
}

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
