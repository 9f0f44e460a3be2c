package real

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork/pose"
	"pgregory.net/rapid"
)

// quadrants returns n rows of 16 values, of two kinds of four each up or down by a, with noise.
func quadrants(n int, a, sd float64, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 16))
	rows := make([][]float64, n)
	for i := range rows {
		for range 2 {
			mean, dev := 0.0, 1.0
			if rng.IntN(2) == 0 {
				mean, dev = a*float64(1-2*rng.IntN(2)), sd
			}
			for range 8 {
				rows[i] = append(rows[i], mean+dev*rng.NormFloat64())
			}
		}
	}
	return rows
}

// newData returns data, or ends the test.
func newData(t *testing.T, h, w int, rows [][]float64) *Data {
	t.Helper()
	d, err := NewData(h, w, rows)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func learned(t *testing.T, d *Data, o Options) *Result {
	t.Helper()
	r, err := Learn(context.Background(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Model.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLearnFindsTheParts: four parts, each half of the pixels up or down, and how many they are.
func TestLearnFindsTheParts(t *testing.T) {
	for seed := range uint64(2) {
		r := learned(t, newData(t, 4, 4, quadrants(80, 2, 1, seed)), Options{Seed: seed})
		found := map[string]int{}
		for _, e := range r.Model.Experts {
			var sum [2]float64
			for d, o := range e {
				if o.Vote != Abstains {
					sum[d/8] += o.Mean / 8
				}
			}
			found[fmt.Sprintf("%.0f %.0f", math.Abs(sum[0])*sign(sum[0]), sum[1])]++
		}
		if len(found) != 4 || r.Model.K() != 4 {
			t.Errorf("seed %d: %d parts %v, want 4: each half up and down", seed, r.Model.K(), found)
		}
		if len(r.Starts) != defaultStarts || slices.Min(r.Starts) < r.DescriptionLength-1e-9 {
			t.Errorf("seed %d: description lengths %v, kept %v", seed, r.Starts, r.DescriptionLength)
		}
	}
}

func sign(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}

// TestLearnFindsVariances: where something is on, there is less noise.
func TestLearnFindsVariances(t *testing.T) {
	r := learned(t, newData(t, 4, 4, quadrants(60, 2, .2, 1)), Options{Starts: 2})
	votes, variances := r.Model.Votes()
	if variances < votes*3/4 {
		t.Errorf("%d of %d votes have a variance", variances, votes)
	}
	for _, e := range r.Model.Experts {
		for _, o := range e {
			if o.Vote == MeanAndVar && o.Var > .3 {
				t.Errorf("a variance is %v, 0.04 in truth", o.Var)
			}
		}
	}
}

// TestNoiseHasNoParts: nothing pays where there is nothing.
func TestNoiseHasNoParts(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 3))
		rows := make([][]float64, 80)
		for i := range rows {
			for range 12 {
				rows[i] = append(rows[i], 5+rng.NormFloat64())
			}
		}
		r := learned(t, newData(t, 3, 4, rows), Options{Seed: seed})
		if r.Model.K() != 0 {
			t.Errorf("seed %d: %d parts in noise", seed, r.Model.K())
		}
		for _, b := range r.Model.Background {
			if math.Abs(b.Mean-5) > .6 || b.Var < .5 || b.Var > 1.8 {
				t.Errorf("seed %d: background %v, truth 5 and 1", seed, b)
			}
		}
	}
}

// TestLearnIsTheSameForAnyWorkers: models are equal to the last bit, with unknown values, rules and soft rows.
func TestLearnIsTheSameForAnyWorkers(t *testing.T) {
	rows := quadrants(40, 2, 1, 3)
	for i := range rows {
		rows[i][i%16] = math.NaN()
	}
	for _, o := range []Options{{Starts: 2}, {Rule: Soft, Starts: 1}, {Rule: Max, Starts: 1},
		{Predict: true, Starts: 2}, {Experts: 2, Starts: 1}} {
		for _, h := range []int{1, 4} {
			d := newData(t, h, 16/h, rows)
			one := learned(t, d, o)
			o.Workers = 3
			three := learned(t, d, o)
			if !reflect.DeepEqual(one, three) {
				t.Errorf("%+v, height %d: another result with three workers", o, h)
			}
			if o.Experts > 0 && one.Model.K() > o.Experts {
				t.Errorf("%d parts, at most %d were asked for", one.Model.K(), o.Experts)
			}
			if o.Rule == Max {
				for _, e := range one.Model.Experts {
					for i, v := range e {
						if v.Vote != Abstains && v.Mean < one.Model.Background[i].Mean-1 {
							t.Error("a vote down under max")
						}
					}
				}
			}
		}
	}
}

// TestTalliesOfPartsAddUp: any split of the data gives the same counts, as bytes.
func TestTalliesOfPartsAddUp(t *testing.T) {
	d := newData(t, 1, 16, quadrants(60, 2, 1, 4))
	m := learned(t, newData(t, 1, 16, quadrants(60, 2, 1, 5)), Options{Starts: 1}).Model
	for _, best := range []int{1, 5} {
		whole, err := EStep(context.Background(), m, d, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{1, 17, 59} {
			sum := NewTally(m)
			for _, rows := range [][][]float64{d.Rows[at:], d.Rows[:at]} {
				part := *d
				part.Rows = rows
				tally, err := EStep(context.Background(), m, &part, 2)
				if err != nil {
					t.Fatal(err)
				}
				if err := sum.Merge(tally); err != nil {
					t.Fatal(err)
				}
			}
			if a, b := fmt.Sprint(whole), fmt.Sprint(sum); !bytes.Equal([]byte(a), []byte(b)) {
				t.Fatalf("best %d, split at %d: other counts", best, at)
			}
		}
		if err := whole.Merge(NewTally(&Model{Height: 1, Width: 2})); err == nil {
			t.Error("counts of another model are added")
		}
	}
}

// TestCreditIsTheDefinition counts again from the reference composition.
func TestCreditIsTheDefinition(t *testing.T) {
	for i, s := range shapes {
		for seed := range uint64(15) {
			rng := rand.New(rand.NewPCG(seed, 6))
			m, image := randomModel(rng, i)
			m.Rule = Pool
			f := newField(newBank(m))
			f.load(image)
			p := &Pursuit{f: f}
			numbers := make([]int64, len(image))
			var picks []Pick
			for range rng.IntN(4) {
				c := rng.IntN(len(f.gains))
				if !slices.Contains(f.picks, c) {
					f.add(c, false)
					picks = append(picks, p.pick(c))
				}
			}
			want, got := NewTally(m), NewTally(m)
			for d := range numbers {
				numbers[d] = rng.Int64N(1000) - 500
				creditPixel(m, want, picks, d, numbers[d], !math.IsNaN(image[d]))
			}
			for _, q := range picks {
				want.Picks[q.Expert] += Unit
			}
			got.credit(f, numbers, Unit)
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("%s, seed %d: other counts", s.name, seed)
			}
		}
	}
}

// creditPixel counts pixel d for those to whom the definition gives it.
func creditPixel(m *Model, t *Tally, picks []Pick, d int, x int64, known bool) {
	if !known {
		return
	}
	speaker, silent, most := -1, true, [2]float64{}
	says := func(p Pick) (o Normal, at int, ok bool) {
		if at = m.source(p.Pose, d); at < 0 {
			return o, at, false
		}
		e := m.Experts[p.Expert][at]
		o = m.opinion(e, d)
		return o, at, e.Vote != Abstains && o.Strength(m.Background[d]) > 0
	}
	var first [2]int
	for i, p := range picks {
		if o, _, ok := says(p); ok {
			silent = false
			side := 0
			if !o.Up(m.Background[d]) {
				side = 1
			}
			if a := o.Strength(m.Background[d]); a > most[side] {
				most[side], first[side] = a, i
			}
		}
	}
	if !silent {
		if speaker = first[0]; most[1] > most[0] {
			speaker = first[1]
		}
	} else {
		t.Free[d].add(x, Unit)
	}
	for i, p := range picks {
		if _, at, ok := says(p); at >= 0 && (i == speaker || silent && !ok) {
			t.Experts[p.Expert][at].add(x, Unit)
		}
	}
}

// TestSumsAreExact compares with integers of any size.
func TestSumsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		far := rapid.Int64Range(-Steps, Steps).Draw(t, "far")
		near := rapid.SliceOfN(rapid.Int64Range(-3, 3), 1, 30).Draw(t, "near")
		weight := rapid.Int64Range(1, Unit).Draw(t, "weight")
		scale := Scale{Step: .25, Origin: -7}
		var s Sums
		n, sum, square := new(big.Int), new(big.Int), new(big.Int)
		for _, x := range near {
			x += far
			s.add(x, weight)
			n.Add(n, big.NewInt(weight))
			sum.Add(sum, big.NewInt(weight*x))
			square.Add(square, big.NewInt(weight*x*x))
		}
		// n * sum of squares about the mean = n * square - sum^2
		exact := new(big.Rat).SetFrac(new(big.Int).Sub(new(big.Int).Mul(n, square), new(big.Int).Mul(sum, sum)), n)
		want, _ := exact.Float64()
		want *= scale.Step * scale.Step / Unit
		count, mean, squares := s.moments(scale)
		wantMean, _ := new(big.Rat).SetFrac(sum, n).Float64()
		if wantMean = scale.Origin + scale.Step*wantMean; math.Abs(mean-wantMean) > 1e-9*(1+math.Abs(wantMean)) {
			t.Fatalf("mean %v, want %v", mean, wantMean)
		}
		if count != float64(len(near))*float64(weight)/Unit || math.Abs(squares-want) > 1e-9*(1+want) {
			t.Fatalf("%v values, squares %v, want %v", count, squares, want)
		}
	})
}

