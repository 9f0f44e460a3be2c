package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pictureAt writes a picture of one pixel.
func pictureAt(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, picture(t, "P1 1 1 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFolderLabels: pictures of several places carry the name of theirs, read at once
// or streamed; those of one place do not.
func TestFolderLabels(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range []string{"T/1.png", "L/1.png", "L/2.png", "old/T/1.png", "both/A/1.png", "both/B/1.png"} {
		pictureAt(t, at(name))
	}
	t.Chdir(at("T"))
	for name, c := range map[string]struct {
		paths []string
		want  string // labels; "-" for none
	}{
		"one folder":         {[]string{at("L")}, "-"},
		"files of one":       {[]string{at("L/1.png"), at("L/2.png")}, "-"},
		"folders":            {[]string{at("T"), at("L")}, "T L L"},
		"files":              {[]string{at("T/1.png"), at("L/2.png")}, "T L"},
		"a folder and files": {[]string{at("L"), at("T/1.png")}, "L L T"},
		"one name": {[]string{at("T"), at("old/T"), at("old/T/1.png")}, "T " + filepath.ToSlash(at("old/T")) + " " +
			filepath.ToSlash(at("old/T"))},
		"here":         {[]string{".", at("L/1.png")}, "T L"},
		"with classes": {[]string{at("both"), at("L/1.png")}, "A B L"},
	} {
		s, err := Read(c.paths, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := labelsOf(s); got != c.want {
			t.Errorf("%s: labels %q, want %q", name, got, c.want)
		}
		stream, err := OpenStream(t.Context(), c.paths, Options{})
		if err == nil {
			s, err = stream.Set(t.Context())
		}
		if err != nil || labelsOf(s) != c.want {
			t.Errorf("%s, streamed: %v, %v", name, s, err)
		}
	}
	s, err := Read([]string{at("T"), at("L")}, Options{Names: "{writer}.png"})
	if err != nil || labelsOf(s) != "-" {
		t.Errorf("with a pattern: %v, %v", s, err)
	}
}

// TestNamesOfPictures: a name that two pictures have is told apart by the folder.
func TestNamesOfPictures(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range []string{"all/T/1.png", "all/L/1.png", "all/L/2.png", "other/A/3.png", "other/B/4.png"} {
		pictureAt(t, at(name))
	}
	for name, c := range map[string]struct {
		paths []string
		want  string
	}{
		"classes":          {[]string{at("all")}, "L/1 L/2 T/1"},
		"distinct classes": {[]string{at("other")}, "3 4"},
		"folders":          {[]string{at("all/T"), at("all/L")}, "T/1 L/1 L/2"},
		"distinct folders": {[]string{at("other/A"), at("other/B")}, "3 4"},
		"files":            {[]string{at("all/T/1.png"), at("all/L/1.png")}, "T/1 L/1"},
		"one folder":       {[]string{at("all/L")}, "1 2"},
	} {
		s, err := Read(c.paths, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		stream, err := OpenStream(t.Context(), c.paths, Options{})
		if err != nil {
			t.Fatal(err)
		}
		streamed, err := stream.Set(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Set{s, streamed} {
			var names []string
			for i := range s.Len() {
				names = append(names, s.Meta[0].Text(i))
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%s: names %q, want %q", name, got, c.want)
			}
		}
	}
}

func labelsOf(s *Set) string {
	i := slices.IndexFunc(s.Meta, func(c Labels) bool { return c.Name == "y" })
	if i < 0 {
		return "-"
	}
	var out []string
	for j := range s.Len() {
		out = append(out, s.Meta[i].Text(j))
	}
	return strings.Join(out, " ")
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string][2]int{"56x40": {56, 40}, "56": {56, 56}, "7X9": {7, 9}, "7 × 9": {7, 9}} {
		if h, w, err := ParseSize(text); err != nil || [2]int{h, w} != want {
			t.Errorf("%q is %d x %d, %v", text, h, w, err)
		}
	}
	for _, text := range []string{"", "x", "0x5", "-1x5", "5x", "big", "5x6x7", "99999999999x9"} {
		if h, w, err := ParseSize(text); err == nil {
			t.Errorf("%q is %d x %d", text, h, w)
		}
	}
}
