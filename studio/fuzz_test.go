package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"example.com/patchwork/internal/npy"
)

// fuzzServer returns a server with small limits, so that every accepted request
// is done at once.
func fuzzServer(f *testing.F) *Server {
	return newServer(f, func(o *Options) {
		o.bound = func(b *bounds) {
			b.BodyBytes = 1 << 16
			b.UploadBytes = 1 << 16
			b.Pixels = 4096
			b.Batch = 16
			b.Samples = 8
			b.Candidates = 1 << 14
			b.Templates = 1 << 15
			b.Effort = 1 << 22
			b.Time = 20 * time.Second
			b.Models = 1 << 30
			b.Data = 1 << 30
			b.DataBytes = 1 << 40
			b.ModelBytes = 1 << 40
			b.LearnImages = 16
			b.LearnTime = 200 * time.Millisecond
		}
	})
}

// answered fails unless the answer is a success or a client error. It deletes
// whatever the request created.
func answered(t *testing.T, s *Server, r request) {
	w := r.send(t, s)
	switch {
	case w.Code == 500 || w.Code == 503:
		t.Fatalf("%d: %s", w.Code, w.Body)
	case w.Code >= 400:
		var p struct{ Detail string }
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Detail == "" {
			t.Fatalf("%d is no problem: %s", w.Code, w.Body)
		}
	case !json.Valid(w.Body.Bytes()):
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	if w.Code == 201 {
		var kept struct{ ID string }
		json.Unmarshal(w.Body.Bytes(), &kept)
		if got := (request{path: r.path[:len("/v1/data")] + "/" + kept.ID}); r.path == "/v1/data" &&
			got.send(t, s).Code != 200 {
			t.Fatalf("%s was kept and is not there", kept.ID)
		}
		s.models.remove(kept.ID)
		s.data.remove(kept.ID)
	}
}

// fuzzBody fuzzes one operation with bodies of one type.
func fuzzBody(f *testing.F, path, kind string, seeds ...string) {
	s := fuzzServer(f)
	for _, h := range hostile(f) {
		if text, ok := h.body.(string); ok && h.path == path && len(text) < 1<<12 {
			f.Add([]byte(text))
		}
		if b, ok := h.body.([]byte); ok && h.path == path && len(b) < 1<<12 {
			f.Add(b)
		}
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		answered(t, s, request{method: "POST", path: path, headers: []string{"Content-Type: " + kind}, body: body})
	})
}

const oneJSON = `{"model":"m1","images":[` + one + `]`

func FuzzExplainJSON(f *testing.F) {
	fuzzBody(f, "/v1/explain", "application/json", oneJSON+`}`,
		oneJSON+`,"detail":true,"predict":true}`, oneJSON+`,"pursuit":"paper"}`,
		`{"model":"m2","images":[{"height":1,"width":3,"bits":"1?0"}],"predict":true}`)
}

func FuzzDataPNG(f *testing.F) {
	fuzzBody(f, "/v1/data?threshold=128", "image/png", string(pngBytes(f, 6, 6)),
		string(pngBytes(f, 3, 12)), string(pngClaiming(f, 9, 9)))
}

func FuzzDataNPY(f *testing.F) {
	fuzzBody(f, "/v1/data?invert=true", "application/x-npy",
		string(npyBytes(f, npy.New(make([]uint8, 72), 2, 6, 6))),
		string(npyBytes(f, npy.New(make([]float64, 36), 1, 36))), string(npyClaiming("(1000000000000, 6, 6)")))
}

func FuzzSample(f *testing.F) {
	fuzzBody(f, "/v1/sample", "application/json", `{"model":"m1"}`,
		`{"model":"m2","n":3,"seed":18446744073709551615,"noise":true}`, `{"model":"m1","along":[0]}`)
}

func FuzzModelUpload(f *testing.F) {
	fuzzBody(f, "/v1/models", "application/octet-stream", string(modelBytes(f, strokes(f))),
		string(modelBytes(f, voters(f))))
}

func FuzzDataUpload(f *testing.F) {
	fuzzBody(f, "/v1/data", "application/octet-stream", "a,b,c\n1,0,?\n0,1,1\n", "P1\n2 2\n1 0 0 1\n",
		string(pngBytes(f, 6, 6)),
		string(npyBytes(f, npy.New(make([]uint8, 72), 2, 6, 6))), string(gzipOf(f, []byte("1,0\n0,1\n"))),
		"\x00\x00\x08\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x00\x01\x01\x00")
}

// FuzzLearn also waits for the job that it started, and may cancel it midway.
func FuzzLearn(f *testing.F) {
	s := fuzzServer(f)
	for _, h := range hostile(f) {
		if text, ok := h.body.(string); ok && h.path == "/v1/learn" {
			f.Add([]byte(text), false)
		}
	}
	f.Add([]byte(`{"data":"d1","experts":2,"shift":1,"starts":2,"take":3}`), false)
	f.Add([]byte(`{"data":"d2","experts":2,"rule":"max-minus-min","method":"soft"}`), true)
	f.Add([]byte(`{"data":"d2","auto":true,"rule":"max-minus-min","take":5}`), false)
	f.Add([]byte(`{"images":[`+one+`],"experts":1,"method":"online"}`), true)
	f.Fuzz(func(t *testing.T, body []byte, cancel bool) {
		r := request{method: "POST", path: "/v1/learn", body: bytes.Clone(body)}
		answered(t, s, r)
		for _, j := range s.jobs.list() {
			if cancel {
				j.cancel(context.Canceled)
			} else if len(body)%2 == 0 {
				j.cancel(errStopped)
			}
			for s.jobs.active() > 0 {
				time.Sleep(time.Millisecond)
			}
			if info := j.snapshot(); info.State == failed && (info.Error == "" || info.Model != nil) || info.State == done &&
				info.Model == nil {
				t.Fatalf("a job ended as %+v", info)
			}
			s.jobs.remove(j.id)
		}
		for _, m := range s.models.list() {
			s.models.remove(m.id) // an error for the fixed ones
		}
	})
}
