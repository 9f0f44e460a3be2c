package posterior_test

import (
	"context"
	"fmt"
	"log"

	"example.com/patchwork/posterior"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// twoParts returns a model of six columns: the first three are on together, and
// so are the last three.
func twoParts() *patchwork.Model {
	model, err := patchwork.NewModel(
		patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 6, Q: 0.1},
		[][]float64{
			{0.9, 0.9, 0.9, 0.1, 0.1, 0.1},
			{0.1, 0.1, 0.1, 0.8, 0.8, 0.8},
		})
	if err != nil {
		log.Fatal(err)
	}
	return model
}

func ExampleSearcher_Predict() {
	search, err := posterior.NewSearcher(twoParts(), posterior.Options{})
	if err != nil {
		log.Fatal(err)
	}
	row := bitmap.Parse("##?.??") // three columns are known
	p, _, err := search.Predict(row)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", posterior.Fill(row, p))
	// Output:
	// [1.00 1.00 0.89 0.00 0.23 0.23]
}

func ExampleSearcher() {
	search, err := posterior.NewSearcher(twoParts(), posterior.Options{Keep: 3})
	if err != nil {
		log.Fatal(err)
	}
	post, err := search.Explain(bitmap.Parse("##?.??"))
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
	// Output:
	// 0.81: expert 0 (+4.39 nats)
	// 0.18: expert 0 (+4.39 nats) expert 1 (-1.50 nats)
	// 0.01:
}

func ExampleExplain() {
	rows := []*bitmap.Image{bitmap.Parse("###..."), bitmap.Parse("...###"), bitmap.Parse("######")}
	parts := make([]int, len(rows))
	err := posterior.Explain(context.Background(), twoParts(), rows, posterior.Options{}, 2,
		func(i int, post *posterior.Posterior) { parts[i] = len(post.Alternatives[0].Picks) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(parts)
	// Output:
	// [1 1 2]
}

func ExamplePredict() {
	rows := []*bitmap.Image{bitmap.Parse("##?..."), bitmap.Parse("...##?")}
	last := make([]float64, len(rows))
	err := posterior.Predict(context.Background(), twoParts(), rows, posterior.Options{}, 2,
		func(i int, p []float64, _ *posterior.Posterior) { last[i] = p[5] })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", last)
	// Output:
	// [0.11 0.79]
}

// Half of each row is hidden and predicted from the other half.
func ExampleScore() {
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("###..."), bitmap.Parse("...###"), bitmap.Parse("######")}}
	hidden := posterior.Exclusive(nil).HideBits(data, 0.5, 1, 1)
	score, err := posterior.Score(context.Background(), twoParts(), hidden, posterior.Options{}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d bits, %.2f nats each (always 1/2: 0.69), accuracy %.2f\n",
		score.Averaged.Bits, score.Averaged.LogLoss, score.Averaged.Accuracy)
	// Output:
	// 9 bits, 0.21 nats each (always 1/2: 0.69), accuracy 1.00
}
