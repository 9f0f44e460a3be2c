package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/posterior"
	"example.com/patchwork/render"
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

// plain reports whether no flag says how the pursuit searches, so that it may charge
// the prior of the model.
func (f *pursuitFlags) plain(cmd *cobra.Command) bool { return !cmd.Flags().Changed("pursuit") }

func (f *pursuitFlags) options() patchwork.PursuitOptions {
	return patchwork.PursuitOptions{Paper: f.pursuit == "paper", Refined: f.pursuit == "refined",
		MaxPicks: f.input.maxPicks}
}

// prepare reads everything and checks that it fits together, before anything
// is written.
func (f *pursuitFlags) prepare(cmd *cobra.Command, m *patchwork.Model, paths []string) (*task, error) {
	t, err := f.input.read(cmd, m, paths)
	if err != nil {
		return nil, err
	}
	if t.opt = f.options(); f.plain(cmd) {
		t.opt.Costs = posterior.PickCosts(t.model)
	}
	_, err = patchwork.NewPursuit(t.model, t.opt)
	return t, request(err)
}

const explainLong = `Explain images by the parts of a model: likelihood matching pursuit adds the part,
rotation and shift that raise the likelihood most, until none does. If parts move
(shifts, rotations, --scene) it then refines the result, under the original
likelihood: it replaces each pick by the best one given the others, drops those
that gain too little, and adds those that gain enough, until nothing changes.
--pursuit paper leaves that out and takes a half to a tenth of the time.

Rows are explained by a model of a table as learning did it: a part must raise the
log-likelihood by more than log((1-pi)/pi) nats, pi being the share of rows that have
it; so the explanation is the likeliest, not the one that fits best. A part that more
than half of the rows have is chosen where nothing known votes against it, with a
gain of 0: of a row without a known cell the picks say what is usual. --pursuit leaves
that out, and so do models of --method batch.

Scenes are explained by the parts as they look under the noise of each image, which
is learned from it: the share of the ink that is missing, and of the paper that is
inked. Parts learned from clean images otherwise find many things in the noise. Where
there is noise beyond what the parts say, the line tells: "missing":0.065,"clutter":0.09.

The output is JSON lines, one per image, in the order of the input, or a table:
see below. A line:

  {"index":0,"start_log_lik":-941.2,"log_lik":-310.9,"log_lik_model":-310.9,
   "picks":[{"expert":1,"dy":0,"dx":-3,"angle":12,"gain":608.4}, ...]}

index is the image's row in the input before --where and --rows, from
0 as in arrays; row in tables of answers, in messages and in --rows counts from 1;
expert is the number of a part, from 0; picks come in the order of the
pursuit. start_log_lik and log_lik are under the original likelihood if refined,
else under that of the model, log_lik_model under the untruncated composition; all
are in nats, to six decimals, and null if infinite. Angles are degrees clockwise,
shifts are pixels down and to the right; rows of tables, whose parts do not move,
have neither.

-o codes.csv, .parquet or .npz writes a table, a row per image and a column
per part: how many picks the part has (0 or 1, unless --reuse allows more), then a
column per part with their gain in nats. Before them come
the label columns, row (its number in the input, from 1) and weight, if there are
weights; last comes log_lik. In an .npz the parts are two arrays, codes (N,K) uint8
and gain (N,K) float64, and a third, parts (K), has their names.

--best N searches for the N best explanations by log P(image, picks); the prior of
a pick is lower the more rarely its part is active and the more poses it has. Each
line then is the best explanation and ends in

   "evidence":-322.5,"alternatives":[{"picks":[...],"log_lik_model":-310.9,
   "log_joint":-322.9,"weight":0.67}, ...]

at most N, best first; weight is the posterior probability among these. evidence,
the log of the sum of their joint probabilities, is a lower bound on the image's
log-likelihood.

A file of classes (patchwork learn --by) says which class each image or row is of. A
table then has index, class, probability, the probability of each class in the columns
p:CLASS (in an .npz one array, p), and the name of a picture. A line also says why:

  {"index":4,"class":"T","probability":0.93,"second":"L","log_odds":2.71,
   "left":3,"missing":1,"example":7,"picks":[{"expert":0,"dy":1,...}, ...],
   "probabilities":{"H":0.005,"L":0.062,"T":0.93}}

second and log_odds: what came second, and by how many nats. picks are the parts by which
the class explains the image best: pieces of the example of that number in the data that
the class was learned from, from 0; or of the model learned of the class, without an
example. left counts the pixels of ink that they leave over, missing those that they say
are ink and are not. For rows, columns are those that count most, each alone, for the
class rather than the second, or (below 0) against it, in nats.`

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
			return with(cmd, f.input.model, byKind{
				bits:    func(m *patchwork.Model) error { return a.explainData(cmd, &f, m, args) },
				numbers: func(m *real.Model) error { return a.explainReal(cmd, &f, m, args) },
				classes: func(c *classes.Classifier) error { return a.explainClasses(cmd, &f, c, args) }})
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

// explainData explains bits, and draws the first of them if a picture is asked for.
func (a *app) explainData(cmd *cobra.Command, f *explainFlags, m *patchwork.Model, paths []string) error {
	t, err := f.prepare(cmd, m, paths)
	if err != nil {
		return err
	}
	a.sayStreaming(&t.source, f.input.data.memory, "explaining it block by block")
	g := &gallery{model: t.model}
	if f.picture != "" {
		g.cases = make([]render.Case, pictured)
	}
	if err := a.explain(cmd.Context(), t, f, g); err != nil || f.picture == "" {
		return err
	}
	if err := a.savePicture(f.picture, g.picture()); err != nil || len(g.cases) == g.images {
		return err
	}
	return a.wrote(f.picture, "the first %d of %s; --rows draws others", len(g.cases),
		words.Count(g.images, words.NounsOf(t.head().Table).Image))
}

