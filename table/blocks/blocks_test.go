package blocks

import (
	"context"
	"math"
	"math/bits"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// drawMatrix draws a small table, often of few blocks, some with unknown cells.
func drawMatrix(t *rapid.T, most int) *Matrix {
	n, d := rapid.IntRange(1, most).Draw(t, "rows"), rapid.IntRange(1, most).Draw(t, "columns")
	cells := make([][]byte, n)
	for i := range cells {
		cells[i] = make([]byte, d)
	}
	if rapid.Bool().Draw(t, "planted") {
		for range rapid.IntRange(0, 4).Draw(t, "blocks") {
			rows := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "block rows")
			columns := rapid.SliceOfN(rapid.Bool(), d, d).Draw(t, "block columns")
			for i := range n {
				for c := range d {
					if rows[i] && columns[c] {
						cells[i][c] = '1'
					}
				}
			}
		}
	}
	kinds := rapid.SampledFrom([]string{"0", "01", "0001", "0?1", "1", "00000?"}).Draw(t, "noise")
	m := &Matrix{Columns: d}
	for i := range n {
		var ones, unknown []int32
		for c := range d {
			v := rapid.SampledFrom([]byte(kinds)).Draw(t, "cell")
			switch {
			case v == '?':
				unknown = append(unknown, int32(c))
			case v == '1' || cells[i][c] == '1':
				ones = append(ones, int32(c))
			}
		}
		m.Ones, m.Either = append(m.Ones, ones), append(m.Either, unknown)
	}
	return m
}

// allowed returns which cells of a matrix blocks may cover.
func allowed(m *Matrix) map[Cell]bool {
	may := map[Cell]bool{}
	for i := range m.Ones {
		for _, d := range slices.Concat(m.Ones[i], m.either(i)) {
			may[Cell{int32(i), d}] = true
		}
	}
	return may
}

// checkCover fails unless a cover is exact, its blocks are in order, and its certificate
// is one: ones no two of which fit in one block.
func checkCover(t interface{ Fatalf(string, ...any) }, m *Matrix, c *Cover) {
	may := allowed(m)
	for _, b := range c.Blocks {
		if len(b.Rows) == 0 || len(b.Columns) == 0 || !slices.IsSorted(b.Rows) || !slices.IsSorted(b.Columns) {
			t.Fatalf("a block of rows %v and columns %v", b.Rows, b.Columns)
		}
		for _, i := range b.Rows {
			for _, d := range b.Columns {
				if !may[Cell{i, d}] {
					t.Fatalf("a block covers the zero %d, %d", i, d)
				}
			}
		}
	}
	if left, added := Exceptions(m, c.Blocks); len(left) > 0 || len(added) > 0 || len(c.Left) > 0 || len(c.Added) > 0 {
		t.Fatalf("%v left over, %v added", left, added)
	}
	for k, a := range c.Certificate {
		if _, ok := slices.BinarySearch(m.Ones[a.Row], a.Column); !ok {
			t.Fatalf("the certificate has the cell %v, which is no one", a)
		}
		for _, b := range c.Certificate[:k] {
			if may[Cell{a.Row, b.Column}] && may[Cell{b.Row, a.Column}] {
				t.Fatalf("cells %v and %v of the certificate fit in one block", a, b)
			}
		}
	}
	if len(c.Certificate) > len(c.Blocks) {
		t.Fatalf("%d blocks, but a certificate of %d", len(c.Blocks), len(c.Certificate))
	}
}

