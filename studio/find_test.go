package studio

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A symbol is marked on the example drawing, and what looks like it is found; a server
// refuses what is no example.
func TestFind(t *testing.T) {
	s := newServer(t, nil)
	w := request{path: "/v1/find/example"}.send(t, s)
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/png" {
		t.Fatalf("%d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	page := w.Body.String()
	post := func(query, body string) (int, string) {
		w := request{method: "POST", path: "/v1/find?" + query, body: body,
			headers: []string{"Content-Type: application/octet-stream"}}.send(t, s)
		return w.Code, w.Body.String()
	}
	set, err := exampleSheet()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int]int{}
	for _, p := range set.Truth.Items[0].Placements {
		counts[p.Symbol]++
	}
	tried := 0
	for _, p := range set.Truth.Items[0].Placements {
		if p.Symbol != 1 && p.Symbol != 3 { // the triangle in a square, the register
			continue
		}
		tried++
		code, text := post(fmt.Sprintf("x=%d&y=%d&width=46&height=46&turns=true&mirror=true", p.X+2, p.Y+2), page)
		var got findAnswer
		if err := json.Unmarshal([]byte(text), &got); code != 200 || err != nil {
			t.Fatalf("%d, %s", code, text)
		}
		if len(got.Finds) != counts[p.Symbol] || got.Width != 960 {
			t.Errorf("symbol %d marked at %d, %d: %d finds, want %d", p.Symbol, p.X, p.Y, len(got.Finds), counts[p.Symbol])
		}
	}
	if tried == 0 {
		t.Error("the example has no symbol to mark")
	}
	for _, c := range []struct {
		query, body string
		code        int
		says        string
	}{
		{"x=0&y=0&width=3&height=3", page, 422, "no ink"},
		{"x=950&y=0&width=46&height=46", page, 422, "does not lie on the page"},
		{"x=9&y=0&width=46", page, 422, "height"},
		{"x=9&y=0&width=0&height=4", page, 422, "width"},
		{"x=0&y=0&width=9&height=9", "", 400, "empty"},
		{"x=0&y=0&width=9&height=9", "a,b\n1,0\n", 422, "one picture"},
		{"x=0&y=0&width=9&height=9", "\x89PNG\r\n\x1a\nrubbish", 422, ""},
	} {
		if code, text := post(c.query, c.body); code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d, %.200s; want %d, %q", c.query, code, text, c.code, c.says)
		}
	}
}
