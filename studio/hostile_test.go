package studio

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/pose"
)

func pngBytes(t testing.TB, height, width int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 255 * uint8(i%2)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pngClaiming returns a PNG whose header claims another size.
func pngClaiming(t testing.TB, height, width uint32) []byte {
	b := pngBytes(t, 6, 6)
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// zipOf returns an archive of zeros, which compress to a thousandth.
func zipOf(t testing.TB, name string, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// npyClaiming returns the header of an array without its content.
func npyClaiming(shape string) []byte {
	head := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': %s, }", shape)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	return append([]byte("\x93NUMPY\x01\x00"+string(rune(len(head)%256))+"\x00"), head...)
}

const one = `{"height":6,"width":6,"bits":"000000000000111111000000000000000000"}`

// hostile returns requests that must be refused, each with the status and a
// fact that the text must contain. The test server has a token only where
// stated.
func hostile(t testing.TB) []hostileRequest {
	explain := func(body string) request { return request{path: "/v1/explain", body: body} }
	explainImage := func(img string) request { return explain(`{"model":"m1","images":[` + img + `]}`) }
	data := func(query string, body []byte) request {
		return request{path: "/v1/data?name=x" + query, headers: octets, body: body}
	}
	learnWith := func(body string) request { return request{path: "/v1/learn", body: body} }
	sample := func(body string) request { return request{path: "/v1/sample", body: body} }
	images := npyBytes(t, npy.New(make([]uint8, 2*36), 2, 6, 6))
	goodModel := modelBytes(t, strokes(t))
	cfg := patchwork.NewConfig(patchwork.RuleMax, 64, 64, pose.Grid{DY: pose.Symmetric(63, 1), DX: pose.Symmetric(63, 1),
		Angles: pose.Evenly(170, 2)})
	wide, err := patchwork.NewModel(cfg, [][]float64{make([]float64, 64*64)})
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat("[", 20_000)
	return []hostileRequest{
		// Bodies that are not JSON, or not the expected JSON.
		{explain(""), 400, "empty"},
		{explain("   "), 400, "empty"},
		{explain("{"), 400, "not JSON at byte"},
		{explain(`{"model":"m1","model":"m1"`), 400, "not JSON at byte"},
		{explain(`{"model":"m1","images":[null`), 400, "not JSON at byte"},
		{explain(`{"model":"m1","images":[null,]}`), 400, "not JSON"},
		{explain(`{"Model":"m1",}`), 400, "not JSON"},
		{explain(`{"model":"m1" "images":[]}`), 400, "not JSON"},
		{explain(`{"model":"m1"}}`), 400, "not JSON at byte"},
		{explain(`{"model":"m1","images":[01]}`), 400, "not JSON"},
		{explain("{\"model\":\"m\n1\"}"), 400, "not JSON"},
		{explain(`{"model":"m1\`), 400, "not JSON at byte"},
		{explain(`{"model":"m1","model":"m1"}`), 422, "there twice"},
		{explain(`{"model":"m1","images":[null]}`), 422, "in a list"},
		{explain("null"), 422, "no images"},
		{explain("[]"), 422, "array"},
		{explain(`"text"`), 422, "string"},
		{explain(deep), 400, "not JSON"},
		{explain(`{"images":` + deep), 400, "not JSON"},
		{explain("\xff\xfe{}"), 400, "UTF-8"},
		{explain(`{"model":"m1","images":[` + one + `]} {}`), 400, "not JSON at byte"},
		{explain(`{"model":"m2","model":"m1","images":[` + one + `]}`), 422, `"model" is there twice, again at byte`},
		{explain(`{"Model":"m1","images":[` + one + `]}`), 422, `"Model" at byte 8 is called "model"`},
		{explain(`{"model":"m1","images":[{"Height":6,"height":6,"width":6,"bits":"` + strings.Repeat("0", 36) + `"}]}`), 422,
			`is called "height"`},
		{explain(`{"model":"m1","images":[` + one + `],"aplha":1}`), 422, `unknown field "aplha"`},
		{sample(`{"model":"m1","n":NaN}`), 400, "not JSON at byte"},
		{sample(`{"model":"m1","n":1e999}`), 422, "number 1e999"},
		{sample(`{"model":"m1","n":"2"}`), 422, "string is not"},
		{sample(`{"model":"m1","n":0}`), 422, "at least 1"},
		{sample(`{"model":"m1","n":-1}`), 422, "at least 1"},
		{explain(`{"model":"m1","images":[` + one + `],"reuse":2}`), 422, "reuse"},
		{explain(`{"images":[` + one + `]}`), 422, "lacks model"},
		{explain(`{"model":"m1"}`), 422, "no images"},
		{explain(`{"model":"m1","images":[]}`), 422, "no images"},
		{explain(`{"model":"nosuch","images":[` + one + `]}`), 404, "there are m1, m2"},
		{explain(`{"model":"../../etc/passwd","images":[` + one + `]}`), 404, "no model"},
		{explain(`{"model":"` + strings.Repeat("m", 100) + `","images":[` + one + `]}`), 422, "at most 64"},
		{explain(`{"model":"m1","images":[` + strings.Repeat(one+",", 1000) + one + `]}`), 413, "1001 images"},
		{explain(`{"model":"m1","images":[` + strings.Repeat("{},", 200_000) + `{}]}`), 413, "200001 images"},
		{explain(`{"model":"m1","images":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`), 422, "in a list"},

		// Images in JSON.
		{explainImage(`{"height":6,"width":6,"bits":"01"}`), 422, "2 characters in bits for 6 x 6"},
		{explainImage(`{"height":6,"width":6,"bits":"` + strings.Repeat("2", 36) + `"}`), 422, "character 0 of bits"},
		{explainImage(`{"height":5,"width":5,"bits":"` + strings.Repeat("0", 25) + `"}`), 422, "6 x 6"},
		{explainImage(`{"height":-1,"width":6,"bits":""}`), 422, "at least 1"},
		{explainImage(`{"height":0,"width":0,"bits":""}`), 422, "at least 1"},
		{explainImage(`{"height":1000000000,"width":1000000000,"bits":"0"}`), 422, "1 to 262144 pixels"},
		{explainImage(`{"height":9223372036854775807,"width":9223372036854775807,"bits":"0"}`), 422, "pixels"},
		{explainImage(`{"height":9223372036854775808,"width":1,"bits":"0"}`), 422, "number 9223372036854775808"},
		{explainImage(`{"height":6.5,"width":6,"bits":"0"}`), 422, "number 6.5"},
		{explainImage(`{"height":6,"width":6}`), 422, "0 characters in bits"},
		{explainImage(`null`), 422, "null in a list"},

		// Arrays and pictures.
		{data("", images[:60]), 422, "cut off"},
		{data("", images[:len(images)-1]), 422, "cut off"},
		{data("", images[:5]), 422, "one line only"},
		{data("&model=m9", images), 404, "no model"},
		{data("&threshold=NaN", images), 422, "finite number"},
		{data("&threshold=Inf", images), 422, "finite number"},
		{data("&nosuch=1", images), 422, "no parameter"},
		{data("", npyBytes(t, npy.New(make([]uint8, 36), 36))), 422, "neither (N,H,W)"},
		{data("", npyBytes(t, npy.New(make([]uint8, 0), 0, 6, 6))), 422, "no images"},
		{data("", npyBytes(t, npy.New([]float64{math.Inf(1)}, 1, 1, 1))), 422, "infinite"},
		{data("", npyBytes(t, npy.New([]uint8{7}, 1, 1, 1))), 422, "threshold"},
		{data("", npyClaiming("(1000000000000, 6, 6)")), 422, ""},
		{data("", npyClaiming("(1, 1000000000, 1000000000)")), 422, ""},
		{data("", npyClaiming("(1, -6, 6)")), 422, ""},
		{data("", pngBytes(t, 6, 6)[:40]), 422, "PNG"},
		{data("", []byte("GIF89a")), 422, "damaged GIF"},
		{data("", pngClaiming(t, 6, 60000)), 422, "damaged PNG"},
		{data("", pngClaiming(t, 2_000_000_000, 2_000_000_000)), 422, "PNG"},
		{data("", pngBytes(t, 600, 600)), 422, "600 x 600"},
		{request{path: "/v1/explain", headers: []string{"Content-Type: text/html"}, body: "x"}, 415, "text/html"},
		{request{path: "/v1/explain", headers: []string{"Content-Type: multipart/form-data; boundary=x"}, body: "--x--"}, 415,
			"multipart/form-data"},
		{request{path: "/v1/explain", headers: []string{"Content-Type: ;;;"}, body: "{}"}, 415, "malformed"},
		{request{path: "/v1/explain", headers: []string{"Content-Encoding: gzip"}, body: gzipOf(t, []byte("{}"))}, 415,
			"gzip"},
		{request{path: "/v1/explain?model=m1", body: `{"model":"m1","images":[` + one + `]}`}, 422, "no parameter"},

		// Models.
		{request{path: "/v1/models", body: ""}, 400, "empty"},
		{request{path: "/v1/models", body: "not a model"}, 422, "zip"},
		{request{path: "/v1/models", body: goodModel[:len(goodModel)/2]}, 422, "zip"},
		{request{path: "/v1/models", body: images}, 422, "zip"},
		{request{path: "/v1/models", body: zipOf(t, "experts.npy", 5<<20)}, 413, "expands to more"},
		{request{path: "/v1/models", body: zipOf(t, "../../../tmp/evil.npy", 10)}, 422, "model"},
		{request{path: "/v1/models", body: modelBytes(t, wide)}, 422, "more than this server searches"},
		{request{path: "/v1/models?name=a%00b", body: goodModel}, 422, "name"},
		{request{path: "/v1/models?name=" + strings.Repeat("x", 300), body: goodModel}, 422, "at most 200"},
		{request{path: "/v1/models/m9"}, 404, "there are m1, m2"},
		{request{path: "/v1/models/m1/overview"}, 422, "is missing"},
		{request{path: "/v1/models/m1/report?data=d7"}, 404, "no data set"},
		{request{path: "/v1/models/m1/overview?data=d2"}, 422, "6 x 6"},
		{request{path: "/v1/data/d1/images?index=12"}, 422, "no row 12"},
		{request{method: "DELETE", path: "/v1/models/m1"}, 409, "cannot be deleted"},
		{request{method: "PUT", path: "/v1/models/m1"}, 405, "DELETE, GET"},

		// Data.
		{request{path: "/v1/data", body: ""}, 400, "empty"},
		{request{path: "/v1/data", body: "a,b\nnear,far\n"}, 422, "column"},
		{request{path: "/v1/data", body: "\x00\x01\x02\x03"}, 422, "not a known format"},
		{request{path: "/v1/data", body: gzipOf(t, gzipOf(t, []byte("a\n1\n")))}, 422, "twice"},
		{request{path: "/v1/data", body: gzipOf(t, npyClaiming("(100000000000, 1, 1)"))}, 422, "larger than the limit"},
		{request{path: "/v1/data", body: gzipOf(t, make([]byte, 5<<20))}, 422, ""},
		{request{path: "/v1/data", body: gzipOf(t, zipOf(t, "x.npy", 17<<20))}, 422, "not a .npy array"},
		{request{path: "/v1/models", body: append([]byte("junk"), zipOf(t, "experts.npy", 5<<20)...)}, 413,
			"expands to more"},
		{request{path: "/v1/data", body: zipOf(t, "x.npy", 17<<20)}, 422, "not a .npy array"},
		{request{path: "/v1/data?array=nosuch", body: zipOf(t, "x.npy", 100)}, 422, "nosuch"},
		{request{path: "/v1/data?threshold=1e400", body: images}, 422, "finite"},
		{request{path: "/v1/data?pairs=a,,b", body: "a,b\n1,0\n"}, 422, "comma"},
		{request{path: "/v1/data/d1/images?where=nonsense"}, 422, "nonsense"},
		{request{path: "/v1/data/d1/images?where=colour%3Dred"}, 422, "colour"},
		{request{path: "/v1/data/d1/images?n=100000"}, 422, "100000 images"},
		{request{path: "/v1/data/d1/images?from=-1"}, 422, "at least 0"},
		{request{method: "DELETE", path: "/v1/data/d1"}, 409, "cannot be deleted"},

		// Samples.
		{sample(`{"model":"m1","n":0}`), 422, "at least 1"},
		{sample(`{"model":"m1","n":100000}`), 413, "100000 samples"},
		{sample(`{"model":"m1","seed":-1}`), 422, "number -1"},
		{sample(`{"model":"m1","along":[1]}`), 422, "no geometry"},
		{sample(`{"model":"m1","along":[` + strings.Repeat("0,", 100) + `0]}`), 422, "at most 64"},
		{request{path: "/v1/sample", headers: []string{"Content-Type: image/png"}, body: "x"}, 415, "application/json"},

		// Learning.
		{learnWith(`{}`), 422, "lacks data"},
		{learnWith(`{"data":"d1","Experts":1}`), 422, `is called "experts"`},
		{learnWith(`{"data":"d1","experts":1,"where":["` + strings.Repeat("y", 2000) + `=1"]}`), 422,
			"longer than this server reads"},
		{learnWith(`{"data":"d1","experts":1,"starts":3000000000}`), 422, "starts"},
		{request{path: "/v1/data/d1/images?n=1;from=2"}, 400, "query"},
		{request{path: "/v1/data/d1/images?n=%zz"}, 400, "query"},
		{request{path: "/v1/data/d1/images?from=1&from=2"}, 400, "the parameter \"from\" is there 2 times"},
		{request{path: "/v1/data/d1/images?n=1&from=2&n=1"}, 400, "\"n\" is there 2 times"},
		{request{path: "/v1/data?name=a&name=b", body: "a,b\n1,0\n"}, 400, "\"name\" is there 2 times"},
		{learnWith(`{"data":"d1","for":"paper"}`), 422, "experts is missing"},
		{learnWith(`{"data":"d9","experts":1}`), 404, "no data set"},
		{learnWith(`{"data":"d1","experts":1,"auto":true}`), 422, "exclude each other"},
		{learnWith(`{"data":"d1","auto":true,"starts":2}`), 422, "needs method soft"},
		{learnWith(`{"data":"d1","experts":100000}`), 422, "at most 1000"},
		{learnWith(`{"data":"d1","experts":1,"shift":6}`), 422, "out of the image"},
		{learnWith(`{"data":"d1","experts":1,"shift":99999999999}`), 422, "out of the image"},
		{learnWith(`{"data":"d1","experts":1,"rotate":"24"}`), 422, "RANGE:STEP"},
		{learnWith(`{"data":"d1","experts":1,"rotate":"180:1e-300"}`), 422, "too many"},
		{learnWith(`{"data":"d1","experts":1,"rotate":"NaN:NaN"}`), 422, "RANGE:STEP"},
		{learnWith(`{"data":"d1","experts":1000,"shift":5,"rotate":"180:1"}`), 422, "candidates"},
		{learnWith(`{"data":"d1","experts":1,"rule":"means"}`), 422, "max-minus-min"},
		{learnWith(`{"data":"d1","experts":1,"method":"soft","shift":1}`), 422, "cannot be combined with method soft"},
		{learnWith(`{"data":"d1","experts":1,"aim":"predict"}`), 422, "for method soft"},
		{learnWith(`{"data":"d1","experts":1,"where":["y=Z"]}`), 422, "y=Z"},
		{learnWith(`{"data":"d1","experts":1,"where":["writer<="]}`), 422, "writer"},
		{learnWith(`{"data":"d1","experts":1,"take":0}`), 422, "at least 1"},
		{learnWith(`{"data":"d1","experts":1,"name":"a\nb"}`), 422, "control characters"},
		{request{path: "/v1/learn/j9"}, 404, "no job"},
		{request{method: "POST", path: "/v1/learn/j9/stop"}, 404, "no job"},
		{request{method: "DELETE", path: "/v1/learn/j9"}, 404, "no job"},

		// Rules.
		{request{path: "/v1/rules/compose"}, 422, "is missing"},
		{request{path: "/v1/rules/compose?p=2"}, 422, "not a probability"},
		{request{path: "/v1/rules/compose?p=NaN"}, 422, "not a probability"},
		{request{path: "/v1/rules/compose?p=" + strings.TrimSuffix(strings.Repeat("0.5&p=", 40), "&p=")}, 422, "at most 32"},
		{request{path: "/v1/rules/curves?points=100000"}, 422, "at most 1001"},

		// Origin, host and path.
		{request{path: "/v1/models", headers: []string{"Host: evil.example"}}, 403, "evil.example"},
		{request{path: "/", headers: []string{"Host: 127.0.0.1.evil.example:8080"}}, 403, "evil.example"},
		{request{path: "/v1/models", headers: []string{"Host: "}}, 403, "--allow-host"},
		{request{path: "/v1/learn", headers: []string{"Origin: https://evil.example"}, body: "{}"}, 403, "evil.example"},
		{request{path: "/v1/learn", headers: []string{"Origin: null"}, body: "{}"}, 403, "another site"},
		{request{path: "/v1/learn", headers: []string{"Sec-Fetch-Site: cross-site"}, body: "{}"}, 403, "cross-site"},
		{request{path: "/v1/models", headers: []string{"Sec-Fetch-Site: same-site"}}, 403, "same-site"},
		{request{path: "/v1/models", headers: []string{"Origin: http://localhost:3000"}}, 403, "localhost:3000"},
		{request{path: "/../../etc/passwd"}, 404, "there is nothing"},
		{request{path: "/assets/../../../etc/passwd"}, 404, "there is nothing"},
		{request{path: "/assets/..%2f..%2fetc/passwd"}, 404, "there is nothing"},
		{request{path: `/assets\..\secret`}, 404, "there is nothing"},
		{request{path: "//evil.example/"}, 404, "there is nothing"},
		{request{path: "/v1/models/\x00"}, 404, "there is no"},
		{request{path: "/v1/nosuch"}, 404, "/openapi.json"},
		{request{path: "/.git/config"}, 404, "there is nothing"},
		{request{method: "PATCH", path: "/v1/explain", body: "{}"}, 405, "POST"},
		{request{method: "TRACE", path: "/v1/models"}, 405, "GET"},
		{request{method: "GET", path: "/v1/models", body: "x"}, 413, "no body"},
		{request{path: "/v1/explain", body: bytes.Repeat([]byte{' '}, 9e6)}, 413, "8000000 bytes"},
	}
}

type hostileRequest struct {
	request
	status int
	says   string
}

func TestHostileRequests(t *testing.T) {
	s := newServer(t, func(o *Options) { o.bound = func(b *bounds) { b.UploadBytes, b.Effort = 4e6, 5e4 } })
	all := hostile(t)
	if len(all) < 60 {
		t.Errorf("only %d requests", len(all))
	}
	for i, h := range all {
		w := h.send(t, s)
		name := fmt.Sprintf("%d %s %.60s %v %.60q", i, h.method, h.path, h.headers, h.body)
		var p struct {
			Status                        int
			Type, Title, Detail, Instance string
			Errors                        []struct{ Location, Message string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil ||
			w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %q is no problem: %.200s", name, w.Code, w.Header().Get("Content-Type"), w.Body)
			continue
		}
		text := p.Detail
		for _, e := range p.Errors {
			text += "; " + e.Location + ": " + e.Message
		}
		if w.Code != h.status || !strings.Contains(text, h.says) {
			t.Errorf("%s: %d %s; want %d and %q", name, w.Code, text, h.status, h.says)
		}
		if p.Status != w.Code || p.Title == "" || p.Type == "" || p.Instance == "" ||
			p.Instance != w.Header().Get("X-Request-Id") {
			t.Errorf("%s: an incomplete problem: %s", name, w.Body)
		}
		if w.Body.Len() > 4000 {
			t.Errorf("%s: an answer of %d bytes", name, w.Body.Len())
		}
	}
	if got := len(s.models.list()) + len(s.data.list()) + len(s.jobs.list()); got != 4 {
		t.Errorf("%d things are kept after refused requests, want the 4 of before", got)
	}
}