func find(t interface{ Fatal(...any) }, m *Matrix, opt Options) *Cover {
	c, err := Find(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bruteForce returns the least number of blocks, of a table of few rows: every set of rows
// with all columns that these share is tried, one more block at a time.
func bruteForce(m *Matrix) int {
	may, at := allowed(m), map[Cell]int{}
	for i := range m.Ones {
		for _, d := range m.Ones[i] {
			at[Cell{int32(i), d}] = len(at)
		}
	}
	var full []uint64 // the ones of each block
	for rows := 1; rows < 1<<m.Rows(); rows++ {
		var covers uint64
		for d := range int32(m.Columns) {
			var column uint64
			whole := true
			for i := range int32(m.Rows()) {
				if rows>>i&1 == 0 {
					continue
				}
				whole = whole && may[Cell{i, d}]
				if k, ok := at[Cell{i, d}]; ok {
					column |= 1 << k
				}
			}
			if whole {
				covers |= column
			}
		}
		full = append(full, covers)
	}
	for n := 0; ; n++ {
		if reach(uint64(1)<<len(at)-1, n, full) {
			return n
		}
	}
}

// reach reports whether n of the sets together have all of left.
func reach(left uint64, n int, sets []uint64) bool {
	if left == 0 || n == 0 {
		return left == 0
	}
	first := left & -left
	for _, s := range sets {
		if s&first != 0 && reach(left&^s, n-1, sets) {
			return true
		}
	}
	return false
}

// The blocks cover exactly the ones; a full certificate means the least number there is,
// which is what brute force says; without one there are few blocks too many.
func TestFewest(t *testing.T) {
	certified, checked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatrix(t, 5)
		c := find(t, m, Options{Seed: rapid.Uint64Range(0, 9).Draw(t, "seed")})
		checkCover(t, m, c)
		least := bruteForce(m)
		if c.Optimal() && len(c.Blocks) != least || len(c.Certificate) > least || len(c.Blocks) < least ||
			len(c.Blocks) > least+1 {
			t.Fatalf("%d blocks and a certificate of %d; the least number is %d", len(c.Blocks), len(c.Certificate), least)
		}
		checked++
		if c.Optimal() {
			certified++
		}
	})
	if certified*2 < checked {
		t.Errorf("only %d of %d covers have a certificate", certified, checked)
	}
}

// The blocks as a model: every row is explained by exactly the blocks inside it that it
// needs, and its bits are read off.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatrix(t, 8)
		c := find(t, m, Options{})
		model, err := c.Model(m, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if model.K() != max(len(c.Blocks), 1) || model.Width() != m.Columns {
			t.Fatalf("a model of %d parts and %d columns", model.K(), model.Width())
		}
		for i := range m.Ones {
			p := slices.Clone(model.Config().QMap)
			for k, b := range c.Blocks {
				if _, ok := slices.BinarySearch(b.Rows, int32(i)); ok {
					for d, v := range model.Template(k) {
						p[d] = max(p[d], v)
					}
				}
			}
			for _, d := range m.Ones[i] {
				if p[d] <= 0.5 {
					t.Fatalf("row %d column %d is a one, and the model says %v", i, d, p[d])
				}
			}
		}
	})
}

// A row with weight 3 makes the model that three such rows make.
func TestModelWeights(t *testing.T) {
	rows := []string{"1100", "0?11", "1111"}
	var single, repeated []*bitmap.Image
	weights := []int64{3, 1, 2}
	for i, r := range rows {
		single = append(single, bitmap.Parse(r))
		for range weights[i] {
			repeated = append(repeated, bitmap.Parse(r))
		}
	}
	models := make([][]float64, 2)
	for i, images := range [][]*bitmap.Image{single, repeated} {
		m := Of(images)
		w := weights
		if i == 1 {
			w = nil
		}
		model, err := find(t, m, Options{}).Model(m, 1, w)
		if err != nil {
			t.Fatal(err)
		}
		models[i] = slices.Concat(slices.Concat(model.Templates()...), model.Config().QMap, model.Extras().Usage)
	}
	if !slices.Equal(models[0], models[1]) {
		t.Errorf("weights make %v, repeated rows %v", models[0], models[1])
	}
}

