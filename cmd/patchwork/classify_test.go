package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
)

// TestClassifyFormats: every format has the same names, in blocks as at once, and for any
// number of workers.
func TestClassifyFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "letters", "--letters", "TL", "--writers", "140", "--side", "20", "--seed", "2", "-o", "letters.npz")
	must(t, "classify", "learn", "letters.npz", "--by", "y", "--where", "writer<=2", "-o", "classes.npz")
	must(t, "classify", "predict", "-m", "classes.npz", "letters.npz", "-o", "whole.csv")
	whole := read(t, "whole.csv")
	if o := patchworkCommand(t, "classify", "predict", "-m", "classes.npz", "letters.npz", "--memory", "64KiB", "--workers", "3", "-o", "blocks.csv"); o.code != 0 || !strings.Contains(o.err, "block by block") {
		t.Fatalf("streamed: %+v", o)
	}
	if got := read(t, "blocks.csv"); got != whole {
		t.Error("named in blocks, images have other names")
	}
	var want []string
	for _, line := range strings.Split(strings.TrimSpace(whole), "\n")[1:] {
		want = append(want, strings.Split(line, ",")[1])
	}
	want = want[:40] // of 20 writers
	for _, format := range []string{"arrow", "parquet"} {
		must(t, "classify", "predict", "-m", "classes.npz", "letters.npz", "--where", "writer<=20", "-o", "named."+format)
		set, err := dataset.Read([]string{"named." + format}, dataset.Options{Columns: []string{"p:L", "p:T"}, Meta: []string{"class"}, Threshold: new(float64)})
		if err != nil {
			t.Fatal(err)
		}
		column, err := set.Column("class")
		if err != nil {
			t.Fatal(err)
		}
		if got := column.Values.([]string); !slices.Equal(got, want) {
			t.Errorf("%s: classes %v, want %v", format, got, want)
		}
	}
	lines := patchworkCommand(t, "classify", "predict", "-m", "classes.npz", "letters.npz", "--where", "writer<=20", "-o", "-").out
	if n := strings.Count(lines, `{"index":`); n != len(want) {
		t.Errorf("%d lines for %d images", n, len(want))
	}
}

// TestClassifySameBytes: the same request gives the same file for any number of workers,
// and a failure leaves the file that was there.
func TestClassifySameBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"synth", "letters", "--letters", "TL", "--writers", "4", "--side", "20", "-o", "letters.npz"},
		{"classify", "learn", "letters.npz", "--by", "y", "--workers", "1", "-o", "one.npz"},
		{"classify", "learn", "letters.npz", "--by", "y", "--workers", "3", "-o", "three.npz"},
	} {
		must(t, args...)
	}
	one := read(t, "one.npz")
	if read(t, "three.npz") != one {
		t.Error("other bytes with other workers")
	}
	if o := patchworkCommand(t, "classify", "learn", "letters.npz", "--by", "y", "--where", "y=T", "-o", "one.npz"); o.code != 2 {
		t.Errorf("exit code %d", o.code)
	}
	if read(t, "one.npz") != one {
		t.Error("a failure replaced the file")
	}
	if err := os.WriteFile("torn.npz", []byte(one[:len(one)/2]), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := patchworkCommand(t, "classify", "predict", "-m", "torn.npz", "letters.npz"); o.code != 2 || !strings.Contains(o.err, "torn.npz") {
		t.Errorf("a torn file: %+v", o)
	}
}

// TestConfusion: what is confused most is said where there are many classes, and labels
// that are no class count as wrong.
func TestConfusion(t *testing.T) {
	few := newConfusion([]string{"a", "b"})
	few.add("a", 0)
	few.add("b", 0)
	few.add("z", 0)
	few.add("", 0)
	if few.all != 3 || few.right != 1 || few.others != 1 || len(few.lines()) != 4 {
		t.Errorf("%+v\n%s", few, strings.Join(few.lines(), "\n"))
	}
	many := newConfusion(strings.Split("abcdefghijklmnop", ""))
	many.add("c", 3)
	many.add("c", 3)
	many.add("d", 2)
	if got := strings.Join(many.lines(), "\n"); got != "0 of 3 right, 0.0 %\n  2 of \"c\" named \"d\"\n  1 of \"d\" named \"c\"" {
		t.Error(got)
	}
}
