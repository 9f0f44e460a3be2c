package score

import (
	"bytes"
	"encoding/binary"

	"example.com/patchwork/internal/score/kernel"
)

// This file lays an image out as the tables of a bank read it. The plane is
// what the shifted frames can meet: plane row r is image row DY0+r, likewise
// columns; what lies outside the image is not known. Lane a*pitch+b of a sprite
// is the candidate shifted by (DY0+a*StepY, DX0+b*StepX).
//
// Wide: lanes are the plane's own pixels from the top left, so that the codes of
// a block at all shifts are one run of the plane of codes. Some lanes at the
// right are no candidates. Narrow, where too many would be: the plane of codes is
// copied out once for each column of the frame, NX columns wide.

// layout says where the tables of a bank find the codes for a grid and a size of
// image. It is immutable.
type layout struct {
	tables        *boundTables
	grid          Grid
	height, width int // of the image

	planeH, planeW int
	narrow         bool
	pitch          int // lanes in a row of shifts
	lanes, tiles   int
	rows           int // narrow: plane rows of one phase of StepY
	codeBytes      int // of one plane of codes
	strengthPitch  int
	unknown        bool // some pixels of the image are not known
	edges          bool // some votes fall outside the image

	// By sprite: the lookups from abstention and those by class, the chunks, and the base
	// of the bounds from abstention, which knows which blocks may lie on unknown pixels.
	first  []kernel.Lookups
	later  [][]kernel.Lookups // in groups whose sums fit in 16 bits
	chunks []kernel.Places
	base   []float64

	regions  []ends // of the floor; none without one
	sumPitch int    // of the sums along rows
}

// layoutFor returns the layout for the present image, the last one if that fits: a pursuit
// goes from one bank to another and back for every image.
func (t *boundTables) layoutFor(c *candidates) *layout {
	unknown := bytes.IndexByte(c.X, Unknown) >= 0
	l := t.kept.Load()
	if l == nil || l.grid != c.grid || l.height != c.Height || l.width != c.Width || l.unknown != unknown {
		l = newLayout(c.Bank, t, c.grid, c.Height, c.Width, unknown)
		t.kept.Store(l)
	}
	return l
}

// newLayout returns nil where the planes would be too large for offsets of 32 bits.
func newLayout(b *Bank, t *boundTables, g Grid, height, width int, unknown bool) *layout {
	l := &layout{tables: t, grid: g, height: height, width: width, unknown: unknown,
		planeH: b.Height + (g.NY-1)*g.StepY, planeW: b.Width + (g.NX-1)*g.StepX}
	l.narrow = g.StepX != 1 || g.StepY != 1 || 2*g.NX <= l.planeW
	l.pitch, l.lanes = l.planeW, (g.NY-1)*l.planeW+g.NX
	if l.narrow {
		l.pitch, l.lanes = g.NX, g.NY*g.NX
		l.rows = (l.planeH + g.StepY - 1) / g.StepY
	}
	l.tiles = (l.lanes + kernel.Tile - 1) / kernel.Tile
	l.strengthPitch = l.planeW + kernel.Chunk
	l.codeBytes = l.planeH*l.planeW + (l.tiles+2)*kernel.Tile
	if l.narrow {
		l.codeBytes = (b.Width*g.StepY*l.rows)*g.NX + (l.tiles+2)*kernel.Tile
	}
	if l.codeBytes > 1<<29 || l.planeH*l.strengthPitch > 1<<29 {
		return nil
	}
	n := len(t.sprites)
	l.first, l.base = make([]kernel.Lookups, n), make([]float64, n)
	l.later, l.chunks = make([][]kernel.Lookups, n), make([]kernel.Places, n)
	for i := range t.sprites {
		l.listFirst(i, &t.sprites[i])
		l.list(i)
	}
	l.setRegions(b)
	return l
}

// The planes of codes: by what is on, by what is unknown, by class.
const (
	onPlane = iota
	unknownPlane
	classPlane
	planesOfCodes
)

// listFirst lists the lookups from abstention of a sprite.
func (l *layout) listFirst(i int, g *spriteTables) {
	l.base[i] = g.base
	for _, bl := range g.blocks {
		at := l.codeAt(bl.pixel)
		l.first[i].Add(kernel.Lookup{Table: bl.table, Code: at})
		edge := l.outside(bl)
		if l.edges = l.edges || edge; edge || l.unknown {
			l.first[i].Add(kernel.Lookup{Table: bl.table + int32(l.tables.path.Entries),
				Code: at + int32(unknownPlane*l.codeBytes)})
			l.base[i] -= bl.gains
		}
	}
}

