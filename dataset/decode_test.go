package dataset

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/patchwork/internal/npy"
)

// TestDecodeIsRead: content in memory, valid or not, reads like a file with the
// same name.
func TestDecodeIsRead(t *testing.T) {
	archive := npz(t, arr("x", []uint8{0, 1, 1, 0, 1, 1, 0, 0}, 2, 2, 2), arr("y", []string{"a", "b"}, 2),
		arr("weight", []int64{2, 3}, 2))
	var array bytes.Buffer
	if err := npy.Write(&array, npy.New([]float64{0, 1, 0.5, 1}, 2, 2)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		opts    Options
	}{
		"a.npz":     {archive, Options{}},
		"b.npz":     {archive, Options{Where: conditions(t, "y=b")}},
		"none.npz":  {archive, Options{Where: conditions(t, "y=c")}},
		"half.npz":  {archive[:len(archive)/2], Options{}},
		"c.npy":     {array.Bytes(), Options{Threshold: threshold(0.7)}},
		"grey.npy":  {array.Bytes(), Options{}},
		"d.csv":     {[]byte("kind,a,b\nx,1,?\ny,0,1\n"), Options{Edits: []Edit{{Column: "kind", Want: "label"}}}},
		"e.csv":     {[]byte("a,b\n1,2\n"), Options{}},
		"f.csv.gz":  {zipped([]byte("a,b\n1,0\n")), Options{}},
		"g.png":     {picture(t, "P1 2 2 1 0 0 1"), Options{}},
		"empty.csv": {nil, Options{}},
		"wide.npy":  {array.Bytes(), Options{Height: 3}},
	} {
		path := write(t, name, c.content)
		want, wantErr := Read([]string{path}, c.opts)
		got, err := Decode(context.Background(), path, c.content, c.opts)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%s: %v, but Read says %v", name, err, wantErr)
			continue
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Set{})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if _, err := Decode(context.Background(), "a.npz", archive, Options{Labels: []string{"l.npy"}}); err == nil {
		t.Error("label files are taken")
	}
}
