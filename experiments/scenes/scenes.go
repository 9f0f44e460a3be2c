// Package scenes measures the scene analysis of section 3: five digits placed
// at random in a noisy image, explained by ten templates at any position.
package scenes

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/stat"
)

// Setting is one row of the table: how large the scenes are and how many of
// their pixels are flipped.
type Setting struct {
	Side int
	Flip float64
}

// Settings lists those of the ledger.
var Settings = []Setting{{100, .10}, {64, .05}, {64, .10}, {64, .20}, {48, .05}, {48, .10}, {48, .20}}

// Variants lists the pursuits compared, by column of the table.
var Variants = []struct {
	Name    string
	Options patchwork.PursuitOptions
}{
	{"truncated", patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringTruncated}},
	{"original", patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringOriginal}},
	{"mix 0.9", patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringMixed, Alpha: .9}},
	{"mix 0.5", patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringMixed, Alpha: .5}},
	{"hybrid", patchwork.PursuitOptions{Refined: true, Scoring: patchwork.ScoringTruncated}},
}

// Options of Run. Glyphs and Labels are the drawings, such as MNIST digits;
// none means the project's own.
type Options struct {
	Scenes  int // of each setting
	Objects int // in each scene; 0 means 5
	Seed    uint64
	Glyphs  []*bitmap.Image
	Labels  []int
	Workers int
}

// Row is the outcome for one setting: for each variant the fraction of scenes
// in which exactly the right digits were found at exactly the right places,
// and the mean number of picks.
type Row struct {
	Setting
	Right, Picks []float64
	Overlap      float64 // mean fraction of an object's ink that another one covers
}

// Run measures one setting.
func Run(ctx context.Context, s Setting, o Options) (Row, error) {
	set, err := synth.Scenes(synth.ScenesOptions{N: o.Scenes, Side: s.Side, Objects: o.Objects,
		Flip: &s.Flip, Seed: o.Seed, Glyphs: o.Glyphs, Labels: o.Labels})
	if err != nil {
		return Row{}, err
	}
	row := Row{Setting: s, Right: make([]float64, len(Variants)), Picks: make([]float64, len(Variants))}
	for i, img := range set.Images {
		if err := ctx.Err(); err != nil {
			return Row{}, err
		}
		m, err := Model(set.Truth, i)
		if err != nil {
			return Row{}, err
		}
		for v, variant := range Variants {
			p, err := patchwork.NewPursuit(m, variant.Options)
			if err != nil {
				return Row{}, err
			}
			e, err := p.Explain(img)
			if err != nil {
				return Row{}, err
			}
			row.Picks[v] += float64(len(e.Picks)) / float64(o.Scenes)
			if Right(set.Truth, i, e) {
				row.Right[v] += 1 / float64(o.Scenes)
			}
		}
		row.Overlap += overlap(set.Truth, i) / float64(o.Scenes)
	}
	return row, nil
}

// Model returns the model of the ten templates of scene i, with all positions
// allowed.
func Model(truth *synth.SceneTruth, i int) (*patchwork.Model, error) {
	g := truth.Glyphs[0]
	cfg := patchwork.Config{Rule: patchwork.RuleMax, Height: g.Height(), Width: g.Width(),
		Q: truth.Off, Scene: true, Defaults: patchwork.Defaults{Truncate: true}}
	return patchwork.NewModel(cfg, truth.Templates(i))
}

// Right reports whether an explanation is the truth of scene i: exactly its
// digits, each at its place.
func Right(truth *synth.SceneTruth, i int, e *patchwork.Explanation) bool {
	if len(e.Picks) != len(truth.Items[i].Objects) {
		return false
	}
	for _, p := range e.Picks {
		if !Has(truth, i, p) {
			return false
		}
	}
	return true
}

// Has reports whether a pick is one of the digits of scene i, at its place.
func Has(truth *synth.SceneTruth, i int, p patchwork.Pick) bool {
	scene := truth.Items[i]
	return slices.ContainsFunc(scene.Objects, func(o synth.Object) bool {
		return o.Glyph == scene.Candidates[p.Expert] && o.DY == p.Pose.DY && o.DX == p.Pose.DX
	})
}

// overlap returns the mean over the objects of the fraction of an object's ink
// covered by another.
func overlap(truth *synth.SceneTruth, i int) float64 {
	scene := truth.Items[i]
	layers := make(map[[2]int]int)
	each := func(o synth.Object, f func(at [2]int)) {
		g := truth.Glyphs[o.Glyph]
		for y := range g.Height() {
			for x := range g.Width() {
				if g.At(y, x) {
					f([2]int{y + o.DY, x + o.DX})
				}
			}
		}
	}
	for _, o := range scene.Objects {
		each(o, func(at [2]int) { layers[at]++ })
	}
	mean := 0.0
	for _, o := range scene.Objects {
		ink, covered := 0, 0
		each(o, func(at [2]int) {
			ink++
			if layers[at] > 1 {
				covered++
			}
		})
		mean += float64(covered) / float64(max(ink, 1)) / float64(len(scene.Objects))
	}
	return mean
}

// Report runs every setting and writes the table.
func Report(ctx context.Context, w io.Writer, o Options) error {
	heads := []string{"side, flips (mean overlap)"}
	for _, v := range Variants {
		heads = append(heads, v.Name)
	}
	t := stat.NewTable(w, heads...)
	for _, s := range Settings {
		row, err := Run(ctx, s, o)
		if err != nil {
			return err
		}
		var cells []string
		for v, right := range row.Right {
			cells = append(cells, fmt.Sprintf("%.2f (%.1f picks)", math.Round(right*1e4)/1e4, row.Picks[v]))
		}
		t.Row("%d, %.2f (%.2f) | %s", s.Side, s.Flip, row.Overlap, strings.Join(cells, " | "))
	}
	return nil
}