// What a description costs: a formula, by hand.
func TestDescriptionLength(t *testing.T) {
	got := DescriptionLength(4, 3, []Block{{[]int32{0, 1}, []int32{2}}}, 1)
	want := math.Log(6) + math.Log(3) + math.Log(5) + math.Log(4) + math.Log(12) + math.Log(13)
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%v nats, want %v", got, want)
	}
}

// Larger tables, whose rows and columns take several words.
func TestFewestLarge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatrix(t, 66)
		checkCover(t, m, find(t, m, Options{}))
	})
}

// The least cost: an exact cover, not dearer than the fewest blocks, the same for any
// number of workers, and the less the more steps.
func TestCheapest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatrix(t, 12)
		price := rapid.Int64Range(1, 5)
		o := Options{RowPrice: price.Draw(t, "row price"), ColumnPrice: price.Draw(t, "column price"),
			BlockPrice: price.Draw(t, "block price"),
			Seed:       rapid.Uint64Range(0, 3).Draw(t, "seed"), Steps: 20_000}
		few := find(t, m, o)
		o.Cheapest = true
		cheap := find(t, m, o)
		checkCover(t, m, cheap)
		if cheap.Cost > few.Cost {
			t.Fatalf("cheapest costs %d, fewest %d", cheap.Cost, few.Cost)
		}
		rows, columns, n := cheap.Size()
		if want := int64(rows)*o.RowPrice + int64(columns)*o.ColumnPrice + int64(n)*o.BlockPrice; cheap.Cost != want {
			t.Fatalf("a cost of %d; the blocks cost %d", cheap.Cost, want)
		}
		o.Workers = 3
		if again := find(t, m, o); !reflect.DeepEqual(cheap, again) {
			t.Fatalf("three workers find another cover")
		}
	})
}

// Two blocks that overlap in a corner, as roles whose users have all permissions of
// both: the cheapest cover is known.
func TestCheapestKnown(t *testing.T) {
	m := Of([]*bitmap.Image{bitmap.Parse("1110"), bitmap.Parse("1110"), bitmap.Parse("1111"), bitmap.Parse("0011"),
		bitmap.Parse("0011")})
	c := find(t, m, Options{Cheapest: true, Steps: 1000})
	// Rows 0-2 with columns 0-2 (3 + 3 + 1), rows 2-4 with columns 2, 3 (3 + 2 + 1).
	want := []Block{{[]int32{0, 1, 2}, []int32{0, 1, 2}}, {[]int32{2, 3, 4}, []int32{2, 3}}}
	if c.Cost != 13 || !reflect.DeepEqual(c.Blocks, want) || !c.Optimal() {
		t.Errorf("blocks %v at a cost of %d", c.Blocks, c.Cost)
	}
}

// Tables that are nothing, everything, or one cell; and what many rows that are equal need.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   []string
		blocks int
	}{
		{"no rows", nil, 0},
		{"no columns", []string{"", ""}, 0},
		{"zeros", []string{"000", "000"}, 0},
		{"ones", []string{"111", "111"}, 1},
		{"one cell", []string{"1"}, 1},
		{"one of many", []string{"000", "010"}, 1},
		{"unknown only", []string{"???", "0?0"}, 0},
		{"the same through unknown cells", []string{"11?", "?11"}, 1},
		{"diagonal", []string{"100", "010", "001"}, 3},
		{"anti-diagonal", []string{"0111", "1011", "1101", "1110"}, 4},
	} {
		var images []*bitmap.Image
		for _, r := range c.rows {
			images = append(images, bitmap.Parse(r))
		}
		m := Of(images)
		for _, cheapest := range []bool{false, true} {
			got := find(t, m, Options{Cheapest: cheapest, Steps: 1000})
			checkCover(t, m, got)
			if len(got.Blocks) != c.blocks {
				t.Errorf("%s: %d blocks, want %d", c.name, len(got.Blocks), c.blocks)
			}
		}
	}
}

