package main

import (
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
)

// show says the same of data as text, as JSON and on the sheet, in PNG and SVG.
func TestLook(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "sites.csv", "site,moss,fern,reed\nA,1,0,1\nB,1,?,1\nC,0,0,0\nD,1,0,1\n")
	out := must(t, "show", "sites.csv", "--column", "site=label", "-o", "sheet.svg")
	for _, want := range []string{
		"sites.csv: 4 rows of 3 columns, bits", "55 % of the known cells, 0 % to 100 % per row", "8.3 % of the cells",
		"site    label  you   4 values: A, B, C, D",
		"1 row without any ones: C", "1 row of nothing but ones: B", "1 row equal to an earlier one, such as D to A",
		"1 column the same in every row: fern", "moss    bit    file    75 % yes ████████",
		"0 % yes; 1 of 4 unknown", "A         moss, reed", "C         no ones", "wrote sheet.svg",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	svg := read(t, "sheet.svg")
	for _, want := range []string{"sites.csv: 4 rows of 3 columns", ">share of ones<", ">moss<", "rotate(-90", ">D<",
		">unknown<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q on the sheet", want)
		}
	}
	var o struct {
		Form    string
		Rows    int
		Columns []struct {
			Name, Kind string
			Missing    int
		}
		dataset.Overview
	}
	if err := json.Unmarshal([]byte(must(t, "show", "sites.csv", "--column", "site=label", "--json", "-o", "sheet.png",
		"-q")),
		&o); err != nil {
		t.Fatal(err)
	}
	if o.Rows != 4 || o.Form != "table" || o.Columns[0].Kind != "label" || o.Columns[2].Kind != "bit" ||
		o.Columns[2].Missing != 1 || !slices.Equal(o.Same, []int{3}) || !slices.Equal(o.SameAs, []int{0}) {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat("sheet.png"); err != nil {
		t.Error(err)
	}
	if out := must(t, "show", "sites.csv", "--column", "site=label", "-q"); out != "" {
		t.Errorf("quiet: %s", out)
	}
	write(t, "weighed.csv", "a,b,n\n1,0,3\n0,1,4\n")
	if out := must(t, fields("show weighed.csv --column n=weight")...); !strings.Contains(out, "3 to 4, in all 7") {
		t.Errorf("weights:\n%s", out)
	}
}

// A sheet of images shows them by their labels.
func TestLookAtImages(t *testing.T) {
	t.Chdir(t.TempDir())
	drawPhotos(t, "photos")
	blank := image.NewGray(image.Rect(0, 0, 20, 20))
	for i := range blank.Pix {
		blank.Pix[i] = 255
	}
	write(t, filepath.Join("photos", "T", "blank.png"), pngText(t, blank))
	must(t, "show", "photos", "--size", "28x28", "-o", "sheet.svg")
	svg := read(t, "sheet.svg")
	for _, want := range []string{">L · 8<", ">T · 17<", ">IMG_08<", ">blank<",
		"24 grey pictures were made binary at "} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q on the sheet", want)
		}
	}
	if n := strings.Count(svg, ">IMG_"); n != 8+9 {
		t.Errorf("%d images on the sheet beside the blank one, want 17 in rows of 10", n)
	}
	if out := must(t, "show", "photos", "--size", "28x28", "-o", "few.svg"); !strings.Contains(out,
		"few.svg: 18 of 25 images; --rows shows others") || !strings.Contains(svg, "18 of 25 images") {
		t.Errorf("not said how many are shown:\n%s", out)
	}
	out := must(t, "show", "photos", "--size", "28x28", "--where", "y=L")
	if !strings.Contains(out, "photos: 8 images of 28 x 28") || !strings.Contains(out, "█") {
		t.Errorf("in the terminal:\n%s", out)
	}
}
