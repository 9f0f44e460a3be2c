package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// synthFlags are the flags that all kinds of synthetic sets share.
type synthFlags struct {
	n, side    int
	seed       uint64
	flip, hide float64
	output     string
	picture    string
	json       jsonFlag
}

// synthSet is a set whose truth is of any type.
type synthSet struct {
	images []*bitmap.Image
	arrays []synth.Array
}

// made forgets the type of a set's truth.
func made[T synth.Truth](s *synth.Set[T], err error) (*synthSet, error) {
	if err != nil {
		return nil, err
	}
	return &synthSet{s.Images, s.Arrays()}, nil
}

func (a *app) synthCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "synth KIND --n N --seed S -o FILE.npz",
		Short: "Make a synthetic set of images, with the truth it was made from",
		Long: `Make a synthetic set of images from a seed. FILE.npz gets the images as array x and
the truth as further arrays, which the help of each kind lists. The same request
gives the same set; a larger --n never changes the first images.`,
		Example: `  patchwork synth letters --letters TL --writers 20 --seed 1 -o letters.npz
  patchwork synth quadrants --n 1000 --seed 1 -o quadrants.npz --picture quadrants.png`,
		Args: func(cmd *cobra.Command, args []string) error {
			kinds := []string{synth.KindQuadrants, synth.KindBars, synth.KindLetters, synth.KindScenes, synth.KindSheet}
			if len(args) > 0 {
				return misused(cmd, "there is no kind of set %q; choose %s%s", args[0], words.Or(kinds),
					enum.DidYouMean(args[0], kinds))
			}
			return misused(cmd, "the kind of set is missing; choose %s", words.Or(kinds))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.quadrantsCommand(), a.barsCommand(), a.lettersCommand(), a.scenesCommand(), a.sheetCommand())
	return cmd
}

// kind completes the command of one kind of set; with a side, if that is not 0.
func (a *app) kind(cmd *cobra.Command, f *synthFlags, side int, make func() (*synthSet, error)) *cobra.Command {
	cmd.Args = flagsOnly
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.output == "" && f.picture == "" {
			return usagef("-o FILE.npz is required: name the file to write")
		}
		formats := "synth"
		if cmd.Name() == synth.KindSheet {
			formats = "synth sheet"
		}
		if _, err := checkOutput(formats, f.output); err != nil {
			return err
		}
		if err := f.json.check(f.output); err != nil {
			return err
		}
		set, err := make()
		if err == nil {
			err = a.saveSynth(f, set)
		}
		return byFlag(err)
	}
	fs := cmd.Flags()
	fs.IntVarP(&f.n, "n", "n", 0, "number of images")
	fs.Uint64Var(&f.seed, "seed", 0, "seed of all randomness")
	if side > 0 {
		fs.IntVar(&f.side, "side", side, "side of an image in pixels")
	}
	fs.Float64Var(&f.hide, "hide", 0, "probability that a pixel becomes unknown")
	fs.StringVarP(&f.output, "output", "o", "", "file to write (.npz; - for standard output)")
	pictureFlag(cmd, &f.picture, "picture", "write a picture of the first images (.png, .svg)")
	f.json.add(cmd)
	return cmd
}

// byFlag returns a generator's error about an option in terms of its flag.
func byFlag(err error) error {
	var o *synth.OptionError
	if !errors.As(err, &o) {
		return err
	}
	flag := strings.ToLower(o.Option)
	if other, ok := map[string]string{"placements": "objects", "height": "size", "width": "size"}[flag]; ok {
		flag = other
	}
	return usagef("--%s %v: %s", flag, o.Value, o.Want)
}

// flipFlag adds --flip to kinds whose images are noisy.
func (f *synthFlags) flipFlag(cmd *cobra.Command, value float64) {
	cmd.Flags().Float64Var(&f.flip, "flip", value, "probability that a pixel is flipped")
}

func (a *app) quadrantsCommand() *cobra.Command {
	f := new(synthFlags)
	return a.kind(&cobra.Command{
		Use:   "quadrants",
		Short: "The paper's write-white-and-black model: four quadrants, on, off or noise",
		Long: `Each quadrant is active with probability 1/2; an active one is all on or all
off, the others are noise. Section 5.1 of the paper.

Arrays: x; template (N,side,side), the probability of each pixel;
experts (8,side,side); active (N,8).`,
		Example: "  patchwork synth quadrants --n 100 --seed 1 -o quadrants.npz",
	}, f, 6, func() (*synthSet, error) {
		return made(synth.Quadrants(synth.QuadrantsOptions{N: f.n, Side: f.side, Seed: f.seed}))
	})
}

