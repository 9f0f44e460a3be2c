package scale

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"

	"example.com/patchwork"
	"example.com/patchwork/cmd/engine"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/modelfile/tallyfile"
	"example.com/patchwork/pose"
)

// workload is a kind of data, with a model that made it.
type workload struct {
	name          string
	rows          int // of the file for calibration; the one to be predicted has several times as many
	height, width int
	experts       int
	grid          pose.Grid
}

var workloads = []workload{
	{"64 columns, 8 experts", 300000, 1, 64, 8, pose.Grid{}},
	{"256 columns, 32 experts", 30000, 1, 256, 32, pose.Grid{}},
	{"784 columns, 64 experts", 6000, 1, 784, 64, pose.Grid{}},
	{"28x28 pixels, 4 experts, 81 shifts", 600, 28, 28, 4, pose.Grid{DY: pose.Symmetric(4, 1), DX: pose.Symmetric(4, 1)}},
}

// bench is a workload on disk.
type bench struct {
	workload
	model *patchwork.Model
	job   *engine.Job
	data  *dataset.Stream
}

// prepare makes the model and the given number of rows.
func (w workload) prepare(ctx context.Context, dir string, rows int) (*bench, error) {
	rng := rand.New(rand.NewPCG(1, uint64(w.width)))
	cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, w.height, w.width, w.grid)
	cfg.Q = .02
	var templates [][]float64
	for range w.experts {
		t := make([]float64, w.height*w.width)
		for i := range t {
			if t[i] = cfg.Q; rng.IntN(8) == 0 {
				t[i] = .9
			}
		}
		templates = append(templates, t)
	}
	m, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("%d-%d.npy", w.width, rows))
	if err := w.write(path, m, rows, rng); err != nil {
		return nil, err
	}
	b := &bench{workload: w, model: m, job: &engine.Job{Paths: []string{path}, Rows: rows,
		Learn: learn.Options{Workers: 1}}}
	b.data, err = b.job.Open(ctx)
	return b, err
}

// write writes rows of up to four experts each, with noise.
func (w workload) write(path string, m *patchwork.Model, rows int, rng *rand.Rand) error {
	// A few hundred compositions, each with noise of its own in every row.
	var made [][]float64
	for range 300 {
		var picks []patchwork.Pick
		for range 1 + rng.IntN(min(4, w.experts)) {
			picks = append(picks, patchwork.Pick{Expert: rng.IntN(w.experts)})
		}
		made = append(made, m.Compose(w.height, w.width, picks).P)
	}
	bits, shape := make([]uint8, 0, rows*w.height*w.width), []int{rows, w.height, w.width}
	if w.height == 1 {
		shape = []int{rows, w.width}
	}
	for range rows {
		for _, p := range made[rng.IntN(len(made))] {
			bit := uint8(0)
			if rng.Float64() < p {
				bit = 1
			}
			bits = append(bits, bit)
		}
	}
	return atomicfile.Write(path, func(f io.Writer) error { return npy.Write(f, npy.New(bits, shape...)) })
}

// estep makes an E-step of the bench, shard by shard, as a worker of a cluster does: it gets
// the step as bytes, and sends its counts so. It returns the sum.
func (b *bench) estep(ctx context.Context, shards int) (sum *tallyfile.Part, err error) {
	step, err := engine.NewStep(b.model, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		return nil, err
	}
	explainer, err := step.Explainer()
	if err != nil {
		return nil, err
	}
	for _, shard := range b.job.Shards(shards) {
		part, err := explainer.Count(ctx, b.job, b.data, shard)
		if err == nil {
			part, err = coded(part)
		}
		if err == nil && sum != nil {
			err = sum.Merge(part)
		}
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = part
		}
	}
	return coded(sum)
}

// coded returns a part after encoding and decoding.
func coded(p *tallyfile.Part) (*tallyfile.Part, error) {
	b, err := engine.Encode(p)
	if err != nil {
		return nil, err
	}
	return engine.Decode(b)
}

// seconds returns the median processor time of three calls.
func seconds(call func() error) (float64, error) {
	var used []float64
	for range 3 {
		before := stat.ProcessorTime()
		if err := call(); err != nil {
			return 0, err
		}
		used = append(used, (stat.ProcessorTime() - before).Seconds())
	}
	return stat.Median(used), nil
}

// costs are what an iteration takes, in seconds of one core and bytes.
type costs struct {
	row, shard, merge, mstep float64
	tallyBytes, modelBytes   float64
}

// costs measures them.
func (b *bench) costs(ctx context.Context) (costs, error) {
	var c costs
	var part *tallyfile.Part
	estep := func(shards int) (float64, error) {
		return seconds(func() (err error) { part, err = b.estep(ctx, shards); return err })
	}
	const many = 100
	one, err := estep(1)
	if err != nil {
		return c, err
	}
	cut, err := estep(many)
	if err != nil {
		return c, err
	}
	c.shard = max(0, (cut-one)/(many-1))
	c.row = (one - c.shard) / float64(b.job.Rows)
	file, err := engine.Encode(part)
	if err != nil {
		return c, err
	}
	step, err := engine.NewStep(b.model, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		return c, err
	}
	c.tallyBytes, c.modelBytes = float64(len(file)), float64(len(step.Model))
	other := *part
	other.Shards = []tallyfile.Shard{{ID: "another", Rows: part.Tally.Rows()}}
	if c.merge, err = seconds(func() error { // a new sum every time
		sum, err := engine.Decode(file)
		if err == nil {
			err = sum.Merge(&other)
		}
		return err
	}); err != nil {
		return c, err
	}
	c.mstep, err = seconds(func() error {
		_, err := step.Next(b.job, part)
		return err
	})
	return c, err
}

// BenchmarkCosts prints the costs of every workload.
func BenchmarkCosts(b *testing.B) {
	t := stat.NewTable(os.Stdout, "workload", "us per row", "bytes per row", "ms per shard", "counts, kB", "model, kB",
		"add counts, ms", "M-step, ms")
	for _, l := range workloads {
		w, err := l.prepare(b.Context(), b.TempDir(), l.rows)
		if err != nil {
			b.Fatal(err)
		}
		c, err := w.costs(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		t.Row("%s | %.3g | %d | %.3g | %.3g | %.3g | %.3g | %.3g", l.name, 1e6*c.row, l.height*l.width, 1e3*c.shard,
			c.tallyBytes/1e3, c.modelBytes/1e3, 1e3*c.merge, 1e3*c.mstep)
	}
}

// What a worker sends is counted once, however the rows are cut into shards.
func TestShards(t *testing.T) {
	l := workloads[0]
	b, err := l.prepare(t.Context(), t.TempDir(), 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, shards := range []int{1, 7} {
		sum, err := b.estep(t.Context(), shards)
		if err != nil || sum.Tally.Rows() != 50 {
			t.Errorf("%d shards: %v", shards, err)
		}
	}
}
