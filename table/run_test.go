package table

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/posterior"

	"example.com/patchwork/bitmap"
)

// bars returns rows of a table with four bars of three bits, each on in a third of
// the rows, and few flipped bits.
func bars(rows int, seed uint64) patchwork.Data {
	rng := rand.New(rand.NewPCG(seed, 0))
	var data patchwork.Data
	for range rows {
		x := make([]uint8, 12)
		for bar := range 4 {
			if rng.IntN(3) == 0 {
				x[3*bar], x[3*bar+1], x[3*bar+2] = 1, 1, 1
			}
		}
		for i := range x {
			if rng.IntN(20) == 0 {
				x[i] = 1 - x[i]
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, 12, x))
	}
	return data
}

// Every rule finds the bars, and how many there are.
func TestTableFindsBars(t *testing.T) {
	for rule := range patchwork.Rule(len(joint.Names)) {
		m, err := Learn(t.Context(), bars(400, 1), patchwork.Config{Rule: rule, Height: 1, Width: 12},
			Options{StartFrom: StartFromGrow, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for k := range m.K() {
			got = append(got, inkOf(m.Template(k)))
		}
		slices.Sort(got)
		want := []string{"......... ###", "...... ### ...", "... ### ......", "### ........."}
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], " ", "")
		}
		if !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%v: experts %q", rule, got)
		}
		for i, q := range m.Config().QMap {
			if q < 0.01 || q > 0.13 {
				t.Errorf("%v: the background of bit %d is %v, flips are 0.05", rule, i, q)
			}
		}
		if r := m.Extras().Record; r.Method != "soft" || r.Mode != "interpret" || r.Rows != 400 || len(r.Curve) < 3 ||
			r.Starts[0].Method != "grow" {
			t.Errorf("record %+v", r)
		}
	}
}

func inkOf(template []float64) string {
	out := make([]byte, len(template))
	for i, p := range template {
		if out[i] = '.'; p > 0.5 {
			out[i] = '#'
		}
	}
	return string(out)
}

// The steps are the same for any number of workers, equal rows or weights.
func TestTableSameForAnyWorkers(t *testing.T) {
	data := bars(150, 2)
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		var first []Step
		for _, workers := range []int{1, 3} {
			var steps []Step
			for s, err := range Run(t.Context(), data, patchwork.Config{Rule: rule, Height: 1, Width: 12},
				Options{MaxExperts: 6, Iterations: 3, Workers: workers, Seed: 3}) {
				if err != nil {
					t.Fatal(err)
				}
				steps = append(steps, s)
			}
			last := steps[len(steps)-1]
			if !last.Chosen || last.Rows != 150 {
				t.Fatalf("%v: chosen %+v", rule, last.CurvePoint)
			}
			if first == nil {
				first = steps
				continue
			}
			for i, s := range steps {
				if s.CurvePoint != first[i].CurvePoint || !slices.EqualFunc(s.Model.Templates(), first[i].Model.Templates(),
					slices.Equal) ||
					!slices.Equal(s.Model.Config().QMap, first[i].Model.Config().QMap) {
					t.Fatalf("%v, step %d: %+v with one worker, %+v with %d", rule, i, first[i].CurvePoint, s.CurvePoint, workers)
				}
			}
		}
	}
}