func (a *app) barsCommand() *cobra.Command {
	f := new(synthFlags)
	cmd := a.kind(&cobra.Command{
		Use:   "bars",
		Short: "Bars: unions of rows and columns, with noise",
		Long: `Each of the 2*side bars is on with probability 1/side; a pixel is on if a bar covers it; then
pixels are flipped. Földiák (1990).

Arrays: x; active (N,2*side); bars (2*side,side,side); clean (N,side,side).`,
		Example: "  patchwork synth bars --n 1000 --seed 1 -o bars.npz",
	}, f, 5, func() (*synthSet, error) {
		return made(synth.Bars(synth.BarsOptions{N: f.n, Side: f.side, Flip: &f.flip, Seed: f.seed}))
	})
	f.flipFlag(cmd, 0.05)
	return cmd
}

func (a *app) lettersCommand() *cobra.Command {
	f := new(synthFlags)
	var o synth.LettersOptions
	cmd := a.kind(&cobra.Command{
		Use:   "letters",
		Short: "Capitals drawn with a pen by invented writers",
		Long: `Capitals drawn with a pen. Every writer has a slant, a pen and a way of writing
each letter. Without --n, every writer draws each letter once.

Arrays: x; y, the letter; writer, from 1; sample; variant; pen, its width;
stroke (N,side,side), the stroke that inked a pixel, -1 for none;
pose (N,4,3), y, x and angle of each stroke.`,
		Example: `  patchwork synth letters --letters T --writers 20 --seed 1 -o t.npz
  patchwork synth letters --n 260 -o capitals.npz --picture capitals.png`,
	}, f, 56, func() (*synthSet, error) {
		o.N, o.Side, o.Seed = f.n, f.side, f.seed
		return made(synth.Letters(o))
	})
	cmd.Flags().StringVar(&o.Letters, "letters", "", "which capitals (default all 26)")
	cmd.Flags().IntVar(&o.Writers, "writers", 20, "number of writers")
	return cmd
}

func (a *app) scenesCommand() *cobra.Command {
	f := new(synthFlags)
	var (
		o     synth.ScenesOptions
		model string
	)
	cmd := a.kind(&cobra.Command{
		Use:   "scenes",
		Short: "Overlapping digits at random places under noise",
		Long: `Distinct digits are placed at random, each entirely inside the image; they may
overlap. Then pixels are flipped. Section 3 of the paper.

Arrays: x; digit, glyph, dy, dx (N,objects); clean (N,side,side);
candidates (N,10), the templates used for each scene; templates; template_digit.

--model writes all templates as a model that explains scenes; with
--exemplars 1 they are the candidates of every scene.`,
		Example: `  patchwork synth scenes --n 20 --side 64 --flip 0.1 --seed 1 -o scenes.npz --picture scenes.png
  patchwork synth scenes --n 5 --exemplars 1 -o scenes.npz --model digits.npz`,
	}, f, 100, func() (*synthSet, error) {
		o.N, o.Side, o.Seed, o.Flip = f.n, f.side, f.seed, &f.flip
		set, err := synth.Scenes(o)
		if err == nil && model != "" {
			err = a.saveScene(model, set.Truth.Glyphs, set.Truth.On, set.Truth.Off, set.Images[0])
		}
		return made(set, err)
	})
	f.flipFlag(cmd, 0.1)
	fs := cmd.Flags()
	fs.IntVar(&o.Objects, "objects", 5, "number of digits per scene")
	fs.IntVar(&o.Exemplars, "exemplars", 10, "drawings of each digit to choose from")
	fs.StringVar(&model, "model", "", "also write the templates as a model")
	writes(cmd, "model", ".npz", "")
	return cmd
}

// saveScene writes drawings of one size as a model that explains scenes of a size, where ink is on with a probability
// and paper with another.
func (a *app) saveScene(path string, drawings []*bitmap.Image, on, off float64, scene *bitmap.Image) error {
	templates, err := synth.Templates(drawings, on, off)
	if err != nil {
		return err
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Q: off, Scene: true,
		Defaults: patchwork.Defaults{Truncate: true},
		Height:   drawings[0].Height(), Width: drawings[0].Width(),
		ImageHeight: scene.Height(), ImageWidth: scene.Width()}, templates)
	if err != nil {
		return request(err)
	}
	return a.saveModel(path, workbench.Bits{Model: m})
}

