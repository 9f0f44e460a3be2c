package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

const sampleLong = `Draw configurations (which parts appear, and where, from the geometry of the
training images), compose them, and draw every pixel.

OUT.npz gets the arrays x (N,H,W), the images; pose (N,K,3), the dy, dx and angle of
each part, NaN if it is absent (of a part that is there more than once, the first);
and columns and names, those of columns and parts, if the model has them. OUT.csv, of a
model of a table, is a table with the names of the columns. OUT.png or OUT.svg is a
picture. Without -o the samples are shown in the terminal.`

const sampleExample = `  patchwork sample -m model.npz -n 9 --seed 1
  patchwork sample -m model.npz -n 9 --seed 1 -o samples.png`

// sampleFlags are the flags of sample.
type sampleFlags struct {
	model, output string
	n             int
	seed          uint64
}

func (a *app) sampleCommand() *cobra.Command {
	f := new(sampleFlags)
	cmd := &cobra.Command{
		Use:     "sample -m MODEL -n N [-o OUT]",
		Short:   "Draw new images from a model",
		Long:    sampleLong,
		Example: sampleExample,
		Args:    flagsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error {
			format, err := checkOutput("sample", f.output)
			if err != nil {
				return err
			}
			return a.sample(cmd, f, format)
		},
	}
	modelFlag(cmd, &f.model)
	fs := cmd.Flags()
	fs.IntVarP(&f.n, "number", "n", 9, "number of samples")
	fs.Uint64Var(&f.seed, "seed", 0, "seed; sample i depends on it and i alone")
	fs.StringVarP(&f.output, "output", "o", "",
		"file to write (.npz, .png, .svg, of a table .csv; - for npz on standard output)")
	return cmd
}

// sample draws rows or images from a model, and writes or shows them.
func (a *app) sample(cmd *cobra.Command, f *sampleFlags, format string) error {
	m, err := modelFor(cmd, f.model, false)
	if err != nil {
		return err
	}
	csv := strings.HasPrefix(format, ".csv")
	if csv && !m.Table() {
		return usagef("-o %s: a CSV file holds the rows of a table, and the model is of images; choose .npz, .png or .svg",
			f.output)
	}
	s, err := m.Sample(f.n, f.seed)
	if err != nil {
		return usagef("--number: %w", err)
	}
	lines := s.Lines()
	switch {
	case f.output == "" && lines != nil:
		return a.print(lines)
	case f.output == "" && !m.Table():
		return a.show(s.Picture().(render.Sheet))
	case f.output == "" || csv:
		err = a.writeSampleTable(cmp.Or(f.output, "-"), m, s.Frame)
	case isPicture(f.output):
		err = a.savePicture(cmd.Context(), f.output, s.Picture())
	default:
		err = a.output(f.output, func(w io.Writer) error { return npy.WriteZip(w, npy.Deflate, sampleMembers(m, s)...) })
	}
	if err != nil {
		return err
	}
	h, w := s.Frame.Size()
	return a.wrote(f.output, "%s", workbench.RowsText(f.n, h, w, m.Table()))
}

// writeSampleTable writes samples as a table with the names of the columns.
func (a *app) writeSampleTable(path string, m workbench.Model, f *dataset.Frame) error {
	t, names := new(answers), f.Columns
	if _, w := f.Size(); names == nil {
		names = valuesBy(w, func(x int) string { return fmt.Sprintf("column %d", x+1) })
	}
	if f.Values != nil {
		roundAll(f.Values...)
		t.addCells(m, names, f.Values)
	} else {
		var x []uint8
		for _, img := range f.Images {
			x = img.AppendBytes(x)
		}
		t.add("x", x, slices.Clone(names)...)
	}
	return a.outputAnswers(path, ".csv", t, t.once())
}

// sampleMembers returns the arrays of an .npz file.
func sampleMembers(m workbench.Model, s *workbench.Samples) (out []npy.Member) {
	f := s.Frame
	if f.Values != nil {
		x := npy.New(slices.Concat(f.Values...), shapeOf(f, f.Len())...)
		out = append(out, npy.Member{Name: "x", Array: x})
	} else {
		n, k := f.Len(), m.K()
		poses := slices.Repeat([]float64{math.NaN()}, n*k*3)
		for i, picks := range s.Picks {
			for _, p := range slices.Backward(picks) { // of several picks of a part the first
				copy(poses[3*(i*k+p.Expert):], []float64{float64(p.Pose.DY), float64(p.Pose.DX), p.Pose.Angle})
			}
		}
		out = append(out, member(synth.ImageArray("x", f.Images)), npy.Member{Name: "pose", Array: npy.New(poses, n, k, 3)})
	}
	if f.Columns != nil {
		out = append(out, npy.Member{Name: "columns", Array: npy.New(f.Columns, len(f.Columns))})
	}
	if names := m.Names(); names != nil {
		out = append(out, npy.Member{Name: "names", Array: npy.New(names, m.K())})
	}
	return out
}

// shapeOf returns the shape of an array of n rows or images like those of a frame.
func shapeOf(f *dataset.Frame, n int) []int {
	h, w := f.Size()
	if f.Table {
		return []int{n, w}
	}
	return []int{n, h, w}
}
