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
	at := func(name string, numbers ...int) string { // a rectangle, as a query
		var out []string
		for _, n := range numbers {
			out = append(out, fmt.Sprintf("%s=%d", name, n))
		}
		return strings.Join(out, "&")
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
		code, text := post(fmt.Sprintf("%s&turns=true&mirror=true", at("symbol", p.X+2, p.Y+2, 46, 46)), page)
		var got findAnswer
		if err := json.Unmarshal([]byte(text), &got); code != 200 || err != nil {
			t.Fatalf("%d, %s", code, text)
		}
		if len(got.Finds) != counts[p.Symbol] || got.Width != 960 {
			t.Errorf("symbol %d marked at %d, %d: %d finds, want %d", p.Symbol, p.X, p.Y, len(got.Finds), counts[p.Symbol])
		}
	}
	// Two symbols and a counter-example, in one search; what is withheld says why.
	var marks []string
	for symbol, name := range map[int]string{1: "symbol", 3: "rival"} {
		for _, p := range set.Truth.Items[0].Placements {
			if p.Symbol == symbol {
				marks = append(marks, at(name, p.X+2, p.Y+2, 46, 46))
				break
			}
		}
	}
	code, text := post(strings.Join(marks, "&")+"&turns=true&mirror=true", page)
	var got findAnswer
	if err := json.Unmarshal([]byte(text), &got); code != 200 || err != nil || len(got.Finds) != counts[1] {
		t.Errorf("with a counter-example: %d, %d finds, want %d: %.300s", code, len(got.Finds), counts[1], text)
	}
	for _, f := range got.Withheld {
		if f.Why == "" || f.LogOdds >= 0 || f.Symbol != 0 {
			t.Errorf("withheld: %+v", f)
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
		{at("symbol", 0, 0, 3, 3), page, 422, "no ink"},
		{at("symbol", 950, 0, 46, 46), page, 422, "does not lie on the page"},
		{at("symbol", 9, 0, 46), page, 422, "4"},
		{at("symbol", 9, 0, 46, 40, 3), page, 422, "four numbers"},
		{at("symbol", 9, 0, 0, 4), page, 422, "does not lie"},
		{at("symbol", 0, 0, 9, 9), "", 400, "empty"},
		{at("symbol", 0, 0, 9, 9), "a,b\n1,0\n", 422, "one picture"},
		{at("symbol", 0, 0, 9, 9), "\x89PNG\r\n\x1a\nrubbish", 422, ""},
	} {
		if code, text := post(c.query, c.body); code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d, %.200s; want %d, %q", c.query, code, text, c.code, c.says)
		}
	}
}
