package main

import (
	"fmt"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// maxSampleValues bounds the number of pixels of all samples together.
const maxSampleValues = 1 << 27

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
			return with(cmd, f.model, byKind{
				bits:    func(m *patchwork.Model) error { return a.sample(f, m, format) },
				numbers: func(m *real.Model) error { return a.sampleReal(cmd, f, m, format) }})
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

// check returns an error if there are more samples than fit in memory, h x w pixels each.
func (f *sampleFlags) check(h, w, parts int) error {
	if most := max(1, maxSampleValues/(h*w)/max(parts, 1)); f.n < 1 || f.n > most {
		return usagef("-n %d samples: give at least 1 and at most %d", f.n, most)
	}
	return nil
}

// sample draws images from a model of bits, and writes or shows them.
func (a *app) sample(f *sampleFlags, m *patchwork.Model, format string) error {
	if strings.HasPrefix(format, ".csv") && !ofTable(m) {
		return usagef("-o %s: a CSV file holds the rows of a table, and the model is of images; choose .npz, .png or .svg",
			f.output)
	}
	if m.K() > math.MaxInt16 {
		return usagef("the model has %d parts, and an image that is drawn has at most %d", m.K(), math.MaxInt16)
	}
	h, w := imageSize(m)
	if err := f.check(h, w, m.K()); err != nil {
		return err
	}
	s := drawSamples(m, f.n, f.seed)
	switch {
	case f.output == "" && ofTable(m):
		return a.print(s.lines())
	case f.output == "":
		return a.show(s.sheet())
	}
	if err := a.saveSamples(s, f.output); err != nil {
		return err
	}
	size := fmt.Sprintf("%d x %d", h, w)
	if ofTable(m) {
		size = words.Count(m.Width(), "column")
	}
	return a.wrote(f.output, "%s of %s", words.Count(f.n, "sample"), size)
}

// samples holds images drawn from a model.
type samples struct {
	model  *patchwork.Model
	picks  [][]patchwork.Pick
	images []*bitmap.Image
}

func drawSamples(m *patchwork.Model, n int, seed uint64) *samples {
	s := &samples{model: m}
	h, w := imageSize(m)
	for i := range n {
		r := sampleSource(seed, i)
		picks := m.SamplePicks(r)
		s.picks = append(s.picks, picks)
		s.images = append(s.images, bitmap.Sample(r, h, w, m.Compose(h, w, picks).P))
	}
	return s
}

func (a *app) saveSamples(s *samples, path string) error {
	switch {
	case isPicture(path):
		return a.savePicture(path, s.picture())
	case strings.HasPrefix(suffixOf(path), ".csv"):
		return a.output(path, s.writeCSV)
	}
	return a.output(path, func(w io.Writer) error { return npy.WriteZip(w, npy.Deflate, s.members()...) })
}

// members returns the arrays of an .npz file.
func (s *samples) members() []npy.Member {
	n, k := len(s.images), s.model.K()
	poses := make([]float64, 0, n*k*3)
	for _, picks := range s.picks {
		of := make([]float64, k*3)
		for i := range of {
			of[i] = math.NaN()
		}
		for _, p := range slices.Backward(picks) { // of several picks of a part the first
			copy(of[3*p.Expert:], []float64{float64(p.Pose.DY), float64(p.Pose.DX), p.Pose.Angle})
		}
		poses = append(poses, of...)
	}
	out := []npy.Member{
		member(synth.ImageArray("x", s.images)),
		{Name: "pose", Array: npy.New(poses, n, k, 3)},
	}
	e := s.model.Extras()
	if e.Columns != nil {
		out = append(out, npy.Member{Name: "columns", Array: npy.New(e.Columns, len(e.Columns))})
	}
	if e.Names != nil {
		out = append(out, npy.Member{Name: "names", Array: npy.New(e.Names, k)})
	}
	return out
}

func (s *samples) sheet() render.Sheet {
	tiles := make([]image.Image, len(s.images))
	for i, img := range s.images {
		tiles[i] = render.Image(img)
	}
	return samplesSheet(tiles)
}

// samplesSheet returns a sheet of numbered samples.
func samplesSheet(tiles []image.Image) render.Sheet {
	sheet := render.Sheet{Title: "Samples"}
	for i, tile := range tiles {
		sheet.Tiles = append(sheet.Tiles, render.Tile{Image: tile, Caption: strconv.Itoa(i + 1)})
	}
	return sheet
}

// imageSize returns the size of the images that a model samples.
func imageSize(m *patchwork.Model) (height, width int) {
	c := m.Config()
	return c.ImageHeight, c.ImageWidth
}

// sampleTiles draws tiles of n samples: configurations drawn from the geometry,
// composed, as probabilities.
func sampleTiles(m *patchwork.Model, n int, seed uint64) []image.Image {
	h, w := imageSize(m)
	return valuesBy(n, func(i int) image.Image { return render.Composed(m, h, w, m.SamplePicks(sampleSource(seed, i))) })
}

// sampleSource returns the random source of sample i, which depends on the index, so
// that more samples never change the first ones.
func sampleSource(seed uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)))
}
