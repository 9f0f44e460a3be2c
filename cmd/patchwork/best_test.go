package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork/posterior"
	"example.com/patchwork/workbench"

	"github.com/google/go-cmp/cmp"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/modelfile"
)

// posteriorLine is a line of explain --best as other programs read it.
type posteriorLine struct {
	line
	Evidence     *float64 `json:"evidence"`
	Alternatives []struct {
		Picks       []map[string]any `json:"picks"`
		LogLikModel *float64         `json:"log_lik_model"`
		LogJoint    *float64         `json:"log_joint"`
		Weight      float64          `json:"weight"`
	} `json:"alternatives"`
}

// The lines of explain --best are what the library returns, given the flags.
func TestExplainBestIsTheLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	out := must(t, fields("explain -m model.npz t.npz --rows 10: --best 4 --max-picks 2 --shift 3 --picture p.png -q")...)
	m, err := modelfile.Load("model.npz")
	if err != nil {
		t.Fatal(err)
	}
	c := m.Config()
	c.Poses.DY.Min, c.Poses.DY.Max, c.Poses.DX.Min, c.Poses.DX.Max = -3, 3, -3, 3
	if m, err = m.WithConfig(c); err != nil {
		t.Fatal(err)
	}
	n, err := posterior.NewSearcher(m, posterior.Options{Beam: 3, Keep: 4, MaxPicks: 2})
	if err != nil {
		t.Fatal(err)
	}
	images := readSet(t, "t.npz").Images
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 || !exists("p.png") {
		t.Fatalf("%d lines for 3 images, picture %t", len(lines), exists("p.png"))
	}
	for j, text := range lines {
		want, err := n.Explain(images[9+j])
		if err != nil {
			t.Fatal(err)
		}
		var l posteriorLine
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		best := want.Alternatives[0]
		if *l.Index != 9+j || *l.LogLik != readable(best.LogLik) || *l.StartLogLik != readable(best.StartLogLik) ||
			*l.Evidence != readable(want.Evidence) || len(l.Alternatives) != 4 {
			t.Fatalf("line %d is %s; the library says %+v", j, text, want)
		}
		for i, a := range want.Alternatives {
			got := l.Alternatives[i]
			if *got.LogJoint != readable(a.LogJoint) || *got.LogLikModel != readable(a.LogLikModel) ||
				got.Weight != readable(a.Weight) || len(got.Picks) != len(a.Picks) {
				t.Errorf("line %d, alternative %d: %+v, the library says %+v", j, i, got, a)
			}
		}
		if diff := cmp.Diff(l.Picks, l.Alternatives[0].Picks); diff != "" {
			t.Errorf("line %d: the best alternative differs from the line's picks: %s", j, diff)
		}
	}
}

