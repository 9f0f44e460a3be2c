package score

import (
	"math"
	"slices"

	"example.com/patchwork/internal/score/kernel"
)

// This file counts, for the bounded engine, what a candidate lifts to the floor of its bank
// (floor.go). The tables and bounds are of the votes above the floor, in the composition
// raised to it. The rest of a gain is a weighted count of pixels that no pick covers, by
// value, and always known: it is counted anew where what is covered changes, from sums along
// rows that begin and end with the runs of a region. Sprites of the same region share it.

// floorTables holds the regions of a bank and what lifting a pixel is worth.
type floorTables struct {
	on, off float64 // what a pixel gains, by value; Bank.impossible counts for an impossible one
	slack   float64 // bounds the rounding error of a gain that has a part of this
	first   []int   // by region: the first sprite that has it
}

// setFloor groups the sprites by region, and allows for rounding.
func (t *boundTables) setFloor(b *Bank) {
	t.regions = make([]int, len(b.Sprites))
	if b.above == nil {
		return
	}
	f := &floorTables{on: b.finite(b.above.alike[On]) - b.finite(b.alike[On]), off: b.above.alike[Off] - b.alike[Off]}
	for i := range b.Sprites {
		r := slices.IndexFunc(f.first, func(s int) bool { return slices.Equal(b.Sprites[s].spans, b.Sprites[i].spans) })
		if r < 0 {
			r, f.first = len(f.first), append(f.first, i)
		}
		t.regions[i] = r
	}
	most := float64(float64(b.Height*b.Width) * (f.on - f.off))
	for i := range t.sprites {
		g := &t.sprites[i]
		f.slack = max(f.slack, float64(0x1p-48*(most+math.Abs(g.base)+math.Abs(g.baseRuns))))
	}
	for i := range t.sprites {
		g := &t.sprites[i]
		g.base, g.baseRuns, g.slack = g.base+f.slack, g.baseRuns+f.slack, g.slack+f.slack
	}
	t.floor = f
}

// worth returns what a count of pixels gains: those that are on in its upper half, those that
// are off in the lower.
func (f *floorTables) worth(count int32) float64 {
	return float64(float64(uint32(count)>>16)*f.on) + float64(float64(count&math.MaxUint16)*f.off)
}

// ends lists where the runs of a region begin and end in the sums along rows.
type ends struct{ first, end kernel.Places }

// setRegions lists the ends of all regions.
func (l *layout) setRegions(b *Bank) {
	if l.tables.floor == nil {
		return
	}
	l.sumPitch = l.planeW + 1 + kernel.Lanes
	l.regions = make([]ends, len(l.tables.floor.first))
	for r, sprite := range l.tables.floor.first {
		for _, sp := range b.Sprites[sprite].spans {
			l.regions[r].first.Add(sp.Row*int32(l.sumPitch) + sp.First)
			l.regions[r].end.Add(sp.Row*int32(l.sumPitch) + sp.End)
		}
	}
}

// lifts is what candidates lift to the floor.
type lifts struct {
	counts []int32   // by region and lane; nil without a floor
	most   []float64 // by region and tile, what the best of its candidates gains; 0 without
	known  bool      // they are of the present composition
}

// resetLifts forgets what was counted.
func (e *bounded) resetLifts() {
	for _, c := range [...]*lifts{&e.lifts, &e.liftsBefore} {
		c.known, c.counts = e.tables.floor == nil, resize(c.counts, len(e.regions)*e.tiles*kernel.Tile)
		c.most = resize(c.most, max(1, len(e.regions))*e.tiles)
	}
	if e.strongOnly = !e.known; e.known {
		clear(e.most)
		clear(e.liftsBefore.most)
	}
}

// countLifts counts what candidates lift to the floor, where that is not known.
func (e *bounded) countLifts() {
	if e.known {
		return
	}
	e.known = true
	e.sumRows()
	for i := range e.most {
		e.most[i] = math.Inf(-1)
	}
	for r := range e.regions {
		e.tick()
		for a := range e.layout.grid.NY {
			e.countRow(r, a)
		}
	}
}

// countRow counts for a region in one row of shifts.
func (e *bounded) countRow(region, a int) {
	counts, most, of := e.countsOf(region), e.mostOf(region), &e.regions[region]
	g := e.layout.grid
	sums := e.rowSums[a*g.StepY*e.sumPitch:]
	first, end := &e.runs[0], &e.runs[1]
	for x, b := 0, 0; b < g.NX; x += kernel.Lanes {
		e.tables.path.Stack(first[:], sums[x:], &of.first)
		e.tables.path.Stack(end[:], sums[x:], &of.end)
		for ; b < g.NX && b*g.StepX < x+kernel.Lanes; b++ {
			lane, n := a*e.pitch+b, end[b*g.StepX-x]-first[b*g.StepX-x]
			counts[lane] = n
			most[lane/kernel.Tile] = max(most[lane/kernel.Tile], e.tables.floor.worth(n))
		}
	}
}

// countsOf and mostOf return the counts and tops of a region.
func (e *bounded) countsOf(region int) []int32 {
	return e.counts[region*e.tiles*kernel.Tile : (region+1)*e.tiles*kernel.Tile]
}

func (e *bounded) mostOf(region int) []float64 { return e.most[region*e.tiles : (region+1)*e.tiles] }

// sumRows adds up, along the rows of the plane, the pixels that no pick covers.
func (e *bounded) sumRows() {
	e.rowSums = resize(e.rowSums, e.planeH*e.sumPitch)
	clear(e.rowSums)
	counts := [4]int32{Off: 1, On: 1 << 16}
	e.eachRow(func(r, c, i, n int) {
		row, sum := e.rowSums[r*e.sumPitch:(r+1)*e.sumPitch], int32(0)
		for j, x := range e.X[i : i+n] {
			row[c+j] = sum
			if e.cover[i+j] == 0 {
				sum += counts[x&3]
			}
		}
		for j := c + n; j < len(row); j++ {
			row[j] = sum
		}
	})
}

// lifted returns what a sprite at a lane lifts to the floor, in nats.
func (e *bounded) lifted(sprite, lane int) float64 {
	if e.tables.floor == nil {
		return 0
	}
	return e.tables.floor.worth(e.countsOf(e.tables.regions[sprite])[lane])
}
