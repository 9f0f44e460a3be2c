package letters

import (
	"math"
	"slices"

	"example.com/patchwork"
)

// Stroke measures how far the ink of a template, the pixels above 1/2, is one
// straight pen stroke.
type Stroke struct {
	Shape
	Inside float64 // largest fraction of the ink within a straight band of bandWidth
	Whole  float64 // fraction of the ink in the largest 8-connected piece
}

// bandWidth is the width of a pen stroke including its wobble, in pixels of
// letters 56 pixels high.
const bandWidth = 7.2

// StrokeOf measures a template of the given width.
func StrokeOf(template []float64, width int) Stroke {
	s := Stroke{Shape: ShapeOf(template, width)}
	ink := inkOf(template)
	if len(ink) == 0 {
		return s
	}
	for angle := 0.0; angle < 180; angle += 5 {
		s.Inside = max(s.Inside, float64(inBand(ink, width, angle))/float64(len(ink)))
	}
	s.Whole = float64(len(largest(ink, width))) / float64(len(ink))
	return s
}

// inkOf returns the pixels above 1/2.
func inkOf(template []float64) (ink []int) {
	for i, p := range template {
		if p > 0.5 {
			ink = append(ink, i)
		}
	}
	return ink
}

// inBand returns the most ink that a band in the direction of angle can hold.
func inBand(ink []int, width int, angle float64) int {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	across := make([]float64, len(ink))
	for n, i := range ink {
		across[n] = float64(i/width)*cos - float64(i%width)*sin
	}
	slices.Sort(across)
	most, from := 0, 0
	for to, a := range across {
		for a-across[from] > bandWidth {
			from++
		}
		most = max(most, to-from+1)
	}
	return most
}

// largest returns the largest 8-connected piece.
func largest(ink []int, width int) []int {
	left := make(map[int]bool, len(ink))
	for _, i := range ink {
		left[i] = true
	}
	var most []int
	for _, start := range ink {
		if !left[start] {
			continue
		}
		delete(left, start)
		piece := []int{start}
		for n := 0; n < len(piece); n++ {
			y, x := piece[n]/width, piece[n]%width
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if j := (y+dy)*width + x + dx; x+dx >= 0 && x+dx < width && left[j] {
						delete(left, j)
						piece = append(piece, j)
					}
				}
			}
		}
		if len(piece) > len(most) {
			most = piece
		}
	}
	return most
}

// Pure reports whether the template is one straight stroke: at least 25 pixels,
// 2.5 times as long as wide, 93 % of them in one band, 90 % in one piece.
func (s Stroke) Pure() bool {
	return s.Pixels >= 25 && s.Elongation >= 2.5 && s.Inside >= 0.93 && s.Whole >= 0.9
}

// directions holds the directions of the strokes of each letter as taught, in
// degrees from horizontal, clockwise on screen.
var directions = map[string][]float64{
	"T": {90, 0}, "L": {90, 0}, "H": {90, 90, 0}, "E": {90, 0, 0, 0}, "F": {90, 0, 0},
	"A": {120, 60, 0}, "N": {90, 50, 90}, "Y": {50, 130, 90}, "K": {90, 130, 50},
	"V": {60, 120}, "W": {70, 110, 70, 110}, "X": {50, 130},
}

// natural reports whether a model's experts, at their mean rotation, are the
// strokes of the letter: all pure, and matched one to one with its directions
// within 30 degrees.
func natural(m *patchwork.Model, letter string) bool {
	want := directions[letter]
	if len(want) != m.K() {
		return false
	}
	free := slices.Repeat([]bool{true}, len(want))
	return matches(strokesOf(m), want, free)
}

// strokesOf measures the experts of a model at their mean rotation.
func strokesOf(m *patchwork.Model) []Stroke {
	strokes := make([]Stroke, m.K())
	for _, pick := range m.SamplePicks(nil) {
		s := StrokeOf(m.Template(pick.Expert), m.Width())
		s.Direction = math.Mod(s.Direction+pick.Pose.Angle+360, 180)
		strokes[pick.Expert] = s
	}
	return strokes
}

// matches reports whether the strokes can be assigned to the free directions.
func matches(strokes []Stroke, want []float64, free []bool) bool {
	if len(strokes) == 0 {
		return true
	}
	for i, w := range want {
		off := math.Abs(strokes[0].Direction - w)
		if !free[i] || !strokes[0].Pure() || min(off, 180-off) > 30 {
			continue
		}
		free[i] = false
		if matches(strokes[1:], want, free) {
			return true
		}
		free[i] = true
	}
	return false
}
