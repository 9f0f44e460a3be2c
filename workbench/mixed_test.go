package workbench

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
)

// patients returns a table of patients as people export it: a third are ill, which shows in four columns; some cells
// are empty.
func patients(rows int) string {
	rng := rand.New(rand.NewPCG(3, 1))
	var b strings.Builder
	b.WriteString("id,ward,sex,fever,pulse,visits,often,unit\n")
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	for i := range rows {
		ward, fever, pulse, visits := pick("north", "east", "south"), pick("no", "no", "no", "yes"), 70+5*rng.NormFloat64(),
			rng.IntN(3)
		if i%3 == 0 {
			ward, fever, pulse, visits = pick("east", "east", "east", "south"), "yes", pulse+25, visits+3
		}
		if rng.IntN(20) == 0 {
			ward = ""
		}
		fmt.Fprintf(&b, "p%d,%s,%s,%s,%.1f,%d,%s,1\n", i, ward, pick("f", "m"), fever, pulse, visits,
			pick("never", "sometimes", "often"))
	}
	return b.String()
}

// readTable reads a table for a model, or for none.
func readTable(t *testing.T, text string, m Model) *dataset.Frame {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var o dataset.Options
	if m != nil {
		var err error
		if o.Model, err = m.Plan(); err != nil {
			t.Fatal(err)
		}
	}
	src, err := dataset.Open(t.Context(), []string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	f, err := src.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// learnTable learns a frame by the default, and returns how it was told of it.
func learnTable(t *testing.T, f *dataset.Frame, how recipe.Recipe) (Mixed, []Step) {
	t.Helper()
	m, steps := learnFrame(t, f, how)
	return m.(Mixed), steps
}

// learnFrame learns a frame of any kind by the default.
func learnFrame(t *testing.T, f *dataset.Frame, how recipe.Recipe) (Model, []Step) {
	t.Helper()
	data := Data{Frame: f}
	l, err := NewLearning(data, how, data.Facts())
	if err != nil {
		t.Fatal(err)
	}
	var steps []Step
	for s, err := range l.Steps(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
	return steps[len(steps)-1].Model, steps
}

// A table of every kind is learned as it is: the group across kinds is found, in words, a constant says nothing, and
// the file of the model gives it back, with the same bytes for any number of workers.
func TestMixedTable(t *testing.T) {
	f := readTable(t, patients(240), nil)
	m, steps := learnTable(t, f, recipe.Recipe{Starts: 1})
	if m.K() != 1 || len(steps) < 3 || !steps[len(steps)-1].Final {
		t.Fatalf("%d parts in %d steps: %v", m.K(), len(steps), m.Describe().Lines())
	}
	for _, part := range []string{"% of rows: ", "pulse about 94.6", " of all)", "fever 99 % (", "ward east 7", "visits about "} {
		if !strings.Contains(m.Part(0).Words, part) {
			t.Errorf("no %q in %s", part, m.Part(0).Words)
		}
	}
	if strings.Contains(m.Part(0).Words, "unit") || strings.Contains(m.Part(0).Words, "often") {
		t.Errorf("a column without a say: %s", m.Part(0).Words)
	}
	var one, three bytes.Buffer
	if err := m.Write(&one); err != nil {
		t.Fatal(err)
	}
	again, _ := learnTable(t, f, recipe.Recipe{Starts: 1, Workers: 3})
	if err := again.Write(&three); err != nil || !bytes.Equal(one.Bytes(), three.Bytes()) {
		t.Errorf("another model with three workers, %v", err)
	}
	back, err := Read(bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil || !reflect.DeepEqual(back.Describe().Lines(), m.Describe().Lines()) {
		t.Errorf("read back: %v, %v", back.Describe().Lines(), err)
	}
	named, err := back.Name(0, "ill")
	if err != nil || named.Names()[0] != "ill" || back.Names() != nil {
		t.Errorf("named %v, before %v, %v", named.Names(), back.Names(), err)
	}
}

// New rows: a word that was never seen is unknown and told of once, what is missing is predicted as what it is, and
// rows may come alone or together, by any number of workers.
func TestMixedRows(t *testing.T) {
	m, _ := learnTable(t, readTable(t, patients(240), nil), recipe.Recipe{Starts: 1})
	f := readTable(t, "often,visits,pulse,fever,sex,ward,unit,id\nnever,4,96.0,yes,f,,1,a\nnever,4,,yes,f,east,1,b\n"+
		"often,,70.0,no,m,attic,1,c\n,1,70.0,,,attic,1,d\n", m)
	if n := strings.Count(fmt.Sprint(f.Notes), `such as "attic"`); n != 1 {
		t.Errorf("the notes name the strange word %d times: %q", n, f.Notes)
	}
	var said []string
	for _, workers := range []int{1, 3} {
		var lines []string
		for x, err := range m.Predict(t.Context(), Once(f), Predicting{Workers: workers}) {
			if err != nil {
				t.Fatal(err)
			}
			columns := Readable(m, x.Values)
			for i := range x.Rows {
				line := ""
				for _, d := range x.Cells(i) {
					line += columns[d].Name + " " + m.Text(d, x.Values[i][d]) + " [" + x.Expected[i][d] + "] "
				}
				lines = append(lines, line)
			}
		}
		if said == nil {
			said = lines
		} else if !reflect.DeepEqual(said, lines) {
			t.Errorf("three workers predict %q, one %q", lines, said)
		}
	}
	for i, want := range []string{"ward east [east ", "pulse 9", "visits 1 [0 to 2]", "fever 0 ["} {
		if !strings.Contains(said[i], want) {
			t.Errorf("row %d: %q, want %q", i, said[i], want)
		}
	}
	for x, err := range m.Explain(t.Context(), Once(f), Explaining{Best: 3}) {
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range x.Rows {
			gained := 0.0
			for _, p := range r.Picks {
				gained += p.Gain
			}
			if want := i < 2; (len(r.Picks) == 1) != want || want && (gained < 3 || r.LogLik <= r.StartLogLik) {
				t.Errorf("row %d: %+v", i, r)
			}
			if math.Abs(r.Others[0].LogJoint-r.Joint) > .01 || r.Evidence < r.Joint {
				t.Errorf("row %d: joint %v, as alternative %v, evidence %v", i, r.Joint, r.Others[0].LogJoint, r.Evidence)
			}
		}
	}
}

// Hidden cells are predicted better than by the columns alone where parts speak, and cells say what is expected.
func TestMixedScores(t *testing.T) {
	f := readTable(t, patients(240), nil)
	m, _ := learnTable(t, f, recipe.Recipe{Starts: 1})
	s, err := m.Score(t.Context(), Once(f), Scoring{Hide: .3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	h := s.Hidden.(*HiddenCells)
	if h.Gain < .05 || len(h.Columns) != 7 {
		t.Errorf("%+v", h)
	}
	for _, c := range h.Columns {
		switch {
		case c.Name == "fever" && c.Accuracy <= c.BaseAccuracy, c.Name == "pulse" && c.RMSE >= c.BaseRMSE,
			c.Name == "unit" && math.Abs(c.Gain) > 1e-12:
			t.Errorf("%+v", c)
		}
	}
	text := strings.Join(s.Lines(), "\n")
	for _, part := range []string{"hidden cells", "right  by the commonest", "pulse"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	if _, err := m.Score(t.Context(), Once(f.Cut(0, 1)), Scoring{Hide: 1e-9}); err == nil {
		t.Error("nothing is hidden, and it is scored")
	}
}

// Samples have words of the table, whole visits and no visit below 0, and the constant.
func TestMixedSamples(t *testing.T) {
	m, _ := learnTable(t, readTable(t, patients(240), nil), recipe.Recipe{Starts: 1})
	s, err := m.Sample(200, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range s.Frame.Values {
		for d := range row {
			switch name, text := m.called(d), m.Text(d, row[d]); {
			case name == "ward" && !strings.Contains("north east south", text), name == "unit" && text != "1",
				name == "visits" && (row[d] < 0 || row[d] != math.Trunc(row[d])), name == "fever" && row[d] != 0 && row[d] != 1:
				t.Errorf("%s is %v, %q", name, row[d], text)
			}
		}
	}
	again, _ := m.Sample(200, 5)
	if !reflect.DeepEqual(s.Frame.Values, again.Frame.Values) {
		t.Error("other samples of one seed")
	}
}

// A run that is ended keeps the best so far, and says so; one that is cancelled is an error.
func TestMixedInterrupted(t *testing.T) {
	data := Data{Frame: readTable(t, patients(240), nil)}
	l, err := NewLearning(data, recipe.Recipe{}, data.Facts())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	n := 0
	var last Step
	for s, err := range l.Steps(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			cancel(learn.Enough)
		}
		last = s
	}
	if last.Model == nil || !last.Final || !last.Interrupted || last.Model.K() < 1 {
		t.Fatalf("%+v", last)
	}
	m, err := Unfinished(last.Model)
	if err != nil || !m.Describe().Interrupted() {
		t.Errorf("%+v, %v", m.Describe().Learned, err)
	}
	ctx, cancelled := context.WithCancel(t.Context())
	cancelled()
	for _, err := range l.Steps(ctx) {
		if err == nil {
			t.Error("a step after the end")
		}
	}
}

// Whatever a row has, what is said of its cells are probabilities, in order, and no value is made up.
func TestMixedCells(t *testing.T) {
	f := readTable(t, patients(120), nil)
	m, _ := learnTable(t, f, recipe.Recipe{Starts: 1})
	rapid.Check(t, func(t *rapid.T) {
		row := append([]float64(nil), f.Values[rapid.IntRange(0, 119).Draw(t, "row")]...)
		for d := range row {
			switch rapid.IntRange(0, 3).Draw(t, "cell") {
			case 0:
				row[d] = math.NaN()
			case 1:
				row[d] = float64(rapid.IntRange(0, 1).Draw(t, "value"))
			}
		}
		frame := &dataset.Frame{Values: [][]float64{row}, Height: 1, Width: len(row), Table: true}
		for x, err := range m.Explain(context.Background(), Once(frame), Explaining{}) {
			if err != nil {
				t.Fatal(err)
			}
			for d, c := range m.Cells(&Case{Frame: frame, Row: x.Rows[0]}, nil) {
				low, high := c.Interval()
				if c.Column != d || math.IsNaN(c.Mean) || c.Deviation < 0 || low > high || c.Tail < 0 || c.Tail > 1+1e-9 ||
					math.IsNaN(c.Value) != math.IsNaN(row[d]) || c.Expected() == "" {
					t.Fatalf("column %d of %v: %+v, %v to %v", d, row, c, low, high)
				}
			}
			if _, err := m.DrawRows([]Case{{Frame: frame, Row: x.Rows[0]}}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Of scales of words a part says to which end it draws them: levels of that end, whose share it raises most.
func TestScalesAreSaidByTheirEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	levels := []string{"never", "rarely", "sometimes", "often", "always"}
	var b strings.Builder
	b.WriteString("tea,milk,soup,cake\n")
	for i := range 500 {
		row := make([]string, 4)
		for j := range row {
			level := rng.IntN(5)
			switch {
			case i%5 == 0 && j < 2:
				level = 3 + rng.IntN(2)
			case i%5 == 0 && j == 2:
				level = rng.IntN(2)
			}
			row[j] = levels[level]
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	m, _ := learnTable(t, readTable(t, b.String(), nil), recipe.Recipe{Starts: 1, Count: recipe.Count{Experts: 1}})
	votes := m.Part(0).Votes
	if len(votes) != 3 {
		t.Fatalf("the part says %s", m.Part(0).Words)
	}
	for _, v := range votes {
		o := &m.Parts[0].Entries[v.Column].Opinion
		word, value, all := m.scale(v.Column, o)
		most, p, share := 0.0, 0.0, 0.0
		for l, s := range m.Columns[v.Column].Share {
			p, share = p+o.P[l], share+s
			most = max(most, math.Abs(p-share))
		}
		if math.Abs(value-all-most) > 1e-12 {
			t.Errorf("%s %s: from %v to %v, where an end has %v more", v.Name, v.Words, all, value, most)
		}
		ends := map[string][]string{"soup": {"never ", "at most rarely "}}[v.Name]
		if v.Name != "soup" {
			ends = []string{"always ", "at least often "}
		}
		if !slices.Contains(ends, word) || !strings.HasPrefix(v.Words, word) {
			t.Errorf("%s %s", v.Name, v.Words)
		}
	}
}
