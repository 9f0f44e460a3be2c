package studio

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// restart returns a server that keeps its models in a folder, and what it logs.
func restart(t *testing.T, dir string) (*Server, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	return newServer(t, func(o *Options) {
		o.Keep, o.Log = dir, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}), log
}

// namesIn returns the files of a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// TestKeep: models that are learned or uploaded are there after a restart, with the id, the name and the names of
// parts that they had; one that was removed is not. Damaged files are left out, in words.
func TestKeep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "models")
	s, _ := restart(t, dir)
	job := wait(t, s, begin(t, s, `{"data":"d1","experts":2,"name":"../T: two \"strokes\""}`))
	if job.State != done || job.Error != "" {
		t.Fatalf("%+v", job)
	}
	up := ask[modelInfo](t, s, request{path: "/v1/models?name=votes", body: modelBytes(t, voters(t))}, 201).ID
	gone := ask[modelInfo](t, s, request{path: "/v1/models?name=gone", body: modelBytes(t, voters(t))}, 201).ID
	for _, r := range []request{{path: "/v1/models/" + up, body: `{"name":"better"}`},
		{path: "/v1/models/" + up + "/experts/1", body: `{"name":"toast"}`}} {
		r.method = "PATCH"
		r.send(t, s)
	}
	request{method: "DELETE", path: "/v1/models/" + gone}.send(t, s)
	before := (request{path: "/v1/models/" + *job.Model + "/file"}).send(t, s).Body.Bytes()
	want := []string{*job.Model + " ..-T- two -strokes-.npz", up + " better.npz"}
	if got := namesIn(t, dir); !slices.Equal(got, want) {
		t.Fatalf("the folder has %q, want %q", got, want)
	}

	for name, content := range map[string]string{"m9 damaged.npz": "PK no zip", "notes.txt": "no model", ".m8 x.npz": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.npz"), modelBytes(t, strokes(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, log := restart(t, dir)
	if n := strings.Count(log.String(), "left out"); n != 1 || !strings.Contains(log.String(), "m9 damaged.npz") {
		t.Errorf("the log says %s", log)
	}
	if m := ask[modelInfo](t, s, request{path: "/v1/models/" + up}, 200); m.Name != "better" || m.Parts[1].Name != "toast" {
		t.Errorf("%+v", m)
	}
	after := (request{path: "/v1/models/" + *job.Model + "/file"}).send(t, s).Body.Bytes()
	if !bytes.Equal(before, after) {
		t.Error("another model under the same id")
	}
	found := false
	for _, m := range ask[modelList](t, s, request{path: "/v1/models"}, 200).Models {
		found = found || m.Name == "mine"
	}
	if !found {
		t.Error("a model that somebody put there is not listed")
	}
}

// TestKeepOften: a file of another server is not written over, and a folder that cannot be written to is an error.
func TestKeepOften(t *testing.T) {
	dir := t.TempDir()
	a, _ := restart(t, dir)
	b, _ := restart(t, dir)
	for _, s := range []*Server{a, b} {
		ask[modelInfo](t, s, request{path: "/v1/models?name=x", body: modelBytes(t, voters(t))}, 201)
	}
	if names := namesIn(t, dir); len(names) != 2 {
		t.Errorf("two servers left %q", names)
	}
	c, log := restart(t, dir)
	if all := ask[modelList](t, c, request{path: "/v1/models"}, 200).Models; len(all) != 4 || log.Len() > 0 {
		t.Errorf("%d models; %s", len(all), log)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := New(Options{Keep: file, NoBuiltin: true}); err == nil {
		s.Close()
		t.Error("a file is taken for a folder")
	}
}

// TestSafeName: whatever the name, that of the file stays within the folder and is short.
func TestSafeName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := safeName(rapid.String().Draw(t, "name"))
		if strings.ContainsAny(name, "/\\:*?\"<>|\x00\n") || len(name) > maxKeptName || !utf8.ValidString(name) {
			t.Fatalf("%q", name)
		}
	})
}
