package score

// This file corrects the gains of the general engine at the pixels that picks
// changed.

// syncLive corrects the gains of all live experts, and empties the log if no
// expert needs it any more.
func (e *general) syncLive() {
	current := true
	for k, live := range e.live {
		if live {
			e.sync(k)
		}
		current = current && e.synced[k] == len(e.log)
	}
	if current && e.mark < 0 {
		e.clearLog()
	}
}

// clearLog empties the log: the gains of every expert contain all of it.
func (e *general) clearLog() {
	e.log, e.mark, e.movesFrom = e.log[:0], -1, -1
	clear(e.synced)
}

// of returns the gains of expert k's candidates.
func (e *general) of(k int) []float64 {
	n := e.grid.Shifts()
	return e.gains[e.experts[k].first*n : e.experts[k].end*n]
}

// sync corrects the gains of expert k: it re-scores the pixels that changed
// since the last call.
func (e *general) sync(k int) {
	if e.synced[k] == len(e.log) {
		return
	}
	if e.mark >= 0 {
		e.undo = append(e.undo, undo{k, e.synced[k], len(e.backup)})
		e.backup = append(e.backup, e.of(k)...)
	}
	if !e.Bank.TwoSided {
		e.Bank.setStrengths()
	}
	e.setMoves(e.synced[k])
	for i := e.experts[k].first; i < e.experts[k].end; i++ {
		gains := e.gains[i*e.grid.Shifts() : (i+1)*e.grid.Shifts()]
		if len(gains) == 1 {
			gains[0] += e.updateInPlace(&e.Bank.Sprites[i])
			continue
		}
		for c := range e.moves {
			e.tick()
			e.updatePixel(&e.Bank.Sprites[i], gains, &e.moves[c])
		}
	}
	e.synced[k] = len(e.log)
}

// setStrengths fills in the strengths of all sprites, which only updates of
// gains under the max rule need.
func (b *Bank) setStrengths() {
	b.makeStrengths.Do(func() {
		for i := range b.Sprites {
			b.setStrength(&b.Sprites[i])
		}
	})
}

// setStrength fills in the strengths of a sprite.
func (b *Bank) setStrength(s *Sprite) {
	buf := make([]float64, 2*len(s.V))
	s.strength = [2][]float64{Off: buf[:len(s.V)], On: buf[len(s.V):]}
	for j := range s.V {
		s.strength[Off][j] = -b.finite(s.Off[j])
		s.strength[On][j] = b.finite(s.On[j])
	}
}

// updateInPlace returns what all moves together do to the gain of a sprite that
// has one place only, where each image pixel meets one pixel of the sprite and
// there is nothing to search. A pixel that abstains has a strength no larger
// than any low, or NaN.
func (e *general) updateInPlace(sp *Sprite) float64 {
	b, sum := e.Bank, 0.0
	for i := range e.moves {
		c := &e.moves[i]
		y, x := int(c.Y)-e.grid.DY0, int(c.X)-e.grid.DX0
		if uint(y) >= uint(b.Height) || uint(x) >= uint(b.Width) {
			continue
		}
		j := y*b.Width + x
		if b.TwoSided {
			sum += e.votes(sp, j, c)
		} else if t := sp.strength[c.value][j]; t > c.low {
			sum += float64(c.sign * (min(t, c.high) - c.low))
		}
	}
	return sum
}

// setMoves makes moves the net changes of the log from an entry on: a pixel that
// changed twice moves once, from its first state to its last.
func (e *general) setMoves(from int) {
	if e.movesFrom == from && e.movesTo == len(e.log) {
		return
	}
	e.movesFrom, e.movesTo, e.moves = from, len(e.log), e.moves[:0]
	for _, c := range e.log[from:] {
		if i := int(c.Y)*e.Width + int(c.X); e.slot[i] == 0 {
			e.moves = append(e.moves, move{Change: c, pixel: i, value: e.X[i]})
			e.slot[i] = 1
		}
	}
	n := 0
	for _, m := range e.moves {
		e.slot[m.pixel] = 0
		if m.Hi != e.Hi[m.pixel] || m.Lo != e.Lo[m.pixel] {
			e.moves[n] = e.weigh(m)
			n++
		}
	}
	e.moves = e.moves[:n]
	e.updates += n
}

