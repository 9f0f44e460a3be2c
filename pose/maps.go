package pose

import "math"

// Outside marks a pixel of an index map that has no counterpart in the frame.
const Outside = int32(-1)

// RotationMap returns the gather map of a rotation of an h x w frame: pixel i
// of the rotated frame takes its value from pixel RotationMap[i] of the
// original, or from outside the frame where that is Outside. Indices are
// row-major.
func RotationMap(h, w int, angle float64) []int32 {
	return nearestMap(h, w, -angle)
}

// PullbackMap returns the gather map of the inverse rotation: pixel i of the
// original frame is found at pixel PullbackMap[i] of the rotated one. It maps
// an image back into the frame of the expert that explains it (the inverse
// transformation in eq. (1)).
func PullbackMap(h, w int, angle float64) []int32 {
	return nearestMap(h, w, angle)
}

// nearestMap rotates each pixel centre by angle and takes the pixel whose
// centre is nearest; exact halves go to the even index, as NumPy's rint rounds,
// which made the golden cases.
func nearestMap(h, w int, angle float64) []int32 {
	sin, cos := sincos(angle)
	cy, cx := float64(h-1)/2, float64(w-1)/2
	m := make([]int32, h*w)
	for y := range h {
		for x := range w {
			dy, dx := float64(y)-cy, float64(x)-cx
			sy := math.RoundToEven(settle(cy + sin*dx + cos*dy))
			sx := math.RoundToEven(settle(cx + cos*dx - sin*dy))
			if sy < 0 || sx < 0 || sy >= float64(h) || sx >= float64(w) {
				m[y*w+x] = Outside
				continue
			}
			m[y*w+x] = int32(sy)*int32(w) + int32(sx)
		}
	}
	return m
}

// settle removes the rounding error of the trigonometry, about 1e-15, so that a
// coordinate that is exactly a half in theory is one here too, and the map is
// the same on every machine.
func settle(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// sincos returns the sine and cosine of an angle in degrees, exact at multiples
// of 90.
func sincos(angle float64) (sin, cos float64) {
	switch a := math.Mod(angle, 360); a {
	case 0:
		return 0, 1
	case 90, -270:
		return 1, 0
	case 180, -180:
		return 0, -1
	case 270, -90:
		return -1, 0
	default:
		return math.Sincos(a * math.Pi / 180)
	}
}
