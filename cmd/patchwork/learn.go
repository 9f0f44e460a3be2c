package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/patchwork/learn"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/journal"
	"example.com/patchwork/render"
)

// learnFlags are the flags of learn.
type learnFlags struct {
	data       dataFlags
	poses      poseFlags
	checkpoint checkpoint
	engine     engineFlags

	output                                      string
	rule, mode, method, begin, reading, outside choice
	aim                                         choice
	prior                                       priorFlag
	experts                                     expertCount
	starts, iterations, reuse                   int
	workers, sample                             int
	seed                                        uint64
	q, untilInk                                 float64
	refine, truncate                            bool
	picture, progressPicture, curve             picturePath
}

const learnLong = `Learn K experts from images of one size, or from the rows of a table.

Learning is begun anew from several starts (other orders of the images, pieces
of other images, or other random templates), and the start with the best log-likelihood of the
training images is kept; the model records the score of every start. The same
request gives the same model file, byte for byte, for any number of workers.

--experts 2..12 tries each of these numbers and shows the table: max-minus-min
experts without poses are chosen by description length, others by the
log-likelihood of a fifth of the images, held out. --experts auto grows such
experts until the description gets no shorter. Both take longer.

--method soft is for tables: every column has a learned background, experts vote
against it, and each explanation counts by its probability. With --experts auto
their number is found out. The default --aim predict chooses by hidden bits of a
fifth of the rows, held out; --aim interpret by description length.

Files that need more than --memory are read anew in every pass: starts are
learned from --sample images drawn at random, then all images teach the best
of them, one pass an iteration. A note says so, and the model records it.

--engine beam has Apache Beam explain the images, in pieces, on this machine or
on many: starts are learned here from --sample images, then all images teach
the best of them. The model is the one that files beyond --memory give, byte for byte.
It needs the program patchwork-beam (folder cmd/engine/beam).

--mode paper is the paper to the letter: epsilon = 1, eq. (1), the printed
initialisation, one start. It works less well, and that is a finding.`

const learnExample = `  patchwork synth letters --letters T --writers 20 --seed 1 -o t.npz
  patchwork learn t.npz -o model.npz --experts 2 --shift 14 --rotate 24:6 --take 10
  patchwork learn t.npz -o model.npz --experts 2 --shift 14 --rotate 24:6 --where 'writer<=10' \
    --picture experts.png --progress-picture figure7.png
  patchwork synth quadrants --n 60 --seed 1 -o q.npz
  patchwork learn q.npz -o quadrants-model.npz --rule max-minus-min --experts auto --curve curve.png
  patchwork learn q.npz -o soft-model.npz --rule max-minus-min --method soft --experts auto`

func (a *app) learnCommand() *cobra.Command {
	f := new(learnFlags)
	cmd := &cobra.Command{
		Use:     "learn DATA... -o MODEL --experts K",
		Short:   "Learn a model from images",
		Long:    learnLong,
		Example: learnExample,
		Args:    oneOrMoreData,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.learn(cmd, f, args)
		},
	}
	f.add(cmd)
	return cmd
}

