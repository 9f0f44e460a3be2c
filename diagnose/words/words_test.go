package words_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/testkit"
)

// meadow returns a model of a table with names.
func meadow(t testing.TB) *patchwork.Model {
	t.Helper()
	m := testkit.MustModel(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 5,
		QMap: []float64{0.2, 0.2, 0.3, 0.5, 0.1}},
		[][]float64{{0.87, 0.82, 0.04, 0.5, 0.15}, {0.2, 0.2, 0.3, 0.5, 0.1}, {0.2, 0.2, 0.3, 0.001, 0.1},
			{0.2, 0.2, 0.33, 0.5, 0.1}, {0.001, 0.2, 0.001, 0.5, 0.1}})
	m, err := m.WithExtras(patchwork.Extras{Usage: []float64{0.257, 0, 0.004, 1, 0.5},
		Names:   []string{"", "b\x1b[31mog", "", "", ""},
		Columns: []string{"Veronica minor", "Poa\nrepens", "Salix", "", "Carex"}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPart(t *testing.T) {
	m := meadow(t)
	for _, c := range []struct {
		k, most int
		want    string
	}{
		{0, 5, "26 % of rows: Veronica minor 87 %, Poa repens 82 %; not Salix 4 %"},
		{0, 1, "26 % of rows: Veronica minor 87 % and 1 more; not Salix 4 %"},
		{1, 5, "0 % of rows: no vote on any column"},
		{2, 5, "<1 % of rows: not column 4 <1 %"},
		{4, 1, "50 % of rows: not Salix <1 % and 1 more"},
		{4, 2, "50 % of rows: not Salix <1 %, not Veronica minor <1 %"},
		{3, 5, "100 % of rows: Salix 33 %"},
	} {
		if got := words.Part(m, c.k, c.most); got != c.want {
			t.Errorf("part %d, %d columns: %q, want %q", c.k, c.most, got, c.want)
		}
	}
	bare, err := m.WithExtras(patchwork.Extras{})
	if err != nil {
		t.Fatal(err)
	}
	if got := words.Part(bare, 0, 3); got != "column 1 87 %, column 2 82 %; not column 3 4 %" {
		t.Errorf("without usage and names: %q", got)
	}
	if got := words.Part(testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2, Q: 0.5}, [][]float64{{0.9, 0.1}}), 0,
		3); got != "column 1 90 %" {
		t.Errorf("the max rule has votes against: %q", got)
	}
}

func TestNames(t *testing.T) {
	m := meadow(t)
	for _, c := range [][2]string{
		{words.Name(m, 0), "part 1"}, {words.Full(m, 0), "part 1"},
		{words.Name(m, 1), "b [31mog"}, {words.Full(m, 1), "b [31mog (part 2)"},
		{words.Column(m, 1), "Poa repens"}, {words.Column(m, 3), "column 4"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

func TestRename(t *testing.T) {
	m := meadow(t)
	for _, c := range []struct {
		k          int
		name, want string
	}{
		{-1, "x", "there is no part 0; the model has 5, from 1"},
		{5, "x", "there is no part 6"},
		{0, strings.Repeat("ä", words.MaxName+1), "201 characters; at most 200"},
		{0, "a\nb", "control characters"},
		{0, "\xff", "control characters"},
		{0, "Part 2", ""},
		{0, "part 2", `part 2 is called "part 2" already`},
	} {
		if _, err := words.Rename(m, c.k, c.name); (err == nil) != (c.want == "") || err != nil &&
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%d %q: %v", c.k, c.name, err)
		}
	}
	one, err := words.Rename(m, 2, "  fen ")
	if err != nil || words.Name(one, 2) != "fen" || m.Extras().Names[2] != "" {
		t.Errorf("%q, %v, before %q", one.Extras().Names, err, m.Extras().Names)
	}
	if _, err := words.Rename(one, 0, "FEN"); err == nil ||
		!strings.Contains(err.Error(), `part 3 is called "FEN" already`) {
		t.Errorf("twice: %v", err)
	}
	none := m
	for k := range 3 {
		if none, err = words.Rename(none, k, ""); err != nil {
			t.Fatal(err)
		}
	}
	if none.Extras().Names != nil {
		t.Errorf("names %q are left", none.Extras().Names)
	}
}

// Words are one line without control characters, and votes are sorted by what they
// change, whatever the model.
func TestWordsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(0, 1)
		h, w := rapid.IntRange(1, 3).Draw(t, "height"), rapid.IntRange(1, 4).Draw(t, "width")
		rule := rapid.SampledFrom([]patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin}).Draw(t, "rule")
		cfg := patchwork.Config{Rule: rule, Height: h, Width: w, QMap: rapid.SliceOfN(p, h*w, h*w).Draw(t, "q")}
		m, err := patchwork.NewModel(cfg, [][]float64{rapid.SliceOfN(p, h*w, h*w).Draw(t, "template")})
		if err != nil {
			t.Fatal(err)
		}
		e := patchwork.Extras{Usage: []float64{p.Draw(t, "usage")}, Names: []string{rapid.String().Draw(t, "name")},
			Columns: rapid.SliceOfN(rapid.String(), h*w, h*w).Draw(t, "columns")}
		if m, err = m.WithExtras(e); err != nil {
			t.Fatal(err)
		}
		text := words.Full(m, 0) + words.Part(m, 0, rapid.IntRange(0, 5).Draw(t, "most"))
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.Contains(text, "NaN") {
			t.Fatalf("%q", text)
		}
		last := math.Inf(1)
		for _, v := range words.Votes(m, 0) {
			s := math.Abs(v.P - v.Background)
			if s == 0 || s > last || v.P != m.Template(0)[v.Column] || v.Background != m.Abstention(v.Column) ||
				rule == patchwork.RuleMax && !v.For() {
				t.Fatalf("vote %+v after one of %v", v, last)
			}
			last = s
		}
	})
}

