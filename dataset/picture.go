package dataset

import (
	"cmp"
	"io"
	"path/filepath"
	"strings"

	"example.com/patchwork/bitmap"
)

// gray is a decoded picture: luminance from 0, black, to 65535, white.
type gray struct {
	height, width int
	lum           []uint16

	parts    int    // frames or pages in the file, if it can have several
	partName string // what they are called
}

// pictureFile returns a set of one image, with the metadata from its name.
func (in *input) pictureFile(c *content) (parts, error) {
	if err := in.opts.Model.refusePictures(); err != nil {
		return nil, err
	}
	g := &gallery{in: in, path: c.path}
	// As many elements of the path as the pattern has.
	parts := strings.Split(filepath.ToSlash(c.path), "/")
	name := strings.Join(parts[max(0, len(parts)-1-strings.Count(in.opts.Names, "/")):], "/")
	if in.opts.Names == "" {
		name = parts[len(parts)-1]
	}
	g.open = func(string) (io.ReadCloser, error) {
		r, err := c.open()
		return io.NopCloser(r), err
	}
	s := &Set{pictures: true}
	if err := g.read(s, name); err != nil {
		return nil, err
	}
	if err := g.tell([]string{name}, ""); err != nil {
		return nil, err
	}
	s.Meta = g.meta
	return &whole{set: s}, nil
}

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// picture makes an image of a picture.
func (in *input) picture(name string, g *gray) (*bitmap.Image, error) {
	height, width := in.pictureSize()
	fit := height > 0 && (g.height != height || g.width != width)
	if !fit {
		height, width = g.height, g.width
	}
	if err := in.budget.spend(1, height, width); err != nil {
		return nil, err
	}
	s := seenPicture{name: name, height: g.height, width: g.width, fitted: fit, parts: g.parts, partName: g.partName}
	if in.rule.threshold == nil && !g.binary() {
		g, s.evened = g.evened()
		if out, ok := g.unshaded(); ok {
			g, s.evened = out, true
		}
	}
	var m *bitmap.Image
	if fit {
		m = g.fitted(height, width, in.rule, &s)
	} else {
		m = g.bits(in.rule, &s)
	}
	s.ink = float64(m.CountOn()) / float64(max(1, m.Len()))
	in.seen.add(s)
	return m, nil
}

// decodePicture decodes a picture by its content, unless what it becomes does not fit in the memory that is left,
// however it is turned.
func (in *input) decodePicture(name string, r io.Reader) (*gray, error) {
	if err := rawPhoto(name); err != nil {
		return nil, err
	}
	data, err := in.slurp(r)
	if err != nil {
		return nil, err
	}
	f, err := sniff(data[:min(len(data), 512)])
	if err != nil {
		return nil, err
	}
	if f.picture == nil {
		return nil, &FormatError{Msg: notPicture}
	}
	c, err := f.picture.size(data, cmp.Or(max(0, in.opts.MaxPicture), 1<<26))
	if err != nil {
		return nil, err
	}
	height, _ := in.pictureSize()
	cost := in.budget.cost(c.Height, c.Width)
	if f.picture.turn != nil {
		cost = min(cost, in.budget.cost(c.Width, c.Height))
	}
	if cost > in.budget.left && (height == 0 || in.real) {
		return nil, in.budget.spend(1, c.Height, c.Width)
	}
	return f.picture.read(data, in.opts.Invert)
}

// pictureSize returns the size that pictures are brought to, before they are
// transposed; 0, 0 if they keep theirs.
func (in *input) pictureSize() (height, width int) {
	if in.opts.Transpose {
		return in.opts.Width, in.opts.Height
	}
	return in.opts.Height, in.opts.Width
}
