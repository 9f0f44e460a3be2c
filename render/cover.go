package render

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"

	"example.com/patchwork/table/blocks"
)

const (
	blocksSide  = 480  // target of the longer side of a table, in pixels
	largestCell = 20   // the side of a cell of a small table
	mostCells   = 1400 // of more rows or columns several share a pixel
	mostInOrder = 12   // blocks in the legend: those with colours picked by hand
)

// Cover returns a picture of a table and of its blocks: the cells as they come, and again with
// rows and columns in the order of their blocks, each one in the colour ([Hue], from 0 in
// the order of the cover) of the largest block that has it. Ones that no block has are
// black, zeros that a block has yellow. Of a table with more than
// 1,400 rows or columns several share a pixel.
func Cover(m *blocks.Matrix, c *blocks.Cover) Sheet {
	t := colouredTable(m, c)
	rows, columns := byBlocks(m.Rows(), c.Blocks, func(b blocks.Block) []int32 { return b.Rows }),
		byBlocks(m.Columns, c.Blocks, func(b blocks.Block) []int32 { return b.Columns })
	s := Sheet{Columns: 2, Gap: 24,
		Scale: min(largestCell, max(1, blocksSide/max(1, min(m.Rows(), mostCells), min(m.Columns, mostCells))))}
	s.Tiles = []Tile{
		{t.tile(inOrder(m.Rows()), inOrder(m.Columns), plainColour), "as it comes"},
		{t.tile(rows, columns, blockColour), "rows and columns in the order of the blocks"},
	}
	if m.Columns > 2*m.Rows() {
		s.Columns = 1
	}
	for k, b := range c.Blocks[:min(len(c.Blocks), mostInOrder)] {
		s.Legend = append(s.Legend, Swatch{Hue(k), fmt.Sprintf("block %d: %d x %d", k+1, len(b.Rows), len(b.Columns))})
	}
	if n := len(c.Blocks) - mostInOrder; n > 0 {
		s.Legend = append(s.Legend, Swatch{Hue(mostInOrder), fmt.Sprintf("and %d more, in other colours", n)})
	}
	if len(c.Added) > 0 {
		s.Legend = append(s.Legend, Swatch{blockColour(added), "added"})
	}
	if len(c.Left) > 0 {
		s.Legend = append(s.Legend, Swatch{blockColour(left), "in no block"})
	}
	if m.Either != nil {
		s.Legend = append(s.Legend, Unknown("unknown"))
	}
	return s
}

// What a cell is if no block has it, or it is not one.
const (
	left  int32 = -1 - iota // a one that no block has
	added                   // a zero that a block has
	open                    // unknown
)

// plainColour returns the colour of a cell as it comes.
func plainColour(k int32) color.RGBA {
	switch k {
	case added:
		return white
	case open:
		return unknownTints[0]
	}
	return black
}

// blockColour returns the colour of a cell among blocks.
func blockColour(k int32) color.RGBA {
	switch k {
	case left:
		return black
	case added:
		return yellow
	case open:
		return unknownTints[0]
	}
	return Hue(int(k))
}

// cells are what the cells of a table are, row by row: blocks from 0, or left, added, open;
// those that are absent are zeros in no block.
type cells struct {
	columns int
	rows    []map[int32]int32
}

func colouredTable(m *blocks.Matrix, c *blocks.Cover) cells {
	t := cells{columns: m.Columns, rows: make([]map[int32]int32, m.Rows())}
	for i, ones := range m.Ones {
		t.rows[i] = make(map[int32]int32, len(ones))
		for _, d := range ones {
			t.rows[i][d] = left
		}
		if m.Either != nil {
			for _, d := range m.Either[i] {
				t.rows[i][d] = open
			}
		}
	}
	for k := len(c.Blocks) - 1; k >= 0; k-- { // the largest comes last, and stays
		for _, i := range c.Blocks[k].Rows {
			for _, d := range c.Blocks[k].Columns {
				if _, one := t.rows[i][d]; one {
					t.rows[i][d] = int32(k)
				}
			}
		}
	}
	for _, cell := range c.Added {
		t.rows[cell.Row][cell.Column] = added
	}
	return t
}

// tile returns the cells in an order of rows and columns.
func (t cells) tile(rows, columns []int, colour func(int32) color.RGBA) *image.RGBA {
	h, w := min(len(rows), mostCells), min(len(columns), mostCells)
	at := make([]int, len(columns)) // the place of each column
	for x, d := range columns {
		at[d] = x * w / len(columns)
	}
	sums, share := make([][3]int, h*w), make([]int, h*w)
	for y, i := range rows {
		line := y * h / len(rows) * w
		for d, k := range t.rows[i] {
			c := colour(k)
			s := &sums[line+at[d]]
			s[0], s[1], s[2] = s[0]+int(c.R), s[1]+int(c.G), s[2]+int(c.B)
			share[line+at[d]]++
		}
	}
	return paint(h, w, func(p int) color.RGBA {
		// Each of several cells has a share of the pixel; the others are white.
		all := (spread(p/w, h, len(rows))) * spread(p%w, w, len(columns))
		mean := func(sum int) uint8 { return uint8((sum + 255*(all-share[p]) + all/2) / all) }
		return color.RGBA{mean(sums[p][0]), mean(sums[p][1]), mean(sums[p][2]), 0xff}
	})
}

// spread returns how many of n lines share line y of h.
func spread(y, h, n int) int { return ((y+1)*n+h-1)/h - (y*n+h-1)/h }

func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// byBlocks returns n rows or columns in the order of the blocks that they are in: those of the
// first block come first, of these those of the second, and so on.
func byBlocks(n int, all []blocks.Block, lines func(blocks.Block) []int32) []int {
	in := make([][]int, n)
	for k, b := range all {
		for _, i := range lines(b) {
			in[i] = append(in[i], k)
		}
	}
	out := inOrder(n)
	slices.SortStableFunc(out, func(a, b int) int {
		for j := 0; j < len(in[a]) && j < len(in[b]); j++ {
			if c := cmp.Compare(in[a][j], in[b][j]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(in[b]), len(in[a]))
	})
	return out
}
