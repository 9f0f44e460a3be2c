package score

import (
	"math"
	"slices"
)

// This file bounds gains in a composition that is no longer abstention. What a
// pixel can gain depends on its value and on the strongest opinion there, so
// pixels are put into eight classes, by value and by ranges of that strength, and
// the bounds take the end of the range at which most is gained.

// The classes. The first three are the pixel values from abstention.
const (
	offFirst = Off     // off, nobody spoke
	onFirst  = On      // on, nobody spoke, or weakly
	free     = Unknown // nothing is lost here: unknown, or off and paid for
	onLater  = 3       // on, and better explained: this and the next
	offLater = 5       // off, and paid for in part: this and the next two
	nClasses = 8

	classBits = 3
)

// classes are the strengths where the ranges begin: on[c-onLater] is the least of
// class c, off[c-offLater] the largest of class c.
type classes struct {
	baseOn, baseOff float64 // of abstention
	on              [2]float64
	off             [3]float64
}

// newClasses puts the ends where they are close to what the bank's experts say:
// strokes leave ink well explained, and background lightly paid for.
func newClasses(b *Bank) classes {
	c := classes{baseOn: math.Log(b.Q), baseOff: -math.Log1p(-b.Q)}
	on, off := c.baseOn, c.baseOff // the strongest
	for i := range b.Sprites {
		s := &b.Sprites[i]
		for _, sp := range s.spans {
			for j := int(sp.Row)*b.Width + int(sp.First); j < int(sp.Row)*b.Width+int(sp.End); j++ {
				on, off = max(on, s.On[j]), max(off, -s.Off[j])
			}
		}
	}
	up, down := on-c.baseOn, off-c.baseOff
	c.on = [2]float64{on - min(0.7, up/2), on - min(0.15, up/4)}
	c.off = [3]float64{c.baseOff + min(0.15, down/8), c.baseOff + min(0.7, down/3), c.baseOff + min(2, 0.6*down)}
	return c
}

// of is the class of a known pixel with that log-likelihood.
func (c *classes) of(x uint8, l float64) byte {
	if x == On {
		switch {
		case l >= c.on[1]:
			return onLater + 1
		case l >= c.on[0]:
			return onLater
		}
		return onFirst
	}
	switch {
	case -l <= c.baseOff:
		return offFirst
	case -l <= c.off[0]:
		return offLater
	case -l <= c.off[1]:
		return offLater + 1
	case -l <= c.off[2]:
		return offLater + 2
	}
	return free
}

// worths is, by class, what an opinion with these logarithms may gain at most,
// more than where it loses most.
func (c *classes) worths(on, off float64) (w [nClasses]float64) {
	loss := -off - c.baseOff
	w[free] = loss
	w[onFirst] = loss + on - c.baseOn
	for i, least := range c.on {
		w[onLater+i] = loss + max(on-least, 0)
	}
	for i, most := range c.off {
		w[offLater+i] = loss - max(-off-most, 0)
	}
	return w
}

// setRuns covers the voting pixels with runs of path.Pixels and makes their
// tables. It is false where there are too many.
func (s *screen) setRuns(b *Bank, sp *Sprite, g *screened) bool {
	pixels, largest := int32(s.path.Pixels), 0.0
	for _, span := range sp.spans {
		for x := span.First; x < span.End; x += pixels {
			r := block{pixel: pixel{span.Row, x}, last: pixel{span.Row, min(x+pixels, span.End) - 1}}
			whole := 0.0
			for x := r.x; x <= r.last.x; x++ {
				j := int(span.Row)*b.Width + int(x)
				whole += sp.On[j] - sp.Off[j] - s.classes.baseOn - s.classes.baseOff
			}
			g.runs = append(g.runs, r)
			largest = max(largest, whole)
		}
	}
	if len(g.runs) > math.MaxUint16 {
		return false
	}
	g.stepRuns = stepOf(largest, len(g.runs))
	for i := range g.runs {
		r := &g.runs[i]
		r.table = int32(len(s.tables))
		var steps [maxRun][nClasses]uint32
		for x := r.x; x <= r.last.x; x++ {
			j := int(r.y)*b.Width + int(x)
			for class, w := range s.classes.worths(sp.On[j], sp.Off[j]) {
				steps[x-r.x][class] = uint32(math.Ceil(w / g.stepRuns * parts))
			}
		}
		s.addRun(&steps)
	}
	return true
}

// maxRun is the largest path.Pixels.
const maxRun = 2

// addRun appends the table of a run, whose pixels are worth that, in parts of a
// step.
func (s *screen) addRun(steps *[maxRun][nClasses]uint32) {
	table := s.addEntries()
	for i := range len(table) / nClasses {
		second := steps[1][i%nClasses] + parts - 1 // of one pixel it is 0
		for j, first := range steps[0] {
			table[i*nClasses+j] = byte((first + second) / parts)
		}
	}
}

// addEntries appends room for a table.
func (s *screen) addEntries() []byte {
	n := len(s.tables)
	s.tables = slices.Grow(s.tables, s.path.Entries)[:n+s.path.Entries]
	return s.tables[n:]
}
