package figures

import (
	"fmt"
	"image"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/experiments/inference"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/render"
)

// over collects one number of a method over the sets of a puzzle.
func over(sets [][]tried, m int, f func(t tried) float64) []float64 {
	var out []float64
	for _, s := range sets {
		out = append(out, f(s[m]))
	}
	return out
}

// inferenceTable returns all numbers, for the CSV file only.
func inferenceTable(ps []puzzle, all [][][]tried) Table {
	t := Table{Name: "inference", Columns: []string{"model", "inference", "optimum reached", "lowest set", "highest set",
		"nats short of the optimum",
		"log-likelihood per image", "parts per image", "log-likelihoods computed", "exactly the true set"}}
	for i, p := range ps {
		for m, way := range methods {
			row := []string{p.name, way.name}
			optimal := over(all[i], m, func(t tried) float64 { return t.optimal })
			row = append(row, number(stat.Mean(optimal)), number(stat.Quantile(optimal, 0)), number(stat.Quantile(optimal, 1)))
			for _, f := range []func(t tried) float64{func(t tried) float64 { return t.short },
				func(t tried) float64 { return t.logLik },
				func(t tried) float64 { return t.parts }, counted, func(t tried) float64 { return t.truth }} {
				row = append(row, number(stat.Mean(over(all[i], m, f))))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// counted returns the work of a method, NaN for the library's own pursuits,
// which do not count it.
func counted(t tried) float64 {
	if t.work == 0 {
		return math.NaN()
	}
	return t.work
}

// inferenceTables returns tables of methods by models.
func inferenceTables(ps []puzzle, all [][][]tried) []Table {
	var out []Table
	for _, c := range []struct {
		name, title string
		decimals    int
		f           func(t tried) float64
	}{
		{"optimum", "Fraction of the images in which the optimum is reached", 3, func(t tried) float64 { return t.optimal }},
		{"short", "Log joint probability below the optimum, nats per image", 2, func(t tried) float64 { return t.short }},
		{"likelihood", "Log-likelihood reached, nats per image", 2, func(t tried) float64 { return t.logLik }},
		{"parts", "Parts used per image", 2, func(t tried) float64 { return t.parts }},
		{"work", "Log-likelihoods computed per image (the library's refined pursuit and beam do not count theirs)", 0,
			counted},
	} {
		t := Table{Name: c.name, Title: c.title, Columns: []string{"inference"}, Decimals: []int{-1}}
		for _, p := range ps {
			t.Columns, t.Decimals = append(t.Columns, p.name), append(t.Decimals, c.decimals)
		}
		for m, way := range methods {
			row := []string{way.name}
			for i := range ps {
				row = append(row, number(stat.Mean(over(all[i], m, c.f))))
			}
			t.Rows = append(t.Rows, row)
		}
		out = append(out, t)
	}
	return append(out, inferenceTable(ps, all))
}

// Indices of the methods and puzzles that the statements are about.
const (
	byExhaustive = iota
	byPursuit
	byRefined
	byBeam
	byTruncated
	byIndependent
	byMeanField
	byGradient
)

const (
	onQuadrants = iota
	onRedundant
	onBaited
	onBars
	onCrossed
)

func inferenceStatements(all [][][]tried) []Statement {
	get := func(p, m int, f func(t tried) float64) []float64 { return over(all[p], m, f) }
	optimal := func(t tried) float64 { return t.optimal }
	parts := func(t tried) float64 { return t.parts }
	short := func(t tried) float64 { return t.short }
	sets := func(values []float64, decimals int) string { return "sets: " + between(values, decimals) }

	pursuitParts, independentParts, bestParts := stat.Mean(get(onRedundant, byPursuit, parts)),
		stat.Mean(get(onRedundant, byIndependent, parts)), stat.Mean(get(onRedundant, byExhaustive, parts))
	wins := true
	for _, p := range []int{onQuadrants, onRedundant, onBars} {
		wins = wins && stat.Mean(get(p, byPursuit, optimal)) > .9
	}
	crossed, baited := get(onCrossed, byPursuit, optimal), get(onBaited, byPursuit, optimal)
	work := func(p, m int) float64 { return stat.Mean(get(p, m, func(t tried) float64 { return t.work })) }
	relaxedWork := min(work(onRedundant, byMeanField), work(onRedundant, byGradient))
	return []Statement{
		{"Independent activation uses all experts that match, the pursuit the fewest that explain.",
			fmt.Sprintf("redundant quadrants: %.2f parts per image against %.2f by the pursuit (optimum %.2f)", independentParts,
				pursuitParts, bestParts),
			sets(get(onRedundant, byIndependent, parts), 2),
			judge(independentParts > pursuitParts+.2 && pursuitParts < bestParts+.1, independentParts > pursuitParts)},
		{"The pursuit finds a good explanation in one pass.",
			fmt.Sprintf("optimum reached: quadrants %s, redundant quadrants %s, bars %s of the images",
				percent(stat.Mean(get(onQuadrants, byPursuit, optimal))),
				percent(stat.Mean(get(onRedundant, byPursuit, optimal))), percent(stat.Mean(get(onBars, byPursuit, optimal)))),
			sets(append(append(get(onQuadrants, byPursuit, optimal), get(onRedundant, byPursuit, optimal)...),
				get(onBars, byPursuit, optimal)...), 2), judge(wins, stat.Mean(get(onQuadrants, byPursuit, optimal)) > .9)},
		{"The choice of the first expert may lead to a poor local maximum (where the pursuit loses).",
			fmt.Sprintf("optimum reached: baited quadrants %s, crossed votes %s of the images, %.2f and %.2f nats short on "+
				"average; on crossed votes mean field reaches %s, truncated search %s",
				percent(stat.Mean(baited)), percent(stat.Mean(crossed)), stat.Mean(get(onBaited, byPursuit, short)),
				stat.Mean(get(onCrossed, byPursuit, short)),
				percent(stat.Mean(get(onCrossed, byMeanField, optimal))), percent(stat.Mean(get(onCrossed, byTruncated, optimal)))),
			sets(append(slices.Clone(baited), crossed...), 2), judge(stat.Mean(baited) < .95 && stat.Mean(crossed) < .95,
				min(stat.Mean(baited), stat.Mean(crossed)) < .95)},
		{"An iterative procedure can resolve it.",
			fmt.Sprintf("optimum reached after replacing, dropping and adding: baited quadrants %s, bars %s, crossed votes "+
				"%s; by a beam of 2: %s, %s, %s", percent(stat.Mean(get(onBaited, byRefined, optimal))),
				percent(stat.Mean(get(onBars, byRefined, optimal))), percent(stat.Mean(get(onCrossed, byRefined, optimal))),
				percent(stat.Mean(get(onBaited, byBeam, optimal))), percent(stat.Mean(get(onBars, byBeam, optimal))),
				percent(stat.Mean(get(onCrossed, byBeam, optimal)))),
			sets(get(onBaited, byRefined, optimal), 2), judge(stat.Mean(get(onBaited, byRefined, optimal)) > .95 &&
				stat.Mean(get(onCrossed, byRefined, optimal)) > .95,
				stat.Mean(get(onBaited, byRefined, optimal)) > stat.Mean(baited)+.02)},
		{"Relaxed activities are inefficient where few of the experts are active.",
			fmt.Sprintf("redundant quadrants, log-likelihoods per image: pursuit %.0f, mean field %.0f, gradient %.0f, "+
				"exhaustive %.0f; optimum reached by mean field %s, by gradient %s",
				work(onRedundant, byPursuit), work(onRedundant, byMeanField), work(onRedundant, byGradient),
				work(onRedundant, byExhaustive),
				percent(stat.Mean(get(onRedundant, byMeanField, optimal))),
				percent(stat.Mean(get(onRedundant, byGradient, optimal)))),
			sets(get(onRedundant, byGradient, optimal), 2), judge(relaxedWork > work(onRedundant, byPursuit),
				work(onRedundant, byMeanField) > work(onRedundant, byPursuit))},
		{"Truncated search evaluates all small sets.",
			fmt.Sprintf("optimum reached: quadrants %s, bars %s (%.1f per image at the optimum, sets of at most %d), with "+
				"%.0f log-likelihoods per image (pursuit %.0f)",
				percent(stat.Mean(get(onQuadrants, byTruncated, optimal))), percent(stat.Mean(get(onBars, byTruncated, optimal))),
				stat.Mean(get(onBars, byExhaustive, parts)), truncatedTo, work(onBars, byTruncated), work(onBars, byPursuit)),
			sets(get(onBars, byTruncated, optimal), 2), judge(stat.Mean(get(onQuadrants, byTruncated, optimal)) > .9 &&
				stat.Mean(get(onBars, byTruncated, optimal)) > .9, stat.Mean(get(onQuadrants, byTruncated, optimal)) > .9)},
	}
}

// inferenceChart returns the fraction of optima by model, with the range over
// the sets.
func inferenceChart(ps []puzzle, all [][][]tried) Picture {
	c := render.Chart{YLabel: "optimum reached, fraction of the images", Width: 900, Height: 400}
	for i, p := range ps {
		c.XTicks, c.XNames = append(c.XTicks, float64(i)), append(c.XNames, p.name)
	}
	for m, way := range methods[1:] {
		s := render.Series{Name: way.name, Points: true}
		for i := range ps {
			v := over(all[i], m+1, func(t tried) float64 { return t.optimal })
			s.X, s.Y = append(s.X, float64(i)+.08*float64(m)-.24), append(s.Y, stat.Mean(v))
			s.Low, s.High = append(s.Low, stat.Quantile(v, 0)), append(s.High, stat.Quantile(v, 1))
		}
		c.Series = append(c.Series, s)
	}
	return Picture{Name: "methods", Drawing: c,
		Caption: "How often each inference method finds the best set of experts, by model; bars are the range over the " +
			"sets of images."}
}

// lossPicture returns the image of the crossed votes on which the pursuit loses
// most, with its explanations.
func lossPicture(ps []puzzle, all [][][]tried) Picture {
	s := render.Sheet{Columns: 4, Legend: []render.Swatch{{Colour: render.Symmetric(0), Text: "off"},
		{Colour: render.Symmetric(.5), Text: "no vote"}, {Colour: render.Symmetric(1), Text: "on"}}}
	p, t := ps[onCrossed], all[onCrossed][0][byPursuit]
	img := p.images[t.worst]
	add := func(tile image.Image, caption string) {
		s.Tiles = append(s.Tiles, render.Tile{Image: tile, Caption: caption})
	}
	tile := func(set inference.Set) image.Image {
		var picks []patchwork.Pick
		for k := range p.model.K() {
			if set.Has(k) {
				picks = append(picks, patchwork.Pick{Expert: k})
			}
		}
		return render.Composed(p.model, img.Height(), img.Width(), picks)
	}
	add(render.Image(img), "image")
	add(tile(p.active[t.worst]), fmt.Sprintf("truth, %d experts", p.active[t.worst].Len()))
	add(tile(t.optSet), fmt.Sprintf("optimum, %d experts", t.optSet.Len()))
	add(tile(t.worstSet), fmt.Sprintf("pursuit, %d experts", t.worstSet.Len()))
	return Picture{Name: "loss", Drawing: s,
		Caption: minus(fmt.Sprintf(
			"Where the pursuit loses most in the first set of crossed votes: it ends %.1f nats short of the optimum.",
			t.worstShort))}
}
