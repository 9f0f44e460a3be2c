package posterior_test

import (
	"fmt"
	"log"

	"example.com/patchwork/posterior"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// Two experts over six columns: the first ones are on together, and so are the
// last ones. A row of which only three columns are known is explained, and the
// others are predicted.
func ExampleNBest_Predict() {
	model, err := patchwork.NewModel(
		patchwork.Config{Rule: patchwork.Max, Height: 1, Width: 6, Q: 0.1},
		[][]float64{
			{0.9, 0.9, 0.9, 0.1, 0.1, 0.1},
			{0.1, 0.1, 0.1, 0.8, 0.8, 0.8},
		})
	if err != nil {
		log.Fatal(err)
	}
	search, err := posterior.NewNBest(model, posterior.NBestOptions{Keep: 3})
	if err != nil {
		log.Fatal(err)
	}
	row := bitmap.Parse("##?.??")
	p, post, err := search.Predict(row)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range post.Alternatives {
		fmt.Printf("%.2f:", a.Weight)
		for _, pick := range a.Picks {
			fmt.Printf(" expert %d (%+.2f nats)", pick.Expert, pick.Gain)
		}
		fmt.Println()
	}
	fmt.Printf("%.2f\n", posterior.Fill(row, p))
	// Output:
	// 0.81: expert 0 (+4.39 nats)
	// 0.18: expert 0 (+4.39 nats) expert 1 (-1.50 nats)
	// 0.01:
	// [1.00 1.00 0.89 0.00 0.23 0.23]
}
