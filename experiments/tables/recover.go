package tables

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/table"
)

// Recovered are tables whose parts are known, to see whether learning finds them all, no
// others, and how long it takes.
type Recovered struct {
	Name string
	Rule patchwork.Rule
	Draw func(seed uint64) (data patchwork.Data, groups [][]int)
}

// Recoveries are the tables of ReportRecovered: wide ones, those of few rows, parts that come
// together, noise, and ordinary ones.
var Recoveries = []Recovered{
	planted("wide 300x2000", Planted{Rows: 300, Columns: 2000, Groups: 8, Least: 15, Most: 40, Rare: .1, Common: .3,
		Flips: .03}),
	planted("wide 300x600", Planted{Rows: 300, Columns: 600, Groups: 8, Least: 10, Most: 25, Rare: .1, Common: .3,
		Flips: .03}),
	planted("wide 200x300", Planted{Rows: 200, Columns: 300, Groups: 6, Least: 8, Most: 20, Rare: .1, Common: .3,
		Flips: .05}),
	{"diffnaps 2000x1000", patchwork.RuleMax, DiffNaps{Columns: 1000, Rows: 2000}.Draw},
	quadrants(30), quadrants(50), quadrants(80), quadrants(100),
	{"together 500x60", patchwork.RuleMax, together},
	{"diffnaps 300x500", patchwork.RuleMax, DiffNaps{Columns: 500, Rows: 300}.Draw},
	{"diffnaps 600x500", patchwork.RuleMax, DiffNaps{Columns: 500, Rows: 600}.Draw},
	{"diffnaps 2000x500", patchwork.RuleMax, DiffNaps{Columns: 500, Rows: 2000}.Draw},
	planted("few 60x100", Planted{Rows: 60, Columns: 100, Groups: 5, Least: 10, Most: 18, Rare: .2, Common: .35,
		Flips: .05}),
	planted("few 100x100", Planted{Rows: 100, Columns: 100, Groups: 5, Least: 10, Most: 18, Rare: .2, Common: .35,
		Flips: .05}),
	noise(50, 20, .3, .3), noise(100, 100, .1, .1), noise(300, 2000, .05, .05), noise(60, 36, .5, .5),
	noise(1000, 50, .2, .2), noise(200, 60, .02, .9), noise(200, 300, .05, .05),
	planted("long 10000x100, 3 % flips", Planted{Rows: 10000, Columns: 100, Groups: 20, Least: 5, Most: 12, Rare: .05,
		Common: .2,
		Flips:  .03}),
	planted("long 10000x100, 10 % flips", Planted{Rows: 10000, Columns: 100, Groups: 20, Least: 5, Most: 12, Rare: .05,
		Common: .2, Flips: .1}),
	planted("ordinary sites", PlantedSites), planted("ordinary pair", PlantedPair),
	planted("ordinary 1000x50", Planted{Rows: 1000, Columns: 50, Groups: 6, Least: 6, Most: 8, Rare: .1, Common: .3,
		Flips: .03}),
	{"ordinary classes", patchwork.RuleMax, classes},
	planted("ordinary dense", Planted{Rows: 300, Columns: 40, Groups: 4, Least: 15, Most: 20, Rare: .4, Common: .6,
		Flips: .05}),
}

func planted(name string, p Planted) Recovered {
	return Recovered{name, patchwork.RuleMax, func(seed uint64) (patchwork.Data, [][]int) { return p.Draw(seed) }}
}

// quadrants are the images of the paper as rows of a table; the groups are the four
// quadrants, on and off.
func quadrants(n int) Recovered {
	draw := func(seed uint64) (patchwork.Data, [][]int) {
		s, err := synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: seed})
		if err != nil {
			panic(err) // the options are right
		}
		var data patchwork.Data
		for _, im := range s.Images {
			data.Images = append(data.Images, bitmap.FromBytes(1, im.Len(), im.AppendBytes(nil)))
		}
		groups := make([][]int, len(s.Truth.Experts))
		for k, t := range s.Truth.Experts {
			for i, p := range t {
				switch p {
				case 1:
					groups[k] = append(groups[k], i)
				case 0:
					groups[k] = append(groups[k], ^i)
				}
			}
		}
		return data, groups
	}
	return Recovered{fmt.Sprintf("quadrants %d", n), patchwork.RuleMaxMinusMin, draw}
}

