package workbench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn/mixed"
)

// blocks returns a table of three columns of each of two causes, and one row, the 8th, in which two columns of the first
// say the opposite.
func blocks(rows int, word func(on bool, rng *rand.Rand) string) string {
	rng := rand.New(rand.NewPCG(5, 1))
	var b strings.Builder
	b.WriteString("a1,a2,a3,a4,b1,b2,b3,b4\n")
	for i := range rows {
		a, c := rng.IntN(2) == 0, rng.IntN(2) == 0
		var cells []string
		for d := range 8 {
			on := a
			if d > 3 {
				on = c
			}
			if i == 7 {
				on = d != 2 && d < 4
			} else if rng.IntN(200) == 0 {
				on = !on
			}
			cells = append(cells, word(on, rng))
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	return b.String()
}

// What a row costs is the sum of what its cells cost; the row that was made odd is the oddest, and the cell is blamed.
func TestOddities(t *testing.T) {
	for name, word := range map[string]func(bool, *rand.Rand) string{
		"bits": func(on bool, _ *rand.Rand) string { return map[bool]string{true: "1", false: "0"}[on] },
		"numbers": func(on bool, rng *rand.Rand) string {
			return fmt.Sprintf("%.2f", map[bool]float64{true: 9, false: 2}[on]+rng.NormFloat64())
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := readTable(t, blocks(300, word), nil)
			how := recipe.Recipe{Starts: 1}
			if name == "bits" {
				how = recipe.Recipe{Count: recipe.Count{Auto: true}, Method: "soft"}
			}
			model, _ := learnFrame(t, f, how)
			all, err := Oddities(t.Context(), model, Once(f), 3)
			if err != nil || len(all) != 300 {
				t.Fatalf("%d rows: %v", len(all), err)
			}
			if o := all[7]; name == "numbers" && o.Rank > 9 || len(o.Cells) == 0 || o.Cells[0].Column != "a3" {
				t.Errorf("the odd row: %+v", o)
			}
			for i, o := range all {
				better := slices.IndexFunc(all, func(p Oddity) bool { return p.Surprise > o.Surprise && p.Rank >= o.Rank })
				if better >= 0 {
					t.Fatalf("rows %d and %d: %+v, %+v", i, better, o, all[better])
				}
			}
			if m, ok := model.(Mixed); ok {
				sumOfHidden(t, m, f.Values, all)
			} else {
				sumOfExplained(t, model, f, all)
			}
			if again, _ := Oddities(t.Context(), model, Once(f), 1); fmt.Sprint(again) != fmt.Sprint(all) {
				t.Error("one worker says something else")
			}
		})
	}
}

// sumOfHidden: the surprise is what the cells cost if each is hidden alone and predicted.
func sumOfHidden(t *testing.T, m Mixed, rows [][]float64, all []Oddity) {
	e := mixed.NewExplainer(m.Model)
	for i, row := range rows {
		want := 0.0
		for d, x := range row {
			hidden := slices.Clone(row)
			hidden[d] = math.NaN()
			want -= e.Explain(hidden).Believe(d).LogDensity(x)
		}
		if math.Abs(want-all[i].Surprise) > 1e-9*math.Abs(want) {
			t.Fatalf("row %d: %v nats, by hidden cells %v", i, all[i].Surprise, want)
		}
	}
}

// sumOfExplained: the surprise is minus the log-likelihood of the explanation.
func sumOfExplained(t *testing.T, m Model, f *dataset.Frame, all []Oddity) {
	for x, err := range m.Explain(t.Context(), Once(f), Explaining{}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			if got := all[x.From+i].Surprise; math.Abs(got+x.Rows[i].LogLikModel) > 1e-9 {
				t.Fatalf("row %d: %v nats, its explanation %v", x.From+i, got, x.Rows[i].LogLikModel)
			}
		}
	}
}

// A model that predicts says what each cell costs given all others, and the row costs their sum.
func TestOdditiesPredicted(t *testing.T) {
	word := func(on bool, _ *rand.Rand) string { return map[bool]string{true: "1", false: "0"}[on] }
	f := readTable(t, blocks(300, word), nil)
	model, _ := learnFrame(t, f, recipe.Recipe{Count: recipe.Count{Auto: true}, Method: "soft", Aim: "predict"})
	all, err := Oddities(t.Context(), model, Once(f), 2)
	if err != nil || len(all) != f.Len() {
		t.Fatalf("%d rows: %v", len(all), err)
	}
	if o := all[7]; o.Rank > 15 || len(o.Cells) == 0 || o.Cells[0].Column != "a3" {
		t.Errorf("the odd row: %+v", o)
	}
	want := make([]float64, f.Len())
	for d := range f.Images[0].Len() {
		hidden := *f
		hidden.Images = nil
		for _, img := range f.Images {
			img = img.Clone()
			img.SetUnknown(0, d)
			hidden.Images = append(hidden.Images, img)
		}
		for x, err := range model.Predict(t.Context(), Once(&hidden), Predicting{}) {
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range x.Values {
				if f.Images[x.From+i].At(0, d) {
					want[x.From+i] -= math.Log(p[d])
				} else {
					want[x.From+i] -= math.Log1p(-p[d])
				}
			}
		}
	}
	for i, o := range all {
		if math.Abs(o.Surprise-want[i]) > 1e-2*want[i] { // the parts, which count little, are of another search
			t.Errorf("row %d: %v nats, its hidden cells %v", i, o.Surprise, want[i])
		}
	}
}
