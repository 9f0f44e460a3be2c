package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
)

// shape is a kind of planted table.
type shape struct {
	name             string
	rows, width      int
	parts            int
	least, most      int     // columns of a part
	support          float64 // mean number of parts of a row
	miss             float64 // share of a part's ones that are missing
	density          float64 // of the background
	power            bool    // whether columns of the background are as frequent as 1/rank
	spread           float64 // of the logarithm of how much a row says yes
	logit            float64 // spread of the log odds of saying yes between rows
	overlap          bool    // whether parts may share columns
	flips            float64 // of all cells, either way
	missLow, missTop float64 // of each part another
}

var shapes = []shape{
	{name: "thousand", rows: 1000, width: 1000, parts: 40, least: 5, most: 20, support: 2, miss: .1, density: .01},
	{name: "diffnaps", rows: 2000, width: 1000, parts: 40, least: 5, most: 20, support: 4, miss: .1, density: .02},
	{name: "ten", rows: 10000, width: 10000, parts: 100, least: 5, most: 20, support: 1, miss: .1, density: .002,
		power: true},
	{name: "hundred", rows: 20000, width: 100000, parts: 200, least: 5, most: 30, support: 2, miss: .1, density: .0005},
	{name: "overlap", rows: 5000, width: 5000, parts: 200, least: 5, most: 25, support: 4, density: .003, missLow: .05,
		missTop: .3, overlap: true},
	{name: "million", rows: 1000000, width: 10000, parts: 200, least: 5, most: 12, support: .6, miss: .1, density: .0005},
	{name: "million10", rows: 100000, width: 10000, parts: 200, least: 5, most: 12, support: .6, miss: .1, density: .0005},
	{name: "few60", rows: 60, width: 100, parts: 5, least: 10, most: 20, support: 1.5, flips: .05},
	{name: "few100", rows: 100, width: 100, parts: 5, least: 10, most: 20, support: 1.5, flips: .05},
	{name: "dense", rows: 10000, width: 100, parts: 20, least: 8, most: 15, support: 3, flips: .03, overlap: true},
	{name: "dense10", rows: 2000, width: 100, parts: 20, least: 8, most: 15, support: 3, flips: .1, overlap: true},
	{name: "mlarge", rows: 20000, width: 100000, parts: 200, least: 20, most: 100, support: 10, miss: .1, density: .035},
	{name: "noise", rows: 2000, width: 3000, density: .01, power: true},
	{name: "noisehalf", rows: 300, width: 100, density: .3},
	{name: "levels", rows: 2000, width: 1000, parts: 30, least: 6, most: 20, support: 1.5, miss: .1, density: .02,
		spread: .7},
	{name: "levels1", rows: 2000, width: 1000, parts: 30, least: 6, most: 20, support: 1.5, miss: .1, density: .02,
		spread: 1, power: true},
	{name: "m500", rows: 600, width: 500, parts: 20, least: 2, most: 10, support: 2, miss: .1, density: .05},
	{name: "m500b", rows: 2000, width: 500, parts: 20, least: 2, most: 10, support: 2, miss: .1, density: .05},
	{name: "rare", rows: 2000, width: 3000, parts: 40, least: 8, most: 20, support: .3, miss: .1, density: .005},
	{name: "level0", rows: 1000, width: 300, parts: 8, least: 8, most: 14, support: 1.6, miss: .1, density: .06},
	{name: "level7", rows: 1000, width: 300, parts: 8, least: 8, most: 14, support: 1.6, miss: .1, density: .06, logit: .7},
	{name: "level15", rows: 1000, width: 300, parts: 8, least: 8, most: 14, support: 1.6, miss: .1, density: .04,
		logit: 1.5},
	{name: "narrow7", rows: 1000, width: 100, parts: 8, least: 6, most: 10, support: 1.6, miss: .1, density: .12, logit: .7},
	{name: "narrow15", rows: 1000, width: 100, parts: 8, least: 6, most: 10, support: 1.6, miss: .1, density: .12,
		logit: 1.5},
	{name: "wide15", rows: 3000, width: 5000, parts: 30, least: 8, most: 20, support: 1.6, miss: .1, density: .01,
		logit: 1.5, power: true},
	{name: "unevenlogit", rows: 1000, width: 2000, density: .02, logit: 1.5, power: true},
	{name: "uneven", rows: 2000, width: 1000, density: .02, spread: .7},
	{name: "unevenpower", rows: 2000, width: 1000, density: .02, spread: 1, power: true},
}

// planted draws a table, and returns it with the columns of its parts.
func (s *shape) planted(rng *rand.Rand) (*bitmap.Lists, [][]int32) {
	parts := s.columns(rng)
	usage := make([]float64, len(parts))
	missing := make([]float64, len(parts))
	for k := range parts {
		usage[k] = s.support / float64(s.parts) * (.5 + rng.Float64())
		missing[k] = s.miss
		if s.missTop > 0 {
			missing[k] = s.missLow + (s.missTop-s.missLow)*rng.Float64()
		}
	}
	q := s.background(rng)
	t := bitmap.NewLists(s.width)
	for range s.rows {
		level := math.Exp(s.spread*rng.NormFloat64() - s.spread*s.spread/2)
		odds := math.Exp(s.logit * rng.NormFloat64())
		on := map[int32]bool{}
		for k, p := range parts {
			if rng.Float64() >= usage[k] {
				continue
			}
			for _, d := range p {
				if rng.Float64() >= missing[k] {
					on[d] = true
				}
			}
		}
		for d := nextOn(rng, q, level, odds, -1, s); d < s.width; d = nextOn(rng, q, level, odds, d, s) {
			on[int32(d)] = true
		}
		if s.flips > 0 {
			for d := range s.width {
				if rng.Float64() < s.flips {
					on[int32(d)] = !on[int32(d)]
				}
			}
		}
		var row []int32
		for d, is := range on {
			if is {
				row = append(row, d)
			}
		}
		slices.Sort(row)
		t.Append(row)
	}
	for _, p := range parts {
		slices.Sort(p)
	}
	return t, parts
}

// nextOn returns the next column after d that the background has.
func nextOn(rng *rand.Rand, q []float64, level, odds float64, d int, s *shape) int {
	if s.density == 0 {
		return s.width
	}
	if !s.power {
		p := raised(math.Min(s.density*level, .95), odds)
		return d + 1 + int(math.Log(rng.Float64())/math.Log1p(-p))
	}
	for d++; d < s.width && rng.Float64() >= raised(q[d]*level, odds); d++ {
	}
	return d
}

// raised returns a probability whose odds are so many times as large.
func raised(p, odds float64) float64 {
	if odds == 1 {
		return p
	}
	return p * odds / (1 - p + p*odds)
}

func (s *shape) columns(rng *rand.Rand) (parts [][]int32) {
	free := rng.Perm(s.width)
	for range s.parts {
		n := s.least + rng.IntN(s.most-s.least+1)
		if s.overlap || len(free) < n {
			free = rng.Perm(s.width)
		}
		var p []int32
		for _, d := range free[:n] {
			p = append(p, int32(d))
		}
		free = free[n:]
		parts = append(parts, p)
	}
	return parts
}

func (s *shape) background(rng *rand.Rand) []float64 {
	if !s.power {
		return nil
	}
	q, sum := make([]float64, s.width), 0.0
	for i, d := range rng.Perm(s.width) {
		q[d] = 1 / float64(i+3)
		sum += q[d]
	}
	for d := range q {
		q[d] = math.Min(.5, q[d]*s.density*float64(s.width)/sum)
	}
	return q
}
