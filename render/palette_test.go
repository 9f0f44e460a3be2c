package render

import (
	"image/color"
	"math"
	"testing"
)

func TestPaletteEnds(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		palette Palette
		p       float64
		want    color.RGBA
	}{
		{"ink", Ink, 0, white}, {"ink", Ink, 1, black},
		{"ink", Ink, -3, white}, {"ink", Ink, math.Inf(1), black}, {"ink", Ink, nan, unknownTints[0]},
		{"symmetric", Symmetric, 0, blue}, {"symmetric", Symmetric, 0.5, grey}, {"symmetric", Symmetric, 1, yellow},
		{"symmetric", Symmetric, -3, blue}, {"symmetric", Symmetric, 7, yellow},
		{"symmetric", Symmetric, nan, unknownTints[0]},
		{"around 0.2", around(0.2), 0, blue}, {"around 0.2", around(0.2), 0.2, grey}, {"around 0.2", around(0.2), 1, yellow},
		{"around 0", around(0), 0, grey}, {"around 0", around(0), 1, yellow},
		{"around 1", around(1), 0, blue}, {"around 1", around(1), 1, grey},
	} {
		if got := c.palette(c.p); got != c.want {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.p, got, c.want)
		}
	}
}

// luminance returns the relative luminance of WCAG 2, 0..1.
func luminance(c color.RGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// TestPalettesAreMonotone: a palette with monotone luminance is readable by
// everyone, and in print.
func TestPalettesAreMonotone(t *testing.T) {
	for name, c := range map[string]struct {
		palette Palette
		sign    float64
	}{
		"ink": {Ink, -1}, "symmetric": {Symmetric, 1}, "around 0.1": {around(0.1), 1},
		"around 0": {around(0), 1}, "around 1": {around(1), 1},
	} {
		last := c.palette(0)
		for i := 1; i <= 1000; i++ {
			next := c.palette(float64(i) / 1000)
			if d := c.sign * (luminance(next) - luminance(last)); d < -0.002 { // a step of one in one channel
				t.Errorf("%s: luminance turns back at %v: %v, then %v", name, float64(i)/1000, last, next)
			}
			last = next
		}
	}
}

// TestSymmetricIsEven: both arms of Symmetric are perceptually equally long,
// within a quarter.
func TestSymmetricIsEven(t *testing.T) {
	low := toOklab(grey)[0] - toOklab(blue)[0]
	high := toOklab(yellow)[0] - toOklab(grey)[0]
	if r := low / high; r < 0.75 || r > 1.34 {
		t.Errorf("lightness falls by %.3f to blue and rises by %.3f to yellow", low, high)
	}
}

func TestOklabRoundTrip(t *testing.T) {
	for i := range 1 << 12 {
		c := color.RGBA{uint8(i>>8) * 17, uint8(i>>4&15) * 17, uint8(i&15) * 17, 255}
		if got := toOklab(c).rgba(); got != c {
			t.Fatalf("%v came back as %v", c, got)
		}
	}
}

func distance(a, b color.RGBA) float64 {
	x, y := toOklab(a), toOklab(b)
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

func TestHuesAreDistinct(t *testing.T) {
	special := map[string]color.RGBA{"white": white, "black": black, "unexplained": unexplained,
		"unknown": unknownTints[0]}
	for i := range hues {
		for j := range i {
			if d := distance(Hue(i), Hue(j)); d < 0.1 {
				t.Errorf("hues %d and %d are only %.3f apart", i, j, d)
			}
		}
		for name, c := range special {
			if d := distance(Hue(i), c); d < 0.1 {
				t.Errorf("hue %d is only %.3f from %s", i, d, name)
			}
		}
	}
	for i := 1; i < 1000; i++ {
		if d := distance(Hue(i), Hue(i-1)); d < 0.1 {
			t.Errorf("hues %d and %d, neighbours, are only %.3f apart", i-1, i, d)
		}
		if d := distance(Hue(i), white); d < 0.2 {
			t.Errorf("hue %d is only %.3f from white", i, d)
		}
	}
}

// TestFirstHuesAreThePapers: the first three are those of Figure 8, red, green and blue,
// by the channel that is strongest.
func TestFirstHuesAreThePapers(t *testing.T) {
	for k, strongest := range []func(c color.RGBA) uint8{
		func(c color.RGBA) uint8 { return c.R }, func(c color.RGBA) uint8 { return c.G },
		func(c color.RGBA) uint8 { return c.B },
	} {
		if c := Hue(k); strongest(c) != max(c.R, c.G, c.B) {
			t.Errorf("hue %d is %v", k, c)
		}
	}
}

// TestHuesForColourBlindReaders: the first six stay apart for readers without one of the
// three kinds of cones (F. Vienot, H. Brettel and J. Mollon, "Digital video colourmaps for
// checking the legibility of displays by dichromats", 1999; without blue, roughly).
func TestHuesForColourBlindReaders(t *testing.T) {
	for name, see := range map[string][3][3]float64{
		"without red":   {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
		"without green": {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
		"without blue":  {{1, 0.1435, -0.1435}, {0, 0.8595, 0.1405}, {0, 0.8595, 0.1405}},
	} {
		seen := func(c color.RGBA) color.RGBA {
			light := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
			var out [3]uint8
			for i, row := range see {
				out[i] = gamma(row[0]*light[0] + row[1]*light[1] + row[2]*light[2])
			}
			return color.RGBA{out[0], out[1], out[2], 0xff}
		}
		for i := range 6 {
			for j := range i {
				if d := distance(seen(Hue(i)), seen(Hue(j))); d < 0.07 {
					t.Errorf("%s, hues %d and %d are only %.3f apart", name, i, j, d)
				}
			}
		}
	}
}

// around is the palette of an abstention value.
func around(q float64) Palette {
	return func(p float64) color.RGBA { return symmetricAround(p, q) }
}
