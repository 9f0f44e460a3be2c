package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/parquet-go/parquet-go"

	"example.com/patchwork"
	"example.com/patchwork/cmd/engine"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/modelfile/tallyfile"
	"example.com/patchwork/pose"
)

// beMain is the variable that makes the test binary the program itself. For workers,
// which Beam starts by flags, it is not needed.
const beMain = "PATCHWORK_BEAM_TEST_BE_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(beMain) == "1" {
		os.Exit(realMain())
	}
	flag.Parse()
	endWithParent()
	beam.Init()
	quieten(false)
	os.Exit(m.Run())
}

const columns = 12

// rows returns rows of a table with three parts: thirds that are on together.
func rows(n int) [][]byte {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	out := make([][]byte, n)
	for i := range out {
		out[i] = make([]byte, columns)
		for part := range 3 {
			on := rng.IntN(2) == 1
			for j := range columns / 3 {
				if on != (rng.IntN(12) == 0) {
					out[i][part*columns/3+j] = 1
				}
			}
		}
	}
	return out
}

// The file formats that shards are read from.
var formats = map[string]func(t testing.TB, path string, rows [][]byte){
	"csv": func(t testing.TB, path string, rows [][]byte) {
		var b bytes.Buffer
		for _, r := range rows {
			b.WriteString(strings.Trim(strings.ReplaceAll(fmt.Sprint(r), " ", ","), "[]") + "\n")
		}
		write(t, path, b.Bytes())
	},
	"npy": writeNPY,
	"npz": func(t testing.TB, path string, rows [][]byte) {
		npy := strings.TrimSuffix(path, "z") + "y"
		writeNPY(t, npy, rows)
		set, err := dataset.Read([]string{npy}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := dataset.EncodeNPZ(&b, set); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	},
	"parquet": func(t testing.TB, path string, rows [][]byte) {
		type row struct{ A, B, C, D, E, F, G, H, I, J, K, L int32 }
		var table []row
		for _, r := range rows {
			c := func(i int) int32 { return int32(r[i]) }
			table = append(table, row{c(0), c(1), c(2), c(3), c(4), c(5), c(6), c(7), c(8), c(9), c(10), c(11)})
		}
		if err := parquet.WriteFile(path, table); err != nil {
			t.Fatal(err)
		}
	},
}

func writeNPY(t testing.TB, path string, rows [][]byte) {
	var file bytes.Buffer
	if err := npy.Write(&file, npy.New(bytes.Join(rows, nil), len(rows), len(rows[0]))); err != nil {
		t.Fatal(err)
	}
	write(t, path, file.Bytes())
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// run is a learning run; a sample of its data gives the first model.
type run struct {
	job   *engine.Job
	data  stream
	first *patchwork.Model
}

// stream hides that its data are in memory.
type stream struct{ data patchwork.Data }

func (s stream) Blocks(ctx context.Context) iter.Seq2[patchwork.Data, error] {
	return s.data.Blocks(ctx)
}

func newRun(t testing.TB, n int, format string) *run {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows."+format)
	formats[format](t, path, rows(n))
	set, err := dataset.Read([]string{path}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{data: stream{set.Data}}
	opt := learn.Options{Experts: 4, Starts: 1, Seed: 3, Workers: 2, Iterations: 4, Sample: 40}
	h, w := set.Size()
	cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, h, w, pose.Grid{})
	sample := set.Take(40).Data
	if r.first, err = learn.Learn(t.Context(), sample, cfg, opt); err != nil {
		t.Fatal(err)
	}
	r.job = &engine.Job{Paths: []string{path}, Rows: n, Learn: opt}
	return r
}

// learn learns from a source, and returns the bytes of the model.
func (r *run) learn(t testing.TB, src patchwork.Source, workers int) []byte {
	t.Helper()
	opt := r.job.Learn
	opt.Workers = workers
	m, err := learn.Learn(t.Context(), src, r.first.Config(), opt)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// step returns the first step of the run.
func (r *run) step(t testing.TB) *engine.Step {
	t.Helper()
	s, err := engine.NewStep(r.first, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// far is a source whose E-steps a function makes.
type far struct {
	stream
	tally func(context.Context, *engine.Step) (*tallyfile.Part, error)
}

func (f far) Tally(ctx context.Context, m *patchwork.Model, opt patchwork.PursuitOptions) (*patchwork.Tally, error) {
	step, err := engine.NewStep(m, opt)
	if err != nil {
		return nil, err
	}
	part, err := f.tally(ctx, step)
	if err != nil {
		return nil, err
	}
	return part.Tally, nil
}

func inProcess(t testing.TB, shards, unroll int) settings {
	return settings{runner: "prism", shards: shards, unroll: unroll, deadline: time.Minute, staging: t.TempDir()}
}

// One thread, many threads, parts merged in any order, Beam in this process
// with any number of shards and iterations per pipeline: the same bytes.
func TestSameBytes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for format := range formats {
		r := newRun(t, 230, format)
		want := r.learn(t, r.data, 1)
		check := func(what string, got []byte) {
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %s: other bytes", format, what)
			}
		}
		check("many threads", r.learn(t, r.data, 5))
		rng := rand.New(rand.NewPCG(1, 1))
		check("parts in any order",
			r.learn(t, far{r.data, func(ctx context.Context, s *engine.Step) (*tallyfile.Part, error) {
				return merged(ctx, r.job, s, rng.Perm(3))
			}}, 1))
		for _, c := range []struct{ shards, unroll, runs int }{{1, 1, 0}, {3, 1, 0}, {17, 1, 0}, {3, 3, 3}, {1000, 5, 2}} {
			if format != "csv" && c.shards != 3 {
				continue
			}
			d := newDriver(inProcess(t, c.shards, c.unroll), r.job)
			check(fmt.Sprintf("Beam, %+v", c), r.learn(t, far{r.data, d.tally}, 1))
			if left, _ := os.ReadDir(d.staging); len(left) > 0 && d.unroll == 1 {
				t.Errorf("left behind: %v", left)
			}
			if d.runs == 0 || c.runs > 0 && d.runs > c.runs {
				t.Errorf("%+v: %d pipelines", c, d.runs)
			}
		}
	}
}

// merged makes a step from three parts, added in the given order.
func merged(ctx context.Context, job *engine.Job, s *engine.Step, order []int) (*tallyfile.Part, error) {
	data, err := job.Open(ctx)
	if err != nil {
		return nil, err
	}
	explainer, err := s.Explainer()
	if err != nil {
		return nil, err
	}
	sum, _, err := s.Empty()
	for _, i := range order {
		var part *tallyfile.Part
		if err == nil {
			part, err = explainer.Count(ctx, job, data, job.Shards(3)[i])
		}
		if err == nil {
			err = sum.Merge(part)
		}
	}
	return sum, err
}

// A shard that a runner delivers twice is refused, and so is a sum that lacks one.
func TestEveryShardOnce(t *testing.T) {
	r := newRun(t, 60, "npy")
	s := r.step(t)
	whole, err := merged(t.Context(), r.job, s, []int{2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(whole, r.job.Shards(3)); err != nil {
		t.Error(err)
	}
	part, err := merged(t.Context(), r.job, s, []int{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(part, r.job.Shards(3)); err == nil ||
		!strings.Contains(err.Error(), "rows 000000000020+20 were not counted") {
		t.Errorf("error %v", err)
	}
	a, _ := engine.Encode(whole)
	b, _ := engine.Encode(part)
	if _, err := new(sumFn).MergeAccumulators(a, b); err == nil || !strings.Contains(err.Error(), "counted twice") {
		t.Errorf("error %v", err)
	}
	if sum, err := new(sumFn).AddInput(new(sumFn).CreateAccumulator(), b); err != nil || !bytes.Equal(sum, b) {
		t.Errorf("one part added to nothing is another: %v", err)
	}
}

// An error in a worker is reported with its cause and ends the job.
func TestErrors(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := newRun(t, 60, "csv")
	missing := *r.job
	missing.Paths = []string{filepath.Join(t.TempDir(), "gone.npy")}
	more := *r.job
	more.Rows = 61
	slow := inProcess(t, 3, 1)
	slow.deadline = time.Millisecond
	for name, c := range map[string]struct {
		s    settings
		job  *engine.Job
		want string
	}{
		"no file":       {inProcess(t, 3, 1), &missing, "gone.npy"},
		"fewer rows":    {inProcess(t, 3, 1), &more, "19 images where there were 20; do not change files"},
		"too late":      {slow, r.job, "no result after --deadline 1ms: a worker may have died"},
		"unknown store": {inProcess(t, 1, 1), &engine.Job{Paths: []string{"xyz://a/b.npy"}, Rows: 1}, "fetch xyz://a/b.npy"},
	} {
		began := time.Now()
		_, err := newDriver(c.s, c.job).tally(t.Context(), r.step(t))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", name, err)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// child is patchwork-beam as a process, as patchwork runs it.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
	request *json.Encoder
	stderr  *bytes.Buffer
}

func start(t testing.TB, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), beMain+"=1", "TMPDIR="+t.TempDir())
	c := &child{cmd: cmd, stderr: new(bytes.Buffer)}
	cmd.Stderr = c.stderr
	c.in, err = cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out, c.request = json.NewDecoder(out), json.NewEncoder(c.in)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.in.Close(); cmd.Wait() })
	return c
}

func (c *child) ask(t testing.TB, r engine.Request) engine.Reply {
	t.Helper()
	r.Version = engine.Version
	if err := c.request.Encode(r); err != nil {
		t.Fatal(err)
	}
	var reply engine.Reply
	if err := c.out.Decode(&reply); err != nil {
		t.Fatalf("%v; %s", err, c.stderr)
	}
	return reply
}

// learn does what run.learn does, by a process.
func (c *child) learn(t *testing.T, r *run) []byte {
	t.Helper()
	if reply := c.ask(t, engine.Request{Job: r.job}); reply.Error != "" {
		t.Fatal(reply.Error)
	}
	return r.learn(t, far{r.data, func(_ context.Context, s *engine.Step) (*tallyfile.Part, error) {
		reply := c.ask(t, engine.Request{Step: s})
		if reply.Error != "" {
			return nil, fmt.Errorf("%s", reply.Error)
		}
		return engine.Decode(reply.Part)
	}}, 1)
}

// As a process it answers until its input ends, and leaves no file behind.
func TestProcess(t *testing.T) {
	r := newRun(t, 100, "csv")
	c := start(t, "--shards=3")
	if got := c.ask(t, engine.Request{Step: r.step(t)}); !strings.Contains(got.Error, "before there is a job") {
		t.Errorf("a step without a job: %q", got.Error)
	}
	if !bytes.Equal(c.learn(t, r), r.learn(t, r.data, 1)) {
		t.Error("other bytes")
	}
	c.in.Close()
	if err := c.cmd.Wait(); err != nil || c.stderr.Len() > 0 {
		t.Errorf("%v, stderr %q", err, c.stderr)
	}
	last := c.cmd.Env[len(c.cmd.Env)-1]
	if left, err := os.ReadDir(strings.TrimPrefix(last, "TMPDIR=")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	old := start(t)
	if err := old.request.Encode(engine.Request{Version: 99}); err != nil {
		t.Fatal(err)
	}
	var reply engine.Reply
	if err := old.out.Decode(&reply); err != nil || !strings.Contains(reply.Error, "version 99") {
		t.Errorf("%v, %q", err, reply.Error)
	}
}

func TestFlags(t *testing.T) {
	for _, c := range [][2]string{
		{"--shards=-1", "at least 1"}, {"--unroll=0", "at least 1"}, {"--deadline=0s", "no time"},
		{"--runner=universal", "needs --endpoint"}, {"--runner=nosuch", "there is: prism"}, {"--async", "leave it out"},
		{"rows.npy", "unexpected argument"},
		{"--shard=3", "options are deadline, endpoint, runner, shards"},
	} {
		p := start(t, c[0])
		err := p.cmd.Wait()
		if err == nil || p.cmd.ProcessState.ExitCode() != 2 || !strings.Contains(p.stderr.String(), c[1]) {
			t.Errorf("%s: %v, %q", c[0], err, p.stderr)
		}
	}
}

// A job server that is not there is named at once, before any work.
func TestReachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	for _, there := range []string{"", at} {
		if err := reachable(t.Context(), there); err != nil {
			t.Errorf("%q: %v", there, err)
		}
	}
	l.Close()
	if err := reachable(t.Context(), at); err == nil ||
		!strings.Contains(err.Error(), "no job server answers at --endpoint "+at) {
		t.Errorf("closed: %v", err)
	}
	if err := reachable(t.Context(), "no port"); err == nil {
		t.Error("an endpoint without a port")
	}
}

// Shards are all images, each once, in pieces of nearly equal size.
func TestShards(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {10, 3}, {3, 10}, {17, 17}, {1000003, 64}} {
		j := engine.Job{Rows: c[0]}
		next, sizes := 0, []int{}
		for _, s := range j.Shards(c[1]) {
			if s.First != next || s.Rows < 1 {
				t.Fatalf("%v: %+v after %d", c, s, next)
			}
			next += s.Rows
			sizes = append(sizes, s.Rows)
		}
		if next != c[0] || slices.Max(sizes)-slices.Min(sizes) > 1 || len(sizes) != min(c[0], c[1]) {
			t.Errorf("%v: %v", c, sizes)
		}
	}
}
