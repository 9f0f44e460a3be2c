package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// TestRealDoc: what docs/real.md shows is what the commands print, and its commands for images work.
func TestRealDoc(t *testing.T) {
	doc := read(t, "../../docs/real.md")
	t.Chdir(t.TempDir())
	var session strings.Builder
	var images []string
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(doc, -1) {
		switch language, text := m[1], m[2]; language {
		case "":
			if table, ok := strings.CutPrefix(text, "$ cat water.csv\n"); ok {
				write(t, "water.csv", table)
			}
			session.WriteString(text)
		case "sh":
			images = strings.Split(strings.TrimSpace(text), "\n")
		}
	}
	if read(t, "water.csv") == "" {
		t.Fatal("the page has no table")
	}
	for _, s := range parseSession(session.String()) {
		s.play(t)
	}
	greyFaces(t)
	for _, line := range images {
		line, _, _ = strings.Cut(line, "#")
		must(t, strings.Fields(strings.TrimPrefix(line, "patchwork "))...)
	}
	if len(images) < 4 {
		t.Errorf("%d commands for images", len(images))
	}
}

// greyFaces writes a folder of grey pictures, faces, and digits.npy, images of real numbers.
func greyFaces(t *testing.T) {
	t.Helper()
	if err := os.Mkdir("faces", 0o777); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	var all []float64
	for i := range 24 {
		img := image.NewGray(image.Rect(0, 0, 6, 6))
		for d := range 36 {
			v := 60 + 8*rng.NormFloat64()
			if i%3 == 0 && d/6 == 2 {
				v += 120
			}
			img.SetGray(d%6, d/6, color.Gray{Y: uint8(v)})
			all = append(all, v/255)
		}
		f, err := os.Create(fmt.Sprintf("faces/%02d.png", i))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	f, err := os.Create("digits.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npy.Write(f, npy.New(all, 24, 6, 6)); err != nil {
		t.Fatal(err)
	}
}
