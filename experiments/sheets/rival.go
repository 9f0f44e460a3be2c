package sheets

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/python"
	"example.com/patchwork/experiments/stat"
)

//go:embed rival.py
var rivalText string

var script = python.Script{Text: rivalText, Modules: "cv2, numpy", Debian: "python3-opencv"}

// Rival finds the symbols on a grey page by OpenCV's matchTemplate and non-maximum suppression, on one thread.
func Rival(ctx context.Context, page *image.Gray, truth *synth.SheetTruth, least float64) (found []Found,
	seconds float64, err error) {
	pixels := func(m *bitmap.Image) []string {
		return strings.Fields(strings.NewReplacer("#", "0", ".", "9").Replace(m.String()))
	}
	var templates [][]string
	for _, m := range truth.Symbols {
		templates = append(templates, pixels(m))
	}
	rows := make([]string, page.Rect.Dy()) // a digit a pixel, 9 is white
	for y := range rows {
		row := slices.Clone(page.Pix[y*page.Stride:][:page.Rect.Dx()])
		for x, v := range row {
			row[x] = '0' + byte((int(v)*9+127)/255)
		}
		rows[y] = string(row)
	}
	var a struct {
		Finds   [][6]float64
		Seconds float64
	}
	err = script.Ask(ctx, "find", map[string]any{"page": rows, "templates": templates, "least": least}, &a)
	for _, f := range a.Finds {
		found = append(found, Found{synth.Placement{Symbol: int(f[0]), Y: int(f[1]), X: int(f[2]), Turn: int(f[3]),
			Mirror: f[4] == 1}, f[5]})
	}
	return found, a.Seconds, err
}

// thresholds are those of OpenCV's correlation.
var thresholds = []float64{0.7, 0.8}

// ReportRival compares with OpenCV on pages of the templates' own pixels and on scans of them.
func ReportRival(ctx context.Context, w io.Writer, seeds int) error {
	fmt.Fprintf(w, "900 x 1,350 pixels, 34 symbols in 8 orientations, 20 placements, 20 words on scans, beside OpenCV's "+
		"matchTemplate\n(normalised correlation) with non-maximum suppression, one thread each; least F1 of the pages in brackets:\n\n")
	t := stat.NewTable(w, "pages", "F1 here", "OpenCV at .7", "at .8", "pages behind it", "s here", "s OpenCV")
	for _, s := range append([]Scanner{{Name: "the templates' own pixels"}}, Scanners...) {
		// Of each seed: F1 here and of OpenCV, seconds here and of OpenCV.
		all, err := stat.Seeds(seeds, func(seed uint64) (r [5]float64, err error) {
			page, truth, err := Draw(900, 1350, 20, 0, 0, 3000+seed)
			if err != nil {
				return r, err
			}
			grey := greyOf(page)
			if s.Quality > 0 {
				grey, truth = s.Scan(page, truth, seed)
				if page, err = s.Read(ctx, grey); err != nil {
					return r, err
				}
			}
			found, took, err := Search(ctx, page, truth)
			if err != nil {
				return r, err
			}
			r[0], r[3] = F1(found, Judge(found, truth), 0, 20), took
			found, r[4], err = Rival(ctx, grey, truth, thresholds[0])
			for i, least := range thresholds {
				r[1+i] = F1(found, Judge(found, truth), least, 20)
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
		cell := func(i int) string {
			of := stat.Of(all, func(r [5]float64) float64 { return r[i] })
			return fmt.Sprintf("%.3f (%.3f)", stat.Mean(of), slices.Min(of))
		}
		mean := func(i int) float64 { return stat.MeanOf(all, func(r [5]float64) float64 { return r[i] }) }
		behind := stat.Count(all, func(r [5]float64) bool { return r[0] < max(r[1], r[2]) })
		t.Row("%s | %s | %s | %s | %d of %d | %.2f | %.1f", s.Name, cell(0), cell(1), cell(2), behind, seeds, mean(3), mean(4))
	}
	return nil
}

// greyOf returns a page as a picture.
func greyOf(page *bitmap.Image) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, page.Width(), page.Height()))
	for i, v := range page.AppendBytes(nil) {
		out.Pix[i] = 255 - 255*v
	}
	return out
}
