package real

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.com/patchwork/pose"
)

// pieces are rows in blocks of a few, each of which is overwritten after its turn.
type pieces struct {
	height, width, per int
	rows               [][]float64
	passes             *int
}

func (p pieces) Size() (int, int) { return p.height, p.width }

func (p pieces) Blocks(context.Context) iter.Seq2[[][]float64, error] {
	return func(yield func([][]float64, error) bool) {
		if p.passes != nil {
			*p.passes++
		}
		for from := 0; from < len(p.rows); from += p.per {
			block := make([][]float64, 0, p.per)
			for _, row := range p.rows[from:min(from+p.per, len(p.rows))] {
				block = append(block, append([]float64(nil), row...))
			}
			if !yield(block, nil) {
				return
			}
			for _, row := range block {
				for i := range row {
					row[i] = math.Inf(1)
				}
			}
		}
	}
}

// mixedRows returns images of six values, of two parts.
func mixedRows(n int, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	rows := make([][]float64, n)
	for i := range rows {
		mean := [2]float64{}
		for k := range mean {
			if rng.IntN(3) == 0 {
				mean[k] = 3
			}
		}
		for d := range 6 {
			rows[i] = append(rows[i], mean[d/3]+rng.NormFloat64())
		}
		if rng.IntN(10) == 0 {
			rows[i][rng.IntN(6)] = math.NaN()
		}
	}
	return rows
}