// drawing returns a model whose part has ink where the rows have #.
func drawing(t testing.TB, rows ...string) *patchwork.Model {
	t.Helper()
	var template []float64
	for _, c := range strings.Join(rows, "") {
		template = append(template, map[rune]float64{'#': 0.9, '.': 0.01}[c])
	}
	return testkit.MustModel(t, patchwork.Config{Height: len(rows), Width: len(rows[0]), Q: 0.01}, [][]float64{template})
}

func TestShape(t *testing.T) {
	for want, rows := range map[string][]string{
		"an upright stroke of 6 x 1 pixels at the centre": {"......", "..#...", "..#...", "..#...", "..#...", "..#...",
			"..#...", "......"},
		"a level stroke of 5 x 2 pixels at the top": {"........", ".#####..", ".#####..", "........", "........",
			"........", "........", "........"},
		"a falling stroke of 6 x 1 pixels at the top left": {"#.......", ".#......", "..#.....", "...#....", "........",
			"........", "........", "........", "........"},
		"a rising stroke of 6 x 1 pixels at the right": {"........", "........", "........", ".......#", "......#.",
			".....#..", "....#...", "........", "........"},
		// A letter as a whole, and the outline of a stroke, are long but no strokes.
		"ink of 11 x 5 pixels at the centre": {"..........", "..#######.", ".....#....", ".....#....", ".....#....",
			".....#....", ".....#....", ".....#....", ".....#....", ".....#....", ".....#....", ".........."},
		"ink of 15 x 7 pixels at the centre": {"...............", "###############", "...............",
			"...............", "...............", "###############", "..............."},
		"ink of 2 x 2 pixels at the bottom right": {"......", "......", "......", "......", "....##", "....##"},
		"no clear vote on any pixel":              {"...", "..."},
	} {
		if got := words.ShapeOf(drawing(t, rows...), 0).String(); got != want {
			t.Errorf("%s\n%q, want %q", strings.Join(rows, "\n"), got, want)
		}
	}
	m := drawing(t, "####", "....")
	m, err := m.WithExtras(patchwork.Extras{Usage: []float64{0.4}})
	if err != nil {
		t.Fatal(err)
	}
	if got := words.Part(m, 0, 3); got != "40 % of images: a level stroke of 4 x 1 pixels at the top" {
		t.Errorf("%q", got)
	}
	if s := words.ShapeOf(m, 0); s.Pixels != 4 || math.Abs(s.Elongation()-4) > 1e-9 || s.X != 1.5 || s.Y != 0 {
		t.Errorf("%+v", s)
	}
}

func Example() {
	cfg := patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 3, Q: 0.5}
	m, err := patchwork.NewModel(cfg, [][]float64{{0.87, 0.82, 0.04}})
	if err == nil {
		m, err = m.WithExtras(patchwork.Extras{Usage: []float64{0.26}, Columns: []string{"Veronica minor", "Poa repens",
			"Salix"}})
	}
	if err == nil {
		m, err = words.Rename(m, 0, "meadow")
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %s\n", words.Full(m, 0), words.Part(m, 0, 3))
	// Output: meadow (part 1), 26 % of rows: Veronica minor 87 %, Poa repens 82 %; not Salix 4 %
}
