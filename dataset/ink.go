package dataset

import (
	"math"

	"example.com/patchwork/bitmap"
)

// leastContrast is the least difference between the mean luminances, of 255, of
// ink and paper. A picture with less is blank: Otsu's method divides even the
// noise of an empty page into two classes, whose means are about 1.6 standard
// deviations apart.
const leastContrast = 20

// levels counts the pixels of a picture by luminance: level v holds those not
// lighter than v of 255, but lighter than v-1. So "not lighter than the
// threshold T" means the levels 0 to T.
type levels [256]int64

func level(lum uint16) int { return (int(lum) + 256) / 257 }

func (g *gray) levels() (all levels) {
	for _, v := range g.lum {
		all[level(v)]++
	}
	return all
}

// otsu returns the level at which to divide: the greatest of the lower class in
// the division whose classes' means differ most, weighted by the classes' sizes
// (N. Otsu, "A threshold selection method from gray-level histograms", 1979);
// in the middle of the empty levels between the classes. contrast is the
// difference of the means. If all pixels have one level there is no division,
// and contrast is 0.
func (h *levels) otsu() (t int, contrast float64) {
	var n, sum int64
	for v, c := range h {
		n, sum = n+c, sum+int64(v)*c
	}
	var below, belowSum int64
	best, last := -1.0, 0
	for v, c := range h[:255] {
		below, belowSum = below+c, belowSum+int64(v)*c
		above := n - below
		if below == 0 || above == 0 {
			continue
		}
		// n*belowSum - below*sum is n*below*above/n times the difference of the
		// means; it is exact up to 2^26 pixels.
		d := float64(n*belowSum - below*sum)
		switch between := d * d / float64(below) / float64(above); {
		case between > best:
			best, t, last = between, v, v
			contrast = float64(sum-belowSum)/float64(above) - float64(belowSum)/float64(below)
		case between == best && v == last+1 && c == 0:
			last = v
		}
	}
	return t + (last-t)/2, contrast
}

// division says which pixels of a picture are ink.
type division struct {
	threshold float64 // of 255; those not lighter are dark
	light     bool    // the light ones are ink
	blank     bool    // none
}

// ink reports whether a pixel is ink.
func (d division) ink(lum uint16) bool {
	return !d.blank && float64(lum)/257 <= d.threshold != d.light
}

// divide chooses the ink of a picture. One of only black and white, and any
// with a given threshold, is taken as it is: dark is ink, or light with
// Options.Invert. Otherwise the threshold is Otsu's, and light is ink, too, if
// the border is mostly dark and so is the picture.
func (g *gray) divide(r rule, s *seenPicture) division {
	if r.threshold != nil {
		return division{threshold: *r.threshold, light: r.invert}
	}
	if g.binary() {
		return division{threshold: 0, light: r.invert}
	}
	all := g.levels()
	t, contrast := all.otsu()
	d := division{threshold: float64(t), light: r.invert}
	s.grey, s.threshold = true, t
	if contrast < leastContrast {
		d.blank, s.pale = true, true
		return d
	}
	if !d.light && g.onDark(d, &all) {
		d.light, s.inverted = true, true
	}
	return d
}

// binary reports whether all pixels are black or white.
func (g *gray) binary() bool {
	for _, v := range g.lum {
		if v != 0 && v != math.MaxUint16 {
			return false
		}
	}
	return true
}

// onDark reports whether a picture looks like light strokes on a dark ground:
// more than half of it is dark, and more than half of its border, which is as
// wide as 1/32 of the shorter side. The border alone would not do: a lens
// darkens the corners of a photo, and strokes may touch all four sides.
func (g *gray) onDark(d division, all *levels) bool {
	dark, n := int64(0), int64(len(g.lum))
	for _, c := range all[:int(d.threshold)+1] {
		dark += c
	}
	if 2*dark <= n {
		return false
	}
	wide := max(1, min(g.height, g.width)/32)
	dark, n = 0, 0
	for i, v := range g.lum {
		y, x := i/g.width, i%g.width
		if min(y, x, g.height-1-y, g.width-1-x) >= wide {
			continue
		}
		n++
		if float64(v)/257 <= d.threshold {
			dark++
		}
	}
	return 2*dark > n
}

// bits turns ink on.
func (g *gray) bits(r rule, s *seenPicture) *bitmap.Image {
	return g.inked(g.divide(r, s))
}

func (g *gray) inked(d division) *bitmap.Image {
	m := bitmap.New(g.height, g.width)
	if d.blank {
		return m
	}
	for i, v := range g.lum {
		if d.ink(v) {
			m.Set(i/g.width, i%g.width, true)
		}
	}
	return m
}

// otsuOf returns Otsu's threshold of the numbers of an image, on 256 levels
// from the least to the greatest that is known; nil for an image that is binary
// already. If all known numbers are equal, none is greater than the threshold.
func otsuOf(v []float64) *float64 {
	low, high, binary := math.Inf(1), math.Inf(-1), true
	for _, f := range v {
		if math.IsNaN(f) {
			continue
		}
		low, high = min(low, f), max(high, f)
		binary = binary && (f == 0 || f == 1)
	}
	if binary {
		return nil
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) || math.IsInf(high-low, 0) || low == high {
		return &high
	}
	levelOf := func(f float64) int { return int((f - low) / (high - low) * 255) }
	var all levels
	for _, f := range v {
		if !math.IsNaN(f) {
			all[levelOf(f)]++
		}
	}
	t, _ := all.otsu()
	greatest := low // of the lower class
	for _, f := range v {
		if !math.IsNaN(f) && levelOf(f) <= t {
			greatest = max(greatest, f)
		}
	}
	return &greatest
}
