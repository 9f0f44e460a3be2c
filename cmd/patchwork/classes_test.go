package main

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/testenv"
)

// TestClassesFormats: every format has the same names, in blocks as at once, and for any
// number of workers.
func TestClassesFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "letters", "--letters", "TL", "--writers", "140", "--side", "20", "--seed", "2", "-o", "letters.npz")
	must(t, "learn", "letters.npz", "--by", "y", "--where", "writer<=2", "-o", "classes.npz")
	must(t, "explain", "-m", "classes.npz", "letters.npz", "-o", "whole.csv")
	whole := read(t, "whole.csv")
	if o := patchworkCommand(t, "explain", "-m", "classes.npz", "letters.npz", "--memory", "64KiB",
		"--workers", "3", "-o", "blocks.csv"); o.code != 0 || !testenv.Said(t, o.err) {
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
	for _, format := range []string{"csv", "parquet"} {
		must(t, "explain", "-m", "classes.npz", "letters.npz", "--where", "writer<=20", "-o", "named."+format)
		set, err := dataset.Read([]string{"named." + format},
			dataset.Options{Edits: []dataset.Edit{{Column: "class", Want: "label"}}, Columns: []string{"p:L", "p:T"}, Threshold: new(float64)})
		if err != nil {
			t.Fatal(err)
		}
		column, err := set.Column("class")
		if err != nil {
			t.Fatal(err)
		}
		if got := column.Cells; !slices.Equal(got, want) {
			t.Errorf("%s: classes %v, want %v", format, got, want)
		}
	}
	lines := patchworkCommand(t, "explain", "-m", "classes.npz", "letters.npz", "--where", "writer<=20", "-o",
		"-").out
	if n := strings.Count(lines, `{"index":`); n != len(want) {
		t.Errorf("%d lines for %d images", n, len(want))
	}
}

// TestClassesSameBytes: the same request gives the same file for any number of workers,
// and a failure leaves the file that was there.
func TestClassesSameBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"synth", "letters", "--letters", "TL", "--writers", "4", "--side", "20", "-o", "letters.npz"},
		{"learn", "letters.npz", "--by", "y", "--workers", "1", "-o", "one.npz"},
		{"learn", "letters.npz", "--by", "y", "--workers", "3", "-o", "three.npz"},
	} {
		must(t, args...)
	}
	one := read(t, "one.npz")
	if read(t, "three.npz") != one {
		t.Error("other bytes with other workers")
	}
	if o := patchworkCommand(t, "learn", "letters.npz", "--by", "y", "--where", "y=T", "-o",
		"one.npz"); o.code != 2 {
		t.Errorf("exit code %d", o.code)
	}
	if read(t, "one.npz") != one {
		t.Error("a failure replaced the file")
	}
	if err := os.WriteFile("torn.npz", []byte(one[:len(one)/2]), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := patchworkCommand(t, "explain", "-m", "torn.npz", "letters.npz"); o.code != 2 ||
		!strings.Contains(o.err, "torn.npz") {
		t.Errorf("a torn file: %+v", o)
	}
}

// drawPictures writes pictures of upright and level bars, each kind in a folder of its own.
func drawPictures(t *testing.T, folder string, n int) {
	t.Helper()
	for _, kind := range []string{"level", "upright"} {
		if err := os.MkdirAll(filepath.Join(folder, kind), 0o777); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			img := image.NewGray(image.Rect(0, 0, 16, 16))
			for y := range 16 {
				for x := range 16 {
					along, across := x, y
					if kind == "upright" {
						along, across = y, x
					}
					img.Pix[16*y+x] = []byte{255, 0}[boolInt(along > 1 && along < 14 && across/2 == 3+i%2)]
				}
			}
			write(t, filepath.Join(folder, kind, fmt.Sprintf("%s%d.png", kind[:1], i)), pngText(t, img))
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestClassesPictures: folders of pictures are classes, what is predicted says which file
// it is about.
func TestClassesPictures(t *testing.T) {
	t.Chdir(t.TempDir())
	drawPictures(t, "shapes", 2)
	must(t, "-q", "learn", "shapes", "--by", "y", "-o", "classes.npz")
	must(t, "-q", "explain", "-m", "classes.npz", "shapes", "-o", "named.csv")
	lines := strings.Split(strings.TrimSpace(read(t, "named.csv")), "\n")
	if lines[0] != "index,class,probability,p:level,p:upright,name" || !strings.HasSuffix(lines[1], ",l0") ||
		!strings.HasPrefix(lines[4], "3,upright,") || !strings.HasSuffix(lines[4], ",u1") {
		t.Errorf("named %q", lines)
	}
	if o := patchworkCommand(t, "explain", "-m", "classes.npz", "shapes", "--rows",
		"3"); !strings.Contains(o.out, `"index":2,"name":"u0","class":"upright"`) {
		t.Errorf("%+v", o)
	}
}

// TestClassesFromAlphabet: the parts of classes begin with those of an alphabet.
func TestClassesFromAlphabet(t *testing.T) {
	if testing.Short() {
		t.Skip("learns an alphabet, a second")
	}
	t.Chdir(t.TempDir())
	for _, line := range []string{"synth letters --letters TL --writers 2 --side 20 --seed 2 -o letters.npz",
		"learn letters.npz --alphabet 2 --starts 1 -o alphabet.npz",
		"learn letters.npz --by y --starts 1 -o without.npz",
		"learn letters.npz --by y --start-from alphabet.npz --starts 1 -o from.npz",
		"explain -m from.npz letters.npz -o named.csv"} {
		must(t, fields(line)...)
	}
	if read(t, "from.npz") == read(t, "without.npz") {
		t.Error("the same bytes without an alphabet")
	}
}

// Classes are learned of rows in memory: more than --memory allows is refused as by other commands that hold all.
func TestClassesOfTooMuch(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "rows.csv.gz", packed("y,a\n"+strings.Repeat("1,0\n", 1_100_000)))
	if got := refused(t, fields("learn rows.csv.gz --by y --items --memory 100MB -o c.npz")...); !strings.Contains(
		got, "more lists than fit in 100") {
		t.Error(got)
	}
	if got := refused(t, fields("learn rows.csv.gz --by y --memory 100MB -o c.npz")...); !strings.Contains(got,
		"than fit in 100") || !strings.Contains(got, "this command holds all rows: take some with --rows A:B") {
		t.Error(got)
	}
}
