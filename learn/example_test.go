package learn_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// Learning the paper's synthetic model: eight experts, each of which makes one
// quadrant of a 6 x 6 image all on or all off and says nothing elsewhere.
func ExampleLearn() {
	set, err := synth.Quadrants(synth.QuadrantsOptions{N: 100, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	config := patchwork.NewConfig(patchwork.RuleMaxMinusMin, 6, 6, pose.Grid{})
	model, err := learn.Learn(context.Background(), patchwork.Data{Images: set.Images}, config,
		learn.Options{Experts: 8, Starts: 1, Seed: 2})
	if err != nil {
		log.Fatal(err)
	}
	var found []string
	for k := range model.K() {
		found = append(found, votes(model.Template(k)))
	}
	slices.Sort(found)
	fmt.Println(found)
	// Output:
	// [+... -... .+.. .-.. ..+. ..-. ...+ ...-]
}

// votes draws a template of 6 x 6: on, off, or no vote, one sign a quadrant
// whose entries agree.
func votes(template []float64) string {
	signs := ""
	for _, corner := range []int{0, 3, 18, 21} {
		on, off := 0, 0
		for i := range 9 {
			switch p := template[corner+i/3*6+i%3]; {
			case p > 0.8:
				on++
			case p < 0.2:
				off++
			}
		}
		switch {
		case on > 6:
			signs += "+"
		case off > 6:
			signs += "-"
		default:
			signs += "."
		}
	}
	return signs
}

// Finding out how many parts there are, and watching. Here there are six: the left,
// the middle and the right third of a row may be all on, or all off, or random.
func ExampleRun() {
	var data patchwork.Data
	rng := rand.New(rand.NewPCG(1, 1))
	for range 60 {
		row := bitmap.New(1, 12)
		for third := range 3 {
			how := rng.IntN(3)
			for x := range 4 {
				row.Set(0, 4*third+x, how == 1 || how == 2 && rng.IntN(2) == 1)
			}
		}
		data.Images = append(data.Images, row)
	}
	config := patchwork.NewConfig(patchwork.RuleMaxMinusMin, 1, 12, pose.Grid{})
	most := 0
	for step, err := range learn.Run(context.Background(), data, config, learn.Options{AtLeast: 5, AtMost: 7}) {
		if err != nil {
			log.Fatal(err)
		}
		most = max(most, step.Experts)
		if step.Stage == learn.StageFinal {
			fmt.Printf("%d experts, up to %d were tried\n", step.Experts, most)
			var found []string
			for k := range step.Model.K() {
				found = append(found, signs(step.Model.Template(k)))
			}
			slices.Sort(found)
			fmt.Println(found)
		}
	}
	// Output:
	// 6 experts, up to 7 were tried
	// [++++........ ----........ ....++++.... ....----.... ........++++ ........----]
}

// signs draws a template of one row: on, off, or no vote.
func signs(template []float64) string {
	s := ""
	for _, p := range template {
		switch {
		case p > 0.5:
			s += "+"
		case p < 0.5:
			s += "-"
		default:
			s += "."
		}
	}
	return s
}
