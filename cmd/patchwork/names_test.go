package main

import (
	"archive/zip"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writerFiles writes a folder and an archive of grey pictures of two letters, by the
// given number of writers, three samples each, whose names say what they are: a bar,
// vertical for T and horizontal for L, at a place that depends on the sample.
func writerFiles(t *testing.T, writers int) {
	t.Helper()
	f, err := os.Create("letters.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, y := range []string{"T", "L"} {
		if err := os.MkdirAll(filepath.Join("letters", y), 0o777); err != nil {
			t.Fatal(err)
		}
		for w := range writers {
			for s := range 3 {
				img := image.NewGray(image.Rect(0, 0, 8, 8))
				for i := range 64 {
					at := i % 8
					if y == "L" {
						at = i / 8
					}
					img.Pix[i] = []byte{240, 20}[btoi(at == 2*s+w%2)]
				}
				picture := pngText(t, img)
				name := fmt.Sprintf("%s/w%d_%d.png", y, w+1, s+1)
				write(t, filepath.Join("letters", name), picture)
				member, err := z.Create(name)
				if err != nil {
					t.Fatal(err)
				}
				member.Write([]byte(picture))
			}
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Names, threshold, conditions and the first sample of each writer work together, in
// the same way for a folder, an archive and a stream.
func TestFirstSampleOfEachWriter(t *testing.T) {
	t.Chdir(t.TempDir())
	writerFiles(t, 12)
	must(t, "synth", "bars", "--n", "4", "--side", "8", "-o", "bars.npz", "-q")
	must(t, fields("learn letters --names {y}/w{writer}_{sample} --threshold 127 -k 2 --start-from orders --starts 2 -o "+
		"model.npz -q")...)
	const line = "explain -m model.npz %s --names {y}/w{writer}_{sample}.png --threshold 127 --where y=T --where " +
		"writer:1 %s"
	want := must(t, fields(fmt.Sprintf(line, "letters", "--rows 2:"))...)
	if n := strings.Count(want, "\n"); n != 11 {
		t.Errorf("%d lines for the first T of 12 writers but one:\n%s", n, want)
	}
	for i, l := range strings.Split(strings.TrimSpace(want), "\n") {
		// after 36 L's, by number of the writer
		if index := fmt.Sprintf(`{"index":%d,`, 36+3*(i+1)); !strings.HasPrefix(l, index) {
			t.Errorf("line %d is %s, want %s", i, l, index)
		}
	}
	for _, how := range []string{"letters.zip --rows 2:", "letters.zip --rows 2: --memory 64KiB"} {
		path, flags, _ := strings.Cut(how, " ")
		if got := must(t, fields(fmt.Sprintf(line, path, flags))...); got != want {
			t.Errorf("%s:\n%swant\n%s", how, got, want)
		}
	}
	if got := must(t, fields(fmt.Sprintf(line, "letters", "--rows :3"))...); strings.Count(got, "\n") != 3 {
		t.Errorf("the first three:\n%s", got)
	}
}

// pngText returns a picture as a file in PNG.
func pngText(t *testing.T, img image.Image) string {
	t.Helper()
	var b strings.Builder
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
