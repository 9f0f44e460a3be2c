package real

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
)

// Digits8 returns the 8 x 8 grey digits of UCI optdigits from their bitmaps of 32 x 32: how many of each 4 x 4 block
// are on, 0 to 16, and their classes.
func Digits8(set *dataset.Set) (rows [][]float64, class []string, err error) {
	y, err := set.Column("y")
	if err != nil {
		return nil, nil, err
	}
	for i, img := range set.Images {
		rows, class = append(rows, Blocks(img, 4)), append(class, y.Text(i))
	}
	return rows, class, nil
}

// digitsOf returns the rows of a class, or of "all", that have the given places in a fixed permutation.
func digitsOf(rows [][]float64, class []string) func(c string, from, to int) [][]float64 {
	order := rand.New(rand.NewPCG(0, 8)).Perm(len(rows))
	return func(c string, from, to int) (out [][]float64) {
		for _, i := range order[from:to] {
			if c == "all" || class[i] == c {
				out = append(out, rows[i])
			}
		}
		return out
	}
}

// ReportDigitRivals prints the log-likelihood of scikit-learn's models on the digits of ReportDigits.
func ReportDigitRivals(ctx context.Context, w io.Writer, rows [][]float64, class []string) error {
	pick := digitsOf(rows, class)
	fmt.Fprint(w, "Grey digits of 8 x 8: nats per test image, of each rival at its best on the test images\n\n")
	t := stat.NewTable(w, "classes", "rival", "test")
	for _, c := range digitClasses {
		all, err := Rivals(ctx, &Job{Train: pick(c, 0, 1200), Test: pick(c, 1200, len(rows)),
			Floor: slices.Repeat([]float64{.25}, 64)})
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			t.Row("%s | %s | %.1f", c, name, all[name].Known)
		}
	}
	return nil
}

// digitClasses are learned all together, and some alone.
var digitClasses = []string{"all", "0", "2", "3", "8"}

// ReportDigits learns digits of some classes (none means all together, then 0, 2, 3 and 8 alone), and prints the
// log-likelihood of others.
func ReportDigits(ctx context.Context, w io.Writer, rows [][]float64, class []string, classes ...string) error {
	if len(classes) == 0 {
		classes = digitClasses
	}
	pick := digitsOf(rows, class)
	fmt.Fprint(w, "Grey digits of 8 x 8 (values 0 to 16), 1200 rows to learn from: nats per test image over the 24 best "+
		"explanations\n\n")
	t := stat.NewTable(w, "classes", "parts", "parameters", "test", "best explanation alone",
		"description lengths of the starts")
	for _, c := range classes {
		r, err := fit(ctx, 8, 8, pick(c, 0, 1200), model.Options{Seed: 1})
		if err != nil {
			return err
		}
		all, best, err := evidence(r.Model, pick(c, 1200, len(rows)))
		if err != nil {
			return err
		}
		t.Row("%s | %d | %d | %.1f | %.1f | %.0f", c, r.Model.K(), Parameters(r.Model), all, best, r.Starts)
	}
	return nil
}
