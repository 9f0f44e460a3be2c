package patchwork_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// A model can be made of given templates. The explanation of an image says which
// experts are in it, where, and how much each adds to the log-likelihood.
func ExampleModel_Explain() {
	model, err := patchwork.NewModel(patchwork.Config{
		Rule: patchwork.RuleMax, Height: 3, Width: 3, Q: 0.05, Scene: true,
	}, [][]float64{
		{0.9, 0.9, 0.9, 0, 0, 0, 0, 0, 0}, // a bar across
		{0, 0.9, 0, 0, 0.9, 0, 0, 0.9, 0}, // a bar down
	})
	if err != nil {
		log.Fatal(err)
	}
	e, err := model.Explain(bitmap.Parse(
		"........",
		".###..#.",
		"......#.",
		"......#.",
	))
	if err != nil {
		log.Fatal(err)
	}
	for _, pick := range e.Picks {
		fmt.Printf("expert %d at (%d, %d): +%.2f nats\n", pick.Expert, pick.Pose.DY, pick.Pose.DX, pick.Gain)
	}
	fmt.Printf("log-likelihood %.2f, without experts %.2f\n", e.LogLik, e.StartLogLik)
	// Output:
	// expert 0 at (1, 1): +8.67 nats
	// expert 1 at (1, 5): +8.67 nats
	// log-likelihood -1.97, without experts -19.31
}

// A pursuit has settings, and is for one goroutine at a time. The paper's pursuit,
// which is the default if experts cannot move, never removes a pick. Here it keeps
// its first pick, which the refined pursuit removes because the other two explain
// the whole image.
func ExamplePursuit_Explain() {
	model, err := patchwork.NewModel(patchwork.Config{
		Rule: patchwork.RuleMax, Height: 1, Width: 8, Q: 0.1,
	}, [][]float64{
		{0, .9, .9, .9, .9, .9, .9, 0},
		{.9, .9, .9, .9, 0, 0, 0, 0},
		{0, 0, 0, 0, .9, .9, .9, .9},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, paper := range []bool{true, false} {
		pursuit, err := patchwork.NewPursuit(model, patchwork.PursuitOptions{Paper: paper, Refined: !paper})
		if err != nil {
			log.Fatal(err)
		}
		e, err := pursuit.Explain(bitmap.Parse("########"))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %.2f nats, experts", map[bool]string{true: "paper", false: "refined"}[paper], e.LogLik)
		for _, pick := range e.Picks {
			fmt.Printf(" %d", pick.Expert)
		}
		fmt.Println()
	}
	// Output:
	// paper: -0.84 nats, experts 0 1 2
	// refined: -0.84 nats, experts 1 2
}

// LogLik scores an image by the explanation found: a shifted bar is probable under
// the model, scattered pixels are not.
func ExampleModel_LogLik() {
	model, err := patchwork.NewModel(patchwork.Config{
		Rule: patchwork.RuleMax, Height: 1, Width: 6, Q: 0.05, Poses: pose.Grid{DX: pose.Symmetric(2, 1)},
	}, [][]float64{{0, .9, .9, .9, 0, 0}})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range []string{"...###", "#.#.#."} {
		logLik, err := model.LogLik(bitmap.Parse(row))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f nats\n", row, logLik)
	}
	// Output:
	// ...### -0.47 nats
	// #.#.#. -5.61 nats
}

// A row of a table is an image of height 1. Unknown entries do not affect the
// explanation, and the composition predicts them.
func ExampleModel_Compose() {
	model, err := patchwork.NewModel(patchwork.Config{
		Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 5, Q: 0.5,
	}, [][]float64{
		{.9, .9, .1, .5, .5},
		{.5, .5, .5, .8, .8},
	})
	if err != nil {
		log.Fatal(err)
	}
	row := bitmap.Parse("#?.?#")
	e, err := model.Explain(row)
	if err != nil {
		log.Fatal(err)
	}
	p := model.Compose(1, 5, e.Picks).P
	fmt.Printf("column 1: %.1f, column 3: %.1f\n", p[1], p[3])
	// Output:
	// column 1: 0.9, column 3: 0.8
}

// Sample draws experts by how often they are used, then each pixel independently.
func ExampleModel_Sample() {
	model, err := patchwork.NewModel(patchwork.Config{
		Rule: patchwork.RuleMax, Height: 2, Width: 4,
	}, [][]float64{
		{1, 1, 0, 0, 0, 0, 0, 0},
		{0, 0, 0, 0, 0, 0, 1, 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	model, err = model.WithExtras(patchwork.Extras{Usage: []float64{1, 0.5}})
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3 {
		img, picks := model.Sample(rng)
		fmt.Printf("%v%d experts\n", img, len(picks))
	}
	// Output:
	// ##..
	// ....
	// 1 experts
	// ##..
	// ..##
	// 2 experts
	// ##..
	// ..##
	// 2 experts
}

// Counts of subsets of the data, made anywhere and merged in any order, give the
// model of all the data to the bit.
func ExampleTally_Merge() {
	model, err := patchwork.NewModel(patchwork.Config{
		Rule: patchwork.RuleMax, Height: 1, Width: 3, Q: 0.01,
	}, [][]float64{{.9, .9, 0}})
	if err != nil {
		log.Fatal(err)
	}
	count := func(rows ...string) *patchwork.Tally {
		var data patchwork.Data
		for _, row := range rows {
			data.Images = append(data.Images, bitmap.Parse(row))
		}
		t, err := patchwork.EStep(context.Background(), model, data, patchwork.PursuitOptions{}, 1, nil)
		if err != nil {
			log.Fatal(err)
		}
		return t
	}
	here, there := count("##.", "#.."), count("##.", "##.")
	here.Merge(there)
	fmt.Printf("%.2f\n", here.MStep(model, patchwork.MStep{}).Template(0))
	// Output:
	// [0.83 0.67 0.50]
}
