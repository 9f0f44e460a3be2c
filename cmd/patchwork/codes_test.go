package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/modelfile"
)

// codeFormats are the formats of tables of explanations.
var codeFormats = []string{".npz", ".csv", ".parquet"}

// votes learns three parts from the first 200 rows of tables, as m.npz.
func votes(t *testing.T) {
	t.Helper()
	tables(t, 1500)
	must(t, fields("learn x.npz -q -o m.npz -k 3 --rule max-minus-min --starts 1 --rows :200")...)
}

// arraysOf reads all arrays of an archive.
func arraysOf(t *testing.T, path string) (names []string, arrays map[string]*npy.Array) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := npy.ReadZip(bytes.NewReader(b), int64(len(b)), 0)
	if err != nil {
		t.Fatal(err)
	}
	arrays = map[string]*npy.Array{}
	for _, name := range z.Arrays() {
		if arrays[name], err = z.Array(name); err != nil {
			t.Fatal(err)
		}
	}
	return z.Arrays(), arrays
}

// The arrays of codes.npz are the picks of the lines, with the rows' numbers, labels,
// weights and log-likelihoods.
func TestCodesAreThePicks(t *testing.T) {
	t.Chdir(t.TempDir())
	votes(t)
	for _, flags := range []string{"", " --rows 101: --where label!=0", " --max-picks 1", " --rows :3", " --shift 0,1"} {
		lines := explained(t, must(t, fields("explain -m m.npz x.npz"+flags)...))
		must(t, fields("explain -m m.npz x.npz -o c.npz"+flags)...)
		names, a := arraysOf(t, "c.npz")
		if got := strings.Join(names, " "); got != "label row weight codes gain log_lik parts" {
			t.Fatalf("arrays %s", got)
		}
		if names := a["parts"].Data; !slices.Equal(names.([]string), []string{"part 1", "part 2", "part 3"}) {
			t.Fatalf("parts %q", names)
		}
		n, k := len(lines), 3
		codes, gain := a["codes"].Data.([]uint8), a["gain"].Data.([]float64)
		if !slices.Equal(a["codes"].Shape, []int{n, k}) || !slices.Equal(a["gain"].Shape, []int{n, k}) ||
			!slices.Equal(a["row"].Shape, []int{n}) {
			t.Fatalf("%s: shapes %v, %v, %v for %d lines", flags, a["codes"].Shape, a["gain"].Shape, a["row"].Shape, n)
		}
		picks := 0
		for i, l := range lines {
			want, gains := make([]uint8, k), make([]float64, k)
			for _, p := range l.Picks {
				e := int(p["part"].(float64))
				want[e]++
				gains[e] += p["gain"].(float64)
				picks++
			}
			if !slices.Equal(codes[i*k:(i+1)*k], want) {
				t.Fatalf("%s: row %d is %v, the line's picks %v", flags, i, codes[i*k:(i+1)*k], l.Picks)
			}
			for j := range want {
				if math.Abs(gain[i*k+j]-gains[j]) > 1e-6 {
					t.Errorf("%s: row %d has gains %v, the line's picks %v", flags, i, gain[i*k:(i+1)*k], l.Picks)
				}
			}
			row := *l.Index
			if a["row"].Data.([]int64)[i] != int64(row)+1 || a["label"].Data.([]int64)[i] != int64(row%5) ||
				a["weight"].Data.([]int64)[i] != 1+int64(row%3) ||
				readable(a["log_lik"].Data.([]float64)[i]) != *l.LogLik {
				t.Errorf("%s: row %d: %v of row, %v of label, %v of weight, %v of log_lik; the line is %+v", flags, i,
					a["row"].Data, a["label"].Data, a["weight"].Data, a["log_lik"].Data, l)
			}
		}
		if picks == 0 {
			t.Errorf("%s: no picks", flags)
		}
	}
}

