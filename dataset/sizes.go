package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
)

// errSizes says that pictures have different sizes; Read and its kin replace it
// by an error that lists them all.
var errSizes = errors.New("pictures of different sizes")

// sizeList counts pictures by size.
type sizeList struct {
	examples map[[2]int]*example
	longest  []int // the longer side of each picture
}

func (l *sizeList) add(height, width int, name string) {
	if l.examples == nil {
		l.examples = map[[2]int]*example{}
	}
	size := [2]int{height, width}
	if l.examples[size] == nil {
		l.examples[size] = new(example)
	}
	l.examples[size].add(name)
	l.longest = append(l.longest, max(height, width))
}

// mostSizes is how many sizes an error lists.
const mostSizes = 6

// err returns an error that lists the sizes, the most frequent first.
func (l *sizeList) err() error {
	sizes := slices.SortedFunc(maps.Keys(l.examples), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(l.examples[b].n, l.examples[a].n), slices.Compare(a[:], b[:]))
	})
	var parts []string
	for _, size := range sizes[:min(len(sizes), mostSizes)] {
		e := l.examples[size]
		such := "such as "
		if e.n == 1 {
			such = ""
		}
		parts = append(parts, fmt.Sprintf("%d of %s (%s%s)", e.n, sizeText(size[0], size[1]), such, e.first))
	}
	if more := len(sizes) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more sizes", more))
	}
	side := l.side()
	return &FormatError{Msg: fmt.Sprintf("%d pictures of %d sizes, height x width: %s", len(l.longest), len(sizes),
		strings.Join(parts, ", ")),
		Hint: fmt.Sprintf("give --size %dx%d to crop each to its ink, scale it and pad it to one size", side, side)}
}

// side returns a sensible size: 56, at which a stroke of a pen is one to three
// pixels wide, 28 for smaller pictures, or for tiny ones the usual longer side.
func (l *sizeList) side() int {
	slices.Sort(l.longest)
	switch usual := l.longest[len(l.longest)/2]; {
	case usual >= 56:
		return 56
	case usual >= 28:
		return 28
	default:
		return usual
	}
}

// survey adds the sizes of all pictures of a gallery.
func (g *gallery) survey(l *sizeList) error {
	for _, name := range g.names {
		if err := g.surveyOne(name, l); err != nil {
			return at(err, g.where+name)
		}
	}
	return nil
}

func (g *gallery) surveyOne(name string, l *sizeList) error {
	f, err := g.open(name)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	data, err := g.in.slurp(f)
	if err != nil {
		return err
	}
	height, width, err := sizeOf(data, g.in.opts.maxPicture())
	if err == nil {
		l.add(height, width, g.where+name)
	}
	return err
}

// sizeOf returns the size of a picture as it is meant to be seen, from its
// beginning where possible.
func sizeOf(data []byte, most int) (height, width int, err error) {
	k, err := sniff(data[:min(len(data), 512)])
	if err != nil {
		return 0, 0, err
	}
	f := rasters[k]
	if f == nil {
		return 0, 0, &FormatError{Msg: notPicture}
	}
	c, err := f.size(data, most)
	if err != nil {
		return 0, 0, err
	}
	if f.turn != nil && f.turn(data) >= 5 {
		return c.Width, c.Height, nil
	}
	return c.Height, c.Width, nil
}

// sizes replaces errSizes by an error that lists the sizes of all pictures
// among the paths.
func (in *input) sizes(paths []string) error {
	var l sizeList
	for i, path := range paths {
		if err := in.sizesIn(path, in.opts.label(i), &l); err != nil {
			return at(err, path)
		}
	}
	return l.err()
}

func (in *input) sizesIn(path, labels string, l *sizeList) error {
	d, err := in.open(path, labels)
	if err != nil {
		return err
	}
	defer d.close()
	switch g := d.decoder.(type) {
	case *gallery:
		return g.survey(l)
	case *onePicture:
		l.add(g.height, g.width, path)
	}
	return nil
}

// ParseSize reads the height and the width of images: 56x40, or 56 for 56x56. A capital
// X, a multiplication sign and blanks are allowed. The error says what is.
func ParseSize(text string) (height, width int, err error) {
	h, w, found := strings.Cut(strings.NewReplacer("X", "x", "×", "x", " ", "").Replace(text), "x")
	height, err = strconv.Atoi(h)
	if width = height; err == nil && found {
		width, err = strconv.Atoi(w)
	}
	if err != nil || height < 1 || width < 1 || height > bitmap.MaxPixels/width {
		return 0, 0, &FormatError{Msg: fmt.Sprintf("%q is no size", shorten(text)),
			Hint: "give a height and a width in pixels, such as 56x56"}
	}
	return height, width, nil
}