func (f *learnFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "model file to write (- for standard output)")
	f.experts.add(cmd)
	f.rule.add(cmd, "rule", "max", "composition rule", "max", "max-minus-min")
	f.poses.add(cmd)
	f.mode.add(cmd, "mode", "default", "settings to start from", "default", "paper")
	f.method.add(cmd, "method", "default", "one pass over the images, batch EM, batch EM after one pass, or soft EM for tables", "default", "online", "batch", "both", "soft")
	f.begin.add(cmd, "begin", "both", "begin with orders of the images, with splits of one image, or with an order and three splits in turn; both is orders where experts do not move, and for --progress-picture; with --method soft: grown experts, a mixture, or the better of both", "orders", "splits", "both", "grow", "mixture")
	f.aim.add(cmd, "aim", "predict", "what the experts of --method soft are for: few votes, chosen by description length, to interpret", "predict", "interpret")
	fs.IntVar(&f.starts, "starts", 0, "number of starts, also --orders (default 8, 5 random ones, or 1 in the paper's mode)")
	fs.IntVar(&f.iterations, "iterations", 0, "iterations of batch EM (default 5 after online learning, else 25)")
	fs.Uint64Var(&f.seed, "seed", 0, "seed of all randomness")
	workersFlag(cmd, &f.workers)
	f.reading.add(cmd, "init", "c", "reading of the initialisation under the max rule; the paper's mode takes literal", "c", "text", "literal")
	fs.Float64Var(&f.untilInk, "until-ink", 0, "grow an expert only while more than this fraction of an image's ink is unexplained (default: until there are K)")
	fs.Float64Var(&f.q, "q", 0, "abstention value (default by rule and mode)")
	fs.Var(&f.prior, "prior", "Beta prior of the probabilities in pseudo-counts (default by rule and mode)")
	f.outside.add(cmd, "outside", "", "what lies beyond the image's border (default by rule)", "background", "unknown")
	fs.BoolVar(&f.refine, "refine", false, "refine the explanations of batch EM by sweeps of replace, prune and add")
	fs.BoolVar(&f.truncate, "truncate", false, "search with truncated templates (default for the max rule with poses)")
	fs.IntVar(&f.reuse, "reuse", 1, "how often an expert may be used in one image")
	f.picture.add(cmd, "picture", "write a picture of the experts (.png, .svg)")
	f.progressPicture.add(cmd, "progress-picture", "write the learning step by step, with samples, as in the paper's Figure 7")
	f.curve.add(cmd, "curve", "write a plot of the numbers of experts tried, with --experts auto or a range (.png, .svg)")
	f.checkpoint.add(cmd)
	f.engine.add(cmd)
	f.data.add(cmd)
	f.data.addMemory(cmd)
	fs.IntVar(&f.sample, "sample", 0, "of data beyond --memory: how many images, drawn at random, starts are learned from (default 20000, or as many as take a quarter of the memory)")
}

// check refuses what can be seen to be wrong before any data are read.
func (f *learnFlags) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	switch {
	case !changed("experts"):
		return usagef("--experts K is missing: how many experts shall be learned?")
	case f.output == "":
		return usagef("-o MODEL is missing: where shall the model go?")
	case changed("starts") && f.starts < 1:
		return usagef("--starts %d: learning needs at least one start", f.starts)
	case changed("iterations") && f.iterations < 1:
		return usagef("--iterations %d: give at least 1, or --method online", f.iterations)
	case changed("sample") && f.sample < 1:
		return usagef("--sample %d: give at least 1", f.sample)
	case f.reuse < 1:
		return usagef("--reuse %d: an expert must be usable at least once", f.reuse)
	case f.mode.value == "paper" && changed("init") && f.reading.value != "literal":
		return usagef("--init %s and --mode paper exclude each other: the paper's initialisation is literal", f.reading.value)
	case f.method.value == "batch" && f.progressPicture != "":
		return usagef("--progress-picture shows online learning, which --method batch leaves out")
	case f.begin.value != "orders" && changed("begin") && f.progressPicture != "":
		return usagef("--progress-picture shows learning from an order of the images; give --begin orders")
	case !(f.untilInk >= 0 && f.untilInk < 1):
		return usagef("--until-ink %v is not a fraction from 0 to below 1", f.untilInk)
	case f.rule.value != "max" && f.truncate:
		return usagef("--truncate belongs to --rule max")
	case !(f.q >= 0 && f.q <= 1):
		return usagef("--q %v is not a probability", f.q)
	}
	if err := checkWorkers(f.workers); err != nil {
		return err
	}
	if err := f.checkTable(cmd); err != nil {
		return err
	}
	if err := f.engine.check(f); err != nil {
		return err
	}
	if err := f.checkpoint.check(); err != nil {
		return err
	}
	if err := f.checkCount(); err != nil {
		return err
	}
	return checkOutputs(f.output, string(f.picture), string(f.progressPicture), string(f.curve))
}

// config is the configuration of the model to learn from images of one size.
func (f *learnFlags) config(cmd *cobra.Command, height, width int) (patchwork.Config, error) {
	grid, err := f.poses.grid(f.experts.most(), height, width)
	if err != nil {
		return patchwork.Config{}, err
	}
	rule, _ := patchwork.ParseRule(f.rule.value) // the flag allows only its names
	c := patchwork.NewConfig(rule, height, width, grid)
	if f.paper() {
		c = learn.PaperConfig(rule, height, width, grid)
	}
	changed := cmd.Flags().Changed
	if changed("q") {
		c.Q = f.q
	}
	if changed("prior") {
		c.Prior = f.prior.Prior
	}
	if changed("outside") {
		c.Outside, _ = patchwork.ParseOutside(f.outside.value)
	}
	if changed("truncate") {
		c.Truncate = f.truncate
	}
	if changed("reuse") {
		c.Reuse = f.reuse
	}
	return c, nil
}

