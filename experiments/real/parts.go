package real

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
)

// partsSets are the data of ReportParts.
var partsSets = []struct {
	name   string
	signed bool // parts come with both signs
	make   func(rng *rand.Rand) *Set
}{
	{"quadrants, N = 50", true, func(rng *rand.Rand) *Set { return Quadrants(50, 2, 1, rng) }},
	{"quadrants, N = 200", true, func(rng *rand.Rand) *Set { return Quadrants(200, 2, 1, rng) }},
	{"bars, noise 0.25", false,
		func(rng *rand.Rand) *Set { return Bars(500, BarOptions{Side: 5, Rate: .2, SD: .25}, rng) }},
	{"bars, noise 0.5", false, func(rng *rand.Rand) *Set { return Bars(500, BarOptions{Side: 5, Rate: .2, SD: .5}, rng) }},
	{"bars, levels", false,
		func(rng *rand.Rand) *Set { return Bars(500, BarOptions{Side: 5, Rate: .2, SD: .25, Levels: true}, rng) }},
	{"bars, brightness", false,
		func(rng *rand.Rand) *Set { return Bars(500, BarOptions{Side: 5, Rate: .2, SD: .25, Spread: true}, rng) }},
}

// ReportParts prints how many true parts each method finds: those for which it has a template of its own with a cosine
// of at least
// 0.9. Rivals are told how many there are; Patchwork is not.
func ReportParts(ctx context.Context, w io.Writer, sets int) error {
	const us = "Patchwork"
	found := map[string]map[string][]float64{}
	for _, c := range partsSets {
		for seed := range uint64(sets) {
			s := c.make(rand.New(rand.NewPCG(seed, 7)))
			data, err := model.NewData(s.Height, s.Width, s.Rows)
			if err != nil {
				return err
			}
			r, err := model.Learn(ctx, data, model.Options{Seed: seed})
			if err != nil {
				return err
			}
			all, err := s.Parts(ctx, c.signed)
			if err != nil {
				return err
			}
			all[us] = Templates(r.Model)
			for name, templates := range all {
				if found[name] == nil {
					found[name] = map[string][]float64{}
				}
				found[name][c.name] = append(found[name][c.name], float64(s.Alike(templates)))
			}
		}
	}
	fmt.Fprintf(w, "Parts found with a cosine of at least 0.9, mean over %d sets (of 8 quadrants, of 10 bars); rivals "+
		"are told their number\n\n| method |", sets)
	for _, c := range partsSets {
		fmt.Fprintf(w, " %s |", c.name)
	}
	fmt.Fprint(w, "\n|---|---|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(w, "| %s |", name)
		for _, c := range partsSets {
			fmt.Fprintf(w, " %.1f |", stat.Mean(found[name][c.name]))
		}
		fmt.Fprintln(w)
	}
	return nil
}
