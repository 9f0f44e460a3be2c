package synth

import "math"

// Rasters work on integers in units of 1/64 pixel, so every machine decides
// alike whether a pixel is inked. Pixel (y, x) has its centre at (64y+32,
// 64x+32).
const subPixel = 64

// maxSide bounds the side of a drawing, so that the products in near fit 64
// bits.
const maxSide = 512

// fit scales and moves all paths together so that the ink of a pen of the given
// width (pixels) just fits a square box of the given size (pixels) in the
// middle of a side x side image: the longer side of the ink's bounding box
// touches the box, the shorter is centred in it. It returns paths in pixels;
// their corner (0, 0) is the top left of the image.
func fit(paths []path, side int, box, pen float64) []path {
	low, high := bounds(paths)
	room := box - pen
	scale := min(room/(high.x-low.x), room/(high.y-low.y))
	middle := low.add(high).times(0.5)
	out := make([]path, len(paths))
	for i, p := range paths {
		out[i] = make(path, len(p))
		for j, q := range p {
			out[i][j] = q.sub(middle).times(scale).add(point{float64(float64(side) / 2), float64(float64(side) / 2)})
		}
	}
	return out
}

// bounds returns the smallest box that contains all points.
func bounds(paths []path) (low, high point) {
	low, high = paths[0][0], paths[0][0]
	for _, p := range paths {
		for _, q := range p {
			low = point{min(low.x, q.x), min(low.y, q.y)}
			high = point{max(high.x, q.x), max(high.y, q.y)}
		}
	}
	return low, high
}

// ink draws paths, in pixels, into an image of side x side. For each pixel it
// returns the first path whose polyline comes within half the pen width of the
// pixel's centre, or -1.
func ink(paths []path, side int, pen float64) []int8 {
	of := make([]int8, side*side)
	for d := range of {
		of[d] = -1
	}
	radius := int64(math.Round(pen * subPixel / 2))
	for k, p := range paths {
		for j := 1; j < len(p); j++ {
			a, b := snap(p[j-1]), snap(p[j])
			y0, y1 := span(a.y, b.y, radius, side)
			x0, x1 := span(a.x, b.x, radius, side)
			for y := y0; y <= y1; y++ {
				for x := x0; x <= x1; x++ {
					c := spot{int64(x)*subPixel + subPixel/2, int64(y)*subPixel + subPixel/2}
					if of[y*side+x] < 0 && near(c, a, b, radius) {
						of[y*side+x] = int8(k)
					}
				}
			}
		}
	}
	return of
}

// A spot is a point in units of 1/64 pixel.
type spot struct{ x, y int64 }

func snap(p point) spot {
	return spot{int64(math.Round(p.x * subPixel)), int64(math.Round(p.y * subPixel))}
}

// span returns the range of pixels, within the image, that a segment from a to
// b can ink along one axis.
func span(a, b, radius int64, side int) (first, last int) {
	first = int(max((min(a, b)-radius)/subPixel-1, 0))
	last = int(min((max(a, b)+radius)/subPixel+1, int64(side)-1))
	return first, last
}

// near reports whether c is within radius of the segment from a to b, exactly.
func near(c, a, b spot, radius int64) bool {
	abx, aby, acx, acy := b.x-a.x, b.y-a.y, c.x-a.x, c.y-a.y
	along, length2 := acx*abx+acy*aby, abx*abx+aby*aby
	switch {
	case along <= 0:
		return acx*acx+acy*acy <= radius*radius
	case along >= length2:
		bcx, bcy := c.x-b.x, c.y-b.y
		return bcx*bcx+bcy*bcy <= radius*radius
	}
	// The distance to the line is |cross| / sqrt(length2).
	cross := abx*acy - aby*acx
	return cross*cross <= radius*radius*length2
}
