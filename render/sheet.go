package render

import (
	"image"
	"image/color"
	"io"
	"math"
	"slices"
)

// Tile is one cell of a Sheet.
type Tile struct {
	Image   image.Image // nil leaves the cell empty
	Caption string      // below the tile; may have several lines
}

// Fact is a line of text with a name before it.
type Fact struct{ Name, Text string }

// Swatch is an entry of a Sheet's legend.
type Swatch struct {
	Colour color.RGBA
	Text   string
}

// Sheet is a contact sheet: tiles in rows with captions, labels and a title.
// Tiles are enlarged by whole numbers, so that every pixel is a crisp square. A
// Sheet is a [Picture]; the zero values of the options are sensible. It must
// not change while it is drawn.
type Sheet struct {
	Title string
	Facts []Fact // below the title
	Tiles []Tile // row by row

	// Columns is the number of tiles in a row; 0 makes the sheet a little
	// wider than high.
	Columns int

	// Scale is the side of a tile's pixel on the sheet; 0 makes the largest
	// tile about 112 pixels long. Flat tiles (a table's template is one row)
	// become longer, about 320, with pixels higher than wide.
	Scale int

	// Gap is the space between tiles, in pixels; 0 means 8.
	Gap int

	RowLabels    []string // to the left of each row; may be short
	ColumnLabels []string // above each column; may be short

	// Breaks lists columns with extra space before them.
	Breaks []int

	// Legend is drawn below the tiles.
	Legend []Swatch
}

const (
	tileLength  = 112 // target of Scale 0, in pixels
	stripLength = 320 // the same, for tiles eight times as wide as high
	stripHeight = 24  // the minimum height of a tile
	margin      = 16
	swatchSize  = 12
)

// enlargement returns the width and height at which each pixel of a w x h tile
// is drawn. Pixels are square except in tiles that would be too flat to see.
func enlargement(w, h, scale int) (sx, sy int) {
	if w < 1 || h < 1 {
		return 1, 1
	}
	sx = scale
	if sx <= 0 {
		target := tileLength
		if w >= 8*h {
			target = stripLength
		}
		sx = max(1, target/max(w, h))
	}
	return sx, max(sx, min(stripHeight, 8*sx*h)/h)
}

// Size returns the sheet's width and height in pixels.
func (s Sheet) Size() (width, height int) { return s.scene().Size() }

// Raster draws the sheet.
func (s Sheet) Raster() *image.RGBA { return s.scene().Raster() }

// SVG writes the sheet as vectors with real text.
func (s Sheet) SVG(w io.Writer) error { return s.scene().SVG(w) }

// grid is the geometry of a sheet, in pixels.
type grid struct {
	columns, rows int
	sx, sy        int // enlargement
	left          int // of the first tile
	width, height []int
	caption       []int // height of the captions of each row
	gap, wide     int   // gaps: usual, before a break
	breaks        []int
}

// scene lays the sheet out.
func (s Sheet) scene() *scene {
	g := s.grid()
	sc := &scene{}
	y := margin
	if title := lines(s.Title); title != nil {
		y = sc.text(margin, y, titleStyle, start, title...) + 8
	}
	y = placeFacts(sc, s.Facts, y)
	y = s.placeColumnLabels(sc, g, y)
	for r := range g.rows {
		x := g.left
		if r < len(s.RowLabels) {
			label := lines(s.RowLabels[r])
			sc.text(g.left-8, y+(g.height[r]-len(label)*labelStyle.lineHeight())/2, labelStyle, end, label...)
		}
		for c := range g.columns {
			x += g.before(c)
			if i := r*g.columns + c; i < len(s.Tiles) {
				s.Tiles[i].place(sc, g, x, y, g.width[c], g.height[r])
			}
			x += g.width[c]
		}
		sc.width = max(sc.width, x+margin)
		y += g.height[r] + g.caption[r] + g.gap
	}
	y = s.placeLegend(sc, y-g.gap, max(sc.width, 480)-margin)
	sc.height = y + margin
	sc.width = max(sc.width, 2*margin)
	sc.fitTexts()
	return sc
}

