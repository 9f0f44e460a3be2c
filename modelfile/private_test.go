package modelfile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/patchwork/internal/npy"
)

// Private lists what a model does not hold, and nothing else, in both forms of the
// text.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		edit func(*parts)
		want []string
	}{
		"nothing": {func(*parts) {}, nil},
		"all": {all(set("x-note", []any{"mine"}), set("names", []string{"a", ""}), counts,
			array("x-y", npy.New([]int32{1}, 1)), func(p *parts) { p.raw["README.txt"] = "hello" }),
			[]string{"README.txt", "x-y.npy", "x-note in model.json"}},
		"numpy.savez": {all(set("x-note", 1), func(p *parts) {
			text, _ := json.Marshal(p.header)
			p.header, p.arrays[jsonName] = nil, npy.New([]string{string(text)})
		}), []string{"x-note in model.json"}},
	} {
		p, path := valid(), filepath.Join(dir, "m.npz")
		c.edit(p)
		if err := os.WriteFile(path, p.bytes(t, npy.Store), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := Private(path)
		slices.Sort(got)
		slices.Sort(c.want)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
	for _, text := range []string{"", "PK"} {
		path := filepath.Join(dir, "bad.npz")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Private(path); err == nil {
			t.Errorf("%q is taken for a model", text)
		}
	}
	if _, err := Private(filepath.Join(dir, "none.npz")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
