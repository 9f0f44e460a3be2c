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
		learnLine("m2.npz") + " --picture experts.png --progress-picture progress.png",
		learnLine("m3.npz") + " --mode paper --progress-picture paper.svg",
		"explain -m model.npz t.npz --picture explained.png -o e.jsonl",
		"explain -m model.npz t.npz --take 1 --picture steps.svg -o e.jsonl",
		"sample -m model.npz -n 4 -o samples.png",
		"sample -m model.npz -n 4 --probabilities -o s.npz --picture samples.svg",
		"draw model.npz -o draw.png",
		"draw -m model.npz --coloured -o coloured.svg",
		"synth bars --n 70 -o bars.npz --picture bars.png -q",
		"learn bars.npz -o m4.npz --rule max-minus-min -k 1..3 --starts 1 --curve tried.png",
		"learn t.npz -o m5.npz -k 1..2 --starts 1 --shift 2 --curve tried.svg",
	} {
		must(t, fields(l)...)
	}
	if out := must(t, fields("explain -m model.npz t.npz --picture e.svg -o f.jsonl --picture-images 3")...); !strings.Contains(out, "e.svg: the first 3 of ") || !strings.Contains(out, "--picture-images ") {
		t.Errorf("not said how many are shown:\n%s", out)
	}
	if out := must(t, fields("explain -m model.npz t.npz --rows :3 --picture e.svg -o f.jsonl --picture-images 3")...); strings.Contains(out, "shows all") {
		t.Errorf("all are shown:\n%s", out)
	}
	for _, name := range strings.Fields("experts progress explained samples draw bars tried") {
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
	for _, name := range strings.Fields("paper steps samples coloured tried") {
		if s := read(t, name+".svg"); !strings.HasPrefix(s, "<svg") && !strings.HasPrefix(s, "<?xml") {
			t.Errorf("%s.svg begins %.40q", name, s)
		}
	}
	if out := must(t, "draw", "model.npz"); !strings.Contains(out, "part 1") {
		t.Errorf("drawn on a terminal:\n%s", out)
	}
}
