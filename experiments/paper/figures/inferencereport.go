package figures

import (
	"fmt"
	"image"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/experiments/inference"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/render"
)

// over collects one number of a method over the sets of a puzzle.
func over(sets [][]tried, m int, f func(t tried) float64) []float64 {
	return stat.Of(sets, func(s []tried) float64 { return f(s[m]) })
}

func optimal(t tried) float64 { return t.optimal }

func short(t tried) float64 { return t.short }

func parts(t tried) float64 { return t.parts }

// counted returns the work of a method, NaN for the library's own pursuits,
// which do not count it.
func counted(t tried) float64 {
	if t.work == 0 {
		return math.NaN()
	}
	return t.work
}

// inferenceTables returns tables of methods by models, and all numbers, for the CSV file only.
func inferenceTables(ps []puzzle, all [][][]tried) []Table {
	logLik := func(t tried) float64 { return t.logLik }
	var out []Table
	for _, c := range []struct {
		name, title string
		decimals    int
		f           func(t tried) float64
	}{
		{"optimum", "Fraction of the images in which the optimum is reached", 3, optimal},
		{"short", "Log joint probability below the optimum, nats per image", 2, short},
		{"likelihood", "Log-likelihood reached, nats per image", 2, logLik},
		{"parts", "Parts used per image", 2, parts},
		{"work", "Log-likelihoods computed per image (the library's refined pursuit and beam do not count theirs)", 0,
			counted},
	} {
		t := Table{Name: c.name, Title: c.title, Columns: heads(-1, "inference")}
		for _, p := range ps {
			t.Columns = append(t.Columns, Column{p.name, c.decimals})
		}
		for m, way := range methods {
			row := []any{way.name}
			for i := range ps {
				row = append(row, stat.Mean(over(all[i], m, c.f)))
			}
			t.add(row...)
		}
		out = append(out, t)
	}
	t := Table{Name: "inference", Columns: heads(-1, "model", "inference", "optimum reached", "lowest set", "highest set",
		"nats short of the optimum", "log-likelihood per image", "parts per image", "log-likelihoods computed",
		"exactly the true set")}
	for i, p := range ps {
		for m, way := range methods {
			of := func(f func(t tried) float64) float64 { return stat.Mean(over(all[i], m, f)) }
			best := over(all[i], m, optimal)
			t.add(p.name, way.name, stat.Mean(best), slices.Min(best), slices.Max(best), of(short), of(logLik), of(parts),
				of(counted), of(func(t tried) float64 { return t.truth }))
		}
	}
	return append(out, t)
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
	mean := func(p, m int, f func(t tried) float64) float64 { return stat.Mean(over(all[p], m, f)) }
	best := func(p, m int) float64 { return mean(p, m, optimal) }
	share := func(p, m int) string { return percent(best(p, m)) }
	work := func(p, m int) float64 { return mean(p, m, func(t tried) float64 { return t.work }) }
	sets := func(decimals int, m int, f func(t tried) float64, puzzles ...int) string {
		var values []float64
		for _, p := range puzzles {
			values = append(values, over(all[p], m, f)...)
		}
		return "sets: " + between(values, decimals)
	}
	pursuitParts, independentParts, bestParts := mean(onRedundant, byPursuit, parts),
		mean(onRedundant, byIndependent, parts), mean(onRedundant, byExhaustive, parts)
	crossed, baited := best(onCrossed, byPursuit), best(onBaited, byPursuit)
	return []Statement{
		{"Independent activation uses all experts that match, the pursuit the fewest that explain.",
			fmt.Sprintf("redundant quadrants: %.2f parts per image against %.2f by the pursuit (optimum %.2f)", independentParts,
				pursuitParts, bestParts),
			sets(2, byIndependent, parts, onRedundant),
			judge(independentParts > pursuitParts+.2 && pursuitParts < bestParts+.1, independentParts > pursuitParts)},
		{"The pursuit finds a good explanation in one pass.",
			fmt.Sprintf("optimum reached: quadrants %s, redundant quadrants %s, bars %s of the images",
				share(onQuadrants, byPursuit), share(onRedundant, byPursuit), share(onBars, byPursuit)),
			sets(2, byPursuit, optimal, onQuadrants, onRedundant, onBars),
			judge(min(best(onQuadrants, byPursuit), best(onRedundant, byPursuit), best(onBars, byPursuit)) > .9,
				best(onQuadrants, byPursuit) > .9)},
		{"The choice of the first expert may lead to a poor local maximum (where the pursuit loses).",
			fmt.Sprintf("optimum reached: baited quadrants %s, crossed votes %s of the images, %.2f and %.2f nats short on "+
				"average; on crossed votes mean field reaches %s, truncated search %s", percent(baited), percent(crossed),
				mean(onBaited, byPursuit, short), mean(onCrossed, byPursuit, short), share(onCrossed, byMeanField),
				share(onCrossed, byTruncated)),
			sets(2, byPursuit, optimal, onBaited, onCrossed),
			judge(max(baited, crossed) < .95, min(baited, crossed) < .95)},
		{"An iterative procedure can resolve it.",
			fmt.Sprintf("optimum reached after replacing, dropping and adding: baited quadrants %s, bars %s, crossed votes "+
				"%s; by a beam of 2: %s, %s, %s", share(onBaited, byRefined), share(onBars, byRefined),
				share(onCrossed, byRefined), share(onBaited, byBeam), share(onBars, byBeam), share(onCrossed, byBeam)),
			sets(2, byRefined, optimal, onBaited),
			judge(min(best(onBaited, byRefined), best(onCrossed, byRefined)) > .95, best(onBaited, byRefined) > baited+.02)},
		{"Relaxed activities are inefficient where few of the experts are active.",
			fmt.Sprintf("redundant quadrants, log-likelihoods per image: pursuit %.0f, mean field %.0f, gradient %.0f, "+
				"exhaustive %.0f; optimum reached by mean field %s, by gradient %s", work(onRedundant, byPursuit),
				work(onRedundant, byMeanField), work(onRedundant, byGradient), work(onRedundant, byExhaustive),
				share(onRedundant, byMeanField), share(onRedundant, byGradient)),
			sets(2, byGradient, optimal, onRedundant),
			judge(min(work(onRedundant, byMeanField), work(onRedundant, byGradient)) > work(onRedundant, byPursuit),
				work(onRedundant, byMeanField) > work(onRedundant, byPursuit))},
		{"Truncated search evaluates all small sets.",
			fmt.Sprintf("optimum reached: quadrants %s, bars %s (%.1f per image at the optimum, sets of at most %d), with "+
				"%.0f log-likelihoods per image (pursuit %.0f)", share(onQuadrants, byTruncated), share(onBars, byTruncated),
				mean(onBars, byExhaustive, parts), truncatedTo, work(onBars, byTruncated), work(onBars, byPursuit)),
			sets(2, byTruncated, optimal, onBars),
			judge(min(best(onQuadrants, byTruncated), best(onBars, byTruncated)) > .9, best(onQuadrants, byTruncated) > .9)},
	}
}

// inferenceChart returns the fraction of optima by model, with the range over
// the sets.
func inferenceChart(ps []puzzle, all [][][]tried) Picture {
	c := chart.Chart{YLabel: "optimum reached, fraction of the images", Width: 900, Height: 400}
	for i, p := range ps {
		c.XTicks, c.XNames = append(c.XTicks, float64(i)), append(c.XNames, p.name)
	}
	for m, way := range methods[1:] {
		s := chart.Series{Name: way.name, Points: true}
		for i := range ps {
			v := over(all[i], m+1, optimal)
			s.X, s.Y = append(s.X, float64(i)+.08*float64(m)-.24), append(s.Y, stat.Mean(v))
			s.Low, s.High = append(s.Low, slices.Min(v)), append(s.High, slices.Max(v))
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
