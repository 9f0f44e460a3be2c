package dataset

import (
	"fmt"
	"strings"
	"testing"
)

// TestPairsAreHinted: a table of two columns of words may be pairs, which is said and not guessed.
func TestPairsAreHinted(t *testing.T) {
	s, err := readBytes([]byte("site,species\n"+strings.Repeat("a,Poa\na,Carex\nb,Poa\nb,Salix\nc,Poa\nc,Carex\n", 9)),
		Options{})
	if err != nil || !strings.Contains(strings.Join(sentences(s), "|"), "say --items=site,species") || s.Len() != 54 {
		t.Errorf("%v, notes %q", err, sentences(s))
	}
	var names strings.Builder
	for i := range 40 {
		fmt.Fprintf(&names, "name%d,item%d\n", i, i%39)
	}
	refused(t, "t.csv", []byte("site,species\n"+names.String()), Options{})
	for _, text := range []string{"a,b\n0,1\n1,0\n", "a,b,c\nx,p,0\ny,q,1\nx,q,0\ny,p,1\n"} {
		if s, err := readBytes([]byte(text), Options{}); err == nil && strings.Contains(strings.Join(sentences(s), "|"),
			"--items=") {
			t.Errorf("notes %q", sentences(s))
		}
	}
}
