package mixed

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// someColumn draws values of a column of any kind, and the column that they make.
func someColumn(t *rapid.T) (values []float64, c Column) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := rapid.IntRange(1, 300).Draw(t, "rows")
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	for range n {
		x := rng.NormFloat64()
		switch kind {
		case 0:
			x = math.Exp(x)
		case 1:
			x = float64(rng.IntN(40))
		case 2:
			x = max(0, x)
		case 3:
			x = x * x * x
		case 4:
			x += 9 * float64(rng.IntN(2))
		case 5:
			x = math.Exp(x/2 + 3*float64(rng.IntN(2)))
		}
		values = append(values, x)
	}
	return values, columnFrom(values...)
}

// The codes of a column are in the order of its values, which come back from them, as far as levels were not merged;
// levels are apart and hold all rows.
func TestCodesKeepOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values, c := someColumn(t)
		slices.Sort(values)
		for i, x := range values {
			code := c.Code(x)
			if i > 0 && code < c.Code(values[i-1]) {
				t.Fatalf("%v has the code %v, the smaller %v has %v", x, code, values[i-1], c.Code(values[i-1]))
			}
			back, tolerance := c.Value(code), 1e-6*(1+math.Abs(x))
			if c.Family == Levels {
				tolerance = c.High[int(code)] - c.Low[int(code)]
			} else if c.Scale.Scores != nil {
				tolerance = values[len(values)-1] - values[0] // between knots
			}
			if math.Abs(back-x) > tolerance+1e-9 {
				t.Fatalf("%v comes back as %v", x, back)
			}
		}
		sum := 0.0
		for l, q := range c.Share {
			if sum += q; q <= 0 || c.Low[l] > c.High[l] || l > 0 && c.Low[l] <= c.High[l-1] {
				t.Fatalf("level %d of %v is from %v to %v", l, q, c.Low[l], c.High[l])
			}
		}
		if c.Family == Levels && math.Abs(sum-1) > 1e-9 {
			t.Fatalf("levels hold %v of the rows", sum)
		}
	})
}

// Quantiles rise, what is below one is what it is of, and nothing is below 0 where nothing was.
func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, c := someColumn(t)
		cell, last := CellOf(&c, &c.All), math.Inf(-1)
		for _, p := range []float64{.01, .1, .3, .5, .7, .9, .99} {
			x := cell.Quantile(p)
			if x < last || c.Least >= 0 && x < 0 {
				t.Fatalf("quantile %v is %v after %v", p, x, last)
			}
			if got := cell.Below(c.Code(x)); c.Family == Real && x > 0 && math.Abs(got-p) > 1e-3 {
				t.Fatalf("%v is below quantile %v, %v", got, p, x)
			}
			last = x
		}
	})
}

// Groups of values are the same in any unit, and a normal column, or one of heavy tails, has none.
func TestGroups(t *testing.T) {
	look := func(values []float64) (float64, bool) {
		once := make([]int64, len(values))
		for i := range once {
			once[i] = 1
		}
		return groups(slices.Sorted(slices.Values(values)), once, float64(len(values)))
	}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var two, other, normal, heavy []float64
		for range 200 {
			x := rng.NormFloat64()
			normal, heavy = append(normal, x), append(heavy, x*math.Exp(x*x/4))
			if rng.Float64() < .25 {
				x += 6
			}
			two, other = append(two, x), append(other, 1000*x-7)
		}
		length, ok := look(two)
		scaled, also := look(other)
		if !ok || !also || math.Abs(scaled-length-200*math.Log(1000)) > 1e-3 {
			t.Errorf("seed %d: two groups of %v nats, in another unit %v", seed, length, scaled)
		}
		if _, ok := look(normal); ok {
			t.Errorf("seed %d: a normal column has groups", seed)
		}
		if _, ok := look(heavy); ok {
			t.Errorf("seed %d: a column of heavy tails has groups", seed)
		}
	}
}

