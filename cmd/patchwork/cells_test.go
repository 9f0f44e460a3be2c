package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/posterior"
)

// gaps writes rows.npz, 300 rows of 20 columns with labels and hidden bits.
func gaps(t *testing.T) *dataset.Set {
	t.Helper()
	votes(t)
	set := readSet(t, "x.npz").Take(300)
	for i := range set.Images {
		if i%3 != 1 { // some rows are complete
			set.Images[i] = posterior.Exclusive(nil).Hide(set.Images[i], 0.2, 5, i)
		}
	}
	if err := saveSet("gaps.npz", set); err != nil {
		t.Fatal(err)
	}
	return set
}

// A cell of --cells is the cell that predict fills in, and every unknown cell is there.
func TestCellsAreThePredictions(t *testing.T) {
	t.Chdir(t.TempDir())
	set := gaps(t)
	full, err := csv.NewReader(strings.NewReader(must(t, fields("predict -m m.npz gaps.npz -o -")...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	text := must(t, fields("predict -m m.npz gaps.npz --cells -o -")...)
	got, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || strings.Join(got[0], ",") != "row,column,probability,label" {
		t.Fatalf("header %v, %v", got[0], err)
	}
	at := 1
	for i, img := range set.Images {
		for j, known := range img.AppendKnown(nil) {
			if known != 0 {
				continue
			}
			want, err := strconv.ParseFloat(full[i+1][3+j], 64) // after index, weight, label
			if err != nil {
				t.Fatal(err)
			}
			p, err := strconv.ParseFloat(got[at][2], 64)
			if err != nil || math.Abs(p-want) > 1e-6 || got[at][0] != strconv.Itoa(i+1) || got[at][1] != strconv.Itoa(j+1) ||
				got[at][3] != strconv.Itoa(i%5) {
				t.Fatalf("cell %d is %v, %v; want %v of row %d and column %d", at, got[at], err, want, i+1, j+1)
			}
			at++
		}
	}
	if at != len(got) || at < 500 {
		t.Errorf("%d cells, %d of them expected", len(got)-1, at-1)
	}
	if streamed := must(t, fields("predict -m m.npz gaps.npz --cells -o - --workers 7")...); streamed != text {
		t.Error("7 workers write other bytes")
	}
}

// The cells are the same in every format, streamed or not.
func TestCellsInEveryFormat(t *testing.T) {
	t.Chdir(t.TempDir())
	gaps(t)
	for _, f := range outputFormats["predict --cells"] {
		must(t, fields("predict -m m.npz gaps.npz --cells -o want"+f)...)
		must(t, fields("predict -m m.npz gaps.npz --cells --memory 64KiB -q --workers 2 -o got"+f)...)
		if read(t, "got"+f) != read(t, "want"+f) {
			t.Errorf("%s: streamed it has other bytes", f)
		}
	}
	names, a := arraysOf(t, "want.npz")
	if strings.Join(names, " ") != "row column probability label" {
		t.Fatalf("arrays %v", names)
	}
	lines := strings.Split(strings.TrimSpace(read(t, "want.jsonl")), "\n")
	if len(lines) != a["row"].Len() {
		t.Fatalf("%d lines, %d rows", len(lines), a["row"].Len())
	}
	for i, text := range lines {
		var l struct {
			Row         int64
			Column      string
			Probability float64
			Label       int64
		}
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(l)
		want := fmt.Sprintf("{%d %s %v %d}", a["row"].Data.([]int64)[i], a["column"].Data.([]string)[i],
			rounded(a["probability"].Data.([]float64)[i]), a["label"].Data.([]int64)[i])
		if got != want {
			t.Fatalf("line %d is %s, the arrays have %s", i, got, want)
		}
	}
}

// Cells of images have a place, and with --all there is one for every pixel.
func TestCellsOfImages(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	set := readSet(t, "t.npz").Take(3)
	set.Images[1] = posterior.Exclusive(nil).Hide(set.Images[1], 0.1, 1, 1)
	if err := saveSet("h.npz", set); err != nil {
		t.Fatal(err)
	}
	must(t, fields("predict -m model.npz h.npz --cells -o c.npz")...)
	_, a := arraysOf(t, "c.npz")
	known := set.Images[1].AppendKnown(nil)
	ys, xs := a["y"].Data.([]int64), a["x"].Data.([]int64)
	unknown := 0
	for _, k := range known {
		if k == 0 {
			unknown++
		}
	}
	if len(ys) != unknown || unknown == 0 {
		t.Fatalf("%d cells of %d unknown pixels", len(ys), unknown)
	}
	for i := range ys {
		if known[24*ys[i]+xs[i]] != 0 || a["row"].Data.([]int64)[i] != 2 {
			t.Errorf("the pixel at %d, %d of row %d is known", ys[i], xs[i], a["row"].Data.([]int64)[i])
		}
	}
	must(t, fields("predict -m model.npz h.npz --cells --all -o all.npz")...)
	if _, a := arraysOf(t, "all.npz"); a["probability"].Len() != 3*24*24 {
		t.Errorf("%d cells with --all", a["probability"].Len())
	}
}

// Without an unknown cell there is a header alone.
func TestNoCells(t *testing.T) {
	t.Chdir(t.TempDir())
	votes(t)
	if got := must(t, fields("predict -m m.npz x.npz --rows :5 --cells -o -")...); got !=
		"row,column,probability,label\n" {
		t.Errorf("got %q", got)
	}
}
