package main

import (
	"io"

	"github.com/spf13/cobra"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/render"
)

// sheetCommand makes drawings with symbols, to try find on.
func (a *app) sheetCommand() *cobra.Command {
	f := new(synthFlags)
	var o synth.SheetsOptions
	var model, page string
	cmd := a.kind(&cobra.Command{
		Use:   "sheet",
		Short: "Drawings with symbols, turned and mirrored, and lines",
		Long: `Symbols stand at random places of a drawing, turned by quarters and mirrored; no two
frames overlap. Long lines pass under them; then pixels are flipped. The first four symbols
are a triangle, one in a square, a grille, and a register (a grille with louvers). Strangers
are like a symbol with a stroke more or a third of it less.

Arrays: x; symbol, at_y, at_x, turn and mirror (N,placements); stranger
(N,strangers,2); templates (symbols,frame,frame).

--model writes the symbols as a model, for find; --page the first drawing as a picture,
pixel for pixel.`,
		Example: `  patchwork synth sheet --seed 1 -o sheet.npz --model symbols.npz --page page.png
  patchwork synth sheet --height 7200 --width 10800 --placements 1300 -o large.npz`,
	}, f, 0, func(*cobra.Command) (*synthSet, error) {
		o.N, o.Seed, o.Flip = f.n, f.seed, &f.flip
		set, err := synth.Sheets(o)
		if err == nil && model != "" {
			on, off := synth.NoiseLevels(f.flip)
			templates, levels := synth.Templates(set.Truth.Symbols, on, off)
			if err = levels; err == nil {
				err = a.saveScene(model, templates, off, set.Truth.Symbols[0], set.Images[0].Height(), set.Images[0].Width())
			}
		}
		if err == nil && page != "" {
			err = a.output(page, func(w io.Writer) error { return render.WritePage(w, set.Images[0]) })
		}
		return made(set, err)
	})
	fs := cmd.Flags()
	fs.Lookup("n").DefValue, f.n = "1", 1
	f.flipFlag(cmd, 0.01)
	fs.IntVar(&o.Height, "height", 900, "height of a drawing in pixels")
	fs.IntVar(&o.Width, "width", 1200, "width of a drawing in pixels")
	fs.IntVar(&o.Symbols, "symbols", 34, "number of symbols")
	fs.IntVar(&o.Frame, "frame", 50, "side of a symbol's frame in pixels")
	fs.IntVar(&o.Placements, "placements", 0, "number of symbols on a drawing (default one for each 60,000 pixels; -1 for none)")
	fs.IntVar(&o.Lines, "lines", 0, "number of long lines (default one for each 120 pixels of height and width; -1 for none)")
	fs.IntVar(&o.Strangers, "strangers", 0, "number of things that are nearly a symbol")
	fs.BoolVar(&o.Upright, "upright", false, "no quarter turns and mirror images")
	fs.StringVar(&model, "model", "", "also write the symbols as a model")
	writes(cmd, "model", ".npz", "")
	fs.StringVar(&page, "page", "", "also write the first drawing as a picture, pixel for pixel (.png)")
	writes(cmd, "page", ".png")
	return cmd
}
