package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func archive(t testing.TB, method Method, members ...Member) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := WriteZip(&buf, method, members...); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func openZip(b []byte, lim int64) (*Zip, error) {
	return ReadZip(bytes.NewReader(b), int64(len(b)), lim)
}

func TestZipRoundTrip(t *testing.T) {
	for _, method := range []Method{Store, Deflate} {
		rapid.Check(t, func(t *rapid.T) {
			a, b := drawArray(t), drawArray(t)
			var one, two bytes.Buffer
			members := []Member{{Name: "model.json", Raw: []byte("{}")}, {Name: "x", Array: a}, {Name: "y", Array: b}}
			if err := WriteZip(&one, method, members...); err != nil {
				t.Fatal(err)
			}
			if err := WriteZip(&two, method, members...); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
				t.Fatal("same content, other bytes", err)
			}
			z, err := openZip(one.Bytes(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(z.Arrays(), " "); got != "x y" || !z.Has("x") || z.Has("model.json") {
				t.Fatalf("arrays %q", got)
			}
			for name, want := range map[string]*Array{"x": a, "y": b} {
				got, err := z.Array(name)
				if err != nil {
					t.Fatal(err)
				}
				if diff := same(want, got); diff != "" {
					t.Fatal(diff)
				}
			}
			if raw, err := z.File("model.json"); err != nil || string(raw) != "{}" {
				t.Fatalf("%q, %v", raw, err)
			}
		})
	}
}

// TestStoredBytesArePinned guards the promise that equal content gives equal
// bytes in every release: only a new format version may change this sum.
func TestStoredBytesArePinned(t *testing.T) {
	b := archive(t, Store, Member{Name: "a", Array: New([]float64{0.5, 1}, 2)}, Member{Name: "n.txt", Raw: []byte("hi")})
	const size, sum = 408, 0xf102b0cc
	if got := crc32.ChecksumIEEE(b); len(b) != size || got != sum {
		t.Fatalf("%d bytes, checksum %#08x; want %d, %#08x", len(b), got, size, sum)
	}
}

func TestZipRefusals(t *testing.T) {
	x := New(make([]uint8, 1000), 10, 100)
	good := archive(t, Store, Member{Name: "x", Array: x})
	flipped := bytes.Clone(good)
	flipped[bytes.Index(flipped, []byte("}"))+200] ^= 1 // an element

	var twice bytes.Buffer
	w := zip.NewWriter(&twice)
	w.Create("x.npy")
	w.Create("x.npy")
	w.Close()

	var long bytes.Buffer
	w = zip.NewWriter(&long)
	f, _ := w.Create("x.npy")
	Write(f, x)
	f.Write([]byte("more"))
	w.Close()

	encrypted := bytes.Clone(good)
	encrypted[6] |= 1                                              // local header
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1 // directory
	var many []Member
	for i := range maxMembers + 1 {
		many = append(many, Member{Name: fmt.Sprint(i)})
	}
	for name, c := range map[string]struct {
		in   []byte
		lim  int64
		want string
	}{
		"no zip":      {[]byte("hello, this is no zip archive"), 0, "not a readable zip"},
		"cut":         {good[:len(good)-30], 0, "not a readable zip"},
		"crc":         {flipped, 0, "checksum"},
		"same name":   {twice.Bytes(), 0, "two members"},
		"extra bytes": {long.Bytes(), 0, "more bytes"},
		"encrypted":   {encrypted, 0, "password"},
		"members":     {archive(t, Store, many...), 0, "limit of 4096"},
		"limit":       {good, 999, "limit of 999"},
	} {
		z, err := openZip(c.in, c.lim)
		if err == nil {
			_, err = z.Array("x")
		}
		var fe *FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	z, err := openZip(good, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Array("nope"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing array: %v", err)
	}
	big := archive(t, Deflate, Member{Name: "bomb", Raw: make([]byte, 1<<20+1)})
	if z, err = openZip(big, 1<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := z.File("bomb"); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("bomb: %v", err)
	}
}

func TestWriteZipRefusesNames(t *testing.T) {
	a := New([]uint8{1}, 1)
	for _, m := range [][]Member{{{Name: "", Array: a}}, {{Name: "x", Array: a}, {Name: "x.npy", Raw: nil}}} {
		if err := WriteZip(&bytes.Buffer{}, Store, m...); err == nil {
			t.Errorf("%v accepted", m)
		}
	}
	bad := Member{Name: "t", Array: New([]string{"\xff"}, 1)}
	if err := WriteZip(&bytes.Buffer{}, Store, bad); err == nil || !strings.Contains(err.Error(), "t.npy: ") {
		t.Errorf("text: %v", err)
	}
}

func TestZipRows(t *testing.T) {
	z, err := openZip(archive(t, Deflate, Member{Name: "x", Array: New([]uint8{1, 2, 3, 4, 5, 6}, 3, 2)}), 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := z.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	if h := d.Header(); !cmp.Equal(h, Header{DType: DType{Kind: 'u', Size: 1}, Shape: []int{3, 2}}) {
		t.Fatalf("header %v", h)
	}
	for _, want := range [][]uint8{{1, 2, 3, 4}, {5, 6}} {
		a, err := d.Next(2)
		if err != nil || !cmp.Equal(a.Data, want) {
			t.Fatalf("%v, %v; want %v", a, err, want)
		}
	}
}
