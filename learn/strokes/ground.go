package strokes

import (
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
	order         []int32 // by pixel: its place in a map of gains
	outside       uint8   // what lies beyond the border of an image: off or unknown
}

// turn is one stretch and rotation of the experts' frame about its centre, without a shift.
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
	var turns []pose.Turn
	top, left, bottom, right := 0, 0, height, width // of the frame in any turn
	for t := range grid.Turns() {
		u := pose.TurnOf(height, width, grid.Turn(t))
		turns = append(turns, u)
		if u.From != nil {
			top, left = min(top, u.Top), min(left, u.Left)
			bottom, right = max(bottom, u.Top+u.Height), max(right, u.Left+u.Width)
		}
		for _, p := range u.Back { // rounded, an entry may be found beside the box
			top, left, bottom, right = min(top, int(p.Y)), min(left, int(p.X)), max(bottom, int(p.Y)+1), max(right, int(p.X)+1)
		}
	}
	g.top, g.left = max(0, -grid.DY.Min)-top, max(0, -grid.DX.Min)-left
	g.rows = g.top + max(imageH, bottom+max(0, grid.DY.Max))
	g.stride = g.left + max(imageW, right+max(0, grid.DX.Max)) + lanes
	g.stride += (g.stepX() - g.stride%g.stepX()) % g.stepX()
	g.order = g.folded()
	if c.UnknownOutside {
		g.outside = unknown
	}
	for _, u := range turns {
		g.turns = append(g.turns, g.turn(u))
	}
	return g
}

// turn returns a turn of the frame, whole.
func (g *ground) turn(u pose.Turn) turn {
	var t turn
	if u.From == nil {
		for i := range g.height * g.width {
			at := g.at(i/g.width, i%g.width)
			t.cells, t.back = append(t.cells, cell{at, int32(i)}), append(t.back, at)
		}
		return t
	}
	for i, entry := range u.From {
		if entry != pose.Outside {
			t.cells = append(t.cells, cell{g.at(u.Top+i/u.Width, u.Left+i%u.Width), entry})
		}
	}
	for _, p := range u.Back {
		t.back = append(t.back, g.at(int(p.Y), int(p.X)))
	}
	return t
}

// stepX returns by how many columns neighbouring shifts differ.
func (g *ground) stepX() int { return max(g.grid.DX.Step, 1) }

// folded returns the places of the pixels in a map of gains: in each row, first the
// columns 0, step, 2 step and so on, then those after them. So neighbouring shifts lie
// side by side, and a shift by a whole number of steps moves all places by as much.
func (g *ground) folded() []int32 {
	order, step := make([]int32, g.len()), g.stepX()
	for i := range order {
		if order[i] = int32(i); i < g.rows*g.stride {
			y, x := i/g.stride, i%g.stride
			order[i] = int32(y*g.stride + x%step*(g.stride/step) + x/step)
		}
	}
	return order
}

// at returns the number of the pixel in row y and column x of the image.
func (g *ground) at(y, x int) int32 { return int32((y+g.top)*g.stride + x + g.left) }

// shift returns by how much a shift changes the number of a pixel.
func (g *ground) shift(dy, dx int) int { return dy*g.stride + dx }

// len returns the number of pixels, and of lanes behind the last one.
func (g *ground) len() int { return g.rows*g.stride + lanes }

// lay writes an image onto pixels of the ground, which lie beyond its border as
// newPixels left them. values is scratch memory, returned for the next call.
func (g *ground) lay(img *bitmap.Image, pixels, values []uint8) []uint8 {
	values = img.AppendValues(values[:0])
	for y := range g.imageH {
		copy(pixels[g.at(y, 0):], values[y*g.imageW:(y+1)*g.imageW])
	}
	return values
}

// newPixels returns pixels of the ground beyond the border of an image.
func (g *ground) newPixels() []uint8 {
	pixels := make([]uint8, g.len())
	for i := range pixels {
		pixels[i] = g.outside
	}
	return pixels
}
