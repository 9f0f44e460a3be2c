package learn_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// Numbers of starts that could not be kept are refused before any work.
func TestTooManyStarts(t *testing.T) {
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("101")}}
	for _, err := range learn.Run(t.Context(), data, patchwork.NewConfig(patchwork.RuleMax, 1, 3, pose.Grid{}),
		learn.Options{Experts: 1, Starts: learn.MaxStarts + 1}) {
		if err == nil {
			t.Fatal("accepted")
		}
	}
}

// TestPaperWeights: the paper's online learning takes weights as repetitions, and of a large one as long as of
// some hundreds.
func TestPaperWeights(t *testing.T) {
	images := []*bitmap.Image{bitmap.Parse("111000000"), bitmap.Parse("000000111"), bitmap.Parse("111000111")}
	pass := func(weight int64, alone bool) *patchwork.Model {
		t.Helper()
		var data patchwork.Data
		for _, img := range images {
			if !alone {
				data.Images, data.Weights = append(data.Images, img), append(data.Weights, weight)
				continue
			}
			for range weight {
				data.Images = append(data.Images, img)
			}
		}
		cfg := learn.PaperConfig(patchwork.RuleMax, 1, 9, pose.Grid{})
		m, err := learn.Learn(t.Context(), data, cfg, learn.Options{Experts: 2, Paper: true, Method: learn.MethodOnline,
			Starts: 1})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, weight := range []int64{1, 2, 60} {
		a, b := pass(weight, false), pass(weight, true)
		for k := range a.K() {
			if !slices.Equal(a.Template(k), b.Template(k)) {
				t.Errorf("weight %d: part %d is %v, and %v by repetition", weight, k, a.Template(k), b.Template(k))
			}
		}
	}
	const much = 500_000_000
	m, near := pass(much, false), pass(1500, true)
	if rows := m.Extras().Counts.Rows(); rows != 3*much {
		t.Errorf("%d rows are counted, want %d", rows, int64(3*much))
	}
	for k := range m.K() {
		for i, p := range m.Template(k) {
			if q := near.Template(k)[i]; p-q > .01 || q-p > .01 {
				t.Errorf("part %d, column %d: %v, and %v by repetition", k, i, p, q)
			}
		}
	}
}

// Online learning ends with its context, also in the middle of an image of large weight.
func TestOnlineStops(t *testing.T) {
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("110"), bitmap.Parse("011")}, Weights: []int64{1, 100}}
	for _, paper := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		for _, err := range learn.Run(ctx, data, patchwork.NewConfig(patchwork.RuleMax, 1, 3, pose.Grid{}),
			learn.Options{Experts: 1, Method: learn.MethodOnline, Starts: 1, Paper: paper}) {
			if steps++; steps == 1 {
				cancel()
			} else if !errors.Is(err, context.Canceled) {
				t.Errorf("paper %v: error %v", paper, err)
			}
		}
		cancel()
		if steps != 2 {
			t.Errorf("paper %v: %d steps", paper, steps)
		}
	}
}

// TestUntil: a run that is ended judges what it has only as long as it may, and then gives the best start
// without the poses of its parts.
func TestUntil(t *testing.T) {
	var data patchwork.Data
	for i := range 6 {
		img := bitmap.New(7, 7)
		for j := range 5 {
			img.Set(1+j, 2+i%3, true)
		}
		data.Images = append(data.Images, img)
	}
	shift := pose.Symmetric(1, 1)
	cfg := patchwork.NewConfig(patchwork.RuleMax, 7, 7, pose.Grid{DY: shift, DX: shift})
	for _, method := range []learn.Method{learn.MethodBoth, learn.MethodStrokes} {
		for _, given := range []bool{true, false} {
			ctx, cancel := context.WithCancelCause(t.Context())
			end, over := context.WithCancel(t.Context())
			if over(); !given {
				end = t.Context()
			}
			var last learn.Step
			for s, err := range learn.Run(learn.Until(ctx, end), data, cfg,
				learn.Options{Experts: 1, Method: method, Starts: 3}) {
				if err != nil {
					t.Fatal(err)
				}
				if last = s; s.Stage == learn.StageStart {
					cancel(learn.Enough)
				}
			}
			cancel(nil)
			if last.Model == nil || (last.Model.Extras().Geometry == nil) != given {
				t.Errorf("%v, ended %v: %v", method, given, last)
			}
		}
	}
}
