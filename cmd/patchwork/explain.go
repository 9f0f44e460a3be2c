package main

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/posterior"
	"example.com/patchwork/render"
)

// pursuitFlags are the flags of commands that explain images by a pursuit: which
// images, by which model, and how the pursuit searches.
type pursuitFlags struct {
	input inputFlags

	pursuit, start, score           choice
	calibrate                       choice
	alpha, minGain, refineThreshold float64
	refine, posePrior               bool
}

func (f *pursuitFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.pursuit.add(cmd, "pursuit", "auto", "search greedily (paper), or afterwards also replace, drop and add picks (refined); auto: refined if parts move and --score is auto", "auto", "refined", "paper")
	f.start.add(cmd, "start", "empty", "whether the first part must improve the likelihood (empty) or is always taken (forced)", "forced", "empty")
	f.score.add(cmd, "score", "default", "likelihood to maximise (default: the model's)", "default", "truncated", "original", "mixed")
	fs.Float64Var(&f.alpha, "alpha", 0.9, "weight of the template in --score mixed")
	fs.Float64Var(&f.minGain, "min-gain", 0, "least gain of a pick, in nats")
	fs.BoolVar(&f.refine, "refine", false, "the same as --pursuit refined; --refine=false is the same as --pursuit paper")
	fs.Float64Var(&f.refineThreshold, "refine-threshold", 0, "least gain of a pick in the sweeps of --pursuit refined, in nats; below 0: none (default log of the number of candidates)")
	f.calibrate.add(cmd, "calibrate", "auto", "learn the noise of each image, and explain it by the parts as they look under it; auto: scenes, if no other flag of the search is given", "auto", "always", "never")
	fs.BoolVar(&f.posePrior, "pose-prior", false, "weigh poses by the model's geometry, given the picks so far")
	f.input.add(cmd)
}

func (f *pursuitFlags) check(cmd *cobra.Command) error {
	if !(f.alpha > 0 && f.alpha <= 1) {
		return usagef("--alpha %v is not above 0 and at most 1", f.alpha)
	}
	changed := cmd.Flags().Changed
	if changed("refine") {
		if changed("pursuit") {
			return usagef("--refine and --pursuit say the same; give one of them")
		}
		if f.pursuit.value = "paper"; f.refine {
			f.pursuit.value = "refined"
		}
	}
	if changed("refine-threshold") && f.pursuit.value == "paper" {
		return usagef("--refine-threshold belongs to --pursuit refined; the paper's pursuit has --min-gain")
	}
	return nil
}

// oneSearch lists the flags of the search for one explanation, without those that
// choose where it starts and what it maximises.
var oneSearch = []string{"calibrate", "alpha", "min-gain", "pursuit", "refine", "refine-threshold", "pose-prior"}

// plain reports whether no flag says how the pursuit searches, so that it may charge
// the prior of the model.
func (f *pursuitFlags) plain(cmd *cobra.Command) bool {
	return given(cmd, "start", "score") == "" && given(cmd, oneSearch...) == ""
}

func (f *pursuitFlags) options() patchwork.PursuitOptions {
	scoring, _ := enum.Of[patchwork.Scoring]("a scoring", f.score.value) // the flags allow only their names
	return patchwork.PursuitOptions{Paper: f.pursuit.value == "paper", Refined: f.pursuit.value == "refined", Scoring: scoring, Alpha: f.alpha, Forced: f.start.value == "forced",
		MinGain: f.minGain, MaxPicks: f.input.maxPicks, RefineThreshold: f.refineThreshold, PosePrior: f.posePrior,
		Calibrated: f.calibrate.value == "always", AsLearned: f.calibrate.value == "never"}
}

