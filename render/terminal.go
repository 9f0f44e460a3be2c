package render

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	xdraw "golang.org/x/image/draw"

	"example.com/patchwork/diagnose/words"
)

// Colours says which colours a terminal can show.
type Colours uint8

const (
	// Blocks has no colour: half blocks and shades, for pipes and NO_COLOR.
	Blocks Colours = iota
	// Colours256 has the 216 colours and 24 greys of xterm.
	Colours256
	// TrueColour has 24 bits per pixel.
	TrueColour
)

// DetectColours chooses from the environment by the usual conventions: NO_COLOR
// and TERM=dumb forbid colour (https://no-color.org), COLORTERM announces 24
// bits, and output that is not a terminal gets no colour.
func DetectColours(getenv func(string) string, isTerminal bool) Colours {
	switch {
	case !isTerminal || getenv("NO_COLOR") != "" || getenv("TERM") == "dumb":
		return Blocks
	case getenv("COLORTERM") == "truecolor" || getenv("COLORTERM") == "24bit":
		return TrueColour
	}
	return Colours256
}

// TerminalOptions describes the terminal.
type TerminalOptions struct {
	Width   int // of the terminal, in characters; 0 means 80
	Colours Colours
}

func (o TerminalOptions) width() int {
	if o.Width <= 0 {
		return 80
	}
	return o.Width
}

const (
	terminalGap  = 2  // blank columns between tiles
	smallTile    = 16 // narrower tiles are enlarged
	leastTile    = 28 // rather than reduce a tile below this, break the row
	leastCaption = 12 // room for a caption
)

// TerminalSheet writes a sheet as text, tiles side by side with labels and
// captions. Tiles are reduced until a row fits the terminal, but not below 28
// characters: then the row is broken. Scale and Gap do not apply; the legend
// appears only in colour. The error is the writer's.
func TerminalSheet(w io.Writer, s Sheet, o TerminalOptions) error {
	b := bufio.NewWriter(w)
	if s.Title != "" {
		fmt.Fprintf(b, "%s\n\n", clean(s.Title))
	}
	for _, f := range s.Facts {
		fmt.Fprintf(b, "%s: %s\n", clean(f.Name), clean(f.Text))
	}
	g := s.grid()
	columns, width := s.fitTerminal(g.columns, o.width())
	for r := range g.rows {
		if r < len(s.RowLabels) && s.RowLabels[r] != "" {
			fmt.Fprintf(b, "%s\n", clean(s.RowLabels[r]))
		}
		row := s.Tiles[r*g.columns : min((r+1)*g.columns, len(s.Tiles))]
		for c := 0; c < len(row); c += columns {
			last := min(c+columns, len(row))
			labels := s.ColumnLabels[min(c, len(s.ColumnLabels)):min(last, len(s.ColumnLabels))]
			if r == 0 || columns < g.columns {
				writeTexts(b, labels, width)
			}
			o.writeTiles(b, row[c:last], width)
		}
	}
	o.writeLegend(b, s.Legend)
	return b.Flush()
}

// writeLegend wraps the legend's entries into lines.
func (o TerminalOptions) writeLegend(b *bufio.Writer, legend []Swatch) {
	if len(legend) == 0 || o.Colours < Colours256 {
		return
	}
	used := 0
	for _, e := range legend {
		text := []rune(clean(e.Text))
		text = text[:min(len(text), max(o.width()-3, 0))]
		if used > 0 && used+3+len(text) > o.width() {
			b.WriteByte('\n')
			used = 0
		}
		if used > 0 {
			b.WriteString("  ")
		}
		swatch := cell{o.escape("38", e.Colour), "█"}
		b.WriteString(line([]cell{swatch, swatch}[:min(2, o.width()-used)]))
		if len(text) > 0 {
			b.WriteString(" " + string(text))
		}
		used += 3 + len(text) + 2
	}
	b.WriteString("\n\n")
}

