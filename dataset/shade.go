package dataset

import (
	"cmp"
	"math"
	"slices"
)

// These constants say what of a photo is shade, and what is the desk beside the paper. They are
// measured on a picture reduced to about lightSide pixels.
const (
	shadeReach  = 32    // strokes are thinner than the longer side by this
	shadeSide   = 64    // pixels a side, below which a stroke's square cannot be told from a corner of the desk
	shadeLeast  = 0.004 // of the picture that is dark without its strokes
	shadeDark   = 0.36  // of the paper's light that is left in shade; darker is no paper
	shadeInk    = 0.3   // of the picture that may be ink in the end
	shadeClear  = 40    // least contrast in the end
	deskMargin  = 2     // pixels beyond a desk that are made paper, too
	levelPaper  = 60000 // paper in the end
	shadeBorder = 1     // pixels at the edge of a shadow that count to it
)

// unshaded returns the picture, if that says what it shows, with shadows and what lies beside the paper made paper, and
// whether there were any:
// under a hard shadow, no threshold divides ink from paper, and no smooth surface is its light. What is dark when
// strokes are filled up is shade where half of the paper's light is left, else a desk if it touches the border. A
// filled shape is neither: then nothing is done, nor where light strokes stand on a dark ground. A page with nothing
// but shadows from its border is empty.
func (g *gray) unshaded() (*gray, bool) {
	if min(g.height, g.width) < shadeSide {
		return g, false
	}
	k := (max(g.height, g.width) + lightSide - 1) / lightSide
	small := g.reduced(k)
	r := max(1, max(small.height, small.width)/shadeReach)
	closed := small.spread(r, true).spread(r, false)
	t, contrast := small.threshold()
	if contrast < leastContrast || small.lightStrokes(t, r) {
		return g, false
	}
	desk, open, ok := closed.areas(t, 4*r)
	if !ok {
		return g, false
	}
	small.strips(desk, closed, t, r)
	light := closed.spread(shadeBorder, false)
	out := *g
	out.lum = make([]uint16, len(g.lum))
	for i, v := range g.lum {
		y, x := i/g.width, i%g.width
		out.lum[i] = levelPaper
		if !desk[y/k*small.width+x/k] {
			level := light.between((float64(y)+0.5)/float64(k)-0.5, (float64(x)+0.5)/float64(k)-0.5)
			out.lum[i] = uint16(min(levelPaper, math.Round(levelPaper*float64(v)/max(level, 1))))
		}
	}
	t, contrast = out.threshold()
	return &out, contrast >= shadeClear && out.share(t) <= shadeInk || open && contrast < leastContrast
}

// threshold returns Otsu's threshold and contrast.
func (g *gray) threshold() (t int, contrast float64) {
	all := g.levels()
	return all.otsu()
}

// share returns the share of pixels that are dark.
func (g *gray) share(t int) float64 {
	n := 0
	for _, v := range g.lum {
		if level(v) <= t {
			n++
		}
	}
	return float64(n) / float64(len(g.lum))
}

// lightStrokes reports whether more than half of the light pixels are in thin strokes.
func (g *gray) lightStrokes(t, r int) bool {
	opened := g.spread(r, false).spread(r, true)
	return 1-opened.share(t) < (1-g.share(t))/2
}

// spread returns the greatest, or the least, values of squares that reach r pixels to all sides.
func (g *gray) spread(r int, greatest bool) *gray {
	pick := slices.Min[[]uint16]
	if greatest {
		pick = slices.Max[[]uint16]
	}
	along := func(g *gray) *gray { // of rows, turned
		out := &gray{height: g.width, width: g.height, lum: make([]uint16, len(g.lum))}
		for y := range g.height {
			row := g.lum[y*g.width:][:g.width]
			for x := range row {
				out.lum[x*out.width+y] = pick(row[max(0, x-r):min(len(row), x+r+1)])
			}
		}
		return out
	}
	return along(along(g))
}