// paper reports whether to learn to the letter of the paper.
func (f *learnFlags) paper() bool { return f.mode.value == "paper" }

// options are the settings of the learner; the flags allow only their names.
func (f *learnFlags) options(cmd *cobra.Command) learn.Options {
	opt := learn.Options{Paper: f.paper(), Starts: f.starts, Iterations: f.iterations, Seed: f.seed, Workers: f.workers,
		UnexplainedInk: f.untilInk, Refine: f.refine}
	switch {
	case f.experts.auto:
	case f.experts.open():
		opt.AtLeast, opt.AtMost = f.experts.from, f.experts.to
	default:
		opt.Experts = f.experts.to
	}
	opt.Method, _ = learn.ParseMethod(f.method.value)
	opt.Reading, _ = learn.ParseReading(f.reading.value)
	opt.StartFrom, _ = learn.ParseStartFrom(f.begin.value)
	if f.progressPicture != "" {
		opt.StartFrom = learn.StartFromOrders
	}
	return opt
}

func (a *app) learn(cmd *cobra.Command, f *learnFlags, paths []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	e, err := a.startEngine(cmd.Context(), &f.engine)
	if err != nil {
		return err
	}
	defer e.stop()
	s, local, err := f.openFor(cmd, e, paths)
	if err != nil {
		return err
	}
	cfg, err := f.config(cmd, s.head().Images[0].Height(), s.head().Images[0].Width())
	if err != nil {
		return err
	}
	if s.stream != nil && f.soft() {
		return usagef("--method soft holds all rows in memory; give more --memory, or --take N")
	}
	l := learning{cfg: cfg, opt: f.options(cmd), figure: f.progressPicture != ""}
	if l.journal, err = f.openCheckpoint(cmd, s, local); err != nil {
		return err
	}
	began := time.Now()
	if s.stream != nil {
		err = a.learnStream(cmd, f, s, &l, e, paths)
	} else {
		l.data, l.images, l.pixels = s.set.Data, s.set.Len(), knownPixels(s.set.Data)
		if f.soft() {
			if l.journal != nil {
				l.data.Memory = memory{l.journal}
			}
			err = a.learnTable(cmd.Context(), f, &l)
		} else {
			err = a.run(cmd.Context(), &l, l.data)
		}
	}
	if err != nil {
		return err
	}
	if err := a.saveModel(f.output, l.model); err != nil {
		return err
	}
	if err := f.checkpoint.done(l.journal); err != nil {
		return err
	}
	if err := a.learnPictures(f, &l); err != nil {
		return err
	}
	a.warnFindings(l.model)
	return a.summary(f, s.head(), &l, time.Since(began))
}

// learning is one learning run and its outcome.
type learning struct {
	data   patchwork.Data // nil Images where they are streamed
	images int
	pixels float64 // known ones, weights counted
	cfg    patchwork.Config
	opt    learn.Options
	model  *patchwork.Model

	figure bool                // keep what the progress picture shows
	online map[int]*onlinePass // by start

	journal *journal.Journal // nil unless --checkpoint
}

// onlinePass is what the progress picture shows of one start: of more steps than
// figureSteps the first, and the last.
type onlinePass struct {
	n        int
	examples []*bitmap.Image
	models   []*patchwork.Model
	labels   []string
}

// see keeps a step for the progress picture.
func (l *learning) see(s learn.Step) {
	if !l.figure || s.Stage != learn.StageOnline {
		return
	}
	p := l.online[s.Start]
	if p == nil {
		p = new(onlinePass)
		if l.online == nil {
			l.online = make(map[int]*onlinePass)
		}
		l.online[s.Start] = p
	}
	if p.n++; len(p.models) == figureSteps {
		last := figureSteps - 1
		p.examples, p.models, p.labels = p.examples[:last], p.models[:last], p.labels[:last]
	}
	p.examples, p.models, p.labels = append(p.examples, l.data.Images[s.Image]), append(p.models, s.Model), append(p.labels, fmt.Sprint(p.n))
}

