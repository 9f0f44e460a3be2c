package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
)

// maxPicture bounds the pixels of a picture, 8192 x 8192.
const maxPicture = 1 << 26

// gray is a decoded picture: luminance from 0, black, to 65535, white.
type gray struct {
	height, width int
	lum           []uint16
}

// pictureSuffixes are the names that count in a folder; what a file is, its
// content says.
var pictureSuffixes = []string{".png", ".pbm", ".pgm", ".pnm"}

// pictureFile makes a set of one image, with the file's name without suffix as
// metadata.
func (in *input) pictureFile(path string, r io.Reader) (decoder, error) {
	m, err := in.picture(r)
	if err != nil {
		return nil, err
	}
	return &whole{&Set{Images: []*bitmap.Image{m}, Meta: []Column{{"name", []string{stem(path)}}}}}, nil
}

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// picture decodes one picture and makes bits of it.
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

// bits makes dark pixels on: black, or not above the threshold, which is in
// units of 8-bit luminance (65535 is 255).
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
				Hint: "give --threshold T to make bits of it (what is not lighter than T is on)"}
		}
		if dark != r.invert {
			m.Set(y, x, true)
		}
	}
	return m, nil
}

// maxDeflate is the most bytes that one byte of deflated data can stand for
// (258 for two bits), which bounds the size of the picture that a PNG file of
// given length can really hold.
const maxDeflate = 1032

// decodePNG decodes a PNG and lays it on paper: transparent pixels get the
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

// pngBits is the fewest bits a pixel that a picture of that model has in a file.
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

// onPaper gives the luminance of a picture over a ground of one gray.
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

// folder reads all pictures of a folder, sorted by name; file names without
// suffix become the metadata `name`. If it holds folders of pictures instead,
// each is a class and its name becomes the metadata `y`.
func (in *input) folder(dir string) (decoder, error) {
	files, folders, err := listFolder(dir)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	var names, labels []string
	if err := in.pictures(s, &names, dir, files); err != nil {
		return nil, err
	}
	for _, sub := range folders {
		path := filepath.Join(dir, sub)
		inside, _, err := listFolder(path)
		if err != nil {
			return nil, err
		}
		if len(inside) > 0 && len(files) > 0 {
			return nil, &FormatError{Path: dir, Msg: fmt.Sprintf("holds pictures (%s) as well as a folder of pictures (%s)", files[0], sub),
				Hint: "name the folders one by one, or give every picture a class folder"}
		}
		if err := in.pictures(s, &names, path, inside); err != nil {
			return nil, err
		}
		for range inside {
			labels = append(labels, sub)
		}
	}
	if s.Len() == 0 {
		return nil, &FormatError{Path: dir, Msg: "a folder without PNG, PBM or PGM pictures, and without class folders of them", Hint: "name the files"}
	}
	s.Meta = []Column{{"name", names}}
	if len(labels) > 0 {
		s.Meta = append(s.Meta, Column{"y", labels})
	}
	return &whole{s}, nil
}

// listFolder gives the pictures and the folders in dir, by name. What is
// hidden, or neither, is left out.
func listFolder(dir string) (files, folders []string, err error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name)) // follows links
		if err != nil {
			return nil, nil, err
		}
		if info.IsDir() {
			folders = append(folders, name)
		} else if slices.Contains(pictureSuffixes, strings.ToLower(filepath.Ext(name))) {
			files = append(files, name)
		}
	}
	return files, folders, nil
}

// pictures appends the named files of a folder.
func (in *input) pictures(s *Set, names *[]string, dir string, files []string) error {
	for _, name := range files {
		path := filepath.Join(dir, name)
		m, err := in.openPicture(path)
		if err != nil {
			return at(err, path)
		}
		if h, w := s.Size(); s.Len() > 0 && (h != m.Height() || w != m.Width()) {
			return &FormatError{Path: path, Msg: fmt.Sprintf("a picture of %d x %d pixels, but those before it have %d x %d", m.Height(), m.Width(), h, w),
				Hint: "scale or pad the pictures to one size"}
		}
		s.Images = append(s.Images, m)
		*names = append(*names, stem(name))
	}
	return nil
}

func (in *input) openPicture(path string) (*bitmap.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	br := bufio.NewReader(f)
	head, err := br.Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	k, err := sniff(head)
	if err != nil {
		return nil, err
	}
	if k != kindPNG && k != kindPNM {
		return nil, &FormatError{Msg: "named like a picture, but it is no PNG, PBM or PGM"}
	}
	return in.picture(br)
}
