package figures

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/diagnose/words"
	model "example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// table returns how the rules keep the laws.
func (l laws) table() Table {
	t := Table{Name: "laws",
		Title: fmt.Sprintf("Composition rules for variances: violations of two laws in %d random cases", l.cases),
		Columns: []string{"rule", "two opposite opinions make a value more probable than the better of them",
			"the mean jumps where the stronger of two changes", "largest jump in these cases"}, Decimals: []int{-1, -1, -1, 2}}
	for _, r := range l.rules {
		t.Rows = append(t.Rows, []string{r.name, fmt.Sprint(r.helps), fmt.Sprint(r.jumps), number(r.jump)})
	}
	return t
}

// quadrantTable returns the recovery of quadrants and the densities, by the number of images.
func (n *next) quadrantTable() Table {
	t := Table{Name: "quadrants",
		Title: "Real quadrants: parts found of 8, and nats per test image behind the truth (means over the sets)",
		Columns: []string{"images", "parts found", "sets with all", "sets with 8 experts", "behind the truth",
			"deviation over the sets", "PPCA, 4 factors", "factor analysis, 4", "mixture, 8", "NMF finds (told 8)",
			"dictionary finds (told 8)"},
		Decimals: []int{-1, 1, -1, -1, 2, 2, 2, 2, 2, 1, 1}}
	for i, size := range n.sizes.quadrants {
		sets := n.quadrants[i]
		of := func(f func(q quadrantSet) float64) string { m, _ := mean(sets, f); return number(m) }
		excess, sd := mean(sets, func(q quadrantSet) float64 { return q.excess })
		t.Rows = append(t.Rows, []string{fmt.Sprint(size), of(func(q quadrantSet) float64 { return float64(q.found) }),
			fmt.Sprintf("%d of %d", whole(sets, func(q quadrantSet) bool { return q.found == 8 }), len(sets)),
			fmt.Sprintf("%d of %d", whole(sets, func(q quadrantSet) bool { return q.experts == 8 }), len(sets)), number(excess),
			number(sd),
			of(func(q quadrantSet) float64 { return q.ppca }), of(func(q quadrantSet) float64 { return q.factors }),
			of(func(q quadrantSet) float64 { return q.mixture }),
			of(func(q quadrantSet) float64 { return float64(q.nmf) }),
			of(func(q quadrantSet) float64 { return float64(q.dictionary) })})
	}
	return t
}

// barTable returns the recovery of overlapping bars.
func (n *next) barTable() Table {
	k := 2 * n.sizes.side
	t := Table{Name: "bars",
		Title: fmt.Sprintf("Grey bars that overlap: bars found of %d (a part of its own with a cosine of 0.9 or more)", k),
		Columns: []string{"bars", "ours", "experts found out", "sets with all bars and no other part",
			fmt.Sprintf("NMF (told %d)", k), fmt.Sprintf("dictionary (told %d)", k), fmt.Sprintf("ICA (told %d)", k)},
		Decimals: []int{-1, 1, 1, -1, 1, 1, 1}}
	for i, kind := range barKinds {
		sets := n.bars[i]
		of := func(f func(b barSet) int) string {
			m, _ := mean(sets, func(b barSet) float64 { return float64(f(b)) })
			return number(m)
		}
		t.Rows = append(t.Rows, []string{kind.name, of(func(b barSet) int { return b.found }),
			of(func(b barSet) int { return b.experts }),
			fmt.Sprintf("%d of %d", whole(sets, func(b barSet) bool { return b.found == k && b.experts == k }), len(sets)),
			of(func(b barSet) int { return b.nmf }), of(func(b barSet) int { return b.dictionary }),
			of(func(b barSet) int { return b.ica })})
	}
	return t
}

// digitRivals are the models of digits, in the order of digitSet.by.
var digitRivals = []string{"parts", "mixture", "factor analysis", "PPCA"}

