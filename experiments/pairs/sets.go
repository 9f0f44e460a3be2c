// Package pairs measures whether parts are found that are never shown alone: the
// four features of a deconvolution problem, random walks, and digits in scenes.
package pairs

import (
	"math/rand/v2"

	"example.com/patchwork/bitmap"
)

// Set is images and the parts that they were made of.
type Set struct {
	Images []*bitmap.Image // with flips
	Clean  []*bitmap.Image
	Parts  []*bitmap.Image // trimmed to their ink
	Angles []float64       // at which the parts may lie
}

// Sets are drawn with independent streams of one seed.
const (
	forParts = iota
	forImages
	forFlips
	forOrder
)

func stream(seed uint64, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, purpose))
}

// Trim returns the part of an image that its ink spans.
func Trim(m *bitmap.Image) *bitmap.Image {
	top, bottom, left, right := m.Height(), 0, m.Width(), 0
	for y := range m.Height() {
		for x := range m.Width() {
			if m.At(y, x) {
				top, bottom, left, right = min(top, y), max(bottom, y+1), min(left, x), max(right, x+1)
			}
		}
	}
	out := bitmap.New(max(bottom-top, 0), max(right-left, 0))
	for y := range out.Height() {
		for x := range out.Width() {
			out.Set(y, x, m.At(top+y, left+x))
		}
	}
	return out
}

// Turn returns an image turned clockwise by so many quarter turns.
func Turn(m *bitmap.Image, quarters int) *bitmap.Image {
	for range quarters & 3 {
		out := bitmap.New(m.Width(), m.Height())
		for y := range m.Height() {
			for x := range m.Width() {
				out.Set(x, m.Height()-1-y, m.At(y, x))
			}
		}
		m = out
	}
	return m
}

// Walk draws a part: a random walk in a box of 7 x 7 pixels until 16 are on.
func Walk(r *rand.Rand) *bitmap.Image {
	const side, pixels = 7, 16
	m := bitmap.New(side, side)
	y, x := r.IntN(side), r.IntN(side)
	m.Set(y, x, true)
	for m.CountOn() < pixels {
		step := [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}[r.IntN(4)]
		if ny, nx := y+step[0], x+step[1]; ny >= 0 && ny < side && nx >= 0 && nx < side {
			y, x = ny, nx
			m.Set(y, x, true)
		}
	}
	return Trim(m)
}

// Scenes says what images are drawn of parts.
type Scenes struct {
	N, Side     int
	Least, Most int  // parts in an image
	Distinct    bool // no part twice in an image
	Angles      []float64
}

// Draw draws images: each has parts at random places, wholly inside.
func (o Scenes) Draw(r *rand.Rand, parts []*bitmap.Image) []*bitmap.Image {
	out := make([]*bitmap.Image, o.N)
	for i := range out {
		m := bitmap.New(o.Side, o.Side)
		n := o.Least + r.IntN(o.Most-o.Least+1)
		which := r.Perm(len(parts))
		for j := range n {
			k := r.IntN(len(parts))
			if o.Distinct {
				k = which[j]
			}
			p := parts[k]
			if len(o.Angles) > 1 {
				p = Turn(p, int(o.Angles[r.IntN(len(o.Angles))])/90)
			}
			y, x := r.IntN(o.Side-p.Height()+1), r.IntN(o.Side-p.Width()+1)
			for v := range p.Height() {
				for u := range p.Width() {
					if p.At(v, u) {
						m.Set(y+v, x+u, true)
					}
				}
			}
		}
		out[i] = m
	}
	return out
}

// Flip returns the images with pixels flipped at random.
func Flip(r *rand.Rand, images []*bitmap.Image, share float64) []*bitmap.Image {
	out := make([]*bitmap.Image, len(images))
	for i, m := range images {
		out[i] = m.Clone()
		for y := range m.Height() {
			for x := range m.Width() {
				if r.Float64() < share {
					out[i].Set(y, x, !m.At(y, x))
				}
			}
		}
	}
	return out
}

// Walks draws a set of images of K walks, 28 x 28, with 3 to 8 of them in each.
func Walks(seed uint64, k, n int, flips float64, angles []float64) Set {
	r := stream(seed, forParts)
	set := Set{Angles: angles}
	for range k {
		set.Parts = append(set.Parts, Walk(r))
	}
	set.Clean = Scenes{N: n, Side: 28, Least: 3, Most: 8, Angles: angles}.Draw(stream(seed, forImages), set.Parts)
	set.Images = Flip(stream(seed, forFlips), set.Clean, flips)
	return set
}

// Alone draws a set of scenes, 48 x 48, of five of ten digits each, one drawing of
// each digit: glyphs and their labels.
func Alone(seed uint64, n int, flips float64, glyphs []*bitmap.Image, labels []int) Set {
	return Digits(seed, Scenes{N: n, Side: 48, Least: 5, Most: 5, Distinct: true}, 10, flips, glyphs, labels)
}

// Digits draws scenes of the digits below a number, one drawing of each.
func Digits(seed uint64, scenes Scenes, digits int, flips float64, glyphs []*bitmap.Image, labels []int) Set {
	r := stream(seed, forParts)
	var set Set
	for c := range digits {
		var of []int
		for i, l := range labels {
			if l == c {
				of = append(of, i)
			}
		}
		set.Parts = append(set.Parts, Trim(glyphs[of[r.IntN(len(of))]]))
	}
	set.Clean = scenes.Draw(stream(seed, forImages), set.Parts)
	set.Images = Flip(stream(seed, forFlips), set.Clean, flips)
	return set
}

// Noise draws images of 28 x 28 pixels without parts.
func Noise(seed uint64, n int, ink float64) Set {
	r := stream(seed, forImages)
	var set Set
	for range n {
		set.Clean = append(set.Clean, bitmap.New(28, 28))
	}
	set.Images = Flip(r, set.Clean, ink)
	return set
}

// Deconvolution draws n of the images of a problem, whose features are the parts.
func Deconvolution(seed uint64, n int, flips float64, images, features []*bitmap.Image) Set {
	var set Set
	for _, i := range stream(seed, forOrder).Perm(len(images))[:n] {
		set.Clean = append(set.Clean, images[i])
	}
	for _, f := range features {
		set.Parts = append(set.Parts, Trim(f))
	}
	set.Images = Flip(stream(seed, forFlips), set.Clean, flips)
	return set
}

// Same reports whether two trimmed parts are equal, up to the set's turns.
func (s *Set) Same(a, b *bitmap.Image) bool {
	if len(s.Angles) < 2 {
		return a.Equal(b)
	}
	for q := range 4 {
		if Turn(a, q).Equal(b) {
			return true
		}
	}
	return false
}

// Found counts the true parts that are among those found.
func (s *Set) Found(parts []*bitmap.Image) (n int) {
	for _, want := range s.Parts {
		for _, p := range parts {
			if s.Same(p, want) {
				n++
				break
			}
		}
	}
	return n
}
