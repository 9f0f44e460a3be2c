package sheets

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/npy"
)

//go:embed rival.py
var rivalScript string

// errMissing reports that OpenCV cannot be used here.
var errMissing = errors.New("OpenCV cannot be used here")

// Rival finds the symbols by OpenCV's matchTemplate and non-maximum suppression, on one thread.
// The error is errMissing where Python 3, NumPy or OpenCV is not installed.
func Rival(ctx context.Context, page *bitmap.Image, truth *synth.SheetTruth, least float64) (found []Found,
	seconds float64, err error) {
	python := ""
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.CommandContext(ctx, path, "-c", "import cv2, numpy").Run() ==
			nil {
			python = path
			break
		}
	}
	if python == "" {
		return nil, 0, fmt.Errorf("%w: no Python 3 with packages cv2 and numpy (Debian: python3-opencv)", errMissing)
	}
	dir, err := os.MkdirTemp("", "sheets-rival-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	var templates []uint8
	for _, m := range truth.Symbols {
		templates = m.AppendBytes(templates)
	}
	frame := truth.Symbols[0]
	for name, a := range map[string]*npy.Array{
		"page.npy":      npy.New(page.AppendBytes(nil), page.Height(), page.Width()),
		"templates.npy": npy.New(templates, len(truth.Symbols), frame.Height(), frame.Width()),
	} {
		var b bytes.Buffer
		if err := npy.Write(&b, a); err != nil {
			return nil, 0, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			return nil, 0, err
		}
	}
	said, err := exec.CommandContext(ctx, python, "-c", rivalScript, dir,
		strconv.FormatFloat(least, 'g', -1, 64)).CombinedOutput()
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %s", err, said)
	}
	if seconds, err = strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(string(said), "seconds")), 64); err != nil {
		return nil, 0, err
	}
	file, err := os.ReadFile(filepath.Join(dir, "finds.npy"))
	if err != nil {
		return nil, 0, err
	}
	a, err := npy.Read(bytes.NewReader(file), npy.Limits{})
	if err != nil {
		return nil, 0, err
	}
	v, err := a.Float64s()
	if err != nil {
		return nil, 0, err
	}
	for row := range slices.Chunk(v, 6) {
		found = append(found,
			Found{synth.Placement{Symbol: int(row[0]), Y: int(row[1]), X: int(row[2]), Turn: int(row[3]), Mirror: row[4] == 1},
				row[5]})
	}
	return found, seconds, nil
}

// ReportRival compares with OpenCV on smaller sheets, at the threshold of correlation that
// is best for it in hindsight.
func ReportRival(ctx context.Context, w io.Writer, seeds int) error {
	fmt.Fprintf(w, "900 x 1,350 pixels, 34 symbols in 8 orientations, 20 placements, beside OpenCV's matchTemplate "+
		"(normalised correlation) with\nnon-maximum suppression, one thread each, threshold for it by hindsight:\n\n")
	fmt.Fprintf(w, "| flips | strangers | F1 here | F1 OpenCV | threshold | s here | s OpenCV "+
		"|\n|---|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		flip      float64
		strangers int
	}{{0.01, 0}, {0.05, 0}, {0.05, 10}} {
		var f1, rival, threshold, seconds, theirs []float64
		for seed := range seeds {
			page, truth, err := Draw(900, 1350, 20, c.strangers, c.flip, 3000+uint64(seed))
			if err != nil {
				return err
			}
			found, took, err := Search(ctx, page, truth)
			if err != nil {
				return err
			}
			f1, seconds = append(f1, F1(found, Judge(found, truth), 0, 20)), append(seconds, took)
			found, took, err = Rival(ctx, page, truth, 0.4)
			if errors.Is(err, errMissing) {
				fmt.Fprintf(w, "\nLeft out: %v.\n", err)
				return nil
			}
			if err != nil {
				return err
			}
			right, best, at := Judge(found, truth), 0.0, 0.0
			for t := 0.4; t < 1; t += 0.01 {
				if v := F1(found, right, t, 20); v > best {
					best, at = v, t
				}
			}
			rival, threshold, theirs = append(rival, best), append(threshold, at), append(theirs, took)
		}
		fmt.Fprintf(w, "| %v | %d | %.4f | %.4f | %.2f | %.2f | %.1f |\n", c.flip, c.strangers, stat.Mean(f1),
			stat.Mean(rival), stat.Mean(threshold), stat.Mean(seconds), stat.Mean(theirs))
	}
	return nil
}
