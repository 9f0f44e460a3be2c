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
	if err != nil || !strings.Contains(strings.Join(s.Notes, "|"), "say --items=site,species") || s.Len() != 54 {
		t.Errorf("%v, notes %q", err, s.Notes)
	}
	var names strings.Builder
	for i := range 40 {
		fmt.Fprintf(&names, "name%d,item%d\n", i, i%39)
	}
	refused(t, "t.csv", []byte("site,species\n"+names.String()), Options{})
	for _, text := range []string{"a,b\n0,1\n1,0\n", "a,b,c\nx,p,0\ny,q,1\nx,q,0\ny,p,1\n"} {
		if s, err := readBytes([]byte(text), Options{}); err == nil && strings.Contains(strings.Join(s.Notes, "|"),
			"--items=") {
			t.Errorf("notes %q", s.Notes)
		}
	}
}

// TestJSONLinesAreToldApart: the way out of JSON works for both forms.
func TestJSONLinesAreToldApart(t *testing.T) {
	for text, lines := range map[string]bool{
		`{"a":1}` + "\n" + `{"a":2}` + "\n": true, `{"a":1,"b":[` + strings.Repeat("0,", 400) + "0]}\n": true,
		`[{"a":1},{"a":2}]`: false, "{\n \"a\": 1\n}\n": false, `[[1,0]]`: false,
	} {
		_, err := readBytes([]byte(text), Options{})
		if err == nil || strings.Contains(err.Error(), "lines=True") != lines {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
