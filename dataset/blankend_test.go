package dataset

import (
	"slices"
	"testing"
)

// TestBlankEnd: empty lines at the end are no rows, which is said once; between rows, and where an empty cell is off,
// they are.
func TestBlankEnd(t *testing.T) {
	const note = "2 lines were left out at the end, of which no cell has a value, the first in line 5"
	for _, c := range []struct {
		text string
		rows int
		said bool
	}{
		{"a,b\n1,0\n,\n0,1\n,\n , \n", 3, true},
		{"a,b\n1,0\n,\n0,1\n,,,,\n,\n", 3, true},
		{"a,b\n1,0\n,\n0,1\n", 3, false},
		{"a,b\nx,\n,x\n,\nx,x\n,\n", 5, false},
		{"a\n1\n0\n\"\"\n", 3, false},
	} {
		s, err := Decode(t.Context(), "t.csv", []byte(c.text), Options{})
		if err != nil || s.Len() != c.rows || slices.Contains(sentences(s), note) != c.said {
			t.Errorf("%q: %v, %v", c.text, s, err)
		}
	}
	v, err := decodeNumbers("t.csv", []byte("a,b\n1.5,2\n,\n3,4\n,\n,\n"), Options{})
	if err != nil || v.Len() != 3 || !slices.Equal(sentences(v), []string{note}) {
		t.Error(v, err)
	}
}
