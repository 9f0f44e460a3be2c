package workbench

import (
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
)

// The description length of rows is one number: learning and scoring say the same.
func TestOneLength(t *testing.T) {
	text := "a,b,c,d\n" + strings.Repeat("1,1,0,0\n0,0,1,1\n1,1,1,1\n", 8)
	src, err := dataset.OpenFiles(t.Context(), []dataset.File{{Name: "t.csv", Content: []byte(text)}},
		dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	frame, err := src.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := Data{Frame: frame}
	l, err := NewLearning(data, recipe.Recipe{}, data.Facts())
	if err != nil {
		t.Fatal(err)
	}
	var last Step
	for s, err := range l.Steps(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		last = s
	}
	s, err := last.Model.Score(t.Context(), Once(frame), Scoring{})
	if err != nil {
		t.Fatal(err)
	}
	if learned := last.Model.(Bits).Extras().Record.DescriptionLength; learned == 0 || *s.Length != learned {
		t.Errorf("learned %v, scored %v", learned, *s.Length)
	}
}
