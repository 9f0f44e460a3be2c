package mixed

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// planted returns a table with two parts: one of the first three columns, a bit, a word and a number, and one of the
// next three, a scale, a count and a number; two columns are of neither.
func planted(rows int, seed uint64) *Data {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := &Data{Fields: []Field{{Name: "bit"}, {Name: "word", Kind: Category}, {Name: "number"}, {Name: "scale"},
		{Name: "count"}, {Name: "other"}, {Name: "noise"}, {Name: "coin"}}}
	for range rows {
		one, two := rng.Float64() < .3, rng.Float64() < .25
		pick := func(there bool, yes, no float64) float64 {
			p := no
			if there {
				p = yes
			}
			if rng.Float64() < p {
				return 1
			}
			return 0
		}
		row := []float64{pick(one, .9, .2), 1 + float64(rng.IntN(3)), rng.NormFloat64(), float64(rng.IntN(3)), 0,
			math.Exp(rng.NormFloat64()), rng.NormFloat64(), pick(false, 0, .5)}
		if one {
			row[1] *= pick(true, .2, 0)
			row[2] += 2
		}
		for range 30 {
			row[4] += pick(two, .25, .05)
		}
		if two {
			row[3] = 2 + pick(true, .7, 0) + pick(true, .7, 0)
			row[5] *= 6
		}
		for d := range row {
			if rng.Float64() < .05 {
				row[d] = math.NaN()
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func learned(t *testing.T, data *Data, o Options) *Model {
	t.Helper()
	m, err := Learn(t.Context(), data, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	return m
}

// votes returns the columns of the parts, in order.
func votes(m *Model) (out [][]int) {
	for k := range m.Parts {
		out = append(out, m.Parts[k].Votes())
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// Parts across kinds of columns are found, and nothing is said of columns of noise; any number of workers finds the
// same.
func TestLearn(t *testing.T) {
	data := planted(400, 1)
	m := learned(t, data, Options{Seed: 1, Starts: 2})
	if got, want := votes(m), [][]int{{0, 1, 2}, {3, 4, 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("parts of columns %v, want %v", got, want)
	}
	for d, want := range []Family{Levels, Words, Real, Levels, Levels, Real, Real, Levels} {
		if m.Columns[d].Family != want {
			t.Errorf("%s is of family %d, want %d", m.Columns[d].Name, m.Columns[d].Family, want)
		}
	}
	if more := learned(t, data, Options{Seed: 1, Starts: 2, Workers: 3}); !reflect.DeepEqual(m, more) {
		t.Error("three workers learn another model")
	}
}

// The length and the parts do not depend on how words are numbered, which way scales run, and in what units numbers
// are.
func TestUnits(t *testing.T) {
	data := planted(300, 2)
	m := learned(t, data, Options{Starts: 1})
	other := &Data{Fields: data.Fields}
	for _, row := range data.Rows {
		next := slices.Clone(row)
		next[0], next[1], next[2], next[3] = 1-row[0], 7-2*row[1], 1000*row[2]-5, 10-row[3]
		other.Rows = append(other.Rows, next)
	}
	n := learned(t, other, Options{Starts: 1})
	if !reflect.DeepEqual(votes(m), votes(n)) || math.Abs(m.Record.Length-n.Record.Length) > .01 {
		t.Errorf("parts %v of length %v, in other units %v of %v", votes(m), m.Record.Length, votes(n), n.Record.Length)
	}
}

// Tables that say little or nothing are learned without a NaN, and predicted and sampled from.
func TestPoorTables(t *testing.T) {
	nan := math.NaN()
	fields := []Field{{Name: "a"}, {Name: "b", Kind: Category}, {Name: "c"}}
	equal := func(n int, row ...float64) (out [][]float64) {
		for range n {
			out = append(out, row)
		}
		return out
	}
	for name, rows := range map[string][][]float64{
		"one row":      {{1, 2, 3.5}},
		"equal rows":   equal(50, 1, 0, 7),
		"unknown":      equal(50, nan, nan, nan),
		"one column":   equal(50, nan, 3, nan),
		"two rows":     {{1, 0, 2}, {nan, 1, 3}},
		"half unknown": append(equal(30, 1, nan, 2), equal(30, nan, 1, 3)...),
	} {
		m := learned(t, &Data{Fields: fields, Rows: rows}, Options{})
		if len(m.Parts) > 0 && name != "half unknown" {
			t.Errorf("%s: parts of columns %v", name, votes(m))
		}
		e := NewExplainer(m).Explain([]float64{5, 99, nan})
		if math.IsNaN(e.LogLik) {
			t.Errorf("%s: log-likelihood %v", name, e.LogLik)
		}
		sample := m.Sample(rand.New(rand.NewPCG(1, 1)))
		for d := range fields {
			known := slices.ContainsFunc(rows, func(row []float64) bool { return row[d] == row[d] })
			c := e.Believe(d)
			if x, _ := c.Likeliest(); math.IsNaN(x) == known || math.IsNaN(c.Mean()) || math.IsNaN(sample[d]) == known {
				t.Errorf("%s: column %d is predicted as %v, mean %v, sampled as %v", name, d, x, c.Mean(), sample[d])
			}
		}
	}
}

// A word that was not seen is unknown.
func TestUnseenWord(t *testing.T) {
	m := learned(t, planted(200, 3), Options{Starts: 1})
	row := []float64{1, 17, 2, 1, 1, 1, 1, 1}
	seen := NewExplainer(m).Explain(row)
	row[1] = math.NaN()
	if unknown := NewExplainer(m).Explain(row); seen.LogLik != unknown.LogLik {
		t.Errorf("log-likelihood %v with a new word, %v without", seen.LogLik, unknown.LogLik)
	}
}

// columnFrom returns the column of some numbers.
func columnFrom(values ...float64) Column {
	d := &Data{Fields: make([]Field, 1)}
	for _, x := range values {
		d.Rows = append(d.Rows, []float64{x})
	}
	return newColumn(Field{}, d.column(0), 1)
}

// Numbers with many zeros are levels, and merged levels keep the order and all rows; measurements are real, on the
// scale that makes them normal.
func TestCoding(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, column := range []struct {
		name string
		draw func() float64
	}{
		{"zeros", func() float64 { return max(0, rng.NormFloat64()) }},
		{"counts", func() float64 { return math.Floor(50 * rng.Float64() * rng.Float64()) }},
		{"normal", rng.NormFloat64},
		{"steps", func() float64 { return math.Round(4*rng.NormFloat64()+20) / 10 }},
		{"log-normal", func() float64 { return math.Exp(rng.NormFloat64()) }},
		{"heavy", func() float64 { return rng.NormFloat64() / max(.02, math.Abs(rng.NormFloat64())) }},
		{"groups", func() float64 { return rng.NormFloat64() + 8*math.Floor(1.2*rng.Float64()) }},
		{"log-normal groups", func() float64 { return math.Exp(rng.NormFloat64()/2 + 2*math.Floor(1.25*rng.Float64())) }},
	} {
		var values []float64
		for range 500 {
			values = append(values, column.draw())
		}
		name := column.name
		c := columnFrom(values...)
		if want := name != "zeros" && name != "counts"; (c.Family == Real) != want {
			t.Errorf("%s is of family %d", name, c.Family)
			continue
		}
		if name == "steps" && (len(c.Scale.Values) > 0 || c.Floor < .009) { // some tenth of them is at the same value
			t.Errorf("steps are on the scale %+v, with least variance %v", c.Scale, c.Floor)
		}
		if c.Family == Real {
			if c.Scale.Log != strings.HasPrefix(name, "log-normal") || (c.Scale.Scores != nil) != (name == "heavy") {
				t.Errorf("%s is on the scale %+v", name, c.Scale)
			}
			for _, x := range values[:50] {
				if got := c.Value(c.Code(x)); math.Abs(got-x) > .02*(1+math.Abs(x)) {
					t.Errorf("%s: %v comes back as %v", name, x, got)
				}
			}
			continue
		}
		if n := len(c.Values); n > mostLevels+2 || n < 3 || !slices.IsSorted(c.Values) {
			t.Errorf("%s has %d levels: %v", name, n, c.Values)
		}
		for _, x := range values {
			if l := int(c.Code(x)); x < c.Low[l] || x > c.High[l] {
				t.Errorf("%s: %v is of level %d, %v to %v", name, x, l, c.Low[l], c.High[l])
			}
		}
	}
}

// Measurements of few rows are no levels, though there are few of them; yes and no, and scales, are.
func TestFewRows(t *testing.T) {
	var different, steps []float64
	for i := range 22 {
		different, steps = append(different, float64(i*i)), append(steps, float64(i%5))
	}
	if columnFrom(different...).Family != Real || columnFrom(steps...).Family != Levels ||
		columnFrom(0, 1).Family != Levels {
		t.Error("22 different values of 22 are levels, or five of 22 are not")
	}
}

// A part that raises two words is one part, and a column of two groups makes no part of its own.
func TestTwoWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	data := &Data{Fields: []Field{{Name: "stage", Kind: Category}, {Name: "fever"}, {Name: "crp"}, {Name: "sex"},
		{Name: "glucose"}, {Name: "weight"}}}
	for range 600 {
		row := []float64{float64(rng.IntN(2)), 0, rng.NormFloat64() * .6, float64(rng.IntN(2)), rng.NormFloat64(),
			rng.NormFloat64()}
		fever := .05
		if rng.Float64() < .23 {
			row[0], row[2], fever = row[0]+2, row[2]+2, .9
		}
		if rng.Float64() < fever {
			row[1] = 1
		}
		row[2] = math.Exp(row[2])
		if rng.Float64() < .3 {
			row[4], row[5] = row[4]+4, row[5]+4
		}
		data.Rows = append(data.Rows, row)
	}
	m := learned(t, data, Options{})
	if got, want := votes(m), [][]int{{0, 1, 2}, {4, 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("parts of columns %v, want %v", got, want)
	}
}

// A sample of a table is as the table: the same values of levels, and no number below 0 where there was none.
func TestSample(t *testing.T) {
	data := planted(400, 4)
	m := learned(t, data, Options{Starts: 1})
	rng := rand.New(rand.NewPCG(1, 1))
	var both, one float64
	for range 2000 {
		row := m.Sample(rng)
		for d, x := range row {
			if d != 2 && d != 6 && x < 0 || d != 2 && d != 5 && d != 6 && x != math.Floor(x) {
				t.Fatalf("%s is %v", m.Columns[d].Name, x)
			}
		}
		if row[0] == 1 {
			one++
			both += row[2]
		}
	}
	if both/one < .6 {
		t.Errorf("the number is %v where the bit is 1: the part is not sampled", both/one)
	}
}

// What is expected of a column that was never below 0 is not: lengths of which most are near 0 have a mean, and intervals.
func TestNothingBelowZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	data := &Data{Fields: make([]Field, 2)}
	for range 200 {
		x := rng.Float64()
		data.Rows = append(data.Rows, []float64{x + rng.Float64()/4, x})
	}
	m := learned(t, data, Options{Quick: true})
	e := NewExplainer(m).Explain([]float64{math.NaN(), 0})
	c := e.Believe(0)
	if low := c.Quantile(.01); low < 0 || c.Mean() < 0 || m.Columns[0].value(-9) >= 0 {
		t.Errorf("between %v and %v, mean %v", low, c.Quantile(.99), c.Mean())
	}
}

// value returns the value of a score, wherever values were.
func (c *Column) value(score float64) float64 { return c.Scale.value(score) }

// A large table is searched in a sample, and then shaped by all rows; counts of blocks are those of all.
func TestSampleOfRows(t *testing.T) {
	data := planted(900, 6)
	m := learned(t, data, Options{Starts: 1, Sample: 400})
	if got, want := votes(m), [][]int{{0, 1, 2}, {3, 4, 5}}; !reflect.DeepEqual(got, want) || m.Record.Sample != 400 {
		t.Errorf("parts of columns %v, want %v", got, want)
	}
	all, err := EStep(t.Context(), m, data, 2)
	if err != nil {
		t.Fatal(err)
	}
	merged := NewTally(m)
	text, err := all.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back Tally
	if err := back.UnmarshalBinary(text); err != nil || !reflect.DeepEqual(&back, all) {
		t.Errorf("counts come back as others: %v", err)
	}
	for n := range text {
		if back.UnmarshalBinary(text[:n]) == nil {
			t.Fatalf("%d of %d bytes are read as counts", n, len(text))
		}
	}
	for _, block := range [][][]float64{data.Rows[300:], data.Rows[:300]} {
		some, err := EStep(t.Context(), m, &Data{Fields: data.Fields, Rows: block}, 1)
		if err == nil {
			err = merged.Merge(some)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(all, merged) {
		t.Error("counts of blocks are not those of all rows")
	}
	m.Parts = m.Parts[1:]
	if _, err := all.MStep(m); err == nil {
		t.Error("counts of another model are taken")
	}
}

// Two halves of the rows that answer scales in opposite ways are one part, which says all of it: where the background
// learns what one half is like, opinions that tilt it lose the other half.
func TestOppositeHalves(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 8))
		data := &Data{}
		for range 6 {
			data.Fields = append(data.Fields, Field{Name: "scale"})
		}
		for range 150 {
			low, row := rng.IntN(2), make([]float64, 6)
			for d := range row {
				half := low
				if d >= 3 {
					half = 1 - low
				}
				row[d] = float64(1 + 2*half + rng.IntN(2))
			}
			data.Rows = append(data.Rows, row)
		}
		m := learned(t, data, Options{Seed: seed})
		if len(m.Parts) == 0 || len(m.Parts) > 2 || len(m.Parts[0].Votes()) != 6 {
			t.Errorf("seed %d: parts of columns %v", seed, votes(m))
		}
	}
}
