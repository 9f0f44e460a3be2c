package render

import "image"

// In a browser the fonts are its own: SVG names them, and pictures that are drawn here
// have no text.

// width returns the width in pixels of the widest line.
func (s style) width(lines []string) int {
	widest := 0
	for _, l := range lines {
		widest = max(widest, s.plainWidth(l))
	}
	return widest
}

func drawTexts(*image.RGBA, []placedText) {}