// list lists the lookups by class and the chunks of a sprite.
func (l *layout) list(sprite int) {
	g := &l.tables.sprites[sprite]
	groups, size := 1, len(g.runs)
	if l.tables.sides != nil {
		groups, size = max(1, groupsOf(len(g.runs))), groupSize
	}
	l.later[sprite] = make([]kernel.Lookups, groups)
	for i, r := range g.runs {
		l.later[sprite][i/size].Add(kernel.Lookup{Table: r.table, Code: l.codeAt(r.pixel) + int32(classPlane*l.codeBytes)})
	}
	for _, p := range g.at {
		l.chunks[sprite].Add(p.y*int32(l.strengthPitch) + p.x)
	}
}

// codeAt returns where the codes of the blocks at a frame's pixel begin.
func (l *layout) codeAt(p pixel) int32 {
	y, x := int(p.y), int(p.x)
	if !l.narrow {
		return int32(y*l.planeW + x)
	}
	step := l.grid.StepY
	return int32(((x*step+y%step)*l.rows + y/step) * l.grid.NX)
}

// outside reports whether a block votes outside the image at some shift.
func (l *layout) outside(bl block) bool {
	g := l.grid
	return int(bl.y)+g.DY0 < 0 || int(bl.last.y)+g.DY0+(g.NY-1)*g.StepY >= l.height ||
		int(bl.x)+g.DX0 < 0 || int(bl.last.x)+g.DX0+(g.NX-1)*g.StepX >= l.width
}

// scale returns the base and the step of bounds of a sprite.
func (l *layout) scale(sprite int, s state) (base, step float64) {
	g := &l.tables.sprites[sprite]
	if s.later {
		return g.baseRuns, g.stepRuns
	}
	return l.base[sprite], g.step
}

// lane returns the row and column of a lane in the grid; it is not ok where the
// lane is no candidate.
func (l *layout) lane(i int) (a, b int, ok bool) {
	a, b = i/l.pitch, i%l.pitch
	return a, b, i < l.lanes && b < l.grid.NX
}

// planes holds an image and its composition, laid out.
type planes struct {
	raw   []byte    // classes of the pixels of the plane, with a margin
	whole []byte    // narrow: the plane of codes before it is copied out
	codes []byte    // the planes of codes
	off   []float32 // -log of what the composition gives a pixel that is off; far elsewhere
	on    []float32 // log of what it gives a pixel that is on; far elsewhere

	// The plane rows [from, end) of classes have changed since they were encoded.
	from, end int
}

// margin is the bytes beyond a plane's row that may be read.
const margin = 16

// set lays an image out in abstention.
func (p *planes) set(l *layout, x []uint8) {
	p.setRaw(l, x)
	p.codes = resize(p.codes, planesOfCodes*l.codeBytes)
	p.encode(l, onPlane, 0, l.planeH)
	if l.unknown || l.edges {
		p.encode(l, unknownPlane, 0, l.planeH)
	}
	p.from, p.end = 0, l.planeH
}

// classify makes the codes of classes current.
func (p *planes) classify(l *layout) {
	if p.from < p.end {
		p.encode(l, classPlane, p.from, p.end)
		p.from, p.end = l.planeH, 0
	}
}

// reclass gives pixel (r, c) of the plane another class.
func (p *planes) reclass(l *layout, r, c int, class byte) {
	if at := r*(l.planeW+margin) + c; p.raw[at] != class {
		p.raw[at] = class
		p.from, p.end = min(p.from, r), max(p.end, r+1)
	}
}

// setRaw lays out the classes of abstention: the values of the pixels.
func (p *planes) setRaw(l *layout, x []uint8) {
	pitch := l.planeW + margin
	p.raw = resize(p.raw, (l.planeH+2)*pitch)
	for i := range p.raw {
		p.raw[i] = Unknown
	}
	l.eachRow(func(r, c, i, n int) { copy(p.raw[r*pitch+c:], x[i:i+n]) })
}

