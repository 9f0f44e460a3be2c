package figures

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/scenes"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/render"
)

// figure3 shows the scene of five digits.
var figure3 = Figure{"3", "Figure 3: a scene of digits", `A scene of five digits, a noisy version of it, and the scene as resolved with robustified (truncated) templates: the digits are detected in the order red, green, blue, yellow, magenta. Last, the first digit detected with the original templates: the largest structure that a single template explains moderately well.

The truncated templates resolve the scene perfectly. Mixing the templates with 1/2 (Williams and Titsias) is less effective. With an iterative procedure the scene can be resolved with the original templates too.`, runFigure3}

// orderHues are red, green, blue, yellow and magenta in the shades of M. Okabe
// and K. Ito, which colour-blind readers can tell apart; further digits are
// grey.
var orderHues = []color.RGBA{{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0x00, 0x72, 0xb2, 0xff},
	{0xe8, 0xc5, 0x00, 0xff}, {0xcc, 0x79, 0xa7, 0xff}}

var orderNames = []string{"red", "green", "blue", "yellow", "magenta"}

func orderHue(i int) color.RGBA {
	if i < len(orderHues) {
		return orderHues[i]
	}
	return color.RGBA{0x80, 0x80, 0x80, 0xff}
}

// shownSetting is that of the picture, and shownLevels the templates': the
// background is close to 0, as in the paper.
var shownSetting = scenes.Setting{Side: 48, Flip: .10}

const (
	shownInk        = 0.9
	shownBackground = 0.01
)

// backgrounds are the template backgrounds compared.
var backgrounds = []float64{.001, shownBackground, .03, .1}

// Run draws a scene and measures all settings.
func runFigure3(ctx context.Context, o Options) (Result, error) {
	settings := pick(o, []scenes.Setting{{Side: 64, Flip: .10}, {Side: 48, Flip: .20}}, scenes.Settings)
	seeds, count := o.atLeast(1, pick(o, 2, 4)), o.atLeast(1, pick(o, 4, 25))
	rows := make([][]scenes.Row, len(settings))
	for i := range rows {
		rows[i] = make([]scenes.Row, seeds)
	}
	var r Result
	trials, err := tryBackgrounds(ctx, o, seeds, count)
	if err != nil {
		return r, err
	}
	shown, err := showScene(o, trials, count)
	if err != nil {
		return r, err
	}
	err = o.each(ctx, len(settings)*seeds, func(ctx context.Context, i int) error {
		row, err := scenes.Run(ctx, settings[i/seeds], scenes.Options{Scenes: count, Seed: o.seed(i % seeds),
			Glyphs: o.Digits, Labels: o.Labels})
		rows[i/seeds][i%seeds] = row
		return err
	})
	if err != nil {
		return r, err
	}
	digits := "The digits are the project's own pen-drawn ones"
	if len(o.Digits) > 0 {
		digits = fmt.Sprintf("The digits are the %d drawings given (MNIST)", len(o.Digits))
	}
	r.Text = fmt.Sprintf(`%s. Five different digits are placed at random, one exemplar of each class serves as template, and pixels are flipped. A scene is right when exactly its digits are found, each at its exact place. The picture shows a scene of %d x %d pixels with one pixel in ten flipped, templates being %g on ink and %g elsewhere: %s.

The tables have %d seeds of %d scenes a row. In the first, templates fit the noise (1 - flips on ink, flips elsewhere). Hybrid is the truncated pursuit, and then sweeps of replacing, dropping and adding under the original likelihood: the iterative procedure. In the second, the templates' background goes to 0, as the paper's does, and ink that an expert does not explain gets dearer and dearer; truncated templates do not look at it.`,
		digits, shownSetting.Side, shownSetting.Side, shownInk, shownBackground, shown.how, seeds, count)
	r.Pictures = []Picture{{Name: "scene", Drawing: shown.sheet, Caption: shown.caption,
		Alt: "A scene of digits, with noise, and the digits found in it in colours"}}
	r.Tables = []Table{sceneTable(settings, rows), backgroundTable(trials)}
	r.Statements = sceneStatements(settings, rows, trials, shown)
	return r, nil
}

