package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/patchwork/cmd/engine"
	"example.com/patchwork/modelfile/tallyfile"
)

// beEngine makes the test binary an engine such as patchwork-beam, without Beam. Its
// value says how it misbehaves.
const beEngine = "PATCHWORK_TEST_BE_ENGINE"

func init() {
	if how := os.Getenv(beEngine); how != "" {
		os.Exit(fakeEngine(how))
	}
}

func fakeEngine(how string) int {
	ctx, requests, replies := context.Background(), json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var job *engine.Job
	for {
		var r engine.Request
		if err := requests.Decode(&r); err != nil {
			return 0
		}
		var reply engine.Reply
		switch {
		case r.Check:
			if how == "absent" {
				reply.Error = "no job server answers"
			}
		case len(r.Fetch) > 0:
			for _, p := range r.Fetch {
				reply.Paths = append(reply.Paths, strings.TrimPrefix(p, "test://"))
			}
		case r.Job != nil:
			job = r.Job
			for i, p := range job.Paths {
				job.Paths[i] = strings.TrimPrefix(p, "test://")
			}
		case how == "dies":
			return 3
		case how == "fails":
			reply.Error = "a worker has died"
		default:
			data, err := job.Open(ctx)
			sum, _, _ := r.Step.Empty()
			explainer, _ := r.Step.Explainer()
			for _, s := range job.Shards(3) {
				var part *tallyfile.Part
				if err == nil {
					part, err = explainer.Count(ctx, job, data, s)
				}
				if err == nil {
					err = sum.Merge(part)
				}
			}
			if err != nil {
				reply.Error = err.Error()
			} else {
				reply.Part, _ = engine.Encode(sum)
			}
		}
		if err := replies.Encode(reply); err != nil {
			return 1
		}
	}
}

// withEngine puts a patchwork-beam on the PATH that behaves as how says.
func withEngine(t *testing.T, how string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the engine of this test is a shell script")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n" + beEngine + "=" + how + " exec '" + self + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "patchwork-beam"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// An engine gives the same model as a stream, byte for byte, and the same as images in
// memory if the sample holds all of them.
func TestEngine(t *testing.T) {
	t.Chdir(t.TempDir())
	withEngine(t, "works")
	must(t, "synth", "quadrants", "--n", "1500", "--seed", "1", "-o", "q.npz")
	learn := func(output string, more ...string) []byte {
		t.Helper()
		o := patchworkCommand(t,
			append(strings.Fields("learn -q --rule max-minus-min --experts 4 --starts 1 --rows 101: -o "+output), more...)...)
		if o.code != 0 {
			t.Fatalf("%v: exit %d, %s", more, o.code, o.err)
		}
		b, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	stream := learn("a.npz", "q.npz", "--memory", "64KiB")
	abs, err := filepath.Abs("q.npz")
	if err != nil {
		t.Fatal(err)
	}
	for what, args := range map[string][]string{
		"plain":      {"q.npz"},
		"a scheme":   {"test://" + abs},
		"checkpoint": {"q.npz", "--checkpoint", "c"},
	} {
		got := learn("b.npz", append(args, "--memory", "64KiB", "--engine", "beam:shards=3")...)
		if !bytes.Equal(got, stream) {
			t.Errorf("%s: other bytes than a stream", what)
		}
	}
	if !bytes.Equal(learn("c.npz", "q.npz", "--engine", "beam"), learn("d.npz", "q.npz")) {
		t.Error("a sample of all images: other bytes than in memory")
	}
	// What the engine prints on stderr is copied while this one writes there.
	o := patchworkCommand(t,
		strings.Fields("learn q.npz --rows :200 --rule max-minus-min --method batch --experts 4 -o e.npz --engine beam")...)
	if o.code != 0 || !strings.Contains(o.err, "Beam had nothing to do") {
		t.Errorf("a sample of all images: exit %d, %s", o.code, o.err)
	}
}

func TestEngineErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "quadrants", "--n", "300", "--seed", "1", "-o", "q.npz")
	const learn = "learn q.npz --rule max-minus-min --experts 4 --starts 1 --memory 64KiB -o m.npz "
	check := func(line string, code int, want string) {
		t.Helper()
		o := patchworkCommand(t, strings.Fields(line)...)
		if o.code != code || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: exit %d, stderr %q", line, o.code, o.err)
		}
		if _, err := os.Stat("m.npz"); err == nil {
			t.Errorf("%s: wrote a model", line)
		}
	}
	check(learn+"--engine beam --method online", 2, "cannot learn online")
	check("learn q.npz --rule max-minus-min --experts 4 -o m.npz --engine beam --method soft", 2, "adds counts")
	write(t, "rows.csv", "a,b,c\n1,0,1\n0,1,1\n1,1,0\n0,1,1\n")
	withEngine(t, "works") // the same line without it learns by another method
	check("learn rows.csv --experts 1 -o m.npz --engine beam", 2, "--method soft, by which this line learns")
	check("learn rows.csv -o m.npz --engine beam", 2, "leave --engine out")
	check("learn q.npz --experts 2 -o m.npz --engine beam", 2, "looks at what the images hold")
	t.Setenv("PATH", t.TempDir())
	check(learn+"--engine beam", 2,
		"neither beside patchwork nor on the PATH; build it in the folder cmd/engine/beam with: GOWORK=off go install")
	t.Setenv("PATH", "/bin:/usr/bin")
	withEngine(t, "fails")
	check(learn+"--engine beam", 1, "patchwork-beam: a worker has died")
	check("learn q.npz --rule max --shift 1 --for paper --experts 4 -o m.npz --engine beam", 2, "cannot learn online")
	withEngine(t, "absent") // also where nothing would be left for it to do
	check("learn q.npz --rule max-minus-min --experts 4 --starts 1 -o m.npz --engine beam", 1,
		"patchwork-beam: no job server answers")
	withEngine(t, "dies")
	check(learn+"--engine beam", 1, "patchwork-beam ended without a reply")
}
