package lists

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/table"
)

// planted draws rows, of which each has each part with a probability, and the columns that parts
// or the background have.
func planted(rng *rand.Rand, rows, width int, parts [][]int32, usage, strength, q float64) *bitmap.Lists {
	t := bitmap.NewLists(width)
	for range rows {
		p := slices.Repeat([]float64{q}, width)
		for _, columns := range parts {
			if rng.Float64() < usage {
				for _, d := range columns {
					p[d] = max(p[d], strength)
				}
			}
		}
		var row []int32
		for d := range p {
			if rng.Float64() < p[d] {
				row = append(row, int32(d))
			}
		}
		t.Append(row)
	}
	return t
}

// columns draws disjoint parts of a size.
func columns(rng *rand.Rand, width, parts, size int) (out [][]int32) {
	order := rng.Perm(width)
	for k := range parts {
		var p []int32
		for _, d := range order[k*size : (k+1)*size] {
			p = append(p, int32(d))
		}
		slices.Sort(p)
		out = append(out, p)
	}
	return out
}

func learned(t *testing.T, data *bitmap.Lists, opt Options) *Model {
	t.Helper()
	m, err := Learn(t.Context(), data, opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLearnFindsPlantedParts(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 90))
		parts := columns(rng, 600, 20, 10)
		m := learned(t, planted(rng, 800, 600, parts, 0.05, 0.9, 0.01), Options{Seed: seed})
		if len(m.Parts) != len(parts) {
			t.Errorf("seed %d: %d parts, not %d", seed, len(m.Parts), len(parts))
		}
		for k, p := range parts {
			if !slices.ContainsFunc(m.Parts, func(found Part) bool { return slices.Equal(found.Columns, p) }) {
				t.Errorf("seed %d: part %d was not found", seed, k)
			}
		}
	}
}

func TestLearnFindsNothingInNoise(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 91))
		q := []float64{0.01, 0.05, 0.2, 0.5}[seed%4]
		m := learned(t, planted(rng, 200, 150, nil, 0, 0, q), Options{Seed: seed})
		if len(m.Parts) > 0 || m.Record.Length != m.Record.Background {
			t.Errorf("seed %d: %d parts in noise", seed, len(m.Parts))
		}
	}
}

func TestLearnTakesAnyTable(t *testing.T) {
	for name, data := range map[string]*bitmap.Lists{
		"no rows":    bitmap.NewLists(3),
		"no ones":    {Width: 3, Start: []int{0, 0, 0}},
		"one cell":   {Width: 1, Start: []int{0, 1}, Columns: []int32{0}},
		"all on":     {Width: 2, Start: []int{0, 2, 4, 6}, Columns: []int32{0, 1, 0, 1, 0, 1}},
		"equal rows": planted(rand.New(rand.NewPCG(1, 1)), 40, 30, [][]int32{{1, 2, 3, 4}}, 1, 1, 0),
	} {
		m := learned(t, data, Options{})
		if math.IsNaN(m.Record.Length) || len(m.Q) != data.Width {
			t.Errorf("%s: %v nats, %d columns", name, m.Record.Length, len(m.Q))
		}
	}
}

// The same table gives the same model on any number of workers.
func TestLearnIsTheSameOnAnyWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 92))
	data := planted(rng, 3000, 300, columns(rng, 300, 12, 9), 0.1, 0.85, 0.02)
	one, more := learned(t, data, Options{Workers: 1}), learned(t, data, Options{Workers: 3})
	if one.Record.Length != more.Record.Length || !slices.EqualFunc(one.Parts, more.Parts, func(a, b Part) bool {
		return slices.Equal(a.Columns, b.Columns) && slices.Equal(a.P, b.P)
	}) {
		t.Errorf("%v nats by one worker, %v by three", one.Record.Length, more.Record.Length)
	}
}

