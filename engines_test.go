//go:build !race

package patchwork_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/internal/score/kernel"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
	"example.com/patchwork/table"
)

// TestEnginesAreReached: each engine explains images or rows by some model that was learned from
// such ones. What is said of each engine, and of which commands it makes faster, is in
// internal/score/LADDER.md.
func TestEnginesAreReached(t *testing.T) {
	if !kernel.Chosen().Fast() {
		t.Skip("the reference has one engine")
	}
	letters, err := synth.Letters(synth.LettersOptions{Letters: "T", Writers: 6, Side: 28, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	narrow, wide := planted(3, 24, 300), planted(3, 300, 40)
	parts := func(k int, rule string) recipe.Recipe {
		return recipe.Recipe{Count: recipe.Count{Experts: k}, Rule: rule}
	}
	quick := parts(2, "")
	quick.Starts, quick.Iterations, quick.Shift = 1, 3, 5
	drawn := learnModel(t, letters.Images, quick)
	small := learnModel(t, narrow, parts(3, ""))
	refined := patchwork.PursuitOptions{Refined: true}
	reached := map[string]bool{}
	for _, c := range []struct {
		name   string
		model  *patchwork.Model
		opt    patchwork.PursuitOptions
		images []*bitmap.Image
		want   string // the engine of most of them
	}{
		{"letters", drawn, patchwork.PursuitOptions{}, letters.Images, "bounded"},
		{"letters, refined", drawn, refined, letters.Images, "bounded"},
		{"narrow rows", small, patchwork.PursuitOptions{}, narrow, "rows"},
		{"narrow rows, refined", small, refined, narrow, "general"},
		{"wide rows", learnModel(t, wide, parts(3, "")), patchwork.PursuitOptions{}, wide, "rows"},
		{"noisy-or", learnModel(t, narrow, parts(3, "noisy-or")), patchwork.PursuitOptions{}, narrow, "joint"},
	} {
		got, err := testkit.MustPursuit(t, c.model, c.opt).Engines(c.images)
		if err != nil {
			t.Fatal(err)
		}
		reached[c.want] = 2*got[c.want] >= len(c.images)
		if !reached[c.want] {
			t.Errorf("%s: explained by %v, want most by %s", c.name, got, c.want)
		}
	}
	for _, engine := range []string{"bounded", "general", "joint", "rows"} {
		if !reached[engine] {
			t.Errorf("no learned model is explained by %s", engine)
		}
	}
}

// TestPathsExplainLettersAlike: the default pursuit finds the same in letters on every path of
// kernels, to the bit, by templates that vote for little ink everywhere over a background that
// is as much, less and none; in long tests 500 of 56 x 56 pixels, by the paper's pursuit, too.
func TestPathsExplainLettersAlike(t *testing.T) {
	n, side := 4, 28
	if testenv.Long() {
		n, side = 500, 56
	}
	set, err := synth.Letters(synth.LettersOptions{Letters: "ET", Writers: (n + 1) / 2, Side: side, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	first := set.Truth.Items[0]
	templates := make([][]float64, len(first.Poses))
	for k := range templates {
		for _, stroke := range first.Stroke {
			templates[k] = append(templates[k], map[bool]float64{false: 0.01, true: 0.93}[int(stroke) == k])
		}
	}
	poses := pose.Grid{DY: pose.Symmetric(side/7, 1), DX: pose.Symmetric(side/7, 1), Angles: pose.Evenly(24, 6)}
	for _, q := range []float64{0.01, 0.001, 0} {
		cfg := patchwork.NewConfig(patchwork.RuleMax, side, side, poses)
		cfg.Q, cfg.Truncate = q, true
		for _, opt := range []patchwork.PursuitOptions{{}, {Paper: true}} {
			var want []*patchwork.Explanation
			for i, path := range kernel.All() {
				restore := kernel.Force(path)
				p := testkit.MustPursuit(t, testkit.MustModel(t, cfg, templates), opt) // its tables are of the path
				for j, img := range set.Images[:n] {
					e, err := p.Explain(img)
					if err != nil {
						t.Fatal(err)
					}
					if i == 0 {
						want = append(want, e)
					} else if !reflect.DeepEqual(e, want[j]) {
						t.Errorf("q = %v, letter %d: path %s explains %+v, the reference %+v", q, j, path.Name, e, want[j])
					}
				}
				restore()
			}
		}
	}
}

// learnModel learns a model as the program does by default but for what the recipe says.
func learnModel(t *testing.T, images []*bitmap.Image, r recipe.Recipe) *patchwork.Model {
	t.Helper()
	height, width := images[0].Height(), images[0].Width()
	r, _ = r.Resolve(recipe.Facts{Rows: len(images), Height: height, Width: width, Table: height == 1})
	plan, err := r.Plan(height, width)
	if err != nil {
		t.Fatal(err)
	}
	var m *patchwork.Model
	data := patchwork.Data{Images: images}
	if plan.Table != nil {
		for step, e := range table.Run(context.Background(), data, plan.Config, *plan.Table) {
			m, err = step.Model, e
		}
	} else {
		for step, e := range learn.Run(context.Background(), data, plan.Config, plan.Learn) {
			m, err = step.Model, e
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// planted returns n rows of d columns in which each of k parts, of an eighth of the columns, at
// least four, is active in a third of the rows.
func planted(k, d, n int) []*bitmap.Image {
	rng := rand.New(rand.NewPCG(3, uint64(d)))
	rows := make([]*bitmap.Image, n)
	for i := range rows {
		rows[i] = bitmap.New(1, d)
		for part := range k {
			if rng.IntN(3) > 0 {
				continue
			}
			for x := range max(4, d/8) {
				if rng.Float64() < 0.9 {
					rows[i].Set(0, (part*max(4, d/8)+x)%d, true)
				}
			}
		}
		for x := range d {
			if rng.IntN(50) == 0 {
				rows[i].Set(0, x, true)
			}
		}
	}
	return rows
}
