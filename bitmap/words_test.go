package bitmap

import (
	"testing"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		on, known := m.AppendWords([]uint64{7}), m.AppendKnownWords([]uint64{7})
		if n := 1 + (m.Len()+63)/64; len(on) != n || len(known) != n || on[0] != 7 || known[0] != 7 {
			t.Fatalf("%d and %d words for %d pixels", len(on), len(known), m.Len())
		}
		for i := range 64 * (len(on) - 1) {
			value, seen := on[1+i/64]>>(i%64)&1 != 0, known[1+i/64]>>(i%64)&1 != 0
			if i >= m.Len() {
				if value || seen {
					t.Fatalf("bit %d lies behind %d pixels", i, m.Len())
				}
				continue
			}
			if y, x := i/m.Width(), i%m.Width(); value != m.At(y, x) || seen != m.Known(y, x) {
				t.Fatalf("pixel (%d,%d) of\n%v", y, x, m)
			}
		}
	})
}