// shownScenes returns the scenes of a seed in the shown setting, with templates
// of the given background, which does not change the scenes.
func (o Options) shownScenes(seed, n int, background float64) (*synth.Set[*synth.SceneTruth], error) {
	on := shownInk
	return synth.Scenes(synth.ScenesOptions{N: n, Side: shownSetting.Side, Flip: &shownSetting.Flip,
		Seed: o.seed(seed), On: &on, Off: &background,
		Glyphs: o.Digits, Labels: o.Labels})
}

// backgroundTrial holds the results in the scenes of one seed with templates of
// one background, as fractions of the scenes.
type backgroundTrial struct {
	truncated, original float64 // resolved
	misled              float64 // the first digit by the original templates is wrong
	like                []int   // scenes in which it is wrong and truncation resolves the scene
}

// tryBackgrounds explains the scenes of each seed by both likelihoods, for each
// background.
func tryBackgrounds(ctx context.Context, o Options, seeds, count int) ([][]backgroundTrial, error) {
	out := make([][]backgroundTrial, len(backgrounds))
	for i := range out {
		out[i] = make([]backgroundTrial, seeds)
	}
	err := o.each(ctx, len(backgrounds)*seeds, func(ctx context.Context, i int) error {
		t := &out[i/seeds][i%seeds]
		set, err := o.shownScenes(i%seeds, count, backgrounds[i/seeds])
		if err != nil {
			return err
		}
		share := 1 / float64(count)
		for j := range set.Images {
			if err := ctx.Err(); err != nil {
				return err
			}
			truncated, original, err := explainBoth(set, j)
			if err != nil {
				return err
			}
			resolved := scenes.Right(set.Truth, j, truncated)
			misled := len(original.Picks) > 0 && !scenes.Has(set.Truth, j, original.Picks[0])
			if resolved {
				t.truncated += share
			}
			if scenes.Right(set.Truth, j, original) {
				t.original += share
			}
			if misled {
				t.misled += share
			}
			if misled && resolved {
				t.like = append(t.like, j)
			}
		}
		return nil
	})
	return out, err
}

// explainBoth explains a scene with truncated and with original templates.
func explainBoth(set *synth.Set[*synth.SceneTruth], i int) (truncated, original *patchwork.Explanation, err error) {
	m, err := scenes.Model(set.Truth, i)
	if err != nil {
		return nil, nil, err
	}
	explain := func(s patchwork.Scoring) (*patchwork.Explanation, error) {
		p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Paper: true, Scoring: s})
		if err != nil {
			return nil, err
		}
		return p.Explain(set.Images[i])
	}
	if truncated, err = explain(patchwork.ScoringTruncated); err != nil {
		return nil, nil, err
	}
	original, err = explain(patchwork.ScoringOriginal)
	return truncated, original, err
}

// shownScene is the scene of the picture.
type shownScene struct {
	sheet        render.Sheet
	caption, how string
	like, tried  int // scenes like it
}

// showScene draws the first scene like the paper's, in which truncation makes
// the difference, or else the first scene.
func showScene(o Options, trials [][]backgroundTrial, count int) (shownScene, error) {
	at := slices.Index(backgrounds, shownBackground)
	s := shownScene{tried: count * len(trials[at])}
	seed, scene := 0, 0
	for i, t := range trials[at] {
		if s.like == 0 && len(t.like) > 0 {
			seed, scene = i, t.like[0]
		}
		s.like += len(t.like)
	}
	s.how = fmt.Sprintf("the first of %d random ones in which the truncated templates find everything and the first "+
		"digit by the original templates is wrong, as in the paper; %d of them are like that", s.tried, s.like)
	if s.like == 0 {
		s.how = fmt.Sprintf("the first of %d random ones, of which none is like the paper's, where truncation resolves the "+
			"scene and the first digit by the original templates is wrong", s.tried)
	}
	set, err := o.shownScenes(seed, count, shownBackground)
	if err != nil {
		return s, err
	}
	truncated, original, err := explainBoth(set, scene)
	if err != nil {
		return s, err
	}
	s.sheet, s.caption, err = drawScene(set, scene, truncated, original)
	return s, err
}