// A context that has ended still gets a cover, which says so.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatrix(t, 20)
		c, err := Find(ctx, m, Options{Cheapest: true})
		if err != nil || !c.Stopped {
			t.Fatalf("stopped: %v, %v", c, err)
		}
		checkCover(t, m, c)
	})
}

// Cells that must, and must not, be covered.
func TestMustAndNever(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatrix(t, 8)
		cell := rapid.Custom(func(t *rapid.T) Cell {
			return Cell{rapid.Int32Range(0, int32(m.Rows()-1)).Draw(t, "row"),
				rapid.Int32Range(0, int32(m.Columns-1)).Draw(t, "column")}
		})
		o := Options{Steps: 4000, Cheapest: rapid.Bool().Draw(t, "cheapest"), NeverAdd: rapid.Bool().Draw(t, "never add"),
			ExceptionPrice: rapid.SampledFrom([]int64{0, 1, 3}).Draw(t, "price"),
			Must:           rapid.SliceOfN(cell, 0, 3).Draw(t, "must")}
		for _, c := range rapid.SliceOfN(cell, 0, 3).Draw(t, "never") {
			if !slices.Contains(o.Must, c) {
				o.Never = append(o.Never, c)
			}
		}
		c := find(t, m, o)
		covered := map[Cell]bool{}
		for _, b := range c.Blocks {
			for _, i := range b.Rows {
				for _, d := range b.Columns {
					covered[Cell{i, d}] = true
				}
			}
		}
		for _, cell := range o.Must {
			if !covered[cell] {
				t.Fatalf("%v must be covered", cell)
			}
		}
		for _, cell := range o.Never {
			if covered[cell] {
				t.Fatalf("%v must not be covered", cell)
			}
		}
		// What is wrong is asked for, or has a price.
		for _, cell := range c.Left {
			if o.ExceptionPrice == 0 && !slices.Contains(o.Never, cell) {
				t.Fatalf("%v is left over", cell)
			}
		}
		for _, cell := range c.Added {
			if (o.ExceptionPrice == 0 || o.NeverAdd) && !slices.Contains(o.Must, cell) {
				t.Fatalf("%v is added", cell)
			}
		}
	})
}

// Limits hold, and the cover stays exact.
func TestLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatrix(t, 12)
		o := Options{Steps: 4000, Cheapest: rapid.Bool().Draw(t, "cheapest"),
			MaxRows: rapid.IntRange(0, 4).Draw(t, "most rows"), MaxColumns: rapid.IntRange(0, 4).Draw(t, "most columns")}
		c := find(t, m, o)
		checkCover(t, m, c)
		for _, b := range c.Blocks {
			if o.MaxRows > 0 && len(b.Rows) > o.MaxRows || o.MaxColumns > 0 && len(b.Columns) > o.MaxColumns {
				t.Fatalf("a block of %d x %d; the limits are %d and %d", len(b.Rows), len(b.Columns), o.MaxRows, o.MaxColumns)
			}
		}
	})
}

// Planted blocks in noise: with a price for exceptions they are found, and what is wrong
// with them is listed; without adding, no zero is covered.
func TestExceptions(t *testing.T) {
	images := make([]*bitmap.Image, 40)
	flipped := []Cell{{2, 3}, {5, 20}, {11, 0}, {30, 9}, {39, 14}}
	for i := range images {
		images[i] = bitmap.New(1, 24)
		for d := range 24 {
			on := i < 20 && d < 10 || i >= 15 && d >= 7 && d < 18
			if slices.Contains(flipped, Cell{int32(i), int32(d)}) {
				on = !on
			}
			images[i].Set(0, d, on)
		}
	}
	m := Of(images)
	c := find(t, m, Options{ExceptionPrice: 2, Steps: 2_000_000})
	wrong := slices.Concat(c.Left, c.Added)
	slices.SortFunc(wrong, compareCells)
	if len(c.Blocks) != 2 || !slices.Equal(wrong, flipped) || c.Cost != 20+10+25+11+2+2*5 || c.Optimal() {
		t.Errorf("%d blocks, wrong cells %v at a cost of %d", len(c.Blocks), wrong, c.Cost)
	}
	if c = find(t, m, Options{ExceptionPrice: 2, NeverAdd: true, Steps: 2_000_000}); len(c.Added) > 0 || len(c.Left) == 0 {
		t.Errorf("never to add: %v added, %v left over", c.Added, c.Left)
	}
}

