package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
)

// month draws rows of some columns by the first few of five parts.
func month(rng *rand.Rand, n, parts int) patchwork.Data {
	shares := []float64{0.35, 0.25, 0.3, 0.2, 0.2}
	var data patchwork.Data
	for range n {
		row := make([]uint8, 30)
		for i := range row {
			if rng.Float64() < 0.04 {
				row[i] = 1
			}
		}
		for k := range parts {
			if rng.Float64() >= shares[k] {
				continue
			}
			for i := 6 * k; i < 6*k+6; i++ {
				if rng.Float64() < 0.85 {
					row[i] = 1
				}
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, len(row), row))
	}
	return data
}

// A part that begins in month 7 of 12 is named in month 7 and no other, and no name is lost.
func TestGoOnTwelveMonths(t *testing.T) {
	draws := uint64(6)
	if testing.Short() {
		draws = 2
	}
	for seed := range draws {
		rng := rand.New(rand.NewPCG(seed, 71))
		cfg := patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 30}
		m, err := Learn(t.Context(), month(rng, 150, 4), cfg, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		extras := m.Extras()
		for k := range m.K() {
			extras.Names = append(extras.Names, fmt.Sprint("n", k))
		}
		for i := range m.Width() {
			extras.Columns = append(extras.Columns, fmt.Sprint("c", i))
		}
		if m, err = m.WithExtras(extras); err != nil {
			t.Fatal(err)
		}
		names, votes := extras.Names, make([]string, m.K())
		for k := range m.K() {
			votes[k] = votePattern(m, k)
		}
		for at := 2; at <= 12; at++ {
			parts := 4
			if at >= 7 {
				parts = 5
			}
			data := month(rng, 150, parts)
			u, err := GoOn(t.Context(), m, data, Options{})
			if err != nil {
				t.Fatal(err)
			}
			again, err := GoOn(t.Context(), m, data, Options{Workers: 3})
			if err != nil || !bytes.Equal(u.Model.Extras().Counted, again.Model.Extras().Counted) {
				t.Fatalf("seed %d, month %d: other counts the second time, %v", seed, at, err)
			}
			if got := u.Model.Extras().Names; !slices.Equal(got[:len(names)], names) {
				t.Errorf("seed %d, month %d: names %v", seed, at, got)
			}
			if want := map[bool]int{true: 1}[at == 7]; len(u.New) != want {
				t.Errorf("seed %d, month %d: new are %v", seed, at, u.New)
			}
			if len(u.Died) > 0 {
				t.Errorf("seed %d, month %d: died are %v", seed, at, u.Died)
			}
			m = u.Model
			for k := range votes {
				if votePattern(m, k) != votes[k] {
					t.Errorf("seed %d, month %d: part %d votes otherwise", seed, at, k)
				}
			}
		}
		if !slices.Equal(m.Extras().Columns, extras.Columns) {
			t.Errorf("seed %d: columns %v", seed, m.Extras().Columns)
		}
		if m.K() != len(names)+1 {
			t.Errorf("seed %d: %d parts of %d", seed, m.K(), len(names)+1)
		}
	}
}

// The counts beside a model are as good as its rows: counted in pieces, and through bytes, they give the same.
func TestGoOnFromStoredCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 72))
	old, fresh := month(rng, 200, 4), month(rng, 80, 5)
	m, err := Learn(t.Context(), old, patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 30}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole, pieces := mustCounts(t, m, old, 1), NewCounts(m)
	for piece := range slices.Chunk(old.Images, 70) {
		pieces.Merge(mustCounts(t, m, patchwork.Data{Images: piece}, 2))
	}
	var all []*Update
	for _, c := range []*Counts{whole, pieces} {
		extras := m.Extras()
		extras.Counted = countsBytes(c)
		counted, err := m.WithExtras(extras)
		if err != nil {
			t.Fatal(err)
		}
		u, err := GoOn(t.Context(), counted, fresh, Options{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, u)
	}
	if !bytes.Equal(all[0].Model.Extras().Counted, all[1].Model.Extras().Counted) ||
		!slices.EqualFunc(all[0].Model.Templates(), all[1].Model.Templates(), slices.Equal[[]float64]) {
		t.Error("counts of pieces give another model")
	}
	if c := all[0].Model.Extras().Record; c.Rows != 280 {
		t.Errorf("%d rows of 280", c.Rows)
	}
}

// The rows that a model expects have its parts, columns and background, under either rule.
func TestExpectedCounts(t *testing.T) {
	for _, r := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		m, data := randomTable(rand.New(rand.NewPCG(8, uint64(r))), r, 400, 4, 9)
		extras := m.Extras()
		extras.Usage, extras.Record.Rows = []float64{0.2, 0.5, 0.7, 1}, rows.Total(data)
		m, err := m.WithExtras(extras)
		if err != nil {
			t.Fatal(err)
		}
		c := expected(m)
		if !c.possible() {
			t.Fatalf("%v: no counts of rows", r)
		}
		for k, want := range extras.Usage {
			if math.Abs(c.Share(k)-want) > 1e-3 {
				t.Errorf("%v: part %d in %v of the rows, not %v", r, k, c.Share(k), want)
			}
		}
		c.groups.Each(func(set []int16, weight int64, on, _ []int64) {
			for i, p := range compose(m, set, rows.Background(m)) {
				if math.Abs(float64(on[i])/float64(weight)-p) > 1e-5 {
					t.Errorf("%v: set %v, column %d: %d of %d, not %v", r, set, i, on[i], weight, p)
				}
			}
		})
	}
}

// What is no model of a table with its counts is refused, and nothing panics.
func TestGoOnRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 73))
	data := month(rng, 60, 3)
	m, err := Learn(t.Context(), data, patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 30}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(e *patchwork.Extras){
		"no rows":        func(e *patchwork.Extras) { e.Record.Rows = 0 },
		"no usage":       func(e *patchwork.Extras) { e.Usage = nil },
		"no counts":      func(e *patchwork.Extras) { e.Counted = []byte("pwcounts") },
		"counts of less": func(e *patchwork.Extras) { e.Counted = countsBytes(emptyCounts(1, 30)) },
	} {
		extras := m.Extras()
		change(&extras)
		other, err := m.WithExtras(extras)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := GoOn(t.Context(), other, data, Options{}); err == nil {
			t.Errorf("%s: nothing is wrong", what)
		}
	}
	if _, err := GoOn(t.Context(), m, patchwork.Data{}, Options{}); err == nil {
		t.Error("no data: nothing is wrong")
	}
}
