package npy

import (
	"bytes"
	"errors"
	"testing"
)

// fuzzLimit keeps a fuzzed array small enough for many runs per second.
const fuzzLimit = 1 << 20

// FuzzRead: any input either fails with a FormatError or gives an array that
// survives writing and reading.
func FuzzRead(f *testing.F) {
	for _, descr := range []string{"|b1", "<i2", ">u4", "<f2", ">f8", "<U2", "|S3"} {
		f.Add(stream(1, dict(descr, false, "(2, 3)"), make([]byte, 64)...))
		f.Add(stream(3, dict(descr, true, "(2, 1, 2)"), make([]byte, 64)...))
	}
	f.Add(stream(2, dict("<f8", false, "(1000000000, 1000000000)")))
	f.Add(stream(1, dict("|u1", false, "(0, 99999999)")))
	f.Add(stream(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		a, err := readAll(bytes.NewReader(in), fuzzLimit)
		checkRead(t, a, err)
	})
}

func checkRead(t *testing.T, a *Array, err error) {
	t.Helper()
	if err != nil {
		var fe *FormatError
		if !errors.As(err, &fe) {
			t.Fatalf("error %v is no FormatError", err)
		}
		return
	}
	var buf bytes.Buffer
	if err := Write(&buf, a); err != nil {
		if _, text := a.Data.([]string); text { // raw bytes of an S array may be no UTF-8
			return
		}
		t.Fatal(err)
	}
	b, err := readAll(&buf, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if diff := same(a, b); diff != "" {
		t.Fatal(diff)
	}
}

func FuzzReadZip(f *testing.F) {
	x := New([]uint8{1, 0, 1, 1}, 2, 2)
	f.Add(archive(f, Store, Member{Name: "x", Array: x}, Member{Name: "model.json", Raw: []byte("{}")}))
	f.Add(archive(f, Deflate, Member{Name: "x", Array: x}, Member{Name: "y", Array: New([]string{"a", "b"}, 2)}))
	f.Add(archive(f, Deflate, Member{Name: "x", Array: New(make([]float64, 4096), 64, 64)}))
	f.Fuzz(func(t *testing.T, in []byte) {
		z, err := openZip(in, fuzzLimit)
		if err != nil {
			checkRead(t, nil, err)
			return
		}
		for _, name := range z.Arrays() {
			a, err := z.Array(name)
			checkRead(t, a, err)
		}
	})
}
