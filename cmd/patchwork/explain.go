package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/workbench"
)

// pursuitFlags are the flags of commands that explain images by a pursuit: which
// images, by which model, and how the pursuit searches.
type pursuitFlags struct {
	input   inputFlags
	pursuit string // "" for auto
}

func (f *pursuitFlags) add(cmd *cobra.Command) {
	choiceFlag(cmd, &f.pursuit, "pursuit", "auto",
		"search greedily (paper), or afterwards also replace, drop and add picks (refined); "+
			"auto: refined if parts move", "auto", "refined", "paper")
	f.input.add(cmd)
}

const explainLong = `Explain images by the parts of a model: likelihood matching pursuit adds the part,
rotation and shift that raise the likelihood most, until none does. If parts move
(shifts, rotations, --scene) it then replaces, drops and adds picks until nothing
changes. --pursuit paper leaves that out and takes a half to a tenth of the time.

Rows are explained by a model of a table as learning did it: a part must raise the
log-likelihood by more than log((1-pi)/pi) nats, pi being the share of rows that have
it. A part that more than half of the rows have is chosen where nothing known votes
against it, with a gain of 0. --pursuit leaves that out, and so do models of --method
batch.

Scenes are explained by the parts as they look under the noise of each image, which
is learned from it: the share of the ink that is missing, and of the paper that is
inked. Where there is any, the line tells: "missing":0.065,"clutter":0.09.

The output is JSON lines, one per image, in the order of the input, or a table:

  {"index":0,"start_log_lik":-941.2,"log_lik":-310.9,"log_lik_model":-310.9,
   "picks":[{"part":1,"expert":1,"dy":0,"dx":-3,"angle":12,"gain":608.4}, ...]}

index is the image's row in the input before --where and --rows, and part the number
of a part, both from 0 (row in tables of answers, messages and --rows counts from 1); expert
is the same number, for programs written before it was called part.
Picks come in the order of the pursuit. start_log_lik and log_lik are under the original
likelihood if refined, else under that of the model, log_lik_model under the untruncated
composition, all in nats, null if infinite. Angles are degrees clockwise, shifts pixels
down and to the right; rows of tables have neither. Numbers also have log_joint, the
log-likelihood with the prior of the picks.

Where parts of a table make compounds (patchwork show lists them) a line has those that are
more probable than not, with the odds for each, its parts that the row has, and those missing:
"compounds":[{"id":0,"odds":9,"parts":[0,1],"missing":[2]}]

-o codes.csv, .parquet or .npz writes a table: the label columns, row (from 1), weight if
there are weights, a column per part with the number of its picks, one with their gain
in nats, one per compound, and log_lik. In an .npz the parts are two arrays, codes (N,K) uint8 and gain
(N,K) float64; a third, parts (K), has their names.

--best N searches for the N best explanations by log P(image, picks); a line is the best
of them and ends in

   "evidence":-322.5,"alternatives":[{"picks":[...],"log_lik_model":-310.9,
   "log_joint":-322.9,"weight":0.67}, ...]

best first; weight is the posterior probability among these, evidence the log of the sum
of their joint probabilities: a lower bound on the image's log-likelihood.

A file of classes (patchwork learn --by) says which class each image or row is of: a
table has index, class, probability, that of each class in the columns p:CLASS (in an
.npz one array, p), and the name of a picture. A line also says why:

  {"index":4,"class":"T","probability":0.93,"second":"L","log_odds":2.71,
   "left":3,"missing":1,"example":7,"picks":[{"part":0,"dy":1,...}, ...],
   "probabilities":{"H":0.005,"L":0.062,"T":0.93}}

log_odds are in nats. picks are the parts by which the class explains the image best:
pieces of the example of that number in the data, from 0, or of the model learned of the
class. left counts the pixels of ink that they leave over, missing those that they say
are ink and are not. For rows, columns are those that count most for the class rather
than the second, or (below 0) against it, each alone, in nats.`

const explainExample = `  patchwork explain -m model.npz t.npz --rows 11:
  patchwork explain -m model.npz t.npz --rows :8 -o picks.jsonl --picture explained.png
  patchwork explain -m model.npz t.npz --rows :2 --best 3
  patchwork explain -m model.npz t.npz -o codes.csv
  patchwork synth scenes --n 5 --exemplars 1 -o scenes.npz --model digits.npz
  patchwork explain -m digits.npz scenes.npz --picture scenes.png
  patchwork explain -m classes.npz letters.npz --where 'writer>5' -o named.csv`

