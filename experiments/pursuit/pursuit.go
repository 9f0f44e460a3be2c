// Package pursuit measures the two searches for an explanation: the paper's
// greedy pursuit, and the refined one that is the default where experts move.
package pursuit

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/letters"
	"example.com/patchwork/experiments/scenes"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// Options of Report. Letters have the columns y and writer, digits y.
type Options struct {
	Seeds   int // how often everything is repeated; 0 means 5
	Workers int // of learning; explaining is timed on one core
	Letters *dataset.Set
	Digits  []*bitmap.Image
	Labels  []int // of the digits
}

// searches are the columns of the table.
var searches = [2]patchwork.PursuitOptions{{Paper: true}, {Refined: true}}

// result is what one seed gives, by search.
type result struct {
	perPixel [2]float64 // log-likelihood of unseen images, nats per pixel
	right    [2]float64 // fraction of scenes with all digits found, or of digits classified rightly; 0 for letters
	millis   [2]float64 // per image
}

// Report measures letters, digits and scenes and writes the table.
func Report(ctx context.Context, w io.Writer, o Options) error {
	if o.Seeds == 0 {
		o.Seeds = 5
	}
	t := stat.NewTable(w, "unseen images", "nats per pixel, paper", "refined", "gain (least to greatest)", "right, paper",
		"refined", "gain (least to greatest)", "ms per image")
	row := func(name string, run func(seed uint64) (result, error)) error {
		results, err := stat.Seeds(o.Seeds, func(i uint64) (result, error) { return run(i + 1) })
		if err == nil {
			write(t, name, results)
		}
		return err
	}
	if err := row("nine letters, 56 x 56", func(seed uint64) (result, error) { return runLetters(ctx, seed, o) }); err != nil {
		return err
	}
	for _, n := range []int{5, 20} {
		err := row(fmt.Sprintf("digits, 28 x 28, %d of each to learn from", n),
			func(seed uint64) (result, error) { return runDigits(ctx, n, seed, o) })
		if err != nil {
			return err
		}
	}
	for _, s := range []scenes.Setting{{Side: 64, Flip: .10}, {Side: 64, Flip: .20}, {Side: 48, Flip: .10},
		{Side: 48, Flip: .20}} {
		err := row(fmt.Sprintf("scenes, %d x %d, %.0f %% flipped", s.Side, s.Side, 100*s.Flip),
			func(seed uint64) (result, error) { return runScenes(ctx, s, seed, o) })
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes a row: means over the seeds with the standard deviation, and the
// gains of the seeds that gain least and most.
func write(t stat.Table, name string, results []result) {
	column := func(of func(result) [2]float64, digits int) string {
		paper := stat.Of(results, func(r result) float64 { return of(r)[0] })
		refined := stat.Of(results, func(r result) float64 { return of(r)[1] })
		gain := stat.Of(results, func(r result) float64 { return of(r)[1] - of(r)[0] })
		if slices.Max(refined) == 0 {
			return " | | "
		}
		return fmt.Sprintf("%s | %s | %+.*f (%+.*f to %+.*f)", stat.Spread(paper, digits), stat.Spread(refined, digits),
			digits, stat.Mean(gain), digits, slices.Min(gain), digits, slices.Max(gain))
	}
	t.Row("%s | %s | %s | %.2f / %.2f", name, column(func(r result) [2]float64 { return r.perPixel }, 4),
		column(func(r result) [2]float64 { return r.right }, 3),
		stat.MeanOf(results, func(r result) float64 { return r.millis[0] }),
		stat.MeanOf(results, func(r result) float64 { return r.millis[1] }))
}

// explain explains the images by both searches, on one core, and adds what that
// gives, times share, to r.
func (r *result) explain(m *patchwork.Model, images []*bitmap.Image, share float64,
	each func(search, i int, e *patchwork.Explanation)) error {
	for s, search := range searches {
		p, err := patchwork.NewPursuit(m, search)
		if err != nil {
			return err
		}
		began, sum := time.Now(), 0.0
		for i, img := range images {
			e, err := p.Explain(img)
			if err != nil {
				return err
			}
			sum += e.LogLikModel / float64(img.Len())
			each(s, i, e)
		}
		r.perPixel[s] += share * sum / float64(len(images))
		r.millis[s] += share * time.Since(began).Seconds() * 1000 / float64(len(images))
	}
	return nil
}

// runLetters learns each of the nine letters from writers 1-20 (T: 1-10) and
// explains those of writers 26-50, as experiment letters does.
func runLetters(ctx context.Context, seed uint64, o Options) (result, error) {
	var r result
	for _, task := range letters.Tasks {
		train, test, err := task.Data(o.Letters)
		if err != nil {
			return r, err
		}
		m, err := learn.Learn(ctx, train, letters.Config(o.Letters),
			learn.Options{Method: learn.MethodBoth, Experts: task.Experts, Seed: seed, Workers: o.Workers})
		if err != nil {
			return r, err
		}
		err = r.explain(m, test.Images, 1/float64(len(letters.Tasks)), func(int, int, *patchwork.Explanation) {})
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// Of the digits: the experts of each class, their poses, and how many images of
// each class are explained.
const (
	digitExperts = 3
	digitTest    = 40
)

var digitPoses = pose.Grid{DY: pose.Symmetric(3, 1), DX: pose.Symmetric(3, 1), Angles: pose.Evenly(15, 15)}

// runDigits learns a model of each class from n random digits, explains others
// by the model of their class, and classifies them by the model that explains
// them best.
func runDigits(ctx context.Context, n int, seed uint64, o Options) (result, error) {
	var r result
	var models []*patchwork.Model
	var tests []*bitmap.Image
	for class := range 10 {
		var data patchwork.Data
		for _, i := range rand.New(rand.NewPCG(seed, uint64(class))).Perm(len(o.Digits)) {
			if o.Labels[i] == class && len(data.Images) < n+digitTest {
				data.Images = append(data.Images, o.Digits[i])
			}
		}
		tests = append(tests, data.Images[n:]...)
		data.Images = data.Images[:n]
		m, err := learn.Learn(ctx, data, patchwork.NewConfig(patchwork.RuleMax, data.Images[0].Height(),
			data.Images[0].Width(), digitPoses),
			learn.Options{Method: learn.MethodBoth, Experts: digitExperts, Seed: seed, Workers: o.Workers})
		if err != nil {
			return r, err
		}
		models = append(models, m)
	}
	var best [2][]float64
	right := [2][]bool{make([]bool, len(tests)), make([]bool, len(tests))}
	for s := range best {
		best[s] = slices.Repeat([]float64{math.Inf(-1)}, len(tests))
	}
	var others result // for the likelihood only an image's own class counts
	for class, m := range models {
		err := others.explain(m, tests, 1./float64(len(models)), func(s, i int, e *patchwork.Explanation) {
			own := i/digitTest == class
			if own {
				r.perPixel[s] += e.LogLikModel / float64(tests[i].Len()*len(tests))
			}
			if e.LogLikModel > best[s][i] {
				best[s][i], right[s][i] = e.LogLikModel, own
			}
		})
		if err != nil {
			return r, err
		}
	}
	r.millis = others.millis
	for s := range right {
		for _, ok := range right[s] {
			if ok {
				r.right[s] += 1 / float64(len(tests))
			}
		}
	}
	return r, ctx.Err()
}

// sceneCount is how many scenes there are of each setting and seed.
const sceneCount = 100

// runScenes explains scenes of five digits, one of each class as template.
func runScenes(ctx context.Context, s scenes.Setting, seed uint64, o Options) (result, error) {
	var r result
	set, err := synth.Scenes(synth.ScenesOptions{N: sceneCount, Side: s.Side, Flip: &s.Flip, Seed: seed, Glyphs: o.Digits,
		Labels: o.Labels})
	if err != nil {
		return r, err
	}
	for i, img := range set.Images {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		m, err := scenes.Model(set.Truth, i)
		if err != nil {
			return r, err
		}
		err = r.explain(m, []*bitmap.Image{img}, 1./sceneCount, func(search, _ int, e *patchwork.Explanation) {
			if scenes.Right(set.Truth, i, e) {
				r.right[search] += 1. / sceneCount
			}
		})
		if err != nil {
			return r, err
		}
	}
	return r, nil
}
