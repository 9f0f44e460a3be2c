package render

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"example.com/patchwork/bitmap"
)

// MaxPixels is the size of the largest picture that WritePNG draws: 2^26
// pixels, 256 MiB of memory.
const MaxPixels = 1 << 26

// bestPixels is the size of the largest picture that WritePNG compresses as well as it can; a larger one of
// many alike tiles would take twenty times as long for a tenth of the bytes.
const bestPixels = 1 << 22

// Picture is a finished drawing: a [Sheet], [Rows] or a tile ([Tiled]).
// Several goroutines may call its methods at once.
type Picture interface {
	// Size returns the picture's width and height in pixels.
	Size() (width, height int)
	// Raster draws the picture at that size. It needs four bytes per pixel;
	// WritePNG checks the size first.
	Raster() *image.RGBA
	// SVG writes the picture as vectors.
	SVG(w io.Writer) error
}

// WritePNG writes a picture as PNG. The error is the writer's, or says that
// the picture has more than MaxPixels pixels.
func WritePNG(w io.Writer, p Picture) error {
	if err := checkSize(p); err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if w, h := p.Size(); w*h > bestPixels {
		encoder.CompressionLevel = png.DefaultCompression
	}
	return encoder.Encode(w, p.Raster())
}

// checkSize rejects pictures that would exhaust memory.
func checkSize(p Picture) error {
	if w, h := p.Size(); h > 0 && w > MaxPixels/h {
		return fmt.Errorf("render: a picture of %d x %d pixels is too large to draw (the limit is %d pixels); show fewer "+
			"tiles or use a smaller scale", w, h, MaxPixels)
	}
	return nil
}

// WriteSVG writes a picture as SVG with real text. It joins pixels of equal
// colour to rectangles, so simple pictures are small. The error is the
// writer's.
func WriteSVG(w io.Writer, p Picture) error { return p.SVG(w) }

// Tiled returns a picture of one tile, each of its pixels enlarged to scale x
// scale (0: as for a [Sheet]), without border or text.
func Tiled(tile image.Image, scale int) Picture {
	b := tile.Bounds()
	sx, sy := enlargement(b.Dx(), b.Dy(), scale)
	s := &scene{width: b.Dx() * sx, height: b.Dy() * sy}
	s.tiles = []placedTile{{tile, image.Rect(0, 0, s.width, s.height), false}}
	return s
}

// WritePage writes an image as PNG, black on white, a pixel for each of its pixels
// whatever its size. The error is the writer's.
func WritePage(w io.Writer, m *bitmap.Image) error {
	page := image.NewPaletted(image.Rect(0, 0, m.Width(), m.Height()), color.Palette{white, black})
	m.AppendBytes(page.Pix[:0])
	return png.Encode(w, page)
}
