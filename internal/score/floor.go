package score

import "math"

// This file finds a bank's floor: its weakest vote, where nearly all pixels have it. Templates
// that were learned over a background are often such, as they vote for little ink everywhere.
// The composition then has two layers. A pixel is at q where no pick votes, at the floor or
// above where one does; so what a sprite gains is a number that depends on how many pixels it
// lifts to the floor, and what its stronger votes gain above that.

// setFloor finds the floor. With q = 0 it is the weakest vote, however rare: to lift a pixel
// to it is then to make it possible.
func (b *Bank) setFloor() {
	if b.TwoSided || b.QMap != nil || b.Height*b.Width > math.MaxInt16 {
		return
	}
	least, n := math.Inf(1), 0
	b.eachVote(func(v float64) {
		if v < least {
			least, n = v, 0
		}
		if v == least {
			n++
		}
	})
	if n == 0 || b.Q > 0 && 4*n < len(b.Sprites)*b.Height*b.Width {
		return
	}
	b.above = &Bank{Top: b.Top, Left: b.Left, Height: b.Height, Width: b.Width, Q: least, alike: alike(least)}
	for _, s := range b.Sprites {
		s.spans = nil
		b.above.findSpans(&s)
		b.above.Sprites = append(b.above.Sprites, s)
	}
}

// layered reports whether the field has two layers.
func (f *Field) layered() bool { return f.Bank.above != nil }

// lift raises to the floor what a pick covers first.
func (f *Field) lift(p Placed, changes []Change) []Change {
	floor := f.Bank.above
	for _, sp := range f.Bank.Sprites[p.Sprite].spans {
		i, _, n := f.overlap(sp, p.DY, p.DX)
		for end := i + n; i < end; i++ {
			if f.cover[i]++; f.cover[i] == 1 {
				changes = f.toLayer(i, int(sp.Row)+p.DY, floor, changes)
			}
		}
	}
	return changes
}

// drop lowers to q what nothing covers without the pick.
func (f *Field) drop(p Placed, changes []Change) []Change {
	for _, sp := range f.Bank.Sprites[p.Sprite].spans {
		i, _, n := f.overlap(sp, p.DY, p.DX)
		for end := i + n; i < end; i++ {
			if f.cover[i]--; f.cover[i] == 0 {
				changes = f.toLayer(i, int(sp.Row)+p.DY, f.Bank, changes)
			}
		}
	}
	return changes
}

// toLayer gives a pixel of row y, at q or at the floor, the abstention value of b.
func (f *Field) toLayer(i, y int, b *Bank, changes []Change) []Change {
	if l := b.alike[f.X[i]&3]; f.strongOnly {
		f.Hi[i], f.L[i] = b.Q, l
	} else {
		changes = f.set(i, y, b.Q, f.Lo[i], l, changes)
	}
	return changes
}
