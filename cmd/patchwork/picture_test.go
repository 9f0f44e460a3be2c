package main

import (
	"image"
	_ "image/png" // pictures are decoded
	"os"
	"strings"
	"testing"
)

// Pictures have the format of their names, and each kind can be made.
func TestPictures(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	for _, l := range []string{
		"explain -m model.npz t.npz --picture explained.png -o e.jsonl",
		"explain -m model.npz t.npz --rows :1 --picture steps.svg -o e.jsonl",
		"sample -m model.npz -n 4 -o samples.png",
		"sample -m model.npz -n 4 -o samples.svg",
		"show model.npz -o draw.png",
		"show -m model.npz -o draw.svg",
		"synth bars --n 70 -o bars.npz --picture bars.png -q",
	} {
		must(t, fields(l)...)
	}
	if out := must(t, fields("explain -m model.npz t.npz --rows :3 --picture e.svg -o f.jsonl")...); strings.Contains(out,
		"the first") {
		t.Errorf("all are shown:\n%s", out)
	}
	for _, name := range strings.Fields("explained samples draw bars") {
		f, err := os.Open(name + ".png")
		if err != nil {
			t.Fatal(err)
		}
		c, format, err := image.DecodeConfig(f)
		if err != nil || format != "png" || c.Width < 100 || c.Height < 50 {
			t.Errorf("%s.png: %v, %s of %d x %d", name, err, format, c.Width, c.Height)
		}
		f.Close()
	}
	for _, name := range strings.Fields("steps samples draw") {
		if s := read(t, name+".svg"); !strings.HasPrefix(s, "<svg") && !strings.HasPrefix(s, "<?xml") {
			t.Errorf("%s.svg begins %.40q", name, s)
		}
	}
	if out := must(t, "show", "model.npz"); !strings.Contains(out, "part 1") {
		t.Errorf("drawn on a terminal:\n%s", out)
	}
}