// prepare reads everything and checks that it fits together, before anything
// is written.
func (f *pursuitFlags) prepare(cmd *cobra.Command, paths []string) (*task, error) {
	if err := f.check(cmd); err != nil {
		return nil, err
	}
	t, err := f.input.read(cmd, paths)
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
--pursuit paper leaves that out and takes a half to a tenth of the time; a --score
other than auto leaves it out too, unless --pursuit refined is given.

Rows are explained by a model of a table as learning did it: a part must raise the
log-likelihood by more than log((1-pi)/pi) nats, pi being the share of rows that have
it; so the explanation is the likeliest, not the one that fits best. A part that more
than half of the rows have is chosen where nothing known votes against it, with a
gain of 0: of a row without a known cell the picks say what is usual. Any flag of the
search, such as --pursuit paper, leaves that out, and so do models of --method batch.

Scenes are explained by the parts as they look under the noise of each image, which
is learned from it: the share of the ink that is missing, and of the paper that is
inked. Parts learned from clean images otherwise find many things in the noise.
--calibrate never leaves that out, always does it for shifted parts too. Where there
is noise beyond what the parts say, the line tells: "missing":0.065,"clutter":0.09.

The output is JSON lines, one per image, in the order of the input, or a table:
see below. A line:

  {"index":0,"start_log_lik":-941.2,"log_lik":-310.9,"log_lik_model":-310.9,
   "picks":[{"expert":1,"dy":0,"dx":-3,"angle":12,"gain":608.4}, ...]}

index is the image's row in the input before --where, --first-per and --rows, from
0 as in arrays; row in tables of answers, in messages and in --rows counts from 1;
expert is the number of a part, from 0; picks come in the order of the
pursuit. start_log_lik and log_lik are under the original likelihood if refined,
else under that of --score, log_lik_model under the untruncated composition; all
are in nats, to six decimals, and null if infinite. Angles are degrees clockwise,
shifts are pixels down and to the right; rows of tables, whose parts do not move,
have neither.

-o codes.csv, .parquet or .npz writes a table, a row per image and a column
per part: how many picks the part has (0 or 1, unless --reuse allows more), then a
column per part with their gain in nats (not with --gains=false). Before them come
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
log-likelihood.`

const explainExample = `  patchwork explain -m model.npz t.npz --rows 11:
  patchwork explain -m model.npz t.npz --rows :8 -o picks.jsonl --picture explained.png
  patchwork explain -m model.npz t.npz --rows :2 --best 3
  patchwork explain -m model.npz t.npz -o codes.csv
  patchwork synth scenes --n 5 --exemplars 1 -o scenes.npz --model digits.npz
  patchwork explain -m digits.npz scenes.npz --picture scenes.png`

func (a *app) explainCommand() *cobra.Command {
	var (
		f       pursuitFlags
		out     explainOutput
		picture picturePath
		shown   int
	)
	cmd := &cobra.Command{
		Use:     "explain -m MODEL DATA... [-o OUT]",
		Short:   "Explain images by the parts of a model",
		Long:    explainLong,
		Example: explainExample,
		Args:    oneOrMoreData,
		RunE: func(cmd *cobra.Command, args []string) error {
			if isReal(f.input.model) {
				return a.explainReal(cmd, &f.input, &out, picture, shown, args)
			}
			if err := checkOutputs(string(picture)); err != nil {
				return err
			}
			if shown < 1 {
				return usagef("--picture-images %d: give at least 1", shown)
			}
			if err := out.check(cmd, &f); err != nil {
				return err
			}
			t, err := f.prepare(cmd, args)
			if err != nil {
				return err
			}
			if t.stream != nil {
				a.sayStreaming(&t.source, f.input.data.memory, "explaining it block by block")
			}
			g := &gallery{model: t.model}
			if picture != "" {
				g.cases = make([]render.Case, shown)
			}
			if err := a.explain(cmd.Context(), t, &out, g); err != nil || picture == "" {
				return err
			}
			if err := a.savePicture(string(picture), g.picture()); err != nil || len(g.cases) == g.images {
				return err
			}
			return a.wrote(string(picture), "the first %d of %s; --picture-images %d shows all", len(g.cases),
				words.Count(g.images, words.NounsOf(t.head().Table).Image), g.images)
		},
	}
	f.add(cmd)
	out.add(cmd)
	picture.add(cmd, "picture", "write a picture of the explanations (.png, .svg), or for one image, of every step")
	cmd.Flags().IntVar(&shown, "picture-images", 24, "how many images the picture shows")
	a.formulasFlag(cmd, false)
	return cmd
}

// explainOutput says in which form explanations are written.
type explainOutput struct {
	best   bestFlags
	path   string
	gains  bool
	format string // see outputFormats
}

func (f *explainOutput) add(cmd *cobra.Command) {
	f.best.add(cmd, 1, "find the N best explanations of each image (1: the pursuit's)")
	cmd.Flags().StringVarP(&f.path, "output", "o", "-", "file to write: .jsonl, or a table (.csv, .npz, .parquet); - for JSON lines on standard output")
	cmd.Flags().BoolVar(&f.gains, "gains", true, "write the gain of every part into tables")
}

func (f *explainOutput) check(cmd *cobra.Command, p *pursuitFlags) (err error) {
	if f.format, err = checkOutput("explain", f.path); err != nil {
		return err
	}
	if err := f.best.checkExplain(cmd, p); err != nil {
		return err
	}
	_, table := isTable(f.format)
	switch {
	case table && f.best.best > 1:
		return usagef("-o %s: a table has one explanation per row; leave --best out, or write a .jsonl file", f.path)
	case !table && cmd.Flags().Changed("gains"):
		return usagef("--gains belongs to tables; -o names none (.csv, .npz or .parquet)")
	}
	return nil
}

// explain writes the explanations of a task, in the order of the input.
func (a *app) explain(ctx context.Context, t *task, out *explainOutput, g *gallery) error {
	write, err := a.explainer(t, out, g)
	if err != nil {
		return err
	}
	n := 0
	err = a.output(out.path, func(w io.Writer) (err error) {
		n, err = write(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	g.cases, g.images = g.cases[:min(len(g.cases), n)], n
	return a.wrote(out.path, "explanations of %s", describe(n, t.head()))
}

// explainer returns the function that explains a task in the form asked for. It
// returns the number of images.
func (a *app) explainer(t *task, out *explainOutput, g *gallery) (func(context.Context, io.Writer) (int, error), error) {
	if out.best.best > 1 {
		opt, err := out.best.options(t)
		return func(ctx context.Context, w io.Writer) (int, error) { return a.explainBest(ctx, w, t, g, opt) }, err
	}
	o, err := newInOrder(t)
	if format, ok := isTable(out.format); ok {
		table := newCodeTable(format, t.model, &t.source, out.gains)
		return func(ctx context.Context, w io.Writer) (int, error) { return a.explainTable(ctx, w, t, o, g, table) }, err
	}
	return func(ctx context.Context, w io.Writer) (int, error) { return a.explainLines(ctx, w, t, o, g) }, err
}

// explainLines writes one JSON line per image.
func (a *app) explainLines(ctx context.Context, w io.Writer, t *task, o *inOrder, g *gallery) (int, error) {
	form := newLines(t.model, t.head())
	return a.eachChunk(ctx, t, o, g, form.chunk, func(c *chunk) error {
		_, err := w.Write(c.text)
		return err
	})
}

// explainBest writes one JSON line per image, with its best explanations.
func (a *app) explainBest(ctx context.Context, w io.Writer, t *task, g *gallery, opt posterior.Options) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	form := newLines(t.model, t.head())
	n, err := a.inParts(ctx, t, func(part *task) error {
		lines := &ordered{w: w, waiting: make(map[int][]byte), failed: cancel}
		return posterior.Explain(ctx, part.model, part.set.Images, opt, part.workers, func(i int, post *posterior.Posterior) {
			best := &post.Alternatives[0].Explanation
			lines.put(i, form.line(nil, part.set, i, best, post))
			g.put(part.first+i, part.set, i, best)
			part.bar.step("")
		})
	})
	if cause := context.Cause(ctx); cause != nil {
		return n, cause // the search was cancelled because the writer failed
	}
	return n, err
}

// jsonFloat is a number that is null in JSON if it is infinite.
type jsonFloat float64

func (f jsonFloat) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(f), 0) || math.IsNaN(float64(f)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
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
