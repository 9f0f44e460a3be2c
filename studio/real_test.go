package studio

import (
	"bytes"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
)

// waterModel is a model of two measurements, and readings data that it fits: the third row is salty, the fourth lacks its salt.
func waterModel() *real.Model {
	return &real.Model{Height: 1, Width: 2, Columns: []string{"depth", "salt"}, Background: []real.Normal{{Mean: 98, Var: 40}, {Mean: 3, Var: .3}},
		Experts: [][]real.Entry{{{Vote: real.MeanOnly, Normal: real.Normal{Mean: 30}}, {Vote: real.MeanOnly, Normal: real.Normal{Mean: 9}}}}}
}

const readings = "site,depth,salt\na,98.5,3.1\nb,96.2,2.8\nc,30.1,9.2\nd,31.0,\ne,99.9,3.3\nf,29.7,8.8\n"

// form returns a request of the form with fields; those whose names begin with @ are files.
func form(t testing.TB, fields ...string) request {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		name, content := fields[i], fields[i+1]
		if file, ok := strings.CutPrefix(name, "@"); ok {
			field, _, _ := strings.Cut(file, "=")
			w, err := m.CreateFormFile(field, strings.TrimPrefix(file, field+"="))
			if err != nil {
				t.Fatal(err)
			}
			w.Write([]byte(content))
			continue
		}
		if err := m.WriteField(name, content); err != nil {
			t.Fatal(err)
		}
	}
	m.Close()
	return request{path: "/real", headers: []string{"Content-Type: " + m.FormDataContentType()}, body: b.Bytes()}
}

