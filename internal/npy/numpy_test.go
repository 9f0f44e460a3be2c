package npy

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// TestNumPyReadsOurFiles writes every type; NumPy loads it, compares it with its
// own array of the same values, and saves it again to the same bytes.
func TestNumPyReadsOurFiles(t *testing.T) {
	run, dir := testenv.NumPy(t), t.TempDir()
	arrays := map[string]*Array{
		"bool": New([]bool{true, false, true, true, false, false}, 2, 3),
		"i1":   New([]int8{-128, 127, 0}, 3), "u1": New([]uint8{255, 0, 1}, 3),
		"i2": New([]int16{-5, 1}, 2, 1), "u2": New([]uint16{65535}, 1),
		"i4": New([]int32{-7}, 1, 1, 1), "u4": New([]uint32{1 << 31}, 1),
		"i8": New([]int64{-1 << 63, 9}, 2), "u8": New([]uint64{1<<64 - 1}, 1),
		"f4": New([]float32{0.1, -3}, 2), "f8": New([]float64{0.1, 1e300, -0.5, 2}, 2, 2),
		"text": New([]string{"T", "", "ünï", "Luminal A"}, 4), "scalar": New([]float64{2.5}),
		"empty": New([]uint8{}, 0, 28, 28),
	}
	var members []Member
	for _, name := range []string{"bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "text", "scalar",
		"empty"} {
		var buf bytes.Buffer
		if err := Write(&buf, arrays[name]); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".npy"), buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		members = append(members, Member{Name: name, Array: arrays[name]})
	}
	for _, m := range []Method{Store, Deflate} {
		name := map[Method]string{Store: "store.npz", Deflate: "deflate.npz"}[m]
		if err := os.WriteFile(filepath.Join(dir, name), archive(t, m, members...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(dir, `
import numpy as n, io
want = dict(bool=n.array([[1,0,1],[1,0,0]],'?'), i1=n.array([-128,127,0],'i1'), u1=n.array([255,0,1],'u1'),
 i2=n.array([[-5],[1]],'i2'), u2=n.array([65535],'u2'), i4=n.array([[[-7]]],'i4'), u4=n.array([1<<31],'u4'),
 i8=n.array([-1<<63,9],'i8'), u8=n.array([(1<<64)-1],'u8'), f4=n.array([.1,-3],'f4'), f8=n.array([[.1,1e300],[-.5,2]]),
 text=n.array(['T','','ünï','Luminal A']), scalar=n.array(2.5), empty=n.zeros((0,28,28),'u1'))
for z in [n.load('store.npz'), n.load('deflate.npz')]:
    assert list(z.files) == list(want), z.files
    for k in want: assert z[k].dtype == want[k].dtype and z[k].shape == want[k].shape and (z[k] == want[k]).all(), k
for k in want:
    b = io.BytesIO(); n.save(b, want[k])
    assert b.getvalue() == open(k+'.npy','rb').read(), k
`)
}

// TestReadsNumPyFiles covers forms that only NumPy writes: other orders, versions,
// types.
func TestReadsNumPyFiles(t *testing.T) {
	run, dir := testenv.NumPy(t), t.TempDir()
	run(dir, `
import numpy as n
from numpy.lib import format
a = n.arange(24).reshape(2,3,4)
out = {}
for k in ['<i1','>i2','<i4','>i8','<u2','>u4','<u8','<f2','>f2','<f4','>f8']: out[k] = a.astype(k)
out['fortran'] = n.asfortranarray(a)
out['>fortran'] = n.asfortranarray(a.astype('>f4'))
n.savez('plain.npz', **out)
n.savez_compressed('packed.npz', **out)
for v in [1,2,3]:
    with open('v%d.npy'%v,'wb') as f: format.write_array(f, n.asfortranarray(a), version=(v,0))
n.savez('text.npz', u=n.array(['a','bcd','']), big=n.array(['a','bcd','']).astype('>U3'), s=n.array([b'a',b'bcd',b'']))
n.savez('object.npz', o=n.array([1,'a',None],dtype=object))
`)
	want := make([]float64, 24)
	for i := range want {
		want[i] = float64(i)
	}
	check := func(name string, a *Array, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := a.Float64s()
		if diff := same(New(want, 2, 3, 4), &Array{Shape: a.Shape, Data: got}); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	load := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, name := range []string{"plain.npz", "packed.npz"} {
		z, err := openZip(load(name), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(z.Arrays()) != 13 {
			t.Fatalf("arrays %q", z.Arrays())
		}
		for _, k := range z.Arrays() {
			a, err := z.Array(k)
			check(name+" "+k, a, err)
		}
	}
	for _, name := range []string{"v1.npy", "v2.npy", "v3.npy"} {
		a, err := readAll(bytes.NewReader(load(name)), 0)
		check(name, a, err)
	}
	z, err := openZip(load("text.npz"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range z.Arrays() {
		a, err := z.Array(k)
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(New([]string{"a", "bcd", ""}, 3), a); diff != "" {
			t.Errorf("%s: %s", k, diff)
		}
	}
	if z, err = openZip(load("object.npz"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := z.Array("o"); err == nil {
		t.Error("pickled objects accepted")
	}
}
