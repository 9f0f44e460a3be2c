package sheets

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
)

// Scanner says how a page is drawn and scanned: by a pen of its own, at places between pixels, blurred, as JPEG.
type Scanner struct {
	Name    string
	Pen     float64 // pixels by which its strokes are broader than those of the symbols, on either side
	Degrees float64 // by which the page lies askew
	Blur    float64 // pixels over which an edge is spread, besides the one of a sharp one
	Noise   float64 // standard deviation, of 255
	Quality int     // of the JPEG
}

// Scanners are those of the ledger.
var Scanners = []Scanner{
	{"the symbols' pen", 0, 0, 0, 3, 90}, {"a pen 2 pixels broader", 1, 0, 0, 3, 90},
	{"a pen 1 pixel thinner", -.5, 0, 0, 3, 90}, {"blurred, JPEG 25", 0, 0, 1.5, 10, 25},
	{"1 degree askew", 0, 1, 0, 3, 90},
}

// Scan draws a page again as a scanner sees it, with words on it, and moves its truth along.
func (s Scanner) Scan(page *bitmap.Image, truth *synth.SheetTruth, seed uint64) (*image.Gray, *synth.SheetTruth) {
	r := rand.New(rand.NewPCG(seed, 9))
	far, h, w := distances(write(page, truth.Items[0].Placements, r)), page.Height(), page.Width()
	sin, cos := math.Sincos(s.Degrees * math.Pi / 180)
	dy, dx, my, mx := r.Float64(), r.Float64(), float64(h)/2, float64(w)/2
	out := image.NewGray(image.Rect(0, 0, w, h))
	for i := range h * w {
		y, x := float64(i/w)-my-dy, float64(i%w)-mx-dx
		d := between(far, h, w, my+y*cos-x*sin, mx+y*sin+x*cos) - s.Pen
		ink := min(max(0.5-d/(1+s.Blur), 0), 1)
		out.SetGray(i%w, i/w, color.Gray{uint8(min(max(220-180*ink+s.Noise*r.NormFloat64(), 0), 255))})
	}
	moved := *truth
	moved.Items = []synth.Sheet{truth.Items[0]}
	moved.Items[0].Placements = nil
	for _, p := range truth.Items[0].Placements {
		half := float64(truth.Symbols[p.Symbol].Height()-1) / 2
		y, x := float64(p.Y)+half-my, float64(p.X)+half-mx
		p.Y = int(math.Round(my + dy + y*cos + x*sin - half))
		p.X = int(math.Round(mx + dx - y*sin + x*cos - half))
		moved.Items[0].Placements = append(moved.Items[0].Placements, p)
	}
	return out, &moved
}

// Read returns the ink of a scan as anybody would read it: from its JPEG.
func (s Scanner) Read(ctx context.Context, scan *image.Gray) (*bitmap.Image, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, scan, &jpeg.Options{Quality: s.Quality}); err != nil {
		return nil, err
	}
	set, err := dataset.Decode(ctx, "scan.jpg", b.Bytes(), dataset.Options{})
	if err != nil {
		return nil, err
	}
	return set.Images[0], nil
}

// write returns a page with some words on it, none of them over a symbol.
func write(page *bitmap.Image, symbols []synth.Placement, r *rand.Rand) *bitmap.Image {
	const words, scale, frame = 20, 2, 50
	out := page.Clone()
	for n := 0; n < words; {
		y0, x0 := r.IntN(page.Height()-13*scale), r.IntN(page.Width()-30*scale)
		if slices.ContainsFunc(symbols, func(p synth.Placement) bool {
			return y0 < p.Y+frame && p.Y < y0+13*scale && x0 < p.X+frame && p.X < x0+30*scale
		}) {
			continue
		}
		n++
		text := image.NewGray(image.Rect(0, 0, 30, 13))
		d := font.Drawer{Dst: text, Src: image.White, Face: basicfont.Face7x13, Dot: fixed.P(0, 11)}
		for range 4 {
			d.DrawString(string("0123456789ABKLR"[r.IntN(15)]))
		}
		for i := range 13 * scale * 30 * scale {
			if y, x := i/(30*scale), i%(30*scale); text.GrayAt(x/scale, y/scale).Y > 0 {
				out.Set(y0+y, x0+x, true)
			}
		}
	}
	return out
}

// distances returns how far each pixel is from the edge of ink, below 0 inside, up to four pixels.
func distances(page *bitmap.Image) []float64 {
	const reach = 4
	out := make([]float64, page.Len())
	for i := range out {
		y, x := i/page.Width(), i%page.Width()
		on, nearest := page.At(y, x), float64(reach)
		for v := max(0, y-reach); v <= min(page.Height()-1, y+reach); v++ {
			for u := max(0, x-reach); u <= min(page.Width()-1, x+reach); u++ {
				if page.At(v, u) != on {
					nearest = min(nearest, math.Hypot(float64(v-y), float64(u-x)))
				}
			}
		}
		if out[i] = nearest - 0.5; on {
			out[i] = 0.5 - nearest
		}
	}
	return out
}

// between returns a value between those of four pixels; beyond the page it is paper.
func between(v []float64, h, w int, y, x float64) float64 {
	r, c := int(math.Floor(y)), int(math.Floor(x))
	if r < 0 || c < 0 || r+1 >= h || c+1 >= w {
		return 4
	}
	fy, fx := y-float64(r), x-float64(c)
	return (1-fy)*((1-fx)*v[r*w+c]+fx*v[r*w+c+1]) + fy*((1-fx)*v[(r+1)*w+c]+fx*v[(r+1)*w+c+1])
}
