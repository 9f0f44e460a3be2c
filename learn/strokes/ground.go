package strokes

import (
	"math"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// ground is the plane on which experts are placed: the image, and around it what
// an expert may cover besides in any pose. Pixels are numbered row by row.
type ground struct {
	height, width int // of the experts' frame
	grid          pose.Grid
	imageH        int
	imageW        int
	top, left     int // where the image begins
	rows, stride  int
	turns         []turn
	outside       uint8 // what lies beyond the border of an image: off or unknown
}

// turn is one rotation of the experts' frame about its centre, without a shift.
type turn struct {
	cells []cell  // of the turned frame, and which entry comes to lie there
	back  []int32 // by entry: the pixel that it is found at
}

// cell says that pixel at of the ground takes its value from an entry.
type cell struct{ at, entry int32 }

// lanes is how many neighbouring shifts are summed together; a row of the ground
// ends with as many pixels more.
const lanes = 32

// newGround returns the ground for images of a size, and experts of a configuration
// in the poses of a grid.
func newGround(c patchwork.Config, imageH, imageW int, grid pose.Grid) *ground {
	height, width := c.Height, c.Width
	g := &ground{height: height, width: width, imageH: imageH, imageW: imageW, grid: grid}
	over := 0
	if grid.Rotations() > 1 || grid.Angle(0) != 0 {
		over = int(math.Ceil(math.Hypot(float64(height), float64(width))-float64(min(height, width))))/2 + 1
	}
	g.top, g.left = over+max(0, -grid.DY.Min), over+max(0, -grid.DX.Min)
	g.rows = g.top + max(imageH, height+max(0, grid.DY.Max)+over)
	g.stride = g.left + max(imageW, width+max(0, grid.DX.Max)+over) + lanes
	if c.UnknownOutside {
		g.outside = unknown
	}
	for r := range grid.Rotations() {
		g.turns = append(g.turns, g.turn(grid.Angle(r), over))
	}
	return g
}

// turn returns the turned frame. It is gathered from the frame that is not turned,
// beyond whose border there are no entries, and not clipped to it.
func (g *ground) turn(angle float64, over int) turn {
	var t turn
	for y := -over; y < g.height+over; y++ {
		for x := -over; x < g.width+over; x++ {
			if sy, sx := turned(g.height, g.width, y, x, -angle); sy >= 0 && sx >= 0 && sy < g.height && sx < g.width {
				t.cells = append(t.cells, cell{g.at(y, x), int32(sy*g.width + sx)})
			}
		}
	}
	for y := range g.height {
		for x := range g.width {
			t.back = append(t.back, g.at(turned(g.height, g.width, y, x, angle)))
		}
	}
	return t
}

// at returns the number of the pixel in row y and column x of the image.
func (g *ground) at(y, x int) int32 { return int32((y+g.top)*g.stride + x + g.left) }

// shift returns by how much a shift changes the number of a pixel.
func (g *ground) shift(dy, dx int) int { return dy*g.stride + dx }

// len returns the number of pixels, and of lanes behind the last one.
func (g *ground) len() int { return g.rows*g.stride + lanes }

// lay writes an image onto pixels of the ground, which lie beyond its border as
// newPixels left them. bits is scratch memory, returned for the next call.
func (g *ground) lay(img *bitmap.Image, pixels, bits []uint8) []uint8 {
	n := img.Len()
	bits = img.AppendKnown(img.AppendBytes(bits[:0]))
	for y := range g.imageH {
		row := pixels[g.at(y, 0):]
		for x := range g.imageW {
			i := y*g.imageW + x
			if row[x] = bits[i]; bits[n+i] == 0 {
				row[x] = unknown
			}
		}
	}
	return bits
}

// newPixels returns pixels of the ground beyond the border of an image.
func (g *ground) newPixels() []uint8 {
	pixels := make([]uint8, g.len())
	for i := range pixels {
		pixels[i] = g.outside
	}
	return pixels
}

// turned returns where the centre of a pixel comes to lie by a rotation about the
// centre of the frame, as package pose rounds it.
func turned(h, w, y, x int, angle float64) (int, int) {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	cy, cx := float64(h-1)/2, float64(w-1)/2
	dy, dx := float64(y)-cy, float64(x)-cx
	round := func(v float64) int { return int(math.RoundToEven(math.Round(v*1e9) / 1e9)) }
	return round(cy + sin*dx + cos*dy), round(cx + cos*dx - sin*dy)
}