func readSet(t *testing.T, path string) *dataset.Set {
	t.Helper()
	set, err := dataset.Read([]string{path}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Commands that average explanations write the same bytes with any number of workers.
func TestWorkersChangeNoPrediction(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	holes := readSet(t, "t.npz")
	for i, img := range holes.Images {
		holes.Images[i] = posterior.Exclusive(nil).Hide(img, 0.3, 5, i)
	}
	if err := saveSet("holes.npz", holes); err != nil {
		t.Fatal(err)
	}
	for _, l := range []string{
		"explain -m model.npz holes.npz --best 3",
		"predict -m model.npz holes.npz -o -",
		"predict -m model.npz holes.npz --best 2 --all -o out.npz",
		"score -m model.npz t.npz --hide 0.2 --seed 1 --json",
	} {
		var first string
		for _, workers := range []string{"1", "2", "7"} {
			got := must(t, append(fields(l), "--workers", workers)...)
			if strings.Contains(l, "out.npz") {
				got = read(t, "out.npz")
			}
			if first == "" {
				first = got
			}
			if got == "" || got != first {
				t.Errorf("%s: %d bytes on %s workers differ from the %d of one", l, len(got), workers, len(first))
			}
		}
	}
}

// Predictions are the library's: known bits stay, unknown ones are averaged; an
// archive and a table hold the same numbers, with index, weights and metadata.
func TestPredictIsTheLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	set := readSet(t, "t.npz")
	set.Weights = make([]int64, set.Len())
	for i, img := range set.Images {
		set.Images[i], set.Weights[i] = posterior.Exclusive(nil).Hide(img, 0.3, 5, i), int64(i)
	}
	if err := saveSet("holes.npz", set); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{"", " --all"} {
		must(t, fields("predict -m model.npz holes.npz --where y=L --rows :2 --best 5 -o out.npz"+flags)...)
		must(t, fields("predict -m model.npz holes.npz --where y=L --rows :2 --best 5 -o out.csv"+flags)...)
		z := openZip(t, "out.npz")
		x := z("x")
		if !slices.Equal(x.Shape, []int{2, 24, 24}) {
			t.Fatalf("shape %v", x.Shape)
		}
		index, weight, y := z("index").Data.([]int64), z("weight").Data.([]int64), z("y").Strings()
		if !slices.Equal(index, []int64{1, 3}) || !slices.Equal(weight, []int64{1, 3}) ||
			!slices.Equal(y, []string{"L", "L"}) {
			t.Errorf("index %v, weight %v, y %v", index, weight, y)
		}
		m, err := modelfile.Load("model.npz")
		if err != nil {
			t.Fatal(err)
		}
		table, err := csv.NewReader(strings.NewReader(read(t, "out.csv"))).ReadAll()
		if err != nil || len(table) != 3 || table[0][0] != "index" || table[0][1] != "weight" ||
			!slices.Contains(table[0], "y23x23") {
			t.Fatalf("table of %d lines, %v", len(table), err)
		}
		for j, i := range []int{1, 3} {
			want := predicted(t, m, set.Images[i], flags == "")
			got := x.Data.([]float64)[j*24*24 : (j+1)*24*24]
			if !slices.Equal(got, want) {
				t.Errorf("image %d%s: the archive differs from the library", i, flags)
			}
			cells := table[1+j][len(table[0])-24*24:]
			for k, cell := range cells {
				if v, err := strconv.ParseFloat(cell, 64); err != nil || v != want[k] {
					t.Fatalf("image %d%s, pixel %d: %q in the table, want %v", i, flags, k, cell, want[k])
				}
			}
		}
	}
}

func predicted(t *testing.T, m *patchwork.Model, img *bitmap.Image, fill bool) []float64 {
	t.Helper()
	n, err := posterior.NewSearcher(m, posterior.Options{Beam: 1, Keep: 5})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := n.Predict(img)
	if err != nil {
		t.Fatal(err)
	}
	if fill {
		return posterior.Fill(img, p)
	}
	return p
}

// openZip returns a function that returns the arrays of an archive by name.
func openZip(t *testing.T, path string) func(name string) *npy.Array {
	t.Helper()
	text := read(t, path)
	z, err := npy.ReadZip(strings.NewReader(text), int64(len(text)), 0)
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) *npy.Array {
		t.Helper()
		a, err := z.Array(name)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// Metadata with the name of one of our arrays is renamed, not lost.
func TestPredictKeepsMetadataOfAnyName(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "bars", "--n", "10", "-o", "bars.npz", "-q")
	must(t, "learn", "bars.npz", "-k", "2", "-o", "m.npz", "-q")
	x := make([]uint8, 2*5*5)
	save(t, "d.npz", npy.Member{Name: "x", Array: npy.New(x, 2, 5, 5)},
		npy.Member{Name: "index", Array: npy.New([]int64{7, 8}, 2)})
	must(t, "predict", "-m", "m.npz", "d.npz", "-o", "out.npz")
	z := openZip(t, "out.npz")
	if a, b := z("index").Data.([]int64), z("index_").Data.([]int64); !slices.Equal(a, []int64{0, 1}) ||
		!slices.Equal(b, []int64{7, 8}) {
		t.Errorf("index %v, index_ %v", a, b)
	}
}

// The score of hidden bits is the library's, and the baseline is the mean of the
// visible bits of each column, computed here by hand.
func TestScoreHiddenBits(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "quadrants", "--n", "60", "--seed", "3", "-o", "q.npz", "-q")
	must(t, "learn", "q.npz", "-k", "4", "--rule", "max-minus-min", "--starts", "2", "-o", "m.npz", "-q")
	var s struct {
		workbench.Scores
		Hidden *workbench.HiddenBits `json:"hidden"`
	}
	if err := json.Unmarshal([]byte(must(t, fields("score -m m.npz q.npz --hide 0.25 --seed 4 --json")...)),
		&s); err != nil {
		t.Fatal(err)
	}
	m, err := modelfile.Load("m.npz")
	if err != nil {
		t.Fatal(err)
	}
	set := readSet(t, "q.npz")
	visible := make([]*bitmap.Image, set.Len())
	on, seen := make([]float64, 36), make([]float64, 36)
	for i, img := range set.Images {
		visible[i] = posterior.Exclusive(nil).Hide(img, .25, 4, i)
		bits, known := visible[i].AppendBytes(nil), visible[i].AppendKnown(nil)
		for j := range on {
			on[j] += float64(bits[j]) * float64(known[j])
			seen[j] += float64(known[j])
		}
	}
	want, err := posterior.Score(t.Context(), m, posterior.HiddenBits{Data: set.Data, Visible: visible},
		posterior.Options{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	loss, hidden := 0.0, 0.0
	for i, img := range set.Images {
		truth, known := img.AppendBytes(nil), visible[i].AppendKnown(nil)
		for j := range truth {
			if p := (on[j] + .5) / (seen[j] + 1); known[j] == 0 {
				hidden++
				loss -= math.Log(map[bool]float64{true: p, false: 1 - p}[truth[j] == 1])
			}
		}
	}
	h := s.Hidden
	if h.Averaged.LogLoss != want.Averaged.LogLoss || h.Averaged.AUC != want.Averaged.AUC ||
		h.Single.LogLoss != want.Single.LogLoss || h.Single.Accuracy != want.Single.Accuracy || h.Bits != int64(hidden) ||
		h.Weight != 60 {
		t.Errorf("%+v, the library says %+v", h, want)
	}
	if math.Abs(float64(h.Marginal.LogLoss)-loss/hidden) > 1e-5 {
		t.Errorf("baseline %v, want %v", h.Marginal.LogLoss, loss/hidden)
	}
	if !(h.Averaged.LogLoss < h.Marginal.LogLoss) {
		t.Errorf("averaged %v is no better than the baseline %v", h.Averaged.LogLoss, h.Marginal.LogLoss)
	}
	if bits := float64(*s.Length) / 60 / math.Ln2; math.Abs(float64(*s.BitsPerImage)-bits) > 1e-9 ||
		!(bits > float64(s.CrossEntropy)/math.Ln2) {
		t.Errorf("description length %v nats, %v bits an image; cross-entropy %v nats", *s.Length, *s.BitsPerImage,
			s.CrossEntropy)
	}
}

// Values that are not numbers are null: an infinite loss, the AUC of bits that are all
// equal.
func TestScoreHiddenWithoutNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	sure, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 4}, [][]float64{{0, 0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("m.npz", sure); err != nil {
		t.Fatal(err)
	}
	write(t, "x.csv", "1,1,1,1\n1,1,1,1\n")
	out := must(t, fields("score -m m.npz x.csv --hide 0.5 --json")...)
	const want = `"averaged":{"log_loss":null,"accuracy":0,"auc":null,"impossible":4}`
	if !json.Valid([]byte(out)) || !strings.Contains(out, want) || !strings.Contains(out, `"description_length":null`) {
		t.Errorf("%s lacks %s", out, want)
	}
	if text := must(t, fields("score -m m.npz x.csv --hide 0.5")...); !strings.Contains(text, "+Inf") ||
		strings.Contains(text, "AUC") {
		t.Errorf("for people:\n%s", text)
	}
}
