// Package real measures the learner of grey pictures (learn/real) on data whose truth is known, and on digits, beside
// rivals.
package real

import (
	"math"
	"math/rand/v2"

	model "example.com/patchwork/learn/real"
)

// Set is data with their truth.
type Set struct {
	Height, Width int
	Rows          [][]float64
	Truth         [][]float64 // the templates: means, 0 where they say nothing
	On            [][]int     // of quadrants, the templates in each row
	// LogDensity returns the logarithm of the density of a row; nil if it is not known.
	LogDensity func(row []float64) float64
}

// Quadrants returns n images of 6 x 6: each quadrant is on with probability 1/2, and then has the mean a or
// -a. The noise has the deviation 1 where nothing is on, and sd where something is.
func Quadrants(n int, a, sd float64, rng *rand.Rand) *Set {
	s := &Set{Height: 6, Width: 6}
	quadrant := func(d int) int { return d/18*2 + d%6/3 }
	for q := range 4 {
		for _, sign := range []float64{1, -1} {
			t := make([]float64, 36)
			for d := range t {
				if quadrant(d) == q {
					t[d] = sign * a
				}
			}
			s.Truth = append(s.Truth, t)
		}
	}
	for range n {
		row := make([]float64, 36)
		var mean, dev [4]float64
		var on []int
		for q := range mean {
			if dev[q] = 1; rng.IntN(2) == 0 {
				sign := rng.IntN(2)
				mean[q], dev[q] = a*float64(1-2*sign), sd
				on = append(on, 2*q+sign)
			}
		}
		s.On = append(s.On, on)
		for d := range row {
			q := quadrant(d)
			row[d] = mean[q] + dev[q]*rng.NormFloat64()
		}
		s.Rows = append(s.Rows, row)
	}
	s.LogDensity = func(row []float64) float64 {
		var l [4][3]float64
		for d, x := range row {
			for i, o := range []model.Normal{{Var: 1}, {Mean: a, Var: sd * sd}, {Mean: -a, Var: sd * sd}} {
				l[quadrant(d)][i] += o.LogDensity(x)
			}
		}
		sum := 0.0
		for _, q := range l {
			top := max(q[0], q[1], q[2])
			sum += top + math.Log(math.Exp(q[0]-top)/2+math.Exp(q[1]-top)/4+math.Exp(q[2]-top)/4)
		}
		return sum
	}
	return s
}

// BarOptions are the settings of Bars.
type BarOptions struct {
	Side   int
	Rate   float64 // of each of the 2 Side bars
	SD     float64 // of the noise
	Levels bool    // each bar has a level of its own, 0.6 to 1.6, else 1
	Spread bool    // each bar in each row is 0.7 to 1.3 times as bright
}

// Bars returns n images of horizontal and vertical bars; where they cross, the brighter one shows.
func Bars(n int, o BarOptions, rng *rand.Rand) *Set {
	s := &Set{Height: o.Side, Width: o.Side}
	for b := range 2 * o.Side {
		t, level := make([]float64, o.Side*o.Side), 1.0
		if o.Levels {
			level = .6 + rng.Float64()
		}
		for i := range o.Side {
			if b < o.Side {
				t[b*o.Side+i] = level
			} else {
				t[i*o.Side+b-o.Side] = level
			}
		}
		s.Truth = append(s.Truth, t)
	}
	for range n {
		row := make([]float64, o.Side*o.Side)
		for _, t := range s.Truth {
			if rng.Float64() >= o.Rate {
				continue
			}
			times := 1.0
			if o.Spread {
				times = .7 + .6*rng.Float64()
			}
			for d, x := range t {
				row[d] = max(row[d], x*times)
			}
		}
		for d := range row {
			row[d] += o.SD * rng.NormFloat64()
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// Recovered returns how many of the true templates a model has: an expert of its own whose mean is within on of
// it on its support, and within off elsewhere, in the mean over the pixels. To abstain is right where the template says
// nothing, and elsewhere says the
// background.
func (s *Set) Recovered(m *model.Model, on, off float64) int {
	used := make([]bool, m.K())
	n := 0
	for _, t := range s.Truth {
		for k, e := range m.Experts {
			if !used[k] && s.near(t, e, m.Background, on, off) {
				used[k] = true
				n++
				break
			}
		}
	}
	return n
}

// near reports whether an expert is a template.
func (s *Set) near(t []float64, e []model.Entry, b []model.Normal, on, off float64) bool {
	var sum, count [2]float64
	for d, x := range t {
		i, said := 0, 0.0
		if x != 0 {
			i, said = 1, b[d].Mean
		}
		if e[d].Vote != model.Abstains {
			said = e[d].Mean
		}
		sum[i] += math.Abs(said - x)
		count[i]++
	}
	return sum[1]/count[1] < on && sum[0]/max(count[0], 1) < off
}
