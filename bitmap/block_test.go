package bitmap

import (
	"testing"

	"pgregory.net/rapid"
)

// Packing eight pixels at a time gives the same image as setting them one by
// one.
func TestSetBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, w := rapid.IntRange(0, 4).Draw(t, "h"), rapid.IntRange(0, 140).Draw(t, "w")
		n := rapid.IntRange(1, 3).Draw(t, "n")
		block := NewBlock(n, h, w)
		var want []*Image
		for _, m := range block {
			pix := rapid.SliceOfN(rapid.Uint8Range(0, 1), h*w, h*w).Draw(t, "pix")
			if h*w > 0 && rapid.Bool().Draw(t, "unknown") {
				m.SetUnknown(h-1, w-1) // what was there before is forgotten
			}
			if i := m.SetBytes(pix); i != -1 {
				t.Fatalf("byte %d of zeros and ones is called bad", i)
			}
			want = append(want, FromBytes(h, w, pix))
		}
		for i, m := range block { // they do not reach into each other
			if !m.Equal(want[i]) || m.Complete() != true {
				t.Fatalf("image %d:\n%vwant\n%v", i, m, want[i])
			}
		}
		if h*w > 0 {
			pix := make([]uint8, h*w)
			bad := rapid.IntRange(0, h*w-1).Draw(t, "bad")
			pix[bad] = rapid.Uint8Range(2, 255).Draw(t, "value")
			if i := block[0].SetBytes(pix); i != bad {
				t.Fatalf("byte %d is called bad, not %d", i, bad)
			}
		}
	})
}
