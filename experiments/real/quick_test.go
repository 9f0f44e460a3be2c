package real

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	model "example.com/patchwork/learn/real"
)

func TestQuick(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("QN"))
	seeds, _ := strconv.Atoi(os.Getenv("QS"))
	starts, _ := strconv.Atoi(os.Getenv("QST"))
	if n == 0 {
		t.Skip()
	}
	for seed := range uint64(seeds) {
		if only := os.Getenv("QO"); only != "" && only != fmt.Sprint(seed) {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, 7))
		var s, test *Set
		on, off := .4, .2
		switch os.Getenv("QK") {
		case "bars5":
			s = Bars(n, BarOptions{Side: 5, Rate: .2, SD: .25}, rng)
			on, off = .3, .15
		case "bars5.5":
			s = Bars(n, BarOptions{Side: 5, Rate: .2, SD: .5}, rng)
			on, off = .3, .15
		case "levels":
			s = Bars(n, BarOptions{Side: 5, Rate: .2, SD: .25, Levels: true}, rng)
			on, off = .3, .15
		case "spread":
			s = Bars(n, BarOptions{Side: 5, Rate: .2, SD: .25, Spread: true}, rng)
			on, off = .3, .15
		case "bars16":
			s = Bars(n, BarOptions{Side: 16, Rate: 3./32, SD: .25}, rng)
			on, off = .3, .15
		case "sharp":
			s = Quadrants(n, 2, .3, rng)
			test = Quadrants(500, 2, .3, rng)
		default:
			s = Quadrants(n, 2, 1, rng)
			test = Quadrants(500, 2, 1, rng)
		}
		data, err := model.NewData(s.Height, s.Width, s.Rows)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		r, err := model.Learn(context.Background(), data, model.Options{Seed: seed, Starts: starts, MeansOnly: os.Getenv("QM") != "", Progress: func(p model.Progress) {
			if os.Getenv("QP") != "" {
				fmt.Println(p)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("seed %d: K %d, recovered %d of %d, DL %.1f, starts %.1f, %.1f s", seed, r.Model.K(), s.Recovered(r.Model, on, off), len(s.Truth), r.DescriptionLength, r.Starts, time.Since(begin).Seconds())
		if test != nil {
			p, _ := model.NewPursuit(r.Model)
			sum := 0.0
			for _, row := range test.Rows {
				post, _ := p.Best(row, 0)
				sum += test.LogDensity(row) - post.Evidence
			}
			fmt.Printf(", excess %.2f", sum/500)
		}
		fmt.Println()
		if os.Getenv("QV") != "" {
			show(r.Model, s)
		}
	}
}

func show(m *model.Model, s *Set) {
	if s.Width == 16 {
		for k, e := range m.Experts {
			ok := false
			for _, t := range s.Truth {
				ok = ok || s.near(t, e, m.Background, .3, .15)
			}
			if ok {
				continue
			}
			fmt.Printf("expert %d pi %.3f\n", k, m.Pi[k])
			for y := range 16 {
				for x := range 16 {
					o := e[y*16+x]
					if o.Vote == 0 {
						fmt.Print("  .   ")
					} else {
						fmt.Printf("%5.2f ", o.Mean)
					}
				}
				fmt.Println()
			}
		}
		for i, t := range s.Truth {
			ok := false
			for _, e := range m.Experts {
				ok = ok || s.near(t, e, m.Background, .3, .15)
			}
			if !ok {
				fmt.Println("missing", i)
			}
		}
		return
	}
	for k, e := range m.Experts {
		fmt.Printf("  %d pi %.2f: ", k, m.Pi[k])
		for _, o := range e {
			switch o.Vote {
			case 0:
				fmt.Print(" . ")
			case 1:
				fmt.Printf("%.1f ", o.Mean)
			case 2:
				fmt.Printf("%.1f(%.2f) ", o.Mean, o.Var)
			}
		}
		fmt.Println()
	}
	fmt.Print("  b ")
	for _, b := range m.Background {
		fmt.Printf("%.1f(%.1f) ", b.Mean, b.Var)
	}
	fmt.Println()
}
