package figures

import (
	"context"
	"fmt"
	"image"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/pairs"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
)

// addAlone adds to Figure 3 what the paper leaves open: the templates, which it takes
// as known, are learned from the scenes themselves, in which no digit is alone.
func addAlone(ctx context.Context, o Options, r *Result) error {
	set, digits, err := aloneSet(o)
	if err != nil {
		return err
	}
	side := set.Images[0].Height()
	m, err := learn.Learn(ctx, patchwork.Data{Images: set.Images}, patchwork.NewConfig(patchwork.RuleMax, side, side, pose.Grid{}),
		learn.Options{StartFrom: learn.StartFromPairs, Seed: o.Seed, Workers: max(o.Workers, 1)})
	if err != nil {
		return err
	}
	var parts []*bitmap.Image
	for k := range m.K() {
		parts = append(parts, pairs.Ink(m, k))
	}
	found := set.Found(parts)
	scene, err := drawAlone(set, m)
	if err != nil {
		return err
	}
	r.Text += fmt.Sprintf("\n\nBeyond the paper: parts that are never shown alone. There the templates are known; here they are learned from %d scenes of %d x %d pixels with %s of %d digits each, one drawing of every digit, by what pairs of scenes have in common (learn --start-from pairs). Neither the number of parts nor their size is told.",
		len(set.Images), side, side, digits, len(set.Parts))
	r.Pictures = append(r.Pictures,
		Picture{Name: "alone", Drawing: scene, Caption: "Parts that are never shown alone: three of the scenes from which they are learned, and the first one as the learned parts explain it.", Alt: "Scenes of overlapping digits, and the digits found in one of them in colours"},
		Picture{Name: "alone-parts", Drawing: drawParts(set, m, parts), Caption: fmt.Sprintf("All %d parts that were learned, each with the digit that it equals, pixel by pixel.", m.K()), Alt: "The learned parts are whole digits"})
	r.Statements = append(r.Statements, Statement{"Beyond the paper: the templates can be learned from scenes in which no digit is alone.",
		fmt.Sprintf("%d of %d digits found exactly, among %d parts", found, len(set.Parts), m.K()), "one set; experiments/run alone has more", judge(found == len(set.Parts) && m.K() == found, 2*found > len(set.Parts))})
	return nil
}

// aloneSet draws the scenes, and says how many digits each has.
func aloneSet(o Options) (pairs.Set, string, error) {
	glyphs, labels := o.Digits, o.Labels
	if len(glyphs) == 0 {
		var err error
		if glyphs, labels, err = synth.Digits(10, o.Seed); err != nil {
			return pairs.Set{}, "", err
		}
	}
	if o.Quick {
		return pairs.Digits(o.Seed, pairs.Scenes{N: 24, Side: 40, Least: 2, Most: 2, Distinct: true}, 4, 0, glyphs, labels), "two", nil
	}
	return pairs.Alone(o.Seed, 60, 0, glyphs, labels), "five", nil
}

// drawAlone draws three scenes, and the first one explained.
func drawAlone(set pairs.Set, m *patchwork.Model) (render.Sheet, error) {
	sheet := render.Sheet{Columns: 4, Scale: 4}
	for i := range 3 {
		sheet.Tiles = append(sheet.Tiles, render.Tile{Image: render.Image(set.Images[i]), Caption: fmt.Sprintf("scene %d", i+1)})
	}
	e, err := m.Explain(set.Images[0])
	if err != nil {
		return sheet, err
	}
	h, w := set.Images[0].Height(), set.Images[0].Width()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for p := range img.Pix {
		img.Pix[p] = 0xff
	}
	for j := len(e.Picks) - 1; j >= 0; j-- {
		for p, v := range render.Opinion(m, h, w, e.Picks[j]) {
			if v > .5 {
				img.SetRGBA(p%w, p/w, orderHue(j))
			}
		}
	}
	sheet.Tiles = append(sheet.Tiles, render.Tile{Image: img, Caption: "scene 1, explained"})
	return sheet, nil
}

// drawParts draws the templates that were learned.
func drawParts(set pairs.Set, m *patchwork.Model, parts []*bitmap.Image) render.Sheet {
	sheet := render.Sheet{Columns: 5, Scale: 4}
	for k, part := range parts {
		caption := fmt.Sprintf("part %d, no digit", k)
		for digit, want := range set.Parts {
			if set.Same(part, want) {
				caption = fmt.Sprintf("digit %d", digit)
			}
		}
		sheet.Tiles = append(sheet.Tiles, render.Tile{Image: render.Expert(m, k), Caption: caption})
	}
	return sheet
}