func streamed(t *testing.T, rows Rows, o Options) *Result {
	t.Helper()
	r, err := LearnStream(context.Background(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Model.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestStreamInItsSample: a stream that the sample holds gives the model of the same rows in memory.
func TestStreamInItsSample(t *testing.T) {
	for _, c := range []struct {
		h, w int
		rows [][]float64
		o    Options
	}{{1, 6, mixedRows(80, 1), Options{Starts: 2}}, {4, 4, quadrants(40, 2, 1, 1), Options{Starts: 1}},
		{4, 4, quadrants(20, 2, 1, 1),
			Options{Starts: 1, Experts: 1, Poses: pose.Grid{DY: pose.Symmetric(1, 1), DX: pose.Symmetric(1, 1)}}}} {
		want := learned(t, newData(t, c.h, c.w, c.rows), c.o)
		for _, per := range []int{1, 7, 1000} {
			if got := streamed(t, pieces{height: c.h, width: c.w, per: per, rows: c.rows}, c.o); !reflect.DeepEqual(got, want) {
				t.Errorf("%d x %d in blocks of %d: another model", c.h, c.w, per)
			}
		}
	}
}

// TestStreamBeyondItsSample: parts found in a sample are shaped by all rows: the same for any blocks and workers,
// in few passes, and better than by the sample alone.
func TestStreamBeyondItsSample(t *testing.T) {
	rows := mixedRows(700, 2)
	o := Options{Starts: 1, Sample: 100, Seed: 3}
	passes := 0
	want := streamed(t, pieces{1, 6, 64, rows, &passes}, o)
	if r := want.Model.Record; r.Rows != 700 || r.Sample != 100 {
		t.Errorf("the record says %+v", r)
	}
	if passes > 1+1+1+lastSteps+4 {
		t.Errorf("%d passes", passes)
	}
	for _, c := range []struct{ per, workers int }{{1000, 2}, {333, 7}} {
		o := o
		o.Workers = c.workers
		if got := streamed(t, pieces{height: 1, width: 6, per: c.per, rows: rows}, o); !reflect.DeepEqual(got, want) {
			t.Errorf("blocks of %d on %d workers give another model", c.per, c.workers)
		}
	}
	all := newData(t, 1, 6, rows)
	score := func(m *Model) float64 {
		tally, err := EStep(context.Background(), m, all, 1)
		if err != nil {
			t.Fatal(err)
		}
		return tally.LogLik()
	}
	small := learned(t, newData(t, 1, 6, rows[:100]), Options{Starts: 1})
	small.Model.Scales = all.Scales
	if want.Model.K() != 2 || score(want.Model) < score(small.Model) {
		t.Errorf("%d parts, log-likelihood %v; 100 rows alone give %v", want.Model.K(), score(want.Model), score(small.Model))
	}
}

// TestPartsAddUp: the counts of three parts, explained on 1, 2 and 7 workers in any blocks, kept as bytes and added
// in any order, are those of all rows, and so is the next model.
func TestPartsAddUp(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		h, w  int
		rows  [][]float64
		poses pose.Grid
	}{{1, 6, mixedRows(90, 5), pose.Grid{}}, {4, 4, quadrants(60, 2, .5, 6), pose.Grid{}},
		{4, 4, quadrants(30, 2, .5, 6), pose.Grid{DY: pose.Symmetric(1, 1), DX: pose.Symmetric(1, 1)}}} {
		data := newData(t, c.h, c.w, c.rows)
		m := learned(t, data, Options{Starts: 1, Poses: c.poses, Experts: 4}).Model
		want, err := EStep(ctx, m, data, 1)
		if err != nil {
			t.Fatal(err)
		}
		bytesOf := func(x *Tally) []byte { b, _ := x.MarshalBinary(); return b }
		n := len(c.rows)
		sum := NewTally(m)
		for i, part := range [][2]int{{n / 2, n}, {0, n / 5}, {n / 5, n / 2}} {
			s, err := NewStream(pieces{height: c.h, width: c.w, per: 5 + 20*i, rows: c.rows[part[0]:part[1]]}, m.Scales)
			if err != nil {
				t.Fatal(err)
			}
			one, err := EStep(ctx, m, s, []int{1, 2, 7}[i])
			if err != nil {
				t.Fatal(err)
			}
			var read Tally
			if err := read.UnmarshalBinary(bytesOf(one)); err != nil {
				t.Fatal(err)
			}
			if err := sum.Merge(&read); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(bytesOf(sum), bytesOf(want)) {
			t.Errorf("%d x %d: the sum of three parts differs", c.h, c.w)
		}
		a, err := want.MStep(m)
		if err != nil {
			t.Fatal(err)
		}
		b, err := sum.MStep(m)
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%d x %d: another next model (%v)", c.h, c.w, err)
		}
		if a.K() > 0 && a.Record.Rows != n {
			t.Errorf("the record says %+v", a.Record)
		}
	}
}

// TestStepsRaise: steps by MStep from a model that is too noisy come to a better one.
func TestStepsRaise(t *testing.T) {
	data := newData(t, 4, 4, quadrants(100, 2, 1, 8))
	m := learned(t, data, Options{Starts: 1}).Model
	worse := *m
	worse.Background = append([]Normal(nil), m.Background...)
	for d := range worse.Background {
		worse.Background[d].Var *= 3
	}
	score := func(m *Model) (*Tally, float64) {
		tally, err := EStep(context.Background(), m, data, 1)
		if err != nil {
			t.Fatal(err)
		}
		return tally, tally.LogLik()
	}
	tally, before := score(&worse)
	next, err := tally.MStep(&worse)
	if err != nil {
		t.Fatal(err)
	}
	if _, after := score(next); after < before+50 {
		t.Errorf("log-likelihood %v after a step from %v", after, before)
	}
}

func TestMStepRefuses(t *testing.T) {
	data := newData(t, 4, 4, quadrants(40, 2, 1, 1))
	m := learned(t, data, Options{Starts: 1, Experts: 2}).Model
	if _, err := NewTally(m).MStep(m); err == nil {
		t.Error("a step from no rows")
	}
	tally, err := EStep(context.Background(), m, data, 1)
	if err != nil {
		t.Fatal(err)
	}
	other := *m
	other.Experts, other.Pi = m.Experts[:1], m.Pi[:1]
	if _, err := tally.MStep(&other); err == nil {
		t.Error("counts of another model are taken")
	}
	bare := *m
	bare.Scales = nil
	if _, err := tally.MStep(&bare); err == nil {
		t.Error("a model without a grid is taken")
	}
}

// TestValuesBeyondTheGrid: rows of other data that are too far away are named, not counted wrongly.
func TestValuesBeyondTheGrid(t *testing.T) {
	m := learned(t, newData(t, 1, 2, [][]float64{{1, 2}, {2, 3}, {3, 5}, {4, 1}}), Options{Starts: 1}).Model
	for _, bad := range []float64{1e9, -1e9, math.Inf(1)} {
		s, err := NewStream(pieces{height: 1, width: 2, per: 2, rows: [][]float64{{1, 2}, {1, 2}, {1, bad}}}, m.Scales)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := EStep(context.Background(), m, s, 1); err == nil {
			t.Errorf("%v is counted", bad)
		}
	}
	if _, err := NewStream(pieces{height: 1, width: 3, per: 2}, m.Scales); err == nil {
		t.Error("a stream of another width is taken")
	}
}

// notes is a memory that fails after some values were kept, as a program that is killed.
type notes struct {
	values map[string][]byte
	left   int
}

var errKilled = errors.New("killed")

func (n *notes) Recall(key string) ([]byte, bool, error) {
	v, ok := n.values[key]
	return v, ok, nil
}

func (n *notes) Keep(key string, value []byte) error {
	if n.left--; n.left < 0 {
		return errKilled
	}
	n.values[key] = bytes.Clone(value)
	return nil
}

// TestGoesOn: a run that is killed again and again, each time a few steps later, comes to the model of a run that is
// not, and takes no step twice.
func TestGoesOn(t *testing.T) {
	rows := mixedRows(90, 4)
	for _, o := range []Options{{Starts: 2, Sample: 50}, {Starts: 1}} {
		src := pieces{height: 1, width: 6, per: 50, rows: rows}
		want := streamed(t, src, o)
		memory := &notes{values: map[string][]byte{}}
		o.Memory = memory
		var got *Result
		for lives := 0; got == nil; lives++ {
			before := len(memory.values)
			memory.left = 7
			r, err := LearnStream(context.Background(), src, o)
			if errors.Is(err, errKilled) {
				if len(memory.values) != before+7 || lives > 1000 {
					t.Fatalf("%d values after %d in life %d", len(memory.values), before, lives)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got = r
		}
		if !reflect.DeepEqual(got, want) {
			t.Error("a run that was interrupted gives another model")
		}
		// A memory of nonsense changes nothing.
		for key := range memory.values {
			memory.values[key] = []byte("nonsense")
		}
		memory.left = 1000
		if again, err := LearnStream(context.Background(), src, o); err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("with nonsense in the memory another model, or %v", err)
		}
	}
}

// failing are rows that end in an error.
type failing struct{ pieces }

func (f failing) Blocks(ctx context.Context) iter.Seq2[[][]float64, error] {
	return func(yield func([][]float64, error) bool) {
		for rows, err := range f.pieces.Blocks(ctx) {
			if !yield(rows, err) {
				return
			}
		}
		yield(nil, errKilled)
	}
}

func TestStreamErrors(t *testing.T) {
	ctx := context.Background()
	rows := quadrants(20, 2, 1, 1)
	if _, err := LearnStream(ctx, failing{pieces{height: 4, width: 4, per: 5, rows: rows}}, Options{}); !errors.Is(err,
		errKilled) {
		t.Errorf("the error of the rows is %v", err)
	}
	if _, err := LearnStream(ctx, pieces{height: 4, width: 4, per: 5}, Options{}); err == nil {
		t.Error("learned from no rows")
	}
	if _, err := LearnStream(ctx, pieces{height: 4, width: 3, per: 5, rows: rows}, Options{}); err == nil {
		t.Error("rows of another size are taken")
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := LearnStream(over, pieces{height: 4, width: 4, per: 5, rows: rows}, Options{}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("after the end %v", err)
	}
}

// FuzzTally: whatever is read as a tally is written the same, can be merged and gives a model or an error.
func FuzzTally(f *testing.F) {
	data, err := NewData(2, 2, [][]float64{{1, 2, 3, math.NaN()}, {2, 2, 5, 1}, {8, 9, 8, 9}, {8, 8, 8, 9}})
	if err != nil {
		f.Fatal(err)
	}
	m := &Model{Height: 2, Width: 2, Background: []Normal{{2, 1}, {2, 1}, {3, 1}, {4, 1}}, Scales: data.Scales,
		Pi:      []float64{.5},
		Experts: [][]Entry{{{MeanOnly, Normal{8, 1}}, {MeanAndVar, Normal{9, .5}}, {}, {}}}}
	tally, err := EStep(context.Background(), m, data, 1)
	if err != nil {
		f.Fatal(err)
	}
	text, _ := tally.MarshalBinary()
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add([]byte(fmt.Sprintf("%s\x01\x00\x00\x00", tallyMagic)))
	f.Fuzz(func(t *testing.T, in []byte) {
		var read Tally
		if err := read.UnmarshalBinary(in); err != nil {
			return
		}
		if out, _ := read.MarshalBinary(); !bytes.Equal(out, in) {
			t.Fatal("other bytes are written")
		}
		sum := NewTally(m)
		if sum.Merge(&read) != nil {
			return
		}
		next, err := sum.MStep(m)
		if err == nil {
			err = next.Check()
		} else if sum.Images == 0 {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
