package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// A table of answers gets a table of pictures, and a model that other commands read.
func TestAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	file := testenv.Shared(t, "data/questionnaires/LSAT.csv")
	var got picturesLearned
	if err := json.Unmarshal([]byte(must(t, "learn", file, "--for", "answers", "-o", "m.npz", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Pick != "level" || got.Written != "level" || len(got.Pictures) != 5 || got.Pictures[0].Kind != "level" ||
		got.Pictures[0].Numbers != 6 || !(got.Pictures[0].HeldOut < -2.4 && got.Pictures[0].HeldOutSE > 0) {
		t.Errorf("%+v", got)
	}
	if x := got.Indices["level"]; x == nil || x.Hermite == nil || !(x.BIC > 4900) || len(x.Difficulty) != 5 ||
		len(x.Residuals) != 10 || got.Indices["classes"].Sizes == nil {
		t.Errorf("%+v", got.Indices)
	}
	for _, line := range []string{"score -m m.npz", "explain -m m.npz -o out.csv", "predict -m m.npz --rows :20 -o cells.csv"} {
		must(t, append(strings.Fields(line), file)...)
	}
	must(t, "sample", "-m", "m.npz", "-n", "10", "-o", "drawn.csv")
	if head, _, _ := strings.Cut(read(t, "out.csv"), "\n"); head != "row,log_lik,level,level_error" {
		t.Error(head)
	}
	var scores struct {
		Length float64 `json:"description_length"`
		LogLik float64 `json:"log_lik"`
	}
	if err := json.Unmarshal([]byte(must(t, "score", "-m", "m.npz", file, "--json")), &scores); err != nil ||
		math.Abs(scores.Length-got.DescriptionLength) > 1e-9*scores.Length || math.Abs(scores.LogLik-got.LogLik) > 1e-6 {
		t.Errorf("learned %v nats, %v; scored %+v: %v", got.DescriptionLength, got.LogLik, scores, err)
	}
	if o := patchworkCommand(t, "learn", file, "--for", "answers", "-k", "3..5", "-o", "m.npz"); o.code != 2 ||
		!strings.Contains(o.err, "finds out how many parts") {
		t.Errorf("%+v", o)
	}
}

// A matrix of items and skills is checked by the names of both, and is what the file holds.
func TestAnswersMatrix(t *testing.T) {
	t.Chdir(t.TempDir())
	file := testenv.Shared(t, "data/questionnaires/LSAT.csv")
	matrix := "item,reading,logic\nItem 5,1,0\nItem 4,0,1\nItem 3,1,1\nItem 2,0,1\nItem 1,1,0\n"
	write(t, "q.csv", matrix)
	var got picturesLearned
	if err := json.Unmarshal([]byte(must(t, "learn", file, "--for", "answers", "--q", "q.csv", "-o", "m.npz", "--json")),
		&got); err != nil {
		t.Fatal(err)
	}
	if got.Matrix == nil || got.Matrix.Unsupported == nil || got.Matrix.Missing == nil || got.Written != "skills" ||
		got.Experts != 2 || !strings.Contains(got.Notes[0], "in doubt: level") {
		t.Errorf("%+v", got)
	}
	if said := must(t, "show", "m.npz"); !strings.Contains(said, "without reading") {
		t.Error(said)
	}
	must(t, "explain", "-m", "m.npz", file, "-o", "persons.csv")
	if said := read(t, "persons.csv"); !strings.Contains(said, "p:reading,p:logic,profile") ||
		!strings.Contains(said, "has logic; lacks reading") {
		t.Error(said[:300])
	}
	for bad, why := range map[string]string{strings.Replace(matrix, "Item 5", "Item 9", 1): "no column Item 9",
		strings.Replace(matrix, "Item 5", "Item 4", 1): "does not say what Item 5", "a\n1\n": "1 rows of items",
		strings.Replace(matrix, "0,1", "0,2", 1): "neither 0 nor 1"} {
		write(t, "bad.csv", bad)
		if o := patchworkCommand(t, "learn", file, "--for", "answers", "--q", "bad.csv", "-o", "n.npz"); o.code != 2 ||
			!strings.Contains(o.err, why) {
			t.Errorf("%q: %+v", bad, o)
		}
	}
	if o := patchworkCommand(t, "learn", file, "--for", "answers", "--q", "q.csv", "-o", "q.csv"); o.code != 2 ||
		read(t, "q.csv") != matrix {
		t.Errorf("%+v", o)
	}
	if o := patchworkCommand(t, "learn", file, "--q", "q.csv", "-o", "n.npz"); o.code != 2 {
		t.Errorf("%+v", o)
	}
}
