package scenes

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/pose"
)

// nearestShown is the number of drawings, nearest to the one in the scene, whose mean
// is its soft template.
const nearestShown = 11

// SoftSetting is one row of the report on scenes whose noise is not told.
type SoftSetting struct {
	Setting
	Soft bool // templates are means of other drawings, not the drawings themselves
}

// SoftSettings lists those of the ledger.
var SoftSettings = []SoftSetting{{Setting{48, .20}, false}, {Setting{64, .20}, false}, {Setting{48, .10}, true},
	{Setting{64, .10}, true}, {Setting{64, .20}, true}}

// cleanNoise is the share of flips of the images that templates are said to come from
// if they are not told the noise of the scene: that of NewConfig.
const cleanNoise = 0.01

// SoftVariants lists what is compared, by column of the report: templates that are told
// the noise, and those for clean images, taken as they are and calibrated.
var SoftVariants = []struct {
	Name    string
	Told    bool
	Options patchwork.PursuitOptions
}{
	{"told the noise", true, patchwork.PursuitOptions{AsLearned: true}},
	{"for clean images", false, patchwork.PursuitOptions{AsLearned: true}},
	{"calibrated (default)", false, patchwork.PursuitOptions{}},
}

// digitScene is an image of five digits of ten, and the templates of the ten.
type digitScene struct {
	image     *bitmap.Image
	templates [][]float64
	digits    []patchwork.Pick
}

// classesOf returns the drawings of each of the ten classes.
func classesOf(labels []int) [][]int {
	classes := make([][]int, 10)
	for i, l := range labels {
		classes[l] = append(classes[l], i)
	}
	return classes
}

// newDigitScene draws a scene: one drawing of each class, of which five lie anywhere.
func newDigitScene(r *rand.Rand, o Options, classes [][]int, s SoftSetting) *digitScene {
	h, w := o.Glyphs[0].Height(), o.Glyphs[0].Width()
	out := &digitScene{image: bitmap.New(s.Side, s.Side), templates: make([][]float64, len(classes))}
	shown := make([]int, len(classes))
	for c, all := range classes {
		shown[c] = all[r.IntN(len(all))]
		out.templates[c] = meanOf(o.Glyphs, all, shown[c], s.Soft)
	}
	for _, c := range r.Perm(len(classes))[:5] {
		at := pose.Pose{DY: r.IntN(s.Side - h + 1), DX: r.IntN(s.Side - w + 1)}
		out.digits = append(out.digits, patchwork.Pick{Expert: c, Pose: at})
		for i, x := range o.Glyphs[shown[c]].AppendBytes(nil) {
			if x != 0 {
				out.image.Set(at.DY+i/w, at.DX+i%w, true)
			}
		}
	}
	for y := range s.Side {
		for x := range s.Side {
			if r.Float64() < s.Flip {
				out.image.Set(y, x, !out.image.At(y, x))
			}
		}
	}
	return out
}

// model returns the model of the ten templates for images with so many flips.
func (s *digitScene) model(o Options, flips float64) (*patchwork.Model, error) {
	templates := make([][]float64, len(s.templates))
	for k, t := range s.templates {
		for _, p := range t {
			templates[k] = append(templates[k], flips+(1-2*flips)*p)
		}
	}
	return patchwork.NewModel(patchwork.Config{Height: o.Glyphs[0].Height(), Width: o.Glyphs[0].Width(), Q: flips,
		Scene:    true,
		Defaults: patchwork.Defaults{Truncate: true}}, templates)
}

// meanOf returns the drawing itself, or if it is to be soft the mean of the nearest
// others of its class.
func meanOf(glyphs []*bitmap.Image, class []int, shown int, soft bool) []float64 {
	of := []int{shown}
	own := glyphs[shown].AppendBytes(nil)
	if soft {
		distance := make(map[int]int)
		others := slices.DeleteFunc(slices.Clone(class), func(j int) bool { return j == shown })
		for _, j := range others {
			for i, x := range glyphs[j].AppendBytes(nil) {
				if x != own[i] {
					distance[j]++
				}
			}
		}
		slices.SortStableFunc(others, func(a, b int) int { return distance[a] - distance[b] })
		of = others[:min(nearestShown, len(others))]
	}
	mean := make([]float64, len(own))
	for _, j := range of {
		for i, x := range glyphs[j].AppendBytes(nil) {
			mean[i] += float64(x)
		}
	}
	for i := range mean {
		mean[i] /= float64(len(of))
	}
	return mean
}

// found reports whether an explanation has exactly the digits of the scene, each within
// so many pixels of its place.
func (s *digitScene) found(e *patchwork.Explanation, within int) bool {
	near := func(a, b int) bool { return max(a-b, b-a) <= within }
	for _, d := range s.digits {
		if !slices.ContainsFunc(e.Picks, func(p patchwork.Pick) bool {
			return p.Expert == d.Expert && near(p.Pose.DY, d.Pose.DY) && near(p.Pose.DX, d.Pose.DX)
		}) {
			return false
		}
	}
	return len(e.Picks) == len(s.digits)
}

// RunSoft returns, by variant, the fraction of scenes found, exactly and within a pixel.
func RunSoft(ctx context.Context, s SoftSetting, o Options) (exact, close []float64, err error) {
	classes := classesOf(o.Labels)
	exact, close = make([]float64, len(SoftVariants)), make([]float64, len(SoftVariants))
	for i := range o.Scenes {
		if err := ctx.Err(); err != nil {
			return exact, close, err
		}
		scene := newDigitScene(rand.New(rand.NewPCG(o.Seed, uint64(i))), o, classes, s)
		for v, variant := range SoftVariants {
			flips := cleanNoise
			if variant.Told {
				flips = s.Flip
			}
			m, err := scene.model(o, flips)
			if err != nil {
				return exact, close, err
			}
			p, err := patchwork.NewPursuit(m, variant.Options)
			if err != nil {
				return exact, close, err
			}
			e, err := p.Explain(scene.image)
			if err != nil {
				return exact, close, err
			}
			if scene.found(e, 0) {
				exact[v] += 1 / float64(o.Scenes)
			}
			if scene.found(e, 1) {
				close[v] += 1 / float64(o.Scenes)
			}
		}
	}
	return exact, close, nil
}

// ReportSoft runs every setting with so many seeds and writes the table.
func ReportSoft(ctx context.Context, w io.Writer, seeds int, o Options) error {
	heads := []string{"side, flips, templates", "seed"}
	for _, v := range SoftVariants {
		heads = append(heads, v.Name+": exact, within 1")
	}
	t := stat.NewTable(w, heads...)
	for _, s := range SoftSettings {
		kind := map[bool]string{true: "soft", false: "exact"}[s.Soft]
		for seed := range seeds {
			o.Seed = uint64(seed + 1)
			exact, close, err := RunSoft(ctx, s, o)
			if err != nil {
				return err
			}
			var cells []string
			for v := range exact {
				cells = append(cells, fmt.Sprintf("%.2f, %.2f", exact[v], close[v]))
			}
			t.Row("%d, %.2f, %s | %d | %s", s.Side, s.Flip, kind, o.Seed, strings.Join(cells, " | "))
		}
	}
	return nil
}
