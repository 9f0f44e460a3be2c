package figures

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/patchwork/experiments/rivals"
	"example.com/patchwork/experiments/sklearn"
	"example.com/patchwork/internal/testenv"
)

// leastComparison is computed once; package rivals tests that it does not
// depend on the number of workers.
var leastComparison = sync.OnceValues(func() (*compared, error) {
	return compareWith(context.Background(), rivals.Options{Quick: true, Sizes: []int{20}, Sets: 1, Test: 20, TuneSets: 1,
		Seed: 1, Workers: 1})
})

// tiny returns the smallest options for every figure.
func tiny(workers int) Options {
	return Options{Quick: true, Seed: DefaultSeed, Workers: workers, least: true,
		compare: leastComparison}
}

// read returns every file of a folder.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func make1(t *testing.T, dir string, names []string, o Options) Report {
	t.Helper()
	figures, err := choose(names)
	if err != nil {
		t.Fatal(err)
	}
	r, err := write(t.Context(), dir, figures, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReport: figures run, and the page has all of them, in order, and is self-contained
// (three figures, and in make long every figure, with rivals of scikit-learn).
func TestReport(t *testing.T) {
	some, least := []string{"1", "rules", "3"}, 12
	if testenv.Long() && sklearn.Available() {
		some, least = names(figures), 60
	}
	dir := t.TempDir()
	r := make1(t, dir, some, tiny(1)) // each worker would start a Python of its own, which takes seconds
	if len(r.Titles) != len(some) || len(r.Verdicts) != len(r.Titles) {
		t.Errorf("%d figures, %d verdicts", len(r.Titles), len(r.Verdicts))
	}
	all := read(t, dir)
	if len(all) < least {
		t.Errorf("only %d files", len(all))
	}
	checkPage(t, all["index.html"])
	checkFiles(t, all)
}

// TestReportByOneWorker: of figures made by one worker and by three the bytes are the same
// (four figures, and in make long all but the two that learn letters, whose learning is
// tested for this elsewhere).
func TestReportByOneWorker(t *testing.T) {
	testenv.Slow(t)
	some, least := []string{"1", "rules", "3", "5"}, 15
	if testenv.Full() {
		some, least = []string{"1", "rules", "3", "inference", "4", "5", "6", "next"}, 40
	}
	three, one := t.TempDir(), t.TempDir()
	make1(t, three, some, tiny(3))
	make1(t, one, some, tiny(1))
	all, same := read(t, three), 0
	for name, data := range read(t, one) {
		if dir := filepath.Dir(name); dir == "." {
			continue // the page and the ledger have fewer figures
		}
		if all[name] != data {
			t.Errorf("%s differs between 1 and 3 workers", name)
		}
		same++
	}
	if same < least {
		t.Errorf("only %d files compared", same)
	}
}

func names(figures []Figure) (out []string) {
	for _, f := range figures {
		out = append(out, f.Name)
	}
	return out
}

var (
	sources = regexp.MustCompile(`\ssrc="([^"]*)"`)
	links   = regexp.MustCompile(`\shref="([^"]*)"`)
	ids     = regexp.MustCompile(`<section id="([^"]*)"`)
)

// checkPage checks that a page is well-formed and self-contained.
func checkPage(t *testing.T, page string) {
	t.Helper()
	words := sources.ReplaceAllString(page, "")
	for _, bad := range []string{"http:", "https:", "<script", "<link", "url(", "@import", "ZgotmplZ", "NaN", "%!"} {
		if strings.Contains(words, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the page does not parse: %v", err)
		}
	}
	var have []string
	for _, m := range ids.FindAllStringSubmatch(page, -1) {
		have = append(have, "#"+m[1])
	}
	for _, m := range links.FindAllStringSubmatch(page, -1) {
		if !slices.Contains(have, m[1]) {
			t.Errorf("the page links to %q", m[1])
		}
	}
	found := sources.FindAllStringSubmatch(page, -1)
	if len(found) != strings.Count(page, "<img ") || len(found) == 0 {
		t.Errorf("%d sources of %d images", len(found), strings.Count(page, "<img "))
	}
	for _, m := range found {
		kind, data, ok := strings.Cut(html.UnescapeString(m[1]), ";base64,")
		raw, err := base64.StdEncoding.DecodeString(data)
		if !ok || err != nil || kind != "data:image/png" && kind != "data:image/svg+xml" {
			t.Errorf("source %.60q: %v", m[1], err)
		}
		if regexp.MustCompile(`href="(?:https?:|//|file:)`).Match(raw) {
			t.Errorf("a picture refers to something outside")
		}
	}
}

// checkFiles checks that tables are rectangular and pictures are there twice.
func checkFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for name, data := range files {
		switch filepath.Ext(name) {
		case ".csv":
			rows, err := csv.NewReader(strings.NewReader(data)).ReadAll()
			if err != nil || len(rows) < 2 {
				t.Errorf("%s: %d rows, %v", name, len(rows), err)
			}
		case ".svg":
			if err := xml.Unmarshal([]byte(data), new(struct{})); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, ok := files[strings.TrimSuffix(name, ".svg")+".png"]; !ok {
				t.Errorf("%s has no PNG beside it", name)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	f, err := choose([]string{"8", "1"})
	if err != nil || !slices.Equal(names(f), []string{"1", "8"}) {
		t.Errorf("%v, %v", names(f), err)
	}
	if _, err := choose([]string{"9"}); err == nil || !strings.Contains(err.Error(), "inference") {
		t.Errorf("figure 9: %v", err)
	}
}

func TestShownRounds(t *testing.T) {
	var b bytes.Buffer
	table := Table{Columns: []Column{{"a", -1}, {"b", 2}, {"c", 1}}}
	table.add("x", -0.0001, -1.26)
	table.add("y", math.NaN(), 7)
	if err := table.csv(&b); err != nil || b.String() != "a,b,c\nx,-0.0001,-1.26\ny,,7\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	got := table.shown("f").Cells
	if got[0][1].Text != "0.00" || got[0][2].Text != "−1.3" || got[1][2].Text != "7.0" || got[1][1].Numeric ||
		!got[0][1].Numeric {
		t.Errorf("%+v", got)
	}
}