// grid measures the tiles and labels.
func (s Sheet) grid() grid {
	var w, h int
	for _, t := range s.Tiles {
		if t.Image != nil {
			b := t.Image.Bounds()
			w, h = max(w, b.Dx()), max(h, b.Dy())
		}
	}
	g := grid{columns: s.Columns, gap: s.Gap, breaks: s.Breaks, left: margin}
	g.sx, g.sy = enlargement(w, h, s.Scale)
	if g.columns < 1 {
		g.columns = squarish(len(s.Tiles), w*g.sx, h*g.sy)
	}
	if g.gap < 1 {
		g.gap = 8
	}
	g.wide = 3 * g.gap
	g.rows = (len(s.Tiles) + g.columns - 1) / g.columns
	g.columns = min(g.columns, max(len(s.Tiles), 1))
	g.width, g.height, g.caption = make([]int, g.columns), make([]int, g.rows), make([]int, g.rows)
	for i, t := range s.Tiles {
		r, c := i/g.columns, i%g.columns
		g.fit(t, r, c)
	}
	for c, label := range s.ColumnLabels[:min(len(s.ColumnLabels), g.columns)] {
		g.width[c] = max(g.width[c], labelStyle.width(lines(label)))
	}
	for _, label := range s.RowLabels[:min(len(s.RowLabels), g.rows)] {
		g.left = max(g.left, margin+labelStyle.width(lines(label))+8)
	}
	return g
}

// fit makes row r and column c large enough for a tile and its caption.
func (g *grid) fit(t Tile, r, c int) {
	if t.Image != nil {
		b := t.Image.Bounds()
		g.width[c] = max(g.width[c], b.Dx()*g.sx)
		g.height[r] = max(g.height[r], b.Dy()*g.sy)
	}
	if caption := lines(t.Caption); caption != nil {
		g.width[c] = max(g.width[c], captionStyle.width(caption))
		g.caption[r] = max(g.caption[r], len(caption)*captionStyle.lineHeight()+3)
	}
}

// before returns the gap to the left of a column.
func (g *grid) before(column int) int {
	switch {
	case column == 0:
		return 0
	case slices.Contains(g.breaks, column):
		return g.wide
	}
	return g.gap
}

// squarish returns the number of columns for n tiles of w x h pixels that makes
// the whole about 3:2.
func squarish(n, w, h int) int {
	if n < 2 || w < 1 || h < 1 {
		return max(n, 1)
	}
	// h includes a caption's line
	c := math.Sqrt(1.5 * float64(n) * float64(h+20) / float64(w+8))
	columns := min(max(int(math.Round(c)), 1), n)
	rows := (n + columns - 1) / columns
	return (n + rows - 1) / rows // rows as even as possible
}

func (t Tile) place(sc *scene, g grid, x, y, width, height int) {
	if t.Image != nil {
		b := t.Image.Bounds()
		w, h := b.Dx()*g.sx, b.Dy()*g.sy
		at := image.Pt(x+(width-w)/2, y+(height-h)/2)
		sc.tiles = append(sc.tiles, placedTile{t.Image, image.Rectangle{at, at.Add(image.Pt(w, h))}, true})
	}
	sc.text(x+width/2, y+height+3, captionStyle, middle, lines(t.Caption)...)
}

// placeFacts writes facts in two columns below y, the texts wrapped.
func placeFacts(sc *scene, facts []Fact, y int) int {
	if len(facts) == 0 {
		return y
	}
	left := 0
	for _, f := range facts {
		left = max(left, factStyle.width([]string{clean(f.Name)}))
	}
	for _, f := range facts {
		sc.text(margin, y, factStyle, start, clean(f.Name))
		text := wrapped(f.Text)
		y = sc.text(margin+left+12, y, labelStyle, start, text...) + 2
		sc.width = max(sc.width, margin+left+12+labelStyle.width(text)*9/8+margin) // other fonts are wider
	}
	return y + 12
}

func (s Sheet) placeColumnLabels(sc *scene, g grid, y int) int {
	x, bottom := g.left, y
	for c, label := range s.ColumnLabels[:min(len(s.ColumnLabels), g.columns)] {
		x += g.before(c)
		bottom = max(bottom, sc.text(x+g.width[c]/2, y, labelStyle, middle, lines(label)...)+4)
		x += g.width[c]
	}
	return bottom
}

// placeLegend wraps the legend's entries into lines that end before right.
func (s Sheet) placeLegend(sc *scene, y, right int) int {
	if len(s.Legend) == 0 {
		return y
	}
	x, step := margin, captionStyle.lineHeight()+2
	y += 10
	for _, e := range s.Legend {
		text := clean(e.Text)
		w := swatchSize + 5 + captionStyle.width([]string{text})
		if x > margin && x+w > right {
			x, y = margin, y+step
		}
		sc.swatches = append(sc.swatches, placedSwatch{e.Colour, image.Rect(x, y+2, x+swatchSize, y+2+swatchSize)})
		sc.text(x+swatchSize+5, y, captionStyle, start, text)
		x += w + 16
	}
	return y + step
}