// digitTable returns the log-densities of digits.
func (n *next) digitTable() Table {
	t := Table{Name: "digits", Title: "Grey digits: nats per test image (higher is better), size, and numbers learned",
		Columns: []string{"class"}, Decimals: []int{-1}}
	for _, r := range digitRivals {
		t.Columns, t.Decimals = append(t.Columns, r, "size", "numbers"), append(t.Decimals, 1, -1, -1)
	}
	for _, d := range n.digits {
		line := []string{fmt.Sprint(d.class)}
		for i := range digitRivals {
			line = append(line, number(d.by[i]), fmt.Sprint(d.size[i]), fmt.Sprint(d.params[i]))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// sceneTable returns how many scenes are explained rightly.
func (n *next) sceneTable() Table {
	t := Table{Name: "scenes", Title: "Scenes of grey digits: all five digits found within a pixel, and nothing else",
		Columns: []string{"deviation of the noise", "scenes", "of"}}
	for i, sd := range sceneNoise {
		t.Rows = append(t.Rows, []string{fmt.Sprint(sd), fmt.Sprint(n.scenes[i]), fmt.Sprint(n.sizes.scenes)})
	}
	return t
}

// pictures draws data, parts and a scene.
func (n *next) pictures() []Picture {
	last := n.quadrants[len(n.quadrants)-1][0]
	out := []Picture{{Name: "quadrants",
		Caption: fmt.Sprintf("What %d noisy images of quadrants teach: every part as a deviation from the background.",
			n.sizes.quadrants[len(n.sizes.quadrants)-1]),
		Drawing: render.RealParts(last.model)},
		{Name: "bars", Caption: "Overlapping grey bars. The first row are images; then the parts of each model: ours, " +
			"whose number is found out, and those of rivals, which are told it.", Drawing: n.barPicture()}}
	for _, d := range n.digits[:1] {
		out = append(out, Picture{Name: "digit-parts",
			Caption: fmt.Sprintf(
				"The parts of grey images of the digit %d: pieces of stroke that are there (yellow) or lacking (blue).", d.class),
			Drawing: render.RealParts(d.model)},
			Picture{Name: "digit-samples", Caption: fmt.Sprintf("Images of the digit %d drawn from the model.", d.class),
				Drawing: samplesOf(d.model)})
	}
	return append(out, Picture{Name: "scene",
		Caption: fmt.Sprintf(
			"The first scene of five digits under noise of deviation 0.5, what its picks say together, and what is left "+
				"over: %s.",
			map[bool]string{true: "all five digits are found", false: "not all of them are found"}[n.scene.Found(n.picks)]),
		Drawing: n.scenePicture()})
}

// barPicture draws images of bars and the templates of all models.
func (n *next) barPicture() render.Picture {
	b, side := n.bars[0][0], n.sizes.side
	columns := min(12, max(2*side, b.experts))
	s := render.Sheet{Columns: columns, Scale: 10, RowLabels: []string{"images", "ours", "NMF", "dictionary", "ICA"}}
	grey := render.RealScale{Low: -.2, High: 1.2}
	row := func(k int, draw func(i int) image.Image) {
		for i := range columns {
			if i < k {
				s.Tiles = append(s.Tiles, render.Tile{Image: draw(i)})
			} else {
				s.Tiles = append(s.Tiles, render.Tile{})
			}
		}
	}
	row(len(b.rows), func(i int) image.Image { return grey.Grey(side, side, b.rows[i]) })
	for _, t := range b.templates {
		row(len(t), func(i int) image.Image {
			full := 0.0
			for _, x := range t[i] {
				full = max(full, math.Abs(x))
			}
			return render.RealScale{Full: full}.Deviations(side, side, t[i])
		})
	}
	return s
}

// samplesOf draws images from a model.
func samplesOf(m *model.Model) render.Sheet {
	s := render.Sheet{Columns: 8}
	scale := render.RealScaleOf(m)
	for i := range 16 {
		s.Tiles = append(s.Tiles,
			render.Tile{Image: scale.Grey(m.Height, m.Width, m.Sample(rand.New(rand.NewPCG(0, uint64(i)))))})
	}
	return s
}

// scenePicture draws a scene with its explanation.
func (n *next) scenePicture() render.Picture {
	m := n.sceneFor
	said := render.RealSaid(m, n.picks)
	left := slices.Clone(n.scene.Image)
	for d := range left {
		left[d] -= said[d]
	}
	grey, off := render.RealScale{Low: -.5, High: 1.5}, render.RealScale{Full: 2}
	return render.Sheet{Columns: 3, Scale: 5,
		Tiles: []render.Tile{{Image: grey.Grey(m.Height, m.Width, n.scene.Image), Caption: "the scene"},
			{Image: grey.Grey(m.Height, m.Width, said), Caption: fmt.Sprintf("%d picks", len(n.picks))},
			{Image: off.Deviations(m.Height, m.Width, left), Caption: "left over"}}}
}

// statements judges the next step.
func (n *next) statements(l laws) []Statement {
	pool, soft := l.rules[0], l.rules[3]
	out := []Statement{
		{"Composition rules for variances: there is one under which opposite opinions never help each other.",
			fmt.Sprintf("pool: %d of %d cases; one normal with its mean and variance: %d; hi + lo - b with the variance of "+
				"the stronger: %d", pool.helps, l.cases, l.rules[1].helps, l.rules[2].helps),
			fmt.Sprintf("%d random pairs", l.cases), judge(pool.helps == 0, false)},
		{"Continuity when transitioning from one expert to another can be achieved.",
			fmt.Sprintf("the mean jumps by up to %.2f under pool where the stronger of two opinions with variances of their "+
				"own changes, by at most %.0e under soft", pool.jump, soft.jump),
			fmt.Sprintf("%d random pairs", l.cases), judge(soft.jumps == 0, false)},
	}
	return append(out, n.quadrantStatement(), n.barStatement(), n.digitStatement(), n.sceneStatement())
}

func (n *next) quadrantStatement() Statement {
	at := len(n.quadrants) - 1
	sets := n.quadrants[at]
	all := whole(sets, func(q quadrantSet) bool { return q.found == 8 && q.experts == 8 })
	ours, sd := mean(sets, func(q quadrantSet) float64 { return q.excess })
	rival := math.Inf(1)
	for _, f := range []func(q quadrantSet) float64{func(q quadrantSet) float64 { return q.ppca },
		func(q quadrantSet) float64 { return q.factors }, func(q quadrantSet) float64 { return q.mixture }} {
		m, _ := mean(sets, f)
		rival = min(rival, m)
	}
	return Statement{"Real quadrants: the eight parts are found, and no others; the density is nearer to the truth than " +
		"that of factors and mixtures.",
		fmt.Sprintf("from %d images in %d of %d sets; %.2f nats behind the truth, the best rival %.2f", n.sizes.quadrants[at],
			all, len(sets), ours, rival),
		fmt.Sprintf("%s, deviation %.2f", words.Count(len(sets), "set"), sd),
		judge(all == len(sets) && ours < rival, ours < rival)}
}

func (n *next) barStatement() Statement {
	k := 2 * n.sizes.side
	ours, all := 0, 0
	rivals := []struct {
		name string
		n    int
	}{{name: "NMF"}, {name: "dictionary"}, {name: "ICA"}}
	for _, sets := range n.bars {
		all += len(sets)
		ours += whole(sets, func(b barSet) bool { return b.found == k && b.experts == k })
		for i, f := range []func(b barSet) int{func(b barSet) int { return b.nmf },
			func(b barSet) int { return b.dictionary }, func(b barSet) int { return b.ica }} {
			rivals[i].n += whole(sets, func(b barSet) bool { return f(b) == k })
		}
	}
	text := fmt.Sprintf("all bars, and no other part, in %d of %d sets", ours, all)
	best := 0
	for _, r := range rivals {
		text += fmt.Sprintf("; %s, told their number, all in %d", r.name, r.n)
		best = max(best, r.n)
	}
	return Statement{"Grey bars that overlap: all are found, without their number; models of sums do not find them " +
		"as often.", text, words.Count(all, "set"), judge(ours == all && best < all, ours == all)}
}

func (n *next) digitStatement() Statement {
	won := [4]int{}
	text := ""
	for i, d := range n.digits {
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("%d: %.1f, mixture %.1f, factor analysis %.1f, PPCA %.1f", d.class, d.by[0], d.by[1], d.by[2],
			d.by[3])
		for j := 1; j < len(d.by); j++ {
			if d.by[0] > d.by[j] {
				won[j]++
			}
		}
	}
	all := len(n.digits)
	least := slices.Min(won[1:])
	return Statement{"Grey digits: the density of test images is higher than that of mixtures and factors.",
		"nats per image, class " + minus(text), []string{"1 class", fmt.Sprintf("%d classes", all)}[min(all-1, 1)],
		judge(least == all, won[1] == all)}
}

func (n *next) sceneStatement() Statement {
	text := ""
	for i, sd := range sceneNoise {
		text += fmt.Sprintf("%snoise %g: %d of %d", [...]string{"", "; "}[min(i, 1)], sd, n.scenes[i], n.sizes.scenes)
	}
	most := n.sizes.scenes
	return Statement{"Scenes of overlapping grey digits are resolved without truncated templates, under noise of up to " +
		"half of their brightness: to abstain is the background's density.", text,
		fmt.Sprintf("%d scenes for each noise", most),
		judge(n.scenes[0] >= most*9/10 && n.scenes[1] >= most*8/10, n.scenes[0] >= most*7/10)}
}
