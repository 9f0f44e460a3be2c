package real

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork/pose"
	"pgregory.net/rapid"
)

// TestBitsAreMaxMinusMin: opinions about a bit join by the binary model's rule, in any order, however often each is
// said,
// and what equals the background changes nothing.
func TestBitsAreMaxMinusMin(t *testing.T) {
	p := rapid.Float64Range(leastP, 1-leastP)
	rapid.Check(t, func(t *rapid.T) {
		q := bernoulli(p.Draw(t, "q"))
		hi, lo, up := q.Mean, q.Mean, q.Mean
		var opinions []Normal
		for _, one := range rapid.SliceOfN(p, 0, 6).Draw(t, "opinions") {
			opinions = append(opinions, bernoulli(one))
			hi, lo, up = max(hi, one), min(lo, one), max(up, one)
		}
		more := append(slices.Clone(opinions), q)
		if len(opinions) > 0 {
			more = append(more, opinions[0])
		}
		slices.Reverse(more)
		for _, list := range [][]Normal{opinions, more} {
			m := Pool.ComposeBits(0, q, list...)
			if want := hi + lo - q.Mean; math.Abs(m.Mean()-want) > 1e-12 {
				t.Fatalf("the pool is %v, hi + lo - q = %v", m.Mean(), want)
			}
			if mean := m.Mean(); math.Abs(m.Variance()-mean*(1-mean)) > 1e-12 {
				t.Fatalf("variance %v of a bit of mean %v", m.Variance(), mean)
			}
			if got := Max.ComposeBits(0, q, list...).Mean(); math.Abs(got-up) > 1e-12 {
				t.Fatalf("max is %v, want %v", got, up)
			}
		}
	})
}

// TestBitColumns: columns of a table that hold 0 and 1 are of bits; those of pictures, of one value, or of more are
// not.
func TestBitColumns(t *testing.T) {
	nan := math.NaN()
	rows := [][]float64{{0, 0, 1, 0, nan}, {1, 0, 1, .5, 0}, {nan, 1, 1, 1, 1}, {0, 2, 1, 0, 0}}
	var got []bool
	for _, s := range newData(t, 1, 5, rows).Scales {
		got = append(got, s.Bit)
	}
	if !slices.Equal(got, []bool{true, false, false, false, true}) {
		t.Errorf("columns of bits: %v", got)
	}
	if newData(t, 2, 2, [][]float64{{0, 1, 1, 0}, {1, 1, 0, 0}}).Scales[0].Bit {
		t.Error("pixels are taken for bits")
	}
}

