package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// maxPicture bounds the pixels of a picture, 8192 x 8192.
const maxPicture = 1 << 26

// gray is a decoded picture: luminance from 0, black, to 65535, white.
type gray struct {
	height, width int
	lum           []uint16
}

// pictureFile returns a set of one image, with the metadata from its name.
func (in *input) pictureFile(path string, r io.Reader) (decoder, error) {
	m, err := in.picture(r)
	if err != nil {
		return nil, err
	}
	g := &gallery{in: in}
	// As many elements of the path as the pattern has.
	parts := strings.Split(filepath.ToSlash(path), "/")
	name := strings.Join(parts[max(0, len(parts)-1-strings.Count(in.opts.Names, "/")):], "/")
	if in.opts.Names == "" {
		name = parts[len(parts)-1]
	}
	if err := g.tell([]string{name}, ""); err != nil {
		return nil, err
	}
	return &whole{&Set{Data: patchwork.Data{Images: []*bitmap.Image{m}}, Meta: g.meta, pictures: true}}, nil
}

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// picture decodes one picture and converts it to bits.
func (in *input) picture(r io.Reader) (*bitmap.Image, error) {
	data, err := in.slurp(r)
	if err != nil {
		return nil, err
	}
	var g *gray
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		g, err = decodePNG(data, in.opts.Invert)
	default:
		g, err = decodePNM(data)
	}
	if err != nil {
		return nil, err
	}
	if err := in.budget.spend(1, g.height, g.width); err != nil {
		return nil, err
	}
	return g.bits(in.rule)
}

// bits turns dark pixels on: black ones, or those not above the threshold,
// which is in units of 8-bit luminance (65535 is 255).
func (g *gray) bits(r rule) (*bitmap.Image, error) {
	m := bitmap.New(g.height, g.width)
	for i, v := range g.lum {
		y, x := i/g.width, i%g.width
		dark := v == 0
		switch {
		case r.threshold != nil:
			dark = float64(v)/257 <= *r.threshold
		case v != 0 && v != 65535:
			return nil, &FormatError{
				Msg:  fmt.Sprintf("the pixel at row %d, column %d is gray (luminance %.4g of 255)", y+1, x+1, float64(v)/257),
				Hint: "give --threshold T to convert it to bits (pixels not lighter than T are on)"}
		}
		if dark != r.invert {
			m.Set(y, x, true)
		}
	}
	return m, nil
}

// maxDeflate is the largest number of bytes that one byte of deflated data can
// expand to (258 for two bits). It bounds the size of the picture that a PNG
// file of given length can hold.
const maxDeflate = 1032

// decodePNG decodes a PNG over a background: transparent pixels get the
// luminance that means off.
func decodePNG(data []byte, invert bool) (*gray, error) {
	damaged := func(err error) error {
		var format png.FormatError
		var unsupported png.UnsupportedError
		if errors.As(err, &format) || errors.As(err, &unsupported) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return &FormatError{Msg: "damaged PNG picture", Hint: "copy or save the file again", Err: err}
		}
		return &FormatError{Msg: "damaged PNG picture", Err: err}
	}
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(err)
	}
	if err := checkPicture(c.Height, c.Width); err != nil {
		return nil, err
	}
	// The decoder allocates the picture before it reads it.
	if int64(c.Height)*int64(c.Width)*pngBits(c.ColorModel)/8 > maxDeflate*int64(len(data)) {
		return nil, &FormatError{Msg: fmt.Sprintf("damaged PNG picture: %d bytes cannot hold %d x %d pixels", len(data), c.Height, c.Width)}
	}
	src, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(err)
	}
	paper := uint32(0xffff)
	if invert {
		paper = 0
	}
	return onPaper(src, paper), nil
}

// pngBits returns the least number of bits per pixel of a picture with that
// model in a file.
func pngBits(m color.Model) int64 {
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
	}
	return 1 // a palette
}

// onPaper returns the luminance of a picture over a background of one gray
// level.
func onPaper(src image.Image, paper uint32) *gray {
	b := src.Bounds()
	g := &gray{height: b.Dy(), width: b.Dx(), lum: make([]uint16, 0, b.Dx()*b.Dy())}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, gr, bl, a := src.At(x, y).RGBA() // premultiplied by a
			rest := (0xffff - a) * paper / 0xffff
			// The weights of color.Gray16Model (JFIF), which sum to 1<<16.
			g.lum = append(g.lum, uint16((19595*(r+rest)+38470*(gr+rest)+7471*(bl+rest)+1<<15)>>16))
		}
	}
	return g
}

func checkPicture(height, width int) error {
	if height < 1 || width < 1 || height > maxPicture/width {
		return &FormatError{Msg: fmt.Sprintf("a picture of %d x %d pixels cannot be used", height, width), Hint: "scale it down"}
	}
	return nil
}
