package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// overlapsReference is Overlaps in the form of its formula, bit by bit.
func overlapsReference(out []uint16, stride int, rows, template []uint64, shift, columns, count int) {
	for i := range columns {
		for y := range count {
			n := uint16(0)
			for r, w := range template {
				for bit := range 64 {
					n += uint16(rows[y+r] & (w << (shift + i)) >> bit & 1)
				}
			}
			out[i*stride+y] = n
		}
	}
}

// TestOverlaps: every path counts what the formula counts, and writes nowhere else
// than it may.
func TestOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 63, ^uint64(0)}))
		count, height := rapid.IntRange(1, 70).Draw(t, "count"), rapid.IntRange(1, 40).Draw(t, "height")
		shift := rapid.IntRange(0, 63).Draw(t, "shift")
		columns := rapid.IntRange(1, 64-shift).Draw(t, "columns")
		stride := (count+7)&^7 + rapid.IntRange(0, 3).Draw(t, "stride")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		fill := func(n int) []uint64 {
			out := make([]uint64, n)
			for i := range out {
				out[i] = rng.Uint64()
			}
			out[rng.IntN(n)] = word.Draw(t, "word")
			return out
		}
		rows, template := fill(count+height-1+OverlapPad), fill(height)
		want := make([]uint16, columns*stride)
		overlapsReference(want, stride, rows, template, shift, columns, count)
		for _, p := range All() {
			got := make([]uint16, columns*stride+8)
			for i := range got {
				got[i] = 0xabcd
			}
			p.Overlaps(got, stride, rows, template, shift, columns, count)
			for i := range columns {
				for y := range count {
					if got[i*stride+y] != want[i*stride+y] {
						t.Fatalf("%s: column %d, place %d: %d, want %d", p.Name, i, y, got[i*stride+y], want[i*stride+y])
					}
				}
			}
			for i := columns * stride; i < len(got); i++ {
				if got[i] != 0xabcd {
					t.Fatalf("%s writes beyond its columns", p.Name)
				}
			}
		}
	})
}

// TestOverlapsRefuses: a buffer that is too short is found before anything is written.
func TestOverlapsRefuses(t *testing.T) {
	for name, call := range map[string]func(p *Path){
		"out":    func(p *Path) { p.Overlaps(make([]uint16, 15), 8, make([]uint64, 99), []uint64{1}, 0, 2, 3) },
		"rows":   func(p *Path) { p.Overlaps(make([]uint16, 16), 8, make([]uint64, 9), []uint64{1, 2, 3}, 0, 2, 3) },
		"stride": func(p *Path) { p.Overlaps(make([]uint16, 99), 9, make([]uint64, 99), []uint64{1}, 0, 2, 9) },
		"shift":  func(p *Path) { p.Overlaps(make([]uint16, 999), 8, make([]uint64, 99), []uint64{1}, 60, 5, 3) },
	} {
		for _, p := range All() {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s, %s: no panic", p.Name, name)
					}
				}()
				call(p)
			}()
		}
	}
	reference.Overlaps(nil, 0, nil, nil, 0, 0, 3) // nothing to do
}

func BenchmarkOverlaps(b *testing.B) {
	for _, c := range []struct{ side, height int }{{14, 5}, {28, 9}, {48, 20}} {
		rows, template := make([]uint64, c.side+OverlapPad), make([]uint64, c.height)
		for i := range rows[:c.side] {
			rows[i] = 0x123456789abcdef << (i % 7) & (1<<c.side - 1)
		}
		for i := range template {
			template[i] = 0xaaaaaaaaaaaaaaaa >> (i % 3) & (1<<c.height - 1)
		}
		n := c.side - c.height + 1
		out := make([]uint16, n*((n+7)&^7))
		for _, p := range All()[1:] {
			b.Run(fmt.Sprintf("%dx%d/%d/%s", c.side, c.side, c.height, p.Name), func(b *testing.B) {
				for b.Loop() {
					p.Overlaps(out, (n+7)&^7, rows, template, 0, n, n)
				}
			})
		}
	}
}
