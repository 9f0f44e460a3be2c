package pose

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// Outside marks a pixel of Turn.From that has no counterpart in the frame.
const Outside = int32(-1)

// Turn is a rotation of a frame about its centre, or a stretch and a rotation, whole:
// what it turns out of the frame is kept. The zero Turn leaves every pixel where it is.
type Turn struct {
	// The turned frame lies in a box of Height x Width pixels whose first row and column
	// are Top and Left in the coordinates of the frame; they may be negative.
	Top, Left, Height, Width int

	// From gives, for each pixel of the box, row-major, the pixel of the frame that it
	// takes its value from (the inverse rotation, to the nearest pixel), or Outside.
	From []int32

	// Back gives, for each pixel of the frame, row-major, where it is found after the
	// turn, in coordinates of the frame (the rotation, to the nearest pixel): it pulls
	// an image back into the frame of the expert that explains it (the inverse
	// transformation in eq. (1)).
	Back []Point
}

// Point is a pixel, by row and column.
type Point struct{ Y, X int32 }

// NewTurn returns the rotation of an h x w frame by angle degrees; the zero Turn for 0.
func NewTurn(h, w int, angle float64) Turn { return TurnOf(h, w, Pose{Angle: angle}) }

// TurnOf returns the stretch and rotation of an h x w frame in a pose, without its shift;
// the zero Turn where neither changes anything.
func TurnOf(h, w int, p Pose) Turn {
	if p.Angle == 0 && p.Stretch.plain() == (Stretch{}) {
		return Turn{}
	}
	sin, cos := sincos(p.Angle)
	sy, sx := p.Stretch.Factors()
	cy, cx := float64(float64(h-1)/2), float64(float64(w-1)/2)
	high, wide := sy*float64(h), sx*float64(w)
	ry := float64((float64(math.Abs(cos)*high)+float64(math.Abs(sin)*wide))/2) + 1
	rx := float64((float64(math.Abs(cos)*wide)+float64(math.Abs(sin)*high))/2) + 1
	t := Turn{Top: int(math.Floor(cy - ry)), Left: int(math.Floor(cx - rx))}
	t.Height, t.Width = int(math.Ceil(cy+ry))-t.Top+1, int(math.Ceil(cx+rx))-t.Left+1
	t.From = make([]int32, t.Height*t.Width)
	for i := range t.From {
		dy, dx := float64(t.Top+i/t.Width)-cy, float64(t.Left+i%t.Width)-cx
		y, x := nearest(cy+(float64(cos*dy)-float64(sin*dx))/sy), nearest(cx+(float64(cos*dx)+float64(sin*dy))/sx)
		if t.From[i] = Outside; y >= 0 && x >= 0 && y < h && x < w {
			t.From[i] = int32(y)*int32(w) + int32(x)
		}
	}
	t.Back = make([]Point, h*w)
	for i := range t.Back {
		dy, dx := float64((float64(i/w)-cy)*sy), float64((float64(i%w)-cx)*sx)
		t.Back[i] = Point{int32(nearest(cy + float64(cos*dy) + float64(sin*dx))),
			int32(nearest(cx + float64(cos*dx) - float64(sin*dy)))}
	}
	return t.trimmed()
}

// trimmed returns the turn without the rows and columns of the box that are outside
// the turned frame altogether.
func (t Turn) trimmed() Turn {
	top, left, bottom, right := t.Height, t.Width, -1, -1
	for i, s := range t.From {
		if s != Outside {
			y, x := i/t.Width, i%t.Width
			top, left, bottom, right = min(top, y), min(left, x), max(bottom, y), max(right, x)
		}
	}
	if bottom < 0 { // shrunk to nothing
		return Turn{Top: t.Top, Left: t.Left, Height: 1, Width: 1, From: []int32{Outside}, Back: t.Back}
	}
	out := Turn{Top: t.Top + top, Left: t.Left + left, Height: bottom - top + 1, Width: right - left + 1, Back: t.Back}
	for y := top; y <= bottom; y++ {
		out.From = append(out.From, t.From[y*t.Width+left:y*t.Width+right+1]...)
	}
	return out
}

// nearest returns the pixel whose centre is nearest to a coordinate; exact halves go to
// the even index, as NumPy's rint rounds, which made the golden cases. The rounding
// error of the trigonometry, about 1e-15, is removed first, so that a coordinate that is
// exactly a half in theory is one here too, and the map is the same on every machine.
func nearest(v float64) int { return int(math.RoundToEven(math.Round(v*1e9) / 1e9)) }

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
		return elem.Sincos(a * math.Pi / 180)
	}
}
