package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	xdraw "image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// pictureFormats names the formats of pictures that are read, for messages.
const pictureFormats = "PNG, JPEG, GIF, TIFF, WebP or BMP"

const notPicture = "named like a picture, but it is not " + pictureFormats

// raster is a format of pictures that a library decodes.
type raster struct {
	name   string
	magic  func(head []byte) bool
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)

	// expands is the largest number of bytes of pixels, as the format counts
	// them, that one byte of a file can stand for. The decoders allocate a
	// picture before they read it; this keeps a short file from claiming a
	// large one.
	expands int64

	// check, if not nil, looks at the file before it is decoded, and returns the
	// number of frames or pages; turn, if not nil, returns the orientation of Exif,
	// 1 to 8.
	check func(data []byte) (parts int, err error)
	turn  func(data []byte) int
	parts string // what check counts
}

// rasters are the formats. One byte of deflated data expands to at most 1032
// (258 for two bits). An LZW code of 12 bits stands for up to 4096 pixels of a
// GIF picture, a row of a fax takes a bit or more, and a picture of one colour
// takes next to nothing as WebP: 4096 leaves room for blank pages. A block of a
// JPEG picture, 64 pixels, takes a bit or more. BMP is not compressed.
var rasters = []raster{
	{name: "PNG", magic: begins("\x89PNG\r\n"), config: png.DecodeConfig, decode: png.Decode, expands: 1032},
	{name: "JPEG", magic: begins("\xff\xd8\xff"), config: jpegConfig, decode: jpeg.Decode, expands: 512,
		turn: jpegOrientation},
	{name: "GIF", magic: begins("GIF8"), config: gif.DecodeConfig, decode: decodeGIF, expands: 4096 / 8},
	{name: "TIFF", magic: begins("II*\x00", "MM\x00*"), config: tiff.DecodeConfig, decode: tiff.Decode,
		expands: 4096,
		check:   checkTIFF, turn: tiffOrientation, parts: "pages"},
	{name: "WebP", magic: isWebP, config: webp.DecodeConfig, decode: webp.Decode, expands: 4096,
		turn: webpOrientation},
	{name: "BMP", magic: isBMP, config: bmp.DecodeConfig, decode: bmp.Decode, expands: 1},
}

// jpegConfig returns the size of a JPEG picture; one byte stands for a pixel,
// gray or not.
func jpegConfig(r io.Reader) (image.Config, error) {
	c, err := jpeg.DecodeConfig(r)
	c.ColorModel = color.YCbCrModel
	return c, err
}

func isWebP(head []byte) bool {
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

// isBMP reports whether a file begins like a BMP picture: BM alone could begin
// a table, too.
func isBMP(head []byte) bool {
	if len(head) < 18 || string(head[:2]) != "BM" || binary.LittleEndian.Uint32(head[6:]) != 0 {
		return false
	}
	switch binary.LittleEndian.Uint32(head[14:]) { // length of the header
	case 12, 16, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}

// decodeGIF returns the first frame at its place on the screen, which is transparent elsewhere.
func decodeGIF(r io.Reader) (image.Image, error) {
	var read bytes.Buffer
	c, err := gif.DecodeConfig(io.TeeReader(r, &read))
	if err != nil {
		return nil, err
	}
	frame, err := gif.Decode(io.MultiReader(&read, r))
	screen := image.Rect(0, 0, c.Width, c.Height)
	if err != nil || frame.Bounds() == screen {
		return frame, err
	}
	all := image.NewNRGBA(screen)
	xdraw.Draw(all, frame.Bounds(), frame, frame.Bounds().Min, xdraw.Src)
	return all, nil
}

// damaged returns the error for a picture that its decoder refuses.
func (f *raster) damaged(err error) error {
	if strings.Contains(err.Error(), "unsupported") {
		return &FormatError{Msg: "a " + f.name + " picture of a kind that is not read", Hint: "save it as PNG", Err: err}
	}
	return &FormatError{Msg: "damaged " + f.name + " picture", Hint: "copy or save the file again", Err: err}
}

// size returns the size of a picture from its beginning. The error says that it
// has more pixels than are allowed, or than the file can hold.
func (f *raster) size(data []byte, most int) (image.Config, error) {
	c, err := f.config(bytes.NewReader(data))
	if err != nil {
		return c, f.damaged(err)
	}
	if err := checkPicture(c.Height, c.Width, most); err != nil {
		return c, err
	}
	if int64(c.Height)*int64(c.Width)*leastBits(c.ColorModel)/8 > f.expands*int64(len(data)) {
		return c, &FormatError{Msg: fmt.Sprintf("damaged %s picture: %d bytes cannot hold %d x %d pixels", f.name, len(data),
			c.Height, c.Width)}
	}
	return c, nil
}

// read decodes a picture over a background: transparent pixels get the
// luminance that means off.
func (f *raster) read(data []byte, invert bool) (*gray, error) {
	parts := 0
	if f.check != nil {
		var err error
		if parts, err = f.check(data); err != nil {
			return nil, err
		}
	}
	src, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return nil, f.damaged(err)
	}
	if b := src.Bounds(); b.Empty() {
		return nil, f.damaged(io.ErrUnexpectedEOF)
	}
	g := onPaper(src, 0xffff)
	if o, ok := src.(interface{ Opaque() bool }); ok && !o.Opaque() && (invert || g.faint()) {
		if over := onPaper(src, 0); invert {
			g = over
		} else if over.invert(); 2*over.share(127) < 1 { // most of it is transparent, and all ink is light
			g = over
		}
	}
	if f.turn != nil {
		g = g.turned(f.turn(data))
	}
	g.parts, g.partName = parts, f.parts
	return g, nil
}

// leastBits returns the least number of bits per pixel of a picture with that
// model in a file.
func leastBits(m color.Model) int64 {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model, color.NRGBAModel: // gray with alpha, 8 bits each
		return 16
	case color.RGBAModel:
		return 24
	case color.NRGBA64Model:
		return 32
	case color.RGBA64Model:
		return 48
	case color.YCbCrModel, color.NYCbCrAModel, color.CMYKModel:
		return 8
	}
	return 1 // a palette
}