// TestVotePays: a vote is cast if and only if its likelihood beats abstaining by its price, and a variance by two.
func TestVotePays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := float64(rapid.IntRange(0, 60).Draw(t, "n"))
		mean, sd := rapid.Float64Range(-3, 3).Draw(t, "mean"), rapid.Float64Range(.05, 3).Draw(t, "sd")
		b, lambda, floor := normals.Draw(t, "background"), rapid.Float64Range(.5, 5).Draw(t, "lambda"), 1e-3
		only := rapid.Bool().Draw(t, "means only")
		e := vote(n, mean, n*sd*sd, b, floor, lambda, only)
		likelihood := func(o Normal) float64 { // of n values of such a mean and deviation
			return n*o.LogDensity(o.Mean) - (n*sd*sd+n*(mean-o.Mean)*(mean-o.Mean))/(2*o.Var)
		}
		gain := likelihood(e.Normal) - likelihood(b)
		switch e.Vote {
		case Abstains:
			m := (n*mean + b.Mean/2) / (n + .5)
			if g := likelihood(Normal{m, b.Var}) - likelihood(b); n >= 2 && g > lambda+1e-9 {
				t.Fatalf("a mean would gain %v and cost %v", g, lambda)
			}
		case MeanOnly:
			if gain < lambda-1e-9 || e.Var != b.Var {
				t.Fatalf("a mean of variance %v gains %v and costs %v", e.Var, gain, lambda)
			}
		case MeanAndVar:
			if gain < 2*lambda-1e-9 || only || e.Var < floor {
				t.Fatalf("a mean and a variance of %v gain %v and cost %v", e.Var, gain, 2*lambda)
			}
		}
	})
}

