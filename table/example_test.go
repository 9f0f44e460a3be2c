package table_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/table"
)

// planted returns 200 rows of nine columns: three parts of three columns each,
// every part on in a third of the rows, and one bit in 30 flipped.
func planted() patchwork.Data {
	rng := rand.New(rand.NewPCG(1, 0))
	var data patchwork.Data
	for range 200 {
		x := make([]uint8, 9)
		for part := range 3 {
			if rng.IntN(3) == 0 {
				copy(x[3*part:], []uint8{1, 1, 1})
			}
		}
		for i := range x {
			if rng.IntN(30) == 0 {
				x[i] = 1 - x[i]
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, 9, x))
	}
	return data
}

var config = patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 9}

// show returns a template with # where it is above 1/2.
func show(template []float64) string {
	var b strings.Builder
	for _, p := range template {
		b.WriteByte(".#"[min(int(2*p), 1)])
	}
	return b.String()
}

// Learn finds the parts, and how many there are.
func ExampleLearn() {
	model, err := table.Learn(context.Background(), planted(), config, table.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for k := range model.K() {
		fmt.Println(show(model.Template(k)))
	}
	// Output:
	// ###......
	// ...###...
	// ......###
}

// Run shows the candidates as they are made, here those that are better than all before; breaking out of the loop would
// keep
// the best of them.
func ExampleRun() {
	var best *patchwork.Model
	opt := table.Options{StartFrom: table.StartFromMixture, MaxExperts: 4, Iterations: 3}
	shortest := math.Inf(1)
	for step, err := range table.Run(context.Background(), planted(), config, opt) {
		if err != nil {
			log.Fatal(err)
		}
		best = step.Best
		if step.Candidate && step.DescriptionLength < shortest {
			shortest = step.DescriptionLength
			fmt.Printf("%s: %d parts, %.0f nats\n", step.Stage, step.Experts, shortest)
		}
	}
	fmt.Println(best.K(), "parts")
	// Output:
	// mixture: 1 parts, 1161 nats
	// mixture: 1 parts, 1142 nats
	// mixture: 1 parts, 1085 nats
	// mixture: 2 parts, 1041 nats
	// mixture: 2 parts, 1036 nats
	// mixture: 2 parts, 1024 nats
	// mixture: 4 parts, 833 nats
	// mixture: 4 parts, 785 nats
	// mixture: 4 parts, 771 nats
	// mixture: 3 parts, 719 nats
	// 3 parts
}

// A mixture of three kinds of rows.
func ExampleFitMixture() {
	mixture, err := table.FitMixture(context.Background(), planted(), 3, 1)
	if err != nil {
		log.Fatal(err)
	}
	for c, p := range mixture.Components {
		fmt.Printf("%.2f %s\n", mixture.Share[c], show(p))
	}
	// Output:
	// 0.31 ###......
	// 0.47 .........
	// 0.22 ...###...
}
