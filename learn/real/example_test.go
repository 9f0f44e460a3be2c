package real_test

import (
	"context"
	"fmt"
	"math"

	"example.com/patchwork/learn/real"
)

// Rows of two measurements, some of which rise together; one value is not known.
func Example() {
	var rows [][]float64
	for i := range 60 {
		wobble := float64(i%5) / 10
		row := []float64{10 + wobble, 3 - wobble}
		if i%3 == 0 {
			row[0], row[1] = 20+wobble, 9-wobble
		}
		rows = append(rows, row)
	}
	data, err := real.NewData(1, 2, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	learned, err := real.Learn(context.Background(), data, real.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pursuit, err := real.NewPursuit(learned.Model)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, known := range []float64{10, 20} {
		posterior, err := pursuit.Best([]float64{known, math.NaN()}, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.0f goes with %.0f\n", known, posterior.Pixel(1).Mean())
	}
	fmt.Println(learned.Model.K(), "part")
	// Output:
	// 10 goes with 3
	// 20 goes with 9
	// 1 part
}