// A number of experts that is given is not exceeded, from either start.
func TestTableGivenNumber(t *testing.T) {
	data := bars(120, 6)
	for _, start := range []StartFrom{StartFromGrow, StartFromMixture} {
		opt := Options{Experts: 3, Iterations: 3, StartFrom: start}
		m, err := Learn(t.Context(), data, patchwork.Config{Height: 1, Width: 12}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if m.K() > 3 || m.K() < 2 {
			t.Errorf("%v: %d experts", start, m.K())
		}
	}
}

// Where there is nothing to learn one expert comes out, not an error.
func TestTableOfNoise(t *testing.T) {
	var data patchwork.Data
	for range 40 {
		data.Images = append(data.Images, bitmap.FromBytes(1, 3, []uint8{1, 0, 1}))
	}
	for _, start := range []StartFrom{StartFromGrow, StartFromMixture, StartFromBoth} {
		m, err := Learn(t.Context(), data, patchwork.Config{Height: 1, Width: 3},
			Options{StartFrom: start, MaxExperts: 4})
		if err != nil {
			t.Fatalf("%v: %v", start, err)
		}
		n, err := posterior.NewSearcher(m, posterior.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := n.Predict(data.Images[0])
		if err != nil || p[0] < 0.9 || p[1] > 0.1 || p[2] < 0.9 {
			t.Errorf("%v: predictions %v (%v)", start, p, err)
		}
	}
}

func TestTableRefuses(t *testing.T) {
	data, cfg := bars(10, 1), patchwork.Config{Height: 1, Width: 12}
	for name, c := range map[string]struct {
		data patchwork.Data
		cfg  patchwork.Config
		opt  Options
		want string
	}{
		"no rows":    {patchwork.Data{}, cfg, Options{}, "no images"},
		"width":      {data, patchwork.Config{Height: 1, Width: 5}, Options{}, "image 0: image of 1 x 12"},
		"scene":      {data, patchwork.Config{Height: 1, Width: 12, Scene: true}, Options{}, "tables"},
		"experts":    {data, cfg, Options{Experts: -1}, "-1 parts"},
		"too many":   {data, cfg, Options{MaxExperts: 1 << 20}, "1048576"},
		"start":      {data, cfg, Options{StartFrom: 9}, "unknown"},
		"iterations": {data, cfg, Options{Iterations: -1}, "-1 iterations"},
		"beam":       {data, cfg, Options{Explain: posterior.Options{Beam: -1}}, "beam"},
	} {
		if _, err := Learn(t.Context(), c.data, c.cfg, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Learn(ctx, data, cfg, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A loop that is left early gets no more steps and no error, and Best is then the
// best candidate so far, with its record; before there is one it is the model of
// the step.
func TestRunLeftEarly(t *testing.T) {
	for _, leave := range []int{1, 4, 12} {
		n, last, best := 0, Step{}, Step{}
		opt := Options{MaxExperts: 5}
		for s, err := range Run(t.Context(), bars(60, 1), patchwork.Config{Height: 1, Width: 12}, opt) {
			if err != nil {
				t.Fatal(err)
			}
			if s.Candidate && (best.Model == nil || s.DescriptionLength < best.DescriptionLength) {
				best = s
			}
			last = s
			if n++; n == leave {
				break
			}
		}
		switch {
		case n != leave || last.Chosen:
			t.Errorf("%d steps, want %d", n, leave)
		case best.Model == nil:
			if last.Best != last.Model {
				t.Errorf("%d steps: no candidate yet, but another model is kept", leave)
			}
		default:
			r := last.Best.Extras().Record
			if r.DescriptionLength != best.DescriptionLength || r.Method != "soft" ||
				!slices.ContainsFunc(r.Curve, func(p patchwork.CurvePoint) bool { return p.Chosen }) {
				t.Errorf("%d steps: kept %+v, the best is %+v", leave, r, best.CurvePoint)
			}
		}
	}
}

// Every iteration is a step, the candidates are the curve, and the last step alone
// is the chosen one.
func TestRunYieldsEveryIteration(t *testing.T) {
	var points []patchwork.CurvePoint
	seen, last := map[string]int{}, Step{}
	for s, err := range Run(t.Context(), bars(80, 2), patchwork.Config{Height: 1, Width: 12},
		Options{Experts: 4, Iterations: 6}) {
		if err != nil {
			t.Fatal(err)
		}
		if last.Chosen || s.Model == nil || s.Best == nil || s.Rows == 0 || s.Experts != s.Model.K() {
			t.Fatalf("step %+v", s)
		}
		if last = s; s.Candidate && !s.Chosen {
			points = append(points, s.CurvePoint)
		}
		seen[s.Stage]++
	}
	if seen[StageGrow] < 3 || seen[StageMixture] < 2*7 || seen[StageFinal] < 2 || !last.Chosen ||
		last.Best != last.Model {
		t.Errorf("steps by stage %v, last %+v", seen, last.CurvePoint)
	}
	curve := slices.Clone(last.Model.Extras().Record.Curve)
	for i := range curve {
		if curve[i].Chosen { // its length is that of the description now
			curve[i].Chosen, curve[i].DescriptionLength = false, points[i].DescriptionLength
		}
	}
	if len(points) < 6 || !slices.Equal(curve, points) {
		t.Errorf("curve %+v, candidates %+v", curve, points)
	}
}

// A mixture of two kinds of rows finds them.
func TestFitMixture(t *testing.T) {
	var data patchwork.Data
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 200 {
		p := []float64{0.9, 0.9, 0.1, 0.1}
		if i%4 == 0 {
			slices.Reverse(p)
		}
		data.Images = append(data.Images, posterior.Exclusive(nil).Hide(bitmap.Sample(rng, 1, 4, p), 0.25, 1, i))
	}
	x, err := FitMixture(t.Context(), data, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	common := slices.Index(x.Share, slices.Max(x.Share))
	testkit.Near(t, "share", x.Share[common], 0.75, 0.06)
	testkit.NearAll(t, "common kind", x.Components[common], []float64{0.9, 0.9, 0.1, 0.1}, 0.1)
	testkit.NearAll(t, "rare kind", x.Components[1-common], []float64{0.1, 0.1, 0.9, 0.9}, 0.15)
	m, err := x.model(patchwork.Config{Height: 1, Width: 4}, 200)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range m.Config().QMap {
		testkit.Near(t, "background", q, min(x.Components[0][i], x.Components[1][i]), 1e-12)
		testkit.Near(t, "expert", m.Template(common)[i], x.Components[common][i], 1e-12)
	}
	if _, err := FitMixture(t.Context(), patchwork.Data{}, 2, 1); err == nil {
		t.Error("no rows, no error")
	}
}

func TestNames(t *testing.T) {
	for _, s := range []StartFrom{StartFromBoth, StartFromGrow, StartFromMixture} {
		if got, err := ParseStartFrom(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
}

// TestMixturePredict compares predictions with Bayes' rule, written out.
func TestMixturePredict(t *testing.T) {
	x := &Mixture{Share: []float64{0.3, 0.7}, Components: [][]float64{{0.9, 0.2, 0.5}, {0.1, 0.6, 0.8}}}
	row := bitmap.New(1, 3)
	row.Set(0, 0, true)
	row.SetUnknown(0, 2)
	a, b := 0.3*0.9*0.8, 0.7*0.1*0.4
	for i, got := range x.Predict(row) {
		if want := (a*x.Components[0][i] + b*x.Components[1][i]) / (a + b); math.Abs(got-want) > 1e-12 {
			t.Errorf("bit %d: %v, want %v", i, got, want)
		}
	}
}

// Of more rows than a search takes a sample is searched, and all of them are
// learned from at the end.
func TestSearchOfASample(t *testing.T) {
	most, last := int64(0), Step{}
	for s, err := range Run(t.Context(), bars(900, 4), patchwork.Config{Height: 1, Width: 12}, Options{Sample: 150}) {
		if err != nil {
			t.Fatal(err)
		}
		if last = s; s.Stage != StageFinal && s.Stage != StageTogether {
			most = max(most, s.Rows)
		}
	}
	if most != 150 || last.Rows != 900 || !last.Chosen {
		t.Errorf("searched %d rows, chosen %+v", most, last.CurvePoint)
	}
	if last.Experts != 4 {
		t.Errorf("%d parts of four bars", last.Experts)
	}
}

// Groups of columns are found, and so is their number.
func TestFindsPlantedGroups(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 12))
		var data patchwork.Data
		for range 300 {
			x := make([]uint8, 12)
			for g := range 2 {
				if rng.Float64() < 0.4 {
					for i := range 4 {
						x[6*g+i] = 1
					}
				}
			}
			for i := range x {
				if rng.Float64() < 0.1 {
					x[i] = 1 - x[i]
				}
			}
			data.Images = append(data.Images, bitmap.FromBytes(1, 12, x))
		}
		m, err := Learn(t.Context(), data, patchwork.Config{Height: 1, Width: 12}, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for k := range m.K() {
			got = append(got, inkOf(m.Template(k)))
		}
		slices.Sort(got)
		if !slices.Equal(got, []string{"####........", "......####.."}) {
			t.Errorf("seed %d: parts %q", seed, got)
		}
	}
}

// What is delivered after a choice among some of the rows is the choice, carried
// on: the same parts, not others from another start.
func TestGoesOnFromTheChoice(t *testing.T) {
	var chosen, last Step
	for s, err := range Run(t.Context(), bars(200, 7), patchwork.Config{Height: 1, Width: 12},
		Options{Sample: 120, Seed: 5}) {
		if err != nil {
			t.Fatal(err)
		}
		if last = s; s.Stage == StageFinal && s.Iteration == 0 && chosen.Model == nil {
			chosen = s
		}
	}
	if chosen.Model.K() != last.Model.K() {
		t.Fatalf("%d parts chosen, %d delivered", chosen.Model.K(), last.Model.K())
	}
	var a, b []string
	for k := range last.Model.K() {
		a, b = append(a, inkOf(chosen.Model.Template(k))), append(b, inkOf(last.Model.Template(k)))
	}
	if slices.Sort(a); !slices.Equal(a, slices.Sorted(slices.Values(b))) {
		t.Errorf("parts %q chosen, %q delivered", a, b)
	}
	if r := last.Model.Extras().Record; r.Rows != 200 || r.LogLik != last.LogLik ||
		r.DescriptionLength != last.DescriptionLength {
		t.Errorf("the record is %+v, the model's figures %+v", r, last.CurvePoint)
	}
}

// If fewer experts are found than were asked for, the model is no worse than the one
// whose number was found out.
func TestMoreExpertsThanThereAre(t *testing.T) {
	data, cfg := bars(300, 2), patchwork.Config{Height: 1, Width: 12}
	learn := func(opt Options) *patchwork.Model {
		m, err := Learn(t.Context(), data, cfg, opt)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	auto := learn(Options{})
	many := learn(Options{Experts: 90})
	if a, b := auto.Extras().Record, many.Extras().Record; b.DescriptionLength > a.DescriptionLength || many.K() > 90 {
		t.Errorf("90 asked for: %d, %.1f nats; found out: %d, %.1f", many.K(), b.DescriptionLength, auto.K(),
			a.DescriptionLength)
	}
	if m := learn(Options{Experts: 2}); m.K() != 2 {
		t.Errorf("%d experts, 2 asked for", m.K())
	}
}

// TestToldIsNoShorter checks that of few rows, told no number of parts, the description is no
// longer than told one.
func TestToldIsNoShorter(t *testing.T) {
	all := sites(t)
	for seed := uint64(5); seed < 10; seed++ {
		order := rand.New(rand.NewPCG(seed, 7)).Perm(len(all.Images))
		data := rows.Part(all, order[:19])
		learn := func(experts int) float64 {
			m, err := Learn(t.Context(), data, patchwork.Config{Height: 1, Width: 9}, Options{Experts: experts})
			if err != nil {
				t.Fatal(err)
			}
			return m.Extras().Record.DescriptionLength
		}
		open := learn(0)
		for k := 1; k <= 4; k++ {
			if told := learn(k); open > told+.1 {
				t.Errorf("seed %d: told %d parts %.2f nats, told none %.2f", seed, k, told, open)
			}
		}
	}
}

// sites returns the nine columns of bits of README's table.
func sites(t *testing.T) (data patchwork.Data) {
	t.Helper()
	text, err := os.ReadFile("../docs/data/sites.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		row := bitmap.New(1, 9)
		for i, v := range strings.Split(line, ",")[2:] {
			if row.Set(0, i, v == "1"); v == "" {
				row.SetUnknown(0, i)
			}
		}
		data.Images = append(data.Images, row)
	}
	return data
}
