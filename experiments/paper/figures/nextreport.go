package figures

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// table returns how the rules keep the laws.
func (l laws) table() Table {
	t := Table{Name: "laws",
		Title: fmt.Sprintf("Composition rules for variances: violations of two laws in %d random cases", l.cases),
		Columns: []Column{{"rule", -1}, {"two opposite opinions make a value more probable than the better of them", -1},
			{"the mean jumps where the stronger of two changes", -1}, {"largest jump in these cases", 2}}}
	for _, r := range l.rules {
		t.add(r.name, r.helps, r.jumps, r.jump)
	}
	return t
}

// outOf returns how many things something holds for, as text.
func outOf[T any](all []T, holds func(T) bool) string {
	return fmt.Sprintf("%d of %d", stat.Count(all, holds), len(all))
}

// quadrantTable returns the recovery of quadrants and the densities, by the number of images.
func (n *next) quadrantTable() Table {
	t := Table{Name: "quadrants",
		Title: "Real quadrants: parts found of 8, and nats per test image behind the truth (means over the sets)",
		Columns: []Column{{"images", -1}, {"parts found", 1}, {"sets with all", -1}, {"sets with 8 experts", -1},
			{"behind the truth", 2}, {"deviation over the sets", 2}}}
	for _, r := range quadrantRivals {
		t.Columns = append(t.Columns, Column{r.title, 2})
	}
	t.Columns = append(t.Columns, heads(1, "NMF finds (told 8)", "dictionary finds (told 8)")...)
	for i, size := range n.sizes.quadrants {
		sets := n.quadrants[i]
		found := func(by int) float64 {
			return stat.MeanOf(sets, func(q quadrantSet) float64 { return float64(q.found[by]) })
		}
		behind := func(by int) []float64 { return stat.Of(sets, func(q quadrantSet) float64 { return q.behind[by] }) }
		t.add(size, found(0), outOf(sets, func(q quadrantSet) bool { return q.found[0] == 8 }),
			outOf(sets, func(q quadrantSet) bool { return q.model.K() == 8 }), stat.Mean(behind(0)), stat.SD(behind(0)),
			stat.Mean(behind(1)), stat.Mean(behind(2)), stat.Mean(behind(3)), found(1), found(2))
	}
	return t
}

// barTable returns the recovery of overlapping bars.
func (n *next) barTable() Table {
	k := 2 * n.sizes.side
	t := Table{Name: "bars",
		Title: fmt.Sprintf("Grey bars that overlap: bars found of %d (a part of its own with a cosine of 0.9 or more)", k),
		Columns: []Column{{"bars", -1}, {"ours", 1}, {"experts found out", 1},
			{"sets with all bars and no other part", -1}}}
	for _, name := range barModels[1:] {
		t.Columns = append(t.Columns, Column{fmt.Sprintf("%s (told %d)", name, k), 1})
	}
	for i, kind := range barKinds {
		found := func(by int) float64 {
			return stat.MeanOf(n.bars[i], func(b barSet) float64 { return float64(b.found[by]) })
		}
		t.add(kind.name, found(0), stat.MeanOf(n.bars[i], func(b barSet) float64 { return float64(b.model.K()) }),
			outOf(n.bars[i], func(b barSet) bool { return b.whole(0, k) }), found(1), found(2), found(3))
	}
	return t
}

// digitTable returns the log-densities of digits.
func (n *next) digitTable() Table {
	t := Table{Name: "digits", Title: "Grey digits: nats per test image (higher is better), size, and numbers learned",
		Columns: heads(-1, "class")}
	for _, name := range digitModels {
		t.Columns = append(t.Columns, Column{name, 1}, Column{"size", -1}, Column{"numbers", -1})
	}
	for _, d := range n.digits {
		line := []any{d.class}
		for i := range digitModels {
			line = append(line, d.by[i], d.size[i], d.params[i])
		}
		t.add(line...)
	}
	return t
}

