package strokes

// closed returns the closing of a set of pixels by a disc: what no disc outside of
// the set reaches.
func closed(in []bool, height, width, radius int) []bool {
	h, w := height+2*radius, width+2*radius // room for what is wider
	wide := make([]bool, h*w)
	for y := range height {
		for x := range width {
			if in[y*width+x] {
				disc(radius, func(dy, dx int) { wide[(y+radius+dy)*w+x+radius+dx] = true })
			}
		}
	}
	out := make([]bool, len(in))
	for y := range height {
		for x := range width {
			if !wide[(y+radius)*w+x+radius] {
				continue
			}
			all := true
			disc(radius, func(dy, dx int) { all = all && wide[(y+radius+dy)*w+x+radius+dx] })
			out[y*width+x] = all
		}
	}
	return out
}

// disc calls each for all offsets within a radius.
func disc(radius int, each func(dy, dx int)) {
	for dy := -radius; dy <= radius; dy++ {
		for dx := -radius; dx <= radius; dx++ {
			if dy*dy+dx*dx <= radius*radius {
				each(dy, dx)
			}
		}
	}
}

// pieces numbers the 8-connected pieces of the entries that vote: the number of
// each entry's piece, -1 for those that do not vote, and how large they are.
func pieces(t []uint8, width int) (piece []int, sizes []int) {
	piece = make([]int, len(t))
	for i := range piece {
		piece[i] = -1
	}
	var stack []int
	for first, l := range t {
		if l == 0 || piece[first] >= 0 {
			continue
		}
		p := len(sizes)
		sizes = append(sizes, 0)
		piece[first] = p
		for stack = append(stack, first); len(stack) > 0; {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			sizes[p]++
			x := i % width
			for dx := -1; dx <= 1; dx++ {
				for _, by := range [3]int{-width, 0, width} {
					if j := i + by + dx; x+dx >= 0 && x+dx < width && j >= 0 && j < len(t) && t[j] > 0 && piece[j] < 0 {
						piece[j] = p
						stack = append(stack, j)
					}
				}
			}
		}
	}
	return piece, sizes
}
