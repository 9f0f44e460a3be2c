package dataset

import (
	"image"
	"image/color"
	"math"

	xdraw "golang.org/x/image/draw"

	"example.com/patchwork/bitmap"
)

// These constants say how a picture is brought to a size.
const (
	fitSide   = 1024 // pictures are reduced to about this side first
	fitMargin = 14   // the margin is this part of the shorter side
	speck     = 400  // ink this much smaller than the largest stroke is dirt
)

// fitted brings a picture to a size, in this order: large photos are reduced by
// a whole number, which averages the noise; ink is told from paper (see
// divide); the picture is cropped to its ink, without specks; the grey picture
// is scaled, its aspect kept, until it fits between the margins, each pixel the
// mean of those that it stands for; it is centred on paper; and then it is
// divided again, because the mean of a thin stroke and its paper is lighter
// than the stroke. A threshold that was given holds both times.
func (g *gray) fitted(height, width int, r rule, s *seenPicture) *bitmap.Image {
	binary := g.binary()
	g = g.reduced((max(g.height, g.width) + fitSide - 1) / fitSide)
	if binary && r.threshold == nil { // the grey of a reduced scan is no photo's
		return g.framed(height, width, division{threshold: 127, light: r.invert}, r)
	}
	return g.framed(height, width, g.divide(r, s), r)
}

// framed crops, scales, centres and divides a picture.
func (g *gray) framed(height, width int, d division, r rule) *bitmap.Image {
	crop := g.inkBounds(d)
	if crop.Empty() {
		return bitmap.New(height, width)
	}
	margin := min(height, width) / fitMargin
	roomY, roomX := max(1, height-2*margin), max(1, width-2*margin)
	h, w := crop.Dy(), crop.Dx()
	scale := min(float64(roomY)/float64(h), float64(roomX)/float64(w))
	h = min(roomY, max(1, int(math.Round(scale*float64(h)))))
	w = min(roomX, max(1, int(math.Round(scale*float64(w)))))
	frame, paper := image.NewGray16(image.Rect(0, 0, width, height)), g.paper(d)
	xdraw.Draw(frame, frame.Rect, image.NewUniform(color.Gray16{Y: paper}), image.Point{}, xdraw.Src)
	y, x := (height-h)/2, (width-w)/2
	xdraw.CatmullRom.Scale(frame, image.Rect(x, y, x+w, y+h), g.picture(), crop, xdraw.Src, nil)
	out := &gray{height: height, width: width}
	var all levels
	all[level(paper)] = int64(2 * (height + width)) // around the frame: ink may fill it
	for i := 0; i < len(frame.Pix); i += 2 {
		v := uint16(frame.Pix[i])<<8 | uint16(frame.Pix[i+1])
		out.lum = append(out.lum, v)
		all[level(v)]++
	}
	if r.threshold == nil {
		t, _ := all.otsu()
		d.threshold = float64(t)
	}
	return out.inked(d)
}

// reduced returns the picture with the mean of each square of k x k pixels as
// one; the squares at the right and at the bottom may be smaller.
func (g *gray) reduced(k int) *gray {
	if k <= 1 {
		return g
	}
	out := &gray{height: (g.height + k - 1) / k, width: (g.width + k - 1) / k}
	sums, counts := make([]uint64, out.width), make([]uint64, out.width)
	for y := range g.height {
		for x, v := range g.lum[y*g.width : (y+1)*g.width] {
			sums[x/k] += uint64(v)
			counts[x/k]++
		}
		if y%k < k-1 && y < g.height-1 {
			continue
		}
		for x := range sums {
			out.lum = append(out.lum, uint16((sums[x]+counts[x]/2)/counts[x]))
		}
		clear(sums)
		clear(counts)
	}
	return out
}

// paper returns the mean luminance of what is not ink.
func (g *gray) paper(d division) uint16 {
	sum, n := uint64(0), uint64(0)
	for _, v := range g.lum {
		if !d.ink(v) {
			sum, n = sum+uint64(v), n+1
		}
	}
	switch {
	case n > 0:
		return uint16(sum / n)
	case d.light:
		return 0
	}
	return math.MaxUint16
}

// picture returns the picture in the form of package image.
func (g *gray) picture() *image.Gray16 {
	m := image.NewGray16(image.Rect(0, 0, g.width, g.height))
	for i, v := range g.lum {
		m.Pix[2*i], m.Pix[2*i+1] = uint8(v>>8), uint8(v)
	}
	return m
}

// inkBounds returns the smallest rectangle around the ink, except specks: pieces
// with less than 1/400 of the pixels of the largest.
func (g *gray) inkBounds(d division) (all image.Rectangle) {
	pieces, largest := g.pieces(d), 0
	for _, p := range pieces {
		largest = max(largest, p.size)
	}
	for _, p := range pieces {
		if p.size*speck >= largest {
			all = all.Union(p.bounds)
		}
	}
	return all
}

// piece is ink that is connected, also over corners.
type piece struct {
	bounds image.Rectangle
	size   int // pixels
}

func (g *gray) pieces(d division) []piece {
	left := make([]bool, len(g.lum)) // ink that is in no piece yet
	for i, v := range g.lum {
		left[i] = d.ink(v)
	}
	var pieces []piece
	var stack []int
	for i := range left {
		if !left[i] {
			continue
		}
		var p piece
		left[i] = false
		for stack = append(stack[:0], i); len(stack) > 0; {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			y, x := at/g.width, at%g.width
			p.size++
			p.bounds = p.bounds.Union(image.Rect(x, y, x+1, y+1))
			for ny := max(0, y-1); ny <= min(g.height-1, y+1); ny++ {
				for nx := max(0, x-1); nx <= min(g.width-1, x+1); nx++ {
					if j := ny*g.width + nx; left[j] {
						left[j] = false
						stack = append(stack, j)
					}
				}
			}
		}
		pieces = append(pieces, p)
	}
	return pieces
}
