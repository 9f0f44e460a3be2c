package mixed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork/internal/elem"
)

// graded draws rows of eight columns of every kind, of two parts that are there to some degree: one of the first
// three, one of the next three; of words the degree decides how often the first comes. Without parts all is noise.
func graded(rows int, parts bool) *Data {
	rng := rand.New(rand.NewPCG(12, 1))
	out := &Data{Fields: []Field{{Name: "a"}, {Name: "b"}, {Name: "word", Kind: Category}, {Name: "c"}, {Name: "d"},
		{Name: "scale"}, {Name: "noise"}, {Name: "other", Kind: Category}}}
	for range rows {
		row := make([]float64, 8)
		one, two := rng.NormFloat64(), rng.NormFloat64()
		if !parts {
			one, two = 0, 0
		}
		word := float64(rng.IntN(3))
		if rng.Float64() < 1/(1+math.Exp(1-3*one)) {
			word = 0
		}
		for d, x := range []float64{one, -one, 0, two, two, two} {
			row[d] = x + .6*rng.NormFloat64()
		}
		row[2], row[5] = word, math.Round(1.5*row[5])
		row[6], row[7] = rng.NormFloat64(), float64(rng.IntN(4))
		if rng.Float64() < .2 {
			row[rng.IntN(8)] = math.NaN()
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// gradedOf learns graded parts of data.
func gradedOf(t *testing.T, data *Data) (*Model, *Graded, [][]float64) {
	l, err := newLearner(t.Context(), data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := l.graded(l.empty.Columns, 0)
	if err != nil {
		t.Fatal(err)
	}
	return l.empty, g, l.codes
}

// Graded parts across kinds of columns are found; in noise, categories among it, there are none.
func TestGraded(t *testing.T) {
	_, g, _ := gradedOf(t, graded(400, true))
	var got [][]int
	for _, v := range g.Loadings {
		var columns []int
		for j, x := range v {
			if d := g.Axes[j].Column; x != 0 && !slices.Contains(columns, d) {
				columns = append(columns, d)
			}
		}
		got = append(got, columns)
	}
	slices.SortFunc(got, slices.Compare)
	if want := [][]int{{0, 1, 2}, {3, 4, 5}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("parts of columns %v, want %v", got, want)
	}
	if _, g, _ := gradedOf(t, graded(400, false)); len(g.Loadings) > 0 {
		t.Errorf("%d parts in noise: %v", len(g.Loadings), g.Loadings)
	}
}

// What is said of a row is what a Normal says whose covariance is that of sums: its density, and what it expects of one
// score when the others are known.
func TestGradedIsANormal(t *testing.T) {
	m, g, codes := gradedOf(t, graded(200, true))
	for _, row := range codes[:20] {
		y := g.scores(m.Columns, row)
		var known []int
		for j := range y {
			if y[j] == y[j] {
				known = append(known, j)
			}
		}
		cov := func(i, j int) (sum float64) {
			if i == j {
				sum = g.Noise[i]
			}
			for k := range g.Loadings {
				sum += g.Loadings[k][i] * g.Loadings[k][j]
			}
			return sum
		}
		density := func(of []int) float64 {
			c := square(len(of))
			for a := range of {
				for b := range of {
					c[a][b] = cov(of[a], of[b])
				}
			}
			inv, logDet := inverse(c)
			sum := -logDet/2 - float64(len(of))*math.Log(2*math.Pi)/2
			for a, i := range of {
				for b, j := range of {
					sum -= (y[i] - g.Mean[i]) * inv[a][b] * (y[j] - g.Mean[j]) / 2
				}
			}
			return sum
		}
		all := density(known)
		if got := g.degrees(y).logLik; math.Abs(got-all) > 1e-9*(1+math.Abs(all)) {
			t.Fatalf("log-likelihood %v, of the Normal %v", got, all)
		}
		j := known[0]
		hidden := slices.Clone(y)
		hidden[j] = math.NaN()
		mean, v := g.expect(j, g.degrees(hidden))
		got := -math.Log(2*math.Pi*v)/2 - (y[j]-mean)*(y[j]-mean)/(2*v)
		if want := all - density(known[1:]); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("score %d has log-density %v given the others, of the Normal %v", j, got, want)
		}
	}
}

// A step of EM in which nothing is deleted makes the rows more likely, but for what keeps noise above 0.
func TestGradedSteps(t *testing.T) {
	m, g, codes := gradedOf(t, graded(300, true))
	var rows []scored
	for _, c := range codes {
		rows = append(rows, scored{g.scores(m.Columns, c), 1})
	}
	g = g.begin(correlations(rows, len(g.Axes)), 2)
	last := math.Inf(-1)
	for i := range 10 {
		next, logLik := g.step(rows, 0, false)
		if logLik < last-.5 {
			t.Fatalf("step %d: log-likelihood %v after %v", i, logLik, last)
		}
		g, last = next, logLik
	}
}

// Of sums graded parts say more of cells that were held out, of parts that are there or not those do; both
// predict, by their weight.
func TestChosen(t *testing.T) {
	if m := learned(t, graded(400, true), Options{Starts: 1}); !m.ShowGraded {
		t.Errorf("of sums graded parts gain %v nats a cell, others %v", m.Record.HeldOutGraded, m.Record.HeldOut)
	}
	data := planted(400, 1)
	m := learned(t, data, Options{Starts: 1})
	if m.ShowGraded {
		t.Errorf("of parts graded ones gain %v nats a cell, others %v", m.Record.HeldOutGraded, m.Record.HeldOut)
	}
	share := m.GradedShare
	if !(share > 0 && share < .5) {
		t.Errorf("of parts graded ones have the weight %v", share)
	}
	row := slices.Clone(data.Rows[0])
	row[0], row[1], row[5] = math.NaN(), math.NaN(), math.NaN()
	e := NewExplainer(m).Explain(row)
	for _, d := range []int{0, 1, 5} {
		c, sum := e.Believe(d), 0.0
		for _, s := range c.Belief {
			sum += s.Weight
		}
		if math.Abs(sum-1) > 1e-9 || !(c.Quantile(.1) <= c.Quantile(.9)) {
			t.Errorf("column %d: weights add up to %v, quantiles %v and %v", d, sum, c.Quantile(.1), c.Quantile(.9))
		}
		one, two := c.Column.logDensity(e.OnOff(d), 1), c.Column.logDensity(e.Graded(d), 1)
		want := elem.LogAdd(one+math.Log(1-share), two+math.Log(share))
		if got := c.Column.logDensity(c.Belief, 1); math.Abs(got-want) > 1e-9 {
			t.Errorf("column %d: ln density %v, of the average %v", d, got, want)
		}
	}
}

// Both kinds of parts have the weights with which they say most of hidden cells, and one half each if none are.
func TestChoose(t *testing.T) {
	if _, _, share := heldOuts(nil).choose(); share != .5 {
		t.Errorf("by no cell the weight is %v", share)
	}
	var better, mixture heldOuts
	for i := range 1000 {
		better = append(better, heldOut{0, 1, 1})
		mixture = append(mixture, heldOut{float64(i % 2), float64(1 - i%2), 1})
	}
	if onOff, graded, share := better.choose(); onOff != 0 || graded != 1 || share < .9 {
		t.Errorf("gains %v and %v, weight %v", onOff, graded, share)
	}
	if _, _, share := mixture.choose(); math.Abs(share-.5) > .01 {
		t.Errorf("where neither is better the weight is %v", share)
	}
}