// Every format has the same values, with a column per part.
func TestCodesInEveryFormat(t *testing.T) {
	t.Chdir(t.TempDir())
	votes(t)
	for _, f := range codeFormats {
		must(t, fields("explain -m m.npz x.npz --rows :400 -o c"+f)...)
	}
	_, a := arraysOf(t, "c.npz")
	parts, gains := []string{"part 1", "part 2", "part 3"}, []string{"part 1 gain", "part 2 gain", "part 3 gain"}
	header := slices.Concat([]string{"label", "row", "weight"}, parts, gains, []string{"log_lik"})
	if first, _, _ := strings.Cut(read(t, "c.csv"), "\n"); first != strings.Join(header, ",") {
		t.Errorf("the header is %s", first)
	}
	for _, f := range codeFormats[1:] {
		given := func(v float64) float64 { return v }
		if f == ".csv" {
			given = rounded
		}
		edits := []dataset.Edit{{Column: "weight", Want: "weight"}}
		for _, name := range slices.Concat(gains, []string{"label", "row", "log_lik"}) {
			edits = append(edits, dataset.Edit{Column: name, Want: "label"})
		}
		set, err := dataset.Read([]string{"c" + f}, dataset.Options{Edits: edits, Columns: parts})
		if err != nil {
			t.Fatal(err)
		}
		var codes []uint8
		for _, img := range set.Images {
			codes = img.AppendBytes(codes)
		}
		if !slices.Equal(codes, a["codes"].Data.([]uint8)) || !slices.Equal(set.Weights, a["weight"].Data.([]int64)) {
			t.Errorf("%s: other codes or weights", f)
		}
		for _, name := range []string{"label", "row"} {
			c, err := set.Column(name)
			if err != nil || fmt.Sprint(c.Cells) != fmt.Sprint(a[name].Data) {
				t.Errorf("%s: %s is %v, %v; want %v", f, name, c.Cells, err, a[name].Data)
			}
		}
		for i, v := range a["log_lik"].Data.([]float64) {
			if c, err := set.Column("log_lik"); err != nil || c.Number(i) != given(v) {
				t.Fatalf("%s: log_lik is %v, %v; want %v", f, c.Cells, err, a["log_lik"].Data)
			}
		}
		for k, name := range gains {
			c, err := set.Column(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range set.Images {
				if got, want := c.Text(i), strconv.FormatFloat(given(a["gain"].Data.([]float64)[3*i+k]), 'g', -1, 64); got != want {
					t.Fatalf("%s: row %d of %s is %s, want %s", f, i, name, got, want)
				}
			}
		}
	}
}

// The bytes are the same for any number of workers, streamed or not.
func TestCodesAreTheSameBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	votes(t)
	for _, f := range codeFormats {
		must(t, fields("explain -m m.npz x.npz --workers 1 -o want"+f)...)
		want := read(t, "want"+f)
		for _, workers := range []string{"2", "7"} {
			must(t, fields("explain -m m.npz x.npz -o got"+f+" --workers "+workers)...)
			if read(t, "got"+f) != want {
				t.Errorf("%s with %s workers has other bytes", f, workers)
			}
		}
		streamed(t, "explain -m m.npz x.npz -o got"+f+" --workers 2")
		if read(t, "got"+f) != want {
			t.Errorf("%s streamed has other bytes", f)
		}
		streamed(t, "explain -m m.npz x.csv --column weight=weight --column label=label -o got"+f)
		if read(t, "got"+f) != want {
			t.Errorf("%s of CSV, streamed, has other bytes", f)
		}
	}
}

// Columns whose names clash get underscores: first come the names that programs rely
// on, then labels, then parts.
func TestCodesWithClashingNames(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 2, Q: 0.1},
		[][]float64{{0.9, 0.1}, {0.1, 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("m.npz", m); err != nil {
		t.Fatal(err)
	}
	write(t, "x.csv", "row,part 1,log_lik,codes,part 1_,part 2 gain,a,b\n5,u,v,w,x,y,1,0\n6,u,v,w,x,y,1,1\n")
	const command = "explain -m m.npz x.csv --columns a,b --column row=label --column log_lik=label " +
		"--column codes=label -o c"
	for _, f := range []string{".csv", ".npz"} {
		must(t, append(fields(command+f), "--column", "part 1=label", "--column", "part 1_=label",
			"--column", "part 2 gain=label")...)
	}
	records, err := csv.NewReader(strings.NewReader(read(t, "c.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(records[0],
		","); got != "row_,log_lik_,codes,part 1,part 1_,part 2 gain,row,part 1__,part 2,part 1 gain,part 2 gain_,log_lik" {
		t.Errorf("header %s", got)
	}
	if got := strings.Join(records[2][:9], ","); got != "6,v,w,u,x,y,2,1,1" {
		t.Errorf("second row %s", got)
	}
	if names, _ := arraysOf(t, "c.npz"); strings.Join(names,
		",") != "row_,log_lik_,codes_,part 1,part 1_,part 2 gain,row,codes,gain,log_lik,parts" {
		t.Errorf("arrays %v", names)
	}
}

// A part that is used several times in an image has their number and the sum of their
// gains.
func TestCodesCountReuse(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "scenes", "--n", "3", "--exemplars", "1", "--seed", "2", "-o", "s.npz", "--model", "d.npz", "-q")
	flags := fields("explain -m d.npz s.npz --reuse 3 --rows :2")
	lines := explained(t, must(t, flags...))
	must(t, append(flags, "-o", "c.npz")...)
	_, a := arraysOf(t, "c.npz")
	codes, k := a["codes"].Data.([]uint8), a["codes"].Shape[1]
	for i, l := range lines {
		want := make([]uint8, k)
		for _, p := range l.Picks {
			want[int(p["part"].(float64))]++
		}
		if !slices.Equal(want, codes[i*k:(i+1)*k]) {
			t.Errorf("row %d is %v, picks %v", i, codes[i*k:(i+1)*k], want)
		}
	}
}

func TestCodesRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	for line, says := range map[string]string{
		"explain -m model.npz t.npz --best 3 -o c.npz":     "one explanation per row",
		"explain -m model.npz t.npz -o c.xlsx":             ".csv, .npz",
		"explain -m model.npz t.npz -o no/such/folder.csv": "create it first",
	} {
		if o := patchworkCommand(t, fields(line)...); o.code == 0 || !strings.Contains(o.err, says) || o.out != "" {
			t.Errorf("%s: exit %d, %q", line, o.code, o.err)
		}
	}
}