// saveSynth writes the set and its picture.
func (a *app) saveSynth(f *synthFlags, set *synthSet) error {
	if f.hide != 0 {
		// A different stream than the generator's; otherwise noise and image would depend on each other.
		images, err := synth.Spoil(set.images, synth.Noise{Hide: f.hide}, ^f.seed)
		if err != nil {
			return err
		}
		set.images, set.arrays[0] = images, synth.ImageArray("x", images)
	}
	if f.output != "" {
		if err := a.output(f.output, func(w io.Writer) error {
			if isPicture(f.output) {
				return render.WritePage(w, set.images[0])
			}
			return npy.WriteZip(w, npy.Deflate, set.members()...)
		}); err != nil {
			return err
		}
	}
	if f.picture != "" {
		sheet := imageSheet(set.images[:min(len(set.images), 60)])
		if err := a.savePicture(context.Background(), f.picture, sheet); err != nil {
			return err
		}
	}
	img := set.images[0]
	if f.json {
		r := synthReport{Output: f.output, Picture: f.picture, Images: len(set.images), Height: img.Height(),
			Width: img.Width(), Seed: f.seed}
		for _, array := range set.arrays {
			r.Arrays = append(r.Arrays, array.Name)
		}
		return a.printObject(r, f.output, f.picture)
	}
	return a.wrote(f.output, "%s of %d x %d", words.Count(len(set.images), "image"), img.Height(), img.Width())
}

func (s *synthSet) members() []npy.Member {
	var out []npy.Member
	for _, array := range s.arrays {
		out = append(out, member(array))
	}
	return out
}

// member returns a named array as part of an .npz file.
func member(a synth.Array) npy.Member {
	return npy.Member{Name: a.Name, Array: &npy.Array{Shape: a.Shape, Data: a.Data}}
}

// imageSheet returns a contact sheet of plain images.
func imageSheet(images []*bitmap.Image) render.Sheet {
	var s render.Sheet
	for _, img := range images {
		s.Tiles = append(s.Tiles, render.Tile{Image: render.Image(img)})
	}
	return s
}

// sheetCommand makes drawings with symbols, to try find on.
func (a *app) sheetCommand() *cobra.Command {
	f := new(synthFlags)
	o := synth.SheetsOptions{Height: 900, Width: 1200}
	var model string
	cmd := a.kind(&cobra.Command{
		Use:   "sheet",
		Short: "Drawings with symbols, turned and mirrored, and lines",
		Long: `Symbols stand at random places of a drawing, turned by quarters and mirrored; no two
frames overlap. Long lines pass under them; then pixels are flipped. The first four symbols
are a triangle, one in a square, a grille, and a register (a grille with louvers).

-o sheet.npz gets the arrays x; symbol, at_y, at_x, turn and mirror (N,objects); templates
(symbols,50,50). -o page.png is the first drawing as a picture, pixel for pixel; --model
writes the symbols as a model, for find.`,
		Example: `  patchwork synth sheet --seed 1 -o page.png --model symbols.npz
  patchwork synth sheet --size 7200x10800 --objects 1300 -o large.npz`,
	}, f, 0, func() (*synthSet, error) {
		o.N, o.Seed, o.Flip = f.n, f.seed, &f.flip
		set, err := synth.Sheets(o)
		if err == nil && model != "" {
			on, off := synth.NoiseLevels(f.flip)
			err = a.saveScene(model, set.Truth.Symbols, on, off, set.Images[0])
		}
		return made(set, err)
	})
	fs := cmd.Flags()
	fs.Lookup("n").DefValue, f.n = "1", 1
	f.flipFlag(cmd, 0.01)
	textVar(cmd, "size", "HxW", func(text string) (err error) {
		if o.Height, o.Width, err = dataset.ParseSize(text); err != nil {
			return errors.New("give a height and a width in pixels, such as 900x1200")
		}
		return nil
	}, "size of a drawing in pixels (default 900x1200)")
	fs.IntVar(&o.Symbols, "symbols", 34, "number of symbols to choose from")
	fs.IntVar(&o.Placements, "objects", 0, "number of symbols on a drawing (default one for each 60,000 pixels)")
	fs.StringVar(&model, "model", "", "also write the symbols as a model")
	writes(cmd, "model", ".npz", "")
	return cmd
}