// What is wrong with options is said in words, counted from 1.
func TestOptionErrors(t *testing.T) {
	m := Of([]*bitmap.Image{bitmap.Parse("10")})
	for want, o := range map[string]Options{
		"row 2, column 1 is not in a table of 1 rows and 2 columns": {Must: []Cell{{1, 0}}},
		"row 1, column 3 is not in a table of 1 rows and 2 columns": {Never: []Cell{{0, 2}}},
		"row 1, column 1 must be covered and must not be; leave one of the two out": {Must: []Cell{{0, 0}},
			Never: []Cell{{0, 0}}},
		"the price of a row is -1; it must be 0 to 1048576":             {RowPrice: -1},
		"limits of 0 rows, -1 columns and 0 steps; none may be below 0": {MaxColumns: -1},
	} {
		if _, err := Find(context.Background(), m, o); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// The fewest sets, beside trying all combinations.
func TestSetCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, size := rapid.IntRange(1, 8).Draw(t, "sets"), rapid.IntRange(1, 70).Draw(t, "numbers")
		var c setCover
		c.reset(n, size)
		sets := make([]uint64, n) // of the first 64 numbers
		for k := range n {
			for v := range size {
				if rapid.IntRange(0, 2).Draw(t, "has") == 0 {
					c.set(k).set(v)
					c.need.set(v)
					if v < 64 {
						sets[k] |= 1 << v
					}
				}
			}
		}
		least := n
		for pick := range 1 << n {
			var p plane = make(plane, c.words)
			for k := range n {
				if pick>>k&1 != 0 {
					for w, v := range c.set(k) {
						p[w] |= v
					}
				}
			}
			if p.holds(c.need) {
				least = min(least, bits.OnesCount(uint(pick)))
			}
		}
		got := c.solve(newTestRand())
		all := make(plane, c.words)
		for _, k := range got {
			for w, v := range c.set(k) {
				all[w] |= v
			}
		}
		if !all.holds(c.need) || len(got) != least {
			t.Fatalf("%d sets, want %d", len(got), least)
		}
	})
}

