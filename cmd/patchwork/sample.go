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
	"example.com/patchwork/render"
)

// maxSampleValues bounds the number of pixels of all samples together.
const maxSampleValues = 1 << 27

func (a *app) sampleCommand() *cobra.Command {
	var (
		model, output string
		picture       picturePath
		n             int
		seed          uint64
		probabilities bool
	)
	cmd := &cobra.Command{
		Use:   "sample -m MODEL -n N [-o OUT]",
		Short: "Draw new images from a model",
		Long: `Draw configurations (which parts appear, and where, from the geometry of the
training images), compose them, and draw every pixel.

OUT.npz gets the arrays x (N,H,W), the images; pose (N,K,3), the dy, dx and angle of
each part, NaN if it is absent (of a part that is there more than once, the first);
columns and names, those of columns and parts, if the model has them; and with
--probabilities p (N,H,W), the composed probabilities. OUT.csv, of a model of a
table, is a table with the names of the columns; with --probabilities its cells are
the composed ones. OUT.png or OUT.svg is a picture. Without -o and --picture the
samples are shown in the terminal.`,
		Example: `  patchwork sample -m model.npz -n 9 --seed 1
  patchwork sample -m model.npz -n 9 --seed 1 --probabilities -o samples.png`,
		Args: flagsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if isReal(model) {
				return a.sampleReal(cmd, model, n, seed, output)
			}
			format, err := checkOutput("sample", output)
			if err != nil {
				return err
			}
			if err := checkOutputs(string(picture)); err != nil {
				return err
			}
			m, err := loadModel(model)
			if err != nil {
				return err
			}
			if isCSV := strings.HasPrefix(format, ".csv"); isCSV && !ofTable(m) {
				return usagef("-o %s: a CSV file holds the rows of a table, and the model is of images; choose .npz, .png or .svg", output)
			}
			if m.K() > math.MaxInt16 {
				return usagef("the model has %d parts, and an image that is drawn has at most %d", m.K(), math.MaxInt16)
			}
			h, w := imageSize(m)
			if most := max(1, maxSampleValues/(h*w)/m.K()); n < 1 || n > most {
				return usagef("-n %d samples: give at least 1 and at most %d", n, most)
			}
			s := drawSamples(m, n, seed)
			if err := a.saveSamples(s, output, probabilities); err != nil {
				return err
			}
			size := fmt.Sprintf("%d x %d", h, w)
			if ofTable(m) {
				size = words.Count(m.Width(), "column")
			}
			if err := a.wrote(output, "%s of %s", words.Count(n, "sample"), size); err != nil {
				return err
			}
			switch {
			case picture != "":
				return a.savePicture(string(picture), s.picture(probabilities))
			case output == "" && ofTable(m):
				return a.print(s.lines())
			case output == "":
				return a.show(s.sheet(probabilities))
			}
			return nil
		},
	}
	modelFlag(cmd, &model)
	fs := cmd.Flags()
	fs.IntVarP(&n, "number", "n", 9, "number of samples")
	fs.Uint64Var(&seed, "seed", 0, "seed; sample i depends on it and i alone")
	fs.StringVarP(&output, "output", "o", "", "file to write (.npz, .png, .svg, of a table .csv; - for npz on standard output)")
	fs.BoolVar(&probabilities, "probabilities", false, "show the composed probabilities instead of drawn pixels; an .npz gets both")
	picture.add(cmd, "picture", "also write a picture")
	a.formulasFlag(cmd, false)
	return cmd
}

// samples holds images drawn from a model.
type samples struct {
	model  *patchwork.Model
	picks  [][]patchwork.Pick
	images []*bitmap.Image
	p      [][]float64 // composed probabilities
}

func drawSamples(m *patchwork.Model, n int, seed uint64) *samples {
	s := &samples{model: m}
	h, w := imageSize(m)
	for i := range n {
		r := sampleSource(seed, i)
		picks := m.SamplePicks(r)
		p := m.Compose(h, w, picks).P
		s.picks = append(s.picks, picks)
		s.p = append(s.p, p)
		s.images = append(s.images, bitmap.Sample(r, h, w, p))
	}
	return s
}

func (a *app) saveSamples(s *samples, path string, probabilities bool) error {
	switch {
	case path == "":
		return nil
	case isPicture(path):
		return a.savePicture(path, s.picture(probabilities))
	case strings.HasPrefix(suffixOf(path), ".csv"):
		return a.output(path, func(w io.Writer) error { return s.writeCSV(w, probabilities) })
	}
	write := func(w io.Writer) error { return npy.WriteZip(w, npy.Deflate, s.members(probabilities)...) }
	return a.output(path, write)
}

// members returns the arrays of an .npz file.
func (s *samples) members(probabilities bool) []npy.Member {
	n, k := len(s.images), s.model.K()
	h, w := imageSize(s.model)
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
	if probabilities {
		p := make([]float64, 0, n*h*w)
		for _, row := range s.p {
			p = append(p, row...)
		}
		out = append(out, npy.Member{Name: "p", Array: npy.New(p, n, h, w)})
	}
	return out
}

func (s *samples) sheet(probabilities bool) render.Sheet {
	sheet := render.Sheet{Title: "Samples"}
	for i := range s.images {
		var tile image.Image = render.Image(s.images[i])
		if probabilities {
			tile = composedTile(s.model, s.picks[i])
		}
		sheet.Tiles = append(sheet.Tiles, render.Tile{Image: tile, Caption: strconv.Itoa(i + 1)})
	}
	return sheet
}

// imageSize returns the size of the images that a model samples.
func imageSize(m *patchwork.Model) (height, width int) {
	c := m.Config()
	return c.ImageHeight, c.ImageWidth
}

// composedTile draws the probabilities that picks compose.
func composedTile(m *patchwork.Model, picks []patchwork.Pick) image.Image {
	h, w := imageSize(m)
	return render.Composed(m, h, w, picks)
}

// sampleTiles draws tiles of n samples: configurations drawn from the geometry,
// composed, as probabilities.
func sampleTiles(m *patchwork.Model, n int, seed uint64) []image.Image {
	tiles := make([]image.Image, n)
	for i := range tiles {
		tiles[i] = composedTile(m, m.SamplePicks(sampleSource(seed, i)))
	}
	return tiles
}

// sampleSource returns the random source of sample i, which depends on the index, so
// that more samples never change the first ones.
func sampleSource(seed uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)))
}