// TestMixedTable: parts of bits and real values together are found and counted, hidden bits and values predicted, and
// samples have the columns of the table.
func TestMixedTable(t *testing.T) {
	rows := mixedRows(400, 9)
	m := learned(t, newData(t, 1, 6, rows), Options{Starts: 2}).Model
	if m.K() != 2 {
		t.Fatalf("%d parts, want 2", m.K())
	}
	for k, e := range m.Experts {
		first := bitIf(e[1].Vote != Abstains) // which of the two
		for d, want := range [2][6]float64{{.95, 0, 3, 3, 0, 0}, {0, .95, 0, 0, 3, 3}}[int(first)] {
			if (e[d].Vote != Abstains) != (want != 0) || want != 0 && math.Abs(e[d].Mean-want) > .3*want {
				t.Errorf("part %d says %+v of column %d", k, e[d], d+1)
			}
		}
	}
	p, err := NewPursuit(m)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for _, c := range []struct {
		row            []float64
		least, most    float64 // of the hidden bit
		low, high, val float64 // its interval, and the hidden value
	}{{[]float64{nan, 0, 3, nan, 0, 0}, .85, 1, 0, 1, 3}, {[]float64{nan, 0, 0, nan, 0, 0}, .1, .35, 0, 1, 0}} {
		post, err := p.Best(c.row, 0)
		if err != nil {
			t.Fatal(err)
		}
		out := post.Predict(c.row, .98)
		if out.Mean[0] < c.least || out.Mean[0] > c.most || out.Low[0] != c.low || out.High[0] != c.high ||
			math.Abs(out.Mean[3]-c.val) > .5 {
			t.Errorf("%v: %+v", c.row, out)
		}
		if sure := post.Predict(c.row, .1); sure.Low[0] != sure.High[0] || sure.Low[0] != bitIf(out.Mean[0] > .55) {
			t.Errorf("the middle tenth of a bit of mean %v is from %v to %v", out.Mean[0], sure.Low[0], sure.High[0])
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	ones, drawn := 0.0, 2000
	for range drawn {
		row := m.Sample(rng)
		if err := m.CheckImage(row); err != nil {
			t.Fatal(err)
		}
		ones += row[0]
	}
	if want := .2 + m.Pi[0]*.75; math.Abs(ones/float64(drawn)-want) > .06 {
		t.Errorf("%v of the samples have the bit, want %v", ones/float64(drawn), want)
	}
	if _, err := p.Explain([]float64{.5, 0, 0, 0, 0, 0}); err == nil {
		t.Error("half a bit is explained")
	}
}

// TestBitsAlone: a table of bits alone is described by its parts, and noise by none.
func TestBitsAlone(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 7))
		noise, parts := make([][]float64, 120), make([][]float64, 120)
		for i := range noise {
			on := [2]bool{rng.IntN(3) == 0, rng.IntN(3) == 0}
			for d := range 10 {
				noise[i] = append(noise[i], bitIf(rng.IntN(3) == 0))
				parts[i] = append(parts[i], bitIf(on[d/5] != (rng.IntN(12) == 0)))
			}
		}
		if m := learned(t, newData(t, 1, 10, noise), Options{Starts: 2, Seed: seed}).Model; m.K() != 0 {
			t.Errorf("seed %d: %d parts in noise", seed, m.K())
		}
		if m := learned(t, newData(t, 1, 10, parts), Options{Starts: 2, Seed: seed}).Model; m.K() != 2 {
			t.Errorf("seed %d: %d parts, want 2", seed, m.K())
		}
	}
}

// TestBitsDoNotMove: where parts move, a bit is refused.
func TestBitsDoNotMove(t *testing.T) {
	data := newData(t, 1, 2, [][]float64{{0, 1}, {1, 0}})
	if _, err := Learn(context.Background(), data, Options{Poses: pose.Grid{DX: pose.Symmetric(1, 1)}}); err == nil {
		t.Error("a model of parts that move has bits")
	}
}

// TestCheckBits: opinions about bits must be probabilities.
func TestCheckBits(t *testing.T) {
	data := newData(t, 1, 2, [][]float64{{0, 1.5}, {1, 2}, {1, 7}})
	good := Model{Height: 1, Width: 2, Scales: data.Scales, Background: []Normal{bernoulli(.25), {1, 1}},
		Experts: [][]Entry{{{MeanOnly, bernoulli(.9)}, {MeanAndVar, Normal{5, 2}}}}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(m *Model){
		"background 1":  func(m *Model) { m.Background[0] = Normal{1, 0} },
		"variance":      func(m *Model) { m.Background[0].Var = 1 },
		"NaN":           func(m *Model) { m.Background[0].Mean = math.NaN() },
		"opinion 0":     func(m *Model) { m.Experts[0][0].Mean = 0 },
		"opinion 2":     func(m *Model) { m.Experts[0][0].Mean = 2 },
		"with variance": func(m *Model) { m.Experts[0][0].Vote = MeanAndVar },
	} {
		m := good
		m.Background, m.Experts = slices.Clone(good.Background), [][]Entry{slices.Clone(good.Experts[0])}
		spoil(&m)
		if m.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	tally, err := EStep(context.Background(), &good, data, 1, 1)
	if err != nil || tally.All[0].Sum != 2*Unit {
		t.Errorf("counts %+v, %v", tally, err)
	}
}