// noise is a table without parts, its columns on with probabilities from low to high.
func noise(rows, columns int, low, high float64) Recovered {
	draw := func(seed uint64) (patchwork.Data, [][]int) {
		rng := rand.New(rand.NewPCG(seed, 61))
		p := make([]float64, columns)
		for c := range p {
			p[c] = low + (high-low)*rng.Float64()
		}
		return drawn(rows, columns, func(row []uint8) {
			for c := range row {
				set(row, c, rng.Float64() < p[c])
			}
		}), nil
	}
	return Recovered{fmt.Sprintf("noise %dx%d", rows, columns), patchwork.RuleMax, draw}
}

// together are six parts of eight columns, of which two come in four fifths of the rows of
// another and hardly elsewhere.
func together(seed uint64) (patchwork.Data, [][]int) {
	rng := rand.New(rand.NewPCG(seed, 62))
	order, groups := rng.Perm(60), make([][]int, 6)
	for g := range groups {
		groups[g] = slices.Sorted(slices.Values(order[8*g:][:8]))
	}
	return drawn(500, 60, func(row []uint8) {
		var active [6]bool
		for g := range active {
			p := .25
			if g == 1 || g == 3 {
				p = .05
				if active[g-1] {
					p = .8
				}
			}
			if active[g] = rng.Float64() < p; active[g] {
				for _, c := range groups[g] {
					row[c] = 1
				}
			}
		}
		flip(row, .03, rng)
	}), groups
}

// classes are four answers each to ten questions, of three kinds of people: exclusive parts.
func classes(seed uint64) (patchwork.Data, [][]int) {
	rng := rand.New(rand.NewPCG(seed, 63))
	groups := make([][]int, 3)
	for g := range groups {
		for question := range 10 {
			groups[g] = append(groups[g], 4*question+(g+question)%4)
		}
	}
	return drawn(500, 40, func(row []uint8) {
		kind := groups[rng.IntN(len(groups))]
		for question := range 10 {
			answer := kind[question]
			if rng.Float64() < .3 {
				answer = 4*question + rng.IntN(4)
			}
			row[answer] = 1
		}
	}), groups
}

// DiffNaps draws tables as experiment 1 of Walter et al. (2024) does: two classes of rows, each
// with patterns of 5 to 14 columns of which a row has three, ten columns more at random, and
// some of the patterns' columns flipped. There are ten patterns in all, or twenty, and as many
// larger ones of both classes, of which a row has two, from 1000 columns on.
type DiffNaps struct{ Rows, Columns int }

// Draw returns a table and the columns of its patterns, by seed.
func (d DiffNaps) Draw(seed uint64) (patchwork.Data, [][]int) {
	rng := rand.New(rand.NewPCG(seed, 64))
	pattern := func(least, beyond int) []int {
		return slices.Sorted(slices.Values(rng.Perm(d.Columns)[:least+rng.IntN(beyond-least)]))
	}
	perClass, common := 5, 0
	if d.Columns >= 1000 {
		perClass, common = 10, 20
	}
	var groups [][]int
	for range 2 * perClass {
		groups = append(groups, pattern(5, 15))
	}
	for range common {
		groups = append(groups, pattern(d.Columns/100, d.Columns/40))
	}
	n := 0
	return drawn(d.Rows, d.Columns, func(row []uint8) {
		first := perClass * (2 * n / d.Rows)
		n++
		own := groups[first:][:perClass]
		for _, g := range rng.Perm(perClass)[:3] {
			for _, c := range own[g] {
				row[c] = 1
			}
		}
		for range 10 {
			row[rng.IntN(d.Columns)] = 1
		}
		if common > 0 {
			for _, g := range rng.Perm(common)[:2] {
				for _, c := range groups[2*perClass+g] {
					row[c] = 1
				}
			}
		}
		for _, g := range groups[:2*perClass] {
			if slices.ContainsFunc(g, func(c int) bool { return row[c] == 0 }) {
				continue
			}
			for _, c := range g {
				if rng.Float64() < .025 {
					row[c] = 0
				}
			}
		}
	}), groups
}

