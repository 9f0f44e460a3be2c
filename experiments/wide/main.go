// Wide measures the learner of tables as lists on planted tables.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"example.com/patchwork/table/lists"
)

func main() {
	kinds := pflag.StringSlice("kinds", []string{"thousand"}, "shapes of tables; all for every one")
	seeds := pflag.Int("sets", 3, "tables of each")
	from := pflag.Uint64("seed", 1000, "first seed")
	profile := pflag.String("profile", "", "write a profile of the processor here")
	pflag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			panic(err)
		}
		_ = pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	for i := range shapes {
		s := &shapes[i]
		if !slices.Contains(*kinds, s.name) && !slices.Contains(*kinds, "all") {
			continue
		}
		for j := range *seeds {
			t, parts := s.planted(rand.New(rand.NewPCG(*from+uint64(j), 77)))
			began, user := time.Now(), used()
			m, err := lists.Learn(context.Background(), t, lists.Options{Seed: uint64(j)})
			if err != nil {
				panic(err)
			}
			fmt.Printf("%-12s %8d ones  exact %3d of %3d, K %3d, F1 %.3f  %8.3f s (user %.2f)  %.1f nats (none %.1f)%s\n", s.name,
				len(t.Columns), exact(m, parts), len(parts), len(m.Parts), f1(m, parts),
				time.Since(began).Seconds(), used()-user, m.Record.Length, m.Record.Background, levelOf(m))
		}
	}
}

func levelOf(m *lists.Model) string {
	if m.Level == nil {
		return ""
	}
	return fmt.Sprintf(" level %.2f, %d steps", m.Level.Slope, len(m.Level.Steps))
}

func used() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()) / 1e9
}

// exact returns how many planted parts were found with all their columns and no other.
func exact(m *lists.Model, parts [][]int32) (n int) {
	for _, p := range parts {
		if slices.ContainsFunc(m.Parts, func(found lists.Part) bool { return slices.Equal(found.Columns, p) }) {
			n++
		}
	}
	return n
}

// f1 returns the mean of how well parts found fit planted ones, and the other way round.
func f1(m *lists.Model, parts [][]int32) float64 {
	var found [][]int32
	for _, p := range m.Parts {
		found = append(found, p.Columns)
	}
	a, b := best(found, parts), best(parts, found)
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}

func best(of, among [][]int32) float64 {
	sum := 0.0
	for _, p := range of {
		most := 0.0
		for _, q := range among {
			common := 0
			for _, d := range p {
				if slices.Contains(q, d) {
					common++
				}
			}
			most = max(most, float64(common)/float64(len(p)+len(q)-common))
		}
		sum += most / float64(max(len(of), 1))
	}
	return sum
}
