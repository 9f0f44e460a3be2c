package dataset

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// entry is a file of an archive.
type entry struct{ name, content string }

// picture returns what is written as P1, a width, a height, and 1 for each pixel of ink as a file in PNG; anything
// else it returns as it is.
func picture(t testing.TB, content string) []byte {
	body, ok := strings.CutPrefix(content, "P1")
	var w, h int
	if n, _ := fmt.Sscan(body, &w, &h); !ok || n < 2 {
		return []byte(content)
	}
	bits := strings.Join(strings.Fields(body)[2:], "")
	return pngFile(t, draw(image.NewGray(image.Rect(0, 0, w, h)),
		func(y, x int) uint8 { return 255 * (1 - (bits[y*w+x] - '0')) }))
}

// zipOf returns an archive of these files, in this order.
func zipOf(t testing.TB, files ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(picture(t, f.content))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpacked writes the files to a folder and returns its path.
func unpacked(t testing.TB, files ...entry) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, picture(t, f.content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// letters returns a small set with names of the given form: two letters by two
// writers, three samples each.
func letters(form func(y string, writer, sample int) string) []entry {
	var files []entry
	for i, y := range []string{"T", "L"} {
		for _, w := range []int{10, 9} {
			for s := 1; s <= 3; s++ {
				files = append(files, entry{form(y, w, s), fmt.Sprintf("P1 4 2 %04b %04b", w, 4*i+s)})
			}
		}
	}
	return files
}

// TestNames: for any layout that the form describes, letter, writer and sample
// are read, from a folder and from an archive of it.
func TestNames(t *testing.T) {
	for pattern, form := range map[string]func(y string, w, s int) string{
		"{y}/{writer}_{sample}.png": func(y string, w, s int) string { return fmt.Sprintf("%s/%d_%d.png", y, w, s) },
		"{y}/{writer}_{sample}":     func(y string, w, s int) string { return fmt.Sprintf("%s/%d_%d.PNG", y, w, s) },
		"{writer}/{y}{sample}":      func(y string, w, s int) string { return fmt.Sprintf("%d/%s%d.png", w, y, s) },
		"**/{y}-{writer}-{sample}":  func(y string, w, s int) string { return fmt.Sprintf("a/b/%s-%d-%d.png", y, w, s) },
		"{}/writer{writer}/{y}.{sample}": func(y string, w, s int) string {
			return fmt.Sprintf("set/writer%d/%s.%d.png", w, y,
				s)
		},
		"{y:1}{writer:3}{sample}": func(y string, w, s int) string { return fmt.Sprintf("%s%03d%d.png", y, w, s) },
	} {
		files := letters(form)
		archive := write(t, "a.zip",
			zipOf(t, append(files, entry{"readme.txt", "no picture"}, entry{"__MACOSX/._x.png", "junk"})...))
		folder := unpacked(t, append(files, entry{"readme.txt", "no picture"}, entry{".x/y.png", "junk"})...)
		for _, path := range []string{archive, folder} {
			s, err := Read([]string{path}, Options{Names: pattern})
			if err != nil {
				t.Errorf("%s: %v", pattern, err)
				continue
			}
			if s.Len() != 12 {
				t.Errorf("%s: %d pictures", pattern, s.Len())
			}
			for i, m := range s.Images {
				y, writer, sample := column(t, s, "y").Text(i), column(t, s, "writer").Text(i), column(t, s, "sample").Text(i)
				var a, b int
				for x := range 4 {
					a, b = 2*a+bit(m.At(0, x)), 2*b+bit(m.At(1, x))
				}
				if got, want := fmt.Sprintf("%s %d %d", y, a, b&3), fmt.Sprintf("%s %s %s", []string{"T", "L"}[b>>2],
					strings.TrimLeft(writer, "0"), sample); got != want {
					t.Errorf("%s: %s is %s", pattern, got, want)
				}
			}
			first, err := Read([]string{path}, Options{Names: pattern, Where: conditions(t, "y=T"),
				FirstPer: FirstPer{Names: []string{"writer"}}})
			if err != nil || first.Len() != 2 || column(t, first, "sample").Text(1) != "1" {
				t.Errorf("%s: first T of each writer: %v, %v", pattern, first, err)
			}
		}
	}
}

func column(t testing.TB, s *Set, name string) Labels {
	t.Helper()
	c, err := s.Column(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestArchiveIsItsFolder: an archive reads like the folder it was made from,
// with and without a form of the names, as a whole and in parts.
func TestArchiveIsItsFolder(t *testing.T) {
	for name, c := range map[string]struct {
		files   []entry
		pattern string
	}{
		"flat":    {[]entry{{"b.png", "P1 2 1 10"}, {"a.PNG", "P1 2 1 01"}, {"c.txt", ""}}, ""},
		"classes": {[]entry{{"T/2.png", "P1 2 1 11"}, {"L/1.png", "P1 2 1 00"}, {"L!/3.png", "P1 2 1 01"}}, ""},
		"windows": {[]entry{{"T/2.png", "P1 2 1 11"}, {"L/1.png", "P1 2 1 00"}}, "{y}/{n}"},
		"numbers": {[]entry{{"a10.png", "P1 2 1 11"}, {"a9.png", "P1 2 1 00"}, {"a007.png", "P1 2 1 10"}}, "a{n}"},
	} {
		o := Options{Names: c.pattern}
		want, err := Read([]string{unpacked(t, c.files...)}, o)
		if err != nil {
			t.Fatal(err)
		}
		if name == "windows" {
			for i := range c.files {
				c.files[i].name = strings.ReplaceAll(c.files[i].name, "/", `\`)
			}
		}
		slices.Reverse(c.files)
		path := write(t, "a.zip", zipOf(t, c.files...))
		want.Source = path
		got, err := Read([]string{path}, o)
		if err != nil || !gocmp.Equal(got, want, sameSets) {
			t.Errorf("%s: %v, %v\n%v", name, got, err, want)
		}
		o.partBytes = 1
		stream, err := OpenStream(t.Context(), []string{path}, o)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := stream.Len(); n != want.Len() || !ok {
			t.Errorf("%s: %d pictures, %v", name, n, ok)
		}
		if got, err = stream.Set(t.Context()); err != nil || !gocmp.Equal(got, want, sameSets) {
			t.Errorf("%s in parts: %v, %v\n%v", name, got, err, want)
		}
		if got, err = stream.Cut(1, -1).Set(t.Context()); err != nil || pixels(got) != pixels(want.Cut(1, -1)) {
			t.Errorf("%s in parts without the first: %v, %v", name, got, err)
		}
	}
}

// TestNamesOfFiles: pictures are given one by one, as by a shell.
func TestNamesOfFiles(t *testing.T) {
	dir := unpacked(t, entry{"T/1_2.png", "P1 1 1 1"}, entry{"L/3_4.png", "P1 1 1 0"})
	s, err := Read([]string{filepath.Join(dir, "T", "1_2.png"), filepath.Join(dir, "L", "3_4.png")},
		Options{Names: "{y}/{writer}_{}"})
	if err != nil || column(t, s, "y").Text(1) != "L" || column(t, s, "writer").Text(0) != "1" {
		t.Errorf("%v, %v", s, err)
	}
}

func TestArchiveRefusals(t *testing.T) {
	one := entry{"T/1.png", "P1 2 1 11"}
	form := Options{Names: "{y}/{n}"}
	for name, c := range map[string]struct {
		files []entry
		opts  Options
	}{
		"out":          {[]entry{one, {"../T/2.png", "P1 2 1 11"}}, form},
		"root":         {[]entry{one, {"/T/2.png", "P1 2 1 11"}}, form},
		"windows root": {[]entry{one, {`..\..\T\2.png`, "P1 2 1 11"}}, form},
		"inside out":   {[]entry{one, {"T/../../2.png", "P1 2 1 11"}}, Options{}},
		"twice":        {[]entry{one, one}, form},
		"twice, mixed": {[]entry{one, {`T\1.png`, "P1 2 1 11"}}, form},
		"no label":     {[]entry{one, {"2.png", "P1 2 1 11"}}, form},
		"mixed":        {[]entry{one, {"2.png", "P1 2 1 11"}}, Options{}},
		"deep":         {[]entry{{"a/T/1.png", "P1 2 1 11"}, {"b/T/1.png", "P1 2 1 11"}}, Options{}},
		"no pictures":  {[]entry{{"a.txt", "hello"}}, form},
		"nothing":      {[]entry{{"a.txt", "hello"}}, Options{}},
		"sizes":        {[]entry{one, {"T/2.png", "P1 1 1 1"}}, form},
		"no picture":   {[]entry{one, {"T/2.png", "hello"}}, form},
		"empty":        {[]entry{one, {"T/2.png", ""}}, form},
		"arrays":       {[]entry{one, {"x.npy", ""}}, form},
		"bomb":         {[]entry{one, {"T/2.png", string(picture(t, "P1 2 1 11")) + strings.Repeat(" ", maxMember)}}, form},
		"two mats":     {[]entry{{"a.mat", ""}, {"b.MAT", ""}}, Options{}},
	} {
		t.Run(name, func(t *testing.T) { refused(t, "a.zip", zipOf(t, c.files...), c.opts) })
	}
	good := zipOf(t, one, entry{"T/2.png", "P1 2 1 10"})
	refused(t, "cut.zip", good[:len(good)-30], form)
	packed := bytes.Replace(good, []byte("PK\x01\x02\x14\x00\x14\x00\x08"), []byte("PK\x01\x02\x14\x00\x14\x00\x09"), 1)
	refused(t, "locked.zip", packed, form)
	// The stated checksum of the first member is made to differ from its
	// content.
	sum := make([]byte, 4)
	copy(sum, good[bytes.Index(good, []byte("PK\x01\x02"))+16:])
	refused(t, "sum.zip", bytes.Replace(good, sum, []byte{1, 2, 3, 4}, 2), form)
	refused(t, "overlap.zip", overlapping(t), Options{Names: "{n}"})
}

// overlapping returns an archive whose directory names the same bytes ten
// times.
func overlapping(t *testing.T) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	content := picture(t, "P1 100 100 "+strings.Repeat("1", 10000))
	w, err := z.CreateRaw(&zip.FileHeader{Name: "0.png", CRC32: crc32.ChecksumIEEE(content),
		CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content))})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(content)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	at, end := bytes.Index(file, []byte("PK\x01\x02")), bytes.Index(file, []byte("PK\x05\x06"))
	out, tail := bytes.Clone(file[:at]), bytes.Clone(file[end:])
	for i := range 10 {
		entry := bytes.Clone(file[at:end])
		entry[46] = byte('0' + i) // the name
		out = append(out, entry...)
	}
	tail[8], tail[10] = 10, 10
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(out)-at))
	return append(out, tail...)
}

func TestPatternRefusals(t *testing.T) {
	dir := unpacked(t, entry{"T/1.png", "P1 2 1 11"})
	for _, pattern := range []string{
		"T/1", "{y", "{y}/{y}", "{name}", "{y:0}",
		"{y:x}", "{y:-1}", "{y:999}", "{}", "{y}{z}{w}/{v}",
		strings.Repeat("{", 2000), "{y}", "{y}/",
	} {
		if s, err := Read([]string{dir}, Options{Names: pattern}); err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%q: %v, %v", pattern, s, err)
		}
	}
	refused(t, "a.csv", []byte("1,0\n"), Options{Names: "{y}"})
	refused(t, "a.npz", npz(t, arr("x", []uint8{1}, 1, 1, 1)), Options{Names: "{y}"})
}

// TestFolderLinks: a deep search does not follow cycles.
func TestFolderLinks(t *testing.T) {
	dir := unpacked(t, entry{"T/1.png", "P1 2 1 11"})
	if err := os.Symlink(dir, filepath.Join(dir, "T", "back")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "T", "1.png"), filepath.Join(dir, "T", "2.png")); err != nil {
		t.Fatal(err)
	}
	s, err := Read([]string{dir}, Options{Names: "{y}/{n}"})
	if err != nil || s.Len() != 2 {
		t.Errorf("%v, %v", s, err)
	}
}

// TestNaturallyIsAnOrder: the order is transitive, numbers compare by value,
// and paths compare element by element.
func TestNaturallyIsAnOrder(t *testing.T) {
	name := rapid.StringMatching(`[a0-2/._]{0,6}`)
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := name.Draw(rt, "a"), name.Draw(rt, "b"), name.Draw(rt, "c")
		if naturally(a, b) != -naturally(b, a) || (naturally(a, b) == 0) != (a == b) {
			rt.Fatalf("%q and %q: %d and %d", a, b, naturally(a, b), naturally(b, a))
		}
		if naturally(a, b) <= 0 && naturally(b, c) <= 0 && naturally(a, c) > 0 {
			rt.Fatalf("%q, %q, %q", a, b, c)
		}
		m, n := rapid.IntRange(0, 1200).Draw(rt, "m"), rapid.IntRange(0, 1200).Draw(rt, "n")
		if got := naturally(fmt.Sprint("w", m, "_x"), fmt.Sprint("w", n, "_x")); got != cmp.Compare(m, n) {
			rt.Fatalf("%d and %d: %d", m, n, got)
		}
	})
	got := []string{"b/1", "a!/1", "a/10", "a/9", "a"}
	slices.SortFunc(got, naturally)
	if diff := gocmp.Diff([]string{"a", "a/9", "a/10", "a!/1", "b/1"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzArchive(f *testing.F) {
	for _, files := range [][]entry{
		{{"T/1_2.png", "P1 2 1 11"}, {"L/1_1.png", "P1 2 1 10"}},
		{{"a.png", "P1 2 1 11"},
			{"b.png", string(pngFile(f,
				draw(image.NewGray(image.Rect(0, 0, 2, 1)), func(_, x int) uint8 { return uint8(255 * x) })))}},
	} {
		f.Add(zipOf(f, files...), "")
		f.Add(zipOf(f, files...), "{y}/{w}_{n}")
	}
	f.Fuzz(func(t *testing.T, b []byte, pattern string) {
		o := Options{MaxMemory: 1 << 20, Names: pattern}
		s, err := readBytes(b, o)
		checkOutcome(t, s, err)
		o.partBytes = 1
		parts, partsErr := readBytes(b, o)
		if (err == nil) != (partsErr == nil) || err == nil && !gocmp.Equal(s, parts, sameSets) {
			t.Fatalf("as a whole: %v, %v; image by image: %v, %v", s, err, parts, partsErr)
		}
	})
}

// FuzzPattern: a pattern is refused, or gives every field a value without
// slashes that occurs in the path, in order.
func FuzzPattern(f *testing.F) {
	f.Add("{y}/{writer}_{sample}.png", "T/3_1.png")
	f.Add("**/{a:2}{}x", "a/b/qqwx.png")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		p, err := parsePattern(pattern)
		if err != nil {
			return
		}
		values, err := p.match(name)
		if err != nil {
			return
		}
		if len(values) != len(p.fields) {
			t.Fatalf("%d values for %v", len(values), p.fields)
		}
		for _, v := range values {
			i := strings.Index(name, v)
			if v == "" || strings.Contains(v, "/") || i < 0 {
				t.Fatalf("%q of %q", v, name)
			}
			name = name[i+len(v):]
		}
	})
}