// TestLearnShifts: two bars at unknown places, of which each image shows one or both.
func TestLearnShifts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var rows [][]float64
	for range 30 {
		row := make([]float64, 144)
		for d := range row {
			row[d] = .2 * rng.NormFloat64()
		}
		y, x := 3+rng.IntN(5), 3+rng.IntN(5)
		for i := range 5 {
			row[y*12+x-2+i] += 1
		}
		rows = append(rows, row)
	}
	d := newData(t, 12, 12, rows)
	r := learned(t, d, Options{Poses: pose.Grid{DY: pose.Symmetric(4, 1), DX: pose.Symmetric(4, 1)}, Starts: 1})
	if r.Model.K() != 1 {
		t.Fatalf("%d parts, one bar was shown", r.Model.K())
	}
	bright, others := 0, 0
	for _, o := range r.Model.Experts[0] {
		switch {
		case o.Vote != Abstains && math.Abs(o.Mean-1) < .3:
			bright++
		case o.Vote != Abstains && math.Abs(o.Mean) > .15:
			others++
		}
	}
	if bright != 5 || others != 0 {
		t.Errorf("votes for %d bright pixels and %d others, the bar has 5", bright, others)
	}
}

func TestLearnStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	steps := 0
	_, err := Learn(ctx, newData(t, 4, 4, quadrants(60, 2, 1, 1)), Options{Progress: func(p Progress) {
		if steps++; steps == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || steps > 2 {
		t.Errorf("%v after %d steps", err, steps)
	}
	if _, err := Learn(context.Background(), &Data{Height: 1, Width: 3}, Options{}); err == nil {
		t.Error("nothing is learned from")
	}
}
