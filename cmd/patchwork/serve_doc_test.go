package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

var runnable = regexp.MustCompile("(?s)<!-- run -->\n```(\\w+)\n(.*?)```")

// Every example of docs/serve.md works, against a server of its own, and the flags it
// lists are those of the command.
func TestServeDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(string(text), -1) {
		documented[flag[2:]] = true
	}
	cmd, _, err := (&app{}).rootCommand().Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden && !documented[f.Name] {
			t.Errorf("docs/serve.md says nothing of --%s", f.Name)
		}
		delete(documented, f.Name)
	})
	delete(documented, "data-binary") // of curl
	if len(documented) > 0 {
		t.Errorf("docs/serve.md has flags that are none: %v", documented)
	}
	blocks := runnable.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, b := range blocks {
		t.Run(b[1], func(t *testing.T) { runExample(t, b[1], b[2]) })
	}
}

// ready reports whether the built-in models are learned.
func (s *site) ready(t *testing.T) bool {
	t.Helper()
	res, err := http.Get(s.url + "/readyz") // needs no token
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// runExample runs a script against a fresh server.
func runExample(t *testing.T, language, script string) {
	program, args := "sh", []string{"-ec"}
	if language == "python" {
		program, args = "python3", []string{"-c"}
	}
	for _, needed := range []string{program, map[string]string{"sh": "curl"}[language]} {
		if _, err := exec.LookPath(needed); needed != "" && err != nil {
			t.Skipf("no %s on this system", needed)
		}
	}
	s := serve(t, "", "serve", "-q")
	for deadline := time.Now().Add(8 * time.Minute); !s.ready(t); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not ready after two minutes")
		}
	}
	cmd := exec.CommandContext(t.Context(), program,
		append(args, strings.ReplaceAll(script, "http://127.0.0.1:8080", s.url))...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PATCHWORK_TOKEN="+s.token)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := []string{`"predicted":[{"pixel":2,`, `"kind":{"values":["a","b"]`, `"state":"done"`}
	if language == "python" {
		want = []string{"(1, ", "(0, "}
	}
	for _, w := range want {
		if !strings.Contains(string(out), w) {
			t.Errorf("the example does not print %q but\n%s", w, out)
		}
	}
}
