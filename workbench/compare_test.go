package workbench

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
)

// compared compares the rows of a frame.
func compared(t *testing.T, m Model, f *dataset.Frame, group func(i int) int) *Comparison {
	t.Helper()
	c, err := Compare(t.Context(), m, []*dataset.Frame{f}, func(_, i int) int { return group(i) }, []string{"x", "y"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Shuffled labels differ in nothing, but for 5 of 100 times at most; rows that are told apart by a part differ in it.
func TestCompare(t *testing.T) {
	for name, word := range map[string]func(bool, *rand.Rand) string{
		"bits":  func(on bool, _ *rand.Rand) string { return map[bool]string{true: "1", false: "0"}[on] },
		"words": func(on bool, _ *rand.Rand) string { return map[bool]string{true: "red", false: "blue"}[on] },
	} {
		t.Run(name, func(t *testing.T) {
			f := readTable(t, blocks(300, word), nil)
			how := recipe.Recipe{Count: recipe.Count{Auto: true}, Method: "soft"}
			if f.Values != nil {
				how = recipe.Recipe{Starts: 1}
			}
			m, _ := learnFrame(t, f, how)
			rng, found := rand.New(rand.NewPCG(1, 2)), 0
			for range 100 {
				shuffled := rng.Perm(f.Len())
				if c := compared(t, m, f, func(i int) int { return shuffled[i] % 2 }); len(c.Sentences) > 0 {
					found++
				}
			}
			if found > 5 {
				t.Errorf("findings in %d of 100", found)
			}
			first := func(i int) int { // by the first cause, as a cell shows it
				if f.Values != nil {
					return int(f.Values[i][0])
				}
				return int(f.Images[i].AppendBytes(nil)[0])
			}
			c := compared(t, m, f, first)
			if len(c.Sentences) == 0 || !strings.HasPrefix(c.Sentences[0], "part ") || !strings.Contains(c.Sentences[0], "a2") {
				t.Errorf("%q", c.Sentences)
			}
			for _, d := range c.All {
				if d.Q < d.P || d.Finding != (d.Q <= falseDiscoveries) || !(d.Low <= d.Value && d.Value <= d.High) {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}

// Fisher's exact test of the lady who tasted tea, and of what can be no other way.
func TestFisher(t *testing.T) {
	if p := fisher(3, 4, 4, 8); math.Abs(p-2*17.0/70) > 1e-12 {
		t.Error(p)
	}
	if p := fisher(4, 4, 4, 8); math.Abs(p-2.0/70) > 1e-12 {
		t.Error(p)
	}
	if p := fisher(4, 4, 8, 8); p != 1 {
		t.Error(p)
	}
}
