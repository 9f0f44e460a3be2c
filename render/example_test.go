package render_test

import (
	"fmt"
	"os"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/render"
)

// A model of two strokes explains a T with an extra dot.
func ExampleTerminal() {
	stroke := func(rows ...string) []float64 {
		var p []float64
		for _, on := range bitmap.Parse(rows...).AppendBytes(nil) {
			p = append(p, float64(on))
		}
		return p
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 4, Width: 5}, [][]float64{
		stroke("#####", ".....", ".....", "....."),
		stroke("..#..", "..#..", "..#..", "..#.."),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	img := bitmap.Parse(
		"#####",
		"..#..",
		"..#..",
		"..#.#")
	picks := []patchwork.Pick{{Expert: 0}, {Expert: 1}}
	if err := render.Terminal(os.Stdout, render.Overlay(m, img, picks), render.TerminalOptions{Colours: render.ASCII}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// +++++++++++++++
	// ::::::+++::::::
	//       +++
	//       +++
	//       +++   ===
	//       +++   @@@
}
