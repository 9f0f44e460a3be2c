package render

import (
	"image/color"
	"math"

	"example.com/patchwork/internal/elem"
)

// Palette maps a probability to a colour. It must accept any float64.
type Palette func(p float64) color.RGBA

var (
	white  = color.RGBA{0xff, 0xff, 0xff, 0xff}
	black  = color.RGBA{0x00, 0x00, 0x00, 0xff}
	blue   = color.RGBA{0x16, 0x3f, 0xb5, 0xff}
	grey   = color.RGBA{0x99, 0x99, 0x99, 0xff}
	yellow = color.RGBA{0xff, 0xde, 0x2e, 0xff}

	// unknownTints are the two tints of the checkerboard of unknown pixels.
	unknownTints = [2]color.RGBA{{0xdd, 0xd3, 0xec, 0xff}, {0xf1, 0xec, 0xf8, 0xff}}
)

// Ink returns the palette of write-black models: white for 0 to black for 1, grey
// between. Values beyond [0, 1] are clamped; NaN has the colour of unknown
// pixels.
func Ink(p float64) color.RGBA {
	if math.IsNaN(p) {
		return unknownTints[0]
	}
	v := uint8(math.Round(255 * (1 - clamp(p))))
	return color.RGBA{v, v, v, 0xff}
}

// Symmetric returns the palette of write-white-and-black models: blue for 0, grey
// for 1/2, yellow for 1, as in Figure 5 of the paper. Its luminance rises
// throughout, so it works for colour-blind readers and in grey print. Values
// beyond [0, 1] are clamped; NaN has the colour of unknown pixels.
func Symmetric(p float64) color.RGBA { return symmetricAround(p, 0.5) }

// symmetricAround is Symmetric with grey at the abstention value q instead of 1/2; both arms are stretched to fit.
func symmetricAround(p, q float64) color.RGBA {
	if math.IsNaN(p) {
		return unknownTints[0]
	}
	switch s := share(clamp(p), q); {
	case s < 0:
		return mix(grey, blue, -s)
	default:
		return mix(grey, yellow, s)
	}
}

// share returns the position of p between q and 1 (0..1) or between q and 0
// (0..-1).
func share(p, q float64) float64 {
	switch {
	case p > q:
		return (p - q) / (1 - q)
	case p < q:
		return (p - q) / q
	}
	return 0
}

func clamp(p float64) float64 { return min(max(p, 0), 1) }

// mix returns the colour at fraction t of the way from a to b, 0 <= t <= 1,
// along a straight line in Oklab, in which equal steps look equal (B. Ottosson,
// "A perceptual color space for image processing", 2020).
func mix(a, b color.RGBA, t float64) color.RGBA {
	switch {
	case t <= 0:
		return a
	case t >= 1:
		return b
	}
	la, lb := toOklab(a), toOklab(b)
	for i := range la {
		la[i] += float64(t * (lb[i] - la[i]))
	}
	return la.rgba()
}

// oklab is a colour: lightness 0..1 and two opponent axes, green-red and
// blue-yellow.
type oklab [3]float64

func toOklab(c color.RGBA) oklab {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	l := elem.Pow(float64(0.4122214708*r)+float64(0.5363325363*g)+float64(0.0514459929*b), 1./3)
	m := elem.Pow(float64(0.2119034982*r)+float64(0.6806995451*g)+float64(0.1073969566*b), 1./3)
	s := elem.Pow(float64(0.0883024619*r)+float64(0.2817188376*g)+float64(0.6299787005*b), 1./3)
	return oklab{
		float64(0.2104542553*l) + float64(0.7936177850*m) - float64(0.0040720468*s),
		float64(1.9779984951*l) - float64(2.4285922050*m) + float64(0.4505937099*s),
		float64(0.0259040371*l) + float64(0.7827717662*m) - float64(0.8086757660*s),
	}
}

// rgba returns the nearest sRGB colour; channels out of gamut are clipped.
func (c oklab) rgba() color.RGBA {
	l := c[0] + float64(0.3963377774*c[1]) + float64(0.2158037573*c[2])
	m := c[0] - float64(0.1055613458*c[1]) - float64(0.0638541728*c[2])
	s := c[0] - float64(0.0894841775*c[1]) - float64(1.2914855480*c[2])
	l, m, s = l*l*l, m*m*m, s*s*s
	return color.RGBA{
		gamma(float64(4.0767416621*l) - float64(3.3077115913*m) + float64(0.2309699292*s)),
		gamma(float64(-1.2684380046*l) + float64(2.6097574011*m) - float64(0.3413193965*s)),
		gamma(float64(-0.0041960863*l) - float64(0.7034186147*m) + float64(1.7076147010*s)),
		0xff,
	}
}

// linear inverts the sRGB transfer function: 0..255 to light 0..1.
func linear(v uint8) float64 {
	f := float64(v) / 255
	if f <= 0.04045 {
		return f / 12.92
	}
	return elem.Pow((f+0.055)/1.055, 2.4)
}

// gamma applies the sRGB transfer function: light 0..1 to 0..255.
func gamma(f float64) uint8 {
	switch f = clamp(f); {
	case f <= 0.0031308:
		f *= 12.92
	default:
		f = float64(1.055*elem.Pow(f, 1/2.4)) - 0.055
	}
	return uint8(math.Round(255 * f))
}

// hues are the colours of the first experts: the vermilion, green, blue, pink, orange
// and sky blue of M. Okabe and K. Ito ("Color universal design", 2008), in the order of
// the red, green, blue and magenta of Figure 8 of the paper, which colour-blind readers
// can tell apart; then brown, violet, lime, coral, petrol, maroon. They are far
// apart in Oklab and dark enough for white paper. The studio's page has them in a file
// that a test of package studio writes.
var hues = [...]color.RGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0x00, 0x72, 0xb2, 0xff},
	{0xcc, 0x79, 0xa7, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
	{0x8a, 0x57, 0x1d, 0xff}, {0x6c, 0x2b, 0xb5, 0xff}, {0x9c, 0xc4, 0x12, 0xff},
	{0xff, 0x7f, 0x7a, 0xff}, {0x00, 0x5f, 0x66, 0xff}, {0x7d, 0x0c, 0x38, 0xff},
}

// Hue returns the colour of expert k >= 0 in every picture and page. The first 12 are
// hand-picked (red, green, blue, pink, orange, sky blue, ...); beyond them the hue advances by the golden angle and the
// lightness by thirds, so that neighbours differ. It panics if k < 0.
func Hue(k int) color.RGBA {
	if k < len(hues) {
		return hues[k]
	}
	k -= len(hues)
	const goldenAngle = 2.399963229728653 // radians, 2 pi (1 - 1/phi)
	angle := math.Mod(float64(k)*goldenAngle, 2*math.Pi)
	sin, cos := elem.Sincos(angle)
	lightness := []float64{0.62, 0.45, 0.75}[k%3]
	return oklab{lightness, 0.14 * cos, 0.14 * sin}.rgba()
}
