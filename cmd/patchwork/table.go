package main

import (
	"context"
	"fmt"
	"math"

	"example.com/patchwork/table"

	"github.com/spf13/cobra"

	"example.com/patchwork"
)

// soft reports whether a table is learned by soft EM.
func (f *learnFlags) soft() bool { return f.method.value == "soft" }

// notSoft are the flags that soft learning has no use for.
var notSoft = []string{"shift", "shift-step", "rotate", "mode", "starts", "init", "until-ink", "q", "prior", "outside",
	"refine", "truncate", "reuse", "progress-picture", "sample", "scene"}

// checkTable refuses flags that do not go with soft learning, or only with it.
func (f *learnFlags) checkTable(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	grown := f.begin.value == "grow" || f.begin.value == "mixture"
	switch {
	case !f.soft() && changed("aim"):
		return usagef("--aim is for --method soft")
	case !f.soft() && grown:
		return usagef("--begin %s is for --method soft; give orders, splits or both", f.begin.value)
	case !f.soft():
		return nil
	case changed("begin") && !grown && f.begin.value != "both":
		return usagef("--begin %s does not go with --method soft; give grow, mixture or both", f.begin.value)
	case f.experts.open() && !f.experts.auto:
		return usagef("--method soft learns --experts K, or auto to find out how many; not %v", &f.experts)
	}
	for _, name := range notSoft {
		if changed(name) {
			return usagef("--%s does not go with --method soft, which learns still experts and their background", name)
		}
	}
	return nil
}

// learnTable learns by soft EM, with progress.
func (a *app) learnTable(ctx context.Context, f *learnFlags, l *learning) error {
	opt := table.Options{Experts: f.experts.to, MaxExperts: maxGrown, Iterations: f.iterations, Seed: f.seed, Workers: f.workers}
	opt.Aim, _ = table.ParseAim(f.aim.value) // the flags allow only their names
	opt.StartFrom, _ = table.ParseStartFrom(f.begin.value)
	p := a.progress("iteration", 0)
	defer p.stop()
	for s, err := range table.Run(ctx, l.data, l.cfg, opt) {
		if err != nil {
			return request(err)
		}
		l.model = s.Best
		p.step(tableNote(s))
	}
	return nil
}

// tableNote describes the latest candidate.
func tableNote(s table.Step) string {
	switch {
	case !s.Candidate:
		return ""
	case s.HiddenBits > 0:
		return fmt.Sprintf("%s (%s), %.4f nats per hidden bit", count(s.Experts, "expert"), s.Stage, s.HiddenLoss)
	}
	return fmt.Sprintf("%s (%s), %.3f nats per row", count(s.Experts, "expert"), s.Stage, s.DescriptionLength/float64(s.Rows))
}

// tableLines say how a table was learned.
func tableLines(m *patchwork.Model) []string {
	r := m.Extras().Record
	lines := []string{fmt.Sprintf("start %s chosen: log P(row) %.3f nats on average, description length %.1f nats",
		r.Starts[0].Method, r.LogLik/float64(r.Rows), r.DescriptionLength)}
	for _, p := range r.Curve {
		if p.Chosen && p.HiddenBits > 0 {
			lines = append(lines, fmt.Sprintf("%d hidden bits of rows held out predicted at %.4f nats each (guessing: %.4f)", p.HiddenBits, p.HiddenLoss, math.Ln2))
		}
	}
	return lines
}