// fitTerminal returns the number of tiles in a line and the characters
// available to each, for rows of the given number of columns.
func (s Sheet) fitTerminal(columns, total int) (fit, width int) {
	widest := leastCaption
	for _, t := range s.Tiles {
		if t.Image != nil {
			w := t.Image.Bounds().Dx()
			widest = max(widest, w*magnification(w))
		}
	}
	least := min(widest, leastTile)
	fit = min(columns, max(1, (total+terminalGap)/(least+terminalGap)))
	parts := (columns + fit - 1) / fit
	fit = (columns + parts - 1) / parts // break a row evenly
	return fit, min(widest, (total+terminalGap)/fit-terminalGap)
}

// writeTiles writes tiles side by side in columns of the given width, then
// their captions.
func (o TerminalOptions) writeTiles(b *bufio.Writer, tiles []Tile, width int) {
	var pictures [][][]cell
	var captions []string
	height := 0
	for _, t := range tiles {
		var rows [][]cell
		if t.Image != nil {
			rows = o.cells(resize(flat(t.Image), width))
		}
		pictures, captions = append(pictures, rows), append(captions, t.Caption)
		height = max(height, len(rows))
	}
	for y := range height {
		var out strings.Builder
		for _, rows := range pictures {
			var row []cell
			if y < len(rows) {
				row = rows[y]
			}
			out.WriteString(line(row) + strings.Repeat(" ", width-len(row)+terminalGap))
		}
		b.WriteString(strings.TrimRight(out.String(), " ") + "\n")
	}
	writeTexts(b, captions, width)
	b.WriteByte('\n')
}

// writeTexts writes texts of several lines each in columns of the given width,
// truncating long ones; nothing if all are empty.
func writeTexts(b *bufio.Writer, texts []string, width int) {
	var columns [][]string
	height := 0
	for _, t := range texts {
		columns = append(columns, lines(t))
		height = max(height, len(lines(t)))
	}
	for y := range height {
		var out strings.Builder
		for _, c := range columns {
			text := ""
			if y < len(c) {
				text = c[y]
			}
			text = words.Clip(text, width)
			out.WriteString(text + strings.Repeat(" ", width-utf8.RuneCountInString(text)+terminalGap))
		}
		b.WriteString(strings.TrimRight(out.String(), " ") + "\n")
	}
}

// magnification returns the largest integer factor, at least 1, that keeps a
// tile of width w within smallTile.
func magnification(w int) int { return max(1, smallTile/max(w, 1)) }

// resize fits a tile to width: it enlarges a small one by an integer factor,
// and to a height of two pixels, a line of text; it reduces a large one by an
// integer factor, so that each pixel is the mean of a square.
func resize(tile *image.RGBA, width int) *image.RGBA {
	w, h := tile.Rect.Dx(), tile.Rect.Dy()
	if w <= width {
		sx := max(1, min(magnification(w), width/max(w, 1)))
		sy := sx
		if h == 1 {
			sy = max(sx, 2)
		}
		large := image.NewRGBA(image.Rect(0, 0, w*sx, h*sy))
		xdraw.NearestNeighbor.Scale(large, large.Rect, tile, tile.Rect, xdraw.Src, nil)
		return large
	}
	return reduce(tile, (w+width-1)/width)
}

// reduce returns a tile in which each pixel is the mean of a square of factor x
// factor.
func reduce(tile *image.RGBA, factor int) *image.RGBA {
	w, h := tile.Rect.Dx(), tile.Rect.Dy()
	small := image.NewRGBA(image.Rect(0, 0, (w+factor-1)/factor, (h+factor-1)/factor))
	// A canvas of complete squares, so that all pixels have the same weight.
	whole := image.NewRGBA(image.Rect(0, 0, small.Rect.Dx()*factor, small.Rect.Dy()*factor))
	fill(whole, whole.Rect, white)
	xdraw.Draw(whole, tile.Rect, tile, image.Point{}, xdraw.Src)
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			small.SetRGBA(x, y, mean(whole, x*factor, y*factor, factor))
		}
	}
	return small
}

