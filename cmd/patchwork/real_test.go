package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/workbench"
)

// greyBars writes grey.npz: images of 4 x 4 with any of two bars, and labels.
func greyBars(t *testing.T, n int) []float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	var x []float64
	var y []int64
	for range n {
		row, col := rng.IntN(2), rng.IntN(2)
		for i := range 16 {
			v := rng.NormFloat64()
			if row == 1 && i/4 == 1 || col == 1 && i%4 == 2 {
				v += 9
			}
			x = append(x, v)
		}
		y = append(y, int64(row+2*col))
	}
	f, err := os.Create("grey.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npy.WriteZip(f, npy.Store, npy.Member{Name: "x", Array: npy.New(x, n, 4, 4)},
		npy.Member{Name: "y", Array: npy.New(y, n)}); err != nil {
		t.Fatal(err)
	}
	return x
}

// arrayOf reads an array of an .npz file.
func arrayOf(t *testing.T, path, name string) *npy.Array {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := npy.ReadZip(bytes.NewReader(b), int64(len(b)), 0)
	if err != nil {
		t.Fatal(err)
	}
	a, err := z.Array(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRealImages: grey images are learned, and their codes are the truth; the model is the same for any number of
// workers.
func TestRealImages(t *testing.T) {
	t.Chdir(t.TempDir())
	x := greyBars(t, 80)
	var learned struct {
		For               string
		Experts           int
		LogLik            float64 `json:"log_lik"`
		DescriptionLength float64 `json:"description_length"`
		Seconds           float64
	}
	text := must(t, fields("learn grey.npz --column *=number -o m.npz --json")...)
	if err := json.Unmarshal([]byte(text), &learned); err != nil || learned.Experts != 2 || learned.For != "real" ||
		learned.DescriptionLength <= -learned.LogLik || learned.Seconds <= 0 {
		t.Fatalf("%s: %+v, %v", text, learned, err)
	}
	must(t, fields("learn grey.npz --column *=number -o m2.npz --workers 3 -q")...)
	if read(t, "m.npz") != read(t, "m2.npz") {
		t.Error("another model with three workers")
	}
	must(t, fields("explain -m m.npz grey.npz -o codes.npz")...)
	codes := arrayOf(t, "codes.npz", "codes")
	y, err := arrayOf(t, "codes.npz", "y").Int64s()
	if err != nil {
		t.Fatal(err)
	}
	m, err := modelfile.LoadWith("m.npz", "model", modelfile.ReadReal)
	if err != nil {
		t.Fatal(err)
	}
	bit := 0 // of the label, for part 0
	if e := m.Experts[0][2]; e.Vote != 0 && e.Mean > 4 {
		bit = 1
	}
	for i, code := range codes.Data.([]uint8) {
		if want := y[i/2] >> ((i + bit) % 2) & 1; int64(code) != want {
			t.Fatalf("image %d, part %d: code %d, truth %d", i/2, i%2, code, want)
		}
	}
	for _, line := range strings.Split(
		strings.TrimSpace(must(t, fields("explain -m m.npz grey.npz --where y=3 --rows :2")...)), "\n") {
		var l struct {
			Index  int
			Picks  []struct{ Gain float64 }
			Start  float64 `json:"start_log_lik"`
			LogLik float64 `json:"log_lik"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || y[l.Index] != 3 ||
			len(l.Picks) != 2 || l.LogLik < l.Start {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, path := range []string{"drawn.png", "sampled.png"} {
		switch path {
		case "drawn.png":
			must(t, fields("show m.npz -o drawn.png")...)
		case "sampled.png":
			must(t, fields("sample -m m.npz -n 4 -o sampled.png")...)
		}
		if _, err := png.Decode(strings.NewReader(read(t, path))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	must(t, fields("sample -m m.npz -n 300 --seed 2 -o s.npz")...)
	sampled := arrayOf(t, "s.npz", "x")
	if len(sampled.Shape) != 3 || sampled.Shape[0] != 300 {
		t.Fatalf("samples of shape %v", sampled.Shape)
	}
	if a, b := mean(sampled.Data.([]float64)), mean(x); math.Abs(a-b) > .5 {
		t.Errorf("mean %v of samples, %v of the data", a, b)
	}
	if text := must(t, fields("show m.npz")...); !strings.Contains(text, "part 1") {
		t.Errorf("the terminal shows %q", text)
	}
}

func mean(values []float64) float64 { return sum(values) / float64(len(values)) }

// TestRealPredictions: unknown pixels of grey images are filled in, near the truth.
func TestRealPredictions(t *testing.T) {
	t.Chdir(t.TempDir())
	x := greyBars(t, 80)
	must(t, fields("learn grey.npz --column *=number -o m.npz -q")...)
	hidden := append([]float64(nil), x...)
	for i := 0; i < len(hidden); i += 5 {
		hidden[i] = math.NaN()
	}
	f, err := os.Create("gaps.npy")
	if err != nil {
		t.Fatal(err)
	}
	if err := npy.Write(f, npy.New(hidden, 80, 4, 4)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	must(t, fields("predict -m m.npz gaps.npy -o filled.npz")...)
	filled, deviation := arrayOf(t, "filled.npz", "x").Data.([]float64),
		arrayOf(t, "filled.npz", "deviation").Data.([]float64)
	off, n := 0.0, 0
	for i, v := range filled {
		if i%5 != 0 {
			if v != hidden[i] && math.Abs(v-hidden[i]) > 1e-5 || deviation[i] != 0 {
				t.Fatalf("known value %v became %v ± %v", hidden[i], v, deviation[i])
			}
			continue
		}
		off += (v - x[i]) * (v - x[i])
		n++
	}
	if rmse := math.Sqrt(off / float64(n)); rmse > 1.6 {
		t.Errorf("error %v, the noise has deviation 1", rmse)
	}
	text := must(t, fields("predict -m m.npz gaps.npy --cells --rows :2 -o -")...)
	if lines := strings.Split(strings.TrimSpace(text), "\n"); lines[0] != "row,y,x,value,deviation,low,high" ||
		len(lines) != 8 {
		t.Errorf("cells:\n%s", text)
	}
	var score struct {
		Images int
		Hidden struct {
			RMSE, Inside float64
			Base         float64 `json:"background_rmse"`
		}
	}
	text = must(t, fields("score -m m.npz grey.npz --hide 0.2 --seed 1 --json -q -o rows.csv")...)
	if err := json.Unmarshal([]byte(text), &score); err != nil || score.Images != 80 ||
		score.Hidden.RMSE >= score.Hidden.Base {
		t.Errorf("%+v, %v", score, err)
	}
	if lines := strings.Split(read(t, "rows.csv"), "\n"); lines[0] != "y,row,log_lik,picks,pixels" || len(lines) != 82 {
		t.Errorf("rows.csv begins with %q and has %d lines", lines[0], len(lines))
	}
	var info struct{ Experts, Height int }
	if err := json.Unmarshal([]byte(must(t, fields("show m.npz --json")...)), &info); err != nil || info.Experts != 2 ||
		info.Height != 4 {
		t.Errorf("%+v, %v", info, err)
	}
}

// What is shown of learning real values: where it is, and the best that a start has ended with.
func TestRealProgress(t *testing.T) {
	bar := &progress{}
	l := &learning{Learning: &workbench.Learning{Numbers: &real.Options{}}, source: &source{}, bar: bar, best: math.Inf(1)}
	for _, c := range []struct {
		start, parts int
		stage        string
		length       float64
		want         string
	}{
		{0, 1, "grow", 7, "1 part"},
		{0, 2, "end", 90.25, "2 parts, best description length 90.2 nats"},
		{1, 4, "grow", 8, "4 parts, best description length 90.2 nats"},
		{2, 4, "end", 80, "4 parts, best description length 80.0 nats"},
	} {
		l.show(&workbench.Step{Start: c.start, Starts: 3, CurvePoint: patchwork.CurvePoint{Stage: c.stage,
			Experts: c.parts, DescriptionLength: c.length}})
		if bar.note != c.want || bar.done != c.start || bar.total != 3 {
			t.Errorf("%q of start %d of %d, want %q", bar.note, bar.done, bar.total, c.want)
		}
	}
	l.bar = nil // in a pipe
	l.show(&workbench.Step{})
}
