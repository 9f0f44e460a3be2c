package letters

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
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
	t := stat.NewTable(w, "letter", "strokes", "parts by seed", "gain of one more part, nats per image, by seed")
	right := make([]int, seeds)
	for _, c := range StrokeCounts {
		train, err := Choose(set, c.Letter, 1, 20)
		if err != nil {
			return err
		}
		var parts, gains []string
		for s := range seeds {
			m, err := learn.Learn(ctx, train, Config(set), learn.Options{Seed: o.Seed + uint64(s), Starts: o.Starts,
				Workers: o.Workers})
			if err != nil {
				return err
			}
			parts = append(parts, fmt.Sprint(m.K()))
			var gain []string
			curve := m.Extras().Record.Curve
			for i := range curve[1:] {
				gain = append(gain, fmt.Sprintf("%.0f",
					(curve[i].DescriptionLength-curve[i+1].DescriptionLength)/float64(curve[i].Rows)))
			}
			gains = append(gains, strings.Join(gain, " "))
			if m.K() == c.Strokes {
				right[s]++
			}
		}
		t.Row("%s | %d | %s | %s", c.Letter, c.Strokes, strings.Join(parts, " "), strings.Join(gains, "; "))
	}
	_, err := fmt.Fprintf(w, "\nright by seed, of %d: %v\n", len(StrokeCounts), right)
	return err
}
