package dataset

import (
	"slices"
	"strings"
	"testing"
)

// TestThousands: where commas divide columns, quoted numbers with commas before thousands are whole, which is said;
// a column that has other commas, and files divided otherwise, keep their decimal commas.
func TestThousands(t *testing.T) {
	const note = `"5,613" is 5613: where commas divide columns, a comma in a number stands before thousands`
	for _, c := range []struct {
		name, text string
		want       []float64
		said       bool
	}{
		{"thousands", "a,b\n\"5,613\",2\n\"-1,234,567\",2\n\"1,234.5\",2\n989,2\n", []float64{5613, -1234567, 1234.5, 989},
			true},
		{"decimals", "a,b\n\"5,613\",2\n\"23,15\",2\n", []float64{5.613, 23.15}, false},
		{"less than one", "a,b\n\"0,613\",2\n\"5,613\",2\n", []float64{.613, 5.613}, false},
		{"beside decimals", "a,b\n\"5,613\",\"2,5\"\n12,\"2,5\"\n", []float64{5613, 12}, true},
		{"semicolons", "a;b\n5,613;2\n4,100;2\n", []float64{5.613, 4.1}, false},
		{"tabs", "a\tb\n5,613\t2\n4,100\t2\n", []float64{5.613, 4.1}, false},
		{"later", "a,b\n" + strings.Repeat("7,2\n", beyondHead) + "\"5,613\",2\n", nil, true},
	} {
		v, err := decodeNumbers("t.csv", []byte(c.text), Options{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		var got []float64
		for _, row := range v.Values {
			got = append(got, row[0])
		}
		if c.want == nil && got[len(got)-1] != 5613 || c.want != nil && !slices.Equal(got, c.want) ||
			slices.Contains(sentences(v), note) != c.said {
			t.Errorf("%s: %v, %q", c.name, got, sentences(v))
		}
	}
	v, err := decodeNumbers("t.csv", []byte("a,b\n\"5,613,000\",2\n"), Options{})
	if err != nil || len(sentences(v)) != 1 || !strings.Contains(sentences(v)[0], " is 5613000: ") {
		t.Error(v, err)
	}
	mixed := "a,b\n" + strings.Repeat("7,2\n", beyondHead) + "\"23,15\",2\n"
	if v, err := decodeNumbers("t.csv", []byte(mixed), Options{}); err != nil || v.Values[beyondHead][0] != 23.15 {
		t.Error("a decimal comma below the beginning:", err)
	}
	least := 1000.
	for text, want := range map[string]string{
		"a,b\n\"5,613\",0\n989,1\n":       "#.\n..\n",
		"a,b\n\"5,613\",0\n\"23,15\",1\n": "..\n..\n",
		"a;b\n5,613;0\n989;1\n":           "..\n..\n",
	} {
		s, err := Decode(t.Context(), "t.csv", []byte(text), Options{Threshold: &least})
		if err != nil || pixels(s) != want || slices.Contains(sentences(s), note) != (want[0] == '#') {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

// beyondHead is how many short lines are more than what a table is judged by before it is read.
const beyondHead = headBytes / 3

// TestPointsAreKept: a model knows that points stand before thousands, which one row does not show.
func TestPointsAreKept(t *testing.T) {
	s, err := decodeNumbers("t.csv", []byte("a;b\n"+many("7.398;1", "504;0", "1.234;1")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Reading()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]float64{"a;b\n7.398;1\n": 7398, "a;b\n7.39;1\n": 7.39} {
		m, err := PlanOf(kept, s.Columns, 1, 2, false)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Decode(t.Context(), "new.csv", []byte(text), Options{Model: m}); err != nil ||
			got.Values[0][0] != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestUnitsOfOtherData: numbers without the unit that a model knows are told, those with another are unknown.
func TestUnitsOfOtherData(t *testing.T) {
	s, err := decodeNumbers("t.csv", []byte("a,b\n7 kg,1\n8 kg,2\n9 kg,4\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Reading()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"a,b\n7 kg,1\n": "", "a,b\n7,1\n": "no unit here and are taken as kg",
		"a,b\n7 lb,1\n": "no number in kg"} {
		m, err := PlanOf(kept, s.Columns, 1, 2, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(t.Context(), "new.csv", []byte(text), Options{Model: m})
		if err != nil || !strings.Contains(strings.Join(sentences(got), "\n"), want) || want == "" && len(sentences(got)) > 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
