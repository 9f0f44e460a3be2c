package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A real process: SIGTERM drains it and it exits with 0, even if a job runs.
func TestServeDrainsOnSIGTERM(t *testing.T) {
	dir := t.TempDir()
	cmd := process(t, dir, "serve", "--addr", "127.0.0.1:0", "-q", "--no-token")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var url string
	if _, err := fmt.Fscanf(out, "serving at %s\n", &url); err != nil {
		t.Fatal(err)
	}
	s := &site{url: strings.TrimSuffix(url, "/")}
	var j jobAnswer
	for { // until the data set is there
		res, err := http.Get(s.url + "/v1/data/letters-t")
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode == 200 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	decode(t, s.want(t, "POST", "/v1/learn", map[string]any{"data": "letters-t", "experts": 8, "shift": 14,
		"rotate": "24:2", "starts": 100}, 202), &j)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
