package scenes

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// TestScenesAreResolved is a small version of the ledger's experiment, on the
// project's own digits: with little overlap and noise, every pursuit that the
// paper recommends must find the truth.
func TestScenesAreResolved(t *testing.T) {
	row, err := Run(t.Context(), Setting{Side: 100, Flip: .05}, Options{Scenes: 8, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for v, variant := range Variants {
		if name := variant.Name; name != "truncated" && name != "hybrid" {
			continue
		}
		if row.Right[v] < 7./8 {
			t.Errorf("%s: %.2f of 8 easy scenes right, %.1f picks a scene", variant.Name, row.Right[v], row.Picks[v])
		}
	}
	if row.Overlap <= 0 || row.Overlap >= .5 {
		t.Errorf("overlap %.2f of scenes of 100 x 100", row.Overlap)
	}
}

// TestHybridHelps: with crowding and noise the hybrid must not be worse than
// its greedy first step.
func TestHybridHelps(t *testing.T) {
	row, err := Run(t.Context(), Setting{Side: 48, Flip: .15}, Options{Scenes: 10, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if truncated, hybrid := row.Right[0], row.Right[4]; hybrid < truncated {
		t.Errorf("hybrid right in %.2f of the scenes, truncated in %.2f", hybrid, truncated)
	}
}

func TestReportEndsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := Report(ctx, &out, Options{Scenes: 1}); err == nil {
		t.Error("a cancelled report claims success")
	}
	if !strings.HasPrefix(out.String(), "| side, flips") {
		t.Errorf("the table begins %q", out.String())
	}
}

// TestCeiling: where a digit is drawn exactly as its template and nothing is flipped, every
// scene is found, and what any search could reach is everything.
func TestCeiling(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	o := Options{Scenes: 4, Seed: 3}
	for c := range 10 {
		g := bitmap.New(28, 28)
		for i := range 784 {
			g.Set(i/28, i%28, r.IntN(4) == 0)
		}
		o.Glyphs, o.Labels = append(o.Glyphs, g, g), append(o.Labels, c, c)
	}
	c, err := RunCeiling(t.Context(), SoftSetting{Setting{40, .02}, true}, o)
	if err != nil {
		t.Fatal(err)
	}
	if c.Found != 4 || c.AtPrice != 4 || c.Told != 4 || c.Worse+c.Better+c.Priced != 0 {
		t.Errorf("of four scenes without doubt: %+v", c)
	}
}

// TestJudgeTellsSearchFromModel: an explanation that lacks a clear digit is a failure of the
// search, one that is likelier than the truth at the same price a failure of the model.
func TestJudgeTellsSearchFromModel(t *testing.T) {
	all := make([]float64, 784)
	for i := range all {
		all[i] = 1
	}
	s := &digitScene{image: bitmap.New(28, 28), templates: [][]float64{all, make([]float64, 784)}}
	for i := range 784 {
		s.image.Set(i/28, i%28, true)
	}
	o := Options{Glyphs: []*bitmap.Image{s.image}}
	m, err := s.model(o, .1)
	if err != nil {
		t.Fatal(err)
	}
	full, blank := []patchwork.Pick{{Expert: 0}}, []patchwork.Pick{{Expert: 1}}
	var c Ceiling
	c.judge(s, m, full, nil)
	c.judge(s, m, blank, full)
	if c != (Ceiling{Better: 1, Worse: 1}) {
		t.Errorf("a missing digit and a blank truth: %+v", c)
	}
}
