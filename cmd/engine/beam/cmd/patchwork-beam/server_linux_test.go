package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/patchwork/cmd/engine"
)

// prismServer starts a Prism server, whose workers find Beam's boot program, and
// returns its address and process.
func prismServer(t testing.TB, boot string) (endpoint string, server *exec.Cmd) {
	t.Helper()
	program, err := exec.LookPath("prism")
	if err != nil {
		t.Skip("no prism here: go install github.com/apache/beam/sdks/v2/go/cmd/prism@v2.77.0")
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint = fmt.Sprintf("localhost:%d", l.Addr().(*net.TCPAddr).Port)
	l.Close()
	_, port, _ := net.SplitHostPort(endpoint)
	server = exec.CommandContext(t.Context(), program, "-job_port", port, "-serve_http=false")
	server.Dir = t.TempDir()
	server.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "BEAM_BOOT="+boot)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	for range 100 {
		if c, err := net.Dial("tcp", endpoint); err == nil {
			c.Close()
			return endpoint, server
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("prism does not listen")
	return
}

// stagingServer starts a Prism server that starts workers from the staged
// program, and returns its address and the flags for it.
func stagingServer(t testing.TB) (endpoint string, flags []string) {
	t.Helper()
	boot, err := exec.LookPath("container")
	if err != nil {
		t.Skip("no boot program here: go install github.com/apache/beam/sdks/v2/go/container@v2.77.0")
	}
	endpoint, _ = prismServer(t, boot)
	script, err := filepath.Abs("../../boot.sh")
	if err != nil {
		t.Fatal(err)
	}
	flags = []string{"--endpoint=" + endpoint, "--environment_type=PROCESS",
		fmt.Sprintf("--environment_config={%q:%q}", "command", script)}
	return endpoint, slices.Clip(flags) // so that each append is its own
}

// A server with workers in this program gives the same bytes. If the server dies, the
// job ends with an error before its deadline.
func TestServer(t *testing.T) {
	endpoint, server := prismServer(t, "")
	r := newRun(t, 230, "npy")
	c := start(t, "--shards=7", "--endpoint="+endpoint, "--environment_type=LOOPBACK", "--deadline=4s")
	if !bytes.Equal(c.learn(t, r), r.learn(t, r.data, 1)) {
		t.Error("other bytes")
	}
	server.Process.Kill()
	server.Wait()
	began := time.Now()
	reply := c.ask(t, engine.Request{Step: r.step(t)})
	if !strings.Contains(reply.Error, "Beam job") || time.Since(began) > 20*time.Second {
		t.Errorf("after %v: %q", time.Since(began), reply.Error)
	}
}

// Workers that the server starts from the staged program give the same bytes. If one
// is killed, the job ends with an error before its deadline or the counts are right
// nevertheless; no worker is left.
func TestStagedWorkers(t *testing.T) {
	endpoint, staged := stagingServer(t)
	const deadline = 8 * time.Second
	c := start(t, append(staged, "--shards=3", "--unroll=3", "--deadline="+deadline.String())...)
	r := newRun(t, 230, "npy")
	if !bytes.Equal(c.learn(t, r), r.learn(t, r.data, 1)) {
		t.Error("other bytes")
	}

	big := newRun(t, 200000, "npy") // enough to be interrupted in the middle
	if reply := c.ask(t, engine.Request{Job: big.job}); reply.Error != "" {
		t.Fatal(reply.Error)
	}
	noWorkers(t, endpoint)
	killed := whenAtWork(endpoint, func(worker int) { syscall.Kill(worker, syscall.SIGKILL) })
	began, step := time.Now(), big.step(t)
	reply := c.ask(t, engine.Request{Step: step})
	if !<-killed {
		t.Fatal("no worker was seen")
	}
	t.Logf("killed: after %v %q", time.Since(began).Round(time.Millisecond), reply.Error)
	if reply.Error == "" {
		part, err := engine.Decode(reply.Part)
		if err == nil {
			err = step.Check(part, big.job.Shards(3))
		}
		if err != nil {
			t.Error(err)
		}
	} else if !strings.Contains(reply.Error, "Beam job") || time.Since(began) > deadline+15*time.Second {
		t.Errorf("after %v: %q", time.Since(began), reply.Error)
	}
	noWorkers(t, endpoint)
}

// If patchwork-beam, or the process that started it, is killed in the middle of a job
// on a server, no worker is left, and the server serves the next job.
func TestKilledRunLeavesNoWorkers(t *testing.T) {
	endpoint, staged := stagingServer(t)
	begin := func() *child {
		return start(t, append(staged, "--shards=3", "--deadline=1m")...)
	}
	big := newRun(t, 200000, "npy")
	for name, end := range map[string]func(c *child){
		"killed":        func(c *child) { c.cmd.Process.Kill() },
		"input at end":  func(c *child) { c.in.Close() }, // what it sees of a parent that was killed
		"asked to stop": func(c *child) { c.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		c := begin()
		if reply := c.ask(t, engine.Request{Job: big.job}); reply.Error != "" {
			t.Fatal(reply.Error)
		}
		seen := whenAtWork(endpoint, func(int) { end(c) })
		if err := c.request.Encode(engine.Request{Version: engine.Version, Step: big.step(t)}); err != nil {
			t.Fatal(err)
		}
		if !<-seen {
			t.Fatalf("%s: no worker was seen", name)
		}
		began := time.Now()
		c.cmd.Wait()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: it went on for %v", name, took)
		}
		noWorkers(t, endpoint)
	}
	r := newRun(t, 230, "npy")
	if !bytes.Equal(begin().learn(t, r), r.learn(t, r.data, 1)) {
		t.Error("the next job: other bytes")
	}
}

// whenAtWork calls do once a worker of a server has worked for a moment. The channel
// yields false if no worker was seen.
func whenAtWork(endpoint string, do func(worker int)) <-chan bool {
	done := make(chan bool, 1)
	go func() {
		for range 2000 {
			for _, pid := range workers(endpoint) {
				time.Sleep(100 * time.Millisecond)
				do(pid)
				done <- true
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		done <- false
	}()
	return done
}

// BenchmarkPipeline measures an E-step over a handful of rows, the overhead of a
// pipeline: in this process, on a server with workers here, and with workers that the
// server starts from the staged program.
func BenchmarkPipeline(b *testing.B) {
	endpoint, staged := stagingServer(b)
	r := newRun(b, 230, "npy")
	for _, c := range []struct {
		name string
		args []string
	}{
		{"in-process", nil},
		{"loopback", []string{"--endpoint=" + endpoint, "--environment_type=LOOPBACK"}},
		{"staged", staged},
	} {
		b.Run(c.name, func(b *testing.B) {
			child := start(b, append(c.args, "--shards=4")...)
			if reply := child.ask(b, engine.Request{Job: r.job}); reply.Error != "" {
				b.Fatal(reply.Error)
			}
			for b.Loop() {
				if reply := child.ask(b, engine.Request{Step: r.step(b)}); reply.Error != "" {
					b.Fatal(reply.Error)
				}
			}
			child.in.Close()
		})
	}
}

// noWorkers waits until no worker of a server is left: a second, but longer on a busy machine.
func noWorkers(t *testing.T, endpoint string) {
	t.Helper()
	for range 600 {
		if len(workers(endpoint)) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("workers are left: %v", workers(endpoint))
}

// workers returns the processes that run as workers of a server.
func workers(endpoint string) []int {
	var pids []int
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, _ := os.ReadFile(path)
		if strings.Contains(string(line), "--worker=true") && strings.Contains(string(line), endpoint) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}
