package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
)

// otherSize returns the error for a picture that has another size than the first.
func otherSize(h, w, firstH, firstW int, grey bool) error {
	hint, fix := "bring grey pictures to one size before; they are not scaled", []string(nil)
	if !grey {
		side := max(firstH, firstW)
		for _, usual := range []int{56, 28} { // at 56 a stroke of a pen is one to three pixels wide
			if side >= usual {
				side = usual
				break
			}
		}
		fix = []string{fmt.Sprintf("--size %dx%d", side, side)}
		hint = "give " + fix[0] + " to crop each to its ink, scale it and pad it to one size"
	}
	return &FormatError{Msg: fmt.Sprintf("a picture of %s pixels, the first has %s", sizeText(h, w),
		sizeText(firstH, firstW)), Hint: hint, fix: fix}
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
