package sheets

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/internal/score/kernel"
)

// mesh is a grid of square cells over the page: a code at each place says how much ink,
// unknown pixels counted, is in the cell whose corner it is.
type mesh struct {
	side int // of a cell, in pixels
	step int // a code counts ink by step pixels, the last one all above
}

// code returns the code of a number of pixels.
func (m mesh) code(n, entries int) int { return min((n+m.step-1)/m.step, entries-1) }

// meshes returns the coarse and the fine mesh for sprites of a size: cells along
// their longer side.
func meshes(longer, entries int) (out [2]mesh) {
	for i, cells := range [2]int{4, 10} {
		side := 2
		for side*cells < longer {
			side += max(1, side/4)
		}
		out[i] = mesh{side, max(1, (side*16/3+entries-1)/entries)}
	}
	return out
}

// grid is the sprites of like size.
type grid struct {
	meshes  [2]mesh
	h, w    int // of the window of the first bound: no sprite is larger
	sprites []*bounded
}

// bounded is a sprite with upper bounds of its gain, one after the other: the ink in
// the window that holds it, the ink in a few large cells, that in many small ones.
type bounded struct {
	*sprite
	index  int
	ink    int32 // least ink, unknown pixels counted, in the window
	bounds [2]bound
}

// bound bounds gains by sums of tables.
type bound struct {
	least   int // no sum below it is a candidate's
	tables  []byte
	lookups kernel.Lookups
}

// grids arranges sprites by size.
func grids(sprites []*sprite, entries int) []*grid {
	type size struct {
		meshes [2]mesh
		h, w   int
	}
	up := func(n int) int { return (n + 15) &^ 15 }
	by := map[size]*grid{}
	for i, sp := range sprites {
		s := size{meshes(max(sp.h, sp.w), entries), up(sp.h), up(sp.w)}
		if by[s] == nil {
			by[s] = &grid{meshes: s.meshes, h: s.h, w: s.w}
		}
		by[s].sprites = append(by[s].sprites, &bounded{sprite: sp, index: i})
	}
	out := make([]*grid, 0, len(by))
	for _, g := range by {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *grid) int {
		return cmp.Or(cmp.Compare(a.meshes[0].side, b.meshes[0].side), cmp.Compare(a.meshes[1].side, b.meshes[1].side),
			cmp.Compare(a.h, b.h), cmp.Compare(a.w, b.w))
	})
	return out
}

// tops returns, for n = 0 to most, the largest sum of the weights of n of the pixels:
// none of them can gain more, beyond blank paper, where n pixels are ink or unknown.
func tops(pixels []int32, most int) []int32 {
	slices.SortFunc(pixels, func(a, b int32) int { return cmp.Compare(b, a) })
	out := make([]int32, most+1)
	for n := range most {
		out[n+1] = out[n]
		if n < len(pixels) {
			out[n+1] += pixels[n]
		}
	}
	return out
}

// weights appends the most that each pixel of a rectangle of the sprite can gain beyond
// blank paper when it is ink or unknown; pixels outside the sprite gain 0.
func (sp *sprite) weights(dst []int32, y0, x0, h, w int) []int32 {
	for y := y0; y < y0+h; y++ {
		for x := x0; x < x0+w; x++ {
			weight := int32(0)
			if y < sp.h && x < sp.w {
				for i := range sp.levels {
					if l := &sp.levels[i]; l.bits[y*sp.words+x/64]>>(x%64)&1 != 0 {
						weight = max(l.on-l.off, -l.off)
					}
				}
			}
			dst = append(dst, weight)
		}
	}
	return dst
}

// bound prepares the bounds of the sprites for planes of codes with rows of pitch
// bytes, and sorts the sprites by the ink that they need.
func (g *grid) bound(entries, pitch int) {
	for _, b := range g.sprites {
		b.ink = math.MaxInt32
		for n, t := range tops(b.weights(nil, 0, 0, g.h, g.w), g.h*g.w) {
			if b.blank+t >= b.need {
				b.ink = int32(n)
				break
			}
		}
		for i, m := range g.meshes {
			b.bounds[i] = b.tabulate(m, entries, pitch)
		}
	}
	slices.SortStableFunc(g.sprites, func(a, b *bounded) int { return cmp.Compare(a.ink, b.ink) })
}

// tabulate returns the bound of a sprite by the ink in the cells of a mesh.
func (sp *sprite) tabulate(m mesh, entries, pitch int) (b bound) {
	var rows [][]int32 // a table for each cell, in units
	low, span := sp.blank, int32(0)
	for y := 0; y < sp.h; y += m.side {
		for x := 0; x < sp.w; x += m.side {
			row := m.table(tops(sp.weights(nil, y, x, m.side, m.side), m.side*m.side), entries)
			least := slices.Min(row)
			most := slices.Max(row) - least
			low += least
			if most == 0 { // nothing here can say anything
				continue
			}
			for i := range row {
				row[i] -= least
			}
			span = max(span, most)
			b.lookups.Add(kernel.Lookup{Table: int32(len(rows) * entries), Code: int32(y*pitch + x)})
			rows = append(rows, row)
		}
	}
	unit := max(1, (span+254)/255)
	for _, row := range rows {
		for _, v := range row {
			b.tables = append(b.tables, byte((v+unit-1)/unit))
		}
	}
	b.least = max(0, int((sp.need-low+unit-1)/unit))
	return b
}

// table returns the most that the pixels of each code can gain.
func (m mesh) table(tops []int32, entries int) []int32 {
	row := make([]int32, entries)
	for i := range row {
		row[i] = math.MinInt32
	}
	for n, t := range tops {
		e := m.code(n, entries)
		row[e] = max(row[e], t)
	}
	for i := 1; i < entries; i++ { // codes that cannot be
		if row[i] == math.MinInt32 {
			row[i] = row[i-1]
		}
	}
	return row
}