// areas returns which pixels of a picture without strokes are beside the paper, and whether it has
// areas that are dark, all of them shade or beside the paper; open says that all are shade and come from the border.
// What is thinner than so many pixels is no shade.
func (g *gray) areas(t, thin int) (desk []bool, open, ok bool) {
	sum, n := 0.0, 0
	dark := make([]bool, len(g.lum))
	for i, v := range g.lum {
		if dark[i] = level(v) <= t; !dark[i] {
			sum, n = sum+float64(v), n+1
		}
	}
	if n == 0 || float64(len(dark)-n) < shadeLeast*float64(len(dark)) {
		return nil, false, false
	}
	open = true
	desk = make([]bool, len(dark))
	for i := range dark {
		if !dark[i] {
			continue
		}
		area, border, edge := []int{i}, false, 0
		dark[i] = false
		for k := 0; k < len(area); k++ {
			y, x := area[k]/g.width, area[k]%g.width
			border = border || y == 0 || x == 0 || y == g.height-1 || x == g.width-1
			light := false
			g.around(y, x, 1, func(j int) { light = light || level(g.lum[j]) > t })
			if light {
				edge++
			}
			g.around(y, x, 1, func(j int) {
				if dark[j] {
					dark[j] = false
					area = append(area, j)
				}
			})
		}
		slices.SortFunc(area, func(a, b int) int { return cmp.Compare(g.lum[a], g.lum[b]) })
		switch {
		case !border && 2*len(area) < thin*edge:
			return nil, false, false // a broad stroke
		case float64(g.lum[area[len(area)/2]]) >= shadeDark*sum/float64(n): // the median: its edge is between both
			open = open && border
		case !border:
			return nil, false, false // a filled shape
		default:
			open = false
			for _, j := range area {
				g.around(j/g.width, j%g.width, deskMargin, func(j int) { desk[j] = true })
			}
		}
	}
	return desk, open, true
}

// strips adds to what lies beside the paper the dark strips along the border, less than r wide, that go on from dark
// areas: closed, the picture has no others so thin. A strip alone may be a stroke of a drawing that was cut to its ink.
func (g *gray) strips(desk []bool, closed *gray, t, r int) {
	seen := make([]bool, len(desk))
	var found []int
	take := func(i int) {
		if !seen[i] {
			seen[i] = true
			found = append(found, i)
		}
	}
	border := func(i int) int {
		y, x := i/g.width, i%g.width
		return min(y, x, g.height-1-y, g.width-1-x)
	}
	for i, v := range closed.lum {
		if level(v) <= t && border(i) == 0 {
			take(i)
		}
	}
	for k := 0; k < len(found); k++ {
		g.around(found[k]/g.width, found[k]%g.width, 1, func(i int) {
			if level(g.lum[i]) <= t && level(closed.lum[i]) > t && border(i) < r {
				take(i)
				g.around(i/g.width, i%g.width, deskMargin, func(j int) { desk[j] = true })
			}
		})
	}
}

// around calls do for the pixels that are at most r away.
func (g *gray) around(y, x, r int, do func(i int)) {
	for v := max(0, y-r); v <= min(g.height-1, y+r); v++ {
		for u := max(0, x-r); u <= min(g.width-1, x+r); u++ {
			do(v*g.width + u)
		}
	}
}

// between returns the value at a place between pixels.
func (g *gray) between(y, x float64) float64 {
	y, x = min(max(y, 0), float64(g.height-1)), min(max(x, 0), float64(g.width-1))
	r, c := min(int(y), max(0, g.height-2)), min(int(x), max(0, g.width-2))
	at := func(r, c int) float64 {
		return float64(g.lum[min(r, g.height-1)*g.width+min(c, g.width-1)])
	}
	fy, fx := y-float64(r), x-float64(c)
	top := float64((1-fx)*at(r, c)) + float64(fx*at(r, c+1))
	bottom := float64((1-fx)*at(r+1, c)) + float64(fx*at(r+1, c+1))
	return float64((1-fy)*top) + float64(fy*bottom)
}
