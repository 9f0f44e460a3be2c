package modelfile

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/pose"
	"example.com/patchwork/table"
)

// some returns a classifier of two classes, with learned models or without, and images.
func some(t testing.TB, learned bool) (*classes.Classifier, []*bitmap.Image) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	var data patchwork.Data
	var labels []string
	for i := range 6 {
		img := bitmap.New(6, 7)
		for j := range 5 {
			if i%2 == 0 {
				img.Set(j, 2+rng.IntN(2), true)
			} else {
				img.Set(2+rng.IntN(2), j, true)
			}
		}
		data.Images, labels = append(data.Images, img), append(labels, []string{"up", "level"}[i%2])
	}
	cfg := classes.Config(6, 7)
	opt := classes.Options{}
	if learned {
		opt.Fit = func(ctx context.Context, d patchwork.Data) (*patchwork.Model, error) {
			pieces, err := classes.Cut(ctx, d.Images[0], rng)
			if err != nil {
				return nil, err
			}
			e, err := classes.NewExample(0, cfg, pieces)
			if err != nil {
				return nil, err
			}
			return e.Cuts[len(e.Cuts)-1], nil
		}
	}
	c, err := classes.Learn(t.Context(), data, labels, cfg, opt)
	if err != nil {
		t.Fatal(err)
	}
	like, err := c.Like().WithExtras(patchwork.Extras{Reading: json.RawMessage(`{"invert":true}`)})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.Described(like); err != nil {
		t.Fatal(err)
	}
	return c.LabelledBy("y"), data.Images
}

// ofRows returns a classifier of rows of two classes, with marginals, and the rows.
func ofRows(t testing.TB) (*classes.Classifier, []*bitmap.Image) {
	t.Helper()
	var data patchwork.Data
	var labels []string
	for i := range 8 {
		data.Images = append(data.Images, bitmap.FromBytes(1, 3, []uint8{uint8(i % 2), uint8(1 - i%2), uint8(i / 4)}))
		labels = append(labels, []string{"even", "odd"}[i%2])
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, 3, pose.Grid{})
	fit := func(ctx context.Context, d patchwork.Data) (*patchwork.Model, error) {
		return table.Learn(ctx, d, cfg, table.Options{Experts: 1, Iterations: 1})
	}
	c, err := classes.Learn(t.Context(), data, labels, cfg, classes.Options{Examples: -1, Fit: fit})
	if err != nil {
		t.Fatal(err)
	}
	if c.Marginals() == nil {
		t.Fatal("no marginals")
	}
	return c, data.Images
}

