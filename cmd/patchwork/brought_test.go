package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// bringModel writes a model file as people write it: templates of 3 x 3 pixels, and a
// header.
func bringModel(t *testing.T, path string, head map[string]any) {
	t.Helper()
	text, err := json.Marshal(head)
	if err != nil {
		t.Fatal(err)
	}
	box := []float64{.9, .9, .9, .9, .05, .9, .9, .9, .9}
	cross := []float64{.05, .9, .05, .9, .9, .9, .05, .9, .05}
	save(t, path, npy.Member{Name: "model.json", Raw: text},
		npy.Member{Name: "experts", Array: npy.New(append(box, cross...), 2, 3, 3)})
}

// TestTemplatesSmallerThanImages: templates that people bring lie anywhere in larger
// images, as often as the file says, whichever way it gives the two sizes; all commands
// that read a model take them.
func TestTemplatesSmallerThanImages(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	// A box at row 1, column 2, another at row 5, column 9, a cross at row 6, column 1.
	page := strings.Join([]string{
		"............", "..###.......", "..#.#.......", "..###.......", "............",
		".........###", "..#......#.#", ".###.....###", "..#.........", "............"}, "\n")
	bits := make([]uint8, 0, 120)
	for _, c := range strings.ReplaceAll(page, "\n", "") {
		bits = append(bits, map[rune]uint8{'.': 0, '#': 1}[c])
	}
	save(t, in("page.npz"), npy.Member{Name: "x", Array: npy.New(bits, 1, 10, 12)})
	for name, c := range map[string]struct {
		head map[string]any
		note string
		size string // of samples
	}{
		"frame": {map[string]any{"rule": "max", "q": 0.02, "height": 3, "width": 3, "reuse": 2},
			"placed anywhere in the images, of 10 x 12", "3 x 3"},
		"images": {map[string]any{"rule": "max", "q": 0.02, "height": 10, "width": 12, "reuse": 2}, "", "10 x 12"},
		"scene": {map[string]any{"rule": "max", "q": 0.02, "height": 3, "width": 3, "reuse": 2, "scene": true,
			"images": []int{8, 9}}, "", "8 x 9"},
	} {
		model := in(name + "-model.npz")
		bringModel(t, model, c.head)
		out := patchworkCommand(t, "explain", "-m", model, in("page.npz"))
		for _, pick := range []string{`{"part":0,"expert":0,"dy":1,"dx":2,`, `{"part":0,"expert":0,"dy":5,"dx":9,`,
			`{"part":1,"expert":1,"dy":6,"dx":1,`} {
			if !strings.Contains(out.out, pick) {
				t.Errorf("%s: %s is not in %s", name, pick, out.out)
			}
		}
		if n := strings.Count(out.out, `{"part":`); n != 3 || !strings.Contains(out.err, c.note) || c.note == "" &&
			out.err != "" {
			t.Errorf("%s: %d picks; stderr %q, want %q", name, n, out.err, c.note)
		}
		for _, command := range [][]string{
			{"score", "-m", model, in("page.npz")}, {"explain", "-m", model, in("page.npz"), "--best", "3"},
			{"explain", "-m", model, in("page.npz"), "-o", in("codes.npz")},
			{"predict", "-m", model, in("page.npz"), "-o", in("filled.csv")},
			{"show", model, "-o", in("draw.png")},
			{"show", model, in("page.npz")}, {"report", "-m", model, in("page.npz"), "-o", in("report.html")},
		} {
			mustTalking(t, command...)
		}
		if out := must(t, "sample", "-m", model, "-n", "2", "-o", in("samples.npz")); !strings.Contains(out,
			"2 images of "+c.size) {
			t.Errorf("%s: %s", name, out)
		}
	}
	// A file that says that parts stay, or are shifted, means it.
	bringModel(t, in("shifted.npz"), map[string]any{"rule": "max", "height": 3, "width": 3, "shift": 1})
	if o := patchworkCommand(t, "explain", "-m", in("shifted.npz"), in("page.npz")); o.code != 2 ||
		!strings.Contains(o.err, "--scene places its parts anywhere") {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
}
