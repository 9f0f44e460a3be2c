package patchwork

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/pose"
)

// letterPoses are the poses of the paper's letters: 29 x 29 shifts and nine
// rotations, 7,569 candidates an expert.
func letterPoses() pose.Grid {
	return pose.Grid{DY: pose.Symmetric(14, 1), DX: pose.Symmetric(14, 1), Angles: pose.Evenly(24, 6)}
}

func learnT(b *testing.B, data Data) *Model {
	cfg := DefaultConfig(ModeDefault, Max, 56, 56, letterPoses())
	m, err := Learn(b.Context(), data, cfg, LearnOptions{Experts: 2, Starts: 1, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// One learning run of the letter T as in the paper's Figure 7: two experts,
// ten images, one order online and five sweeps of batch EM, on one core. The
// target is a second.
func BenchmarkLearnT(b *testing.B) {
	data := letters(b, "T", 10, 56)
	for b.Loop() {
		learnT(b, data)
	}
}

// Explaining one letter of 56 x 56 with two learned experts: 15,138 candidates.
func BenchmarkExplainLetter(b *testing.B) {
	data := letters(b, "T", 12, 56)
	m := learnT(b, Data{Images: data.Images[:10]})
	for _, c := range []struct {
		name string
		opt  PursuitOptions
	}{
		{"greedy", PursuitOptions{}},
		{"refine", PursuitOptions{Refine: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := mustPursuit(b, m, c.opt)
			for b.Loop() {
				if _, err := p.Explain(data.Images[11]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Explaining a scene of five digits in 64 x 64 pixels with ten templates of
// 28 x 28 anywhere: 13,690 candidates. The target is 20 ms.
func BenchmarkExplainScene64(b *testing.B) {
	flip := 0.10
	set, err := synth.Scenes(synth.ScenesOptions{N: 1, Side: 64, Flip: &flip, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	m := mustModel(b, Config{Height: synth.GlyphSide, Width: synth.GlyphSide, Q: set.Truth.Off, Scene: true, Truncate: true},
		set.Truth.Templates(0))
	for _, c := range []struct {
		name string
		opt  PursuitOptions
	}{
		{"truncated", PursuitOptions{}},
		{"original", PursuitOptions{Scoring: Original}},
		{"hybrid", PursuitOptions{Refine: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := mustPursuit(b, m, c.opt)
			for b.Loop() {
				if _, err := p.Explain(set.Images[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// sampledRows is rows drawn from a max model in which each of k experts is on
// in a quarter of the rows.
func sampledRows(k, d, rows int) (*Model, []*bitmap.Image, error) {
	rng := rand.New(rand.NewPCG(1, uint64(k)))
	templates := make2D(k, d)
	for _, t := range templates {
		for i := range t {
			if rng.IntN(4) == 0 {
				t[i] = 0.9
			}
		}
	}
	m, err := NewModel(Config{Height: 1, Width: d, Q: 0.02}, templates)
	if err != nil {
		return nil, nil, err
	}
	images := make([]*bitmap.Image, rows)
	for n := range images {
		var picks []Pick
		for j := range k {
			if rng.IntN(4) == 0 {
				picks = append(picks, Pick{Expert: j})
			}
		}
		images[n] = SamplePixels(rng, 1, d, m.Compose(1, d, picks).P)
	}
	return m, images, nil
}

// Rows of tables on one core, in rows a second.
func BenchmarkExplainRows(b *testing.B) {
	for _, c := range []struct{ k, d int }{{8, 36}, {64, 784}} {
		b.Run(fmt.Sprintf("K=%d/D=%d", c.k, c.d), func(b *testing.B) {
			m, images, err := sampledRows(c.k, c.d, 200)
			if err != nil {
				b.Fatal(err)
			}
			p := mustPursuit(b, m, PursuitOptions{})
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

// Counting one explained letter: two experts of 56 x 56, pulled back.
func BenchmarkTallyAdd(b *testing.B) {
	data := letters(b, "T", 10, 56)
	m := learnT(b, data)
	e := mustExplain(b, m, data.Images[0], PursuitOptions{Forced: true})
	tally := NewTally(m)
	for b.Loop() {
		tally.Add(m, data.Images[0], e, 1)
	}
}

// Twenty-five guarded iterations on the paper's synthetic set: 100 images of
// 6 x 6, eight experts, one core.
func BenchmarkEMQuadrants(b *testing.B) {
	data := quadrants(b, 100)
	start, err := RandomModel(quadrantConfig(), 8, rng(1, 0))
	if err != nil {
		b.Fatal(err)
	}
	opt := EMOptions{Iterations: 25, Step: MStep{Sit: abstainingSits}, Pursuit: PursuitOptions{Forced: true}}
	for b.Loop() {
		if _, err := Best(EM(b.Context(), start, data, opt)); err != nil {
			b.Fatal(err)
		}
	}
}
