package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// pipeClient is the other end of a pipe.
type pipeClient struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Reader
	ended chan error
}

// newPipe starts a pipe in a folder of its own.
func newPipe(t *testing.T) *pipeClient {
	t.Helper()
	t.Chdir(t.TempDir())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &pipeClient{t, inW, bufio.NewReader(outR), make(chan error, 1)}
	a := &app{console: console{getenv: os.Getenv}}
	go func() {
		err := a.pipe(t.Context(), inR, outW)
		outW.Close()
		inR.CloseWithError(io.ErrClosedPipe)
		c.ended <- err
	}()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return c
}

// send writes a request with its files.
func (c *pipeClient) send(line string, put map[string]string, get ...string) {
	c.t.Helper()
	q := pipeRequest{Args: fields(line), Get: get}
	var contents bytes.Buffer
	for name, text := range put {
		q.Put = append(q.Put, pipeFile{name, int64(len(text))})
		contents.WriteString(text)
	}
	head, err := json.Marshal(q)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(append(head, '\n'), contents.Bytes()...)); err != nil {
		c.t.Fatal(err)
	}
}

// answer reads an answer with its files.
func (c *pipeClient) answer() (a pipeAnswer, got map[string]string) {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err != nil {
		c.t.Fatalf("%q: %v", line, err)
	}
	got = map[string]string{}
	for _, f := range a.Got {
		b := make([]byte, f.Size)
		if _, err := io.ReadFull(c.out, b); err != nil {
			c.t.Fatal(err)
		}
		got[f.Name] = string(b)
	}
	return a, got
}

// TestPipe: one process answers several command lines with the bytes that the command
// writes; its folder is empty after each.
func TestPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth quadrants --n 60 --seed 3 -o x.npz")...)
	must(t, fields("learn x.npz -o m.npz -k 3 --rule max-minus-min --starts 1 -q")...)
	must(t, fields("explain -m m.npz x.npz -o c.npz -q")...)
	x, m, codes := read(t, "x.npz"), read(t, "m.npz"), read(t, "c.npz")

	c := newPipe(t)
	for range 2 {
		c.send("learn x.npz -o m.npz -k 3 --rule max-minus-min --starts 1 -q", map[string]string{"x.npz": x}, "m.npz",
			"none.npz")
		a, got := c.answer()
		if a.Code != 0 || got["m.npz"] != m || len(got) != 1 {
			t.Fatalf("%+v, %d files; the model is that of the command: %v", a, len(got), got["m.npz"] == m)
		}
		c.send("explain -m m.npz x.npz -o c.npz -q", map[string]string{"m.npz": got["m.npz"], "x.npz": x}, "c.npz")
		if a, got = c.answer(); a.Code != 0 || got["c.npz"] != codes {
			t.Fatalf("%+v, %d bytes of codes", a, len(got["c.npz"]))
		}
	}
	c.send("explain -m m.npz x.npz", nil) // the files are gone
	if a, _ := c.answer(); a.Code != 2 || !strings.Contains(a.Err, "m.npz") {
		t.Errorf("%+v", a)
	}
	c.send("pipe", nil)
	if a, _ := c.answer(); a.Code != 2 || !strings.Contains(a.Err, "no pipe") {
		t.Errorf("%+v", a)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// TestPipeStops: a stop ends the command line that runs, which keeps its best, and the
// next one is answered as if nothing had been; the end of the input ends all.
func TestPipeStops(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth letters --letters ABEFH --writers 40 --seed 3 -o x.npz")...)
	x := map[string]string{"x.npz": read(t, "x.npz")}
	c := newPipe(t)
	const long = "learn x.npz -o m.npz -k 9 --shift 14 --rotate 24:6 --method batch --starts 1000"
	c.send(long, x, "m.npz")
	time.Sleep(50 * time.Millisecond) // it may have begun or not
	fmt.Fprintln(c.in, `{"stop":true}`)
	if a, _ := c.answer(); a.Code != 130 || !strings.Contains(a.Err, "interrupted") {
		t.Errorf("%+v", a)
	}
	c.send("version", nil)
	if a, _ := c.answer(); a.Code != 0 || a.Out == "" {
		t.Errorf("%+v", a)
	}
	c.send(long, x, "m.npz")
	c.in.Close()
	if a, _ := c.answer(); a.Code != 130 || !strings.Contains(a.Err, "interrupted") {
		t.Errorf("%+v", a)
	}
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// FuzzPipe: no input makes it panic, hang or write outside its folder.
func FuzzPipe(f *testing.F) {
	for _, s := range []string{"", "\n", "{}\n", `{"args":["version"]}` + "\n", `{"put":[{"name":"../x","size":3}]}` +
		"\nabc",
		`{"put":[{"name":"x","size":3}],"get":["x","..","/etc/passwd"]}` + "\nabc", `{"put":[{"name":"x","size":-1}]}` + "\n",
		`{"put":[{"name":"x","size":9}]}` + "\nabc",
		`{"stop":true}` + "\n" + `{"stop":true}` + "\n", strings.Repeat("x", 2*pipeLine)} {
		f.Add([]byte(s))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.Contains(b, []byte("args")) && !bytes.Contains(b, []byte(`["version"]`)) {
			t.Skip("not every command line")
		}
		t.Chdir(folder)
		var out bytes.Buffer
		a := &app{console: console{getenv: os.Getenv}}
		if err := a.pipe(t.Context(), bytes.NewReader(b), &out); err == nil && len(b) > 0 && !bytes.Contains(b, []byte("{")) {
			t.Errorf("%.80q was taken", b)
		}
		if strings.Contains(out.String(), "root:") {
			t.Errorf("a file from elsewhere: %q", out.String())
		}
	})
}
