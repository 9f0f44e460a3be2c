package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSampler: what can be read only once has the fingerprint of the file, in pieces of any size, and
// a byte that is among those kept, or the length, changes it.
func TestSampler(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	content := make([]byte, 5<<20)
	for i := range content {
		content[i] = byte(rng.Uint32())
	}
	of := func(b []byte) string {
		s := new(sampler)
		if err := s.readFrom(bytes.NewReader(b), int64(len(b))); err != nil {
			t.Fatal(err)
		}
		return s.sum()
	}
	rapid.Check(t, func(t *rapid.T) {
		b := content[:rapid.OneOf(rapid.IntRange(0, 9000), rapid.IntRange(1<<20-2, 1<<20+9000), rapid.IntRange(0, len(content))).Draw(t, "length")]
		s := new(sampler)
		piece := rapid.SampledFrom([]int{100, 4095, 1 << 16, 1 << 21}).Draw(t, "piece")
		for at := 0; at < len(b); at += piece {
			s.Write(b[at:min(at+piece, len(b))])
		}
		if s.sum() != of(b) {
			t.Fatalf("%d bytes in pieces of %d have another fingerprint", len(b), piece)
		}
	})
	for _, at := range []int{0, 1<<20 - 1, 1 << 20, 1<<20 + 4095, 1<<20 + 1<<16, 4 << 20} {
		other := bytes.Clone(content)
		if other[at] ^= 1; of(other) == of(content) {
			t.Errorf("byte %d does not matter", at)
		}
	}
	if of(content) == of(content[:len(content)-1]) {
		t.Error("the length does not matter")
	}
}

// TestStretches: rows are numbered in their files, whatever is selected, in memory and as a stream,
// as bits and as real values.
func TestStretches(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, n := range []int{4, 1, 5} {
		text := "y,a,b\n"
		for j := range n {
			text += fmt.Sprintf("%c,%d,%d\n", 'p'+j%2, j%2, i%2)
		}
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("%d.csv", i)))
		if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const all, some, odd = "[{0 3 4} {1 0 1} {2 0 2}]", "[{0 0 1} {0 2 3} {1 0 1} {2 0 1} {2 2 3} {2 4 5}]", "[{0 1 2} {0 3 4} {2 1 2} {2 3 4}]"
	check := func(what string, got []Stretch, want string) {
		t.Helper()
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for where, want := range map[string]string{"": all, "y=p": some, "y=q": odd} {
		opts := Options{Meta: []string{"y"}}
		skip, take := 3, 4
		if where != "" {
			c, err := ParseCondition(where)
			if err != nil {
				t.Fatal(err)
			}
			opts.Where, skip, take = []Condition{c}, 0, 100
		}
		set, err := Read(paths, opts)
		if err != nil {
			t.Fatal(err)
		}
		check("bits "+where, set.Skip(skip).Take(take).Stretches(), want)
		stream, err := Open(t.Context(), paths, opts)
		if err != nil {
			t.Fatal(err)
		}
		var got []Stretch
		for s, err := range stream.Cut(skip, take).Sets(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s.Stretches()...)
		}
		check("stream "+where, got, want)
		v, err := ReadValues(paths, opts)
		if err != nil {
			t.Fatal(err)
		}
		check("values "+where, v.Cut(skip, take).Stretches(), want)
	}
	values, err := OpenValues(paths, Options{Meta: []string{"y"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []Stretch
	for _, err := range values.Cut(3, 4).Watch(func(s Stretch) { got = append(got, s) }).Blocks(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check("stream of values", got, all)
}

// TestFingerprint: a file is the same under another name, a folder is not if one of its pictures is not.
func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	print := func(path string) string {
		sum, err := Fingerprint(path)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	if a := print(save("a.csv", "0,1\n")); a != print(save("b.csv", "0,1\n")) || a == print(save("c.csv", "0,0\n")) || len(a) != 64 {
		t.Errorf("fingerprint %s", a)
	}
	for _, f := range []string{"one", "two", "three"} {
		for i := range 3 {
			save(fmt.Sprintf("%s/%d.pbm", f, i), "P1 2 1\n0 "+strings.Repeat("1", 1)+"\n")
		}
	}
	save("two/1.pbm", "P1 2 1\n1 1\n")
	save("three/note.txt", "of no matter")
	if one := print(filepath.Join(dir, "one")); one == print(filepath.Join(dir, "two")) || one != print(filepath.Join(dir, "three")) {
		t.Error("folders are not told by their pictures")
	}
	if sum, err := new(Set).Fingerprint(0); sum != "" || err != nil || new(Set).Stretches() != nil {
		t.Error("a set of no files has a fingerprint")
	}
}