// TestClassesOfRows: the marginals of classes of rows come back, and files whose marginals do not
// fit are refused.
func TestClassesOfRows(t *testing.T) {
	c, rows := ofRows(t)
	file := written(t, c)
	back, err := ReadClasses(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written(t, back), file) || !reflect.DeepEqual(back.Marginals(), c.Marginals()) {
		t.Error("other marginals, or other bytes the second time")
	}
	want, err := c.Name(t.Context(), rows, classes.NameOptions{Reasons: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.Name(t.Context(), rows, classes.NameOptions{Reasons: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if !reflect.DeepEqual(got[i].Scores, want[i].Scores) || !reflect.DeepEqual(got[i].Alone, want[i].Alone) {
			t.Error("other verdicts")
		}
	}
	for _, a := range []*npy.Array{nil, npy.New(make([]float64, 3), 1, 1, 3),
		npy.New([]float64{0.5, 0.5, 0.5, 0.5, 0.5, 1}, 2, 1, 3), npy.New(make([]uint8, 6), 2, 1, 3)} {
		var b bytes.Buffer
		var members []npy.Member
		z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if f.Name == "marginals.npy" {
				if a != nil {
					members = append(members, npy.Member{Name: "marginals", Array: a})
				}
				continue
			}
			content, err := fs.ReadFile(z, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, npy.Member{Name: f.Name, Raw: content})
		}
		if err := npy.WriteZip(&b, npy.Store, members...); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadClasses(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil ||
			!strings.Contains(err.Error(), "marginals") {
			t.Errorf("%v: error %v", a, err)
		}
	}
}

// written returns the file of a classifier.
func written(t testing.TB, c *classes.Classifier) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteClasses(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestClassesRoundTrip: what is read names images as what was written, and is written the same.
func TestClassesRoundTrip(t *testing.T) {
	for _, learned := range []bool{false, true} {
		c, images := some(t, learned)
		file := written(t, c)
		back, err := ReadClasses(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written(t, back), file) {
			t.Error("other bytes the second time")
		}
		if got := string(back.Like().Extras().Reading); got != `{"invert":true}` {
			t.Errorf("reading %s", got)
		}
		if back.By() != "y" {
			t.Errorf("by %q", back.By())
		}
		want, err := c.Name(t.Context(), images, classes.NameOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := back.Name(t.Context(), images, classes.NameOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Error("other verdicts")
		}
	}
}

// TestLoadClasses: errors name the file.
func TestLoadClasses(t *testing.T) {
	c, _ := some(t, false)
	path := filepath.Join(t.TempDir(), "classes.npz")
	var file bytes.Buffer
	if err := WriteClasses(&file, c); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if back, err := LoadWith(path, "classes", ReadClasses); err != nil || back.Sharpness() != c.Sharpness() {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("no zip"), 0o666); err != nil {
		t.Fatal(err)
	}
	var fe *FormatError
	if _, err := LoadWith(path, "classes", ReadClasses); !errors.As(err, &fe) || fe.Path != path {
		t.Errorf("error %v", err)
	}
}

// TestClassesRefusals: what does not fit is refused, and the error says what.
func TestClassesRefusals(t *testing.T) {
	pieces := npy.New(make([]uint8, 2*4), 2, 2, 2)
	const classes2 = `"classes":[{"name":"a","rows":1,"examples":[{"row":0,"cuts":1}]},{"name":"b","rows":1,"examples":[{"row":1,"cuts":1}]}]`
	for _, c := range []struct {
		text   string
		pieces *npy.Array
		want   string
	}{
		{`{"format":"patchwork-model","version":1,"kind":"classes","height":2,"width":2,"sharpness":1,` + classes2 + `}`,
			pieces, ""},
		{`{"format":"patchwork-model","version":2,"kind":"classes"}`, pieces, "version 1"},
		{`{"format":"other","version":1,"kind":"classes"}`, pieces, "patchwork-model"},
		{`{"format":"patchwork-model","version":1,"kind":"bits"}`, pieces, "classes"},
		{`{`, pieces, "not a JSON object"},
		{`{"format":"patchwork-model","version":1,"kind":"classes","height":2,"width":2,"sharpness":1,"other":1}`, pieces,
			"other"},
		{`{"format":"patchwork-model","version":1,"kind":"classes","height":0,"width":2,"sharpness":1,` + classes2 + `}`,
			pieces, "0 x 2"},
		{`{"format":"patchwork-model","version":1,"kind":"classes","height":2,"width":3,"sharpness":1,` + classes2 + `}`,
			pieces,
			"shape [2 2 2]"},
		{`{"format":"patchwork-model","version":1,"kind":"classes","height":2,"width":2,"sharpness":0,` + classes2 + `}`,
			pieces,
			"sharpness"},
		{`{"format":"patchwork-model","version":1,"kind":"classes","height":2,"width":2,"sharpness":1,` + classes2 +
			`,"poses":{"dy":[-9999,9,1],"dx":[0,0,1],"angles":[0]}}`, pieces, "shifts beyond"},
		{`{"format":"patchwork-model","version":1,"kind":"classes","height":2,"width":2,"sharpness":1,` + classes2 + `}`,
			npy.New([]uint8{9, 0, 0, 0, 0, 0, 0, 0}, 2, 2, 2), "has number 9"},
		{`{"format":"patchwork-model","version":1,"kind":"classes","height":2,"width":2,"sharpness":1,"classes":[{"name":"a","rows":1},{"name":"b","rows":1}]}`, pieces, "a"},
	} {
		var b bytes.Buffer
		if err := npy.WriteZip(&b, npy.Store, npy.Member{Name: jsonName, Raw: []byte(c.text)},
			npy.Member{Name: "pieces", Array: c.pieces}); err != nil {
			t.Fatal(err)
		}
		_, err := ReadClasses(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
}

// FuzzReadClasses: no bytes make Read panic, and what it reads it can write.
func FuzzReadClasses(f *testing.F) {
	for _, learned := range []bool{false, true} {
		c, _ := some(f, learned)
		file := written(f, c)
		f.Add(file)
		f.Add(file[:len(file)/2])
	}
	rows, _ := ofRows(f)
	f.Add(written(f, rows))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := ReadClasses(bytes.NewReader(file), int64(len(file)))
		if err == nil {
			written(t, c)
		}
	})
}