// sceneTable returns how many scenes are explained rightly.
func (n *next) sceneTable() Table {
	t := Table{Name: "scenes", Title: "Scenes of grey digits: all five digits found within a pixel, and nothing else",
		Columns: heads(-1, "deviation of the noise", "scenes", "of")}
	for i, sd := range sceneNoise {
		t.add(sd, n.scenes[i].found, n.sizes.scenes)
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
	s := n.scenes[1]
	return append(out, Picture{Name: "scene",
		Caption: fmt.Sprintf(
			"The first scene of five digits under noise of deviation 0.5, what its picks say together, and what is left "+
				"over: %s.",
			map[bool]string{true: "all five digits are found", false: "not all of them are found"}[s.first.Found(s.picks)]),
		Drawing: s.picture()})
}

// barPicture draws images of bars and the templates of all models.
func (n *next) barPicture() render.Picture {
	b, side := n.bars[0][0], n.sizes.side
	columns := min(12, max(2*side, b.model.K()))
	s := render.Sheet{Columns: columns, Scale: 10, RowLabels: append([]string{"images"}, barModels...)}
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

// picture draws the first scene with its explanation.
func (s sceneSet) picture() render.Picture {
	h, w := s.model.Height, s.model.Width
	said := render.RealSaid(s.model, s.picks)
	left := slices.Clone(s.first.Image)
	for d := range left {
		left[d] -= said[d]
	}
	grey, off := render.RealScale{Low: -.5, High: 1.5}, render.RealScale{Full: 2}
	return render.Sheet{Columns: 3, Scale: 5, Tiles: []render.Tile{
		{Image: grey.Grey(h, w, s.first.Image), Caption: "the scene"},
		{Image: grey.Grey(h, w, said), Caption: fmt.Sprintf("%d picks", len(s.picks))},
		{Image: off.Deviations(h, w, left), Caption: "left over"}}}
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
	all := stat.Count(sets, quadrantSet.whole)
	behind := func(by int) []float64 { return stat.Of(sets, func(q quadrantSet) float64 { return q.behind[by] }) }
	ours := stat.Mean(behind(0))
	rival := min(stat.Mean(behind(1)), stat.Mean(behind(2)), stat.Mean(behind(3)))
	return Statement{"Real quadrants: the eight parts are found, and no others; the density is nearer to the truth than " +
		"that of factors and mixtures.",
		fmt.Sprintf("from %d images in %d of %d sets; %.2f nats behind the truth, the best rival %.2f", n.sizes.quadrants[at],
			all, len(sets), ours, rival),
		fmt.Sprintf("%s, deviation %.2f", words.Count(len(sets), "set"), stat.SD(behind(0))),
		judge(all == len(sets) && ours < rival, ours < rival)}
}

func (n *next) barStatement() Statement {
	k, all := 2*n.sizes.side, slices.Concat(n.bars...)
	whole := func(by int) int { return stat.Count(all, func(b barSet) bool { return b.whole(by, k) }) }
	text := fmt.Sprintf("all bars, and no other part, in %d of %d sets", whole(0), len(all))
	for by, name := range barModels[1:] {
		text += fmt.Sprintf("; %s, told their number, all in %d", name, whole(by+1))
	}
	return Statement{"Grey bars that overlap: all are found, without their number; models of sums do not find them " +
		"as often.", text, words.Count(len(all), "set"),
		judge(whole(0) == len(all) && max(whole(1), whole(2), whole(3)) < len(all), whole(0) == len(all))}
}

func (n *next) digitStatement() Statement {
	won := [4]int{}
	var texts []string
	for _, d := range n.digits {
		texts = append(texts, fmt.Sprintf("%d: %.1f, mixture %.1f, factor analysis %.1f, PPCA %.1f", d.class, d.by[0],
			d.by[1], d.by[2], d.by[3]))
		for j, v := range d.by {
			if d.by[0] > v {
				won[j]++
			}
		}
	}
	all := len(n.digits)
	return Statement{"Grey digits: the density of test images is higher than that of mixtures and factors.",
		"nats per image, class " + minus(strings.Join(texts, "; ")),
		[]string{"1 class", fmt.Sprintf("%d classes", all)}[min(all-1, 1)],
		judge(slices.Min(won[1:]) == all, won[1] == all)}
}

func (n *next) sceneStatement() Statement {
	var texts []string
	for i, sd := range sceneNoise {
		texts = append(texts, fmt.Sprintf("noise %g: %d of %d", sd, n.scenes[i].found, n.sizes.scenes))
	}
	most, quiet, loud := n.sizes.scenes, n.scenes[0].found, n.scenes[1].found
	return Statement{"Scenes of overlapping grey digits are resolved without truncated templates, under noise of up to " +
		"half of their brightness: to abstain is the background's density.", strings.Join(texts, "; "),
		fmt.Sprintf("%d scenes for each noise", most),
		judge(quiet >= most*9/10 && loud >= most*8/10, quiet >= most*7/10)}
}
