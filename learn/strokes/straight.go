package strokes

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

const (
	// bandWidth is how wide a straight stroke is, in pixels.
	bandWidth = 9
	// bandTurn is by how many degrees the directions of bands differ.
	bandTurn = 5
	// straightRounds is how long an expert is tried as a straight one.
	straightRounds = 3
)

// band is a straight band of the frame: across a direction, from one line to another.
type band struct {
	sin, cos float64
	from, to float64
}

// across returns how far an entry lies across the direction of the band.
func (b *band) across(i, width int) float64 {
	return float64(float64(i/width)*b.cos) - float64(float64(i%width)*b.sin)
}

// heaviest returns the band in which the positive worths of entries sum to the most,
// and that sum.
func heaviest(worth []float64, width int) (band, float64) {
	type point struct {
		worth, across float64
		at            int
	}
	var points []point
	for i, v := range worth {
		if v > 0 {
			points = append(points, point{worth: v, at: i})
		}
	}
	most, best := 0.0, band{to: -1}
	for angle := 0; angle < 180; angle += bandTurn {
		var b band
		b.sin, b.cos = elem.Sincos(float64(angle) * math.Pi / 180)
		for n := range points {
			points[n].across = b.across(points[n].at, width)
		}
		slices.SortFunc(points, func(p, q point) int { return cmp.Or(cmp.Compare(p.across, q.across), p.at-q.at) })
		sum, first := 0.0, 0
		for _, p := range points {
			for sum += p.worth; p.across-points[first].across > bandWidth; first++ {
				sum -= points[first].worth
			}
			if sum > most {
				most, best = sum, b
				best.from, best.to = points[first].across, p.across
			}
		}
	}
	return best, most
}

// straighten leaves worth to entries only within the heaviest band.
func (s *step) straighten(worth []float64) {
	b, _ := heaviest(worth, s.width)
	for i := range worth {
		if a := b.across(i, s.width); a < b.from || a > b.to {
			worth[i] = math.Inf(-1)
		}
	}
}

// straightness returns which share of the votes of a template above 1/2 lies in one
// straight band.
func (l *Learner) straightness(t []uint8) float64 {
	worth, all := make([]float64, len(t)), 0.0
	for i, v := range t {
		if int(v) >= l.levels.covers {
			worth[i] = 1
			all++
		}
	}
	_, most := heaviest(worth, l.ground.width)
	return most / max(all, 1)
}

// Straighten tries each expert as a straight one, the straightest first, and keeps
// what shortens the description, if Options.Straight gives bent ones a price. It
// calls each after every round. The error is the context's.
func (l *Learner) Straighten(ctx context.Context, st *State, each func(*State)) error {
	if l.opt.Straight <= 0 {
		return nil
	}
	order := make([]int, len(st.templates))
	share := make([]float64, len(order))
	for k := range order {
		order[k], share[k] = k, l.straightness(st.templates[k])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	for _, k := range order {
		tried := st.Clone()
		tried.straight[k] = true
		if err := l.Rounds(ctx, tried, straightRounds, each); err != nil {
			return err
		}
		if tried.Length < st.Length {
			*st = *tried
		}
	}
	return nil
}
