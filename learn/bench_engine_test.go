package learn

import (
	"fmt"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/pose"
)

// engineLetter returns a letter of 56 x 56 pixels and a model of four experts under
// nine rotations and 17 x 17 shifts: 10,404 candidates, truncated scoring.
func engineLetter(b *testing.B) (*patchwork.Model, *bitmap.Image) {
	data := letters(b, "T", 12, 56)
	poses := pose.Grid{DY: pose.Symmetric(8, 1), DX: pose.Symmetric(8, 1), Angles: pose.Evenly(24, 6)}
	cfg := patchwork.NewConfig(patchwork.RuleMax, 56, 56, poses)
	cfg.Truncate = true
	m, err := Learn(b.Context(), patchwork.Data{Images: data.Images[:10]}, cfg, Options{Experts: 4, Starts: 1, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	return m, data.Images[11]
}

// engineScene returns a scene of 256 x 256 pixels with the given number of
// different glyphs of 28 x 28, and a model of k templates, theirs included.
func engineScene(b *testing.B, objects, k int) (*patchwork.Model, *bitmap.Image) {
	set, err := synth.Scenes(synth.ScenesOptions{N: 1, Side: 256, Objects: 5, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	labels := make([]int, k)
	for i := range labels {
		labels[i] = i
	}
	glyphs := set.Truth.Glyphs
	if k == 10 { // one drawing of each digit
		glyphs = nil
		for i := range 10 {
			glyphs = append(glyphs, set.Truth.Glyphs[i*len(set.Truth.Glyphs)/10])
		}
	}
	set, err = synth.Scenes(synth.ScenesOptions{N: 1, Side: 256, Objects: objects, Seed: 1, Glyphs: glyphs[:k],
		Labels: labels})
	if err != nil {
		b.Fatal(err)
	}
	m := testkit.MustModel(b, patchwork.Config{Height: synth.GlyphSide, Width: synth.GlyphSide, Q: set.Truth.Off,
		Scene: true, Defaults: patchwork.Defaults{Truncate: true}},
		set.Truth.Templates(0))
	return m, set.Images[0]
}

// BenchmarkEngine measures complete explanations at the sizes at which
// experiments/bench/README.md measures template matching by OpenCV.
func BenchmarkEngine(b *testing.B) {
	run := func(name string, m *patchwork.Model, img *bitmap.Image) {
		for _, scoring := range []patchwork.Scoring{patchwork.ScoringTruncated, patchwork.ScoringOriginal} {
			b.Run(name+"/"+scoring.String(), func(b *testing.B) {
				p := testkit.MustPursuit(b, m, patchwork.PursuitOptions{Scoring: scoring})
				picks := 0
				for b.Loop() {
					e, err := p.Explain(img)
					if err != nil {
						b.Fatal(err)
					}
					picks = len(e.Picks)
				}
				b.ReportMetric(float64(picks), "picks")
			})
		}
	}
	m, img := engineLetter(b)
	run("letter/K=4", m, img)
	for _, c := range []struct{ objects, k int }{{5, 10}, {5, 100}, {20, 100}} {
		m, img := engineScene(b, c.objects, c.k)
		run(fmt.Sprintf("scene256/K=%d/objects=%d", c.k, c.objects), m, img)
	}
}
