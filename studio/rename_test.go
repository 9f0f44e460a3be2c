package studio

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/patchwork/diagnose/words"
)

// TestRename: a model and its experts take names, which every description shows;
// an empty one is removed.
func TestRename(t *testing.T) {
	s := newServer(t, nil)
	patch := func(path, name string) request {
		return request{method: "PATCH", path: path, body: map[string]string{"name": name}}
	}
	if m := ask[modelInfo](t, s, patch("/v1/models/m2", "  House of 1984 "), 200); m.Name != "House of 1984" ||
		m.ID != "m2" {
		t.Errorf("%+v", m)
	}
	if e := ask[expertInfo](t, s, patch("/v1/models/m2/experts/1", "tofu, no jam"), 200); e.Name != "tofu, no jam" ||
		e.Index != 1 {
		t.Errorf("%+v", e)
	}
	m := ask[modelInfo](t, s, request{path: "/v1/models/m2"}, 200)
	if len(m.Parts) != 2 || m.Parts[0].Name != "" || m.Parts[1].Name != "tofu, no jam" || m.Name != "House of 1984" {
		t.Errorf("%+v", m)
	}
	experts := ask[struct{ Experts []expertInfo }](t, s, request{path: "/v1/models/m2/experts"}, 200).Experts
	if experts[0].Name != "" || experts[1].Name != "tofu, no jam" {
		t.Errorf("%+v", experts)
	}
	if e := ask[expertInfo](t, s, patch("/v1/models/m2/experts/1", ""), 200); e.Name != "" {
		t.Errorf("%+v", e)
	}
	for _, c := range []struct {
		path, name string
		status     int
	}{
		{"/v1/models/m9", "x", 404}, {"/v1/models/m2/experts/2", "x", 404}, {"/v1/models/m2/experts/-1", "x", 422},
		{"/v1/models/m2", " ", 422},
		{"/v1/models/m2", "a\nb", 422}, {"/v1/models/m2/experts/0", "\x1b[31m", 422},
		{"/v1/models/m2/experts/0", strings.Repeat("ä", 201), 422},
	} {
		if w := patch(c.path, c.name).send(t, s); w.Code != c.status {
			t.Errorf("%s %q: %d %s", c.path, c.name, w.Code, w.Body)
		}
	}
	closed := newServer(t, func(o *Options) { o.NoUpload = true })
	if w := patch("/v1/models/m2", "x").send(t, closed); w.Code != 403 {
		t.Errorf("a server without uploads: %d", w.Code)
	}
}

// TestRenameKeepsAnswers: a model answers the same after it was renamed, and can
// be deleted.
func TestRenameKeepsAnswers(t *testing.T) {
	s := newServer(t, nil)
	up := ask[struct{ ID string }](t, s, request{path: "/v1/models?name=x", body: modelBytes(t, voters(t))},
		201).ID
	explain := request{path: "/v1/explain", body: `{"model":"` + up + `","images":[{"height":1,"width":3,"bits":"110"}]}`}
	before := ask[struct{ Rows []row }](t, s, explain, 200).Rows[0]
	ask[expertInfo](t, s, request{method: "PATCH", path: "/v1/models/" + up + "/experts/0", body: `{"name":"toast"}`}, 200)
	after := ask[struct{ Rows []row }](t, s, explain, 200).Rows[0]
	if len(before.Picks) != len(after.Picks) || before.LogLik != after.LogLik {
		t.Errorf("%+v, then %+v", before, after)
	}
	if w := (request{method: "DELETE", path: "/v1/models/" + up}).send(t, s); w.Code != 204 {
		t.Errorf("delete: %d", w.Code)
	}
	if w := (request{path: "/v1/models/" + up}).send(t, s); w.Code != 404 {
		t.Errorf("it is still there: %d", w.Code)
	}
}

// TestAnyName: whatever the name, it is kept as it is or refused in words; one of
// characters that cannot be seen is none.
func TestAnyName(t *testing.T) {
	s := newServer(t, nil)
	for name, want := range map[string]string{"\u00ad": "", "\ufeff": "", " \u200b ": "", "so\u00adfa": "so\u00adfa"} {
		patch := request{method: "PATCH", body: map[string]string{"name": name}}
		patch.path = "/v1/models/m1/experts/0"
		if e := ask[expertInfo](t, s, patch, 200); e.Name != want {
			t.Errorf("%q became %q", name, e.Name)
		}
		patch.path = "/v1/models/m1"
		if w := patch.send(t, s); (want == "") != (w.Code == 422) {
			t.Errorf("a model called %q: %d %s", name, w.Code, w.Body)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.String().Draw(r, "name")
		want := strings.TrimSpace(name)
		if words.Clean(name) == "" {
			want = ""
		}
		w := request{method: "PATCH", path: "/v1/models/m1/experts/0", body: map[string]string{"name": name}}.send(t, s)
		fine := utf8.RuneCountInString(name) <= 200 && strings.TrimSpace(name) == name &&
			!strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) && !strings.EqualFold(name, "part 1")
		m, err := s.models.find("m1")
		if err != nil {
			r.Fatal(err)
		}
		switch {
		case w.Code != 200 && w.Code != 422, fine && w.Code != 200:
			r.Fatalf("%q: %d %s", name, w.Code, w.Body)
		case w.Code == 200 && m.of.Part(0).Name != want:
			r.Fatalf("%q became %q", name, m.of.Part(0).Name)
		}
	})
}

// TestFindRows: rows are found by the text of their labels, with their number
// among all rows.
func TestFindRows(t *testing.T) {
	s := newServer(t, nil)
	type found = struct {
		Images []labelled
		Total  int
	}
	csv := "site,kind,a,b\nHeidelberg,bog,1,0\nUlm,,0,1\nNeu-Ulm,bog,1,1\n"
	d := ask[toldData](t, s, request{path: "/v1/data?name=sites.csv&column=site%3Dlabel&column=kind%3Dlabel", body: csv}, 201)
	got := ask[found](t, s, request{path: "/v1/data/" + d.ID + "/images?search=ULM"}, 200)
	if got.Total != 2 || got.Images[0].Index != 1 || got.Images[0].Bits != "01" || got.Images[1].Name != "Neu-Ulm" {
		t.Errorf("%+v", got)
	}
	if got := ask[found](t, s, request{path: "/v1/data/" + d.ID + "/images?n=1"}, 200); got.Total != 3 ||
		len(got.Images) != 1 || got.Images[0].Name != "Heidelberg" {
		t.Errorf("%+v", got)
	}
	if got := ask[found](t, s, request{path: "/v1/data/" + d.ID + "/images?from=1&n=1"}, 200); got.Total != 3 ||
		len(got.Images) != 1 || got.Images[0].Name != "Ulm" {
		t.Errorf("%+v", got)
	}
	if got := ask[found](t, s, request{path: "/v1/data/" + d.ID + "/images?search=nowhere"}, 200); got.Total != 0 ||
		len(got.Images) != 0 {
		t.Errorf("%+v", got)
	}
	if w := (request{path: "/v1/data/" + d.ID + "/images?n=100000"}).send(t, s); w.Code != 422 {
		t.Errorf("100000 rows: %d", w.Code)
	}
}
