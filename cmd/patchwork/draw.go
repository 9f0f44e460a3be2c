package main

import (
	"github.com/spf13/cobra"

	"example.com/patchwork/render"
)

func (a *app) drawCommand() *cobra.Command {
	var model, output string
	cmd := &cobra.Command{
		Use:   "draw MODEL [-o OUT]",
		Short: "Draw the parts of a model",
		Long: `Draw the templates of a model: ink from white (0) to black (1) under the max
rule, blue (0), grey (no vote) and yellow (1) under max-minus-min.

Without -o, draw in the terminal. The parts of a table stand under the names of its
columns.`,
		Example: `  patchwork draw model.npz
  patchwork draw model.npz -o parts.svg`,
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
	return cmd
}