func mean(tile *image.RGBA, x0, y0, side int) color.RGBA {
	var r, g, b int
	for y := y0; y < y0+side; y++ {
		for x := x0; x < x0+side; x++ {
			c := tile.RGBAAt(x, y)
			r, g, b = r+int(c.R), g+int(c.G), b+int(c.B)
		}
	}
	n := side * side
	return color.RGBA{uint8((r + n/2) / n), uint8((g + n/2) / n), uint8((b + n/2) / n), 0xff}
}

// cell is a character and the escape codes it needs ("" for none).
type cell struct {
	colour string
	glyph  string
}

// cells converts a tile to rows of characters, two rows of pixels each.
func (o TerminalOptions) cells(tile *image.RGBA) [][]cell {
	var rows [][]cell
	for y := 0; y < tile.Rect.Dy(); y += 2 {
		row := make([]cell, tile.Rect.Dx())
		for x := range row {
			bottom := y + 1
			row[x] = o.cell(tile.RGBAAt(x, y), tile.RGBAAt(x, min(bottom, tile.Rect.Dy()-1)), bottom < tile.Rect.Dy())
		}
		rows = append(rows, row)
	}
	return rows
}

// cell returns the character for two pixels; the last row of a tile of odd
// height has only a top.
func (o TerminalOptions) cell(top, bottom color.RGBA, both bool) cell {
	switch o.Colours {
	case TrueColour, Colours256:
		code := o.escape("38", top) + ";49"
		if both {
			code = o.escape("38", top) + ";" + o.escape("48", bottom)
		}
		return cell{code, "▀"}
	}
	t, b := darkness(top), darkness(bottom)
	if !both {
		b = 0
	}
	switch {
	case t > 0.7 && b < 0.3:
		return cell{"", "▀"}
	case t < 0.3 && b > 0.7:
		return cell{"", "▄"}
	}
	return cell{"", shade((t + b) / 2)}
}

var blockShades = []string{" ", "░", "▒", "▓", "█"}

func shade(darkness float64) string {
	return blockShades[int(math.Round(darkness*float64(len(blockShades)-1)))]
}

// darkness returns 0 for white to 1 for black and near black, perceptually even
// in between: characters have little contrast, and dark hues should look solid.
func darkness(c color.RGBA) float64 { return clamp(1.35 * (1 - toOklab(c)[0])) }

// escape returns the SGR code of a colour, for the foreground (38) or
// background (48).
func (o TerminalOptions) escape(ground string, c color.RGBA) string {
	if o.Colours == TrueColour {
		return fmt.Sprintf("%s;2;%d;%d;%d", ground, c.R, c.G, c.B)
	}
	return fmt.Sprintf("%s;5;%d", ground, xterm(c))
}

// xterm returns the nearest colour of the 6x6x6 cube (16..231) and the greys
// (232..255).
func xterm(c color.RGBA) int {
	levels := [6]int{0, 95, 135, 175, 215, 255}
	nearest := func(v uint8) int {
		best := 0
		for i, l := range levels {
			if abs(int(v)-l) < abs(int(v)-levels[best]) {
				best = i
			}
		}
		return best
	}
	distance := func(r, g, b int) int {
		dr, dg, db := int(c.R)-r, int(c.G)-g, int(c.B)-b
		return dr*dr + dg*dg + db*db
	}
	r, g, b := nearest(c.R), nearest(c.G), nearest(c.B)
	mean := (int(c.R) + int(c.G) + int(c.B)) / 3
	i := min(max((mean-8+5)/10, 0), 23)
	if v := 8 + 10*i; distance(v, v, v) < distance(levels[r], levels[g], levels[b]) {
		return 232 + i
	}
	return 16 + 36*r + 6*g + b
}

func abs(v int) int { return max(v, -v) }

// line joins characters, with escape codes only where the colour changes, and
// resets the colours at the end.
func line(row []cell) string {
	var b strings.Builder
	last := ""
	for _, c := range row {
		if c.colour != last {
			b.WriteString("\x1b[" + c.colour + "m")
			last = c.colour
		}
		b.WriteString(c.glyph)
	}
	if last != "" {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}
