package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"example.com/patchwork/internal/npy"
)

// drawnSheet writes a drawing, its symbols and its page into a new folder, and returns how many
// placements of each symbol there are.
func drawnSheet(t *testing.T, args string) []int {
	t.Helper()
	t.Chdir(t.TempDir())
	must(t, fields("synth sheet -o sheet.npz --model symbols.npz -q "+args)...)
	must(t, fields("synth sheet -o page.png -q "+args)...)
	_, a := arraysOf(t, "sheet.npz")
	counts := make([]int, 34)
	for _, v := range integers(t, a["symbol"]) {
		counts[v]++
	}
	return counts
}

// integers returns the numbers of an array.
func integers(t *testing.T, a *npy.Array) (out []int) {
	t.Helper()
	values, err := a.Int64s()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		out = append(out, int(v))
	}
	return out
}

// tableOf reads a CSV file as maps by column.
func tableOf(t *testing.T, file string) (header []string, rows []map[string]string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(read(t, file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, v := range line {
			row[all[0][i]] = v
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// Of several pages, all files with drawings are named.
func TestFindNamesDrawings(t *testing.T) {
	drawnSheet(t, "--seed 3")
	for pages, want := range map[string]string{"page.png": "\nwrote o.png\n",
		"page.png page.png":          "\nwrote o.png and o-2.png: ",
		"page.png page.png page.png": "\nwrote o.png and o-2.png to o-3.png: "} {
		out := patchworkCommand(t, fields("find -m symbols.npz -o finds.csv --picture o.png "+pages)...).out
		if !strings.Contains(out, want) || strings.Count(out, "o.png") != 1 {
			t.Errorf("%s: %q", pages, out)
		}
		if _, err := os.Stat(fmt.Sprintf("o-%d.png", strings.Count(pages, "page"))); err != nil && pages != "page.png" {
			t.Error(err)
		}
	}
}

// Every symbol is found where it stands, and the table, the counts and the object agree.
func TestFind(t *testing.T) {
	want := drawnSheet(t, "--seed 3")
	must(t, fields("find -m symbols.npz page.png --turns --mirror -o finds.csv --picture o.svg -q")...)
	header, rows := tableOf(t, "finds.csv")
	if got := strings.Join(header, ","); !strings.HasPrefix(got,
		"page,part,name,y,x,angle,mirrored,gain,log_odds,certain,") {
		t.Errorf("columns %s", got)
	}
	_, a := arraysOf(t, "sheet.npz")
	symbol, y, x := integers(t, a["symbol"]), integers(t, a["at_y"]), integers(t, a["at_x"])
	for i := range symbol {
		hit := 0
		for _, r := range rows {
			if r["part"] == strconv.Itoa(symbol[i]) && r["y"] == strconv.Itoa(y[i]) && r["x"] == strconv.Itoa(x[i]) &&
				r["certain"] == "1" && r["name"] == fmt.Sprintf("part %d", symbol[i]+1) {
				hit++
			}
		}
		if hit != 1 {
			t.Errorf("symbol %d at y %d, x %d is there %d times", symbol[i], y[i], x[i], hit)
		}
	}
	var object findReport
	if err := json.Unmarshal([]byte(must(t, fields("find -m symbols.npz page.png --turns --mirror --json")...)),
		&object); err != nil {
		t.Fatal(err)
	}
	if len(object.Finds) != len(rows) || len(object.Counts) != 34 || len(object.Pages) != 1 ||
		object.Pages[0].Flip < 0.008 || object.Pages[0].Flip > 0.012 {
		t.Errorf("%d finds, %d counts, pages %+v; the table has %d rows", len(object.Finds), len(object.Counts), object.Pages,
			len(rows))
	}
	for k, c := range object.Counts {
		if c.Count != want[k] || c.Part != k {
			t.Errorf("symbol %d: count %d, want %d", k, c.Count, want[k])
		}
	}
	if svg := read(t, "o.svg"); strings.Count(svg, "<rect") != len(rows) {
		t.Errorf("%d boxes on the page, %d finds", strings.Count(svg, "<rect"), len(rows))
	}
}

// What is withheld is counted with its reason, told, drawn, and listed when asked for; --all withholds nothing.
func TestFindSaysWhatIsWithheld(t *testing.T) {
	want := drawnSheet(t, "--seed 5 --symbols 4 --objects 24 --flip 0")
	_, a := arraysOf(t, "sheet.npz")
	symbol, y, x := integers(t, a["symbol"]), integers(t, a["at_y"]), integers(t, a["at_x"])
	first := slices.Index(symbol, 0)
	find := fmt.Sprintf("find page.png --turns --mirror --symbol triangle=%d,%d,38,38 ", x[first]+6, y[first]+6)
	var object findReport
	o := patchworkCommand(t, fields(find+"--json --picture o.svg")...)
	if err := json.Unmarshal([]byte(o.out), &object); err != nil || o.code != 0 {
		t.Fatal(err, o.err)
	}
	n := len(object.Withheld)
	if c := object.Counts[0]; c.Count != want[0] || c.Withheld != n || n != want[1] || c.Why["more ink"] != n {
		t.Errorf("%+v, want %d triangles, and those in squares withheld: %d", c, want[0], want[1])
	}
	if says := fmt.Sprintf("%d places that may be symbols withheld: more ink", n); !strings.Contains(o.err, says) {
		t.Errorf("%q does not say %q", o.err, says)
	}
	if svg := read(t, "o.svg"); strings.Count(svg, ">triangle: more ink<") != n {
		t.Errorf("the drawing has not the %d that are withheld", n)
	}
	for flag, rows := range map[string]int{"": want[0], "--withheld": want[0] + n, "--all": want[0] + n} {
		o := patchworkCommand(t, fields(find+flag)...)
		says := fmt.Sprintf("%d  triangle; %d more withheld: more ink", want[0], n)
		if strings.Count(o.out, "\n") != 1+rows || strings.Count(o.out, ",withheld,") != n*strings.Count(flag, "withheld") ||
			strings.Contains(o.err, says) != (flag != "--all") {
			t.Errorf("%s: %s%s", flag, o.out, o.err)
		}
	}
}

// The bytes do not depend on tiles and workers.
func TestFindInTiles(t *testing.T) {
	drawnSheet(t, "--seed 4 --flip 0.03 --size 400x600 --symbols 8 --objects 8")
	want := ""
	for _, ways := range []string{"--tiles 1 --workers 1", "--tiles 4 --workers 2", "--tiles 50 --workers 7",
		"--workers 1"} {
		must(t, fields("find -m symbols.npz page.png --turns --mirror --all -q -o finds.csv --picture o.png "+ways)...)
		got := read(t, "finds.csv") + read(t, "o.png")
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s: other bytes", ways)
		}
	}
}

// Cuts, pictures and rivals are symbols like those of a model, and TIFF is a page like PNG.
func TestFindCutsAndRivals(t *testing.T) {
	want := drawnSheet(t, "--seed 5 --symbols 4 --objects 24")
	_, a := arraysOf(t, "sheet.npz")
	symbol, y, x := integers(t, a["symbol"]), integers(t, a["at_y"]), integers(t, a["at_x"])
	first := 0
	for symbol[first] != 1 {
		first++
	}
	cut := "square=" + strconv.Itoa(x[first]+2) + "," + strconv.Itoa(y[first]+2) + ",46,46"
	must(t, "find", "page.png", "--turns", "--mirror", "--symbol", cut, "-q", "-o", "cuts.csv")
	if _, rows := tableOf(t, "cuts.csv"); len(rows) != want[1] || rows[0]["name"] != "square" {
		t.Errorf("%d of %d finds of a cut: %v", len(rows), want[1], rows)
	}
	page, data := pageAsTIFF(t)
	write(t, "page.tif", string(data))
	var glyph bytes.Buffer
	part := image.NewGray(image.Rect(0, 0, 46, 46))
	for r := range 46 {
		for c := range 46 {
			part.Set(c, r, color.GrayModel.Convert(page.At(x[first]+2+c, y[first]+2+r)))
		}
	}
	if err := png.Encode(&glyph, part); err != nil {
		t.Fatal(err)
	}
	write(t, "square.png", glyph.String())
	must(t, fields("find page.tif --turns --mirror --symbol square.png -q -o pictures.csv")...)
	if _, rows := tableOf(t, "pictures.csv"); len(rows) != want[1] || rows[0]["page"] != "page.tif" {
		t.Errorf("%d of %d finds of a picture", len(rows), want[1])
	}
	piece := strconv.Itoa(x[first]+4) + "," + strconv.Itoa(y[first]+4) + ",9,9"
	if o := patchworkCommand(t, "find", "page.png", "--symbol", piece, "-o", "piece.csv"); o.code != 0 ||
		!strings.Contains(o.err, "cut 1 was found nowhere, not even where it was cut") {
		t.Errorf("a piece of a symbol: exit %d, %q", o.code, o.err)
	}
	must(t, fields("find -m symbols.npz page.png --turns --mirror --rival 3 -q -o rivals.csv")...)
	if _, rows := tableOf(t, "rivals.csv"); len(rows) != want[0]+want[1]+want[2] {
		t.Errorf("%d finds without registers, want %v", len(rows), want)
	}
}

// pageAsTIFF returns page.png, and as a TIFF file.
func pageAsTIFF(t *testing.T) (image.Image, []byte) {
	t.Helper()
	page, err := png.Decode(strings.NewReader(read(t, "page.png")))
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := tiff.Encode(&data, page, nil); err != nil {
		t.Fatal(err)
	}
	return page, data.Bytes()
}

// All pages of a TIFF are read, and what was done in reading a page is told.
func TestFindInTIFFPages(t *testing.T) {
	drawnSheet(t, "--seed 3")
	_, one := pageAsTIFF(t)
	// The page twice: the second directory is a copy of the first, to which its end points.
	at := binary.LittleEndian.Uint32(one[4:])
	end := at + 2 + 12*uint32(binary.LittleEndian.Uint16(one[at:]))
	two := append(bytes.Clone(one), one[at:end+4]...)
	binary.LittleEndian.PutUint32(two[end:], uint32(len(one)))
	write(t, "two.tif", string(two))
	o := patchworkCommand(t, fields("find -m symbols.npz two.tif --turns --mirror --json")...)
	if o.code != 0 || strings.Count(o.out, `"page":"two.tif 1","height"`) != 1 ||
		strings.Count(o.out, `"page":"two.tif 2","height"`) != 1 {
		t.Errorf("exit %d, %q, %q", o.code, o.out, o.err)
	}
	must(t, fields("find -m symbols.npz two.tif --turns --mirror -q -o finds.csv")...)
	_, rows := tableOf(t, "finds.csv")
	if n := len(rows) / 2; n == 0 || rows[0]["page"] != "two.tif 1" || rows[n]["page"] != "two.tif 2" ||
		rows[0]["gain"] != rows[n]["gain"] {
		t.Errorf("%v", rows)
	}
	write(t, "torn.tif", string(two[:100]))
	if o := patchworkCommand(t, fields("find -m symbols.npz torn.tif")...); o.code != 2 || !strings.Contains(o.err, "torn.tif") {
		t.Errorf("a torn file: exit %d, %q", o.code, o.err)
	}
}

// PDF is drawn by pdftoppm, and without it the message says so.
func TestFindInPDF(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth sheet --seed 2 -o sheet.npz --model symbols.npz -q")...)
	write(t, "page.pdf", "%PDF-1.4\nnot really")
	if _, err := exec.LookPath("pdftoppm"); err == nil {
		o := patchworkCommand(t, fields("find -m symbols.npz page.pdf")...)
		if o.code != 2 || !strings.Contains(o.err, "page.pdf: pdftoppm could not draw it") {
			t.Errorf("exit %d, %q", o.code, o.err)
		}
		write(t, "blank.pdf", blankPDF)
		if o := patchworkCommand(t, fields("find -m symbols.npz blank.pdf --dpi 40")...); o.code != 0 ||
			strings.Count(o.out, "\n") != 1 {
			t.Errorf("a blank page: exit %d, %q, %q", o.code, o.out, o.err)
		}
	}
	t.Setenv("PATH", "")
	o := patchworkCommand(t, fields("find -m symbols.npz page.pdf")...)
	if o.code != 2 || !strings.Contains(o.err,
		"pdftoppm, which would draw its pages, is not installed: install poppler-utils") {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
}

// blankPDF is a page of 3 x 3 inches with nothing on it.
const blankPDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 216 216]>>endobj
trailer<</Root 1 0 R>>
`

// What is wrong is said in one line, with the way out, and nothing is written.
func TestFindRefuses(t *testing.T) {
	drawnSheet(t, "--seed 1 --size 200x300")
	write(t, "table.csv", "a,b\n1,0\n0,1\n")
	for _, c := range []struct{ args, says string }{
		{"find", "no page"},
		{"find page.png", "give -m MODEL, --symbol FILE or --symbol X,Y,W,H"},
		{"find page.png --symbol 1,2,3", "four whole numbers, X,Y,W,H"},
		{"find page.png --symbol 290,10,40,40", "does not lie on the page of 300 x 200"},
		{"find page.png --symbol 1,2,3,9999999999999999999", "four whole numbers"},
		{"find page.png --symbol 0,0,1,1", "has no ink: it is bare paper"},
		{"find -m symbols.npz missing.png", "missing.png"},
		{"find -m symbols.npz table.csv", "is a table"},
		{"find -m symbols.npz page.png --scales 9", "from 0.25 to 4"},
		{"find -m symbols.npz page.png --rotate 9", "RANGE:STEP"},
		{"find -m symbols.npz page.png --min-odds -1", "--min-odds"},
		{"find -m symbols.npz page.png --tiles -3", "--tiles"},
		{"find -m symbols.npz page.png --dpi 1", "--dpi"},
		{"find -m symbols.npz page.png --rival nothing.png", "nothing.png"},
		{"find -m symbols.npz page.png -o finds.txt", "finds.txt"},
		{"find -m symbols.npz page.png -o page.png", "page.png"},
		{"find -m symbols.npz page.png --json -o -", "--json"},
	} {
		o := patchworkCommand(t, fields(c.args)...)
		if o.code != 2 || !strings.Contains(o.err, c.says) || strings.Count(strings.TrimSpace(o.err), "\n") > 1 {
			t.Errorf("patchwork %s: exit %d, %q; want %q", c.args, o.code, o.err, c.says)
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 4 { // the drawing, its model and page, the table
		t.Errorf("files were left: %v", entries)
	}
}
