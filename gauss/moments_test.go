package gauss

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newMoments(t testing.TB, k int) *Moments {
	t.Helper()
	m, err := NewMoments(k)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustAdd(t testing.TB, m *Moments, c []Placement, weight int64) {
	t.Helper()
	if err := m.Add(c, weight); err != nil {
		t.Fatal(err)
	}
}

// configurations draws n configurations of k experts from a Gaussian, each
// expert missing with the given probability, angles in whole 1/1024 degrees.
func configurations(rng *rand.Rand, from *Normal, n int, missing float64) [][]Placement {
	out := make([][]Placement, n)
	for i := range out {
		x := from.Sample(rng)
		for k := range len(x) / PerExpert {
			p := Placement{Present: rng.Float64() >= missing}
			if p.Present {
				p.DY, p.DX = int(math.Round(x[3*k])), int(math.Round(x[3*k+1]))
				p.Theta = math.Round(x[3*k+2]*anglesPerDegree) / anglesPerDegree
			}
			out[i] = append(out[i], p)
		}
	}
	return out
}

// TestAddInAnyOrder: any order of adding gives the same bits.
func TestAddInAnyOrder(t *testing.T) {
	placement := rapid.Custom(func(t *rapid.T) Placement {
		return Placement{
			Present: rapid.Bool().Draw(t, "present"),
			DY:      rapid.IntRange(-maxShift, maxShift).Draw(t, "dy"),
			DX:      rapid.IntRange(-30, 30).Draw(t, "dx"),
			Theta:   rapid.Float64Range(-180, 180).Draw(t, "theta"),
		}
	})
	type row struct {
		placements []Placement
		weight     int64
	}
	rapid.Check(t, func(t *rapid.T) {
		const k = 3
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
			return row{rapid.SliceOfN(placement, k, k).Draw(t, "row"), rapid.Int64Range(1, 1<<58).Draw(t, "weight")}
		}), 1, 12).Draw(t, "rows")
		sum := func(rows []row) *Moments {
			m, err := NewMoments(k)
			for _, r := range rows {
				err = cmp.Or(err, m.Add(r.placements, r.weight))
			}
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		if want := sum(rows); !reflect.DeepEqual(sum(rapid.Permutation(rows).Draw(t, "order")), want) {
			t.Fatal("the order shows")
		}
	})
}

func TestWeightIsRepetition(t *testing.T) {
	a, b := newMoments(t, 2), newMoments(t, 2)
	c := []Placement{{Present: true, DY: -3, DX: 4, Theta: -12.5}, {Present: true, DX: 9, Theta: 6}}
	mustAdd(t, a, c, 5)
	for range 5 {
		mustAdd(t, b, c, 1)
	}
	if !reflect.DeepEqual(a, b) || b.sets[3].first[0].Big().Int64() != -15 {
		t.Error("weight 5 is not five times")
	}
}

func TestAddRefuses(t *testing.T) {
	m := newMoments(t, 2)
	mustAdd(t, m, make([]Placement, 2), 1)
	fine := Placement{Present: true, DY: maxShift, DX: -maxShift, Theta: maxAngle}
	for _, c := range []struct {
		p          Placement
		coordinate string
	}{
		{Placement{Present: true, DY: maxShift + 1}, "dy"},
		{Placement{Present: true, DX: math.MinInt}, "dx"},
		{Placement{Present: true, Theta: math.NaN()}, "theta"},
		{Placement{Present: true, Theta: math.Inf(-1)}, "theta"},
		{Placement{Present: true, Theta: maxAngle * 1.001}, "theta"},
	} {
		err := m.Add([]Placement{fine, c.p}, 1)
		if err == nil || !strings.HasPrefix(err.Error(), "gauss: "+c.coordinate+" of part 2 is ") {
			t.Errorf("%+v: %v", c.p, err)
		}
	}
	if err := m.Add([]Placement{fine, fine}, maxWeight); err == nil {
		t.Error("too heavy")
	}
	if m.weight != 1 || len(m.sets) != 1 {
		t.Error("a refused configuration left a trace")
	}
	if err := m.Add([]Placement{fine, fine}, maxWeight-1); err != nil {
		t.Errorf("the heaviest: %v", err)
	}
	if n, err := m.Fit(); err != nil || n.mean[0] != maxShift || n.mean[2] != maxAngle || n.Rank() != 0 {
		t.Errorf("fit of the farthest and heaviest: %v", err)
	}
	for _, k := range []int{-1, 0, 65} {
		if _, err := NewMoments(k); err == nil {
			t.Errorf("moments of %d experts", k)
		}
	}
}

func TestMomentsMisusePanics(t *testing.T) {
	m := newMoments(t, 2)
	for name, f := range map[string]func(){
		"configuration": func() { _ = m.Add(make([]Placement, 1), 1) },
		"weight":        func() { _ = m.Add(make([]Placement, 2), 0) },
		"presence":      func() { Presence{}.Sample(rand.New(rand.NewPCG(1, 1))) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}

func TestPresence(t *testing.T) {
	m := newMoments(t, 64)
	c := make([]Placement, 64)
	mustAdd(t, m, c, 10)
	c[63].Present = true
	mustAdd(t, m, c, 30)
	c[0].Present = true
	mustAdd(t, m, c, 60)
	got := m.Presence()
	want := Presence{{0, 10}, {1 << 63, 30}, {1<<63 | 1, 60}}
	if !slices.Equal(got, want) {
		t.Fatalf("presence %v", got)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	counts := map[uint64]float64{}
	const trials = 10000
	for range trials {
		counts[got.Sample(rng)]++
	}
	for _, p := range want {
		if share := float64(p.N) / 100; !near(counts[p.Mask]/trials, share, 5*math.Sqrt(share*(1-share)/trials)) {
			t.Errorf("mask %#x drawn %v of %d times", p.Mask, counts[p.Mask], trials)
		}
	}
}
