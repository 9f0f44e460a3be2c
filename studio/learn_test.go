package studio

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/learn"
	"example.com/patchwork/modelfile"
)

// wait waits until a job has ended.
func wait(t *testing.T, s *Server, id string) jobInfo {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		ask[struct{ State string }](t, s, request{path: "/v1/learn/" + id}, 200)
		j, err := s.jobs.find(id)
		if err != nil {
			t.Fatal(err)
		}
		if info := j.snapshot(); info.State != queued && info.State != running {
			return *info
		}
	}
	t.Fatalf("job %s does not end", id)
	return jobInfo{}
}

// begin starts a job and returns its id.
func begin(t *testing.T, s *Server, body string) string {
	t.Helper()
	return ask[struct{ ID string }](t, s, request{path: "/v1/learn", body: body}, 202).ID
}

// long returns letters whose learning takes long enough to be stopped.
func long(t *testing.T) NamedData {
	t.Helper()
	set, err := synth.Letters(synth.LettersOptions{Letters: "TL", N: 12, Side: 32, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return NamedData{Name: "long.npz", Set: &dataset.Set{Data: patchwork.Data{Images: set.Images}, Source: "letters"}}
}

const longJob = `{"data":"d1","experts":3,"shift":8,"rotate":"24:6","starts":100,"seed":2}`

// watch asks for the progress of a job until f returns true.
func watch(t *testing.T, s *Server, id string, f func(j jobAnswer) bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if f(ask[jobAnswer](t, s, request{path: "/v1/learn/" + id + "?progress=true"}, 200)) {
			return
		}
	}
	t.Fatalf("job %s does not come so far", id)
}

// jobAnswer is a job with its progress.
type jobAnswer struct {
	State    string
	Progress struct {
		Trial, Trials, Height, Width int
		Templates                    []f32
		Scores                       []struct{ Trial int }
	}
}

// TestWatchLearning: there is progress with templates, then the end, and the model exists.
func TestWatchLearning(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Data = []NamedData{long(t)} })
	id := begin(t, s, strings.Replace(longJob, `{`, `{"name":"strokes","method":"both",`, 1)) // goes on until stopped
	watch(t, s, id, func(j jobAnswer) bool {
		for _, f := range j.Progress.Templates {
			if len(numbers(t, f)) != 32*32 {
				t.Error("a template is not of the frame's size")
			}
		}
		p := j.Progress
		return len(p.Templates) > 0 && p.Height == 32 && p.Width == 32 && p.Trials == 100
	})
	ask[struct{}](t, s, request{method: "POST", path: "/v1/learn/" + id + "/stop"}, 200)
	info := wait(t, s, id)
	if info.State != stopped {
		t.Fatalf("%+v", info)
	}
	if got := ask[struct{ Name, Source string }](t, s, request{path: "/v1/models/" + *info.Model},
		200); got.Name != "strokes" || got.Source != "learned" {
		t.Errorf("%+v", got)
	}
}

// TestLearnedModelSaysItsCommand: a model that a job made has the name that was asked
// for, and the command line that makes it. A late client sees all scores.
func TestLearnedModelSaysItsCommand(t *testing.T) {
	s := newServer(t, nil)
	info := wait(t, s, begin(t, s, `{"data":"d1","experts":2,"shift":2,"starts":30,"name":"bars"}`))
	got := ask[struct{ Name, Source, Command string }](t, s, request{path: "/v1/models/" + *info.Model}, 200)
	if got.Name != "bars" || got.Source != "learned" ||
		got.Command != "patchwork learn drawings -o model.npz --experts 2 --shift 2 --starts 30" {
		t.Errorf("%+v", got)
	}
	watch(t, s, info.ID, func(j jobAnswer) bool {
		if p := j.Progress; j.State != done || p.Trial != 30 || len(p.Scores) < 30 || p.Scores[0].Trial != 1 {
			t.Errorf("who comes late sees %+v", j)
		}
		return true
	})
}

// TestStopKeepsTheBest: a stopped job keeps its best model, and its command, if
// any, makes the same model. (No command makes what a race of starts had come to.)
func TestStopKeepsTheBest(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Data = []NamedData{long(t)} })
	id := begin(t, s, strings.Replace(longJob, `{`, `{"method":"both",`, 1))
	j, err := s.jobs.find(id)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 3; time.Sleep(time.Millisecond) {
		n = j.snapshot().Trial
	}
	ask[struct{}](t, s, request{method: "POST", path: "/v1/learn/" + id + "/stop", body: "{}"}, 200)
	info := wait(t, s, id)
	if info.State != stopped || info.Model == nil || info.Command == nil || info.Trial >= 100 {
		t.Fatalf("%+v", info)
	}
	var starts int
	if _, after, ok := strings.Cut(*info.Command, "--starts "); ok {
		fmt.Sscan(after, &starts)
	}
	r := j.recipe
	r.Starts = starts
	p, err := r.Plan(32, 32)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Learn(t.Context(), long(t).Set.Data, p.Config, p.Learn)
	if err != nil {
		t.Fatal(err)
	}
	file := request{path: "/v1/models/" + *info.Model + "/file"}.send(t, s)
	if !bytes.Equal(file.Body.Bytes(), modelBytes(t, m)) {
		t.Errorf("%s makes another model", *info.Command)
	}
}