// run learns, with progress.
func (a *app) run(ctx context.Context, l *learning, src patchwork.Source) error {
	if l.journal != nil {
		l.opt.Memory = memory{l.journal}
	}
	total, what := l.opt.WithDefaults(l.cfg).Starts, "start"
	if l.opt.Experts == 0 {
		what, total = "model", 0 // growing: total unknown
		if l.opt.AtMost > 0 {
			total = l.opt.AtMost - l.opt.AtLeast + 1
		}
	}
	var p *progress
	if f, ok := src.(streaming); ok { // readings of the images show more
		p = f.progress()
	} else {
		p = a.progress(what, total)
		defer p.stop()
	}
	best := math.Inf(-1)
	for s, err := range learn.Run(ctx, src, l.cfg, l.opt) {
		if err != nil {
			return request(err)
		}
		l.see(s)
		l.model = s.Model
		switch s.Stage {
		case learn.StageStart:
			if best = max(best, s.LogLik); what == "start" {
				p.step(fmt.Sprintf("best log-likelihood %.1f", best))
			}
		case learn.StageGrow, learn.StageShrink, learn.StageMerge, learn.StageRelocate, learn.StageFresh, learn.StageConfirm:
			p.step(fmt.Sprintf("%s (%s)", count(s.Experts, "expert"), s.Stage))
		}
	}
	return nil
}

// summary says what was learned, on standard output unless the model went there.
// head is a set of images like them.
func (a *app) summary(f *learnFlags, head *dataset.Set, l *learning, took time.Duration) error {
	w := a.out
	if f.output == "-" {
		w = a.err
	}
	r := l.model.Extras().Record
	used := 0.0
	for _, u := range l.model.Extras().Usage {
		used += u
	}
	lines := []string{
		fmt.Sprintf("learned %s from %s in %.2f s", count(l.model.K(), "expert"), describe(l.images, head), took.Seconds()),
		fmt.Sprintf("start %d of %d chosen: log-likelihood %.3f per image, %.5f per pixel (nats)",
			r.Chosen+1, len(r.Starts), r.LogLik/float64(r.Rows), r.LogLik/l.pixels),
		fmt.Sprintf("%.2f experts used per image", used),
	}
	if f.soft() {
		lines = slices.Concat(lines[:1], tableLines(l.model), lines[2:])
	}
	if r.Sample > 0 {
		lines = append(lines, fmt.Sprintf("starts were learned from a uniform sample of %d of %d images", r.Sample, r.Rows))
	}
	for _, line := range lines {
		if err := a.say(w, "%s", line); err != nil {
			return err
		}
	}
	if err := a.sayCurve(w, r.Curve); err != nil || f.output == "-" {
		return err
	}
	return a.say(w, "wrote %s", f.output)
}

// knownPixels counts what a log-likelihood per pixel divides by.
func knownPixels(data patchwork.Data) float64 {
	sum := int64(0)
	for i, img := range data.Images {
		sum += data.Weight(i) * int64(img.CountKnown())
	}
	return float64(sum)
}

func (a *app) learnPictures(f *learnFlags, l *learning) error {
	if f.picture != "" {
		if err := render.Save(string(f.picture), render.Experts(l.model)); err != nil {
			return err
		}
	}
	if f.curve != "" {
		if err := render.Save(string(f.curve), curveChart(l.model.Extras().Record.Curve)); err != nil {
			return err
		}
	}
	if f.progressPicture == "" {
		return nil
	}
	return render.Save(string(f.progressPicture), progressSheet(l))
}

// The paper's Figure 7 shows nine samples beside ten steps.
const (
	figureSamples = 9
	figureSteps   = 20
)

// progressSheet shows the chosen start: the examples in its order, the experts
// after each, and samples of the final model. A last column has the experts after
// batch EM, where there was any.
func progressSheet(l *learning) render.Sheet {
	pass := l.online[l.model.Extras().Record.Chosen]
	if pass == nil {
		pass = new(onlinePass)
	}
	steps, labels := pass.models, pass.labels
	if l.model.Extras().Record.Method == learn.MethodBoth.String() {
		steps, labels = append(steps, l.model), append(labels, "swept")
	}
	sheet := render.Progress(pass.examples, steps, sampleTiles(l.model, figureSamples, l.opt.Seed))
	copy(sheet.ColumnLabels, labels)
	return sheet
}
