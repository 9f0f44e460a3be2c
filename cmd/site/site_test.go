package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/render"
)

const root = "../.."

// builtSite writes the site into a folder, by a program built for it.
func builtSite(t *testing.T) (dir string, s *site) {
	t.Helper()
	dir = t.TempDir()
	program := filepath.Join(dir, "patchwork")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../patchwork")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s, err := newSite(root, program)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "site")
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	return dir, s
}

var (
	reference = regexp.MustCompile(`\b(?:href|src)="([^"]*)"`)
	anchor    = regexp.MustCompile(`\bid="([^"]*)"`)
)

// Every link of the site leads to a page of it and to an anchor there, nothing is
// loaded from elsewhere, and the search finds what it is for.
func TestSite(t *testing.T) {
	if testing.Short() {
		t.Skip("building the program takes seconds")
	}
	dir, s := builtSite(t)
	anchors, texts := map[string][]string{}, map[string]string{}
	for _, p := range s.pages {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p.address)))
		if err != nil {
			t.Fatal(err)
		}
		texts[p.address] = string(text)
		for _, m := range anchor.FindAllStringSubmatch(string(text), -1) {
			anchors[p.address] = append(anchors[p.address], m[1])
		}
	}
	links := 0
	for from, text := range texts {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				if strings.HasPrefix(m[0], "src") || strings.Contains(text, `<link rel="stylesheet" href="`+m[1]) {
					t.Errorf("%s loads %s", from, m[1])
				}
				continue // a link to the web
			}
			links++
			to := from
			if target != "" {
				to = path.Join(path.Dir(from), target)
			}
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: link to %s, which is not there", from, m[1])
			} else if fragment != "" && texts[to] != "" && !slices.Contains(anchors[to], fragment) {
				t.Errorf("%s: link to %s, which has no such anchor", from, m[1])
			}
		}
	}
	if links < 1000 {
		t.Errorf("only %d links", links)
	}
	for _, want := range []string{"--straight", "func Learn", "smudges"} {
		if !slices.ContainsFunc(s.pages, func(p *page) bool {
			return slices.ContainsFunc(p.sections, func(sec section) bool { return strings.Contains(sec.Heading+" "+sec.Text, want) })
		}) {
			t.Errorf("the search does not know %q", want)
		}
	}
}

// The navigation is short enough to be read, and leads to pages only.
func TestNavigation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, home))
	if err != nil {
		t.Fatal(err)
	}
	titles := regexp.MustCompile(`(?m)^- \[([^\]]*)\]\(([^)]*)\)`).FindAllStringSubmatch(string(text), -1)
	if len(titles) < 30 || len(titles) > 60 {
		t.Errorf("%d pages", len(titles))
	}
	for _, m := range titles {
		if len(m[1]) > 40 || !strings.HasSuffix(m[2], ".md") {
			t.Errorf("%s leads to %s", m[1], m[2])
		}
	}
}

// The pictures of the page of concepts are those that the program draws. Other
// pictures are drawn by the commands on their pages (TestDocs of cmd/patchwork), or
// are photographs of a screen.
func TestPictures(t *testing.T) {
	drawn, err := pictures(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range drawn {
		data, err := os.ReadFile(filepath.Join(root, "docs", "pictures", name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := render.WritePNG(&b, p); err != nil {
			t.Fatal(err)
		}
		now, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if !same(kept, now) {
			t.Errorf("docs/pictures/%s is not what is drawn now: go run ./cmd/site pictures", name)
		}
	}
}

func same(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q, r, s := a.At(x, y).RGBA()
			e, f, g, h := b.At(x, y).RGBA()
			if p != e || q != f || r != g || s != h {
				return false
			}
		}
	}
	return true
}

// Pictures take less than a megabyte, each has a page that shows it, and a command
// that draws it or is a photograph of a screen.
func TestPicturesAreUsed(t *testing.T) {
	files, err := os.ReadDir(filepath.Join(root, "docs", "pictures"))
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	pages, _ := filepath.Glob(root + "/docs/*/*.md")
	more, _ := filepath.Glob(root + "/docs/*.md")
	for _, name := range append(append(pages, more...), root+"/README.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text += string(data)
	}
	photographs := []string{"report.png", "studio-draw.png", "studio-table.png", "grey-rivals.png", // patchwork paper next
		"reliability-classes.png", "reliability-finds.png"} // go run ./experiments/run fewshot, and sheets
	total := int64(0)
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
		name := f.Name()
		if !strings.Contains(text, "pictures/"+name+")") {
			t.Errorf("no page shows %s", name)
		}
		byDemo := name == "learning.png" || name == "explanations.png"
		if !strings.HasPrefix(name, "concepts-") && !byDemo && !slices.Contains(photographs, name) &&
			!regexp.MustCompile(`\$ patchwork .* `+regexp.QuoteMeta(name)).MatchString(text) {
			t.Errorf("no command on a page draws %s", name)
		}
	}
	if total > 1e6 {
		t.Errorf("%d bytes of pictures", total)
	}
}

// TestSlug: anchors are those of GitHub.
func TestSlug(t *testing.T) {
	used := map[string]int{}
	for _, c := range []struct{ title, want string }{
		{"The letter T as two bars (paper, Figure 7)", "the-letter-t-as-two-bars-paper-figure-7"},
		{"Roles: exact tables", "roles-exact-tables"},
		{"Numbers", "numbers"}, {"Numbers", "numbers-1"},
		{"patchwork classify learn", "patchwork-classify-learn"},
	} {
		if got := slug(c.title, used); got != c.want {
			t.Errorf("%q is %q", c.title, got)
		}
	}
}

// Numbers with two decimals or more, in the pages that compare, stand in the ledger
// of experiments, or in the pages that it leads to.
func TestNumbersAreMeasured(t *testing.T) {
	ledger := ""
	for _, name := range []string{"README.md", "rivals/README.md", "quadrants/README.md", "bench/README.md"} {
		data, err := os.ReadFile(filepath.Join(root, "experiments", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		ledger += string(data)
	}
	measured := map[string]bool{}
	number := regexp.MustCompile(`\d*\.\d{2,}`)
	for _, n := range number.FindAllString(ledger, -1) {
		measured[strings.TrimPrefix(n, "0")] = true
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "gallery", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range append(pages, filepath.Join(root, "docs", "choose.md"), filepath.Join(root, "docs", "roles.md")) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(data), "")
		for _, n := range number.FindAllString(text, -1) {
			checked++
			if !measured[strings.TrimPrefix(n, "0")] {
				t.Errorf("%s: %s is not in the ledger", name, n)
			}
		}
	}
	if checked < 80 {
		t.Errorf("only %d numbers are checked", checked)
	}
}

// What a program prints in sentences is wrapped, and its tables are not.
func TestWraps(t *testing.T) {
	for line, want := range map[string]bool{
		"wrote m.npz: 3 parts of 9 columns":   true,
		"  parts  description length  (nats)": false,
		"":                                    true,
		"  note  " + strings.Repeat("a long line ", 10): true,
	} {
		if wraps(line) != want {
			t.Errorf("wraps(%q) is %v", line, !want)
		}
	}
}
