package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render/report"
	"example.com/patchwork/workbench"
)

// water is a model of four measurements: part 0 is salty and shallow, part 1 warm and sour.
func water() *real.Model {
	mean := func(x float64) real.Entry { return real.Entry{Vote: real.MeanOnly, Normal: real.Normal{Mean: x}} }
	none := real.Entry{}
	return &real.Model{Height: 1, Width: 4,
		Names: []string{"salty", ""}, Pi: []float64{.3, .3},
		Background: []real.Normal{{Mean: 20, Var: 1}, {Mean: 7, Var: .04}, {Mean: 98, Var: 40}, {Mean: 3, Var: .3}},
		Experts: [][]real.Entry{{none, none, mean(30), {Vote: real.MeanAndVar, Normal: real.Normal{Mean: 9, Var: .04}}},
			{mean(27), mean(5.5), none, none}}}
}

// readings are rows of water: who is what is in the label; row 5 lacks its salt, and the temperature of row 7 is a
// slip.
func readings(t *testing.T) *dataset.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "water.csv")
	text := `kind,temp,ph,<depth>,salt
plain,20.1,7.1,97,3.2
salty,19.8,6.9,31,9.1
warm,27.3,5.4,99,2.9
both,26.9,5.6,29,8.9
salty,20.2,7.0,30,
plain,20.4,6.9,96,3.1
plain,35.5,7.2,98,2.8
plain,20.2,7.0,97,3.0
plain,19.7,7.1,95,3.3
`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return values(t, path, "kind")
}

func values(t *testing.T, path string, labels ...string) *dataset.Set {
	t.Helper()
	opt := dataset.Options{Kind: dataset.Number}
	for _, name := range labels {
		opt.Edits = append(opt.Edits, dataset.Edit{Column: name, Want: "label"})
	}
	v, err := dataset.Read([]string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkReal checks that the page has some texts and nothing raw, that the JSON is valid and that tables have one width.
func checkReal(t *testing.T, r *report.Report, texts ...string) {
	t.Helper()
	var page bytes.Buffer
	if err := r.WriteHTML(&page, "Real"); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if !strings.Contains(page.String(), text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	for _, text := range []string{"<depth>", ">NaN", "ZgotmplZ", "%!"} {
		if strings.Contains(page.String(), text) {
			t.Errorf("the page has %q", text)
		}
	}
	if text, err := json.Marshal(r); err != nil || !json.Valid(text) {
		t.Errorf("JSON: %v", err)
	}
	for _, table := range r.Tables() {
		if !slices.Contains(report.TableNames(), table.Name) {
			t.Errorf("no file is kept for table %s", table.Name)
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Rows[0]) {
				t.Errorf("table %s has rows of %d and %d cells", table.Name, len(table.Rows[0]), len(row))
			}
		}
	}
}

// TestRealAnyWorkers: the report is the same for any number of workers.
func TestRealAnyWorkers(t *testing.T) {
	var pages []string
	for _, workers := range []int{0, 1, 5} {
		r, err := report.Build(context.Background(), workbench.Numbers{Model: water()}, readings(t),
			report.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		r.Source = "water.csv"
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(text))
	}
	if pages[0] != pages[1] || pages[1] != pages[2] {
		t.Error("reports differ with the number of workers")
	}
}

// TestRealImages: grey images with unknown pixels, parts that move, and no parts.
func TestRealImages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, 10*16)
	for i := range x {
		x[i] = rng.NormFloat64()
		if i/16%2 == 0 && i%4 == 1 {
			x[i] += 9
		}
	}
	x[5] = math.NaN()
	path := filepath.Join(t.TempDir(), "x.npy")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := npy.Write(f, npy.New(x, 10, 4, 4)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	bar := make([]real.Entry, 16)
	for i := range bar {
		if i%4 == 2 {
			bar[i] = real.Entry{Vote: real.MeanOnly, Normal: real.Normal{Mean: 9}}
		}
	}
	m := &real.Model{Height: 4, Width: 4, Background: slices.Repeat([]real.Normal{{Mean: 0, Var: 1}}, 16),
		Experts: [][]real.Entry{bar}}
	m.Poses.DX.Min, m.Poses.DX.Max, m.Poses.DX.Step = -1, 1, 1
	r, err := report.Build(context.Background(), workbench.Numbers{Model: m}, values(t, path), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Parts[0].Rows != 5 || r.Unknown != 1 {
		t.Errorf("the bar is in %d of 5 images; %d pixels are unknown", r.Parts[0].Rows, r.Unknown)
	}
	checkReal(t, r, "which may be moved", "Explanations", "The strangest images", "4 pixels brighter, 0 darker",
		"Samples drawn")
	m.Experts = nil
	if r, err = report.Build(context.Background(), workbench.Numbers{Model: m}, values(t, path), report.Options{}); err !=
		nil {
		t.Fatal(err)
	}
	checkReal(t, r, "There is no part")
	if _, err := report.Build(context.Background(), workbench.Numbers{Model: water()}, values(t, path),
		report.Options{}); err == nil {
		t.Error("images were explained by a model of a table")
	}
}
