package learn

import (
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

const (
	piecePixels = 5 // of a piece of ink that counts, at least
	pieceShare  = 8 // and as a share of the largest piece: an eighth
)

// piece is a connected piece of ink: its size in pixels, and the rows and columns that it
// reaches.
type piece struct{ size, top, bottom, left, right int }

// scattered returns the share of the images with ink in which it is in several pieces,
// and of those in which its largest piece reaches from border to border; and whether the middles of these pieces lie, but
// for a tenth at either end, over more than three eighths of the height or width: parts of drawings hardly come so far.
func scattered(data patchwork.Data) (several, across float64, roams bool) {
	all := 0
	var middles [2][]int // twice their rows and columns
	for i, img := range data.Images {
		pieces := inkPieces(img)
		if len(pieces) == 0 || data.Weight(i) == 0 {
			continue
		}
		all++
		if len(pieces) > 1 {
			several++
		}
		p := slices.MaxFunc(pieces, func(a, b piece) int { return a.size - b.size })
		if p.bottom-p.top == img.Height()-1 || p.right-p.left == img.Width()-1 {
			across++
		}
		if p.size >= piecePixels {
			middles[0], middles[1] = append(middles[0], p.top+p.bottom), append(middles[1], p.left+p.right)
		}
	}
	for axis, side := range [2]int{data.Images[0].Height(), data.Images[0].Width()} {
		m := middles[axis]
		slices.Sort(m)
		roams = roams || 2*len(m) > all && 4*(m[len(m)-1-len(m)/10]-m[len(m)/10]) > 3*side
	}
	return several / float64(max(all, 1)), across / float64(max(all, 1)), roams
}

// inkPieces returns the pieces of ink of an image, pixels being connected to their eight
// neighbours, without specks: pieces that are small beside the largest.
func inkPieces(img *bitmap.Image) []piece {
	h, w := img.Height(), img.Width()
	left := img.AppendBytes(nil)
	var pieces []piece
	var stack []int
	largest := 0
	for i := range left {
		if left[i] == 0 {
			continue
		}
		p := piece{0, h, 0, w, 0}
		left[i] = 0
		for stack = append(stack[:0], i); len(stack) > 0; p.size++ {
			y0, x0 := stack[len(stack)-1]/w, stack[len(stack)-1]%w
			stack = stack[:len(stack)-1]
			p.top, p.bottom, p.left, p.right = min(p.top, y0), max(p.bottom, y0), min(p.left, x0), max(p.right, x0)
			for y := max(0, y0-1); y <= min(h-1, y0+1); y++ {
				for x := max(0, x0-1); x <= min(w-1, x0+1); x++ {
					if at := y*w + x; left[at] != 0 {
						left[at] = 0
						stack = append(stack, at)
					}
				}
			}
		}
		pieces, largest = append(pieces, p), max(largest, p.size)
	}
	return slices.DeleteFunc(pieces, func(p piece) bool {
		return p.size < largest && (p.size < piecePixels || pieceShare*p.size < largest)
	})
}
