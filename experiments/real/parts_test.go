package real

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	model "example.com/patchwork/learn/real"
)

// Templates count once each, and at a cosine of 0.9.
func TestAlike(t *testing.T) {
	s := Bars(1, BarOptions{Side: 3, Rate: .5}, rand.New(rand.NewPCG(4, 1)))
	double := make([]float64, 9)
	for d, x := range s.Truth[1] {
		double[d] = 2 * x
	}
	mixed := make([]float64, 9)
	for d := range mixed {
		mixed[d] = s.Truth[2][d] + s.Truth[3][d]
	}
	if n := s.Alike([][]float64{s.Truth[0], s.Truth[0], double, mixed, make([]float64, 9)}); n != 2 {
		t.Errorf("%d alike, want 2", n)
	}
	if c := cosine([]float64{1, 0}, []float64{1, 1}); math.Abs(c-math.Sqrt(.5)) > 1e-12 ||
		cosine(make([]float64, 2), []float64{1, 1}) != 0 {
		t.Errorf("cosine %v", c)
	}
}

// The templates of a model are what it says, as differences from the background.
func TestTemplates(t *testing.T) {
	m := &model.Model{Height: 1, Width: 2, Background: []model.Normal{{Mean: 1, Var: 1}, {Mean: 2, Var: 1}},
		Experts: [][]model.Entry{{{Vote: model.MeanOnly, Normal: model.Normal{Mean: 4}}, {}}}}
	if got := Templates(m); len(got) != 1 || got[0][0] != 3 || got[0][1] != 0 {
		t.Errorf("%v", got)
	}
	if n := Parameters(m); n != 1+2*2+1 {
		t.Errorf("%d parameters", n)
	}
}

// Rows to learn from and rows to test are others, and a class alone is of its own rows.
func TestDigitsOf(t *testing.T) {
	var rows [][]float64
	var class []string
	for i := range 40 {
		rows, class = append(rows, []float64{float64(i)}), append(class, []string{"0", "1"}[i%2])
	}
	pick := digitsOf(rows, class)
	seen := map[float64]int{}
	for _, row := range append(pick("all", 0, 30), pick("all", 30, 40)...) {
		seen[row[0]]++
	}
	if len(seen) != 40 {
		t.Errorf("%d rows of 40", len(seen))
	}
	for _, row := range pick("1", 0, 40) {
		if int(row[0])%2 != 1 {
			t.Errorf("row %v is of class 0", row)
		}
	}
}

// A model of scenes says a digit where it is bright, and scenes are drawn of it.
func TestSceneModel(t *testing.T) {
	m := SceneModel([][]float64{{1, .05, .5, 0}}, 2, 5, .3)
	if m.Poses.Len() != 16 || m.Experts[0][0].Vote != model.MeanOnly || m.Experts[0][1].Vote != model.Abstains ||
		m.Background[7].Var != .09 {
		t.Errorf("%d poses, %+v", m.Poses.Len(), m.Experts[0])
	}
	s := NewScene(m, 1, rand.New(rand.NewPCG(1, 1)))
	if len(s.Image) != 25 || len(s.Truth) != 1 || !s.Found(s.Truth) || s.Found(nil) {
		t.Errorf("%+v", s)
	}
}

// Rows of a report: what is found, of how many, and the spread of the excess where it is known.
func TestRow(t *testing.T) {
	var w strings.Builder
	table := head(&w, "title")
	row(table, "known", 8, []outcome{{8, 8, 1, 2}, {9, 7, 3, 4}})
	row(table, "unknown", 8, []outcome{{8, 8, 0, 2}})
	for _, want := range []string{"title\n\n| data |", "| known | 7.5 of 8 | 1 of 2 | 1 of 2 | 2.00 ± 1.41 | 3.0 |\n",
		"| unknown | 8.0 of 8 | 1 of 1 | 1 of 1 |  | 2.0 |\n"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("no %q in\n%s", want, &w)
		}
	}
}
