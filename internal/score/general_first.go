package score

import "example.com/patchwork/internal/elem"

// This file makes the gains of the general engine from abstention.

// scoreOneByOne scores every candidate by Field.Gain, where there is nothing to
// share between shifts.
func (e *general) scoreOneByOne() {
	for c := range e.gains {
		e.tick()
		g := e.Gain(e.grid.At(c))
		e.gains[c] = g.Nats + float64(float64(g.Possible)*e.Bank.impossible)
	}
}

// plane lists the ink and the unknown pixels of the image by the rows that
// shifted sprites meet: plane row r is image row DY0+r, likewise columns; what
// lies outside the image is unknown.
type plane struct {
	height, width int
	ink, unknown  columns
	sums          []float64 // scratch of correlate
}

// columns lists, for each plane row, the columns where something holds; from
// is the prefix count: the columns >= x of row r start at list[from[r][x]].
type columns struct {
	list []int32
	from []int32 // plane.height rows of plane.width+1 prefix counts
}

// set lists the pixels of an image.
func (p *plane) set(f *Field, g Grid) {
	p.height = f.Bank.Height + (g.NY-1)*g.StepY
	p.width = f.Bank.Width + (g.NX-1)*g.StepX
	p.ink.reset(p.height, p.width)
	p.unknown.reset(p.height, p.width)
	for r := range p.height {
		y := r + g.DY0
		for c := range p.width {
			x, pixel := c+g.DX0, Unknown
			if y >= 0 && y < f.Height && x >= 0 && x < f.Width {
				pixel = f.X[y*f.Width+x]
			}
			switch pixel {
			case On:
				p.ink.list = append(p.ink.list, int32(c))
			case Unknown:
				p.unknown.list = append(p.unknown.list, int32(c))
			}
			p.ink.from[r*(p.width+1)+c+1] = int32(len(p.ink.list))
			p.unknown.from[r*(p.width+1)+c+1] = int32(len(p.unknown.list))
		}
		if r+1 < p.height {
			p.ink.from[(r+1)*(p.width+1)] = int32(len(p.ink.list))
			p.unknown.from[(r+1)*(p.width+1)] = int32(len(p.unknown.list))
		}
	}
}

// reset empties the lists of a plane of h x w pixels.
func (c *columns) reset(h, w int) {
	if cap(c.from) < h*(w+1) {
		c.from = make([]int32, h*(w+1))
	}
	c.from = c.from[:h*(w+1)]
	c.from[0] = 0
	c.list = c.list[:0]
}

// window returns the columns of plane row r in [x, end).
func (c *columns) window(r, x, end, width int) []int32 {
	row := c.from[r*(width+1):]
	return c.list[row[x]:row[end]]
}

// correlate scores one sprite at every shift from abstention. A voting pixel
// is worth off where the image is off and on where it is on, so its part of
// all gains is off everywhere, corrected at ink and at unknown pixels, which
// are few.
func (e *general) correlate(sprite int) {
	b, g, p := e.Bank, e.grid, &e.plane
	sp := &b.Sprites[sprite]
	gains := e.gains[sprite*g.Shifts() : (sprite+1)*g.Shifts()]
	clear(gains)
	p.sums = append(p.sums[:0], make([]float64, g.NY)...)
	baseOn, baseOff := b.finite(elem.Log(b.Q)), b.finite(elem.Log1p(-b.Q))
	reach := (g.NX-1)*g.StepX + 1
	for _, span := range sp.spans {
		e.tick()
		for x := int(span.First); x < int(span.End); x++ {
			j := int(span.Row)*b.Width + x
			off := b.finite(sp.Off[j]) - baseOff
			ink := b.finite(sp.On[j]) - baseOn - off
			for a := range g.NY {
				r := int(span.Row) + a*g.StepY
				unknown := p.unknown.window(r, x, x+reach, p.width)
				if len(unknown) == reach {
					continue
				}
				p.sums[a] += off
				row := gains[a*g.NX : (a+1)*g.NX]
				scatter(row, p.ink.window(r, x, x+reach, p.width), x, g.StepX, ink)
				if len(unknown) > 0 {
					scatter(row, unknown, x, g.StepX, -off)
				}
			}
		}
	}
	for a, sum := range p.sums {
		row := gains[a*g.NX : (a+1)*g.NX]
		for i := range row {
			row[i] += sum
		}
	}
}

// scatter adds w to row[(c-x)/step] for the columns c on the grid.
func scatter(row []float64, columns []int32, x, step int, w float64) {
	if step == 1 {
		for _, c := range columns {
			row[int(c)-x] += w
		}
		return
	}
	for _, c := range columns {
		if d := int(c) - x; d%step == 0 {
			row[d/step] += w
		}
	}
}
