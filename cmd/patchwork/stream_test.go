package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/modelfile"
)

// tables writes n rows of 20 bits, with weights and a label, as x.npz, x.csv and
// x.npy (which has the bits alone), in the present folder.
func tables(t *testing.T, n int) {
	t.Helper()
	g := rand.New(rand.NewPCG(7, 1))
	bits, weights, labels := make([]uint8, n*20), make([]int64, n), make([]int64, n)
	var csv strings.Builder
	csv.WriteString("label,weight")
	for i := range 20 {
		fmt.Fprintf(&csv, ",c%d", i)
	}
	for r := range n {
		row := bits[r*20 : (r+1)*20]
		for part := range 3 {
			if g.IntN(3) == 0 {
				for i := part * 6; i < part*6+6; i++ {
					row[i] = 1
				}
			}
		}
		row[g.IntN(20)] ^= 1
		weights[r], labels[r] = 1+int64(r%3), int64(r%5)
		fmt.Fprintf(&csv, "\n%d,%d", labels[r], weights[r])
		for _, b := range row {
			fmt.Fprintf(&csv, ",%d", b)
		}
	}
	write(t, "x.csv", csv.String()+"\n")
	save(t, "x.npy", npy.Member{Array: npy.New(bits, n, 20)})
	save(t, "x.npz", npy.Member{Name: "x", Array: npy.New(bits, n, 20)},
		npy.Member{Name: "weight", Array: npy.New(weights, n)},
		npy.Member{Name: "label", Array: npy.New(labels, n)})
}

// little is less memory than a thousand rows take.
const little = " --memory 64KiB"

// streamed runs the command, which has to succeed and to note that it streams.
func streamed(t *testing.T, line string) string {
	t.Helper()
	o := patchworkCommand(t, fields(line+little)...)
	if o.code != 0 || !strings.HasPrefix(o.err, "patchwork: note: ") || strings.Count(o.err, "\n") != 1 ||
		!strings.Contains(o.err, "more than --memory 65536") {
		t.Fatalf("patchwork %s: exit %d, stderr %q", line, o.code, o.err)
	}
	return o.out
}

// sameButForReading reports whether two models are the same in everything but the
// names of their columns and how their data were read.
func sameButForReading(t *testing.T, a, b string) bool {
	t.Helper()
	members := func(path string) map[string]any {
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		out := map[string]any{}
		for _, f := range z.File {
			text, err := fs.ReadFile(z, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			out[f.Name] = string(text)
			if f.Name != "model.json" {
				continue
			}
			header := map[string]any{}
			if err := json.Unmarshal(text, &header); err != nil {
				t.Fatal(err)
			}
			delete(header, "columns")
			delete(header, "reading")
			out[f.Name] = header
		}
		return out
	}
	return reflect.DeepEqual(members(a), members(b))
}

// A streamed model is the same for any number of workers and from any format,
// says what it was learned from, and in one pass is that of data in memory.
func TestLearnStreams(t *testing.T) {
	t.Chdir(t.TempDir())
	tables(t, 2000)
	for _, flags := range []string{" -k 3 --rule max-minus-min --starts 1", " -k 3 --starts 2",
		" -k 2 --starts 1 --for paper --method batch"} {
		streamed(t, "learn x.npz -o a.npz --workers 1"+flags)
		streamed(t, "learn x.npz -o b.npz --workers 3"+flags)
		out := streamed(t, "learn x.csv -o c.npz --column weight=weight --column label=label"+flags)
		if same, alike := read(t, "a.npz") == read(t, "b.npz"), sameButForReading(t, "a.npz", "c.npz"); !same || !alike {
			t.Errorf("%s: workers %t, format %t", flags, same, alike)
		}
		m, err := modelfile.Load("a.npz")
		if err != nil {
			t.Fatal(err)
		}
		r := m.Extras().Record
		if r.Rows != 3999 || r.Sample == 0 || r.Sample > 600 || !strings.Contains(out, "from 2000 rows of 20 columns in") ||
			!strings.Contains(out, fmt.Sprintf("uniform sample of %d of 3999", r.Sample)) {
			t.Errorf("%s: record %+v\n%s", flags, r, out)
		}
		if info := must(t, "show", "a.npz"); !strings.Contains(info, fmt.Sprintf("sample of %d", r.Sample)) {
			t.Errorf("show says nothing of the sample:\n%s", info)
		}
	}
	for _, flags := range []string{" -k 2 --method online --starts 1"} {
		must(t, fields("learn x.npz -q -o memory.npz --workers 2"+flags)...)
		streamed(t, "learn x.npz -o stream.npz"+flags)
		if read(t, "memory.npz") != read(t, "stream.npz") {
			t.Errorf("%s: in one pass it gives another model", flags)
		}
	}
	must(t, fields("learn x.npz -q -o take.npz -k 2 --starts 1 --rows :100"+little)...) // no note: it fits
	must(t, fields("learn x.npz -q -o memory.npz -k 2 --starts 1 --rows :100")...)
	if read(t, "take.npz") != read(t, "memory.npz") {
		t.Error("what is taken of a large file teaches something else")
	}
}

// Explanations, scores and predictions are the same streamed as in memory.
func TestCommandsStream(t *testing.T) {
	t.Chdir(t.TempDir())
	tables(t, 1500)
	must(t, fields("learn x.npz -q -o m.npz -k 3 --rule max-minus-min --starts 1 --rows :200")...)
	for _, line := range []string{
		"explain -m m.npz x.npz", "explain -m m.npz x.npz --rows 701: --workers 2", "explain -m m.npz x.npz --best 3",
		"explain -m m.npz x.npy x.csv --columns 3-22", "score -m m.npz x.npz", "score -m m.npz x.npz --json --where label!=0",
		"predict -m m.npz x.npz -o -", "predict -m m.npz x.csv --column weight=weight --column label=label -o - --all",
	} {
		line = strings.Replace(line, "x.npy x.csv --columns 3-22", "x.npy x.npy", 1)
		if want, got := must(t, fields(line)...), streamed(t, line); want != got || want == "" {
			t.Errorf("%s: %d bytes, in memory %d", line, len(got), len(want))
		}
	}
	streamed(t, "explain -m m.npz x.npz -o e.jsonl --picture streamed.svg")
	must(t, fields("explain -m m.npz x.npz -o e.jsonl --picture memory.svg")...)
	if read(t, "streamed.svg") != read(t, "memory.svg") {
		t.Error("another picture")
	}
	for line, says := range map[string]string{
		"score -m m.npz x.npz --hide 0.2":                      "must be in memory",
		"predict -m m.npz x.npz -o p.npz":                      "write a .csv file",
		"learn x.npz -k 2 -o n.npz --method online --starts 2": "a stream has one",
		"learn x.npz -k 2 -o n.npz --where label=9":            "label=9 selects nothing; values of \"label\": 0, 1, 2, 3, 4",
		"explain -m m.npz x.npz --rows 1501:":                  "after the last of 1500 rows",
	} {
		o := patchworkCommand(t, fields(line+" -q"+little)...)
		if o.code != 2 || !strings.Contains(o.err, says) || strings.Count(o.err, "\n") != 1 || o.out != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, o.code, o.out, o.err)
		}
	}
}