// TestQueueOfJobs: a cancelled job, running or waiting, keeps nothing. Too many
// jobs are refused, and few finished ones are kept.
func TestQueueOfJobs(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Data = append([]NamedData{long(t)}, o.Data...)
		o.bound = func(b *bounds) { b.LearnQueue = 1; b.Jobs = 3; b.Models = 2 }
	})
	first, second := begin(t, s, longJob), begin(t, s, longJob)
	w := request{path: "/v1/learn", body: longJob}.send(t, s)
	if w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("a third job: %d %s", w.Code, w.Body)
	}
	for _, id := range []string{second, first} {
		if w := (request{method: "DELETE", path: "/v1/learn/" + id}).send(t, s); w.Code != 204 {
			t.Errorf("cancel: %d %s", w.Code, w.Body)
		}
		if info := wait(t, s, id); info.State != cancelled || info.Model != nil {
			t.Errorf("%+v", info)
		}
	}
	var last string
	for range 5 {
		last = begin(t, s, `{"data":"d2","experts":1,"starts":1,"method":"online"}`)
		if info := wait(t, s, last); info.State != done {
			t.Fatalf("%+v", info)
		}
	}
	if n := len(s.jobs.list()); n != 3 {
		t.Errorf("%d jobs are kept", n)
	}
	if n := len(s.models.list()); n != 4 { // two of the operator's
		t.Errorf("%d models are kept", n)
	}
	if w := (request{path: "/v1/models", body: modelBytes(t, strokes(t))}).send(t, s); w.Code != 507 ||
		!testenv.Said(t, complaintOf(w)) {
		t.Errorf("an upload beyond the limit: %d %s", w.Code, w.Body)
	}
	if w := (request{method: "DELETE", path: "/v1/learn/" + last}).send(t, s); w.Code != 204 || len(s.jobs.list()) != 2 {
		t.Errorf("forget: %d", w.Code)
	}
}

func TestLearnTimeLimit(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Data = []NamedData{long(t)}
		o.bound = func(b *bounds) { b.LearnTime = 300 * time.Millisecond }
	})
	if info := wait(t, s, begin(t, s, longJob)); info.State != stopped {
		t.Errorf("%+v", info)
	}
}

// TestCloseCancels: closing the server cancels its jobs instead of waiting for
// their results.
func TestCloseCancels(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Data = []NamedData{long(t)} })
	id := begin(t, s, longJob)
	s.Close()
	j, err := s.jobs.find(id)
	if err != nil {
		t.Fatal(err)
	}
	if info := j.snapshot(); info.State != cancelled {
		t.Errorf("%+v", info)
	}
}

// TestUploadAndDownload: an uploaded model is downloaded unchanged, and so is a
// data set.
func TestUploadAndDownload(t *testing.T) {
	s := newServer(t, nil)
	m := ask[struct{ ID string }](t, s, request{path: "/v1/models?name=votes", body: modelBytes(t, voters(t))}, 201)
	file := request{path: "/v1/models/" + m.ID + "/file"}.send(t, s).Body.Bytes()
	if back, err := modelfile.Read(bytes.NewReader(file), int64(len(file))); err != nil || back.K() != 2 {
		t.Errorf("the model does not come back: %v", err)
	}
	npz := request{path: "/v1/data/d1/file"}.send(t, s).Body.Bytes()
	back, err := dataset.Decode(t.Context(), "d1.npz", npz, dataset.Options{})
	if err != nil || back.Len() != 12 || len(back.Meta) != 2 {
		t.Fatalf("the data do not come back: %v", err)
	}
	for i, img := range drawings(t, 12).Images {
		if !img.Equal(back.Images[i]) {
			t.Errorf("image %d is another", i)
		}
	}
	d := ask[struct {
		ID     string
		N      int
		Labels map[string]label
	}](t, s, request{path: "/v1/data?name=again", body: npz}, 201)
	if d.N != 12 || d.Labels["y"].Distinct != 2 {
		t.Errorf("%+v", d)
	}
	for _, path := range []string{"/v1/data/" + d.ID, "/v1/models/" + m.ID} {
		if w := (request{method: "DELETE", path: path}).send(t, s); w.Code != 204 {
			t.Errorf("delete %s: %d", path, w.Code)
		}
		if w := (request{path: path}).send(t, s); w.Code != 404 {
			t.Errorf("%s is still there: %d", path, w.Code)
		}
	}
	if n := used(s); n != 0 {
		t.Errorf("%d bytes are counted for no uploads", n)
	}
}
