package dataset

import (
	"context"
	"strings"
	"testing"
)

// The advice for numbers begins with labels where they are probably labels.
func TestAdviceForNumbers(t *testing.T) {
	for name, test := range map[string]struct{ text, first string }{
		"a year":          {"year,a,b\n1991,0,1\n1991,1,0\n2001,1,1\n", "give --column year=label"},
		"years":           {"from,to,a\n1991,1993,1\n1990,1993,0\n1990,1993,0\n", "give --column from=label"},
		"counts":          {"a,b,c\n3,0,2\n0,7,2\n5,5,0\n", "give --threshold T"},
		"one of a couple": {"a,b\n7,0\n0,1\n5,1\n", "give --threshold T"},
	} {
		_, err := Decode(context.Background(), "t.csv", []byte(test.text), Options{})
		if err == nil || !strings.Contains(err.Error(), "; "+test.first) {
			t.Errorf("%s: %v, want %q first", name, err, test.first)
		}
	}
}
