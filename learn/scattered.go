package learn

import (
	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

const (
	piecePixels = 5 // of a piece of ink that counts, at least
	pieceShare  = 8 // and as a share of the largest piece: an eighth
)

// scattered returns the share of the images with ink in which it is in several pieces.
func scattered(data patchwork.Data) float64 {
	several, all := 0, 0
	for i, img := range data.Images {
		if n := inkPieces(img); n > 0 && data.Weight(i) > 0 {
			all++
			if n > 1 {
				several++
			}
		}
	}
	return float64(several) / float64(max(all, 1))
}

// inkPieces counts the pieces of ink of an image, pixels being connected to their eight
// neighbours, without specks: pieces that are small beside the largest.
func inkPieces(img *bitmap.Image) (n int) {
	h, w := img.Height(), img.Width()
	left := img.AppendBytes(nil)
	var sizes, stack []int
	largest := 0
	for i := range left {
		if left[i] == 0 {
			continue
		}
		size := 0
		left[i] = 0
		for stack = append(stack[:0], i); len(stack) > 0; size++ {
			y0, x0 := stack[len(stack)-1]/w, stack[len(stack)-1]%w
			stack = stack[:len(stack)-1]
			for y := max(0, y0-1); y <= min(h-1, y0+1); y++ {
				for x := max(0, x0-1); x <= min(w-1, x0+1); x++ {
					if at := y*w + x; left[at] != 0 {
						left[at] = 0
						stack = append(stack, at)
					}
				}
			}
		}
		sizes, largest = append(sizes, size), max(largest, size)
	}
	for _, size := range sizes {
		if size == largest || size >= piecePixels && pieceShare*size >= largest {
			n++
		}
	}
	return n
}
