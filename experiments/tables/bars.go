package tables

import (
	"context"
	"fmt"
	"io"
	"time"

	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
)

// BarsRow holds how often the bars, and their number, were found.
type BarsRow struct {
	Side   int
	Rule   patchwork.Rule
	Sets   int
	All    int         // sets with every bar among the experts
	Chosen map[int]int // sets by the number of experts
	Took   time.Duration
}

// Bars learns sets of 1000 images of bars, 5 % of the pixels flipped, by
// description length, with K unknown.
func Bars(ctx context.Context, side, sets int, rule patchwork.Rule, o Options) (BarsRow, error) {
	row := BarsRow{Side: side, Rule: rule, Sets: sets, Chosen: make(map[int]int)}
	for i := range sets {
		seed := o.Seed + uint64(i)
		set, err := synth.Bars(synth.BarsOptions{N: 1000, Side: side, Seed: seed})
		if err != nil {
			return row, err
		}
		began := time.Now()
		opt := o.table()
		opt.Aim, opt.StartFrom, opt.Seed = table.AimInterpret, table.StartFromGrow, seed
		m, err := table.Learn(ctx, patchwork.Data{Images: set.Images},
			patchwork.Config{Rule: rule, Height: side, Width: side}, opt)
		if err != nil {
			return row, err
		}
		row.Took += time.Since(began)
		row.Chosen[m.K()]++
		if found(m, set.Truth.Bars) == len(set.Truth.Bars) {
			row.All++
		}
	}
	return row, nil
}

// found returns how many of the bars are the ink (above 1/2) of some expert.
func found(m *patchwork.Model, bars []*bitmap.Image) int {
	n := 0
	for _, bar := range bars {
		pixels := bar.AppendBytes(nil)
		for k := range m.K() {
			if inks(m.Template(k), pixels) {
				n++
				break
			}
		}
	}
	return n
}

func inks(template []float64, pixels []uint8) bool {
	for i, p := range template {
		if (p > 0.5) != (pixels[i] == 1) {
			return false
		}
	}
	return true
}

// ReportBars prints the bars test.
func ReportBars(ctx context.Context, w io.Writer, side, sets int, o Options) error {
	fmt.Fprintf(w, "\nbars %d x %d, 5 %% flips, N = 1000\n\n| rule | all bars | sets by K | s per set "+
		"|\n|---|---|---|---|\n", side, side)
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		r, err := Bars(ctx, side, sets, rule, o)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "| %v | %d of %d | %v | %.1f |\n", rule, r.All, sets, r.Chosen,
			r.Took.Seconds()/float64(sets)); err != nil {
			return err
		}
	}
	return nil
}
