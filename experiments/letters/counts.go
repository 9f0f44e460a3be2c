package letters

import (
	"context"
	"fmt"
	"io"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/learn"
)

// StrokeCounts lists straight letters with the number of their strokes.
var StrokeCounts = []struct {
	Letter  string
	Strokes int
}{{"T", 2}, {"L", 2}, {"H", 3}, {"F", 3}, {"A", 3}, {"E", 4}, {"N", 3}}

// ReportCounts finds out the number of parts of straight letters by twenty
// writers, with seeds from the first one, and prints what each further part
// brought.
func ReportCounts(ctx context.Context, w io.Writer, set *dataset.Set, seeds int, o Options) error {
	h, width := set.Size()
	cfg := patchwork.NewConfig(patchwork.RuleMax, h, width, Poses)
	fmt.Fprintf(w, "| letter | strokes | parts by seed | gain of one more part, nats per image, by seed "+
		"|\n|---|---|---|---|\n")
	right := make([]int, seeds)
	for _, c := range StrokeCounts {
		train, err := Choose(set, c.Letter, 1, 20)
		if err != nil {
			return err
		}
		parts, gains := "", ""
		for s := range seeds {
			m, err := learn.Learn(ctx, train, cfg, learn.Options{Seed: o.Seed + uint64(s), Starts: o.Starts, Workers: o.Workers})
			if err != nil {
				return err
			}
			parts += fmt.Sprintf(" %d", m.K())
			gains += "; "
			curve := m.Extras().Record.Curve
			for i := range curve[1:] {
				gains += fmt.Sprintf(" %.0f", (curve[i].DescriptionLength-curve[i+1].DescriptionLength)/float64(curve[i].Rows))
			}
			if m.K() == c.Strokes {
				right[s]++
			}
		}
		if _, err := fmt.Fprintf(w, "| %s | %d |%s | %s |\n", c.Letter, c.Strokes, parts, gains[2:]); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nright by seed, of %d: %v\n", len(StrokeCounts), right)
	return err
}