// A file that is damaged in the middle is reported with its row or byte, and
// nothing is written.
func TestStreamedFileIsDamaged(t *testing.T) {
	t.Chdir(t.TempDir())
	tables(t, 1500)
	must(t, fields("learn x.npz -q -o m.npz -k 2 --starts 1 --rows :50")...)
	table, array := read(t, "x.csv"), read(t, "x.npy")
	write(t, "bad.csv", table[:len(table)-1]+",7\n")
	write(t, "cut.npy", array[:len(array)-100])
	write(t, "bad.npy", array[:len(array)-1]+"\x02")
	before := listing(t, ".")
	for file, says := range map[string]string{"bad.csv": `line 1501: `, "cut.npy": "cut off",
		"bad.npy": "row 1500"} {
		for _, line := range []string{"learn " + file + " -k 2 -o n.npz --starts 1",
			"explain -m m.npz " + file + " -o e.jsonl", "predict -m m.npz " + file + " -o p.csv", "score -m m.npz " + file} {
			if file == "bad.csv" {
				line += " --column weight=weight --column label=label"
			}
			o := patchworkCommand(t, fields(line+" -q"+little)...)
			if o.code != 2 || !strings.Contains(o.err, says) || !strings.Contains(o.err, file) ||
				strings.Count(o.err, "\n") != 1 {
				t.Errorf("%s: exit %d, stderr %q", line, o.code, o.err)
			}
			if after := listing(t, "."); after != before {
				t.Errorf("%s: left %s", line, after)
			}
		}
	}
}

// Sizes are printed in the form in which they are read.
func TestByteSize(t *testing.T) {
	for text, want := range map[string]byteSize{"256MB": 256e6, "1GB": 1e9, "2g": 2e9, "64KiB": 65536, "100000": 100000,
		"1.5MiB": 3 << 19, "70kB": 70000} {
		var b, again byteSize
		if err := b.Set(text); err != nil || b != want {
			t.Errorf("%s is %d, %v", text, b, err)
		}
		if err := again.Set(b.String()); err != nil || again != b {
			t.Errorf("%d is written %v", b, &b)
		}
	}
	for _, text := range []string{"", "MB", "-1MB", "1XB", "64", "NaN", "1e30", "1BMB"} {
		if err := new(byteSize).Set(text); err == nil {
			t.Errorf("%q is a size", text)
		}
	}
	if n := defaultMemory(); n != 256e6 && os.Getenv("GOMEMLIMIT") == "" {
		t.Errorf("by default %v", &n)
	}
}