// eachRow calls f for the rows of the image in the plane: n pixels from image
// pixel i on lie at (r, c).
func (l *layout) eachRow(f func(r, c, i, n int)) {
	g := l.grid
	c, end := max(0, -g.DX0), min(l.planeW, l.width-g.DX0)
	if c >= end {
		return
	}
	for r := max(0, -g.DY0); r < min(l.planeH, l.height-g.DY0); r++ {
		f(r, c, (r+g.DY0)*l.width+c+g.DX0, end-c)
	}
}

// encode makes at least rows [from, end) of a plane of codes.
func (p *planes) encode(l *layout, plane, from, end int) {
	codes := p.codes[plane*l.codeBytes : (plane+1)*l.codeBytes]
	if !l.narrow {
		// A row is written in words, which go on into the next.
		next := codes[end*l.planeW:]
		kept := load(next)
		p.encodeRows(l, codes, plane, from, end)
		save(next, kept)
		return
	}
	p.whole = resize(p.whole, l.planeH*l.planeW+l.grid.StepY*l.planeW+kernel.Spill)
	p.encodeRows(l, p.whole, plane, 0, l.planeH)
	g, at := l.grid, 0
	for x := range l.planeW - (g.NX-1)*g.StepX {
		for phase := range g.StepY {
			rows := (l.planeH - phase + g.StepY - 1) / g.StepY
			copyOut(l.tables.path, codes[at:], p.whole[phase*l.planeW+x:], rows, g.NX, g.StepY*l.planeW, g.StepX)
			at += l.rows * g.NX
		}
	}
}

// copyOut sets to[r*width+i] to from[r*pitch+i*step], and perhaps some more.
func copyOut(path *kernel.Path, to, from []byte, rows, width, pitch, step int) {
	if step == 1 {
		path.Copy(to, from, rows, width, pitch)
		return
	}
	for r := range rows {
		for i := range width {
			to[r*width+i] = from[r*pitch+i*step]
		}
	}
}

// load and save read and write eight bytes as a number.
func load(b []byte) uint64    { return binary.LittleEndian.Uint64(b) }
func save(b []byte, x uint64) { binary.LittleEndian.PutUint64(b, x) }

// encodeRows makes the codes of plane rows [from, end) in the order of the plane,
// eight at a time. A row may write beyond its end, where the next one is written
// later.
func (p *planes) encodeRows(l *layout, codes []byte, plane, from, end int) {
	const ones = 0x0101010101010101
	pitch, columns := l.planeW+margin, l.tables.path.Columns
	for r := from; r < end; r++ {
		above, below := p.raw[r*pitch:(r+1)*pitch], p.raw[(r+1)*pitch:(r+2)*pitch]
		to := codes[r*l.planeW:]
		for c := 0; c < l.planeW; c += 8 {
			var code uint64
			switch {
			case plane == classPlane:
				code = load(above[c:])
				if l.tables.path.Pixels > 1 && l.tables.sides == nil {
					code |= load(above[c+1:]) << classBits
				}
			default:
				for d := range columns {
					u, v := load(above[c+d:])>>plane&ones, load(below[c+d:])>>plane&ones
					code |= u<<d | v<<(d+columns)
				}
			}
			save(to[c:], code)
		}
	}
}

// setStrengths lays out the strengths of abstention, by pixel value.
func (p *planes) setStrengths(l *layout, x []uint8) {
	if l.tables.sides != nil {
		return // gains of two sides are scored one by one
	}
	n := l.planeH*l.strengthPitch + kernel.Chunk
	p.off, p.on = resize(p.off, n), resize(p.on, n)
	for i := range p.off {
		p.off[i] = far
	}
	copy(p.on, p.off)
	c := &l.tables.classes
	offs := [4]float32{Off: float32(c.baseOff), On: far, Unknown: far}
	ons := [4]float32{Off: far, On: float32(c.baseOn), Unknown: far}
	l.eachRow(func(r, c, i, n int) {
		at := r*l.strengthPitch + c
		off, on := p.off[at:at+n], p.on[at:at+n]
		for j, x := range x[i : i+n] { // without a branch, which the processor could not predict
			off[j], on[j] = offs[x&3], ons[x&3]
		}
	})
}

// copyFrom makes p a copy of o.
func (p *planes) copyFrom(o *planes) {
	p.raw, p.codes = append(p.raw[:0], o.raw...), append(p.codes[:0], o.codes...)
	p.off, p.on = append(p.off[:0], o.off...), append(p.on[:0], o.on...)
	p.from, p.end = o.from, o.end
}
