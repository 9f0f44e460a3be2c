// Copyright 2009 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style license that can be found in the
// LICENSE file. It is NormFloat64 of the Go library, from "The Ziggurat Method for Generating Random Variables"
// (Marsaglia and Tsang, 2000), with
// explicit rounding.

package elem

import (
	"math"
	"math/rand/v2"
)

// strips are the 128 strips of equal area under the normal density: where the quick test
// ends, in 2^-31 of their width, their width, and the density at their edge.
var strips = newStrips()

type strip struct {
	quick  uint32
	width  float32
	height float32
}

// farthest is where the tail begins.
const farthest = 3.442619855899

func newStrips() (out [128]strip) {
	const area, scale = 9.91256303526217e-3, 1 << 31
	x := farthest
	height := Exp(-.5 * x * x)
	base := area / height
	out[0] = strip{uint32(x / base * scale), float32(base / scale), 1}
	out[127].width, out[127].height = float32(x/scale), float32(height)
	for i := 126; i > 0; i-- {
		next := math.Sqrt(-2 * Log(area/x+Exp(-.5*x*x)))
		out[i+1].quick = uint32(next / x * scale)
		x = next
		out[i].width, out[i].height = float32(x/scale), float32(Exp(-.5*x*x))
	}
	return out
}

// Normal returns a standard normal deviate. It draws the same numbers from rng, and makes the
// same of them, as its method NormFloat64 does where that rounds products.
func Normal(rng *rand.Rand) float64 {
	for {
		u := rng.Uint64()
		j, i := int32(uint32(u)), u>>32&0x7F
		s := &strips[i]
		x := float64(j) * float64(s.width)
		if uint32(max(j, -j)) < s.quick {
			return x
		}
		if i == 0 {
			return tail(rng, j > 0)
		}
		above := s.height + float32(float32(rng.Float64())*(strips[i-1].height-s.height))
		if above < float32(Exp(-.5*x*x)) {
			return x
		}
	}
}

// tail returns a deviate beyond the last strip.
func tail(rng *rand.Rand, right bool) float64 {
	for {
		x := float64(-Log(rng.Float64()) * (1 / farthest))
		y := -Log(rng.Float64())
		if y+y < x*x {
			continue
		}
		if right {
			return farthest + x
		}
		return -farthest - x
	}
}
