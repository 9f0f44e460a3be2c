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

// Learn returns the model of rows.
func Learn(ctx context.Context, height, width int, rows [][]float64, o model.Options) (*model.Model, error) {
	r, err := fit(ctx, height, width, rows, o)
	if err != nil {
		return nil, err
	}
	return r.Model, nil
}

func fit(ctx context.Context, height, width int, rows [][]float64, o model.Options) (*model.Result, error) {
	data, err := model.NewData(height, width, rows)
	if err != nil {
		return nil, err
	}
	return model.Learn(ctx, data, o)
}

// Evidence returns the mean log-density of rows over the best explanations of each.
func Evidence(m *model.Model, rows [][]float64) (float64, error) {
	all, _, err := evidence(m, rows)
	return all, err
}

// evidence returns it with that of the best explanations alone.
func evidence(m *model.Model, rows [][]float64) (all, best float64, err error) {
	p, err := model.NewPursuit(m)
	if err != nil {
		return 0, 0, err
	}
	for _, row := range rows {
		post, err := p.Best(row, 0)
		if err != nil {
			return 0, 0, err
		}
		all += post.Evidence / float64(len(rows))
		best += post.Explanations[0].LogJoint / float64(len(rows))
	}
	return all, best, nil
}

// Parameters returns how many numbers a model has learned.
func Parameters(m *model.Model) int {
	votes, variances := m.Votes()
	return votes + variances + 2*m.Height*m.Width + m.K()
}

// outcome is what one run gives.
type outcome struct {
	k, found int
	excess   float64 // of the truth's log-density over the model's, per test row; 0 if it is not known
	seconds  float64
}

// learn learns a set and compares with its truth.
func learn(ctx context.Context, s, test *Set, o model.Options, on, off float64) (out outcome, err error) {
	began := time.Now()
	m, err := Learn(ctx, s.Height, s.Width, s.Rows, o)
	if err != nil {
		return out, err
	}
	out = outcome{k: m.K(), found: s.Recovered(m, on, off), seconds: time.Since(began).Seconds()}
	if test == nil {
		return out, nil
	}
	ours, err := Evidence(m, test.Rows)
	out.excess = stat.MeanOf(test.Rows, test.LogDensity) - ours
	return out, err
}

// row prints a row of a table: means over the sets, with the deviation of the excess.
func row(t stat.Table, name string, truth int, all []outcome) {
	excess := stat.Of(all, func(o outcome) float64 { return o.excess })
	shown := ""
	if stat.Mean(excess) != 0 {
		shown = stat.Spread(excess, 2)
	}
	t.Row("%s | %.1f of %d | %d of %d | %d of %d | %s | %.1f", name,
		stat.MeanOf(all, func(o outcome) float64 { return float64(o.found) }), truth,
		stat.Count(all, func(o outcome) bool { return o.found == truth }), len(all),
		stat.Count(all, func(o outcome) bool { return o.k == truth }), len(all), shown,
		stat.MeanOf(all, func(o outcome) float64 { return o.seconds }))
}

func head(w io.Writer, title string) stat.Table {
	fmt.Fprintf(w, "%s\n\n", title)
	return stat.NewTable(w, "data", "parts found", "all found", "number right", "excess", "s")
}

// quadrantSizes are the numbers of images that are learned from.
var quadrantSizes = []int{50, 100, 200, 500}

// ReportQuadrants prints the recovery of quadrants by the number of images (none means 50, 100, 200 and 500) and
// where active pixels have less noise.
func ReportQuadrants(ctx context.Context, w io.Writer, sets int, sizes ...int) error {
	if len(sizes) == 0 {
		sizes = quadrantSizes
	}
	t := head(w, fmt.Sprintf("Real quadrants, %d sets each: parts found (mean error below 0.4 on, 0.2 off their pixels), "+
		"nats per test row behind the truth", sets))
	for _, n := range sizes {
		for _, c := range []struct {
			name string
			sd   float64
		}{{"means and variances", 1}, {"sd 0.3 where active", .3}} {
			all, err := stat.Seeds(sets, func(seed uint64) (outcome, error) {
				rng := rand.New(rand.NewPCG(seed, 7))
				s := Quadrants(n, 2, c.sd, rng)
				return learn(ctx, s, Quadrants(1000, 2, c.sd, rng), model.Options{Seed: seed}, .4, .2)
			})
			if err != nil {
				return err
			}
			row(t, fmt.Sprintf("%s, N = %d", c.name, n), 8, all)
		}
	}
	return nil
}

