package render

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/diagnose/words"
)

// Rows is a picture of a table of bits: its first rows as cells under the names
// of the columns, and the share of ones in each column as bars. It is a
// [Picture]; it must not change while it is drawn.
type Rows struct {
	Title string
	Facts []Fact // below the title

	Columns []string        // names, one for each column of the rows; nil: none
	Names   []string        // of the rows; may be nil
	Rows    []*bitmap.Image // of height 1, all of one width
	Tiles   []*image.RGBA   // rows in colours, of height 1, instead of Rows

	// Shares are the shares of ones, one for each column of the rows; NaN where
	// nothing is known.
	Shares []float64
	Bars   string // what Shares are; "" means the share of ones
	NoBars bool   // Shares only say how many columns there are

	Legend []Swatch
}

// These constants are lengths in pixels.
const (
	cellSide    = 16   // the largest cell of a table
	cellSmall   = 6    // the least height of a cell
	namedCell   = 12   // the least width of a column with its name
	rowsWidth   = 1120 // what the columns of a table take at most, if each has a pixel or more
	barsHeight  = 56   // of the bars of shares
	longestName = 28   // characters of a name
)

// barColour is the blue of bars.
var barColour = hues[2]

// scene lays the picture out: names, bars, cells.
func (r Rows) scene() *scene {
	sc := &scene{}
	y := margin
	if title := lines(r.Title); title != nil {
		y = sc.text(margin, y, titleStyle, start, title...) + 8
	}
	y = placeFacts(sc, r.Facts, y)
	columns := len(r.Shares)
	cell := min(max(rowsWidth/max(columns, 1), 1), cellSide)
	left := margin
	for _, name := range r.Names {
		left = max(left, margin+captionStyle.width([]string{shorten(name)})+8)
	}
	if !r.NoBars {
		left = max(left, margin+captionStyle.width([]string{r.bars()})+8)
	}
	if cell >= namedCell && r.Columns != nil {
		y = r.placeNames(sc, left, y, cell) + 6
	}
	y = r.placeBars(sc, left, y, cell) + 8
	y = r.placeCells(sc, left, y, cell)
	sc.width = left + columns*cell + margin
	y = Sheet{Legend: r.Legend}.placeLegend(sc, y, max(sc.width, 480)-margin)
	sc.height = y + margin
	sc.fitTexts()
	return sc
}

// placeNames writes the names of the columns upwards.
func (r Rows) placeNames(sc *scene, left, y, cell int) int {
	long := 0
	for _, name := range r.Columns {
		long = max(long, captionStyle.width([]string{shorten(name)}))
	}
	for x, name := range r.Columns {
		sc.texts = append(sc.texts, placedText{line: shorten(name), x: left + x*cell + cell/2 + captionStyle.size/3,
			y: y + long, style: captionStyle, from: start, up: true})
	}
	return y + long
}

// placeBars draws the shares of ones.
func (r Rows) placeBars(sc *scene, left, y, cell int) int {
	if len(r.Shares) == 0 || r.NoBars {
		return y
	}
	tile := image.NewRGBA(image.Rect(0, 0, cell*len(r.Shares), barsHeight))
	fill(tile, tile.Rect, white)
	gap := btoi(cell > 3)
	for x, share := range r.Shares {
		at := image.Rect(x*cell, 0, (x+1)*cell-gap, barsHeight)
		fill(tile, at, color.RGBA{0xf4, 0xf4, 0xf4, 0xff})
		if math.IsNaN(share) {
			continue
		}
		height := int(math.Round(clamp(share) * barsHeight))
		if share > 0 {
			height = max(height, 1)
		}
		at.Min.Y = barsHeight - height
		fill(tile, at, barColour)
	}
	sc.tiles = append(sc.tiles, placedTile{image: tile, at: tile.Rect.Add(image.Pt(left, y))})
	sc.text(left-8, y+(barsHeight-captionStyle.lineHeight())/2, captionStyle, end, r.bars())
	y += barsHeight
	if cell >= cellSide {
		for x, share := range r.Shares {
			if !math.IsNaN(share) {
				sc.text(left+x*cell+(cell-gap)/2, y, smallStyle, middle, fmt.Sprintf("%.0f", 100*share))
			}
		}
		y += smallStyle.lineHeight()
	}
	return y
}

// bars returns what the shares are called.
func (r Rows) bars() string { return cmp.Or(r.Bars, "share of ones") }

// placeCells draws the rows.
func (r Rows) placeCells(sc *scene, left, y, cell int) int {
	n, columns := max(len(r.Rows), len(r.Tiles)), len(r.Shares)
	if n == 0 {
		return y
	}
	height, gap := max(cell, cellSmall), btoi(cell > 3)
	if r.Names != nil {
		height = max(height, captionStyle.lineHeight())
	}
	tile := image.NewRGBA(image.Rect(0, 0, cell*columns, height*n))
	fill(tile, tile.Rect, white)
	for i := range n {
		for x := range columns {
			at := image.Rect(x*cell, i*height, (x+1)*cell-gap, (i+1)*height-1)
			switch {
			case r.Tiles != nil:
				fill(tile, at, r.Tiles[i].RGBAAt(x, 0))
			case !r.Rows[i].Known(0, x):
				hatch(tile, at)
			case r.Rows[i].At(0, x):
				fill(tile, at, unexplained)
			default:
				fill(tile, at, color.RGBA{0xf4, 0xf4, 0xf4, 0xff})
			}
		}
		if i < len(r.Names) {
			sc.text(left-8, y+i*height+(height-captionStyle.lineHeight())/2-1, captionStyle, end, shorten(r.Names[i]))
		}
	}
	sc.tiles = append(sc.tiles, placedTile{image: tile, at: tile.Rect.Add(image.Pt(left, y))})
	return y + tile.Rect.Dy()
}

// hatch fills a rectangle with the pattern of what is unknown: stripes of the
// two tints.
func hatch(tile *image.RGBA, at image.Rectangle) {
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			tile.SetRGBA(x, y, unknownTints[(x+y)/3%2])
		}
	}
}

// shorten returns a name of at most longestName characters.
func shorten(name string) string {
	return words.Clip(clean(name), longestName)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Size returns the picture's width and height in pixels.
func (r Rows) Size() (width, height int) { return r.scene().Size() }

// Raster draws the picture.
func (r Rows) Raster() *image.RGBA { return r.scene().Raster() }

// SVG writes the picture as vectors with real text.
func (r Rows) SVG(w io.Writer) error { return r.scene().SVG(w) }

// Thumbnail returns a tile reduced by a whole number so that its
// longer side is at most side: each pixel is the mean of a square.
func Thumbnail(tile *image.RGBA, side int) *image.RGBA {
	k := (max(tile.Rect.Dy(), tile.Rect.Dx()) + side - 1) / max(side, 1)
	if k <= 1 {
		return tile
	}
	return reduce(tile, k)
}

// Unknown is the entry of a legend for what is unknown.
func Unknown(text string) Swatch { return Swatch{unknownTints[0], text} }
