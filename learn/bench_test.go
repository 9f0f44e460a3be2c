package learn

import (
	"fmt"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// letterPoses returns the poses of the paper's letters: 29 x 29 shifts and nine
// rotations, 7,569 candidates per expert.
func letterPoses() pose.Grid {
	return pose.Grid{DY: pose.Symmetric(14, 1), DX: pose.Symmetric(14, 1), Angles: pose.Evenly(24, 6)}
}

func learnT(b *testing.B, data patchwork.Data) *patchwork.Model {
	cfg := patchwork.NewConfig(patchwork.RuleMax, 56, 56, letterPoses())
	m, err := Learn(b.Context(), data, cfg, Options{Experts: 2, Starts: 1, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkLearnT measures a learning run of the letter T as in the paper's Figure
// 7: two experts, ten images, one online pass and five iterations of batch EM, on
// one core. The target is one second.
func BenchmarkLearnT(b *testing.B) {
	data := letters(b, "T", 10, 56)
	for b.Loop() {
		learnT(b, data)
	}
}

// BenchmarkExplainLetter measures explaining one letter of 56 x 56 by two learned
// experts: 15,138 candidates.
func BenchmarkExplainLetter(b *testing.B) {
	data := letters(b, "T", 12, 56)
	m := learnT(b, patchwork.Data{Images: data.Images[:10]})
	for _, c := range []struct {
		name string
		opt  patchwork.PursuitOptions
	}{
		{"greedy", patchwork.PursuitOptions{Paper: true}},
		{"refine", patchwork.PursuitOptions{Refined: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := testkit.MustPursuit(b, m, c.opt)
			for b.Loop() {
				if _, err := p.Explain(data.Images[11]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExplainScene64 measures explaining a scene of five digits in 64 x 64
// pixels by ten templates of 28 x 28 anywhere: 13,690 candidates. The target is
// 20 ms.
func BenchmarkExplainScene64(b *testing.B) {
	flip := 0.10
	set, err := synth.Scenes(synth.ScenesOptions{N: 1, Side: 64, Flip: &flip, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	m := testkit.MustModel(b, patchwork.Config{Height: synth.GlyphSide, Width: synth.GlyphSide, Q: set.Truth.Off,
		Scene: true, Defaults: patchwork.Defaults{Truncate: true}},
		set.Truth.Templates(0))
	for _, c := range []struct {
		name string
		opt  patchwork.PursuitOptions
	}{
		{"truncated", patchwork.PursuitOptions{Paper: true}},
		{"original", patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringOriginal}},
		{"hybrid", patchwork.PursuitOptions{Refined: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := testkit.MustPursuit(b, m, c.opt)
			for b.Loop() {
				if _, err := p.Explain(set.Images[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExplainRows measures explaining rows of a table on one core, in rows
// per second.
func BenchmarkExplainRows(b *testing.B) {
	for _, c := range []struct{ k, d int }{{8, 36}, {64, 784}} {
		b.Run(fmt.Sprintf("K=%d/D=%d", c.k, c.d), func(b *testing.B) {
			m, images, err := testkit.SampledRows(c.k, c.d, 200)
			if err != nil {
				b.Fatal(err)
			}
			p := testkit.MustPursuit(b, m, patchwork.PursuitOptions{Paper: true})
			n := 0
			for b.Loop() {
				if _, err := p.Explain(images[n%len(images)]); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkTallyAdd measures counting one explained letter: two experts of
// 56 x 56, pulled back.
func BenchmarkTallyAdd(b *testing.B) {
	data := letters(b, "T", 10, 56)
	m := learnT(b, data)
	e := testkit.MustExplain(b, m, data.Images[0], patchwork.PursuitOptions{Paper: true, Forced: true})
	tally := patchwork.NewTally(m)
	for b.Loop() {
		tally.Add(m, data.Images[0], e, 1)
	}
}

// BenchmarkEMQuadrants measures 25 guarded iterations on the paper's synthetic
// set: 100 images of 6 x 6, eight experts, one core.
func BenchmarkEMQuadrants(b *testing.B) {
	data := quadrants(b, 100)
	start, err := randomModel(quadrantConfig(), 8, rng(1, 0))
	if err != nil {
		b.Fatal(err)
	}
	opt := emOptions{Iterations: 25, Step: patchwork.MStep{AbstainMargin: abstainingMargin},
		Pursuit: patchwork.PursuitOptions{Paper: true, Forced: true}}
	for b.Loop() {
		if _, err := (Options{}).bestOf(b.Context(), start, data, opt); err != nil {
			b.Fatal(err)
		}
	}
}
