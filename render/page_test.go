package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"example.com/patchwork/internal/markup"
)

// A page loads nothing, and its title and headings are text.
func TestPageIsSelfContained(t *testing.T) {
	p := examplePage()
	p.Sections[0].Heading = "<script>alert(1)</script>\u202e"
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"http:", "https:", "<script", "<link", "url(", "@import", "\u202e"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
}

// A page says what a browser may let it do, and its own script is the one that it names.
func TestPagePolicy(t *testing.T) {
	policy := regexp.MustCompile(
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src ([^;"]*);`)
	for _, script := range []string{"", "let a = 1 < 2 && \"</b>\"; // is < that\n"} {
		var b bytes.Buffer
		if err := (Page{Title: "a", Script: markup.HTML(script)}).Write(&b); err != nil {
			t.Fatal(err)
		}
		found := policy.FindStringSubmatch(b.String())
		if found == nil {
			t.Fatalf("no policy in %.400q", b.String())
		}
		_, inside, _ := strings.Cut(b.String(), "<script>")
		inside, _, _ = strings.Cut(inside, "</script>")
		hash := sha256.Sum256([]byte(inside))
		want := "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
		if script == "" {
			want = "'none'"
		}
		if found[1] != want || inside != script {
			t.Errorf("script %q: %s, want %s", inside, found[1], want)
		}
	}
}
