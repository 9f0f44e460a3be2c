package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/posterior"
)

// scoreReport is what score reports of a model and images; the JSON names are a
// contract. Numbers per image count weights.
type scoreReport struct {
	Images        int     `json:"images"`
	Weight        int64   `json:"weight"` // of all images; their number if there are no weights
	LogLik        float64 `json:"log_lik"`
	PerImage      float64 `json:"log_lik_per_image"`
	PerPixel      float64 `json:"log_lik_per_pixel"`
	CrossEntropy  float64 `json:"cross_entropy"`  // nats per image: minus log_lik_per_image
	BitsPerPixel  float64 `json:"bits_per_pixel"` // the same in bits, per known pixel
	PicksPerImage float64 `json:"picks_per_image"`
	Impossible    int64   `json:"impossible"` // images of probability 0

	// The noise that the images were found to have beyond what the parts say, on
	// average: the shares of the ink that is missing, and of the paper that is inked.
	// Both are absent if none has any; else the log-likelihoods are those under it.
	Missing float64 `json:"missing,omitempty"`
	Clutter float64 `json:"clutter,omitempty"`

	// The length of a two-part code for the images by the model, in nats, and in
	// bits per image; absent if parts move, because poses have no cost in it.
	Length       *float64 `json:"description_length,omitempty"`
	BitsPerImage *float64 `json:"description_bits_per_image,omitempty"`

	Hidden *hiddenReport `json:"hidden,omitempty"`

	given string // what the log-likelihood per image is given, to print
}