// onPaper returns the luminance of a picture over a background of one gray
// level. That of a photo is stored in it.
func onPaper(src image.Image, paper uint32) *gray {
	b := src.Bounds()
	g := &gray{height: b.Dy(), width: b.Dx(), lum: make([]uint16, 0, b.Dx()*b.Dy())}
	luminance := func(c color.Color) uint16 {
		r, gr, bl, a := c.RGBA() // premultiplied by a
		rest := (0xffff - a) * paper / 0xffff
		// The weights of color.Gray16Model (JFIF), which sum to 1<<16.
		return uint16((19595*(r+rest) + 38470*(gr+rest) + 7471*(bl+rest) + 1<<15) >> 16)
	}
	var colours [256]uint16 // of a palette
	if m, ok := src.(*image.Paletted); ok {
		for i, c := range m.Palette {
			colours[i&255] = luminance(c)
		}
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		switch m := src.(type) {
		case *image.YCbCr:
			at := m.YOffset(b.Min.X, y)
			for _, v := range m.Y[at : at+b.Dx()] {
				g.lum = append(g.lum, 257*uint16(v))
			}
			continue
		case *image.Gray:
			at := m.PixOffset(b.Min.X, y)
			for _, v := range m.Pix[at : at+b.Dx()] {
				g.lum = append(g.lum, 257*uint16(v))
			}
			continue
		case *image.Paletted:
			at := m.PixOffset(b.Min.X, y)
			for _, v := range m.Pix[at : at+b.Dx()] {
				g.lum = append(g.lum, colours[v])
			}
			continue
		}
		for x := b.Min.X; x < b.Max.X; x++ {
			g.lum = append(g.lum, luminance(src.At(x, y)))
		}
	}
	if _, ok := src.(*image.Gray16); ok {
		g.stretch()
	}
	return g
}

// faint reports whether no pixel is dark.
func (g *gray) faint() bool { return slices.Min(g.lum) > math.MaxUint16/2 }

// invert makes light pixels dark, and dark ones light.
func (g *gray) invert() {
	for i, v := range g.lum {
		g.lum[i] = math.MaxUint16 - v
	}
}

// stretch brings values of 12 bits or fewer, as cameras and scanners store them in 16, to all of the range.
func (g *gray) stretch() {
	if n := bits.Len16(slices.Max(g.lum)); n > 0 && n <= 12 {
		for i, v := range g.lum {
			g.lum[i] = uint16(uint32(v) * math.MaxUint16 / (1<<n - 1))
		}
	}
}

// checkPicture rejects pictures of no pixels and of more than most.
func checkPicture(height, width, most int) error {
	if height < 1 || width < 1 || height > most/width {
		return &FormatError{Msg: fmt.Sprintf("a picture of %d x %d pixels cannot be used: the limit is %d pixels", height,
			width, most), Hint: "scale it down by another program: --size can only scale what can be read"}
	}
	return nil
}
