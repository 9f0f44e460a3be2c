package main

import (
	"image"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
)

func (a *app) drawCommand() *cobra.Command {
	var (
		model, output string
		coloured      bool
	)
	cmd := &cobra.Command{
		Use:   "draw MODEL [-o OUT]",
		Short: "Draw the parts of a model",
		Long: `Draw the templates of a model: ink from white (0) to black (1) under the max
rule, blue (0), grey (no vote) and yellow (1) under max-minus-min.

With --coloured, draw all parts at their mean places in one picture, each in its
own colour, as in the paper's Figure 8; parts that lie anywhere are laid out in rows.
Without -o, draw in the terminal. The parts of a table stand under the names of its
columns.`,
		Example: `  patchwork draw model.npz
  patchwork draw model.npz -o parts.svg
  patchwork draw model.npz --coloured -o coloured.png`,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := modelArgument(cmd, model, args)
			if err != nil {
				return err
			}
			if _, err := checkOutput("draw", output); err != nil {
				return err
			}
			if isReal(path) {
				return a.drawReal(cmd, path, output)
			}
			m, err := loadModel(path)
			if err != nil {
				return err
			}
			switch {
			case coloured && output == "":
				return a.show(colouredSheet(m))
			case coloured:
				return a.savePictureUntil(cmd.Context(), output, colouredSheet(m))
			case output != "":
				return a.savePictureUntil(cmd.Context(), output, partsPicture(m))
			case ofTable(m):
				return a.print(partBars(m))
			}
			return a.show(render.Experts(m))
		},
	}
	modelFlag(cmd, &model)
	cmd.Flags().StringVarP(&output, "output", "o", "", "picture to write (.png, .svg; default the terminal)")
	cmd.Flags().BoolVar(&coloured, "coloured", false, "all parts at their mean places, in colours")
	return cmd
}

// colouredSheet draws the parts of a model at their mean places, in colours.
func colouredSheet(m *patchwork.Model) render.Sheet {
	sheet := render.Sheet{Tiles: []render.Tile{{Image: colouredTile(m)}}}
	for k := range m.K() {
		sheet.Legend = append(sheet.Legend, render.Swatch{Colour: render.Hue(k), Text: words.Name(m, k)})
	}
	return sheet
}

func colouredTile(m *patchwork.Model) image.Image {
	h, w := imageSize(m)
	return render.Coloured(m, h, w, m.SamplePicks(nil))
}
