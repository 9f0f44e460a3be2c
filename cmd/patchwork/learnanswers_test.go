package main

import (
	"encoding/json"
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
	for _, line := range []string{"score -m m.npz", "explain -m m.npz -o out.csv", "predict -m m.npz --rows :20 -o cells.csv"} {
		must(t, append(strings.Fields(line), file)...)
	}
	must(t, "sample", "-m", "m.npz", "-n", "10", "-o", "drawn.csv")
	if o := patchworkCommand(t, "learn", file, "--for", "answers", "-k", "3", "-o", "m.npz"); o.code != 2 ||
		!strings.Contains(o.err, "finds out how many parts") {
		t.Errorf("%+v", o)
	}
}
