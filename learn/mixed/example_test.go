package mixed_test

import (
	"context"
	"fmt"
	"math"

	"example.com/patchwork/learn/mixed"
)

// A yes or no, a word and a measurement of patients; a fifth of them are ill. The ward and the pulse of another are
// predicted.
func Example() {
	data := &mixed.Data{Fields: []mixed.Field{{Name: "fever"}, {Name: "ward", Kind: mixed.Category}, {Name: "pulse"}}}
	for i := range 100 {
		row := []float64{0, float64(i % 3), 70 + math.Sqrt(float64(i*37%100))}
		if i%5 == 0 {
			row[0], row[1], row[2] = 1, 2, row[2]+20
		}
		data.Rows = append(data.Rows, row)
	}
	model, err := mixed.Learn(context.Background(), data, mixed.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, part := range model.Parts {
		fmt.Printf("a part of %.0f %% of the rows says something of", 100*part.Share)
		for _, d := range part.Votes() {
			fmt.Print(" ", model.Columns[d].Name)
		}
		fmt.Println()
	}
	row := mixed.NewExplainer(model).Explain([]float64{1, math.NaN(), math.NaN()})
	ward, _ := row.Believe(1).Likeliest()
	fmt.Printf("with fever: ward %v, pulse about %.0f\n", ward, row.Believe(2).Mean())
	// Output:
	// a part of 20 % of the rows says something of fever ward pulse
	// with fever: ward 2, pulse about 96
}
