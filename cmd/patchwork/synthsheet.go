package main

import (
	"errors"

	"github.com/spf13/cobra"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
)

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
			err = a.saveSymbols(model, f.flip, set)
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

// saveSymbols writes the symbols of drawings as a model.
func (a *app) saveSymbols(path string, flip float64, set *synth.Set[*synth.SheetTruth]) error {
	on, off := synth.NoiseLevels(flip)
	templates, err := synth.Templates(set.Truth.Symbols, on, off)
	if err != nil {
		return err
	}
	page := set.Images[0]
	return a.saveScene(path, templates, off, set.Truth.Symbols[0], page.Height(), page.Width())
}
