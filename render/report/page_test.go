package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/testenv"
)

var update = testenv.Update

// html returns the page of a report.
func html(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteHTML(&b, "Title <of> & a page"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	tags    = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>`)
	void    = []string{"meta", "img", "br", "input", "link", "hr"}
	idOf    = regexp.MustCompile(`\bid="([^"]+)"`)
	linksTo = regexp.MustCompile(`href="#([^"]+)"`)
	sources = regexp.MustCompile(`\b(?:src|href|action|poster|srcset)="([^"]*)"`)
)

// checkPage reports what is wrong with a page: elements that are not closed, links
// that lead nowhere, things to load, and names that were not escaped.
func checkPage(t *testing.T, page string) {
	t.Helper()
	body, _, _ := strings.Cut(page, "<script>")
	_, style, _ := strings.Cut(body, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	_, rest, _ := strings.Cut(body, "<body>")
	for _, bad := range []string{"http:", "https:", "//", "<link", "@import", "url(", "ZgotmplZ", "<no value>", "%!"} {
		if strings.Contains(rest, bad) && bad != "//" || strings.Contains(style, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if i := strings.IndexFunc(page, words.Unseen); i >= 0 {
		t.Errorf("the page has %q, which cannot be seen", page[max(0, i-20):min(len(page), i+20)])
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	for _, m := range sources.FindAllStringSubmatch(body, -1) {
		if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "data:image/png;base64,") &&
			!strings.HasPrefix(m[1], "data:application/octet-stream;base64,") { // what can be saved
			t.Errorf("the page loads %.60q", m[1])
		}
	}
	var open []string
	for _, m := range tags.FindAllStringSubmatch(rest, -1) {
		name := m[2]
		switch {
		case slices.Contains(void, name), strings.HasSuffix(m[3], "/"):
		case m[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> closes %v", name, open[max(0, len(open)-3):])
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
	if left := tags.ReplaceAllString(rest, ""); strings.ContainsAny(strings.ReplaceAll(left, "<!DOCTYPE html>", ""),
		"<>") {
		t.Errorf("a < or > outside of tags: %.80q", left[strings.IndexAny(left, "<>"):])
	}
	ids := map[string]bool{}
	for _, m := range idOf.FindAllStringSubmatch(body, -1) {
		if ids[m[1]] {
			t.Errorf("two elements are %q", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range linksTo.FindAllStringSubmatch(body, -1) {
		if !ids[m[1]] {
			t.Errorf("a link leads to %q, which is not there", m[1])
		}
	}
}

// TestPageShowsWhatIsSeen checks the page of a table whose labels have marks of direction and characters that control a
// terminal.
func TestPageShowsWhatIsSeen(t *testing.T) {
	m, set := planted(t, 60)
	for _, c := range set.Meta {
		values := c.Cells
		for i := 0; c.Type == dataset.ColumnText && i < len(values); i++ {
			values[i] = "\u202e" + values[i] + "\x1b[31m"
		}
	}
	set.Columns[1], set.Source = "species\u2066 B", "plants\u202e.csv"
	var b bytes.Buffer
	if err := build(t, m, set, Options{Stability: 1, Workers: 2}).WriteHTML(&b, "plants\u202e.csv"); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	checkPage(t, page)
	for _, want := range []string{"site &lt;1&gt; [31m", "\uFFFDbog", "<title>plants\uFFFD.csv"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

var badgeOf = regexp.MustCompile(`<span class="badge"[^>]*>(\d+)</span>(?: part (\d+) )?`)

// checkBadges: parts have the numbers on their badges that their names have, from 1.
func checkBadges(t *testing.T, page string) {
	t.Helper()
	badges := badgeOf.FindAllStringSubmatch(page, -1)
	if !slices.ContainsFunc(badges, func(b []string) bool { return b[2] != "" }) {
		t.Error("no badge is beside a number")
	}
	for _, b := range badges {
		if b[1] == "0" || b[2] != "" && b[1] != b[2] {
			t.Errorf("badge %s of part %q", b[1], b[2])
		}
	}
}

// TestPageOfTable checks the page of a table whose names are hostile.
func TestPageOfTable(t *testing.T) {
	m, set := planted(t, 60)
	page := html(t, build(t, m, set, Options{Stability: 1, Workers: 2}))
	checkPage(t, page)
	checkBadges(t, page)
	for _, want := range []string{"Title &lt;of&gt; &amp; a page", "wet &amp; &lt;i&gt;cold&lt;/i&gt;",
		"&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;",
		"site &lt;1&gt;", "bog", "plants &amp; &lt;b&gt;.csv", "60 rows", "Missing cells", "Redrawn rows", "column means"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	for _, bad := range []string{"<i>cold", `alert("x")`, "<b>.csv"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// TestPageOfImages checks the page of images: pictures, places, samples.
func TestPageOfImages(t *testing.T) {
	m, set := letters(t)
	page := html(t, build(t, m, set, Options{Stability: -1, Workers: 2}))
	checkPage(t, page)
	checkBadges(t, page)
	for _, want := range []string{"12 images of 12 x 12 pixels", "Samples drawn from the model", "<circle",
		"The strangest images", "It was left out by request"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if n := strings.Count(page, "data:image/png;base64,"); n < 1+2+12*3*2+12 {
		t.Errorf("%d pictures", n)
	}
	if strings.Contains(page, "Rows by parts") {
		t.Error("a section of tables")
	}
}

// TestPageOfMany checks that a page of many rows and parts stays small, and has the
// rows that it promises.
func TestPageOfMany(t *testing.T) {
	m, set := planted(t, 3000)
	templates := m.Templates()
	for k := range 38 {
		p := slices.Clone(templates[0])
		for j := range p {
			p[j] = 0.1 + 0.02*float64((k*7+j*3)%5)
		}
		templates = append(templates, p)
	}
	many, err := patchwork.NewModel(m.Config(), templates)
	if err != nil {
		t.Fatal(err)
	}
	r := build(t, many, set, Options{Workers: 2})
	page := html(t, r)
	checkPage(t, page)
	if len(page) > 1<<20 {
		t.Errorf("%d bytes", len(page))
	}
	if len(r.ByRow) != 3000 || len(r.Tables()[0].Rows) != 3001 {
		t.Errorf("%d rows, %d in the table", len(r.ByRow), len(r.Tables()[0].Rows))
	}
	order := r.Unusual()
	for _, i := range []int{order[0], order[99], order[2999]} {
		if name := fmt.Sprintf("site &lt;%d&gt;", i+1); !strings.Contains(page, name) {
			t.Errorf("the page does not have %s", name)
		}
	}
}

// TestGoldenTables compares the CSV files of a small report with those in testdata.
func TestGoldenTables(t *testing.T) {
	m, set := planted(t, 30)
	r := build(t, m, set, Options{Stability: 1, Seed: 1})
	names := TableNames()
	for _, table := range r.Tables() {
		if !slices.Contains(names, table.Name) {
			t.Errorf("%q is not among the names of tables", table.Name)
		}
		var b bytes.Buffer
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		if table.Name == "quality" || table.Name == "stability" {
			continue // numbers of learning, which differ in the last digits between processors
		}
		path := filepath.Join("testdata", table.Name+".csv")
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s differs; go test ./report -update rewrites it", path)
		}
	}
}

// TestTablesCanBeRead checks that the tables of a report are tables to package
// dataset, with every name unchanged.
func TestTablesCanBeRead(t *testing.T) {
	m, set := planted(t, 30)
	for _, table := range build(t, m, set, Options{Stability: -1}).Tables() {
		for i, line := range table.Rows {
			if len(line) != len(table.Rows[0]) {
				t.Errorf("%s, line %d has %d cells of %d", table.Name, i+1, len(line), len(table.Rows[0]))
			}
		}
		if table.Name != "rows" {
			continue
		}
		var b bytes.Buffer
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		back, err := dataset.Decode(t.Context(), "rows.csv", b.Bytes(),
			dataset.Options{Edits: []dataset.Edit{{Column: "row", Want: "label"}, {Column: "name", Want: "label"}, {Column: "site", Want: "label"}, {Column: "habitat", Want: "label"}, {Column: "year", Want: "label"}, {Column: "parts", Want: "label"}, {Column: "nats_per_cell", Want: "label"}}})
		if err != nil {
			t.Fatal(err)
		}
		if back.Len() != 30 || back.Columns[0] != "wet & <i>cold</i>" || back.Meta[1].Text(2) != "site <3>" {
			t.Errorf("%d rows, %v, %q", back.Len(), back.Columns, back.Meta[1].Text(2))
		}
	}
}

// used is the fact of how many parts are used.
func used(r *Report) string { return r.facts()[0].Value + " " + r.facts()[0].Words }

// TestWords checks how numbers are written.
func TestWords(t *testing.T) {
	one, two := &Report{Table: true, Rows: 1, Parts: make([]Part, 1), Stability: &Stability{Rows: 1}},
		&Report{Table: true, Rows: 2, Parts: make([]Part, 2), Stability: &Stability{Rows: 2}}
	for want, got := range map[string]string{
		"Learned again, by other starts and from rows drawn anew, 1 of 1 part comes back.": one.sayStability(),
		"Learned again, by other starts and from rows drawn anew, 2 of 2 parts come back.": two.sayStability(),
		"1 part is used":   used(&Report{PartCounts: []int64{0}, Parts: []Part{{Rows: 1}}}),
		"0 parts are used": used(&Report{PartCounts: []int64{0}}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for share, want := range map[float64]string{0: "0 %", 0.0001: "< 0.1 %", 0.012: "1.2 %", 0.05: "5 %", 0.123: "12 %",
		0.9999: "> 99.9 %", 1: "100 %"} {
		if got := percent(share); got != want {
			t.Errorf("percent(%v) = %q, want %q", share, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		lift, z Number
		want    shade
	}{{4, 5, shade{"more", 100}}, {4, 1, shade{}}, {0.5, -3, shade{"less", 50}}, {0, -3, shade{"less", 100}}} {
		if got := tint(c.lift, c.z); got != c.want {
			t.Errorf("tint(%v, %v) = %v, want %v", c.lift, c.z, got, c.want)
		}
	}
}

// TestHeldOutImages: hidden pixels of images that were left out are predicted by the
// parts, the mean image, a mixture and, where parts move, one part that moves; the page
// says from how many images, and that the number of parts was not found out again.
func TestHeldOutImages(t *testing.T) {
	m, set := letters(t)
	r := build(t, m, set, Options{Stability: -1, Sample: 10, Workers: 2})
	q := r.Quality
	if q == nil || q.Rows != 10 || q.Folds != fewFolds || len(q.By) != 4 {
		t.Fatalf("%+v %q", q, r.NoQuality)
	}
	if want := int64(10 * 29); q.Cells != want { // a fifth of 144 pixels
		t.Errorf("%d pixels hidden, want %d", q.Cells, want)
	}
	for _, by := range q.By {
		if len(by.Folds) != fewFolds || !(by.LogLoss > 0 && float64(by.LogLoss) < math.Log(float64(20))) {
			t.Errorf("%+v", by)
		}
	}
	if parts, mean := q.By[0].LogLoss, q.By[1].LogLoss; parts >= mean {
		t.Errorf("bars that move cost %v nats by the parts and %v by the mean image", parts, mean)
	}
	page := html(t, r)
	for _, want := range []string{"mean image", "one part, moved", "10 of the 12 images, drawn at random,",
		"not found out again", "bits per pixel"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}

// TestTimes: how many times as often something is has one form.
func TestTimes(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.0357: "0.036", 0.00001234: "0.000012", 0.999: "1", 2.449: "2.4",
		9.96: "10", 12.4: "12", 1234.5: "1234"} {
		if got := timesText(x); got != want {
			t.Errorf("%v times: %q, want %q", x, got, want)
		}
	}
}
