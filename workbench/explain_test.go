package workbench

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/posterior"
)

// What a model explains is what the library explains, for any number of workers, and it
// ends when the reader or the context does.
func TestExplainInOrder(t *testing.T) {
	m := models(t)["bits"].(Bits)
	r := rand.New(rand.NewPCG(1, 2))
	set := &dataset.Set{Table: true}
	for range 500 {
		set.Images = append(set.Images, bitmap.Sample(r, 1, 2, []float64{.5, .2}))
	}
	data := Once(set)
	for _, workers := range []int{1, 2, 7} {
		how := Explaining{Workers: workers}
		var picks [][]patchwork.Pick
		for x, err := range m.Explain(t.Context(), data, how) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range x.Rows {
				picks = append(picks, slices.Clone(x.Rows[i].Picks))
			}
		}
		if len(picks) != set.Len() {
			t.Fatalf("%d explanations of %d images", len(picks), set.Len())
		}
		p, err := patchwork.NewPursuit(m.Model, patchwork.PursuitOptions{Costs: posterior.PickCosts(m.Model)})
		if err != nil {
			t.Fatal(err)
		}
		for i, img := range set.Images {
			e, err := p.Explain(img)
			if err != nil || !slices.Equal(e.Picks, picks[i]) {
				t.Errorf("%d workers: row %d has %v, %v; the library says %v", workers, i, picks[i], err, e.Picks)
			}
		}
		for range m.Explain(t.Context(), data, how) {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range m.Explain(ctx, data, how) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%d workers: error %v", workers, err)
			}
		}
	}
}