// A table of 10,000 rows and columns takes memory for its ones, and little time.
func TestLargeTable(t *testing.T) {
	m := &Matrix{Columns: 10000, Ones: make([][]int32, 10000)}
	rng := newTestRand()
	truth := make([][]int32, 0, 60)
	for range 60 {
		var columns []int32
		for range 30 {
			columns = append(columns, int32(rng.IntN(10000)))
		}
		truth = append(truth, columns)
	}
	for i := range m.Ones {
		for range 2 {
			m.Ones[i] = append(m.Ones[i], truth[rng.IntN(60)]...)
		}
		slices.Sort(m.Ones[i])
		m.Ones[i] = slices.Compact(m.Ones[i])
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := find(t, m, Options{})
	runtime.ReadMemStats(&after)
	if len(c.Blocks) != 60 || !c.Optimal() {
		t.Errorf("%d blocks, a certificate of %d", len(c.Blocks), len(c.Certificate))
	}
	if used, ink := after.TotalAlloc-before.TotalAlloc, uint64(m.Ink()); used > 64*ink {
		t.Errorf("%d bytes allocated for %d ones", used, ink)
	}
}

// A learner gets a model of a table made of blocks, and none of noise or with unknown
// bits.
func TestStart(t *testing.T) {
	rng := newTestRand()
	made := func(flip float64) patchwork.Data {
		var data patchwork.Data
		for i := range 60 {
			img := bitmap.New(1, 30)
			for d := range 30 {
				on := i%2 == 0 && d < 8 || i%3 == 0 && d >= 6 && d < 15 || i%5 == 0 && d > 20
				img.Set(0, d, on != (rng.Float64() < flip))
			}
			data.Images, data.Weights = append(data.Images, img), append(data.Weights, int64(1+i%2))
		}
		return data
	}
	clean := made(0)
	m, length, err := Start(t.Context(), clean, 0, 2)
	if err != nil || m == nil || m.K() != 3 {
		t.Fatalf("a model of %v, %v", m, err)
	}
	if want := m.Extras().Record.DescriptionLength; length <= 0 || length > 2*want {
		t.Errorf("the blocks describe the table in %v nats, as rows of weight 1 in %v", length, want)
	}
	if m, _, err := Start(t.Context(), made(0.3), 0, 1); err != nil || m != nil {
		t.Errorf("of noise: %v, %v", m, err)
	}
	gap := made(0)
	gap.Images[3].SetUnknown(0, 2)
	if m, _, err := Start(t.Context(), gap, 0, 1); err != nil || m != nil {
		t.Errorf("with an unknown bit: %v, %v", m, err)
	}
	empty := patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 5)}}
	if m, _, err := Start(t.Context(), empty, 0, 1); err != nil || m != nil {
		t.Errorf("without ones: %v, %v", m, err)
	}
	if _, _, err := Start(canceled(), clean, 0, 1); err == nil {
		t.Error("no error after the end of the context")
	}
}

// The start is no longer than the fewest blocks, nor than the cheapest, which are often
// more and longer.
func TestStartTakesTheBriefest(t *testing.T) {
	rng := newTestRand()
	var data patchwork.Data
	for range 150 {
		img := bitmap.New(1, 12)
		for k := range 4 {
			for d := 3 * k; rng.Float64() < 0.4 && d < 3*k+4; d++ {
				img.Set(0, d%12, true)
				img.Set(0, (d+1)%12, true)
			}
		}
		data.Images = append(data.Images, img)
	}
	m, length, err := Start(t.Context(), data, 0, 1)
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	one := func(int) int64 { return 1 }
	for _, cheapest := range []bool{false, true} {
		c, err := Find(t.Context(), Of(data.Images), Options{Cheapest: cheapest, Steps: cellSteps * 150 * 12})
		if err != nil {
			t.Fatal(err)
		}
		if other := describe(150, 12, c.Blocks, one); length > other {
			t.Errorf("%d blocks take %v nats, %d take %v (cheapest: %v)", m.K(), length, len(c.Blocks), other, cheapest)
		}
	}
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// No two cells that are apart fit in one block, so that no cover has fewer blocks; of a
// table of scattered ones there are many.
func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatrix(t, 9)
		may := allowed(m)
		apart := m.apart(20)
		for n, c := range apart {
			if !slices.Contains(m.Ones[c.Row], c.Column) {
				t.Fatalf("%v is not on", c)
			}
			for _, d := range apart[:n] {
				if may[Cell{c.Row, d.Column}] && may[Cell{d.Row, c.Column}] {
					t.Fatalf("%v and %v fit in one block", c, d)
				}
			}
		}
		if c, err := Find(context.Background(), m, Options{}); err != nil || len(c.Blocks) < len(apart) {
			t.Fatalf("%d blocks (%v) cover %d cells that are apart", len(c.Blocks), err, len(apart))
		}
	})
	var images []*bitmap.Image
	for i := range 30 {
		img := bitmap.New(1, 20)
		img.Set(0, i%20, true)
		images = append(images, img)
	}
	for n, want := range map[int]bool{0: true, 19: true, 20: false, 40: false} {
		if MoreThan(n, images) != want {
			t.Errorf("more than %d of 20 blocks: %v", n, !want)
		}
	}
}
