package sheets

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/python"
	"example.com/patchwork/experiments/stat"
)

//go:embed rival.py
var rivalText string

var script = python.Script{Text: rivalText, Modules: "cv2, numpy", Debian: "python3-opencv"}

// Rival finds the symbols by OpenCV's matchTemplate and non-maximum suppression, on one thread.
func Rival(ctx context.Context, page *bitmap.Image, truth *synth.SheetTruth, least float64) (found []Found,
	seconds float64, err error) {
	pixels := func(m *bitmap.Image) []string {
		return strings.Fields(strings.NewReplacer("#", "1", ".", "0").Replace(m.String()))
	}
	var templates [][]string
	for _, m := range truth.Symbols {
		templates = append(templates, pixels(m))
	}
	var a struct {
		Finds   [][6]float64
		Seconds float64
	}
	err = script.Ask(ctx, "find", map[string]any{"page": pixels(page), "templates": templates, "least": least}, &a)
	for _, f := range a.Finds {
		found = append(found, Found{synth.Placement{Symbol: int(f[0]), Y: int(f[1]), X: int(f[2]), Turn: int(f[3]),
			Mirror: f[4] == 1}, f[5]})
	}
	return found, a.Seconds, err
}

// ReportRival compares with OpenCV on smaller sheets, at the threshold of correlation that
// is best for it in hindsight.
func ReportRival(ctx context.Context, w io.Writer, seeds int) error {
	fmt.Fprintf(w, "900 x 1,350 pixels, 34 symbols in 8 orientations, 20 placements, beside OpenCV's matchTemplate "+
		"(normalised correlation) with\nnon-maximum suppression, one thread each, threshold for it by hindsight:\n\n")
	t := stat.NewTable(w, "flips", "strangers", "F1 here", "F1 OpenCV", "threshold", "s here", "s OpenCV")
	for _, c := range []struct {
		flip      float64
		strangers int
	}{{0.01, 0}, {0.05, 0}, {0.05, 10}} {
		// Of each seed: F1 here and of OpenCV, its threshold, seconds here and of OpenCV.
		all, err := stat.Seeds(seeds, func(seed uint64) (r [5]float64, err error) {
			page, truth, err := Draw(900, 1350, 20, c.strangers, c.flip, 3000+seed)
			if err != nil {
				return r, err
			}
			found, took, err := Search(ctx, page, truth)
			if err != nil {
				return r, err
			}
			r[0], r[3] = F1(found, Judge(found, truth), 0, 20), took
			found, r[4], err = Rival(ctx, page, truth, 0.4)
			right := Judge(found, truth)
			for t := 0.4; t < 1; t += 0.01 {
				if v := F1(found, right, t, 20); v > r[1] {
					r[1], r[2] = v, t
				}
			}
			return r, err
		})
		if missing := new(python.MissingError); errors.As(err, &missing) {
			fmt.Fprintf(w, "\nLeft out: %v.\n", err)
			return nil
		}
		if err != nil {
			return err
		}
		mean := func(i int) float64 { return stat.MeanOf(all, func(r [5]float64) float64 { return r[i] }) }
		t.Row("%v | %d | %.4f | %.4f | %.2f | %.2f | %.1f", c.flip, c.strangers, mean(0), mean(1), mean(2), mean(3), mean(4))
	}
	return nil
}
