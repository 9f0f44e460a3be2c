// Package sheets measures how well and how fast symbols are found on large drawings, beside
// OpenCV's matchTemplate, and whether the odds of finds are what they say.
package sheets

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/posterior/sheets"
	"example.com/patchwork/render"
)

// Draw draws a sheet of a size with its symbols.
func Draw(height, width, placements, strangers int, flip float64, seed uint64) (*bitmap.Image, *synth.SheetTruth,
	error) {
	set, err := synth.Sheets(synth.SheetsOptions{N: 1, Height: height, Width: width, Placements: placements,
		Strangers: strangers, Flip: &flip, Seed: seed})
	if err != nil {
		return nil, nil, err
	}
	return set.Images[0], set.Truth, nil
}

// Found is a placement that a method reports, with what it calls its score.
type Found struct {
	synth.Placement
	Score float64
}

// Search finds the symbols in eight orientations on one worker, with all that gains enough.
func Search(ctx context.Context, page *bitmap.Image, truth *synth.SheetTruth) (found []Found, seconds float64,
	err error) {
	began := stat.ProcessorTime()
	var symbols []sheets.Symbol
	for _, m := range truth.Symbols {
		symbols = append(symbols, sheets.FromImage("", m))
	}
	res, err := sheets.Search(ctx, page, symbols, sheets.Options{Turns: true, Mirror: true, MinOdds: math.Inf(-1),
		Workers: 1})
	if err != nil {
		return nil, 0, err
	}
	for _, f := range res.Finds {
		found = append(found,
			Found{synth.Placement{Symbol: f.Symbol, Y: int(f.Y), X: int(f.X), Turn: int(f.Turn.Angle), Mirror: f.Turn.Mirrored},
				f.LogOdds})
	}
	return found, (stat.ProcessorTime() - began).Seconds(), nil
}

// Judge reports for each find whether it is right: the symbol, no further than three pixels away in
// both directions, in an orientation in which it looks the same. Each placement
// makes one find right.
func Judge(found []Found, truth *synth.SheetTruth) (right []bool) {
	right = make([]bool, len(found))
	used := make([]bool, len(truth.Items[0].Placements))
	for i, f := range found {
		for j, p := range truth.Items[0].Placements {
			if !used[j] && p.Symbol == f.Symbol && max(p.Y-f.Y, f.Y-p.Y, p.X-f.X, f.X-p.X) <= 3 &&
				synth.Quarter(truth.Symbols[p.Symbol], p.Turn, p.Mirror).Equal(synth.Quarter(truth.Symbols[f.Symbol], f.Turn,
					f.Mirror)) {
				used[j], right[i] = true, true
				break
			}
		}
	}
	return right
}

// F1 returns the harmonic mean of precision and recall of the finds of a score or more.
func F1(found []Found, right []bool, least float64, placements int) float64 {
	hits, all := 0, 0
	for i, f := range found {
		if f.Score >= least {
			all++
			if right[i] {
				hits++
			}
		}
	}
	return 2 * float64(hits) / float64(max(1, all+placements))
}

// Report measures large sheets with each of some seeds.
func Report(ctx context.Context, w io.Writer, seeds int) error {
	fmt.Fprintf(w, "7,200 x 10,800 pixels, 34 symbols in 8 orientations, 1,300 placements, 150 lines, one worker:\n\n")
	t := stat.NewTable(w, "flips", fmt.Sprintf("F1, mean (least) of %d seeds", seeds), "finds with odds of 1:1", "wrong",
		"missed", "processor s, mean (most)")
	for _, flip := range []float64{0.01, 0.05} {
		var f1, seconds []float64
		finds, hits := 0.0, 0.0
		for seed := range seeds {
			page, truth, err := Draw(7200, 10800, 1300, 0, flip, 1000+uint64(seed))
			if err != nil {
				return err
			}
			found, took, err := Search(ctx, page, truth)
			if err != nil {
				return err
			}
			found = slices.DeleteFunc(found, func(f Found) bool { return f.Score < 0 })
			right := Judge(found, truth)
			finds += float64(len(found)) / float64(seeds)
			hits += float64(stat.Count(right, func(r bool) bool { return r })) / float64(seeds)
			f1, seconds = append(f1, F1(found, right, 0, 1300)), append(seconds, took)
		}
		t.Row("%v | %.4f (%.4f) | %.1f | %.1f | %.1f | %.1f (%.1f)", flip, stat.Mean(f1), slices.Min(f1), finds, finds-hits,
			1300-hits, stat.Mean(seconds), slices.Max(seconds))
	}
	fmt.Fprintf(w, "\nMost memory of the process, drawings and generator included: %s.\n", peak())
	return nil
}

// peak returns the most memory that this process had, where the system tells.
func peak() string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "not known on this system"
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(value)
		}
	}
	return "not known on this system"
}

// bands are the lower ends of bands of odds.
var bands = []float64{0, 0.01, 0.1, 1, 3, 10, 30, 100, 1000}

// ReportOdds compares the odds of finds with how many are right, on drawings where a
// third of what stands there is nearly a symbol, and draws a picture of that, unless that
// file is "".
func ReportOdds(ctx context.Context, w io.Writer, seeds int, picture string) error {
	var p []float64
	var right []bool
	for _, flip := range []float64{0.005, 0.01, 0.03, 0.05} {
		for seed := range seeds {
			page, truth, err := Draw(1800, 2700, 80, 40, flip, 2000+uint64(seed))
			if err != nil {
				return err
			}
			found, _, err := Search(ctx, page, truth)
			if err != nil {
				return err
			}
			for _, f := range found {
				p = append(p, 1/(1+math.Exp(-f.Score)))
			}
			right = append(right, Judge(found, truth)...)
		}
	}
	fmt.Fprintf(w, "Odds of finds, four levels of flips, %d drawings each of 80 symbols and 40 strangers:\n\n", seeds)
	t := stat.NewTable(w, "odds from", "finds", "right", "share", "mean probability")
	for b, from := range bands {
		to := math.Inf(1)
		if b+1 < len(bands) {
			to = bands[b+1]
		}
		n, hits, sum := 0, 0, 0.0
		for i := range p {
			if odds := p[i] / (1 - p[i]); odds >= from && odds < to {
				n, sum = n+1, sum+p[i]
				if right[i] {
					hits++
				}
			}
		}
		if n > 0 {
			t.Row("%v | %d | %d | %.3f | %.3f", from, n, hits, float64(hits)/float64(n), sum/float64(n))
		}
	}
	var all, sure stat.Bins
	for i, v := range p {
		if all.Add(v, right[i]); v >= 0.5 {
			sure.Add(v, right[i])
		}
	}
	fmt.Fprintf(w, "\nExpected calibration error, ten bins: %.4f over all %d, %.4f over those with odds of 1:1 or more.\n",
		all.Error(), len(p), sure.Error())
	if picture == "" {
		return nil
	}
	c := chart.Curves("Finds: of those with this probability, how many are right", "probability of the find",
		"share that is right",
		[]chart.Series{{Name: "as it should be", X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true}})
	s := chart.Series{Name: fmt.Sprintf("finds, error %.4f", all.Error()), Points: true}
	s.X, s.Y, s.Low, s.High = all.Points(1)
	c.Series = append(c.Series, s)
	return render.Save(picture, c)
}
