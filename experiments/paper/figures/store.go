package figures

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/render"
)

// layout is the version of the stored results; those of another version are not
// reused. Raise it when a figure computes something else.
const layout = 2

// stored is a finished figure in the output folder.
type stored struct {
	Options string // fingerprint of the options it was made with
	Result  Result
	Files   []storedFile
}

// storedFile is a file that belongs to a figure.
type storedFile struct{ Name, SHA256 string }

// folder returns the folder of a figure's files, relative to the output folder.
func folder(f Figure) string {
	if n := f.Name(); n[0] < '0' || n[0] > '9' {
		return n
	}
	return "figure-" + f.Name()
}

// fingerprint returns a hash of what a result depends on: the options, with the
// data that it uses.
func fingerprint(f Figure, o Options) string {
	o = o.of(f)
	h := sha256.New()
	fmt.Fprintf(h, "%d %s quick=%t seed=%d\n", layout, f.Name(), o.Quick, o.Seed)
	for i, img := range o.Digits {
		fmt.Fprintf(h, "digit %d\n%s", o.Labels[i], img)
	}
	hashSet(h, "tees", o.Tees)
	hashSet(h, "letters", o.Letters)
	return hex.EncodeToString(h.Sum(nil))
}

// save draws a result's pictures and stores everything in its folder; it writes
// last the record that marks the folder as complete.
func save(dir string, f Figure, o Options, r Result) error {
	at := filepath.Join(dir, folder(f))
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	s := stored{Options: fingerprint(f, o), Result: r}
	put := func(name string, write func(io.Writer) error) error {
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sum := sha256.Sum256(buf.Bytes())
		s.Files = append(s.Files, storedFile{name, hex.EncodeToString(sum[:])})
		return writeFile(filepath.Join(at, name), buf.Bytes())
	}
	for _, p := range r.Pictures {
		if err := put(p.Name+".png", func(w io.Writer) error { return render.WritePNG(w, p.Drawing) }); err != nil {
			return err
		}
		if err := put(p.Name+".svg", func(w io.Writer) error { return render.WriteSVG(w, p.Drawing) }); err != nil {
			return err
		}
	}
	for _, t := range r.Tables {
		if err := put(t.Name+".csv", t.csv); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(at, "times.json"), r.Times); err != nil {
		return err
	}
	return writeJSON(filepath.Join(at, "result.json"), s)
}

// load reads a stored figure; ok is false if it is missing, damaged, or was
// made with other options.
func load(dir string, f Figure, o Options) (r Result, ok bool) {
	at := filepath.Join(dir, folder(f))
	var s stored
	if readJSON(filepath.Join(at, "result.json"), &s) != nil || s.Options != fingerprint(f, o) {
		return Result{}, false
	}
	for _, file := range s.Files {
		data, err := os.ReadFile(filepath.Join(at, file.Name))
		sum := sha256.Sum256(data)
		if err != nil || hex.EncodeToString(sum[:]) != file.SHA256 {
			return Result{}, false
		}
	}
	r = s.Result
	if readJSON(filepath.Join(at, "times.json"), &r.Times) != nil {
		return Result{}, false
	}
	return r, true
}

// csv writes the table with a header line.
func (t Table) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	return c.WriteAll(t.Rows)
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(data, '\n'))
}

func writeFile(path string, data []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}