// A move that is rejected leaves the state as it was, and none makes the description longer.
func TestMovesNeverMakeLonger(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 93))
	parts := columns(rng, 120, 6, 12)
	parts = append(parts, slices.Concat(parts[0][:6], parts[1][:6]))
	slices.Sort(parts[6])
	data := planted(rng, 400, 120, parts, 0.15, 0.8, 0.05)
	l := newLearner(t.Context(), data, Options{})
	s, err := l.judged(&Model{Parts: []Part{
		{Columns: parts[0], P: slices.Repeat([]float64{0.7}, 12)},
		{Columns: parts[6], P: slices.Repeat([]float64{0.7}, 12)},
		{Columns: parts[2][:5], P: slices.Repeat([]float64{0.7}, 5)}},
		Usage: []float64{0.2, 0.1, 0.1}, Q: slices.Repeat([]float64{0.05}, 120)})
	if err != nil {
		t.Fatal(err)
	}
	l.none = s
	for name, move := range map[string]func(*state) (*state, error){"votes": l.moreVotes, "prune": l.prune,
		"tear": l.tear, "merge": l.merge} {
		before := s.Model.clone()
		next, err := move(s)
		if err != nil {
			t.Fatal(err)
		}
		if next.length > s.length {
			t.Errorf("%s: %v nats, before %v", name, next.length, s.length)
		}
		again, err := l.judged(before)
		if err != nil || math.Abs(again.length-s.length) > 1e-9 || !slices.Equal(before.Q, s.Q) {
			t.Errorf("%s changed the state that it began with: %v nats, then %v", name, s.length, again.length)
		}
	}
}

// dense returns a model and a table as those of package table.
func dense(t *testing.T, m *Model, data *bitmap.Lists) (*patchwork.Model, patchwork.Data) {
	t.Helper()
	var templates [][]float64
	for _, p := range m.Parts {
		v := slices.Clone(m.Q)
		for i, d := range p.Columns {
			v[d] = p.P[i]
		}
		templates = append(templates, v)
	}
	cfg := patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: data.Width, ZeroQ: true, QMap: m.Q}
	out, err := patchwork.NewModel(cfg, templates)
	if err == nil {
		out, err = out.WithExtras(patchwork.Extras{Usage: m.Usage, Record: patchwork.Record{Rows: int64(data.Len())}})
	}
	if err != nil {
		t.Fatal(err)
	}
	var rows patchwork.Data
	for r := range data.Len() {
		image := bitmap.New(1, data.Width)
		for _, d := range data.Row(r) {
			image.Set(0, int(d), true)
		}
		rows.Images = append(rows.Images, image)
	}
	return out, rows
}

// Both forms of a table have the same length by the same model.
func TestLengthIsThatOfPackageTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 94))
	data := planted(rng, 300, 90, columns(rng, 90, 5, 10), 0.2, 0.9, 0.02)
	m := learned(t, data, Options{})
	if len(m.Parts) != 5 {
		t.Fatalf("%d parts", len(m.Parts))
	}
	s, err := newLearner(t.Context(), data, Options{}).judged(m)
	if err != nil {
		t.Fatal(err)
	}
	other, rows := dense(t, m, data)
	c := table.NewCounts(other)
	if err := c.Add(context.Background(), other, rows, 1); err != nil {
		t.Fatal(err)
	}
	want := c.Length(other)
	d := m.described(data.Len(), s.counts.active)
	for name, of := range map[string][2]float64{"columns": {d.Columns(), want.Columns}, "votes": {d.Votes(), want.Votes},

		"background": {d.Background(nil), want.Background}} {
		if math.Abs(of[0]-of[1]) > 1e-6*math.Abs(of[1]) {
			t.Errorf("%s: %v nats as lists, %v as bits", name, of[0], of[1])
		}
	}
	// The rows are those of all sets of parts, where bits have those that their search finds.
	if s.evidence < -want.Rows-1e-6 || s.evidence > -want.Rows+1e-5*want.Rows {
		t.Errorf("rows: %v nats as lists, %v as bits", -s.evidence, want.Rows)
	}
}

// The evidence of a row is never much below that of all sets of parts, nor above it.
func TestEvidenceIsThatOfAllSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 95))
	var below, above float64
	rows := 0
	for range 40 {
		m := &Model{Q: make([]float64, 16)}
		for d := range m.Q {
			m.Q[d] = 0.05 + 0.1*rng.Float64()
		}
		for range 6 {
			var p Part
			for d := range m.Q {
				if rng.Float64() < 0.25 {
					p.Columns, p.P = append(p.Columns, int32(d)), append(p.P, 0.7+0.25*rng.Float64())
				}
			}
			m.Parts, m.Usage = append(m.Parts, p), append(m.Usage, 0.1+0.2*rng.Float64())
		}
		e := newExplainer(newIndex(m))
		for range 25 {
			rows++
			ones := planted(rng, 1, 16, [][]int32{m.Parts[0].Columns, m.Parts[1].Columns}, 0.5, 0.85, 0.1).Row(0)
			e.row(ones, nil)
			exact := bruteForce(m, ones)
			below, above = below+max(0, exact-e.evidence), max(above, e.evidence-exact)
		}
	}
	if below/float64(rows) > 0.1 || above > 0.02 {
		t.Errorf("evidence is %v nats a row too low, and up to %v too high", below/float64(rows), above)
	}
}

