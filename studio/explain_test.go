package studio

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/posterior"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/pose"
	"example.com/patchwork/workbench"
)

// numbers decodes an f32.
func numbers(t *testing.T, f f32) []float32 {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(string(f))
	if err != nil || len(b)%4 != 0 {
		t.Fatalf("%d bytes: %v", len(b), err)
	}
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

type explained struct {
	Rows []struct {
		Index                      int
		Start, LogLik, LogLikModel float64
		Picks                      []place
		Detail                     *detail
		Predicted                  []prediction
		StartLogLik                float64 `json:"start_log_lik"`
		Final                      float64 `json:"log_lik"`
		FinalModel                 float64 `json:"log_lik_model"`
	}
	Model string
}

func wire(set *dataset.Set) []wireImage {
	var out []wireImage
	for _, img := range set.Images {
		out = append(out, newImage(img))
	}
	return out
}

// TestDetailIsThePursuit: the answer agrees with the core for all settings, and
// the detail is the pursuit step by step: the last step is the explanation.
func TestDetailIsThePursuit(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		model string
		m     *patchwork.Model
		set   *dataset.Set
	}{{"m1", strokes(t), drawings(t, 6)}, {"m2", voters(t), tableSet()}} {
		p, err := patchwork.NewPursuit(c.m, patchwork.PursuitOptions{Costs: posterior.PickCosts(c.m)})
		if err != nil {
			t.Fatal(err)
		}
		got := ask[explained](t, s,
			request{path: "/v1/explain", body: explainRequest{Model: c.model, Images: wire(c.set), Detail: true}}, 200)
		for i, img := range c.set.Images {
			want, err := p.Explain(img)
			if err != nil {
				t.Fatal(err)
			}
			g := got.Rows[i]
			if !slices.Equal(g.Picks, newPlaces(want.Picks)) || g.Final != want.LogLik || g.FinalModel != want.LogLikModel ||
				g.StartLogLik != want.StartLogLik {
				t.Errorf("%s, image %d: %+v, but the core says %+v", c.model, i, g, want)
			}
			checkDetail(t, c.m, img, g.Detail, want)
		}
	}
}

func checkDetail(t *testing.T, m *patchwork.Model, img interface {
	Height() int
	Width() int
}, d *detail, want *patchwork.Explanation) {
	t.Helper()
	h, w := img.Height(), img.Width()
	if len(d.Steps) != len(want.Picks) || len(numbers(t, d.Start)) != h*w {
		t.Fatalf("%d steps for %d picks", len(d.Steps), len(want.Picks))
	}
	last := numbers(t, d.Start)
	if n := len(d.Steps); n > 0 {
		last = numbers(t, d.Steps[n-1].P)
		if got := float64(d.Steps[n-1].LogLik); math.Abs(got-want.LogLik) > 1e-9*math.Abs(want.LogLik) {
			t.Errorf("the last step has log-likelihood %v, the explanation %v", got, want.LogLik)
		}
	}
	speakers := make([]byte, h*w)
	if n := len(d.Steps); n > 0 {
		speakers, _ = base64.StdEncoding.DecodeString(d.Steps[n-1].Speakers)
	}
	composed := m.Compose(h, w, want.Picks)
	for i, p := range composed.P {
		if last[i] != float32(p) {
			t.Fatalf("pixel %d is composed to %v, want %v", i, last[i], p)
		}
		if k := int(speakers[i]) - 1; k >= 0 {
			v := numbers(t, d.Steps[k].Votes)[i]
			if q := m.Abstention(i); math.IsNaN(float64(v)) || (float64(v) > q) != (p > q) {
				t.Errorf("pick %d speaks for pixel %d, which is %v, and votes %v", k, i, p, v)
			}
		} else if p != m.Abstention(i) {
			t.Errorf("nobody speaks for pixel %d, which is %v", i, p)
		}
	}
}

// TestPredictions: unknown bits, and only they, are predicted, as by the core.
func TestPredictions(t *testing.T) {
	s := newServer(t, nil)
	got := ask[explained](t, s,
		request{path: "/v1/explain", body: explainRequest{Model: "m2", Images: wire(tableSet()), Predict: true}}, 200)
	set, n := tableSet(), 0
	err := posterior.Predict(t.Context(), voters(t), set.Images, posterior.Options{}, 1,
		func(i int, p []float64, _ *posterior.Posterior) {
			var want []prediction
			for j, p := range p {
				if !set.Images[i].Known(0, j) {
					want = append(want, prediction{Pixel: j, P: p})
					n++
				}
			}
			if !slices.Equal(got.Rows[i].Predicted, want) {
				t.Errorf("row %d: %v, want %v", i, got.Rows[i].Predicted, want)
			}
		})
	if err != nil || n == 0 {
		t.Errorf("%d unknown bits, %v", n, err)
	}
}

// TestImpossibleImage: the log-likelihood of an impossible image is null.
func TestImpossibleImage(t *testing.T) {
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, 2, pose.Grid{})
	cfg.Q = 0
	m, err := patchwork.NewModel(cfg, [][]float64{{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(o *Options) { o.Models = []NamedModel{{Name: "hard", Model: workbench.Bits{Model: m}}} })
	w := request{path: "/v1/explain",
		body: `{"model":"m1","images":[{"height":1,"width":2,"bits":"01"}],"detail":true}`}.send(t, s)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"log_lik":null`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestSamples: samples equal those of patchwork sample: they depend on seed and
// index, not on their number.
func TestSamples(t *testing.T) {
	s := newServer(t, nil)
	type answer struct{ Samples []sample }
	three := ask[answer](t, s, request{path: "/v1/sample", body: `{"model":"m1","n":3,"seed":6,"noise":true}`}, 200)
	one := ask[answer](t, s, request{path: "/v1/sample", body: `{"model":"m1","seed":6,"noise":true}`}, 200)
	if len(three.Samples) != 3 || one.Samples[0].Bits != three.Samples[0].Bits ||
		three.Samples[1].Bits == three.Samples[2].Bits {
		t.Error("samples depend on more than seed and index, or on less")
	}
	plain := ask[answer](t, s, request{path: "/v1/sample", body: `{"model":"m1"}`}, 200).Samples[0]
	for i, p := range numbers(t, plain.P) {
		if (p >= 0.5) != (plain.Bits[i] == '1') {
			t.Errorf("bit %d of probability %v is %c", i, p, plain.Bits[i])
		}
	}
}

// TestOverview: all rows by their parts, and images by their index in any order; a report is one page.
func TestOverview(t *testing.T) {
	s := newServer(t, nil)
	all := ask[overview](t, s, request{path: "/v1/models/m1/overview?data=d1"}, 200)
	if len(all.Rows) != 12 || len(all.Summary) == 0 {
		t.Fatalf("%d rows, %q", len(all.Rows), all.Summary)
	}
	for i, r := range all.Rows {
		if r.Index != i || len(r.Parts) != len(r.Gains) || len(r.Parts) == 0 {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	got := ask[imageList](t, s, request{path: "/v1/data/d1/images?index=7&index=2"}, 200)
	set := drawings(t, 12)
	for i, index := range []int{7, 2} {
		if got.Images[i].Index != index || got.Images[i].Bits != newImage(set.Images[index]).Bits {
			t.Errorf("image %d is not %d", i, index)
		}
	}
	if w := (request{path: "/v1/models/m1/report?data=d1"}).send(t, s); w.Code != 200 ||
		!strings.Contains(w.Body.String(), "</html>") || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("a report: %d %.200s", w.Code, w.Body)
	}
}
