package tables

import (
	"math"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// Tables have the size, the groups and the unknown cells that are asked for, the same by the same seed.
func TestPlantedDraw(t *testing.T) {
	data, groups := PlantedSites.Draw(3)
	again, _ := PlantedSites.Draw(3)
	other, _ := PlantedSites.Draw(4)
	known, same := 0, true
	for i, row := range data.Images {
		known += row.CountKnown()
		same = same && row.Equal(other.Images[i])
		if !row.Equal(again.Images[i]) {
			t.Fatalf("row %d differs by the same seed", i)
		}
	}
	if len(data.Images) != 300 || known != 300*60-887 || len(groups) != 5 || same {
		t.Errorf("%d rows, %d known cells, %d groups; alike by another seed: %v", len(data.Images), known, len(groups), same)
	}
	for _, g := range groups {
		if len(g) < 10 || len(g) > 12 || !slices.IsSorted(g) || len(slices.Compact(slices.Clone(g))) != len(g) {
			t.Errorf("a group of %v", g)
		}
	}
	_, pair := PlantedPair.Draw(1)
	if slices.ContainsFunc(pair[0], func(c int) bool { return slices.Contains(pair[1], c) }) {
		t.Errorf("groups that fill less than half of the columns overlap: %v", pair)
	}
}

// Without flips and dropout the bits of a row are those of its groups.
func TestPlantedWithoutNoise(t *testing.T) {
	p := PlantedPair.with(func(p *Planted) { p.Flips = 0 })
	data, groups := p.Draw(2)
	seen := map[string]bool{}
	for _, row := range data.Images {
		seen[row.String()] = true
	}
	if len(seen) > 4 || len(seen) < 3 {
		t.Errorf("two groups make %d kinds of rows", len(seen))
	}
	both := bitmap.New(1, p.Columns)
	for _, c := range slices.Concat(groups...) {
		both.Set(0, c, true)
	}
	if !seen[both.String()] {
		t.Error("no row has both groups")
	}
}

// A group that is a part has 1, half of it less, and one part is no two groups.
func TestJaccard(t *testing.T) {
	groups := [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}
	model := func(parts ...[]int) *patchwork.Model {
		var templates [][]float64
		for _, part := range parts {
			t := slices.Repeat([]float64{.1}, 8)
			for _, c := range part {
				t[c] = .9
			}
			templates = append(templates, t)
		}
		m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 8, Q: .1}, templates)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		m    *patchwork.Model
		want []float64
	}{
		{model(groups[1], groups[0]), []float64{1, 1}},
		{model([]int{0, 1}, groups[1]), []float64{.5, 1}},
		{model([]int{0, 1, 2, 3, 4, 5, 6, 7}), []float64{.5, 0}},
	} {
		got := Jaccard(c.m, groups)
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("%v, want %v", got, c.want)
				break
			}
		}
	}
}