func bruteForce(m *Model, ones []int32) float64 {
	sum := 0.0
	for set := range 1 << len(m.Parts) {
		p, v := slices.Clone(m.Q), 1.0
		for k, part := range m.Parts {
			if set>>k&1 == 0 {
				v *= 1 - m.Usage[k]
				continue
			}
			v *= m.Usage[k]
			for i, d := range part.Columns {
				p[d] = max(p[d], part.P[i])
			}
		}
		for d := range p {
			if slices.Contains(ones, int32(d)) {
				v *= p[d]
			} else {
				v *= 1 - p[d]
			}
		}
		sum += v
	}
	return math.Log(sum)
}

// Rows that say yes more than others in general have no part for it.
func TestLevelsAreNoParts(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 96))
		parts := columns(rng, 400, 6, 12)
		data := bitmap.NewLists(400)
		for range 700 {
			level := math.Exp(0.8 * rng.NormFloat64())
			one := planted(rng, 1, 400, parts, map[bool]float64{true: 0.15}[seed%2 == 1], 0.9, math.Min(0.4, 0.02*level))
			data.Append(one.Row(0))
		}
		want := map[bool]int{true: len(parts)}[seed%2 == 1]
		if m := learned(t, data, Options{Seed: seed}); len(m.Parts) != want {
			t.Errorf("seed %d: %d parts, not %d", seed, len(m.Parts), want)
		}
	}
}

// What is predicted of a cell is its probability beside the others.
func TestPredictIsByTheOtherCells(t *testing.T) {
	m := &Model{Parts: []Part{{Columns: []int32{0, 1, 2, 3}, P: []float64{0.9, 0.9, 0.9, 0.9}}}, Usage: []float64{0.2},
		Q: []float64{0.1, 0.1, 0.1, 0.1, 0.3}}
	x := NewExplainer(m)
	joint := func(ones ...int32) float64 { return math.Exp(bruteForce(m, ones)) }
	for d, got := range x.Predict([]int32{0, 1}, nil)[2:] {
		d := int32(d + 2)
		if want := joint(0, 1, d) / (joint(0, 1) + joint(0, 1, d)); math.Abs(got-want) > 1e-9 {
			t.Errorf("column %d is on with probability %v, want %v", d, got, want)
		}
	}
	got := x.Predict([]int32{0, 1}, []int32{2, 3})
	if want := 0.9*0.9*0.9*0.2 + 0.1*0.1*0.1*0.8; math.Abs(got[3]-want/(0.9*0.9*0.2+0.1*0.1*0.8)) > 1e-9 {
		t.Errorf("an unknown column is on with probability %v", got[3])
	}
}

// An explanation adds up.
func TestExplanationsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 97))
	parts := columns(rng, 100, 6, 8)
	parts[1] = append(parts[1], parts[0][:3]...)
	slices.Sort(parts[1])
	data := planted(rng, 200, 100, parts, 0.2, 0.9, 0.03)
	m := learned(t, data, Options{})
	x := NewExplainer(m)
	for r := range data.Len() {
		e := x.Explain(data.Row(r), nil)
		p, want := slices.Clone(m.Q), 0.0
		for _, k := range e.Parts {
			for i, d := range m.Parts[k].Columns {
				p[d] = max(p[d], m.Parts[k].P[i])
			}
		}
		for d, v := range p {
			if slices.Contains(data.Row(r), int32(d)) {
				want += math.Log(v)
			} else {
				want += math.Log1p(-v)
			}
		}
		if math.Abs(e.LogLik-want) > 1e-8 {
			t.Fatalf("row %d: %v nats, want %v", r, e.LogLik, want)
		}
	}
}