// explain writes the explanations of a task, in the order of the input.
func (a *app) explain(ctx context.Context, t *task, out *explainFlags, g *gallery) error {
	write, err := a.explainer(t, out, g)
	if err != nil {
		return err
	}
	n, err := a.writeExplanations(ctx, t, out.path, write)
	g.cases, g.images = g.cases[:min(len(g.cases), n)], n
	return err
}

// writeExplanations writes the explanations of a task by a function that returns the number of images.
func (a *app) writeExplanations(ctx context.Context, t *task, path string,
	write func(context.Context, io.Writer) (int, error)) (n int, err error) {
	err = a.output(path, func(w io.Writer) (err error) {
		n, err = write(ctx, w)
		return err
	})
	if err != nil {
		return n, err
	}
	return n, a.wrote(path, "explanations of %s", describe(n, t.head()))
}

// explainer returns the function that explains a task in the form asked for. It
// returns the number of images.
func (a *app) explainer(t *task, out *explainFlags, g *gallery) (func(context.Context, io.Writer) (int, error), error) {
	if out.best > 1 {
		opt, err := out.best.options(t)
		return func(ctx context.Context, w io.Writer) (int, error) { return a.explainBest(ctx, w, t, g, opt) }, err
	}
	o, err := newInOrder(t)
	if format, ok := isTable(out.format); ok {
		table := newCodeTable(format, partNames(t.model.Extras().Names, t.model.K()), t.weighted())
		table.namesArray = "parts"
		return func(ctx context.Context, w io.Writer) (int, error) { return a.explainTable(ctx, w, t, o, g, table) }, err
	}
	return func(ctx context.Context, w io.Writer) (int, error) { return a.explainLines(ctx, w, t, o, g) }, err
}

// explainLines writes one JSON line per image.
func (a *app) explainLines(ctx context.Context, w io.Writer, t *task, o *inOrder, g *gallery) (int, error) {
	form := bitLines(t.model, t.head())
	return a.eachChunk(ctx, t, o, g, form.chunk, func(c *chunk) error {
		_, err := w.Write(c.text)
		return err
	})
}

// explainedAtOnce is how many images a worker explains before their lines are written.
const explainedAtOnce = 64

// explainBest writes one JSON line per image, with its best explanations.
func (a *app) explainBest(ctx context.Context, w io.Writer, t *task, g *gallery, opt posterior.Options) (int, error) {
	form, block := bitLines(t.model, t.head()), explainedAtOnce*max(t.workers, 1)
	return a.inParts(ctx, t, func(part *task) error {
		for from := 0; from < part.set.Len(); from += block {
			images := part.set.Images[from:min(from+block, part.set.Len())]
			lines := make([][]byte, len(images))
			err := posterior.Explain(ctx, part.model, images, opt, part.workers, func(i int, post *posterior.Posterior) {
				best := &post.Alternatives[0].Explanation
				lines[i] = form.line(nil, part.set, from+i, best, post)
				g.put(part.first+from+i, part.set, from+i, best)
				part.bar.step("")
			})
			if err != nil {
				return cmp.Or(context.Cause(ctx), err)
			}
			for _, line := range lines {
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// gallery collects the first explanations for a picture.
type gallery struct {
	model  *patchwork.Model
	cases  []render.Case
	images int // that were explained

	mu   sync.Mutex
	set  *dataset.Set // the last one, and what its images are called
	name func(i int) string
}

// put keeps the explanation of image j of a set, number i of the task, if the picture
// shows it. Workers call it with different i.
func (g *gallery) put(i int, set *dataset.Set, j int, e *patchwork.Explanation) {
	if i < len(g.cases) {
		g.cases[i] = render.Case{Name: words.Clean(g.called(set)(j)), Image: set.Images[j], Explanation: *e}
	}
}

// called returns the function that says what an image of a set is called.
func (g *gallery) called(set *dataset.Set) func(i int) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.set != set {
		g.set, g.name = set, set.Called()
	}
	return g.name
}

// putAll keeps the explanations of a chunk that the picture shows. first is the number
// of the first image of its set.
func (g *gallery) putAll(first int, c *chunk) {
	for i := c.from; i < c.to && first+i < len(g.cases); i++ {
		e := c.at(i)
		e.Picks = slices.Clone(e.Picks) // the memory of a chunk is used again
		g.put(first+i, c.set, i, &e)
	}
}

// picture returns the picture: the pursuit step by step for one image, else a sheet. Rows of a table stand under
// the names of its columns, as far as these have room.
func (g *gallery) picture() render.Picture {
	if ofTable(g.model) && g.model.Width() <= render.MostNamed {
		return render.ExplainedRows(g.model, tableColumns(g.model), g.cases)
	}
	if len(g.cases) == 1 {
		return render.Steps(g.model, g.cases[0].Image, g.cases[0].Explanation)
	}
	return render.Explanations(g.model, g.cases)
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

// beam is how many explanations the search for the best extends at a time.
const beam = 2

// options returns the options of the search for a task, or an error if its model cannot
// be searched so.
func (f bestFlag) options(t *task) (posterior.Options, error) {
	opt := posterior.Options{Beam: beam, Keep: int(f), MaxPicks: t.maxPicks}
	err := opt.Validate()
	return opt, request(err)
}
