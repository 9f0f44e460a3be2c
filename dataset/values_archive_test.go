package dataset

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// greyPictures writes pictures of 1 x 2 pixels into a folder with subfolders, and returns it and an archive of it,
// which another
// program wrote in an order of its own.
func greyPictures(t *testing.T) (dir, archive string) {
	t.Helper()
	dir = t.TempDir()
	var files []entry
	for i, name := range []string{"b/2.png", "a/1.png", "b/1.png", "notes.txt", ".hidden/3.png"} {
		content := pngFile(t, draw(image.NewGray(image.Rect(0, 0, 2, 1)), func(_, x int) uint8 { return uint8(40*i + x) }))
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, entry{strings.ReplaceAll(name, "/", `\`), string(content)}) // as some programs write it
	}
	return dir, write(t, "pictures.zip", zipOf(t, files...))
}

// TestValuesOfArchives: an archive of grey pictures is read as the folder that it was made of, in memory and as a
// stream, from a
// disk and from an upload.
func TestValuesOfArchives(t *testing.T) {
	dir, archive := greyPictures(t)
	want := readValues(t, Options{}, dir)
	if len(want.Values) != 3 || want.Values[0][0] != 40 {
		t.Fatalf("the folder has %v", want.Values)
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	uploaded, err := decodeNumbers("pictures.zip", content, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for what, v := range map[string]*Set{"file": readValues(t, Options{}, archive), "upload": uploaded} {
		sameRows(t, what, v.Values, want.Values)
		if len(v.Meta) != len(want.Meta) {
			t.Fatalf("%s: metadata %v, want %v", what, v.Meta, want.Meta)
		}
		for i, c := range v.Meta {
			if w := want.Meta[i]; c.Name != w.Name || c.Text(0) != w.Text(0) || c.Text(2) != w.Text(2) {
				t.Errorf("%s: metadata %v, want %v", what, c, w)
			}
		}
	}
	equalRows(t, "stream", streamedRows(t, openValues(t, Options{}, archive)), want.Values)
}

// TestArchivesOfValuesAreRefused: what is wrong with an archive is an error that names the member.
func TestArchivesOfValuesAreRefused(t *testing.T) {
	_, archive := greyPictures(t)
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	small := string(pngFile(t, draw(image.NewGray(image.Rect(0, 0, 2, 1)), func(_, x int) uint8 { return 0 })))
	large := string(pngFile(t, draw(image.NewGray(image.Rect(0, 0, 3, 1)), func(_, x int) uint8 { return 0 })))
	for i, content := range [][]byte{
		zipOf(t, entry{"a.png", small}, entry{"b.png", large}),
		zipOf(t, entry{"a.png", small}, entry{"b.png", "no picture"}),
		zipOf(t, entry{"a.png", small}, entry{"../b.png", small}),
		zipOf(t, entry{"a.png", small}, entry{"a.png", small}),
		zipOf(t, entry{"a.txt", "words"}),
		zipOf(t),
		whole[:len(whole)/2],
	} {
		v, err := decodeNumbers("p.zip", content, Options{})
		if err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%d: %v, %v", i, v, err)
		}
	}
	for at := range whole { // damage anywhere is an error or changes values; it never panics
		damaged := slices.Clone(whole)
		damaged[at] ^= 0x55
		_, _ = decodeNumbers("p.zip", damaged, Options{})
	}
}

// TestValuesOfLargePictures: a picture whose values do not fit in memory is refused before it is decoded.
func TestValuesOfLargePictures(t *testing.T) {
	large := pngFile(t, image.NewGray16(image.Rect(0, 0, 3000, 2000)))
	before := allocated()
	_, err := decodeNumbers("large.png", large, Options{MaxMemory: 1 << 20})
	used := allocated() - before
	if err == nil || !testenv.Said(t, err.Error()) || used > 1<<20 {
		t.Errorf("%v after %d bytes", err, used)
	}
}