func (a *app) explainCommand() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:     "explain -m MODEL DATA... [-o OUT]",
		Short:   "Explain images by the parts of a model",
		Long:    explainLong,
		Example: explainExample,
		Args:    oneOrMoreData,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.explain(cmd, &f, args)
		},
	}
	f.add(cmd)
	return cmd
}

// explainFlags are the flags of explain: also in which form explanations are written.
type explainFlags struct {
	pursuitFlags
	best    bestFlag
	path    string
	picture string
	format  string // see outputFormats
}

func (f *explainFlags) add(cmd *cobra.Command) {
	f.pursuitFlags.add(cmd)
	f.best.add(cmd, 1, "find the N best explanations of each image (1: the pursuit's)")
	cmd.Flags().StringVarP(&f.path, "output", "o", "-", "file to write: .jsonl, or a table (.csv, .npz, .parquet); "+
		"- for JSON lines on standard output")
	pictureFlag(cmd, &f.picture, "picture",
		"write a picture of the first explanations (.png, .svg), or for one image, of every step")
	everyday(cmd, "model output rows where best picture scene")
}

func (f *explainFlags) check(cmd *cobra.Command) (err error) {
	if f.format, err = checkOutput("explain", f.path); err != nil {
		return err
	}
	if err := f.best.check(); err != nil {
		return err
	}
	switch _, table := isTable(f.format); {
	case f.best > 1 && cmd.Flags().Changed("pursuit"):
		return usagef("--best %d and --pursuit exclude each other: --pursuit belongs to the search for one explanation",
			f.best)
	case f.best > 1 && table:
		return usagef("-o %s: a table has one explanation per row; leave --best out, or write a .jsonl file", f.path)
	}
	return nil
}

// pictured is how many images a picture of explanations shows.
const pictured = 24

// explain writes the explanations of data, in their order, and draws the first of them if a picture is asked for.
func (a *app) explain(cmd *cobra.Command, f *explainFlags, paths []string) error {
	j, err := f.input.open(cmd, paths, true)
	if err != nil {
		return err
	}
	a.sayStreaming(&j.source, f.input.data.memory, "explaining it block by block")
	if f.picture == "" {
		_, err := a.explainJob(cmd.Context(), j, f, nil)
		return err
	}
	cases := make([]workbench.Case, 0, pictured)
	n, err := a.explainJob(cmd.Context(), j, f, &cases)
	if err != nil {
		return err
	}
	picture, err := j.model.DrawRows(cases)
	if err != nil {
		return request(err)
	}
	if err := a.savePicture(cmd.Context(), f.picture, picture); err != nil || len(cases) == n {
		return err
	}
	return a.wrote(f.picture, "the first %d of %s; --rows draws others", len(cases),
		words.Count(n, words.NounsOf(j.head().Table).Image))
}

// explainJob writes the explanations of a job, and keeps the first as cases unless that is nil. It returns their
// number.
func (a *app) explainJob(ctx context.Context, j *job, f *explainFlags, cases *[]workbench.Case) (n int, err error) {
	_, table := isTable(f.format)
	how := workbench.Explaining{Best: int(f.best), MaxPicks: f.input.maxPicks, Pursuit: f.pursuit, Why: !table}
	each := func(do func(*workbench.Explained) error) (err error) {
		n, err = a.eachExplained(ctx, j, how, func(x *workbench.Explained) error {
			if cases != nil {
				*cases = x.Cases(*cases, pictured)
			}
			return do(x)
		})
		return err
	}
	if table {
		of := codesOf(j, isRounded(f.format))
		how.Then = func(x *workbench.Explained) { x.Out = of(x) }
		head := of(&workbench.Explained{Frame: j.head()})
		err = a.outputAnswers(f.path, f.format, head, pushed(func(push func(*answers) error) error {
			return each(func(x *workbench.Explained) error { return push(x.Out.(*answers)) })
		}))
	} else {
		how.Then = newLines(j.model, j.head()).prepare
		err = a.output(f.path, func(w io.Writer) error {
			return each(func(x *workbench.Explained) error {
				_, err := w.Write(x.Out.([]byte))
				return err
			})
		})
	}
	if err != nil {
		return n, err
	}
	return n, a.wrote(f.path, "explanations of %s", describe(n, j.head()))
}

// bestFlag says how many of the best explanations to search for.
type bestFlag int

func (f *bestFlag) add(cmd *cobra.Command, best int, usage string) {
	cmd.Flags().IntVar((*int)(f), "best", best, usage)
}

// check returns an error for numbers below 1; the library checks the upper limits.
func (f bestFlag) check() error {
	if f < 1 {
		return usagef("--best %d: give at least 1", f)
	}
	return nil
}
