package studio

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
	"testing"
)

// formOf returns a form of files, in order of their paths in pairs of path and
// content, and its Content-Type.
func formOf(t testing.TB, files ...string) (body []byte, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		h := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename="%s"`, files[i])}}
		p, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		p.Write([]byte(files[i+1]))
	}
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}

// dot returns a PNG of 4 x 4 pixels, black where row 1 meets column x.
func dot(t testing.TB, x int) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 4, 4))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.SetGray(x, 1, color.Gray{})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFormOfPictures: several pictures in one form are one data set, sorted and
// labelled as in their folder; one file alone is that file.
func TestFormOfPictures(t *testing.T) {
	s := newServer(t, nil)
	body, kind := formOf(t, "letters/b/2.png", dot(t, 2), "letters/a/1.png", dot(t, 1), "letters/readme.txt", "no picture")
	d := ask[toldData](t, s, request{path: "/v1/data?name=letters", headers: []string{"Content-Type: " + kind},
		body: body}, 201)
	if d.N != 2 || d.Height != 4 || d.Width != 4 || !slices.Equal(d.Labels["y"].Values, []string{"a", "b"}) {
		t.Errorf("%+v", d)
	}
	images := ask[struct{ Images []labelled }](t, s, request{path: "/v1/data/" + d.ID + "/images"}, 200).Images
	if len(images) != 2 || images[0].Bits[4:8] != "0100" || images[1].Bits[4:8] != "0010" {
		t.Errorf("%+v", images)
	}
	j := begin(t, s, `{"data":"`+d.ID+`","experts":1,"starts":1}`)
	if got := wait(t, s, j); got.Command == nil || !strings.HasPrefix(*got.Command, "patchwork learn letters ") {
		t.Errorf("the command line %v does not name the folder", got.Command)
	}

	body, kind = formOf(t, "votes.csv", "a,b\n1,0\n0,1\n")
	d = ask[toldData](t, s, request{path: "/v1/data?name=votes.csv", headers: []string{"Content-Type: " + kind},
		body: body}, 201)
	if !d.Table || d.N != 2 {
		t.Errorf("%+v", d)
	}
}

// TestBadForms: a form that is none, or whose names lead elsewhere, is refused in
// words.
func TestBadForms(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		files []string
		text  string
	}{
		{nil, "holds no file"},
		{[]string{"../../etc/passwd", "x"}, "not a plain path"},
		{[]string{"a\x01b.png", "x", "c.png", "y"}, "cannot be read"},
		{[]string{"", "x"}, "no file"},
		{[]string{"a.png", dot(t, 1), "./a.png", dot(t, 1)}, "two files"},
		{[]string{"a.txt", "x", "b.txt", "y"}, ""},
	} {
		body, kind := formOf(t, c.files...)
		w := request{path: "/v1/data?name=x", headers: []string{"Content-Type: " + kind}, body: body}.send(t, s)
		if w.Code < 400 || w.Code >= 500 || !strings.Contains(w.Body.String(), c.text) {
			t.Errorf("%q: %d %s", c.files, w.Code, w.Body)
		}
	}
	for _, kind := range []string{"multipart/form-data", "multipart/form-data; boundary=x"} {
		if w := (request{path: "/v1/data", headers: []string{"Content-Type: " + kind}, body: "rubbish"}).send(t,
			s); w.Code != 400 {
			t.Errorf("%s: %d %s", kind, w.Code, w.Body)
		}
	}
}

// FuzzForm: no form makes the server fail.
func FuzzForm(f *testing.F) {
	s := fuzzServer(f)
	for _, files := range [][]string{{"a.png", dot(f, 1), "b.png", dot(f, 2)}, {"a/../b.csv", "0,1\n"}, {}} {
		body, _ := formOf(f, files...)
		b, _, _ := bytes.Cut(body[2:], []byte("\r\n"))
		f.Add(bytes.ReplaceAll(body, b, []byte("x")))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		answered(t, s, request{method: "POST", path: "/v1/data",
			headers: []string{"Content-Type: multipart/form-data; boundary=x"}, body: body})
	})
}

// Models are no data, here as for the command.
func TestModelsAreNoData(t *testing.T) {
	s := newServer(t, nil)
	for _, values := range []string{"", "&column=*%3Dnumber"} {
		w := request{path: "/v1/data?name=x.npz" + values, headers: octets, body: modelBytes(t, strokes(t))}.send(t, s)
		if w.Code != 422 || !strings.Contains(w.Body.String(), "this is a model, not data") {
			t.Errorf("%s: %d %s", values, w.Code, w.Body)
		}
	}
}
