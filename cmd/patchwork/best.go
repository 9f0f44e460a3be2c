package main

import (
	"context"

	"example.com/patchwork/posterior"

	"github.com/spf13/cobra"

	"example.com/patchwork"
)

// bestFlags say how to search for the n best explanations.
type bestFlags struct{ best, beam int }

func (f *bestFlags) add(cmd *cobra.Command, best int, usage string) {
	cmd.Flags().IntVar(&f.best, "best", best, usage)
	cmd.Flags().IntVar(&f.beam, "beam", 2, "how many explanations the search for the best extends at a time")
}

// check returns an error for numbers below 1; the library checks the upper limits.
func (f *bestFlags) check() error {
	switch {
	case f.best < 1:
		return usagef("--best %d: give at least 1", f.best)
	case f.beam < 1:
		return usagef("--beam %d: give at least 1", f.beam)
	}
	return nil
}

// options returns the flags as options for a task, or an error if its model cannot
// be searched so.
func (f *bestFlags) options(t *task) (posterior.Options, error) {
	opt := posterior.Options{Beam: f.beam, Keep: f.best, MaxPicks: t.maxPicks}
	err := opt.Validate()
	return opt, request(err)
}

// checkExplain rejects flags that the search for the best, which climbs the joint
// probability from no picks, would ignore.
func (f *bestFlags) checkExplain(cmd *cobra.Command, p *pursuitFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	changed := cmd.Flags().Changed
	if f.best == 1 {
		if changed("beam") {
			return usagef("--beam belongs to --best N, N at least 2")
		}
		return nil
	}
	switch {
	case p.start.value == "forced":
		return usagef("--best %d and --start forced exclude each other: the empty explanation is an alternative too", f.best)
	case p.score.value != "default" && p.score.value != "original":
		return usagef("--best %d and --score %s exclude each other: alternatives are weighed by the original likelihood", f.best, p.score.value)
	}
	for _, name := range []string{"alpha", "min-gain", "pursuit", "refine", "refine-threshold", "pose-prior"} {
		if changed(name) {
			return usagef("--best %d and --%s exclude each other: --%s belongs to the search for one explanation", f.best, name, name)
		}
	}
	return nil
}

type jsonAlternative struct {
	Picks       []jsonPick `json:"picks"`
	LogLikModel jsonFloat  `json:"log_lik_model"`
	LogJoint    jsonFloat  `json:"log_joint"`
	Weight      float64    `json:"weight"`
}

// jsonPosterior is a line of explain --best, a contract: the best alternative in
// the form of explain without --best, then all of them.
type jsonPosterior struct {
	jsonExplanation
	Evidence     jsonFloat         `json:"evidence"`
	Alternatives []jsonAlternative `json:"alternatives"`
}

func newPosterior(index int, p *posterior.Posterior) jsonPosterior {
	out := jsonPosterior{jsonExplanation: newExplanation(index, &p.Alternatives[0].Explanation), Evidence: jsonFloat(p.Evidence)}
	for _, a := range p.Alternatives {
		out.Alternatives = append(out.Alternatives,
			jsonAlternative{newPicks(a.Picks), jsonFloat(a.LogLikModel), jsonFloat(a.LogJoint), a.Weight})
	}
	return out
}

// explainBest returns the explainer that finds the best explanations of each image.
func explainBest(opt posterior.Options) explainer {
	return func(ctx context.Context, t *task, each func(int, *patchwork.Explanation, []byte)) error {
		return posterior.Explain(ctx, t.model, t.set.Images, opt, t.workers, func(i int, post *posterior.Posterior) {
			each(i, &post.Alternatives[0].Explanation, jsonLine(newPosterior(row(t.set, i), post)))
			t.bar.step("")
		})
	}
}
