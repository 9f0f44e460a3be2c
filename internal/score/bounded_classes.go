package score

import "example.com/patchwork/internal/elem"

// This file puts pixels into classes, to bound gains in a composition that is no
// longer abstention. What a pixel can gain depends on its value and on the strongest
// opinion there, so there are eight classes, by value and by ranges of that
// strength, and the bounds take the end of the range at which most is gained.

// The classes. The first three are the pixel values from abstention.
const (
	offFirst = Off     // off, no pick votes
	onFirst  = On      // on, no pick votes, or only weakly
	free     = Unknown // nothing is lost here: unknown, or off and already lost
	onLater  = 3       // on, and better explained: this and the next
	offLater = 5       // off, and lost in part: this and the next two
	nClasses = 8

	classBits = 3
)

// classes holds the strengths where the ranges begin: on[c-onLater] is the least
// of class c, off[c-offLater] the largest of class c.
type classes struct {
	baseOn, baseOff float64 // of abstention
	on              [2]float64
	off             [3]float64
}

// newClasses puts the ends close to the opinions of the bank's experts: strokes
// leave ink well explained, and lose little at the background.
func newClasses(b *Bank) classes {
	c := classes{baseOn: elem.Log(b.Q), baseOff: -elem.Log1p(-b.Q)}
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

// of returns the class of a known pixel with that log-likelihood.
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

// worths returns, by class, the most that an opinion with these logarithms may
// gain, counted from where it loses most.
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
