package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/render"
)

// pursuitFlags are the flags of commands that explain images by a pursuit: which
// images, by which model, and how the pursuit searches.
type pursuitFlags struct {
	input inputFlags

	pursuit, start, score           choice
	alpha, minGain, refineThreshold float64
	refine, posePrior               bool
}

func (f *pursuitFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.pursuit.add(cmd, "pursuit", "auto", "search greedily (paper), or afterwards also replace, drop and add picks (refined); auto: refined if parts move and --score is default", "auto", "refined", "paper")
	f.start.add(cmd, "start", "empty", "whether the first part must improve the likelihood (empty) or is always taken (forced)", "forced", "empty")
	f.score.add(cmd, "score", "default", "likelihood to maximise (default: the model's)", "default", "truncated", "original", "mixed")
	fs.Float64Var(&f.alpha, "alpha", 0.9, "weight of the template in --score mixed")
	fs.Float64Var(&f.minGain, "min-gain", 0, "least gain of a pick, in nats")
	fs.BoolVar(&f.refine, "refine", false, "the same as --pursuit refined; --refine=false is the same as --pursuit paper")
	fs.Float64Var(&f.refineThreshold, "refine-threshold", 0, "least gain of a pick in the sweeps of --pursuit refined, in nats; below 0: none (default log of the number of candidates)")
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

func (f *pursuitFlags) options() patchwork.PursuitOptions {
	scoring, _ := enum.Of[patchwork.Scoring]("a scoring", f.score.value) // the flags allow only their names
	return patchwork.PursuitOptions{Paper: f.pursuit.value == "paper", Refined: f.pursuit.value == "refined", Scoring: scoring, Alpha: f.alpha, Forced: f.start.value == "forced",
		MinGain: f.minGain, MaxPicks: f.input.maxPicks, RefineThreshold: f.refineThreshold, PosePrior: f.posePrior}
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
	t.opt = f.options()
	_, err = patchwork.NewPursuit(t.model, t.opt)
	return t, request(err)
}

// explainAll runs the pursuit on the images of a part of a task.
func explainAll(ctx context.Context, t *task, each func(i int, e *patchwork.Explanation)) (*patchwork.Tally, error) {
	return patchwork.EStep(ctx, t.model, t.set.Data, t.opt, t.workers, func(i int, e *patchwork.Explanation) {
		each(i, e)
		t.bar.step("")
	})
}

const explainLong = `Explain images by the parts of a model: likelihood matching pursuit adds the part,
rotation and shift that raise the likelihood most, until none does. If parts move
(shifts, rotations, --scene) it then refines the result, under the original
likelihood: it replaces each pick by the best one given the others, drops those
that gain too little, and adds those that gain enough, until nothing changes.
--pursuit paper leaves that out and takes a half to a tenth of the time; a --score
other than default leaves it out too, unless --pursuit refined is given.

The output is JSON lines, one per image, in the order of the input:

  {"index":0,"start_log_lik":-941.2,"log_lik":-310.9,"log_lik_model":-310.9,
   "picks":[{"expert":1,"dy":0,"dx":-3,"angle":12,"gain":608.4}, ...]}

index is the image's row in the input before --where, --first-per and --rows;
expert is the number of a part, from 0; picks come in the order of the
pursuit. start_log_lik and log_lik are under the original likelihood if refined,
else under that of --score, log_lik_model under the untruncated composition; all
are in nats, and null if infinite. Angles are degrees clockwise, shifts are pixels
down and to the right.

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
  patchwork synth scenes --n 5 --exemplars 1 -o scenes.npz --model digits.npz
  patchwork explain -m digits.npz scenes.npz --picture scenes.png`

func (a *app) explainCommand() *cobra.Command {
	var (
		f       pursuitFlags
		best    bestFlags
		output  string
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
			if _, err := checkOutput("explain", output); err != nil {
				return err
			}
			if err := checkOutputs(string(picture)); err != nil {
				return err
			}
			if shown < 1 {
				return usagef("--picture-images %d: give at least 1", shown)
			}
			if err := best.checkExplain(cmd, &f); err != nil {
				return err
			}
			t, err := f.prepare(cmd, args)
			if err != nil {
				return err
			}
			explain := explainEach
			if best.best > 1 {
				opt, err := best.options(t)
				if err != nil {
					return err
				}
				explain = explainBest(opt)
			}
			if t.stream != nil {
				a.sayStreaming(&t.source, f.input.data.memory, "explaining it block by block")
			}
			g := gallery{model: t.model, cases: make([]render.Case, shown)}
			if err := a.explain(cmd.Context(), t, output, &g, explain); err != nil || picture == "" {
				return err
			}
			return render.Save(string(picture), g.sheet())
		},
	}
	f.add(cmd)
	best.add(cmd, 1, "find the N best explanations of each image (1: the pursuit's)")
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write (- for standard output)")
	picture.add(cmd, "picture", "write a picture of the explanations (.png, .svg), or for one image, of every step")
	cmd.Flags().IntVar(&shown, "picture-images", 24, "how many images the picture shows")
	return cmd
}

