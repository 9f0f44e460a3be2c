package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
)

// otherSize returns the error for a picture that has another size than the first.
func otherSize(h, w, firstH, firstW int, grey bool) error {
	hint := "bring grey pictures to one size before; they are not scaled"
	if !grey {
		side := max(firstH, firstW)
		for _, usual := range []int{56, 28} { // at 56 a stroke of a pen is one to three pixels wide
			if side >= usual {
				side = usual
				break
			}
		}
		hint = fmt.Sprintf("give --size %dx%d to crop each to its ink, scale it and pad it to one size", side, side)
	}
	return &FormatError{Msg: fmt.Sprintf("a picture of %s pixels, the first has %s", sizeText(h, w),
		sizeText(firstH, firstW)), Hint: hint}
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