// backgroundTable returns the trials by background.
func backgroundTable(trials [][]backgroundTrial) Table {
	t := Table{Name: "backgrounds",
		Title: fmt.Sprintf("Share of scenes (%d x %d, one pixel in ten flipped) by the background of the templates",
			shownSetting.Side, shownSetting.Side),
		Columns: append([]Column{{"background", 3}}, heads(2, "resolved, truncated", "± (sd)", "resolved, original",
			"± (sd)", "first digit by the original wrong", "± (sd)")...)}
	for i, b := range backgrounds {
		row := []any{b}
		for _, f := range []func(t backgroundTrial) float64{withTruncated, withOriginal,
			func(t backgroundTrial) float64 { return t.misled }} {
			v := stat.Of(trials[i], f)
			row = append(row, stat.Mean(v), stat.SD(v))
		}
		t.add(row...)
	}
	return t
}

func withTruncated(t backgroundTrial) float64 { return t.truncated }

func withOriginal(t backgroundTrial) float64 { return t.original }

// drawScene returns the four panels and describes the order of detection.
func drawScene(set *synth.Set[*synth.SceneTruth], i int, truncated, original *patchwork.Explanation) (render.Sheet,
	string, error) {
	m, err := scenes.Model(set.Truth, i)
	if err != nil {
		return render.Sheet{}, "", err
	}
	scene := set.Truth.Items[i]
	h, w := set.Images[i].Height(), set.Images[i].Width()
	place := func(picks []patchwork.Pick) image.Image {
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for p := range img.Pix {
			img.Pix[p] = 0xff
		}
		for j := len(picks) - 1; j >= 0; j-- { // the first found on top
			for p, v := range render.Opinion(m, h, w, picks[j]) {
				if v > .5 {
					img.SetRGBA(p%w, p/w, orderHue(j))
				}
			}
		}
		return img
	}
	sheet := render.Sheet{Columns: 4, Scale: 4, Tiles: []render.Tile{
		{Image: render.Image(scene.Clean), Caption: "scene"},
		{Image: render.Image(set.Images[i]), Caption: "noisy"},
		{Image: place(truncated.Picks), Caption: "resolved, truncated templates"},
		{Image: place(original.Picks[:min(1, len(original.Picks))]), Caption: "first digit, original templates"},
	}}
	text := "Found, in order:"
	for j, p := range truncated.Picks {
		digit := set.Truth.Labels[scene.Candidates[p.Expert]]
		name := "grey"
		if j < len(orderNames) {
			name = orderNames[j]
		}
		text += fmt.Sprintf(" %d (%s),", digit, name)
		sheet.Legend = append(sheet.Legend, render.Swatch{Colour: orderHue(j), Text: fmt.Sprintf("%d. digit %d", j+1, digit)})
	}
	text = text[:len(text)-1] + "."
	if len(original.Picks) > 0 {
		text += fmt.Sprintf(" With the original templates, first a %d.",
			set.Truth.Labels[scene.Candidates[original.Picks[0].Expert]])
	}
	return sheet, text, nil
}