// ReportRivals prints the excess of scikit-learn's models on the sets of ReportQuadrants, by the number of images (none
// means 50, 100, 200 and 500).
func ReportRivals(ctx context.Context, w io.Writer, sets int, sizes ...int) error {
	if len(sizes) == 0 {
		sizes = quadrantSizes
	}
	fmt.Fprintf(w, "Real quadrants, %d sets each: nats per test row behind the truth, of each rival at its best on the "+
		"test rows\n\n", sets)
	t := stat.NewTable(w, "rival", "excess")
	for _, n := range sizes {
		all, err := stat.Seeds(sets, func(seed uint64) (map[string]float64, error) {
			rng := rand.New(rand.NewPCG(seed, 7))
			train, test := Quadrants(n, 2, 1, rng), Quadrants(1000, 2, 1, rng)
			scores, err := Rivals(ctx, &Job{Train: train.Rows, Test: test.Rows, Floor: slices.Repeat([]float64{.01}, 36)})
			excess := map[string]float64{}
			for name, s := range scores {
				excess[name] = stat.MeanOf(test.Rows, test.LogDensity) - s.Known
			}
			return excess, err
		})
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(all[0])) {
			t.Row("%s, N = %d | %s", name, n,
				stat.Spread(stat.Of(all, func(excess map[string]float64) float64 { return excess[name] }), 2))
		}
	}
	return nil
}

// ReportBars prints the recovery of overlapping grey bars; names choose some.
func ReportBars(ctx context.Context, w io.Writer, sets int, names ...string) error {
	t := head(w, fmt.Sprintf("Grey bars, %d sets each: bars found (mean error below 0.3 on, 0.15 off)", sets))
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
		if len(names) > 0 && !slices.ContainsFunc(names, func(p string) bool { return strings.HasPrefix(c.name, p) }) {
			continue
		}
		all, err := stat.Seeds(sets, func(seed uint64) (outcome, error) {
			o := model.Options{Seed: seed}
			if c.o.Side > 5 {
				o.Starts = 1
			}
			return learn(ctx, Bars(c.n, c.o, rand.New(rand.NewPCG(seed, 7))), nil, o, .3, .15)
		})
		if err != nil {
			return err
		}
		row(t, fmt.Sprintf("%s, N = %d", c.name, c.n), 2*c.o.Side, all)
	}
	return nil
}

// partsSets are the data of ReportParts.
var partsSets = []struct {
	name   string
	signed bool // parts come with both signs
	make   func(rng *rand.Rand) *Set
}{
	{"quadrants, N = 50", true, func(rng *rand.Rand) *Set { return Quadrants(50, 2, 1, rng) }},
	{"quadrants, N = 200", true, func(rng *rand.Rand) *Set { return Quadrants(200, 2, 1, rng) }},
	{"bars, noise 0.25", false, barsOf(BarOptions{Side: 5, Rate: .2, SD: .25})},
	{"bars, noise 0.5", false, barsOf(BarOptions{Side: 5, Rate: .2, SD: .5})},
	{"bars, levels", false, barsOf(BarOptions{Side: 5, Rate: .2, SD: .25, Levels: true})},
	{"bars, brightness", false, barsOf(BarOptions{Side: 5, Rate: .2, SD: .25, Spread: true})},
}

func barsOf(o BarOptions) func(rng *rand.Rand) *Set {
	return func(rng *rand.Rand) *Set { return Bars(500, o, rng) }
}

// ReportParts prints how many true parts each method finds: those for which it has a template of its own with a cosine
// of at least 0.9. Rivals are told how many there are; Patchwork is not.
func ReportParts(ctx context.Context, w io.Writer, sets int) error {
	cells := map[string][]string{}
	heads := []string{"method"}
	for _, c := range partsSets {
		all, err := stat.Seeds(sets, func(seed uint64) (map[string]int, error) {
			s := c.make(rand.New(rand.NewPCG(seed, 7)))
			m, err := Learn(ctx, s.Height, s.Width, s.Rows, model.Options{Seed: seed})
			if err != nil {
				return nil, err
			}
			templates, err := s.Parts(ctx, c.signed)
			found := map[string]int{"Patchwork": s.Alike(Templates(m))}
			for name, t := range templates {
				found[name] = s.Alike(t)
			}
			return found, err
		})
		if err != nil {
			return err
		}
		heads = append(heads, c.name)
		for name := range all[0] {
			mean := stat.MeanOf(all, func(found map[string]int) float64 { return float64(found[name]) })
			cells[name] = append(cells[name], fmt.Sprintf("%.1f", mean))
		}
	}
	fmt.Fprintf(w, "Parts found with a cosine of at least 0.9, mean over %d sets (of 8 quadrants, of 10 bars); rivals "+
		"are told their number\n\n", sets)
	t := stat.NewTable(w, heads...)
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		t.Row("%s | %s", name, strings.Join(cells[name], " | "))
	}
	return nil
}