// move is a Change up to the present with what it means to gains under the max rule. What an opinion
// of strength t adds to a pixel whose strongest opinion has strength l is
// max(t-l, 0) nats at ink and -max(t-l, 0) elsewhere, where every strengthening
// costs. A change of l from low to high, or back, therefore changes it by
// sign * (min(t, high) - low) where t > low.
type move struct {
	Change
	pixel           int
	value           uint8
	low, high, sign float64
}

// weigh fills in what a move means to the max rule.
func (e *general) weigh(m move) move {
	m.low, m.high, m.sign = e.Bank.finite(m.L), e.Bank.finite(e.L[m.pixel]), -1
	if m.value == Off {
		m.low, m.high, m.sign = -m.low, -m.high, 1
	}
	if m.low > m.high {
		m.low, m.high, m.sign = m.high, m.low, -m.sign
	}
	return m
}

// updatePixel corrects one sprite's gains for one changed image pixel: at
// shift (a, b) the sprite's pixel (y0-a*StepY, x0-b*StepX) lies on it.
func (e *general) updatePixel(sp *Sprite, gains []float64, c *move) {
	g, w := e.grid, e.Bank.Width
	y0, x0 := int(c.Y)-g.DY0, int(c.X)-g.DX0
	xMin := x0 - (g.NX-1)*g.StepX
	for a := max(0, ceilDiv(y0-e.Bank.Height+1, g.StepY)); a < g.NY; a++ {
		y := y0 - a*g.StepY
		if y < 0 {
			break
		}
		row := gains[a*g.NX : (a+1)*g.NX]
		for _, span := range sp.spans[sp.rows[y]:sp.rows[y+1]] {
			first, end := max(int(span.First), xMin), min(int(span.End), x0+1)
			if first >= end {
				continue
			}
			if e.Bank.TwoSided {
				e.updateTwoSided(sp, row, c, y*w, first, end, x0)
			} else {
				e.updateMax(sp, row, c, y*w, first, end, x0)
			}
		}
	}
}

// updateMax corrects the gains for sprite columns [first, end) of the row that
// starts at base, under the max rule; see move.
func (e *general) updateMax(sp *Sprite, row []float64, c *move, base, first, end, x0 int) {
	low, high, sign := c.low, c.high, c.sign
	strength := sp.strength[c.value][base+first : base+end]
	if step := e.grid.StepX; step != 1 {
		for i, t := range strength {
			if d := x0 - first - i; t > low && d%step == 0 {
				row[d/step] += float64(sign * (min(t, high) - low))
			}
		}
		return
	}
	row = row[x0-end+1 : x0-first+1]
	last := len(row) - 1
	for i, t := range strength {
		if t > low {
			if t > high {
				t = high
			}
			row[last-i] += float64(sign * (t - low))
		}
	}
}

// updateTwoSided does the work of updateMax for max-minus-min.
func (e *general) updateTwoSided(sp *Sprite, row []float64, c *move, base, first, end, x0 int) {
	step := e.grid.StepX
	for x := first; x < end; x++ {
		if (x0-x)%step == 0 {
			row[(x0-x)/step] += e.votes(sp, base+x, c)
		}
	}
}

// votes returns what a move does to the finite gain of sprite pixel j.
func (e *general) votes(sp *Sprite, j int, c *move) float64 {
	i, q := c.pixel, e.Bank.Abstention(c.pixel)
	return e.Bank.vote(sp, j, c.value, e.Hi[i], e.Lo[i], q, e.L[i]) - e.Bank.vote(sp, j, c.value, c.Hi, c.Lo, q, c.L)
}

// vote returns the finite gain of sprite pixel j joining hi and lo.
func (b *Bank) vote(sp *Sprite, j int, pixel uint8, hi, lo, q, l float64) float64 {
	v := sp.V[j]
	switch {
	case v > hi:
		if lo != q {
			return b.finite(PixelLogLik(pixel, Compose(v, lo, q))) - b.finite(l)
		}
	case v < lo:
		if hi != q {
			return b.finite(PixelLogLik(pixel, Compose(hi, v, q))) - b.finite(l)
		}
	default:
		return 0
	}
	if pixel == On {
		return b.finite(sp.On[j]) - b.finite(l)
	}
	return b.finite(sp.Off[j]) - b.finite(l)
}
