package real

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/pose"
)

// hiding returns rows of which about a fifth of the values is hidden, but never all of a row.
func hiding(rows [][]float64, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 9))
	var out [][]float64
	for _, row := range rows {
		row = slices.Clone(row)
		for d := 1; d < len(row); d++ {
			if rng.IntN(5) == 0 {
				row[d] = math.NaN()
			}
		}
		out = append(out, row)
	}
	return out
}

// TestCommitteeIsTheMean: what a model with a committee says of a value is the mean of what each says alone. So its
// loss, and its squared error, are at most the means of theirs (Jensen), for every value.
func TestCommitteeIsTheMean(t *testing.T) {
	m := learned(t, newData(t, 1, 6, mixedRows(120, 8)), Options{Predict: true, Starts: 3}).Model
	if len(m.Committee) == 0 {
		t.Fatal("no committee")
	}
	var alone []*Pursuit
	for _, o := range append([]*Model{m}, m.Committee...) {
		p, err := NewPursuit(o)
		if err != nil {
			t.Fatal(err)
		}
		alone = append(alone, p)
	}
	whole := mixedRows(40, 9)
	for i, row := range hiding(whole, 1) {
		post, err := alone[0].Together(row, 0)
		if err != nil {
			t.Fatal(err)
		}
		fork, err := alone[0].Fork().Together(row, 0)
		if err != nil || !reflect.DeepEqual(fork.Predict(row, .8), post.Predict(row, .8)) {
			t.Fatalf("a fork says something else, or %v", err)
		}
		for d, x := range whole[i] {
			if math.IsNaN(x) {
				continue
			}
			mix := post.Pixel(d)
			mean, density, squares := 0.0, 0.0, 0.0
			for _, p := range alone {
				one, err := p.Best(row, 0)
				if err != nil {
					t.Fatal(err)
				}
				said := one.Pixel(d)
				share := 1 / float64(len(alone))
				mean += said.Mean() * share
				density += math.Exp(said.LogDensity(x)) * share
				squares += (said.Mean() - x) * (said.Mean() - x) * share
			}
			if !near(mix.Mean(), mean) || !near(math.Exp(mix.LogDensity(x)), density) {
				t.Fatalf("row %d, column %d: mean %v and density %v, of all %v and %v", i+1, d+1, mix.Mean(),
					math.Exp(mix.LogDensity(x)), mean, density)
			}
			if e := (mix.Mean() - x) * (mix.Mean() - x); e > squares+1e-9 {
				t.Fatalf("row %d, column %d: squared error %v, on average %v", i+1, d+1, e, squares)
			}
		}
	}
}

// TestCommittees: only the aim to predict makes one; no two of its models are equal, and it is the same on any number
// of workers
// and after an interruption.
func TestCommittees(t *testing.T) {
	data := newData(t, 1, 6, mixedRows(100, 3))
	if m := learned(t, data, Options{Starts: 2}).Model; m.Committee != nil {
		t.Error("a committee that nobody asked for")
	}
	want := learned(t, data, Options{Predict: true, Starts: 3})
	all := append([]*Model{want.Model}, want.Model.Committee...)
	for i, m := range all {
		for _, o := range all[:i] {
			if reflect.DeepEqual(m.Experts, o.Experts) && reflect.DeepEqual(m.Background, o.Background) &&
				reflect.DeepEqual(m.Pi, o.Pi) {
				t.Errorf("model %d is there twice", i)
			}
		}
		if m.K() > 0 && i > 0 && (m.Committee != nil || m.Record.Rows != 0) {
			t.Errorf("model %d has a committee, or a record: %+v", i, m.Record)
		}
	}
	memory := &notes{values: map[string][]byte{}, left: 1 << 30}
	for range 2 {
		if got := learned(t, data, Options{Predict: true, Starts: 3, Workers: 3, Memory: memory}); !reflect.DeepEqual(got,
			want) {
			t.Error("three workers, or a memory, give another committee")
		}
	}
}

// TestCommitteesAreChecked: models that cannot predict together are refused, and the error says which.
func TestCommitteesAreChecked(t *testing.T) {
	m := learned(t, newData(t, 1, 6, mixedRows(60, 3)), Options{Starts: 1}).Model
	wide, own, wrong := *m, *m, *m
	wide.Width++
	own.Committee = []*Model{m}
	wrong.Pi = append(slices.Clone(m.Pi), 2)
	for name, other := range map[string]*Model{"none": nil, "another size": &wide, "of its own": &own,
		"activation": &wrong} {
		with := *m
		with.Committee = []*Model{m, other}
		if err := with.Check(); err == nil || !strings.Contains(err.Error(), "model 2 of the committee") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStopKeepsTheBest: a run that is stopped, at whatever step, returns a model that can be used beside the error.
// After a
// complete start of images it is that of fewer starts.
func TestStopKeepsTheBest(t *testing.T) {
	type input struct {
		data *Data
		o    Options
	}
	inputs := []input{{newData(t, 4, 4, quadrants(50, 2, 1, 1)), Options{Starts: 3}},
		{newData(t, 1, 6, mixedRows(60, 1)), Options{Starts: 3, Predict: true}},
		{newData(t, 4, 4, quadrants(12, 2, 1, 1)),
			Options{Starts: 2, Experts: 1, Poses: pose.Grid{DY: pose.Symmetric(1, 1)}}}}
	for i, in := range inputs {
		whole := map[int]*Result{} // by starts
		for _, stop := range []int{1, 2, 5, 9, 14, 30} {
			ctx, cancel := context.WithCancel(context.Background())
			steps, o := 0, in.o
			o.Progress = func(Progress) {
				if steps++; steps == stop {
					cancel()
				}
			}
			r, err := Learn(ctx, in.data, o)
			cancel()
			if steps < stop { // it ended before
				continue
			}
			if !errors.Is(err, context.Canceled) || r == nil {
				t.Fatalf("input %d, stopped at %d: %v, %v", i, stop, r, err)
			}
			if math.IsInf(r.DescriptionLength, 0) || math.IsNaN(r.LogLik) || r.Model.Record.Rows != len(in.data.Rows) {
				t.Errorf("input %d, stopped at %d: %+v", i, stop, r.Model.Record)
			}
			p, err := NewPursuit(r.Model)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Together(in.data.Rows[0], 0); err != nil {
				t.Fatal(err)
			}
			if n := len(r.Starts); n > 0 && in.data.Height > 1 {
				o.Starts, o.Progress = n, nil
				if whole[n] == nil {
					whole[n] = learned(t, in.data, o)
				}
				if !reflect.DeepEqual(r, whole[n]) {
					t.Errorf("input %d, stopped at %d: %d starts give another model", i, stop, n)
				}
			}
		}
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Learn(over, inputs[0].data, Options{}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped before it began: %v, %v", r, err)
	}
}

// TestStopKeepsTheBestOfAStream: stopped while the sample is learned or while all rows shape it, a stream gives a
// model.
func TestStopKeepsTheBestOfAStream(t *testing.T) {
	src := pieces{height: 1, width: 6, per: 50, rows: mixedRows(300, 4)}
	for _, stage := range []string{"grow", "end", "all"} {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := LearnStream(ctx, src, Options{Starts: 1, Sample: 80, Progress: func(p Progress) {
			if p.Stage == stage {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || r == nil || r.Model.Check() != nil {
			t.Errorf("stopped at %s: %v, %v", stage, r, err)
		}
	}
}