// drawn returns so many rows.
func drawn(n, columns int, draw func(row []uint8)) (data patchwork.Data) {
	for range n {
		row := make([]uint8, columns)
		draw(row)
		data.Images = append(data.Images, bitmap.FromBytes(1, columns, row))
	}
	return data
}

func set(row []uint8, c int, on bool) {
	if row[c] = 0; on {
		row[c] = 1
	}
}

func flip(row []uint8, share float64, rng *rand.Rand) {
	for c := range row {
		set(row, c, (row[c] == 1) != (rng.Float64() < share))
	}
}

// recovery says what was learned of a table with known parts.
type recovery struct {
	experts, votes int
	exact, near    int // parts found column by column, and by Jaccard .95
	right          bool
	length         float64
	took           float64 // seconds of CPU
}

// measureRecovered learns the table of a seed, told nothing.
func measureRecovered(ctx context.Context, r Recovered, seed uint64, o Options) (recovery, error) {
	data, groups := r.Draw(seed)
	began := stat.ProcessorTime()
	m, err := table.Learn(ctx, data, patchwork.Config{Rule: r.Rule, Height: 1, Width: data.Images[0].Width()},
		table.Options{Workers: o.Workers})
	if err != nil {
		return recovery{}, err
	}
	out := recovery{took: (stat.ProcessorTime() - began).Seconds(), length: m.Extras().Record.DescriptionLength}
	for k := range m.K() {
		if n := rows.Votes(m, k, 0); n > 0 {
			out.votes += n
			out.experts++
		}
	}
	near := .95
	if r.Rule.TwoSided() { // a vote more or less among few rows
		near = .75
	}
	for _, j := range sidedJaccard(m, groups) {
		if j == 1 {
			out.exact++
		}
		if j >= near {
			out.near++
		}
	}
	out.right = out.experts == len(groups) && out.near == len(groups)
	return out, nil
}

// sidedJaccard is Jaccard where a column c that a part says is off is ^c.
func sidedJaccard(m *patchwork.Model, groups [][]int) []float64 {
	width := m.Height() * m.Width()
	parts := make([][]float64, m.K())
	for k, t := range m.Templates() {
		parts[k] = make([]float64, 2*width)
		for c, v := range t {
			q := m.Abstention(c)
			switch {
			case v > q:
				parts[k][c] = 1
			case v < q:
				parts[k][width+c] = 1
			}
		}
	}
	sided := make([][]int, len(groups))
	for g, columns := range groups {
		for _, c := range columns {
			if c < 0 {
				c = width + ^c
			}
			sided[g] = append(sided[g], c)
		}
	}
	both, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 2 * width}, parts)
	if err != nil {
		panic(err) // as many as m has
	}
	return Jaccard(both, sided)
}

// ReportRecovered prints, of the tables whose names begin with one of names (none: of all),
// of so many seeds from o.Seed on, whether their parts are found.
func ReportRecovered(ctx context.Context, w io.Writer, names []string, sets int, o Options) error {
	t := stat.NewTable(w, "table", "all right", "parts", "found", "exact", "of", "CPU s, mean", "most", "nats, mean")
	for _, r := range Recoveries {
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(r.Name, n) }) {
			continue
		}
		_, groups := r.Draw(o.Seed)
		all, err := stat.Seeds(sets, func(i uint64) (recovery, error) { return measureRecovered(ctx, r, o.Seed+i, o) })
		if err != nil {
			return err
		}
		list := func(of func(recovery) int) string {
			return stat.Cells(all, func(r recovery) string { return fmt.Sprint(of(r)) })
		}
		compact := func(s string) string { return strings.ReplaceAll(s, " | ", " ") }
		t.Row("%s | %d of %d | %s | %s | %s | %d | %.2f | %.2f | %.1f", r.Name,
			stat.Count(all, func(r recovery) bool { return r.right }), sets,
			compact(list(func(r recovery) int { return r.experts })), compact(list(func(r recovery) int { return r.near })),
			compact(list(func(r recovery) int { return r.exact })), len(groups),
			stat.MeanOf(all, func(r recovery) float64 { return r.took }),
			slices.Max(stat.Of(all, func(r recovery) float64 { return r.took })),
			stat.MeanOf(all, func(r recovery) float64 { return r.length }))
	}
	return nil
}