// sceneTable returns the fraction of scenes resolved.
func sceneTable(settings []scenes.Setting, rows [][]scenes.Row) Table {
	t := Table{Name: "scenes", Title: "Share of scenes resolved", Columns: []Column{{"side", 0}, {"flips", 2},
		{"overlap", 2}}}
	for _, v := range scenes.Variants {
		t.Columns = append(t.Columns, heads(2, v.Name, "± (sd)")...)
	}
	for i, s := range settings {
		line := []any{s.Side, s.Flip, stat.MeanOf(rows[i], func(r scenes.Row) float64 { return r.Overlap })}
		for v := range scenes.Variants {
			right := rightBySeed(rows[i], v)
			line = append(line, stat.Mean(right), stat.SD(right))
		}
		t.add(line...)
	}
	return t
}

func rightBySeed(rows []scenes.Row, variant int) []float64 {
	return stat.Of(rows, func(r scenes.Row) float64 { return r.Right[variant] })
}

// sceneStatements judges the claims; variants are indexed as in
// scenes.Variants.
func sceneStatements(settings []scenes.Setting, rows [][]scenes.Row, trials [][]backgroundTrial,
	shown shownScene) []Statement {
	const truncated, original, mix9, mix5, hybrid = 0, 1, 2, 3, 4
	over := func(v int, only func(s scenes.Setting) bool) []float64 {
		var out []float64
		for i, s := range settings {
			if only(s) {
				out = append(out, stat.Mean(rightBySeed(rows[i], v)))
			}
		}
		return out
	}
	everywhere := func(scenes.Setting) bool { return true }
	noisy := func(s scenes.Setting) bool { return s.Flip >= .1 }
	better, worse := 0, 0
	a, b := over(truncated, noisy), over(original, noisy)
	for i := range a {
		if a[i] > b[i] {
			better++
		} else if a[i] < b[i] {
			worse++
		}
	}
	shownBy := trials[slices.Index(backgrounds, shownBackground)]
	truncatedShare, originalShare := stat.Of(shownBy, withTruncated), stat.Of(shownBy, withOriginal)
	var means [5]float64
	for v := range means {
		means[v] = stat.Mean(over(v, everywhere))
	}
	t, orig, m9, m5, h := means[truncated], means[original], means[mix9], means[mix5], means[hybrid]
	spread := "settings: truncated " + between(over(truncated, everywhere), 2) + ", original " +
		between(over(original, everywhere), 2)
	return []Statement{
		{"Truncated templates resolve the scene; the first digit by the original templates is a wrong one.",
			fmt.Sprintf("so in %d of %d random scenes (48 x 48, one pixel in ten flipped, background %g); truncated templates "+
				"resolve %s, the original ones %s", shown.like, shown.tried, shownBackground, percent(stat.Mean(truncatedShare)),
				percent(stat.Mean(originalShare))),
			fmt.Sprintf("seeds: truncated %s, original %s", between(truncatedShare, 2), between(originalShare, 2)),
			judge(2*shown.like > shown.tried, shown.like > 0)},
		{"Truncation makes the greedy search robust.",
			fmt.Sprintf("scenes resolved, mean over the settings: truncated %.2f, original %.2f; better in %d of the %d with "+
				"10 %% of flips or more, worse in %d; with a background of %g instead of the noise's, %.2f against %.2f", t, orig,
				better, len(a), worse,
				backgrounds[0], stat.MeanOf(trials[0], withTruncated), stat.MeanOf(trials[0], withOriginal)),
			spread, judge(better == len(a), better > worse)},
		{"Mixing templates with 1/2 is less effective.", fmt.Sprintf("mixtures of 0.9 and 0.5: %.2f, %.2f; truncated %.2f",
			m9, m5, t), "settings: mixture of 0.9 " + between(over(mix9, everywhere), 2), judge(max(m9, m5) < t, false)},
		{"An iterative procedure resolves scenes with the original likelihood, too.",
			fmt.Sprintf("hybrid %.2f against %.2f by one pass of the original templates, and %.2f of the truncated ones", h,
				orig, t),
			"settings: hybrid " + between(over(hybrid, everywhere), 2), judge(h > orig && h >= t, h > orig)},
	}
}
