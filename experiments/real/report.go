package real

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
)

// outcome is what one run gives.
type outcome struct {
	k, found int
	excess   float64 // of the truth's log-density over the model's, per test row; 0 if it is not known
	seconds  float64
}

// learn learns a set and compares with its truth.
func learn(ctx context.Context, s, test *Set, o model.Options, on, off float64) (outcome, error) {
	data, err := model.NewData(s.Height, s.Width, s.Rows)
	if err != nil {
		return outcome{}, err
	}
	began := time.Now()
	r, err := model.Learn(ctx, data, o)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{k: r.Model.K(), found: s.Recovered(r.Model, on, off), seconds: time.Since(began).Seconds()}
	if test == nil {
		return out, nil
	}
	p, err := model.NewPursuit(r.Model)
	if err != nil {
		return out, err
	}
	for _, row := range test.Rows {
		post, err := p.Best(row, 0)
		if err != nil {
			return out, err
		}
		out.excess += (test.LogDensity(row) - post.Evidence) / float64(len(test.Rows))
	}
	return out, nil
}

// row prints a row of a table: means over the sets, with the deviation of the excess.
func row(w io.Writer, name string, truth int, all []outcome) {
	var found, excess, seconds []float64
	whole, exact := 0, 0
	for _, o := range all {
		found, excess, seconds = append(found, float64(o.found)), append(excess, o.excess), append(seconds, o.seconds)
		if o.found == truth {
			whole++
		}
		if o.k == truth {
			exact++
		}
	}
	fmt.Fprintf(w, "| %s | %.1f of %d | %d of %d | %d of %d |", name, stat.Mean(found), truth, whole, len(all), exact,
		len(all))
	if stat.Mean(excess) != 0 {
		fmt.Fprintf(w, " %.2f ± %.2f |", stat.Mean(excess), stat.SD(excess))
	} else {
		fmt.Fprint(w, " |")
	}
	fmt.Fprintf(w, " %.1f |\n", stat.Mean(seconds))
}

func head(w io.Writer, title string) {
	fmt.Fprintf(w, "%s\n\n| data | parts found | all found | number right | excess | s |\n|---|---|---|---|---|---|\n",
		title)
}

// ReportQuadrants prints the recovery of quadrants by the number of images (none means 50, 100, 200 and 500), with
// means
// only and where active pixels have less noise.
func ReportQuadrants(ctx context.Context, w io.Writer, sets int, sizes ...int) error {
	if len(sizes) == 0 {
		sizes = []int{50, 100, 200, 500}
	}
	head(w, fmt.Sprintf("Real quadrants, %d sets each: parts found (mean error below 0.4 on, 0.2 off their pixels), "+
		"nats per test row behind the truth", sets))
	for _, n := range sizes {
		for _, c := range []struct {
			name  string
			sd    float64
			means bool
		}{{"means only", 1, true}, {"means and variances", 1, false}, {"sd 0.3 where active", .3, false}} {
			var all []outcome
			for seed := range uint64(sets) {
				rng := rand.New(rand.NewPCG(seed, 7))
				s := Quadrants(n, 2, c.sd, rng)
				o, err := learn(ctx, s, Quadrants(1000, 2, c.sd, rng), model.Options{Seed: seed, MeansOnly: c.means}, .4, .2)
				if err != nil {
					return err
				}
				all = append(all, o)
			}
			row(w, fmt.Sprintf("%s, N = %d", c.name, n), 8, all)
		}
	}
	return nil
}

// ReportRivals prints the excess of scikit-learn's models on the sets of ReportQuadrants, by the number of images (none
// means
// 50, 100, 200 and 500).
func ReportRivals(ctx context.Context, w io.Writer, sets int, sizes ...int) error {
	if len(sizes) == 0 {
		sizes = []int{50, 100, 200, 500}
	}
	fmt.Fprintf(w, "Real quadrants, %d sets each: nats per test row behind the truth, of each rival at its best on the "+
		"test rows\n\n| rival | excess |\n|---|---|\n", sets)
	for _, n := range sizes {
		if err := quadrantRivals(ctx, w, sets, n); err != nil {
			return err
		}
	}
	return nil
}

// quadrantRivals prints the excess of rivals on the sets of ReportQuadrants.
func quadrantRivals(ctx context.Context, w io.Writer, sets, n int) error {
	excess := map[string][]float64{}
	for seed := range uint64(sets) {
		rng := rand.New(rand.NewPCG(seed, 7))
		j := &Job{Train: Quadrants(n, 2, 1, rng).Rows, Floor: slices.Repeat([]float64{.01}, 36)}
		test := Quadrants(1000, 2, 1, rng)
		truth := 0.0
		for _, row := range test.Rows {
			truth += test.LogDensity(row) / float64(len(test.Rows))
		}
		j.Test = test.Rows
		all, err := Rivals(ctx, j)
		if err != nil {
			return err
		}
		for name, s := range all {
			excess[name] = append(excess[name], truth-s.Known)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(excess)) {
		fmt.Fprintf(w, "| %s, N = %d | %.2f ± %.2f |\n", name, n, stat.Mean(excess[name]), stat.SD(excess[name]))
	}
	return nil
}

// ReportBars prints the recovery of overlapping grey bars; names choose some.
func ReportBars(ctx context.Context, w io.Writer, sets int, names ...string) error {
	head(w, fmt.Sprintf("Grey bars, %d sets each: bars found (mean error below 0.3 on, 0.15 off)", sets))
	for _, c := range []struct {
		name string
		n    int
		o    BarOptions
	}{
		{"5 x 5, sd 0.25", 500, BarOptions{Side: 5, Rate: .2, SD: .25}},
		{"5 x 5, sd 0.5", 500, BarOptions{Side: 5, Rate: .2, SD: .5}},
		{"5 x 5, levels", 500, BarOptions{Side: 5, Rate: .2, SD: .25, Levels: true}},
		{"5 x 5, brightness", 500, BarOptions{Side: 5, Rate: .2, SD: .25, Spread: true}},
		{"16 x 16", 1000, BarOptions{Side: 16, Rate: 3. / 32, SD: .25}},
		{"16 x 16, sd 0.4", 1000, BarOptions{Side: 16, Rate: 3. / 32, SD: .4}},
	} {
		if len(names) > 0 && !anyPrefix(c.name, names) {
			continue
		}
		var all []outcome
		for seed := range uint64(sets) {
			s := Bars(c.n, c.o, rand.New(rand.NewPCG(seed, 7)))
			starts := 0
			if c.o.Side > 5 {
				starts = 1
			}
			o, err := learn(ctx, s, nil, model.Options{Seed: seed, Starts: starts}, .3, .15)
			if err != nil {
				return err
			}
			all = append(all, o)
		}
		row(w, fmt.Sprintf("%s, N = %d", c.name, c.n), 2*c.o.Side, all)
	}
	return nil
}

// anyPrefix reports whether a name begins with one of some.
func anyPrefix(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
