package main

import (
	"slices"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/render"
)

// countFlag adds --experts to a command.
func countFlag(cmd *cobra.Command, c *recipe.Count) {
	cmd.Flags().VarP(&textFlag{kind: "K|A..B|auto", read: func(text string) (err error) {
		*c, err = recipe.ParseCount(text)
		return err
	}}, "experts", "k", "number of parts, a range to try such as 2..12, or auto to find it out (default auto)")
	offer(cmd, "experts", "auto")
}

// curveChart plots the numbers of parts tried, in nats per image: lower is better.
func curveChart(curve []patchwork.CurvePoint) render.Chart {
	length, loss := render.Series{Name: "description length"}, render.Series{Name: "training images"}
	heldOut, chosen := render.Series{Name: "held-out images"}, render.Series{Name: "chosen", Dashed: true}
	add := func(s *render.Series, k int, v float64) { s.X, s.Y = append(s.X, float64(k)), append(s.Y, v) }
	at := 0
	for _, p := range learn.ByExperts(curve) {
		add(&loss, p.Experts, -p.LogLik/float64(p.Rows))
		if p.DescriptionLength != 0 {
			add(&length, p.Experts, p.DescriptionLength/float64(p.Rows))
		}
		if p.HeldOutRows > 0 {
			add(&heldOut, p.Experts, -p.HeldOut)
		}
		if p.Chosen {
			at = p.Experts
		}
	}
	all := slices.Concat(length.Y, loss.Y, heldOut.Y)
	add(&chosen, at, slices.Min(all))
	add(&chosen, at, slices.Max(all))
	series := []render.Series{length, loss, heldOut, chosen}
	return render.Curves("How many parts?", "parts", "nats per image",
		slices.DeleteFunc(series, func(s render.Series) bool { return len(s.X) == 0 }))
}