// No set of voters, those that are in with some of the open ones, says more of a cell than its bound.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, row := modelOf(t, rapid.IntRange(1, 6).Draw(t, "parts"))
		p := newPursuit(newBank(m))
		p.load(row)
		for k := range p.odds {
			p.split(k)
		}
		for d, gains := range p.gains {
			if gains == nil {
				continue
			}
			all := uint64(1)<<len(p.columns[d].voters) - 1
			in := rapid.Uint64().Draw(t, "in") & all
			open := rapid.Uint64().Draw(t, "open") & all &^ in
			p.bounds.in[d], p.bounds.open[d] = in, open
			most := p.bound(d).gain
			for some := open; ; some = (some - 1) & open {
				said := p.columns[d].said(gains, in|some)
				for s := some; s != 0; s &= s - 1 {
					said += p.bounds.share[d][bits.TrailingZeros64(s)]
				}
				if said > most+1e-9 {
					t.Fatalf("voters %b and %b say %v, the bound is %v", in, some, said, most)
				}
				if some == 0 {
					break
				}
			}
		}
	})
}

// What a part of an explanation gains is what the row loses without it, and probabilities of parts are those of sets.
func TestGains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, row := modelOf(t, rapid.IntRange(1, 10).Draw(t, "parts"))
		e := NewExplainer(m).explain(row)
		for j, k := range e.Parts(0) {
			without := m.LogJoint(row, e.Sets[0]&^(1<<k))
			if got := e.LogJoint - without; math.Abs(got-e.Gains[j]) > 1e-6*(1+math.Abs(got)) {
				t.Fatalf("part %d gains %v, the row loses %v without it", k, e.Gains[j], got)
			}
		}
		for k := range m.Parts {
			if p := e.Share(k); p < 0 || p > 1+1e-9 {
				t.Fatalf("part %d is there with probability %v", k, p)
			}
		}
	})
}

// Counts come back from their bytes, whatever rows weigh.
func TestCountsAsBytes(t *testing.T) {
	data, _ := weigh(planted(80, 3), 10)
	m := learned(t, data, Options{Quick: true})
	all, err := EStep(t.Context(), m, data, 2)
	if err != nil {
		t.Fatal(err)
	}
	text, err := all.MarshalBinary()
	if err != nil || !AreCounts(text) {
		t.Fatal(err)
	}
	var back Tally
	if err := back.UnmarshalBinary(text); err != nil || !reflect.DeepEqual(&back, all) || back.Unit != 10 {
		t.Errorf("counts come back as others: %v", err)
	}
}

// Of a model that is joined, torn or deleted from, each is a model.
func TestMovesMakeModels(t *testing.T) {
	l, err := newLearner(t.Context(), planted(300, 7), Options{Seed: 1, Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.start(0)
	if err != nil || len(s.m.Parts) < 2 {
		t.Fatalf("%d parts, %v", len(s.m.Parts), err)
	}
	own := l.terms()
	own.own = true
	less, err := l.without(s, 0, own, 1, math.Inf(1))
	if err != nil || less.m.Check() != nil || len(less.m.Parts) >= len(s.m.Parts) {
		t.Errorf("without a part: %v, %v", less.m.Check(), err)
	}
	if less.length < s.length {
		t.Errorf("without a part of two that were planted the description is shorter: %v after %v", less.length, s.length)
	}
	m := *s.m
	m.Parts = append(slices.Clone(m.Parts), m.Parts[0])
	twice, err := l.explain(&m)
	if err != nil {
		t.Fatal(err)
	}
	one := l.joined(twice, 0, len(m.Parts)-1, own)
	if one == nil || one.Check() != nil || len(one.Parts) != len(s.m.Parts) {
		t.Fatalf("a part and its copy are joined as %+v", one)
	}
	if again, err := l.join(twice, own); err != nil || len(again.m.Parts) > len(s.m.Parts) {
		t.Errorf("a part and its copy stay apart: %d parts, %v", len(again.m.Parts), err)
	}
}
