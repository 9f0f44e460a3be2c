package main

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/patchwork/workbench"
)

const scoreLong = `Explain images and report the log-likelihood per image and per known pixel under
the untruncated composition, the cross-entropy (minus the former), and the number of
picks per image; for parts that do not move also the description length. Log-likelihoods
are in nats; in JSON a log-likelihood is null if an image is impossible under the
model. The explanations are those of patchwork explain.

-o rows.csv also writes a table, a row per image: its labels, row (its number in the
input, from 1), weight if there are weights, log_lik under the untruncated
composition, how many picks, and how many known pixels. Of rows of a table it also has
surprise, the sum of what their known cells cost by what the model says of each, in
nats; rank, 1 for the oddest row; and blame, the cells that are odd, in words. The
report then lists the oddest rows. What a cell costs is by the parts of the row; a
model of numbers and words, and one of --aim predict, predicts it from the other
cells. Which cells are odd is always by what the other cells say.

--hide 0.2 --seed 1 also hides a fifth of the known bits of each image, predicts
them from the others, and reports the mean log-loss (nats per bit), the accuracy and
the AUC of three predictions: the average over the best explanations, the best one
alone, and, as a baseline that every model should beat, the column means.

A file of classes (patchwork learn --by) is scored by the label that it was learned by:
how many images are named rightly, and what is named what.`

const scoreExample = `  patchwork score -m model.npz t.npz --rows 11:
  patchwork score -m model.npz t.npz --where 'writer>10' --json
  patchwork score -m model.npz t.npz --where writer:1 --rows 11:
  patchwork score -m model.npz t.npz --rows 11: --hide 0.2 --seed 1
  patchwork score -m classes.npz letters.npz --where 'writer>5'`

// scoreFlags are the flags of score.
type scoreFlags struct {
	pursuitFlags
	hidden hiddenFlags
	json   jsonFlag
	output string
	format string // see outputFormats
}

func (a *app) scoreCommand() *cobra.Command {
	f := new(scoreFlags)
	cmd := &cobra.Command{
		Use:     "score -m MODEL DATA...",
		Short:   "Measure how well a model explains images",
		Long:    scoreLong,
		Example: scoreExample,
		Args:    oneOrMoreData,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.hidden.check(cmd); err != nil {
				return err
			}
			var err error
			if f.format, err = checkOutput("score", f.output); err != nil {
				return err
			}
			return a.score(cmd, f, args)
		},
	}
	f.add(cmd)
	f.hidden.add(cmd)
	f.json.add(cmd)
	cmd.Flags().StringVarP(&f.output, "output", "o", "",
		"also write the score of every row (.csv, .npz, .parquet, .jsonl)")
	everyday(cmd, "model output rows where hide seed json")
	return cmd
}

// score scores data, and prints the report.
func (a *app) score(cmd *cobra.Command, f *scoreFlags, paths []string) error {
	if f.output == "-" {
		return usagef("-o -: standard output has the report; name a file for the scores of the rows")
	}
	j, err := f.input.open(cmd, paths, true)
	if err != nil {
		return err
	}
	if f.hidden.fraction > 0 && j.stream != nil {
		return usagef("--hide compares all hidden bits with each other, so their images must be in memory; take fewer " +
			"with --rows, or allow more with --memory")
	}
	a.sayStreaming(&j.source, f.input.data.memory, "reading it block by block")
	r, err := a.scoreTo(cmd.Context(), j, f)
	if err != nil {
		return err
	}
	if f.json {
		return a.printObject(r, f.output)
	}
	return a.print(r.Lines())
}

// scoreTo scores a job, and unless no file is named writes a table, a row per image.
func (a *app) scoreTo(ctx context.Context, j *job, f *scoreFlags) (r *workbench.Scores, err error) {
	bar := a.progress("image", j.rows())
	defer bar.stop()
	how := workbench.Scoring{Hide: f.hidden.fraction, Seed: f.hidden.seed}
	how.Best, how.MaxPicks, how.Pursuit, how.Workers = int(f.hidden.best), f.input.maxPicks, f.pursuit, j.workers
	score := func(each func(*workbench.RowScores) error) error {
		how.Each = func(s *workbench.RowScores) error {
			bar.add(len(s.Rows))
			return each(s)
		}
		r, err = j.model.Score(ctx, j.frames(ctx), how)
		return request(err)
	}
	if f.output == "" {
		return r, score(func(*workbench.RowScores) error { return nil })
	}
	var odd []workbench.Oddity
	if j.head().Table {
		if odd, err = workbench.Oddities(ctx, j.model, j.frames(ctx), j.workers); err != nil {
			return nil, request(err)
		}
	}
	head := rowScores(&workbench.RowScores{Explained: &workbench.Explained{Frame: j.head()}}, j)
	addOdd(head, odd[:0])
	rows := 0
	err = a.outputAnswers(f.output, f.format, head, pushed(func(push func(*answers) error) error {
		return score(func(s *workbench.RowScores) error {
			if isRounded(f.format) {
				roundAll(s.LogLik)
			}
			out := rowScores(s, j)
			if odd != nil {
				addOdd(out, odd[rows:][:len(s.Rows)])
			}
			rows += len(s.Rows)
			return push(out)
		})
	}))
	if err != nil {
		return nil, err
	}
	r.SetOdd(odd)
	a.carried = true // what score reports is data, and stdout is for that alone
	return r, a.wrote(f.output, "scores of %s", describe(r.Images, j.head()))
}

// rowScores returns the table of the scores of rows: the labels, the row, its weight if there are weights, its
// log-likelihood, picks and known pixels.
func rowScores(s *workbench.RowScores, j *job) *answers {
	out := rowAnswers(s.Frame, j.weighted(), s.From, s.To())
	out.add("log_lik", s.LogLik)
	out.add("picks", s.Picks)
	out.add("pixels", s.Known)
	return out
}

// addOdd adds how odd rows are, and which of their cells are to blame.
func addOdd(t *answers, odd []workbench.Oddity) {
	if odd == nil {
		return
	}
	n := len(odd)
	t.add("surprise", valuesBy(n, func(i int) float64 { return rounded(odd[i].Surprise) }))
	t.add("rank", valuesBy(n, func(i int) int64 { return int64(odd[i].Rank) }))
	t.add("blame", valuesBy(n, func(i int) string { return odd[i].Blame() }))
}

// hiddenFlags are the flags of score that hide bits and predict them.
type hiddenFlags struct {
	fraction float64
	seed     uint64
	best     bestFlag
}

func (f *hiddenFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Float64Var(&f.fraction, "hide", 0,
		"also hide this fraction of the known bits of each image, predict them from the others, and score that")
	fs.Uint64Var(&f.seed, "seed", 0,
		"with --hide: seed of the hidden bits; those of a row depend on it and the row's index alone")
	f.best.add(cmd, 16, "with --hide: how many explanations to average")
}

func (f *hiddenFlags) check(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("hide") {
		if name := given(cmd, "seed", "best"); name != "" {
			return usagef("--%s belongs to --hide, the fraction of bits to predict", name)
		}
		return nil
	}
	if !(f.fraction > 0 && f.fraction < 1) {
		return usagef("--hide %v is not a fraction above 0 and below 1", f.fraction)
	}
	return f.best.check()
}
