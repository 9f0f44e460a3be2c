// Command answers asks how often the picture that made a table of answers is the one that is
// picked, and how often wrong entries of a matrix of items and skills are named.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/table/answers"
)

// kinds are what tables are made by, and what may be picked: a level that some columns follow
// more than others is one, too.
var kinds = []struct{ made, picked string }{
	{"independent", "independent"}, {"classes", "classes"}, {"rasch", "level"}, {"2pl", "level"}, {"parts", "parts"},
	{"parts+level", "parts+level"}, {"skills", "skills"}, {"skills together", "skills+usage skills+profiles"},
}

// draw draws rows of a kind; q is which items need which of so many skills.
func draw(rng *rand.Rand, kind string, rows, width, parts int, hidden, slip float64) (data patchwork.Data, q [][]bool) {
	base, slope, votes := make([]float64, width), make([]float64, width), make([][]float64, parts)
	classes := 3 + rng.IntN(3)
	ofClass := make([][]float64, classes)
	for d := range width {
		base[d], slope[d] = 1.2*rng.NormFloat64(), 1.2
		if kind == "2pl" {
			slope[d] = math.Exp(0.6 * rng.NormFloat64())
		}
		for c := range ofClass {
			ofClass[c] = append(ofClass[c], 0.1+0.8*rng.Float64())
		}
		q = append(q, make([]bool, parts))
		q[d][d%parts] = true
		if rng.Float64() < 0.4 {
			q[d][rng.IntN(parts)] = true
		}
		for k := range votes {
			votes[k] = append(votes[k], 0.75+0.2*rng.Float64())
		}
	}
	for range rows {
		level, img := rng.NormFloat64(), bitmap.New(1, width)
		has := make([]bool, parts)
		for k := range has {
			odds := -0.4
			if kind == "skills together" {
				odds = 1.6 * level
			} else if kind == "skills" {
				odds = 0
			}
			has[k] = rng.Float64() < 1/(1+math.Exp(-odds))
		}
		c := rng.IntN(classes)
		for d := range width {
			p := chance(kind, base[d], slope[d]*level, ofClass[c][d])
			lacks := false
			for k := range has {
				switch {
				case !q[d][k]:
				case kind[0] == 'p' && has[k]:
					p = max(p, votes[k][d])
				case !has[k]:
					lacks = true
				}
			}
			if kind[0] == 's' {
				if p = 1 - slip; lacks {
					p = slip
				}
			}
			if img.Set(0, d, rng.Float64() < p); rng.Float64() < hidden {
				img.SetUnknown(0, d)
			}
		}
		data.Images = append(data.Images, img)
	}
	return data, q
}

// chance returns how probable an answer is where no part says something.
func chance(kind string, base, level, ofClass float64) float64 {
	switch kind {
	case "classes":
		return ofClass
	case "rasch", "2pl":
		base += level
	case "parts+level":
		base += level - 1.5
	case "parts":
		return 0.08
	}
	return 1 / (1 + math.Exp(-base))
}

func main() {
	sets := flag.Int("sets", 10, "tables of each kind")
	seed := flag.Uint64("seed", 1, "of all tables")
	wrong := flag.Float64("q", 0, "share of the entries of a matrix that are wrong: ask which are named instead")
	rows := flag.Int("rows", 500, "rows of these tables")
	hidden := flag.Float64("hidden", 0, "share of cells that are not known")
	flag.Parse()
	work := func() error { return run(*sets, *seed, *hidden) }
	if *wrong > 0 {
		work = func() error { return matrices(*sets, *seed, *rows, *wrong) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(sets int, seed uint64, hidden float64) error {
	for _, kind := range kinds {
		right, began := 0, time.Now()
		var wrong []string
		for i := range sets {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			rows, width := 300+rng.IntN(701), 10+rng.IntN(21)
			data, _ := draw(rng, kind.made, rows, width, 3+rng.IntN(2), hidden, 0.1+0.1*rng.Float64())
			r, err := answers.Compare(context.Background(), data, answers.Options{})
			if err != nil {
				return err
			}
			if got := r.Pictures[0].Kind; named(kind.picked, got) {
				right++
			} else {
				wrong = append(wrong, fmt.Sprintf("%d x %d %s %.1f", rows, width, got, behind(r, kind.picked)))
			}
		}
		fmt.Printf("%-16s %d of %d, %.1f s each %v\n", kind.made, right, sets, time.Since(began).Seconds()/float64(sets), wrong)
	}
	return nil
}

// named reports whether a kind is one of several.
func named(all, kind string) bool { return slices.Contains(strings.Fields(all), kind) }

// behind returns by how many nats the pictures of a kind are longer than the pick.
func behind(r *answers.Result, kinds string) float64 {
	best := math.Inf(1)
	for _, p := range r.Pictures {
		if named(kinds, p.Kind) {
			best = min(best, p.Length)
		}
	}
	return best - r.Pictures[0].Length
}

// matrices says how many wrong entries of matrices of 30 items and 5 skills are named, and how many others.
func matrices(sets int, seed uint64, rows int, share float64) error {
	named, planted, others := 0, 0, 0
	for i := range sets {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		data, q := draw(rng, "skills", rows, 30, 5, 0, 0.1+0.1*float64(i%2))
		isWrong := map[[2]int]bool{}
		for len(isWrong) < int(math.Round(share*150)) {
			d, k := rng.IntN(30), rng.IntN(5)
			one := 0
			for _, needs := range q[d] {
				if needs {
					one++
				}
			}
			if !isWrong[[2]int{d, k}] && (one > 1 || !q[d][k]) {
				isWrong[[2]int{d, k}], q[d][k] = true, !q[d][k]
			}
		}
		c, err := answers.Check(context.Background(), data, q)
		if err != nil {
			return err
		}
		planted += len(isWrong)
		for _, e := range append(c.Missing, c.Unsupported...) {
			if isWrong[[2]int{e.Item, e.Skill}] {
				named++
			} else {
				others++
			}
		}
	}
	fmt.Printf("%d rows, %d matrices, %.0f %% wrong: %d of %d named, %d others\n", rows, sets, 100*share, named, planted, others)
	return nil
}
