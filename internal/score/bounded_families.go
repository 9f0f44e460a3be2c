package score

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// This file shares the first look at an image among rotations of one expert. Sprites
// turned by a little are much alike, so neighbours form a family with one envelope: at
// every pixel the most that any of them gains if it is on, and if it is off. What the
// envelope gains by its tables bounds what all of them gain; only the tiles where that
// may be the best are looked at sprite by sprite. Banks that search few shifts, such as
// those of letters, lose by it as much as they gain.

const (
	familyMost = 8   // sprites of a family
	familyInk  = 0.1 // share of ink by which an envelope is judged

	// Tiles are opened together whose distance from the largest bound is no more than
	// this share of its distance from what matters: tables are then in the cache.
	familyBatch = 0.25
)

// familyShifts is from how many shifts on sprites have families, and familyKeeps reports
// whether an envelope loses enough at familyInk, compared with the mean of its sprites.
// (They are variables for tests.)
var (
	familyShifts = 4096
	familyKeeps  = func(loss, mean float64) bool { return loss > 0.3*mean }
)

// family is a range of sprites of one expert and the tables of their envelope, if they
// are more than one.
type family struct {
	first, end int
	envelope   spriteTables
}

// setFamilies makes the families of a bank and the tables of their envelopes. It returns
// false where these are too many.
func (s *boundTables) setFamilies(b *Bank, shifts int, open []bool) bool {
	for first := 0; first < len(b.Sprites); {
		f := family{first: first, end: first + 1}
		if shifts < familyShifts {
			s.families = append(s.families, f)
			first++
			continue
		}
		around := newEnvelope(b, &b.Sprites[first])
		loss := around.loss
		for f.end < len(b.Sprites) && f.end-first < familyMost && b.Sprites[f.end].Expert == b.Sprites[first].Expert {
			one := newEnvelope(b, &b.Sprites[f.end])
			wider := around.join(&one)
			if loss += one.loss; !familyKeeps(wider.loss, loss/float64(f.end+1-first)) {
				break
			}
			around = wider
			f.end++
		}
		if f.end-first > 1 {
			sp := around.sprite(b)
			worths := s.setBlocks(b, &sp, &f.envelope, open, nil)
			if len(worths) > math.MaxUint16/2 {
				return false
			}
			s.setTables(&f.envelope, worths)
		}
		s.families = append(s.families, f)
		first = f.end
	}
	return true
}

// envelope is the most that sprites gain, by pixel, where it is on and where it is off.
type envelope struct {
	on, off []float64
	loss    float64 // at familyInk
}

// newEnvelope returns that of one sprite.
func newEnvelope(b *Bank, sp *Sprite) envelope {
	n := b.Height * b.Width
	e := envelope{on: make([]float64, n), off: make([]float64, n)}
	logOn, logOff := elem.Log(b.Q), elem.Log1p(-b.Q)
	for _, span := range sp.spans {
		for j := int(span.Row)*b.Width + int(span.First); j < int(span.Row)*b.Width+int(span.End); j++ {
			e.on[j], e.off[j] = sp.On[j]-logOn, sp.Off[j]-logOff
		}
	}
	e.weigh()
	return e
}

// join returns the envelope of both.
func (e *envelope) join(o *envelope) envelope {
	both := envelope{on: make([]float64, len(e.on)), off: make([]float64, len(e.off))}
	for j := range e.on {
		both.on[j], both.off[j] = max(e.on[j], o.on[j]), max(e.off[j], o.off[j])
	}
	both.weigh()
	return both
}

func (e *envelope) weigh() {
	for j, on := range e.on {
		e.loss -= float64(familyInk*on) + float64((1-familyInk)*e.off[j])
	}
}

// sprite returns the envelope as a sprite that gains as much.
func (e *envelope) sprite(b *Bank) Sprite {
	sp := Sprite{On: e.on, Off: e.off}
	logOn, logOff := elem.Log(b.Q), elem.Log1p(-b.Q)
	for y := range int32(b.Height) {
		for x := range int32(b.Width) {
			j := int(y)*b.Width + int(x)
			votes := e.on[j] != 0 || e.off[j] != 0
			if e.on[j], e.off[j] = e.on[j]+logOn, e.off[j]+logOff; !votes {
				continue
			}
			if n := len(sp.spans); n > 0 && sp.spans[n-1].Row == y && sp.spans[n-1].End == x {
				sp.spans[n-1].End++
			} else {
				sp.spans = append(sp.spans, Span{y, x, x + 1})
			}
		}
	}
	return sp
}

// look makes the bounds of a family, from abstention: by tile, those of its envelope, or
// of its only sprite.
func (e *bounded) look(f int) {
	if e.looked[f] {
		return
	}
	e.looked[f] = true
	t, family := e.tables, &e.tables.families[f]
	opened, around := e.opened[f*e.tiles:(f+1)*e.tiles], e.around[f*e.tiles:(f+1)*e.tiles]
	if family.end-family.first == 1 {
		e.bound(family.first, 0, e.tiles)
		for i := range opened {
			opened[i], around[i] = true, math.Inf(1)
		}
		return
	}
	clear(opened)
	t.path.Sums(e.sums, e.tops, t.entries, e.codes, &e.first[len(t.sprites)+f])
	base := e.base[len(t.sprites)+f]
	for i, top := range e.tops {
		around[i] = base + float64(family.envelope.step*float64(top))
	}
}

// openAbove makes the bounds of the sprites of a family in the tiles that may hold a
// gain of at least cut before costs.
func (e *bounded) openAbove(f int, cut float64) {
	opened, around, raised := e.opened[f*e.tiles:(f+1)*e.tiles], e.around[f*e.tiles:(f+1)*e.tiles], e.raised
	e.runs = e.runs[:0]
	for i, open := range opened {
		if open || around[i]+raised[i] < cut {
			continue
		}
		opened[i] = true
		if n := len(e.runs); n > 0 && e.runs[n-1].end == i {
			e.runs[n-1].end++
		} else {
			e.runs = append(e.runs, span{i, i + 1})
		}
	}
	for i := e.tables.families[f].first; i < e.tables.families[f].end; i++ {
		e.tick()
		for _, r := range e.runs {
			e.bound(i, r.first, r.end)
		}
	}
}
