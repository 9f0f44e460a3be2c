package gauss

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/exact"
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

func encoded(t testing.TB, m *Moments) []byte {
	t.Helper()
	data, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// configurations draws n configurations of k experts from a Gaussian, each
// expert missing with the given probability, angles in whole 1/1024 degrees.
func configurations(rng *rand.Rand, from *Normal, n int, missing float64) [][]Placement {
	out := make([][]Placement, n)
	for i := range out {
		x := from.Sample(rng, nil)
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

func TestInt128(t *testing.T) {
	nasty := []int64{0, 1, -1, 2, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, 1 << 32, -1 << 32, 1<<62 + 12345}
	value := rapid.OneOf(rapid.SampledFrom(nasty), rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, d := value.Draw(t, "a"), value.Draw(t, "b"), value.Draw(t, "c")/2, value.Draw(t, "d")/2
		want := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		if got := exact.Product(a, b).Big(); got.Cmp(want) != 0 {
			t.Fatalf("%d * %d = %v", a, b, got)
		}
		want.Mul(big.NewInt(a/2), big.NewInt(b))
		want.Add(want, new(big.Int).Mul(big.NewInt(c), big.NewInt(d)))
		if got := exact.Product(a/2, b).Add(exact.Product(c, d)).Big(); got.Cmp(want) != 0 {
			t.Fatalf("sum of products %v, want %v", got, want)
		}
	})
}

// TestMergeInAnyOrder: any order of adding, any split into parts and any tree
// of merges gives the same bits.
func TestMergeInAnyOrder(t *testing.T) {
	placement := rapid.Custom(func(t *rapid.T) Placement {
		return Placement{
			Present: rapid.Bool().Draw(t, "present"),
			DY:      rapid.IntRange(-MaxShift, MaxShift).Draw(t, "dy"),
			DX:      rapid.IntRange(-30, 30).Draw(t, "dx"),
			Theta:   rapid.Float64Range(-180, 180).Draw(t, "theta"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		const k = 3
		rows := rapid.SliceOfN(rapid.SliceOfN(placement, k, k), 1, 12).Draw(t, "rows")
		weights := rapid.SliceOfN(rapid.Int64Range(1, 1<<58), len(rows), len(rows)).Draw(t, "weights")
		var all Moments
		fresh := func() *Moments {
			m, err := NewMoments(k)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		all = *fresh()
		parts := []*Moments{fresh(), fresh(), fresh()}
		for i := range rows {
			if err := all.Add(rows[i], weights[i]); err != nil {
				t.Fatal(err)
			}
		}
		index := make([]int, len(rows))
		for i := range index {
			index[i] = i
		}
		for _, i := range rapid.Permutation(index).Draw(t, "order") {
			part := parts[rapid.IntRange(0, 2).Draw(t, "part")]
			if err := part.Add(rows[i], weights[i]); err != nil {
				t.Fatal(err)
			}
		}
		left := fresh() // (0 + 1) + 2
		right := fresh()
		for _, err := range []error{left.Merge(parts[0]), left.Merge(parts[1]), left.Merge(parts[2]), right.Merge(parts[2]), right.Merge(parts[0]), right.Merge(parts[1])} {
			if err != nil {
				t.Fatal(err)
			}
		}
		want, _ := all.MarshalBinary()
		a, _ := left.MarshalBinary()
		b, _ := right.MarshalBinary()
		if !bytes.Equal(a, want) || !bytes.Equal(b, want) {
			t.Fatal("the order shows")
		}
		if left.N() != all.N() {
			t.Fatalf("N is %d, want %d", left.N(), all.N())
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
	if !bytes.Equal(encoded(t, a), encoded(t, b)) {
		t.Error("weight 5 is not five times")
	}
	if err := b.Merge(b); err != nil || b.N() != 10 || b.sets[3].first[0].Big().Int64() != -30 {
		t.Errorf("merged with itself: %v, N = %d", err, b.N())
	}
}

func TestAddRefuses(t *testing.T) {
	m := newMoments(t, 2)
	mustAdd(t, m, make([]Placement, 2), 1)
	before := encoded(t, m)
	fine := Placement{Present: true, DY: MaxShift, DX: -MaxShift, Theta: MaxAngle}
	for _, c := range []struct {
		p          Placement
		coordinate string
	}{
		{Placement{Present: true, DY: MaxShift + 1}, "dy"},
		{Placement{Present: true, DX: math.MinInt}, "dx"},
		{Placement{Present: true, Theta: math.NaN()}, "theta"},
		{Placement{Present: true, Theta: math.Inf(-1)}, "theta"},
		{Placement{Present: true, Theta: MaxAngle * 1.001}, "theta"},
	} {
		var e *RangeError
		if err := m.Add([]Placement{fine, c.p}, 1); !errors.As(err, &e) || e.Expert != 1 || e.Coordinate != c.coordinate {
			t.Errorf("%+v: %v", c.p, err)
		}
	}
	if err := m.Add([]Placement{fine, fine}, MaxWeight); !errors.Is(err, ErrTooHeavy) {
		t.Errorf("too heavy: %v", err)
	}
	if !bytes.Equal(before, encoded(t, m)) {
		t.Error("a refused configuration left a trace")
	}
	if err := m.Add([]Placement{fine, fine}, MaxWeight-1); err != nil {
		t.Errorf("the heaviest: %v", err)
	}
	if err := m.Merge(m); !errors.Is(err, ErrTooHeavy) {
		t.Errorf("merge too heavy: %v", err)
	}
	if n, _, err := m.Fit(FitOptions{}); err != nil || n.mean[0] != MaxShift || n.mean[2] != MaxAngle || n.Rank() != 0 {
		t.Errorf("fit of the farthest and heaviest: %v", err)
	}
	for _, k := range []int{-1, 0, 65} {
		if _, err := NewMoments(k); err == nil {
			t.Errorf("moments of %d experts", k)
		}
	}
}

// TestFitRefusesImpossibleMoments: each square and product is possible by
// itself, but not all of three coordinates together; only a fit detects this.
func TestFitRefusesImpossibleMoments(t *testing.T) {
	m := newMoments(t, 1)
	mustAdd(t, m, []Placement{{Present: true, DY: 1, DX: -1, Theta: 1}}, 2)
	s := m.sets[1]
	for i := range s.first {
		s.first[i] = exact.Int128{}
	}
	for at, p := range []int64{4, -4, 4, -4, -4, 4} {
		s.products[at] = exact.Product(p, 1)
	}
	var got Moments
	if err := got.UnmarshalBinary(encoded(t, m)); err != nil {
		t.Fatal(err)
	}
	if n, _, err := got.Fit(FitOptions{}); err == nil || !strings.Contains(err.Error(), "mask 0x1 is not positive semi-definite") {
		t.Errorf("fit %v, %v", n, err)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	m := newMoments(t, 1)
	err := m.Add([]Placement{{Present: true, Theta: 2e6}}, 1)
	if want := "gauss: theta of part 0 is 2e+06; it must be from -1.048576e+06 to 1.048576e+06"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	err = m.UnmarshalBinary(append(encoded(t, m), 1, 2))
	if want := "gauss: not moments of configurations: byte 16: 2 bytes after the end"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestMomentsMisusePanics(t *testing.T) {
	m := newMoments(t, 2)
	for name, f := range map[string]func(){
		"configuration": func() { _ = m.Add(make([]Placement, 1), 1) },
		"weight":        func() { _ = m.Add(make([]Placement, 2), 0) },
		"merge":         func() { _ = m.Merge(newMoments(t, 3)) },
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

func TestEncodingRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	from := random(t, rng, 12, 12)
	m := newMoments(t, 4)
	for _, c := range configurations(rng, from, 200, 0.3) {
		mustAdd(t, m, c, rng.Int64N(5)+1)
	}
	data := encoded(t, m)
	var got Moments
	if err := got.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if got.K() != 4 || got.N() != m.N() || !bytes.Equal(encoded(t, &got), data) {
		t.Error("the moments changed on the way")
	}
	for n := range data {
		var e *FormatError
		if err := got.UnmarshalBinary(data[:n]); !errors.As(err, &e) {
			t.Fatalf("cut at byte %d of %d: %v", n, len(data), err)
		}
	}
	if got.N() != m.N() {
		t.Error("a failed read left a trace")
	}
}

func TestDecodeRefuses(t *testing.T) {
	m := newMoments(t, 2)
	mustAdd(t, m, []Placement{{Present: true, DY: 3, DX: 4, Theta: 5}, {}}, 2)
	mustAdd(t, m, []Placement{{}, {Present: true, DY: 3}}, 1)
	good := encoded(t, m)
	const first = headerSize // the set of expert 0: mask, n, 3 sums, 6 products
	put := binary.LittleEndian.PutUint64
	for name, spoil := range map[string]func(b []byte) []byte{
		"magic":     func(b []byte) []byte { b[0]++; return b },
		"version":   func(b []byte) []byte { b[4]++; return b },
		"no expert": func(b []byte) []byte { b[5] = 0; return b },
		"experts":   func(b []byte) []byte { b[5] = 65; return b },
		"reserved":  func(b []byte) []byte { b[7] = 1; return b },
		"count":     func(b []byte) []byte { put(b[8:], math.MaxUint64); return b },
		"trailing":  func(b []byte) []byte { return append(b, 0) },
		"mask":      func(b []byte) []byte { put(b[first:], 4); return b },
		"order":     func(b []byte) []byte { put(b[first:], 2); return b },
		"n = 0":     func(b []byte) []byte { put(b[first+8:], 0); return b },
		"n < 0":     func(b []byte) []byte { put(b[first+8:], math.MaxUint64); return b },
		"n > max":   func(b []byte) []byte { put(b[first+8:], MaxWeight); return b },
		"sum":       func(b []byte) []byte { put(b[first+16:], 1<<40); return b },
		"square":    func(b []byte) []byte { put(b[first+16+3*16:], 17); return b }, // 2*9 = 18, at least 6*6/2
		"product":   func(b []byte) []byte { put(b[first+16+4*16:], 1<<40); return b },
		"negative":  func(b []byte) []byte { put(b[first+16+3*16+8:], math.MaxUint64); return b },
	} {
		var got Moments
		var e *FormatError
		if err := got.UnmarshalBinary(spoil(slices.Clone(good))); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	rng := rand.New(rand.NewPCG(8, 8))
	for k := 1; k <= 3; k++ {
		m := newMoments(f, k)
		for _, c := range configurations(rng, random(f, rng, 3*k, 2*k), 5, 0.3) {
			mustAdd(f, m, c, 1)
		}
		f.Add(encoded(f, m))
	}
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m Moments
		if m.UnmarshalBinary(data) != nil {
			return
		}
		if !bytes.Equal(encoded(t, &m), data) {
			t.Error("read, but written otherwise")
		}
		if m.K() > 8 {
			return // valid, but a fit takes longer than a fuzz step should
		}
		// Moments that are accepted either fit or yield an error that says why
		// not.
		if n, _, err := m.Fit(FitOptions{MaxIterations: 5}); err == nil && n.Dim() != 3*m.K() {
			t.Errorf("a fit over %d coordinates for %d experts", n.Dim(), m.K())
		}
	})
}
