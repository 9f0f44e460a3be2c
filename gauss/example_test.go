package gauss_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"example.com/patchwork/gauss"
)

// The letter L: a vertical bar and a horizontal one at its foot. Four images
// give a Gaussian of rank 3 at most, which is enough to sample from.
func Example() {
	m, err := gauss.NewMoments(2)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range [][]gauss.Placement{
		{{Present: true, Theta: 6}, {Present: true, DY: 20, DX: 8}},
		{{Present: true, Theta: -6}, {Present: true, DY: 20, DX: 12}},
		{{Present: true, DX: -2}, {Present: true, DY: 18, DX: 8, Theta: 3}},
		{{Present: true, DX: 2}, {Present: true, DY: 22, DX: 12, Theta: -3}},
	} {
		if err := m.Add(l, 1); err != nil {
			log.Fatal(err)
		}
	}
	n, err := m.Fit()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("mean", n.Mean())
	fmt.Println("rank", n.Rank(), "of", n.Dim())
	_, sd := n.Principal(0)
	fmt.Printf("main deformation %.2f\n", sd)
	fmt.Printf("one more L %.1f\n", n.Sample(rand.New(rand.NewPCG(1, 2))))
	// Output:
	// mean [0 0 0 20 10 0]
	// rank 2 of 6
	// main deformation 5.22
	// one more L [0.0 2.3 2.0 22.3 11.7 -3.5]
}
