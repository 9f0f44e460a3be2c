package score

import (
	"math"

	"example.com/patchwork/internal/score/kernel"
)

// This file makes the bounds of the bounded engine and keeps them true while the
// composition changes.

// look makes the bounds of a sprite, from abstention, if it has none yet.
func (e *bounded) look(sprite int) {
	if e.looked[sprite] {
		return
	}
	e.looked[sprite] = true
	t := e.tables
	from, to := sprite*e.tiles, (sprite+1)*e.tiles
	t.path.Sums(e.steps[from*kernel.Tile:], e.tops, t.entries, e.codes, &e.first[sprite])
	clear(e.states[from:to])
	for i, top := range e.tops {
		e.bounds[from+i] = e.base[sprite] + float64(t.sprites[sprite].step*float64(top))
	}
}

// tighten makes the bounds of a tile anew, by class, and keeps those that were
// better.
func (e *bounded) tighten(sprite, tile int) {
	t := e.tables
	g, at := &t.sprites[sprite], sprite*e.tiles+tile
	e.keep(at)
	was := e.states[at]
	e.states[at] = state{e.raised[tile], true}
	e.classify(e.layout)
	var steps [kernel.Tile]uint16
	top := e.sumLater(sprite, tile, &steps)
	old := (*[kernel.Tile]uint16)(e.steps[at*kernel.Tile:])
	if up := math.Ceil((e.raised[tile] - was.since) / g.stepRuns * (1 + 1e-12)); was.later && up < math.MaxUint16 {
		top = 0
		for i := range steps {
			steps[i] = uint16(min(uint32(steps[i]), uint32(old[i])+uint32(up)))
			top = max(top, steps[i])
		}
	}
	*old = steps
	e.bounds[at] = g.baseRuns + float64(g.stepRuns*float64(top)) - e.raised[tile]
}

// follow corrects the planes and the bounds for what adding or removing a pick
// changed.
func (e *bounded) follow(changes []Change) {
	g := e.layout.grid
	for _, c := range changes {
		y, x := int(c.Y)-g.DY0, int(c.X)-g.DX0
		if uint(y) >= uint(e.planeH) || uint(x) >= uint(e.planeW) {
			continue
		}
		i := int(c.Y)*e.Width + int(c.X)
		value, l := e.X[i], e.L[i]
		if s := e.tables.sides; s != nil {
			e.reclass(e.layout, y, x, s.of(value, e.Hi[i], e.Lo[i]))
			e.raise(y, x, s.rise(value, c.Hi, c.Lo, e.Hi[i], e.Lo[i]))
			continue
		}
		if e.strongOnly && e.cover[i] == 0 { // the tables are of the composition raised to the floor
			l = e.Bank.above.alike[value]
		}
		if at := y*e.strengthPitch + x; value == On {
			e.on[at] = float32(l)
		} else {
			e.off[at] = float32(-l)
		}
		e.reclass(e.layout, y, x, e.tables.classes.of(value, l))
		if l < c.L {
			e.raise(y, x, c.L-l)
		}
	}
}

// raise adds nats to the bounds of all candidates that may vote at a pixel of the
// plane.
func (e *bounded) raise(y, x int, nats float64) {
	t, g := e.tables, e.layout.grid
	aMin, aMax := ceilDiv(y-t.bottom, g.StepY), min(floorDiv(y-t.top, g.StepY), g.NY-1)
	bMin, bMax := ceilDiv(x-t.right, g.StepX), min(floorDiv(x-t.left, g.StepX), g.NX-1)
	if bMin > bMax {
		return
	}
	nats = float64(nats * (1 + 0x1p-40)) // far beyond the rounding of the sum
	next := 0
	for a := aMin; a <= aMax; a++ {
		last := (a*e.pitch + bMax) / kernel.Tile
		for i := max(next, (a*e.pitch+bMin)/kernel.Tile); i <= last; i++ {
			e.raised[i] += nats
		}
		next = last + 1
	}
}
