package letters

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"
)

// StrokeCounts lists capitals with the numbers of strokes that a person accepts, the preferred one first. The constants
// of joining were chosen on the first nine.
var StrokeCounts = []struct {
	Letter  string
	Strokes []int
}{
	{"T", []int{2}}, {"L", []int{2}}, {"H", []int{3}}, {"F", []int{3}}, {"A", []int{3}}, {"E", []int{4}}, {"N", []int{3}},
	{"D", []int{2}}, {"P", []int{2}},
	{"V", []int{2}}, {"W", []int{4}}, {"X", []int{2}}, {"K", []int{3}}, {"Y", []int{3, 2}},
	{"C", []int{1, 2}}, {"I", []int{1, 3}}, {"J", []int{2, 3}},
	{"O", []int{1, 2}}, {"Q", []int{2, 3}}, {"S", []int{1, 2, 3}}, {"U", []int{1, 2, 3}},
}

// tuned is how many of StrokeCounts, the first, the constants were chosen on.
const tuned = 9

// writersApart is by how many writers the sets of twenty that ReportCounts learns from differ.
const writersApart = 15

// ReportCounts finds out the number of parts of capitals, each by several sets of twenty writers, and prints which a
// person accepts, and before joining how many pieces there were. Letters, if not empty, are those to try.
func ReportCounts(ctx context.Context, w io.Writer, set *dataset.Set, sets int, letters string, o Options) error {
	t := stat.NewTable(w, "letter", "accepted", "parts by set", "pieces by set")
	var right, all [2]int
	for n, c := range StrokeCounts {
		if letters != "" && !strings.Contains(letters, c.Letter) {
			continue
		}
		var parts, pieces []string
		for s := range sets {
			train, err := Choose(set, c.Letter, 1+s*writersApart, 20+s*writersApart)
			if err != nil {
				return err
			}
			m, err := learn.Learn(ctx, train, Config(set), learn.Options{Seed: o.Seed, Starts: o.Starts, Workers: o.Workers})
			if err != nil {
				return err
			}
			r := m.Extras().Record
			parts, pieces = append(parts, fmt.Sprint(m.K())), append(pieces, fmt.Sprint(max(r.Starts[r.Chosen].Pieces, m.K())))
			group := min(n/tuned, 1)
			all[group]++
			if slices.Contains(c.Strokes, m.K()) {
				right[group]++
			}
		}
		accepted := strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Strokes), " ", ", "), "[]")
		t.Row("%s | %s | %s | %s", c.Letter, accepted, strings.Join(parts, " "), strings.Join(pieces, " "))
	}
	_, err := fmt.Fprintf(w, "\naccepted: %d of %d of the letters tuned on, %d of %d of the others\n", right[0], all[0], right[1], all[1])
	return err
}
