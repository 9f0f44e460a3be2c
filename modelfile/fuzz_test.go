package modelfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// checkRead checks that reading gives a FormatError of one line, or a model
// that survives a round trip.
func checkRead(t *testing.T, in []byte) {
	t.Helper()
	m, err := read(in)
	if err != nil {
		var fe *FormatError
		if !errors.As(err, &fe) || strings.ContainsAny(err.Error(), "\r\n") {
			t.Fatalf("error %q (%T) is no FormatError of one line", err, err)
		}
		return
	}
	back, err := read(encode(t, m))
	if err != nil {
		t.Fatalf("written, but not read back: %v", err)
	}
	if diff := same(m, back); diff != "" {
		t.Fatal(diff)
	}
}

// FuzzRead reads whole files. Checksums stop most mutations, so there is also
// FuzzParts.
func FuzzRead(f *testing.F) {
	f.Add(encode(f, everything(f)))
	f.Add(encode(f, least(f)))
	f.Add(encode(f, named(f)))
	f.Add(valid().bytes(f, npy.Deflate))
	cut := encode(f, everything(f))
	f.Add(cut[:len(cut)-9])
	flipped := bytes.Clone(cut)
	flipped[len(flipped)/3] ^= 4
	f.Add(flipped)
	f.Fuzz(checkRead)
}

// FuzzParts packs the text and one array with correct checksums.
func FuzzParts(f *testing.F) {
	whole := encode(f, withPredictor(f, withCompounds(f, withMeans(f, everything(f)))))
	z, err := npy.ReadZip(bytes.NewReader(whole), int64(len(whole)), 0)
	if err != nil {
		f.Fatal(err)
	}
	full, err := z.File(jsonName)
	if err != nil {
		f.Fatal(err)
	}
	for i, name := range arrayNames[:len(arrayNames)-2] { // level and counts are of other files
		a, err := z.Array(name)
		if err != nil {
			f.Fatal(err)
		}
		var stream bytes.Buffer
		if err := npy.Write(&stream, a); err != nil {
			f.Fatal(err)
		}
		f.Add(full, byte(i), stream.Bytes())
	}
	for _, text := range []string{
		`{"rule":"max","height":2,"width":2,"shift":3,"shift_step":2,"rotations":[-1e308,0,5]}`,
		`{"rule":"max","height":2,"width":2,"shift_y":[-1048576,1048576,999999]}`,
		`{"rule":"max","height":2,"width":2,"columns":["a","","\ud800","a"],"names":["x","y"],"reading":{"meta":["a"],"meta":[{}],"":" <>&\u2028"}}`,
		`{"rule":"max","height":2,"width":2,"reading":{"a":[[[[1e999]]]]},"names":[]}`,
		`{"version":9,"stretch":[2]}`, `{"q":null,"x-":1}`, `{"rule":"max","height":-1,"width":99999999999}`,
	} {
		f.Add([]byte(text), byte(255), []byte{})
	}
	f.Fuzz(func(t *testing.T, text []byte, which byte, array []byte) {
		members := []npy.Member{{Name: jsonName, Raw: text}}
		for i, name := range arrayNames[:len(arrayNames)-2] { // level and counts are of other files
			if i == int(which) {
				members = append(members, npy.Member{Name: name + npySuffix, Raw: array})
				continue
			}
			a, err := z.Array(name)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, npy.Member{Name: name, Array: a})
			if which == 255 { // experts alone
				break
			}
		}
		var file bytes.Buffer
		if err := npy.WriteZip(&file, npy.Store, members...); err != nil {
			t.Fatal(err)
		}
		checkRead(t, file.Bytes())
	})
}