const scoreLong = `Explain images and report the log-likelihood per image and per known pixel under
the untruncated composition, the cross-entropy (minus the former), and the number of
picks per image; for parts that do not move also the description length: the length
of a two-part code for the images by the model, its votes included. Log-likelihoods
are in nats; in JSON a log-likelihood is null if an image is impossible under the
model. The explanations are those of patchwork explain: rows of tables pay for each
part as they did in learning, unless --pursuit is given, and scenes are explained, and
judged, by the parts as they look under the noise of each image.

-o rows.csv also writes a table, a row per image: its labels, row (its number in the
input, from 1), weight if there are weights, log_lik under the untruncated
composition, how many picks, and how many known pixels.

--hide 0.2 --seed 1 also hides a fifth of the known bits of each image, predicts
them from the others, and reports the mean log-loss (nats per bit), the accuracy and
the AUC of three predictions: the average over the best explanations, the best one
alone, and, as a baseline that every model should beat, the column means of the
training rows (of the visible bits, where the model does not have those). Columns
that were made of one column of categories are hidden together, and their
probabilities add up to 1.

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
			return with(cmd, f.input.model, byKind{
				bits:    func(m *patchwork.Model) error { return a.scoreData(cmd, f, m, args) },
				numbers: func(m *real.Model) error { return a.scoreReal(cmd, f, m, args) },
				classes: func(c *classes.Classifier) error { return a.scoreClasses(cmd, f, c, args) }})
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

// scoreData scores bits and prints the report.
func (a *app) scoreData(cmd *cobra.Command, f *scoreFlags, m *patchwork.Model, paths []string) error {
	if f.output == "-" {
		return usagef("-o -: standard output has the report; name a file for the scores of the rows")
	}
	t, err := f.prepare(cmd, m, paths)
	if err != nil {
		return err
	}
	if err := f.hidden.suits(t); err != nil {
		return err
	}
	a.sayStreaming(&t.source, f.input.data.memory, "reading it block by block")
	r, err := a.scoreTo(cmd.Context(), t, f.output, f.format)
	if err != nil {
		return err
	}
	if posterior.PickCosts(t.model) != nil {
		r.given = givenBest
	}
	if f.hidden.fraction > 0 {
		if r.Hidden, err = scoreHidden(cmd.Context(), t, &f.hidden); err != nil {
			return err
		}
	}
	return a.output("-", func(w io.Writer) error {
		if f.json {
			return encodeJSON(w, r)
		}
		return r.print(w, words.NounsOf(t.head().Table))
	})
}

// explainAll runs the pursuit on the images of a part of a task.
func explainAll(ctx context.Context, t *task, each func(i int, e *patchwork.Explanation)) (*patchwork.Tally, error) {
	return patchwork.EStep(ctx, t.model, t.set.Data, t.opt, t.workers, func(i int, e *patchwork.Explanation) {
		each(i, e)
		t.bar.step("")
	})
}

// score scores a task. If each is not nil, it gets the scores of every part.
func (a *app) score(ctx context.Context, t *task, each func(part *task, s *rowScores) error) (*scoreReport, error) {
	var impossible atomic.Int64
	var noise noiseSums
	tally, pixels := patchwork.NewTally(t.model), 0.0
	images, err := a.inParts(ctx, t, func(part *task) error {
		pixels += knownPixels(part.set.Data, false)
		rows := newRowScores(part.set.Len())
		counted, err := explainAll(ctx, part, func(i int, e *patchwork.Explanation) {
			rows.put(i, t.model, part.set.Images[i], e)
			if math.IsInf(rows.logLik[i], -1) {
				impossible.Add(part.set.Weight(i))
			}
		})
		if err != nil {
			return request(err)
		}
		tally.Merge(counted)
		noise.add(rows, part.set.Data)
		if each == nil {
			return nil
		}
		return each(part, rows)
	})
	if err != nil {
		return nil, err
	}
	n, logLik := float64(tally.Rows()), tally.LogLik()
	if noise.any {
		logLik = noise.logLik
	}
	r := &scoreReport{Images: images, Weight: tally.Rows(), LogLik: logLik,
		PerImage: logLik / n, PerPixel: logLik / pixels, CrossEntropy: -logLik / n,
		BitsPerPixel: -logLik / pixels / math.Ln2, PicksPerImage: float64(tally.Picks()) / n,
		Impossible: impossible.Load(), Missing: noise.missing / n, Clutter: noise.clutter / n}
	if c := t.model.Config(); !c.Scene && c.Poses.Len() == 1 {
		nats := learn.DescriptionLength(t.model, tally)
		length, bits := nats, nats/n/math.Ln2
		r.Length, r.BitsPerImage = &length, &bits
	}
	return r, nil
}

// givenBest says why score and learn give different figures of a model of a table.
const givenBest = " (given the best explanation, without what its parts cost, which learn and info count)"

func (r *scoreReport) print(w io.Writer, nouns words.Nouns) error {
	image, pixel := nouns.Image, nouns.Pixel
	var err error
	line := func(name, format string, args ...any) {
		if err == nil {
			_, err = io.WriteString(w, words.Visible(fmt.Sprintf("%-25s "+format+"\n", append([]any{name}, args...)...)))
		}
	}
	line(image+"s", "%d", r.Images)
	line("log-likelihood per "+image, "%.4f nats%s", r.PerImage, r.given)
	line("log-likelihood per "+pixel, "%.6f nats", r.PerPixel)
	line("cross-entropy", "%.4f nats per %s, %.6f bits per %s", r.CrossEntropy, image, r.BitsPerPixel, pixel)
	line("picks per "+image, "%.3f", r.PicksPerImage)
	if r.Missing+r.Clutter > 0 {
		line("noise", "%.1f %% of the ink missing, %.1f %% of the paper inked, on average; learned from each %s",
			100*r.Missing, 100*r.Clutter, image)
	}
	if r.Impossible > 0 {
		line("impossible "+image+"s", "%d (some %s contradicts a probability of 0 or 1)", r.Impossible, pixel)
	}
	if r.BitsPerImage != nil {
		line("description length", "%.4f bits per %s", *r.BitsPerImage, image)
	}
	if err == nil && r.Hidden != nil {
		err = r.Hidden.print(w, image)
	}
	return err
}

// rowScores holds the score of every image of a part of a task, in its order.
type rowScores struct {
	logLik           []float64 // under the untruncated composition, and the noise
	missing, clutter []float64 // the noise that it was found to have
	picks, pixels    []int64   // how many picks, and how many known pixels
}

// newRowScores returns room for n images.
func newRowScores(n int) *rowScores {
	return &rowScores{make([]float64, n), make([]float64, n), make([]float64, n), make([]int64, n), make([]int64, n)}
}

// put keeps the score of image i. Workers call it with different i.
func (s *rowScores) put(i int, m *patchwork.Model, img *bitmap.Image, e *patchwork.Explanation) {
	s.logLik[i], s.picks[i], s.pixels[i] = e.NoisyLogLik(m, img), int64(len(e.Picks)), int64(img.CountKnown())
	s.missing[i], s.clutter[i] = e.Missing, e.Clutter
}

// noiseSums are the sums over images of which some were found to have noise.
type noiseSums struct {
	any                      bool
	logLik, missing, clutter float64 // weights counted
}

// add adds the scores of a part of the images.
func (n *noiseSums) add(s *rowScores, d patchwork.Data) {
	for i, v := range s.logLik {
		w := float64(d.Weight(i))
		if w == 0 { // even if it is impossible
			continue
		}
		n.any = n.any || s.missing[i] != 0 || s.clutter[i] != 0
		n.logLik, n.missing, n.clutter = n.logLik+float64(w*v), n.missing+float64(w*s.missing[i]),
			n.clutter+float64(w*s.clutter[i])
	}
}

// answers returns the table of the scores of rows [from, to) of a set: the labels, the row, its
// weight if there are weights, its log-likelihood, picks and known pixels.
func (s *rowScores) answers(set *dataset.Set, weighted bool, from, to int) *answers {
	out := rowAnswers(set, weighted, from, to)
	out.add("log_lik", s.logLik)
	out.add("picks", s.picks)
	out.add("pixels", s.pixels)
	return out
}

// scoreTo scores a task, and unless path is empty writes a table, a row per image.
func (a *app) scoreTo(ctx context.Context, t *task, path, format string) (*scoreReport, error) {
	if path == "" {
		return a.score(ctx, t, nil)
	}
	var r *scoreReport
	head := newRowScores(0).answers(t.head(), t.weighted(), 0, 0)
	err := a.outputAnswers(path, format, head, pushed(func(push func(*answers) error) (err error) {
		r, err = a.score(ctx, t, func(part *task, s *rowScores) error {
			if isRounded(format) {
				roundAll(s.logLik)
			}
			return push(s.answers(part.set, t.weighted(), 0, part.set.Len()))
		})
		return err
	}))
	if err != nil {
		return nil, err
	}
	a.carried = true // what score reports is data, and stdout is for that alone
	return r, a.wrote(path, "scores of %s", describe(r.Images, t.head()))
}
