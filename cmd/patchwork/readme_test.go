package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// blocks returns the blocks of code of a language in the README.
func codeBlocks(t *testing.T, language string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(read(t, "../../README.md"), -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		t.Fatalf("the README has no block of %q", language)
	}
	return out
}

// TestREADME runs the session, the Go program and the notebook of the README, in
// this order, in one folder.
func TestREADME(t *testing.T) {
	sessions, programs, notebooks := codeBlocks(t, ""), codeBlocks(t, "go"), codeBlocks(t, "python")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, text := range sessions {
		for _, s := range parseSession(text) {
			s.play(t)
		}
	}
	if testing.Short() {
		t.Skip("building programs takes seconds")
	}
	for _, text := range programs {
		out := runProgram(t, here, text)
		if strings.Count(out, "part ") < 1 || !strings.Contains(out, "nats") {
			t.Errorf("the program of the README prints %q", out)
		}
	}
	numpy := testenv.NumPy(t)
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "patchwork"), ".")
	build.Dir = here
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, text := range notebooks {
		numpy(".", text+"\nassert parts.shape[1:] == (1, 12) and codes.shape == (300, len(parts)) and codes.any()\n")
	}
}

// runProgram builds a program as a part of this module, and runs it in the present
// folder.
func runProgram(t *testing.T, here, text string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "main.go")
	write(t, source, text)
	place := filepath.Join(filepath.Dir(here), "readme-program", "main.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {place: source}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(filepath.Dir(source), "overlay.json")
	write(t, list, string(overlay))
	program := filepath.Join(filepath.Dir(source), "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", list, "-o", program, place)
	build.Dir = here
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the program of the README does not build: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
	if err != nil {
		t.Fatalf("the program of the README fails: %v\n%s", err, out)
	}
	return string(out)
}
