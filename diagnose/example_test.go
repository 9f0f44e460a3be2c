package diagnose_test

import (
	"context"
	"fmt"
	"log"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/diagnose"
)

// Of three experts the second repeats the first, and the third is never used.
func ExampleModel() {
	model, err := patchwork.NewModel(
		patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 6, Q: 0.1},
		[][]float64{
			{0.9, 0.9, 0.9, 0.1, 0.1, 0.1},
			{0.9, 0.8, 0.9, 0.1, 0.1, 0.1},
			{0.1, 0.1, 0.1, 0.1, 0.9, 0.9},
		})
	if err != nil {
		log.Fatal(err)
	}
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("###..."), bitmap.Parse("#.#...")}}
	explained := make([]*patchwork.Explanation, len(data.Images))
	tally, err := patchwork.EStep(context.Background(), model, data, patchwork.PursuitOptions{}, 1,
		func(i int, e *patchwork.Explanation) { explained[i] = e })
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range diagnose.Model(model, diagnose.Evidence{Tally: tally, Explained: explained}) {
		fmt.Printf("%v: %s\n", f.Kind, f.Facts)
	}
	// Output:
	// unused: Part 3 explains none of the 2 rows.
	// duplicate: Part 1 and part 2 say nearly the same: 4 % of their votes are in dispute.
}