func waterServer(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	v, err := dataset.DecodeValues("water.csv", []byte(readings), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newServer(t, func(o *Options) {
		o.Real = []NamedReal{{Name: "water", Model: waterModel(), Data: v}, {Name: "alone", Data: v}}
		if change != nil {
			change(o)
		}
	})
}

// saved returns a model as a file.
func saved(t testing.TB, m *real.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.WriteReal(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkReal checks the status of an answer, that it has some texts, and the policy that it brings along.
func checkReal(t *testing.T, w *httptest.ResponseRecorder, status int, texts ...string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d: %.300s", w.Code, status, w.Body)
	}
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	if p := w.Header().Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "script-src 'unsafe") {
		t.Errorf("policy %q", p)
	}
}

func TestRealPage(t *testing.T) {
	s := waterServer(t, nil)
	checkReal(t, request{path: "/real"}.send(t, s), 200, "<h2>water</h2>", "<h2>alone</h2>", "Your file")
	opened := form(t, "opened", "water", "rows", "c, 4").send(t, s)
	checkReal(t, opened, 200, "The rows asked for", "<h3>c</h3>", "<h3>d</h3>", "1 cell is unknown", "Missing values", "high salt 9; low depth 30")
	if strings.Contains(opened.Body.String(), "<h3>a</h3>") {
		t.Error("a row is worked out that was not asked for")
	}
	checkReal(t, form(t, "opened", "alone").send(t, s), 200, "The parts")
	first := s.real[1].Model
	checkReal(t, form(t, "opened", "alone").send(t, s), 200, "The parts")
	if first == nil || s.real[1].Model != first {
		t.Error("what was learned of opened data is learned again")
	}
	checkReal(t, form(t, "@data=other.csv", readings, "@model=m.npz", saved(t, waterModel())).send(t, s), 200, "other.csv", "high salt 9")
	checkReal(t, form(t, "@data=other.csv", readings).send(t, s), 200, "other.csv")
}

func TestRealPageRefuses(t *testing.T) {
	s := waterServer(t, func(o *Options) { o.Limits.LearnImages = 100 })
	many := "a,b\n" + strings.Repeat("1.5,2.5\n", 101)
	for _, c := range []struct {
		name   string
		r      request
		status int
		text   string
	}{
		{"no form", request{path: "/real", body: "x", headers: []string{"Content-Type: text/plain"}}, 415, "multipart"},
		{"nothing", form(t, "rows", "1"), 422, "choose a file"},
		{"a model alone", form(t, "@model=m.npz", saved(t, waterModel())), 422, "choose data"},
		{"not opened", form(t, "opened", "<b>"), 404, "&lt;b&gt;"},
		{"no such row", form(t, "opened", "water", "rows", "nowhere"), 422, "there is no row"},
		{"another size", form(t, "@data=x.csv", "p,q\n1.5,2\n2.5,3\n", "@model=m.npz", saved(t, waterModel())), 422, "no column"},
		{"no model", form(t, "@data=x.csv", readings, "@model=m.npz", "PK"), 422, "zip"},
		{"text", form(t, "@data=x.csv", "a\nx\ny\n"), 422, ""},
		{"many rows", form(t, "@data=x.csv", many), 413, "patchwork report"},
		{"a broken form", request{path: "/real", body: "--x\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\nabc", headers: []string{"Content-Type: multipart/form-data; boundary=x"}}, 400, "broken"},
	} {
		t.Run(c.name, func(t *testing.T) { checkReal(t, c.r.send(t, s), c.status, c.text, `role="alert"`) })
	}
	for _, o := range []struct {
		change func(*Options)
		text   string
		status int
	}{{func(o *Options) { o.NoUpload = true }, "switched off", 403}, {func(o *Options) { o.NoLearn = true }, "choose a model", 403},
		{func(o *Options) { o.Token = "secret" }, "requires its token", 401}} {
		checkReal(t, form(t, "@data=x.csv", readings).send(t, waterServer(t, o.change)), o.status, o.text)
	}
	s = waterServer(t, func(o *Options) { o.Token = "secret" })
	checkReal(t, form(t, "opened", "water", "token", "secret").send(t, s), 200, "The parts")
}

// TestRealElsewhere: who brings real values to the views of bits is told where to open them.
func TestRealElsewhere(t *testing.T) {
	s := newServer(t, nil)
	for _, r := range []request{{path: "/v1/data?name=water.csv", body: readings}, {path: "/v1/models?name=m", body: saved(t, waterModel())}} {
		if w := r.send(t, s); w.Code != 422 || !strings.Contains(w.Body.String(), "/real") {
			t.Errorf("%s: %d, %s", r.path, w.Code, w.Body)
		}
	}
	if w := (request{path: "/v1/data?name=n.csv", body: "a,b\n1,0\n7,1\n"}).send(t, s); w.Code != 422 || strings.Contains(w.Body.String(), "/real") {
		t.Errorf("whole numbers: %d, %s", w.Code, w.Body)
	}
}

// FuzzReal: whatever is uploaded, the answer is a page.
func FuzzReal(f *testing.F) {
	s := waterServer(f, func(o *Options) {
		o.Limits = Limits{BodyBytes: 1 << 16, UploadBytes: 1 << 16, Pixels: 4096, Candidates: 1 << 14, Templates: 1 << 15, Effort: 1 << 22, Time: 20 * time.Second,
			DataBytes: 1 << 20, LearnImages: 16}
	})
	f.Add([]byte(readings), []byte(nil), "c")
	f.Add([]byte(readings), []byte(saved(f, waterModel())), "")
	f.Add([]byte("a,b\n1e300,nan\n-1e-300,\n"), []byte("PK\x03\x04"), "0")
	f.Add([]byte("\x93NUMPY\x01\x00"), []byte(nil), "1,2")
	f.Fuzz(func(t *testing.T, data, model []byte, rows string) {
		w := form(t, "@data=x", string(data), "@model=m", string(model), "rows", rows).send(t, s)
		if w.Code >= 500 || !strings.HasPrefix(w.Body.String(), "<!doctype html>") && !strings.HasPrefix(w.Body.String(), "<!DOCTYPE html>") {
			t.Fatalf("%d: %.300s", w.Code, w.Body)
		}
	})
}
