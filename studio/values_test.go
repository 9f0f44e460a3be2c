package studio

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/workbench"
)

// waterModel is a model of two measurements, and readings data that it fits: the third row is salty, the fourth lacks
// its salt.
func waterModel() *real.Model {
	return &real.Model{Height: 1, Width: 2,
		Background: []real.Normal{{Mean: 98, Var: 40}, {Mean: 3, Var: .3}},
		Experts: [][]real.Entry{{{Vote: real.MeanOnly, Normal: real.Normal{Mean: 30}},
			{Vote: real.MeanAndVar, Normal: real.Normal{Mean: 9, Var: .25}}}}, Pi: []float64{.4}}
}

const readings = "site,depth,salt\na,98.5,3.1\nb,96.2,2.8\nc,30.1,9.2\nd,31.0,\ne,99.9,3.3\nf,29.7,8.8\n"

func readingValues(t testing.TB) *dataset.Set {
	t.Helper()
	v, err := dataset.Decode(t.Context(), "water.csv", []byte(readings), dataset.Options{Kind: dataset.Number})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// waterServer serves, beside the models and data of newServer, model m1 (water) and data d3 (water.csv).
func waterServer(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	return newServer(t, func(o *Options) {
		o.Models = append([]NamedModel{{Name: "water", Model: workbench.Numbers{Model: waterModel()}}}, o.Models...)
		o.Data = append(o.Data, NamedData{Name: "water.csv", Set: readingValues(t)})
		if change != nil {
			change(o)
		}
	})
}

// saved returns a model as a file.
func saved(t testing.TB, m *real.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.WriteReal(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// got returns the answer to a request that must succeed.
func got[T any](t testing.TB, s *Server, r request) T {
	t.Helper()
	w := r.send(t, s)
	var out T
	if w.Code >= 300 {
		t.Fatalf("%s: %d, %s", r.path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v in %.300s", r.path, err, w.Body)
	}
	return out
}

// toldData is a description of data, as a client reads it.
type toldData struct {
	dataInfo
	Plan []struct{ Name, Kind string } `json:"plan"`
}

type wireReal struct {
	Rows []struct {
		Picks  []pick
		Detail detail
		LogLik float64 `json:"log_lik"`
	}
}

// TestRealListed: models and data of real values are listed with the others, and say so.
func TestRealListed(t *testing.T) {
	s := waterServer(t, nil)
	models := got[struct{ Models []modelInfo }](t, s, request{path: "/v1/models"}).Models
	data := got[struct{ Data []dataInfo }](t, s, request{path: "/v1/data"}).Data
	if len(models) != 3 || models[0].Values != ofReal || models[0].Rule != "pool" || models[0].Experts != 1 ||
		models[0].Table || models[1].Values != ofBits {
		t.Errorf("models: %+v", models)
	}
	if len(data) != 3 || data[2].Values != ofReal || data[2].N != 6 || data[2].Width != 2 || data[0].Values != ofBits ||
		len(data[2].Labels) != 1 {
		t.Errorf("data: %+v", data)
	}
	experts := got[struct {
		Experts    []expertInfo
		Background ground
	}](t, s, request{path: "/v1/models/m1/experts"})
	if e := experts.Experts[0]; e.Words != "40 % of images: 1 pixel brighter, 1 darker" || *e.Usage != .4 {
		t.Errorf("part: %+v", e)
	}
	if b := numbers(t, experts.Background.Mean); b[0] != 98 || b[1] != 3 {
		t.Errorf("background: %v", b)
	}
	if d := numbers(t, experts.Experts[0].Deviation); d[1] != .5 || math.Abs(float64(d[0])-math.Sqrt(40)) > 1e-5 {
		t.Errorf("deviations: %v", d)
	}
	rows := got[struct{ Images []labelled }](t, s, request{path: "/v1/data/d3/images?from=2&n=2&model=m1"}).Images
	if len(rows) != 2 || rows[0].Labels["site"] != "c" || rows[0].Values[1] != 9.2 ||
		!math.IsNaN(float64(rows[1].Values[1])) {
		t.Errorf("rows: %+v", rows)
	}
	named := got[struct{ Images []labelled }](t, s, request{path: "/v1/data/d3/images?search=d"}).Images
	if len(named) != 1 || named[0].Index != 3 {
		t.Errorf("rows called d: %+v", named)
	}
	for _, path := range []string{"/v1/models/m1/gallery.png", "/v1/models/m1/gallery.svg", "/v1/data/d3/file"} {
		if w := (request{path: path}).send(t, s); w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	file := request{path: "/v1/models/m1/file"}.send(t, s).Body.Bytes()
	if !bytes.Equal(file, saved(t, waterModel())) {
		t.Error("the downloaded model is another one")
	}
}

// TestRealRename: a name of a part is in the file that is downloaded.
func TestRealRename(t *testing.T) {
	s := waterServer(t, nil)
	got[expertInfo](t, s, request{method: "PATCH", path: "/v1/models/m1/experts/0", body: `{"name":"brine"}`})
	got[modelInfo](t, s, request{method: "PATCH", path: "/v1/models/m1", body: `{"name":"the sea"}`})
	file := request{path: "/v1/models/m1/file"}.send(t, s).Body.Bytes()
	m, err := modelfile.ReadReal(bytes.NewReader(file), int64(len(file)))
	if err != nil || m.Names[0] != "brine" {
		t.Errorf("names %v, %v", m.Names, err)
	}
}

// measured returns a request to explain rows of real values in detail.
func measured(model string, rows ...string) string {
	var images []string
	for _, row := range rows {
		images = append(images, fmt.Sprintf(`{"height":1,"width":%d,"values":[%s]}`, strings.Count(row, ",")+1, row))
	}
	return fmt.Sprintf(`{"model":%q,"detail":true,"predict":true,"images":[%s]}`, model, strings.Join(images, ","))
}

// TestRealExplain: rows are explained as by the library, and what is unknown is predicted by averaging.
func TestRealExplain(t *testing.T) {
	s := waterServer(t, nil)
	out := got[wireReal](t, s,
		request{path: "/v1/explain", body: measured("m1", "98.5,3.1", "30.1,9.2", "31,null", "null,null")})
	if len(out.Rows) != 4 {
		t.Fatalf("%d explanations", len(out.Rows))
	}
	for i, want := range []int{0, 1, 1, 0} {
		if n := len(out.Rows[i].Picks); n != want {
			t.Errorf("row %d has %d parts, want %d", i, n, want)
		}
	}
	salty := out.Rows[1].Detail
	if m := numbers(t, salty.Steps[0].P); m[0] != 30 || m[1] != 9 {
		t.Errorf("the salty row is said to be %v", m)
	}
	if d := numbers(t, salty.Steps[0].Votes); d[0] != 30 || d[1] != 9 {
		t.Errorf("its part says %v", d)
	}
	p, err := real.NewPursuit(waterModel())
	if err != nil {
		t.Fatal(err)
	}
	post, err := p.Best([]float64{31, math.NaN()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := post.Predict([]float64{31, math.NaN()}, workbench.Inside)
	lacking := out.Rows[2].Detail
	if m, low, high := numbers(t, lacking.Steps[0].P), numbers(t, lacking.Low),
		numbers(t, lacking.High); m[1] != float32(want.Mean[1]) || low[1] != float32(want.Low[1]) ||
		high[1] != float32(want.High[1]) || m[0] != 30 {
		t.Errorf("predicted %v (%v to %v), want %v", m, low, high, want)
	}
}

// TestRealOverview: rows of numbers are told by their parts, as those of bits.
func TestRealOverview(t *testing.T) {
	s := waterServer(t, nil)
	found := got[overview](t, s, request{path: "/v1/models/m1/overview?data=d3"})
	if len(found.Rows) != 6 || found.Rows[2].Name != "c" || len(found.Rows[2].Parts) != 1 || len(found.Columns) != 2 {
		t.Errorf("%+v", found)
	}
}

// TestRealSamples: samples are those of the library, and the first do not depend on how many there are.
func TestRealSamples(t *testing.T) {
	s := waterServer(t, nil)
	type answer struct{ Samples []struct{ Values f32 } }
	few := got[answer](t, s, request{path: "/v1/sample", body: `{"model":"m1","n":2,"seed":7}`}).Samples
	many := got[answer](t, s, request{path: "/v1/sample", body: `{"model":"m1","n":5,"seed":7}`}).Samples
	if len(many) != 5 || few[1] != many[1] {
		t.Errorf("samples %v and %v", few, many)
	}
	if want := newF32(waterModel().Sample(rand.New(rand.NewPCG(7, 1)))); few[1].Values != want {
		t.Errorf("sample 1 is %v, the library's %v", few[1], want)
	}
}

// TestRealUploads: measurements are recognised, grey pictures are read as real values when asked to, and models of both
// kinds are loaded by one operation.
func TestRealUploads(t *testing.T) {
	s := newServer(t, nil)
	d := got[toldData](t, s, request{path: "/v1/data?name=water.csv", body: readings})
	if d.Values != ofReal || len(d.Notes) == 0 || !strings.Contains(d.Notes[0].Text, "decimals") || len(d.Plan) != 3 ||
		d.Plan[0].Kind != "label" || d.Plan[2].Kind != "number" {
		t.Errorf("recognised: %+v", d)
	}
	m := got[modelInfo](t, s, request{path: "/v1/models?name=water", body: saved(t, waterModel())})
	if m.Values != ofReal || m.Source != "upload" {
		t.Errorf("loaded: %+v", m)
	}
	d = got[toldData](t, s, request{path: "/v1/data?name=grey.png&column=*%3Dnumber", body: pngBytes(t, 6, 6)})
	if d.Values != ofReal || d.Table || d.N != 1 || d.Height != 6 {
		t.Errorf("a grey picture: %+v", d)
	}
	d = got[toldData](t, s, pictures(t, "column=*%3Dnumber", "a.png", "b.png"))
	if d.N != 2 || d.Values != ofReal {
		t.Errorf("two pictures: %+v", d)
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range []string{"dark/1.png", "light/2.png", "light/3.png"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(pngBytes(t, 6, 6))
	}
	z.Close()
	d = got[toldData](t, s, request{path: "/v1/data?name=grey.zip&column=*%3Dnumber", body: archive.Bytes()})
	if d.N != 3 || d.Values != ofReal || d.Height != 6 || len(d.Labels) == 0 {
		t.Errorf("an archive of grey pictures: %+v", d)
	}
	for _, r := range []request{{path: "/v1/data?name=w.csv&threshold=5", body: readings},
		{path: "/v1/data?name=n.csv&column=*%3Dbit", body: "a,b\n1,0\n7,1\n"}} {
		if w := r.send(t, s); strings.Contains(w.Body.String(), `"values":"real"`) {
			t.Errorf("%s: %s", r.path, w.Body)
		}
	}
}

// pictures returns a request with a form of PNG files.
func pictures(t testing.TB, query string, names ...string) request {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, name := range names {
		w, err := m.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(pngBytes(t, 6, 6))
	}
	m.Close()
	return request{path: "/v1/data?name=both&" + query, headers: []string{"Content-Type: " + m.FormDataContentType()},
		body: b.Bytes()}
}

// TestRealLearns: a job learns the model that the library learns, and says the command line that does.
func TestRealLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("site,a,b,c\n")
	for i := range 60 {
		x := float64(i%2) * 5
		fmt.Fprintf(&text, "s%d,%.2f,%.2f,%.2f\n", i, x+rng.NormFloat64()/4, -x+rng.NormFloat64()/4, rng.NormFloat64())
	}
	s := newServer(t, nil)
	d := got[toldData](t, s, request{path: "/v1/data?name=two.csv", body: text.String()})
	j := got[jobInfo](t, s,
		request{path: "/v1/learn", body: map[string]any{"data": d.ID, "seed": 3, "starts": 2, "auto": true}})
	j = wait(t, s, j.ID)
	if j.State != done || j.Model == nil || j.Command == nil ||
		*j.Command != "patchwork learn two.csv -o model.npz --starts 2 --seed 3" {
		t.Fatalf("job: %+v", j)
	}
	v, err := dataset.Decode(t.Context(), "two.csv", []byte(text.String()), dataset.Options{Kind: dataset.Number})
	if err != nil {
		t.Fatal(err)
	}
	want, err := mixed.Learn(t.Context(), &mixed.Data{Fields: []mixed.Field{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Rows: v.Values}, mixed.Options{Seed: 3, Starts: 2})
	if err != nil {
		t.Fatal(err)
	}
	if want.Reading, err = v.Reading(); err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err := modelfile.WriteMixed(&written, want); err != nil {
		t.Fatal(err)
	}
	if file := (request{path: "/v1/models/" + *j.Model + "/file"}).send(t, s).Body.Bytes(); !bytes.Equal(file,
		written.Bytes()) {
		back, err := modelfile.ReadMixed(bytes.NewReader(file), int64(len(file)))
		t.Errorf("the job's model is not the library's: %+v, %v\nwant %+v", back, err, want)
	}
}

// TestRealStops: a job that is stopped keeps its best model so far, of images with the command that makes the same.
func TestRealStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for name, flags := range map[string]string{"rows": "", "images": "&size=2x2"} {
		var text strings.Builder
		text.WriteString("a,b,c,d\n")
		for i := range 400 {
			x := float64(i%2) * 5
			fmt.Fprintf(&text, "%.2f,%.2f,%.2f,%.2f\n", x+rng.NormFloat64(), x+rng.NormFloat64(), rng.NormFloat64(),
				rng.NormFloat64())
		}
		s := newServer(t, nil)
		d := got[toldData](t, s, request{path: "/v1/data?name=four.csv&column=*%3Dnumber" + flags, body: text.String()})
		j := got[jobInfo](t, s, request{path: "/v1/learn", body: map[string]any{"data": d.ID, "starts": 100, "auto": true}})
		for j.Trial < 3 && (j.State == queued || j.State == running) {
			time.Sleep(5 * time.Millisecond)
			j = got[jobInfo](t, s, request{path: "/v1/learn/" + j.ID})
		}
		ask[struct{}](t, s, request{method: "POST", path: "/v1/learn/" + j.ID + "/stop"}, 200)
		if j = wait(t, s, j.ID); j.State != stopped || j.Model == nil || (j.Command != nil) != (name == "images") {
			t.Fatalf("%s: %+v", name, j)
		}
		file := (request{path: "/v1/models/" + *j.Model + "/file"}).send(t, s).Body.Bytes()
		if name == "rows" {
			if m, err := modelfile.ReadMixed(bytes.NewReader(file), int64(len(file))); err != nil || m.Record.Rows != 400 ||
				!m.Record.Interrupted {
				t.Fatalf("%+v, %v", m, err)
			}
			continue
		}
		m, err := modelfile.ReadReal(bytes.NewReader(file), int64(len(file)))
		if err != nil || m.Record.Rows != 400 {
			t.Fatalf("%s: %+v, %v", name, m, err)
		}
		starts := len(m.Record.Starts)
		if !strings.Contains(*j.Command, fmt.Sprintf(" --starts %d", starts)) {
			t.Errorf("%d starts by %s", starts, *j.Command)
		}
		again := got[jobInfo](t, s,
			request{path: "/v1/learn", body: map[string]any{"data": d.ID, "starts": starts, "auto": true}})
		if again = wait(t, s, again.ID); again.Model == nil {
			t.Fatalf("%+v", again)
		}
		if other := (request{path: "/v1/models/" + *again.Model + "/file"}).send(t, s).Body.Bytes(); !bytes.Equal(file,
			other) {
			t.Error("the command makes another model")
		}
	}
}

// TestRealRefuses: what does not go together is refused, and says why.
func TestRealRefuses(t *testing.T) {
	s := waterServer(t, func(o *Options) { o.bound = func(b *bounds) { b.LearnImages, b.Batch = 5, 3 } })
	for _, c := range []struct {
		r      request
		status int
		text   string
	}{
		{request{path: "/v1/explain", body: `{"model":"m1","images":[{"height":1,"width":2,"bits":"01"}]}`}, 422,
			"0 values of 1 x 2; the model is of 1 x 2 real values"},
		{request{path: "/v1/sample", body: `{"model":"m1","along":[1]}`}, 422, "no geometry"},
		{request{path: "/v1/explain", body: measured("m2", "1")}, 422, "0 characters in bits"},
		{request{path: "/v1/explain", body: measured("m1", "1")}, 422, "1 values of 1 x 1"},
		{request{path: "/v1/explain", body: measured("m1", `"x",2`)}, 422, "not a valid value"},
		{request{path: "/v1/explain", body: measured("m1", `1e999,2`)}, 422, ""},
		{request{path: "/v1/explain", body: measured("m1")}, 422, "no images"},
		{request{path: "/v1/explain", body: measured("m1", "1,2", "1,2", "1,2", "1,2")}, 413, "accepts (3)"},
		{request{path: "/v1/sample", body: `{"model":"m1","n":100000}`}, 413, "samples"},
		{request{path: "/v1/sample", body: `{"model":"nothing"}`}, 404, "no model"},
		{request{path: "/v1/data/d3/images?n=9"}, 422, "at a time"},
		{request{path: "/v1/data/d3/images?n=1&model=m2"}, 422, "the data are of real"},
		{request{path: "/v1/models/m1/overview?data=d1"}, 422, "the data are of bits"},
		{request{path: "/v1/learn", body: `{"data":"d3"}`}, 413, "learns from"},
		{request{path: "/v1/learn", body: `{"data":"d3","take":4,"method":"batch"}`}, 422, "does not apply"},
		{request{path: "/v1/learn", body: `{"data":"d3","take":4,"shift":3}`}, 422, "shift"},
		{request{path: "/v1/data?name=n.csv&column=*%3Dnumber", body: "a,b\n1.5,2\n2,3,4\n"}, 422, "line 3"},
		{request{path: "/v1/data?name=n.csv&column=*%3Dnumber&threshold=3", body: readings}, 422, "threshold"},
		{request{path: "/real"}, 404, "nothing"},
	} {
		if w := c.r.send(t, s); w.Code != c.status || !strings.Contains(w.Body.String(), c.text) {
			t.Errorf("%s %v: %d, want %d and %q: %.300s", c.r.path, c.r.body, w.Code, c.status, c.text, w.Body)
		}
	}
	for _, o := range []struct {
		change func(*Options)
		status int
		r      request
	}{{func(o *Options) { o.NoUpload = true }, http.StatusForbidden, request{path: "/v1/data?name=w.csv", body: readings}},
		{func(o *Options) { o.NoLearn = true }, http.StatusForbidden, request{path: "/v1/learn", body: `{"data":"d3"}`}},
		{func(o *Options) { o.Token = "secret" }, http.StatusUnauthorized,
			request{path: "/v1/sample", body: `{"model":"m1"}`}}} {
		if w := o.r.send(t, waterServer(t, o.change)); w.Code != o.status {
			t.Errorf("%s: %d, want %d", o.r.path, w.Code, o.status)
		}
	}
}

// TestRealEffort: a model that is too much work is refused when it is loaded.
func TestRealEffort(t *testing.T) {
	s := newServer(t, func(o *Options) { o.bound = func(b *bounds) { b.Effort = 3 } })
	m := waterModel()
	m.Experts, m.Pi = append(m.Experts, m.Experts[0]), nil
	if w := (request{path: "/v1/models?name=x", body: saved(t, m)}).send(t, s); w.Code != 422 {
		t.Errorf("%d, %s", w.Code, w.Body)
	}
}

// TestValuesOnTheWire: values survive the way to the page and back, unknown ones too.
func TestValuesOnTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.OneOf(rapid.Just(math.NaN()), rapid.Float64Range(-1e300, 1e300))).Draw(t, "values")
		text, err := json.Marshal(newNats(want))
		if err != nil {
			t.Fatal(err)
		}
		var back []nats
		if err := json.Unmarshal(text, &back); err != nil || len(back) != len(want) {
			t.Fatalf("%s: %v, %v", text, back, err)
		}
		for i, x := range want {
			if g := float64(back[i]); g != x && !(math.IsNaN(g) && math.IsNaN(x)) {
				t.Fatalf("value %d: %v, want %v", i, g, x)
			}
		}
	})
}

// FuzzReal: whatever is uploaded and asked as real values, the answer is a problem or an explanation of each row.
func FuzzReal(f *testing.F) {
	s := waterServer(f, func(o *Options) {
		o.bound = func(b *bounds) {
			b.BodyBytes = 1 << 16
			b.UploadBytes = 1 << 16
			b.Pixels = 4096
			b.Candidates = 1 << 14
			b.Templates = 1 << 15
			b.Effort = 1 << 22
			b.Time = 20 * time.Second
			b.DataBytes = 1 << 20
			b.LearnImages = 16
		}
	})
	f.Add([]byte(readings), saved(f, waterModel()), `1.5,null`)
	f.Add([]byte("a,b\n1e300,nan\n-1e-300,\n"), []byte("PK\x03\x04"), `1e300,-1e300`)
	f.Add([]byte("\x93NUMPY\x01\x00"), []byte(nil), `null`)
	f.Fuzz(func(t *testing.T, data, model []byte, rows string) {
		for _, r := range []request{{path: "/v1/data?name=x&column=*%3Dnumber", body: data},
			{path: "/v1/models?name=x", body: model},
			{path: "/v1/explain", body: measured("m1", rows)}} {
			if w := r.send(t, s); w.Code == 500 {
				t.Fatalf("%s: %.300s", r.path, w.Body)
			}
		}
		for _, kind := range []string{"data", "models"} {
			for _, id := range []string{"d4", "d5", "m4", "m5"} {
				request{method: "DELETE", path: "/v1/" + kind + "/" + id}.send(t, s)
			}
		}
	})
}

// A column that is no number is refused with what is in the way, as the command says it, if it should be one.
func TestWhatIsNoNumberSaysWhatHelps(t *testing.T) {
	s := newServer(t, nil)
	for name, c := range map[string]struct{ text, want string }{
		"words": {"a,b\nv,2\nw,9\n4.5,3\nu,4\n", `line 2, column "a": "v" is not a number`},
	} {
		p := ask[problemError](t, s, request{method: "POST", path: "/v1/data?name=t.csv&column=a%3Dnumber", body: c.text,
			headers: []string{"Content-Type: text/csv"}}, 422)
		if !strings.Contains(p.Detail, c.want) || !slices.Contains(p.Fix, "--column a=label") {
			t.Errorf("%s: %s, %q", name, p.Detail, p.Fix)
		}
	}
}

// TestFixes: what a note of the command line says of codes and of rows that are columns, the page may ask for.
func TestFixes(t *testing.T) {
	s := newServer(t, nil)
	text := "name,s1,s2,s3\na,1,7,0\nb,0,1,7\n"
	d := got[toldData](t, s, request{path: "/v1/data?name=t.csv&size=columns&missing=7", body: text})
	if d.N != 3 || d.Width != 2 || len(d.Plan) != 3 || d.Plan[1].Kind != "bit" || d.Plan[2].Kind != "bit" {
		t.Errorf("%+v", d)
	}
}
