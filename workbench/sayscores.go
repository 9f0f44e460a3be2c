package workbench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// Lines says the scores, for people.
func (s *Scores) Lines() []string {
	if s.ClassScores != nil {
		return s.ClassScores.lines()
	}
	var out []string
	line := func(name, format string, args ...any) {
		out = append(out, fmt.Sprintf("%-25s "+format, append([]any{name}, args...)...))
	}
	nouns := words.NounsOf(s.table)
	image, pixel, given := nouns.Image, nouns.Pixel, " (over its best explanations)"
	if s.BitScores != nil {
		given = s.given
	}
	line(image+"s", "%d", s.Images)
	line("log-likelihood per "+image, "%.4f nats%s", s.PerImage, given)
	line("log-likelihood per "+pixel, "%.6f nats", s.PerPixel)
	if n := s.NumberScores; n != nil {
		line("best explanation alone", "%.4f nats per %s, its parts included", n.Best, image)
	}
	if b := s.BitScores; b != nil {
		line("cross-entropy", "%.4f nats per %s, %.6f bits per %s", b.CrossEntropy, image, b.BitsPerPixel, pixel)
	}
	line("picks per "+image, "%.3f", s.PicksPerImage)
	if b := s.BitScores; b != nil {
		b.sayMore(line, image, pixel)
	}
	if s.Odd != nil {
		out = append(append(out, "least like the others:"), SayOdd(s.Odd, mostOddSaid)...)
	}
	switch h := s.Hidden.(type) {
	case *HiddenBits:
		return append(out, h.lines(image)...)
	case *HiddenCells:
		return append(out, h.lines()...)
	case *HiddenNumbers:
		line("hidden "+pixel+"s", "%d", h.Values)
		line("error", "%.3f standard deviations, log-loss %.4f nats, %.1f %% inside the interval of 80 %%", h.RMSE, h.LogLoss,
			100*h.Inside)
		line("of the background alone", "%.3f, log-loss %.4f", h.BaseRMSE, h.BaseLogLoss)
	}
	return out
}

// sayMore says what is not always there.
func (b *BitScores) sayMore(line func(string, string, ...any), image, pixel string) {
	if b.Missing+b.Clutter > 0 {
		line("noise", "%.1f %% of the ink missing, %.1f %% of the paper inked, on average; learned from each %s",
			100*b.Missing, 100*b.Clutter, image)
	}
	if b.Impossible > 0 {
		line("impossible "+image+"s", "%d (some %s contradicts a probability of 0 or 1)", b.Impossible, pixel)
	}
	if b.BitsPerImage != nil {
		line("description length", "%.1f nats, %.4f bits per %s", *b.Length, *b.BitsPerImage, image)
	}
}

func (r *HiddenBits) lines(image string) []string {
	averaged := "average of the best explanations"
	if r.Predictor != "" {
		averaged = "by the parts and what the file holds beside them"
	}
	out := append([]string{"", fmt.Sprintf("%d bits hidden (%v of each %s, seed %d), predicted from the others:", r.Bits,
		r.Fraction, image, r.Seed)}, Columns([]string{"prediction", "log-loss", "accuracy", "AUC"}, [][]string{
		append([]string{averaged}, r.Averaged.cells()...), append([]string{"best explanation alone"}, r.Single.cells()...),
		append([]string{"column means of the " + r.MarginalOf + " (baseline)"}, r.Marginal.cells()...)})...)
	if n := len(r.Columns); n == 0 || n > mostColumnsSaid {
		return out
	}
	var rows [][]string
	for _, c := range r.Columns {
		rows = append(rows, append(append([]string{c.Name, fmt.Sprint(c.Bits), fmt.Sprint(c.On)}, c.cells()...),
			cell(c.Marginal)))
	}
	return append(append(out, ""), Columns([]string{"column", "bits", "on", "log-loss", "accuracy", "AUC",
		"log-loss of its mean"}, rows)...)
}

// mostColumnsSaid is up to how many columns are printed with their scores; JSON has all.
const mostColumnsSaid = 40

func (m *Metrics) cells() []string { return []string{cell(m.LogLoss), cell(m.Accuracy), cell(m.AUC)} }

// cell returns a number as text for a table, "" if there is none.
func cell(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.4f", v)
}

// lines returns a table of few classes, else what is confused most.
func (c *ClassScores) lines() []string {
	out := []string{fmt.Sprintf("%d of %d right, %.1f %%", c.Right, c.Labelled, 100*c.Accuracy)}
	if c.Baseline > 0 {
		out[0] += fmt.Sprintf(" (always naming %s, the commonest: %.1f %%)", c.Common, 100*c.Baseline)
	}
	if c.others > 0 {
		out[0] += fmt.Sprintf("; %d have a label that is no class", c.others)
	}
	const most, wide, pairsSaid = 12, 8, 5
	if len(c.Classes) <= most && !slices.ContainsFunc(c.Classes, func(s string) bool { return len(s) > wide }) {
		var rows [][]string
		for i, counts := range c.Counts {
			rows = append(rows, append([]string{c.Classes[i]}, strings.Fields(strings.Trim(fmt.Sprint(counts), "[]"))...))
		}
		return append(out, Columns(append([]string{"label named"}, c.Classes...), rows)...)
	}
	type pair struct{ truth, named, n int }
	var pairs []pair
	for i, row := range c.Counts {
		for j, n := range row {
			if i != j && n > 0 {
				pairs = append(pairs, pair{i, j, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.n, a.n) })
	for _, p := range pairs[:min(len(pairs), pairsSaid)] {
		out = append(out, fmt.Sprintf("  %d of %q named %q", p.n, c.Classes[p.truth], c.Classes[p.named]))
	}
	return out
}

// Columns returns a table as lines of text, columns without a figure left out.
func Columns(heads []string, rows [][]string) []string {
	lines := make([]string, 1+len(rows))
	for c, head := range heads {
		width, any := len(head), false
		for _, row := range rows {
			width, any = max(width, len(row[c])), any || row[c] != ""
		}
		if !any {
			continue
		}
		lines[0] += fmt.Sprintf("%*s", width+2, head)
		for i, row := range rows {
			lines[i+1] += fmt.Sprintf("%*s", width+2, cmp.Or(row[c], "-"))
		}
	}
	return lines
}
