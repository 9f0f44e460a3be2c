package studio

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
)

// bar20 returns a drawing of 20 x 20: an upright stroke, or a level one.
func bar20(upright bool, at int) wireImage {
	img := bitmap.New(20, 20)
	for i := 3; i < 17; i++ {
		for w := range 2 {
			if upright {
				img.Set(i, at+w, true)
			} else {
				img.Set(at+w, i, true)
			}
		}
	}
	return newImage(img)
}

// classifyBody returns a request: examples of two symbols, and a drawing.
func classifyBody(t *testing.T, change func(*classifyRequest)) string {
	t.Helper()
	r := classifyRequest{Classes: []labelledImages{{Name: "up"}, {Name: "level"}}, Images: []wireImage{bar20(true, 10)}}
	for i := range 5 {
		r.Classes[0].Images = append(r.Classes[0].Images, bar20(true, 7+i))
		r.Classes[1].Images = append(r.Classes[1].Images, bar20(false, 7+i))
	}
	if change != nil {
		change(&r)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestClassify: a drawing is named by drawings of the same symbol, with the reason, and
// the same again from the classes that are kept.
func TestClassify(t *testing.T) {
	s := newServer(t, nil)
	type answer struct {
		Classes []string
		Images  []classified
	}
	var first string
	for range 2 {
		got := ask[answer](t, s, request{method: "POST", path: "/v1/classify", body: classifyBody(t, nil)}, 200)
		if fmt.Sprint(got.Classes) != "[level up]" || len(got.Images) != 1 {
			t.Fatalf("%+v", got)
		}
		x := got.Images[0]
		if x.Class != "up" || x.Second != "level" || x.Probability < 0.8 || len(x.Picks) == 0 || x.Left != 0 {
			t.Errorf("%+v", x)
		}
		if len(x.Detail.Steps) != len(x.Picks) {
			t.Fatalf("%d steps of %d picks", len(x.Detail.Steps), len(x.Picks))
		}
		if speakers, err := base64.StdEncoding.DecodeString(x.Detail.Steps[0].Speakers); err != nil || len(speakers) != 400 {
			t.Errorf("%d speakers, %v", len(speakers), err)
		}
		x.Detail = nil
		if text := fmt.Sprintf("%+v", x); first == "" {
			first = text
		} else if text != first {
			t.Error("another answer the second time")
		}
	}
}

// TestClassifyRefuses: problems say what is wrong.
func TestClassifyRefuses(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		change func(*classifyRequest)
		code   int
	}{
		{func(r *classifyRequest) { r.Classes = r.Classes[:1] }, 422},
		{func(r *classifyRequest) { r.Classes[1].Name = "up" }, 422},
		{func(r *classifyRequest) { r.Classes[1].Images[2] = wireImage{Height: 1, Width: 2, Bits: "01"} }, 422},
		{func(r *classifyRequest) { r.Images[0] = wireImage{Height: 1, Width: 2, Bits: "01"} }, 422},
		{func(r *classifyRequest) { r.Images = nil }, 422},
		{func(r *classifyRequest) { r.Images = make([]wireImage, 1<<16) }, 413},
	} {
		w := (request{method: "POST", path: "/v1/classify", body: classifyBody(t, c.change)}).send(t, s)
		if w.Code != c.code || !testenv.Said(t, complaintOf(w)) {
			t.Errorf("%d %s, want %d", w.Code, w.Body, c.code)
		}
	}
}
