package lists

import (
	"fmt"
	"math"

	"example.com/patchwork/internal/elem"
)

// Rows differ in how much they say yes in general: baskets in their length, sites in how rich they
// are. Long rows share their frequent columns, which looks like a part and is none. So where that
// makes the description shorter each row has a level, and parts are what comes together beyond it.

// Level is how much rows differ in how much they say yes: where no part votes, the log odds of
// every column are Slope times the row's level above those of Q. The level is one of Steps, with
// probability Weights.
type Level struct {
	Slope          float64
	Steps, Weights []float64
}

const (
	firstSlope  = 0.5
	leastSlope  = 0.02
	mostSlope   = 10
	oddsAway    = 30  // that the log odds at level 0 are from those on average at most
	widest      = 2.5 // standard deviations that a level is from 0 at most
	fewestSteps = 7
	mostSteps   = 31
	levelRounds = 12
	largePart   = 10  // a part of more than one in so many columns may stand for a level
	layerPrice  = 2.5 // nats that a level takes beside its number, since one of several pictures is chosen
	unlikelier  = 8   // nats by which a level is less probable than another to be left out
)

// newLevel returns a level of a slope, whose steps are as near as rows of so many ones tell apart.
func newLevel(slope, ones float64) *Level {
	n := fewestSteps
	for n < mostSteps && slope*widest/float64(n-1) > 1/math.Sqrt(ones+1) {
		n += 2
	}
	l, sum := &Level{Slope: slope}, 0.0
	for i := range n {
		t := widest * float64(2*i-n+1) / float64(n-1)
		w := elem.Exp(-float64(t*t) / 2)
		l.Steps, l.Weights, sum = append(l.Steps, t), append(l.Weights, w), sum+w
	}
	for i := range l.Weights {
		l.Weights[i] /= sum
	}
	return l
}

// check returns an error unless the numbers of the level are in order.
func (l *Level) check() error {
	if l == nil {
		return nil
	}
	ok, sum := len(l.Steps) > 0 && len(l.Steps) == len(l.Weights) && l.Slope >= 0 && l.Slope < 100, 0.0
	for i := range min(len(l.Steps), len(l.Weights)) {
		ok = ok && math.Abs(l.Steps[i]) < 100 && l.Weights[i] > 0
		sum += l.Weights[i]
	}
	if !ok || math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("a level has a slope, steps, and for each a weight; these add up to 1")
	}
	return nil
}

// mean returns the mean of the level and its standard deviation, if each step has a weight.
func (l *Level) mean(weights []float64) (mean, deviation float64) {
	all, squares := 0.0, 0.0
	for i, t := range l.Steps {
		all += weights[i]
		mean += float64(weights[i] * t)
		squares += float64(weights[i] * float64(t*t))
	}
	mean /= all
	return mean, math.Sqrt(max(squares/all-float64(mean*mean), 0))
}

// atZero returns the log odds at level 0 of a column that is on with probability q on average, if each
// step has a weight.
func (l *Level) atZero(q float64, weights []float64) float64 {
	odds := elem.Log(q) - elem.Log1p(-q)
	low, high := odds-oddsAway, odds+oddsAway
	for range 60 {
		sum, slope := 0.0, 0.0
		for i, t := range l.Steps {
			p := sigmoid(odds + float64(l.Slope*t))
			sum += float64(weights[i] * (p - q))
			slope += float64(weights[i] * float64(p*(1-p)))
		}
		if sum > 0 {
			high = odds
		} else {
			low = odds
		}
		before := odds
		if odds -= sum / slope; !(odds > low && odds < high) {
			odds = (low + high) / 2
		}
		if math.Abs(odds-before) < 1e-12 {
			break
		}
	}
	return odds
}

// background returns what columns are at level 0 by what they are on average.
func (l *Level) background(mean, weights []float64, shift float64) []float64 {
	out := make([]float64, len(mean))
	for d, q := range mean {
		if d > 0 && q == mean[d-1] {
			out[d] = out[d-1]
		} else {
			out[d] = min(max(sigmoid(l.atZero(q, weights)+shift), minQ/1000), 1-minQ/1000)
		}
	}
	return out
}

// next returns the level and the background that follow from how many rows have each step, and from
// what columns are on average over rows in which they are on so many times as often as expected.
func (l *Level) next(mean, rows []float64, times float64) (*Level, []float64) {
	if l == nil {
		return nil, mean
	}
	at, wide := l.mean(rows)
	_, usual := l.mean(l.Weights)
	out := *l
	out.Slope = l.Slope * wide / usual
	if out.Slope < leastSlope || out.Slope > mostSlope {
		return nil, mean
	}
	are := make([]float64, len(mean))
	for d, q := range mean {
		are[d] = min(q*times, 1-minQ)
	}
	return &out, l.background(are, rows, float64(l.Slope*at))
}

// levelled returns a model without parts, with a level where that is shorter.
func (l *learner) levelled(s *state) (*state, error) {
	if l.cells == 0 {
		return s, nil
	}
	ones := float64(l.cells) / float64(l.t.Len())
	m := s.Model.clone()
	m.Level = newLevel(firstSlope, ones)
	m.Q = m.Level.background(s.mean, m.Level.Weights, 0)
	best := s
	for range levelRounds {
		next, err := l.judged(m)
		if err != nil {
			return nil, err
		}
		done := math.Abs(next.length-best.length) < 1e-5*math.Abs(best.length)
		if next.length < best.length {
			best = next
		}
		if m = l.mstep(next); done || m.Level == nil {
			break
		}
		if level := newLevel(m.Level.Slope, ones); len(level.Steps) > len(m.Level.Steps) {
			m.Level = level
		}
	}
	return best, nil
}

// beyond returns a model without the parts that the level says better, and without the level where
// that is shorter. A part of many columns may stand for a level, which is as low as it makes it.
func (l *learner) beyond(s *state) (_ *state, err error) {
	if s.Level == nil {
		return s, nil
	}
	for k := len(s.Parts) - 1; k >= 0; k-- {
		if k < len(s.Parts) && len(s.Parts[k].Columns)*largePart > len(s.Q) {
			gone := make([]bool, len(s.Parts))
			gone[k] = true
			if s, err = l.shorter(s, s.without(gone), levelRounds); err != nil {
				return nil, err
			}
		}
	}
	without := s.Model.clone()
	without.Level, without.Q = nil, s.mean
	return l.shorter(s, without.sound(), levelRounds)
}