// explainer explains all images of a part of a task. It calls each with every
// image's explanation and JSON line, possibly from several goroutines, in any order.
type explainer func(ctx context.Context, t *task, each func(i int, e *patchwork.Explanation, line []byte)) error

// explainEach explains each image by the pursuit.
func explainEach(ctx context.Context, t *task, each func(int, *patchwork.Explanation, []byte)) error {
	_, err := explainAll(ctx, t, func(i int, e *patchwork.Explanation) {
		each(i, e, jsonLine(newExplanation(row(t.set, i), e)))
	})
	return err
}

// explain writes one JSON line per image.
func (a *app) explain(ctx context.Context, t *task, output string, g *gallery, explain explainer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n := 0
	err := a.output(output, func(w io.Writer) (err error) {
		n, err = a.inParts(ctx, t, func(part *task) error {
			lines := &ordered{w: w, waiting: make(map[int][]byte), failed: cancel}
			return explain(ctx, part, func(i int, e *patchwork.Explanation, line []byte) {
				lines.put(i, line)
				g.put(part.first+i, row(part.set, i), part.set.Images[i], e)
			})
		})
		g.cases = g.cases[:min(len(g.cases), n)]
		if cause := context.Cause(ctx); cause != nil {
			return cause // the pursuit was cancelled because the writer failed
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.wrote(output, "explanations of %s", describe(n, t.head()))
}

// jsonFloat is a number that is null in JSON if it is infinite.
type jsonFloat float64

func (f jsonFloat) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(f), 0) || math.IsNaN(float64(f)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

type jsonPick struct {
	Expert int       `json:"expert"`
	DY     int       `json:"dy"`
	DX     int       `json:"dx"`
	Angle  jsonFloat `json:"angle"`
	Gain   jsonFloat `json:"gain"`
}

type jsonExplanation struct {
	Index       int        `json:"index"`
	StartLogLik jsonFloat  `json:"start_log_lik"`
	LogLik      jsonFloat  `json:"log_lik"`
	LogLikModel jsonFloat  `json:"log_lik_model"`
	Picks       []jsonPick `json:"picks"`
}

// newExplanation returns an explanation as JSON, a contract.
func newExplanation(index int, e *patchwork.Explanation) jsonExplanation {
	return jsonExplanation{index, jsonFloat(e.StartLogLik), jsonFloat(e.LogLik), jsonFloat(e.LogLikModel), newPicks(e.Picks)}
}

func newPicks(picks []patchwork.Pick) []jsonPick {
	out := make([]jsonPick, len(picks)) // [] for none, never null
	for j, p := range picks {
		out[j] = jsonPick{p.Expert, p.Pose.DY, p.Pose.DX, jsonFloat(p.Pose.Angle), jsonFloat(p.Gain)}
	}
	return out
}

// jsonLine returns a struct of numbers as a line of JSON.
func jsonLine(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err) // a struct of numbers has a JSON form
	}
	return append(line, '\n')
}

// ordered writes lines of several workers in the order of their numbers, each as
// soon as all lines before it are written.
type ordered struct {
	mu      sync.Mutex
	w       io.Writer
	next    int
	waiting map[int][]byte
	err     error
	failed  func(error) // called with the first error
}

func (o *ordered) put(i int, line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[i] = line
	for o.err == nil {
		line, ok := o.waiting[o.next]
		if !ok {
			return
		}
		delete(o.waiting, o.next)
		o.next++
		if _, o.err = o.w.Write(line); o.err != nil {
			o.failed(o.err)
		}
	}
}

// gallery collects the first explanations for a picture.
type gallery struct {
	model *patchwork.Model
	cases []render.Case
}

// put keeps explanation i if the picture shows it. Workers call it with different i.
func (g *gallery) put(i, row int, img *bitmap.Image, e *patchwork.Explanation) {
	if i < len(g.cases) {
		g.cases[i] = render.Case{Name: fmt.Sprintf("image %d", row), Image: img, Explanation: *e}
	}
}

// sheet returns the picture: the pursuit step by step for one image, else a sheet.
func (g *gallery) sheet() render.Sheet {
	if len(g.cases) == 1 {
		return render.Steps(g.model, g.cases[0].Image, g.cases[0].Explanation)
	}
	return render.Explanations(g.model, g.cases)
}