// The evidence of a row of a model with a level is the mean over all levels, each with its background.
func TestEvidenceIsTheMeanOverLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 98))
	m := &Model{Q: []float64{0.1, 0.2, 0.3, 0.1, 0.05, 0.2, 0.1, 0.3}, Usage: []float64{0.2, 0.3},
		Parts: []Part{{[]int32{0, 2, 4}, []float64{0.8, 0.9, 0.7}}, {[]int32{1, 3, 6}, []float64{0.6, 0.8, 0.9}}},
		Level: &Level{Slope: 1.2, Steps: []float64{-1.5, 0, 1.5}, Weights: []float64{0.25, 0.5, 0.25}}}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	x := NewExplainer(m)
	evidence := func(ones ...int32) float64 {
		sum := 0.0
		for i, step := range m.Level.Steps {
			at := m.clone()
			at.Q = make([]float64, len(m.Q))
			for d, q := range m.Q {
				at.Q[d] = sigmoid(math.Log(q/(1-q)) + 1.2*step)
			}
			v := 0.0
			for set := range 4 { // a vote replaces the background, even a larger one
				p := slices.Clone(at.Q)
				w := 1.0
				for k, part := range m.Parts {
					if set>>k&1 == 0 {
						w *= 1 - m.Usage[k]
						continue
					}
					w *= m.Usage[k]
					for j, d := range part.Columns {
						p[d] = part.P[j]
					}
				}
				for d := range p {
					if slices.Contains(ones, int32(d)) {
						w *= p[d]
					} else {
						w *= 1 - p[d]
					}
				}
				v += w
			}
			sum += m.Level.Weights[i] * v
		}
		return math.Log(sum)
	}
	for range 50 {
		row := planted(rng, 1, 8, [][]int32{{0, 2, 4}}, 0.5, 0.8, 0.3).Row(0)
		if got, want := x.Explain(row, nil).Evidence, evidence(row...); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v: %v nats, want %v", row, got, want)
		}
	}
	for d, p := range x.Predict([]int32{0, 2}, []int32{5, 7}) {
		if d != 5 && d != 7 {
			continue
		}
		// Beside unknown cells: of all four fillings of the two.
		on := logSum(evidence(0, 2, int32(d)), evidence(0, 2, 5, 7))
		if want := math.Exp(on - logSum(on, evidence(0, 2), evidence(0, 2, int32(12-d)))); math.Abs(p-want) > 1e-3 {
			t.Errorf("column %d is on with probability %v, want %v", d, p, want)
		}
	}
}

func logSum(logs ...float64) float64 {
	sum := 0.0
	for _, v := range logs {
		sum += math.Exp(v)
	}
	return math.Log(sum)
}

// Levels are found where there are some, with their spread, and are not chosen where there are none.
func TestLevelsAreFound(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 99))
		spread := []float64{0, 0.7, 1.5}[seed%3]
		parts := columns(rng, 300, 8, 11)
		data := bitmap.NewLists(300)
		for range 1000 {
			odds := math.Log(0.04/0.96) + spread*rng.NormFloat64()
			data.Append(planted(rng, 1, 300, parts, 0.2, 0.9, sigmoid(odds)).Row(0))
		}
		m := learned(t, data, Options{Seed: seed})
		if len(m.Parts) != len(parts) || (m.Level != nil) != (spread > 0) {
			t.Errorf("seed %d: %d parts, level %v, of spread %v", seed, len(m.Parts), m.Level, spread)
		} else if spread > 0 && math.Abs(m.Level.Slope-spread) > 0.15 {
			t.Errorf("seed %d: a level of %v, not %v", seed, m.Level.Slope, spread)
		}
	}
}

// Parts are found where some cells are unknown, and the length is of the known ones.
func TestUnknownCellsAreNoZeros(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 100))
		parts := columns(rng, 400, 10, 10)
		whole := planted(rng, 900, 400, parts, 0.1, 0.9, 0.02)
		data, gaps := bitmap.NewLists(400), bitmap.NewLists(400)
		for r := range whole.Len() {
			var on, unknown []int32
			for d := range int32(400) {
				switch _, is := slices.BinarySearch(whole.Row(r), d); {
				case rng.Float64() < 0.2:
					unknown = append(unknown, d)
				case is:
					on = append(on, d)
				}
			}
			data.Append(on)
			gaps.Append(unknown)
		}
		m := learned(t, data, Options{Seed: seed, Unknown: gaps})
		for k, p := range parts {
			i := slices.IndexFunc(m.Parts, func(found Part) bool { return slices.Equal(found.Columns, p) })
			if i < 0 || math.Abs(m.Parts[i].P[0]-0.9) > 0.03 || math.Abs(m.Usage[i]-0.1) > 0.04 {
				t.Errorf("seed %d: part %d is not among %v", seed, k, m.Parts)
			}
		}
		s, err := Score(t.Context(), m, data, gaps, 1)
		if err != nil || len(m.Parts) != len(parts) || math.Abs(s.Length-m.Record.Length) > 1e-6 {
			t.Errorf("seed %d: %d parts, %v nats learned, %v scored: %v", seed, len(m.Parts), m.Record.Length, s.Length, err)
		}
	}
}
