package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
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
	_, bare, _ := strings.Cut(read(t, file), "\n")
	write(t, "bare.csv", bare) // columns without names
	write(t, "bare-q.csv", "a\n1\n1\n1\n1\n1\n")
	must(t, "report", "-m", "m.npz", file, "-o", "r.html")
	if page := read(t, "r.html"); !strings.Contains(page, "The picture of the answers") ||
		strings.Count(page, "<polyline") != 5 || strings.Contains(page, "0 parts explain") {
		t.Error("the page does not show the curves of the items")
	}
	for table, head := range map[string]string{"items": "item,difficulty,slope\nItem 1,-3.569,0.765",
		"persons": "row,name,profile,level,level_error\n1,row 1,,-1.7582,0.665252", "indices": "index,value\nlog-likelihood,-2466.976",
		"residuals": "item_a,item_b,bivariate_residual\nItem 1,Item 3,1.2"} {
		if got := read(t, "r-"+table+".csv"); !strings.HasPrefix(got, head) {
			t.Errorf("%s: %s", table, got[:min(len(got), 100)])
		}
	}
	must(t, "learn", file, "--for", "answers", "--q", "bare-q.csv", "-o", "q.npz", "-q")
	must(t, "report", "-m", "q.npz", file, "-o", "q.html")
	if page := read(t, "q.html"); !strings.Contains(page, "Who has which") ||
		strings.Contains(page, "Do not rely") {
		t.Error("the page does not show who has which skill")
	}
	var scores struct {
		Length float64 `json:"description_length"`
		LogLik float64 `json:"log_lik"`
	}
	if err := json.Unmarshal([]byte(must(t, "score", "-m", "m.npz", file, "--json")), &scores); err != nil ||
		math.Abs(scores.Length-got.DescriptionLength) > 1e-9*scores.Length || math.Abs(scores.LogLik-got.LogLik) > 1e-6 {
		t.Errorf("learned %v nats, %v; scored %+v: %v", got.DescriptionLength, got.LogLik, scores, err)
	}
	said := must(t, "learn", "bare.csv", "--header", "no", "--for", "answers", "--q", "bare-q.csv", "-o", "b.npz")
	if !strings.Contains(said, "column 1 and column 3 go together") {
		t.Error(said)
	}
	if o := patchworkCommand(t, "learn", file, "--for", "answers", "-k", "3..5", "-o", "m.npz"); o.code != 2 ||
		!strings.Contains(o.err, "finds out how many parts") {
		t.Errorf("%+v", o)
	}
}

// A key tells right answers from wrong ones, also those that only new rows have; scales are cut in two.
func TestAnswersKey(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	var rows strings.Builder
	rows.WriteString("id,q1,q2,q3,q4,q5,q6\n")
	for i := range 120 {
		fmt.Fprintf(&rows, "p%d", i)
		good := rng.IntN(2)
		for d := range 6 {
			answer := string("BCDE"[rng.IntN(4)])
			if rng.IntN(10) < 2+6*good {
				answer = "A"
			} else if rng.IntN(10) == 0 && d > 0 {
				answer = ""
			}
			rows.WriteString("," + answer)
		}
		rows.WriteString("\n")
	}
	write(t, "test.csv", rows.String())
	write(t, "key.csv", "item,answer\nq1,A\nq2,a\nq3,A\nq4,A\nq5,A\nq6,A\nz,B\n")
	write(t, "row.csv", "q1,q2,q3,q4,q5,q6,z\nA,a,A,A,A,A,B\n")
	model := ""
	for i, key := range []string{"key.csv", "row.csv", ",A,a,A,A,A,A"} {
		o := patchworkCommand(t, "learn", "test.csv", "--for", "answers", "--key", key, "-o", "m.npz")
		if o.code != 0 || strings.Contains(o.err, "also of z, which the table does not have") != (i < 2) {
			t.Fatalf("%s: %+v", key, o)
		}
		if got := read(t, "m.npz"); i > 0 && got != model {
			t.Errorf("%s: another model", key)
		} else {
			model = got
		}
	}
	write(t, "new.csv", "q6,q5,q4,q3,q2,q1,id\nA,A,F,a,,A,n1\n")
	if o := patchworkCommand(t, "explain", "-m", "m.npz", "new.csv", "-o", "out.csv"); strings.Contains(o.err, "unknown") {
		t.Errorf("%+v", o)
	}
	for bad, why := range map[string]string{"none.csv": "no such file", "test.csv": "is no key"} {
		if o := patchworkCommand(t, "learn", "test.csv", "--for", "answers", "--key", bad, "-o", "n.npz"); o.code != 2 ||
			!strings.Contains(o.err, why) {
			t.Errorf("%s: %+v", bad, o)
		}
	}
	for file, said := range map[string]string{"Science": "yes is strongly agree in Comfort", "gss82": "yes is Good in PURPOSE"} {
		o := patchworkCommand(t, "learn", testenv.Shared(t, "data/questionnaires/"+file+".csv"), "--for", "answers", "-o", "m.npz")
		if o.code != 0 || !strings.Contains(o.err, said) {
			t.Errorf("%s: %+v", file, o)
		}
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
