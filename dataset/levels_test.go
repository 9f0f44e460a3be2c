package dataset

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// Counts are those of a map, for few and for many values, of no byte and of many.
func TestLevelCounts(t *testing.T) {
	for _, values := range []int{1, 8, 9, 200, 300} {
		rng := rand.New(rand.NewPCG(1, uint64(values)))
		want, refused := map[string]int{}, 0
		var got levelCounts
		for range 5000 {
			i := rng.IntN(values)
			level := strings.Repeat("ä", i%150) + fmt.Sprint(i)
			if i == 0 {
				level = ""
			}
			added := got.add(level, levelLimit{mostLevels, levelBytes})
			if _, known := want[level]; !known && len(want) == mostLevels {
				refused++
				if added {
					t.Fatalf("%d values: one more than %d was counted", values, mostLevels)
				}
				continue
			}
			if want[level]++; !added {
				t.Fatalf("%d values: %q was not counted", values, level)
			}
		}
		found := maps.Collect(got.all())
		if !maps.Equal(found, want) || got.n != len(want) || got.count("another") != 0 {
			t.Errorf("%d values: %v, want %v", values, found, want)
		}
		if (values > mostLevels) != (refused > 0) {
			t.Errorf("%d values: %d refused", values, refused)
		}
	}
}

// The bytes of values are bounded, too, and the error says so.
func TestLongLevels(t *testing.T) {
	var c levelCounts
	limit := levelLimit{mostLevels, 100}
	long := strings.Repeat("x", 90)
	if !c.add(long, limit) || !c.add("0123456789", levelLimit{mostLevels, 102}) || c.add("another", limit) ||
		!c.add(long, limit) {
		t.Error("values of 90 and 10 bytes, and no more, fit in about 100")
	}
	if c := new(levelCounts); !c.add(long, levelLimit{mostLevels, 1}) {
		t.Error("the first value is counted whatever its length")
	}
	var b strings.Builder
	const columns = 100_000 // 167 bytes each
	for row := range 9 {
		for j := range columns {
			b.WriteString([]string{"", ","}[min(j, 1)])
			switch {
			case row == 0:
				fmt.Fprint(&b, "c", j)
			case j == 7:
				b.WriteString(strings.Repeat("abcd"[row%4:row%4+1], 200))
			default:
				b.WriteString("01"[(row+j)%2 : (row+j)%2+1])
			}
		}
		b.WriteByte('\n')
	}
	_, err := Decode(context.Background(), "t.csv", []byte(b.String()), Options{Edits: []Edit{{Column: "c7", Want: "category"}}})
	if err == nil || !testenv.Said(t, err.Error()) {
		t.Error(err)
	}
}

// A table of hundreds of thousands of columns is judged with some hundred bytes for each.
func TestWideTableOfWords(t *testing.T) {
	const columns, rows = 200_000, 6
	for name, cell := range map[string]func(i, j int) string{
		"words":   func(i, j int) string { return fmt.Sprint("w", (i*7919+j*31)%1000003) },
		"numbers": func(i, j int) string { return fmt.Sprint(float64((i*7919+j*31)%9973) / 10) },
		"kinds":   func(i, j int) string { return []string{"1", "2.5", "w", "?", "+", "P"}[(i+j)%6] },
		"blanks":  func(i, j int) string { return "" },
	} {
		s := survey{columns: make([]columnStats, columns)}
		row := make([]string, columns)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range rows {
			for j := range row {
				row[j] = cell(i, j)
			}
			s.add(row, i+2)
		}
		clear(row)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / columns; each > 600 {
			t.Errorf("%s: %d bytes for each column", name, each)
		}
		runtime.KeepAlive(&s)
	}
}

// What rows leave is collected while a very wide table of text is judged, and only then: it would
// grow to as much as the survey.
func TestTidySurvey(t *testing.T) {
	forced := func(columns int, cell string) uint32 {
		head, row := make([]string, columns), make([]string, columns)
		for i := range head {
			head[i], row[i] = fmt.Sprint("c", i), cell
		}
		text := strings.Join(head, ",") + "\n" + strings.Repeat(strings.Join(row, ",")+"\n", 3)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Decode(context.Background(), "t.csv", []byte(text), Options{}); err != nil {
			t.Fatalf("%d columns of %s: %v", columns, cell, err)
		}
		runtime.ReadMemStats(&after)
		return after.NumForcedGC - before.NumForcedGC
	}
	if n := forced(manyKinds+1, "word"); n < 4 {
		t.Errorf("%d collections for three rows of words and the plan", n)
	}
	if n := forced(manyKinds+1, "1") + forced(1000, "word"); n > 0 {
		t.Errorf("%d collections for bits and for a narrow table", n)
	}
}

// Names of any length are cut in errors that list them.
func TestLongNamesInErrors(t *testing.T) {
	name := strings.Repeat("n", 50_000)
	_, err := Decode(context.Background(), "t.csv", []byte(name+"a,"+name+"b\n0,1\n1,0\n"),
		Options{Columns: []string{"x"}})
	if err == nil || !testenv.Said(t, err.Error()) || len(err.Error()) > 1000 {
		t.Errorf("%.300v", err)
	}
}
