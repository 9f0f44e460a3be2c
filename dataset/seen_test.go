package dataset

import "testing"

// TestWere: a number of things is followed by its verb, and two of two are both.
func TestWere(t *testing.T) {
	for _, c := range []struct {
		n, of int
		want  string
	}{{1, 1, "1 picture was"}, {1, 2, "1 picture was"}, {2, 2, "both pictures were"}, {2, 3, "2 pictures were"},
		{3, 3, "all 3 pictures were"}, {2, 0, "2 pictures were"}} {
		if got := were(c.n, c.of, "picture"); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.n, c.of, got, c.want)
		}
	}
}
