package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseFirstPer(t *testing.T) {
	for text, want := range map[string]FirstPer{
		"writer":       {[]string{"writer"}, 1},
		"writer:3":     {[]string{"writer"}, 3},
		" y , writer ": {[]string{"y", "writer"}, 1},
		"a:b:2":        {[]string{"a:b"}, 2},
	} {
		if got, err := ParseFirstPer(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ":2", "writer:0", "writer:-1", "writer:two", "writer:", "y,,writer", "y,"} {
		if got, err := ParseFirstPer(text); err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// drawWriters draws a file of images with writers and letters.
func drawWriters(rt *rapid.T) (members []npy.Member, writers []int64, letters []string) {
	n := rapid.IntRange(1, 40).Draw(rt, "n")
	writers = rapid.SliceOfN(rapid.Int64Range(-1, 4), n, n).Draw(rt, "writers")
	letters = rapid.SliceOfN(rapid.SampledFrom([]string{"T", "L", "", "a,b", "1:x"}), n, n).Draw(rt, "letters")
	bits := rapid.SliceOfN(rapid.Uint8Range(0, 1), 9*n, 9*n).Draw(rt, "bits")
	return []npy.Member{arr("x", bits, n, 3, 3), arr("writer", writers, n), arr("y", letters, n)}, writers, letters
}

// TestFirstPerLaws: the selection agrees with counting and keeps the order;
// selecting again changes nothing; a smaller count gives a subset; a file read
// in parts gives the same, with conditions before and a cut after.
func TestFirstPerLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		members, writers, letters := drawWriters(rt)
		path := write(t, "a.npz", npz(t, members...))
		f := FirstPer{Count: rapid.IntRange(0, 3).Draw(rt, "count"),
			Names: rapid.SampledFrom([][]string{{"writer"}, {"y"}, {"y", "writer"}, {"writer", "y"}, nil}).Draw(rt, "names")}
		all, err := Read([]string{path}, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := all.FirstPer(f)
		if err != nil {
			rt.Fatal(err)
		}
		seen, want := map[string]int{}, []int{}
		for i := range writers {
			key := ""
			if slices.Contains(f.Names, "writer") {
				key += fmt.Sprintf("%d ", writers[i])
			}
			if slices.Contains(f.Names, "y") {
				key += fmt.Sprintf("%q", letters[i])
			}
			if seen[key]++; seen[key] <= max(f.Count, 1) || f.Names == nil {
				want = append(want, i)
			}
		}
		if rows := got.Index; !slices.Equal(rows, want) {
			rt.Fatalf("%+v: rows %v, want %v of %v %q", f, rows, want, writers, letters)
		}
		again, err := got.FirstPer(f)
		if err != nil || !slices.Equal(again.Index, got.Index) && f.Names != nil {
			rt.Fatalf("again: %v, %v", again.Index, err)
		}
		more, err := all.FirstPer(FirstPer{f.Names, max(f.Count, 1) + 1})
		if err != nil || slices.ContainsFunc(got.Index, func(i int) bool { return !slices.Contains(more.Index, i) }) {
			rt.Fatalf("%v are not among %v, %v", got.Index, more.Index, err)
		}
		o := Options{FirstPer: f, partBytes: 1}
		if rapid.Bool().Draw(rt, "where") && slices.Contains(letters, "T") {
			o.Where = conditions(t, "y=T")
		}
		sameInParts(rt, path, o, rapid.IntRange(0, 3).Draw(rt, "skip"), rapid.IntRange(-1, 3).Draw(rt, "take"))
	})
}

// sameInParts compares a file read as a whole with the same file read in parts.
func sameInParts(rt *rapid.T, path string, o Options, skip, take int) {
	whole, err := Read([]string{path, path}, o)
	if err != nil {
		rt.Fatal(err)
	}
	n := whole.Len()
	if whole = whole.Cut(skip, -1); take >= 0 {
		whole = whole.Take(take)
	}
	if take == 0 || skip >= n {
		return // a stream reports it as an error
	}
	stream, err := OpenStream(rt.Context(), []string{path, path}, o)
	if err != nil {
		rt.Fatal(err)
	}
	if _, known := stream.Len(); known != (len(o.FirstPer.Names)+len(o.Where) == 0) {
		rt.Fatal("a stream that knows how many it will select")
	}
	parts, err := stream.Cut(skip, take).Set(rt.Context())
	if err != nil || !cmp.Equal(whole, parts, sameSets) {
		rt.Fatalf("whole %v, parts %v, %v", whole.Index, parts, err)
	}
}

// TestFirstPerOfShuffledGroups: mixing the groups, each in its own order,
// selects the same images.
func TestFirstPerOfShuffledGroups(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		members, writers, _ := drawWriters(rt)
		all := mustRead(t, "a.npz", npz(t, members...), Options{})
		order := rapid.Permutation(writers).Draw(rt, "order")
		next := map[int64]int{}
		var index []int
		for _, w := range order { // the next image of writer w
			i := next[w]
			for writers[i] != w {
				i++
			}
			next[w] = i + 1
			index = append(index, i)
		}
		f := FirstPer{[]string{"writer"}, rapid.IntRange(1, 3).Draw(rt, "count")}
		a, err := all.FirstPer(f)
		if err != nil {
			rt.Fatal(err)
		}
		b, err := all.Pick(index).FirstPer(f)
		if err != nil {
			rt.Fatal(err)
		}
		slices.Sort(b.Index)
		if !slices.Equal(a.Index, b.Index) {
			rt.Fatalf("%v, mixed %v", a.Index, b.Index)
		}
	})
}

func TestFirstPerRefusals(t *testing.T) {
	file := npz(t, arr("x", []uint8{1, 0, 1}, 3, 1, 1), arr("writer", []int64{1, 1, 2}, 3))
	refused(t, "a.npz", file, Options{FirstPer: FirstPer{Names: []string{"hand"}}})
	refused(t, "t.csv", []byte("a,b\n1,0\n"), Options{FirstPer: FirstPer{Names: []string{"hand"}}})
	if _, err := Read([]string{"a.npz"}, Options{FirstPer: FirstPer{Names: []string{"a"}, Count: -1}}); err == nil {
		t.Error("the first -1 of each")
	}
	// A table's column becomes metadata when it is requested.
	s := mustRead(t, "t.csv", []byte("a,b,w\n1,0,7\n0,0,7\n1,1,8\n"), Options{FirstPer: FirstPer{Names: []string{"w"}}})
	if pixels(s) != "#.\n##\n" || !slices.Equal(s.Index, []int{0, 2}) {
		t.Errorf("%s %v", pixels(s), s.Index)
	}
	// A stream bounds the number of groups.
	var rows strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&rows, "1,w%d\n", i)
	}
	stream, err := OpenStream(t.Context(), []string{write(t, "t.csv", []byte(rows.String()))},
		Options{FirstPer: FirstPer{Names: []string{"2"}}, MaxMemory: 1 << 17, partBytes: 1 << 10, Header: HeaderAbsent})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = stream.Set(t.Context()); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("4000 groups: %v", err)
	}
}
