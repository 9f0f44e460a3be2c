package letters

import (
	"context"
	"fmt"
	"io"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
)

// AlphabetParts is the number of parts of the alphabets that are measured.
const AlphabetParts = 6

// alphabetEvery is how many letters of the test there are for one that is explained.
const alphabetEvery = 3

// AlphabetResult is one alphabet, judged on letters of other writers.
type AlphabetResult struct {
	Nats    float64 // per image, minus the log-likelihood and the places of the picks
	Picks   float64 // per image
	Inside  float64 // share of the picks by parts with at least 90 % of their ink in one straight band
	Seconds float64 // of learning, of the processor
	Model   *patchwork.Model
}

// LearnAlphabet learns one alphabet of all capital letters of writers 1 to 20, and
// judges it on every third of those of writers 26 to 50. A pick costs the logarithm of the number of
// parts and poses.
func LearnAlphabet(ctx context.Context, set *dataset.Set, parts int, o Options) (AlphabetResult, error) {
	var r AlphabetResult
	train, err := capitals(set, 1, 20)
	if err != nil {
		return r, err
	}
	test, err := capitals(set, 26, 50)
	if err != nil {
		return r, err
	}
	h, w := set.Size()
	began := stat.ProcessorTime()
	r.Model, err = learn.Learn(ctx, train, learn.Alphabet(h, w),
		learn.Options{Alphabet: true, Experts: parts, Seed: o.Seed, Workers: o.Workers})
	if err != nil {
		return r, err
	}
	r.Seconds = (stat.ProcessorTime() - began).Seconds()
	var some []int
	for i := 0; i < test.Len(); i += alphabetEvery {
		some = append(some, i)
	}
	explained := make([]*patchwork.Explanation, len(some))
	_, err = patchwork.EStep(ctx, r.Model, rows.Part(test.Data, some), patchwork.PursuitOptions{}, o.Workers,
		func(i int, e *patchwork.Explanation) { explained[i] = e })
	if err != nil {
		return r, err
	}
	var straight [64]bool
	for k := range r.Model.K() {
		straight[k] = StrokeOf(r.Model.Template(k), w).Inside >= 0.9
	}
	price := math.Log(float64(r.Model.K() * r.Model.Config().Poses.Len()))
	n := float64(len(explained))
	inside := 0.0
	for _, e := range explained {
		r.Nats += (price*float64(len(e.Picks)) - e.LogLikModel) / n
		r.Picks += float64(len(e.Picks)) / n
		for _, p := range e.Picks {
			if straight[p.Expert] {
				inside++
			}
		}
	}
	r.Inside = inside / (r.Picks * n)
	return r, nil
}

// capitals returns the capital letters of some writers.
func capitals(set *dataset.Set, first, last int) (*dataset.Set, error) {
	var letters []string
	for c := 'A'; c <= 'Z'; c++ {
		letters = append(letters, string(c))
	}
	return byWriters(set, letters, first, last)
}

// ReportAlphabet measures alphabets of some seeds, on one worker. Seconds are those of
// the processor.
func ReportAlphabet(ctx context.Context, w io.Writer, set *dataset.Set, seeds []uint64) error {
	fmt.Fprintf(w, "One alphabet of %d parts for all capital letters of writers 1-20, on every third of those of "+
		"writers 26-50\n\n", AlphabetParts)
	t := stat.NewTable(w, "seed", "nats an image", "picks", "straight picks", "background", "s of one core")
	all, err := stat.Seeds(len(seeds), func(i uint64) (AlphabetResult, error) {
		r, err := LearnAlphabet(ctx, set, AlphabetParts, Options{Seed: seeds[i], Workers: 1})
		if err == nil {
			t.Row("%d | %.1f | %.2f | %.2f | %.4f | %.1f", seeds[i], r.Nats, r.Picks, r.Inside, r.Model.Config().Q, r.Seconds)
		}
		return r, err
	})
	t.Row("mean ± deviation | %s | | | | %s",
		stat.Spread(stat.Of(all, func(r AlphabetResult) float64 { return r.Nats }), 1),
		stat.Spread(stat.Of(all, func(r AlphabetResult) float64 { return r.Seconds }), 1))
	return err
}
