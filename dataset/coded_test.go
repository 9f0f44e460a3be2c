package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A row means the same for a model whether it stands alone in its file or among the rows
// that the model was learned from, however its cells are written.
func TestRowsMeanTheSameAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, cells := range map[string][2]string{ // off and on
		"digits": {"0", "1"}, "words": {"no", "Yes"}, "marks": {"", "x"}, "plus": {"", "+"}, "signs": {"-", "+"},
		"letters":       {"A", "P"},
		"mixed letters": {"absent", "P"}, "presence": {"", "P"}, "ones": {"", "1"}, "present": {"", "present"},
		"German": {"nein", "ja"},
		"French": {"non", "oui"}, "laboratory": {"not detected", "detected"},
	} {
		head, rows := "site,y,f,c 3,d\n", []string(nil)
		for i := range 40 {
			row := []string{fmt.Sprint("site ", i)}
			for range 4 {
				row = append(row, cells[r.IntN(2)])
			}
			switch i {
			case 0, 1: // both in each column
				row = []string{row[0], cells[i], cells[i], cells[i], cells[i]}
			case 2:
				row[1] = "NA"
			case 3:
				if name == "mixed letters" {
					row[2] = "A"
				}
			}
			rows = append(rows, strings.Join(row, ",")+"\n")
		}
		all := mustRead(t, "all.csv", []byte(head+strings.Join(rows, "")), Options{})
		if len(all.Columns) != 4 || all.Len() != 40 || all.Images[0].CountOn() != 0 || all.Images[1].CountOn() != 4 {
			t.Errorf("%s: %d rows of columns %q, the first has %v: %q", name, all.Len(), all.Columns, all.Images[0], sentences(all))
			continue
		}
		m, err := all.Describe(modelOf(t, 1, 4, ""))
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			alone, err := readBytes([]byte(head+row), optionsFor(t, Options{}, m))
			if err != nil || alone.Len() != 1 || !alone.Images[0].Equal(all.Images[i]) {
				t.Errorf("%s: row %q alone is %v, among the others %v: %v", name, row, alone, all.Images[i], err)
			}
		}
		// Blank cells beside digits stay unknown if they were so in learning.
		if name == "digits" {
			got, err := readBytes([]byte(head+strings.Repeat("s,1,,1,\n", 20)), optionsFor(t, Options{}, m))
			if err != nil || got.Images[0].CountKnown() != 2 {
				t.Errorf("blank cells are %v: %v", got.Images[0], err)
			}
		}
		// The same table in digits is read as such.
		if other, err := readBytes([]byte(head+"s,0,1,1,?\n"), optionsFor(t, Options{}, m)); err != nil ||
			other.Images[0].CountOn() != 2 || other.Images[0].CountKnown() != 3 {
			t.Errorf("%s: digits are %v: %v", name, other, err)
		}
	}
}

// One cell that is no bit among columns of P and A is a mistake, not a reason to take
// the column for a label.
func TestMistakeAmongLetters(t *testing.T) {
	text := "site,a,b\n" + strings.Repeat("s,P,A\nt,A,P\n", 10) + "u,P?,A\n"
	s := mustRead(t, "t.csv", []byte(text), Options{})
	if len(s.Columns) != 2 || s.Images[20].Known(0, 0) || !strings.Contains(strings.Join(sentences(s), ""), "in a: P?") {
		t.Errorf("%q: %v", s.Columns, sentences(s))
	}
}
