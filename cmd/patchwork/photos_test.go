package main

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// stroke is a line of a drawing, from one point to another, in units of the drawing.
type stroke struct{ y0, x0, y1, x1 float64 }

// drawings are letters of strokes.
var drawings = map[string][]stroke{
	"T": {{-1, -0.8, -1, 0.8}, {-1, 0, 1, 0}},
	"L": {{-1, -0.6, 1, -0.6}, {1, -0.6, 1, 0.7}},
}

// distance returns how far a point is from a stroke.
func (s stroke) distance(y, x float64) float64 {
	dy, dx := s.y1-s.y0, s.x1-s.x0
	at := max(0, min(1, ((y-s.y0)*dy+(x-s.x0)*dx)/(dy*dy+dx*dx)))
	return math.Hypot(y-s.y0-at*dy, x-s.x0-at*dx)
}

// photo draws strokes with a pen on paper as a phone would show them: somewhere on the
// page, a little turned, each stroke a little moved, with dark corners, noise and a
// speck of dust.
func photo(r *rand.Rand, strokes []stroke) *image.Gray {
	height, width := 300+r.IntN(200), 240+r.IntN(200)
	side := float64(min(height, width)) * (0.24 + 0.12*r.Float64())
	cy, cx := float64(height)*(0.45+0.1*r.Float64()), float64(width)*(0.45+0.1*r.Float64())
	turn, pen := 0.2*(r.Float64()-0.5), 0.11+0.05*r.Float64()
	ink, paper := 40+40*r.Float64(), 170+60*r.Float64()
	moved := make([]stroke, len(strokes))
	for i, s := range strokes {
		dy, dx := 0.1*r.NormFloat64(), 0.1*r.NormFloat64()
		moved[i] = stroke{s.y0 + dy, s.x0 + dx, s.y1 + dy, s.x1 + dx}
	}
	m := image.NewGray(image.Rect(0, 0, width, height))
	sin, cos := math.Sincos(turn)
	for y := range height {
		for x := range width {
			v, u := (float64(y)-cy)/side, (float64(x)-cx)/side
			v, u = cos*v-sin*u, sin*v+cos*u
			light := paper
			for _, s := range moved {
				if s.distance(v, u) < pen {
					light = ink
				}
			}
			fy, fx := float64(y)/float64(height)-0.5, float64(x)/float64(width)-0.5
			light = light*(1-0.6*(fy*fy+fx*fx)) + 5*r.NormFloat64()
			m.SetGray(x, y, color.Gray{Y: uint8(max(0, min(255, math.Round(light))))})
		}
	}
	m.SetGray(3, height-4, color.Gray{Y: 10})
	return m
}

// drawPhotos writes photos of drawings into folders named after the letters.
func drawPhotos(t *testing.T, dir string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, letter := range []string{"L", "T"} {
		if err := os.MkdirAll(filepath.Join(dir, letter), 0o777); err != nil {
			t.Fatal(err)
		}
		for i := range map[string]int{"L": 8, "T": 16}[letter] {
			f, err := os.Create(filepath.Join(dir, letter, fmt.Sprintf("IMG_%02d.jpg", i+1)))
			if err != nil {
				t.Fatal(err)
			}
			if err := jpeg.Encode(f, photo(r, drawings[letter]), &jpeg.Options{Quality: 80}); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
