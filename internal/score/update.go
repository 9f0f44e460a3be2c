package score

// syncLive brings the gains of all live experts up to date, and empties the log
// where nobody needs it any more.
func (s *Search) syncLive(live func(expert int) bool) {
	current := true
	for k := range s.sprites {
		if live(k) {
			s.sync(k)
		}
		current = current && s.synced[k] == len(s.log)
	}
	if current && s.mark < 0 {
		s.forget()
	}
}

// sync brings the gains of expert k up to date: it re-scores the pixels that
// changed since it was last asked for.
func (s *Search) sync(k int) {
	if s.synced[k] == len(s.log) {
		return
	}
	if s.mark >= 0 {
		s.undo = append(s.undo, undo{k, s.synced[k], len(s.backup)})
		s.backup = append(s.backup, s.of(k)...)
	}
	if !s.Bank.TwoSided {
		s.Bank.setStrengths()
	}
	s.net(s.synced[k])
	for i := s.sprites[k].first; i < s.sprites[k].end; i++ {
		gains := s.gains[i*s.grid.Shifts() : (i+1)*s.grid.Shifts()]
		if len(gains) == 1 {
			gains[0] += s.updateInPlace(&s.Bank.Sprites[i])
			continue
		}
		for c := range s.moves {
			s.updatePixel(&s.Bank.Sprites[i], gains, &s.moves[c])
		}
	}
	s.synced[k] = len(s.log)
}

// updateInPlace is what all moves together do to the gain of a sprite that has
// one place only, where each image pixel meets one pixel of the sprite and
// there is nothing to search. A pixel that abstains has a strength no larger
// than any low, or NaN.
func (s *Search) updateInPlace(sp *Sprite) float64 {
	sum := 0.0
	for i := range s.moves {
		c := &s.moves[i]
		y, x := c.Y-s.grid.DY0, c.X-s.grid.DX0
		if uint(y) >= uint(s.Bank.Height) || uint(x) >= uint(s.Bank.Width) {
			continue
		}
		j := y*s.Bank.Width + x
		if s.Bank.TwoSided {
			q := s.Bank.q(c.Index)
			sum += s.vote(sp, j, c.PixelValue, c.Hi, c.Lo, q, c.L) - s.vote(sp, j, c.PixelValue, c.OldHi, c.OldLo, q, c.OldL)
		} else if t := sp.strength[c.PixelValue][j]; t > c.low {
			sum += c.sign * (min(t, c.high) - c.low)
		}
	}
	return sum
}

// net makes moves the net changes of the log from an entry on: a pixel that
// changed twice moves once, from its first state to its last.
func (s *Search) net(from int) {
	if s.movesFrom == from && s.movesTo == len(s.log) {
		return
	}
	s.movesFrom, s.movesTo, s.moves = from, len(s.log), s.moves[:0]
	for _, c := range s.log[from:] {
		if i := s.slot[c.Index]; i > 0 {
			m := &s.moves[i-1]
			m.Hi, m.Lo, m.L = c.Hi, c.Lo, c.L
			continue
		}
		s.moves = append(s.moves, move{Change: c})
		s.slot[c.Index] = int32(len(s.moves))
	}
	n := 0
	for _, m := range s.moves {
		s.slot[m.Index] = 0
		if m.Hi != m.OldHi || m.Lo != m.OldLo {
			s.moves[n] = s.weigh(m)
			n++
		}
	}
	s.moves = s.moves[:n]
	s.updates += n
}

// move is a Change as the gains of the max rule feel it. What an opinion of
// strength t adds to a pixel whose strongest opinion has strength l is
// max(t-l, 0) nats at ink and -max(t-l, 0) elsewhere, where every strengthening
// costs. A change of l from low to high, or back, therefore changes it by
// sign * (min(t, high) - low) where t > low.
type move struct {
	Change
	low, high, sign float64
}

// weigh fills in what a move means to the max rule.
func (s *Search) weigh(m move) move {
	m.low, m.high, m.sign = s.Bank.finite(m.OldL), s.Bank.finite(m.L), -1
	if m.PixelValue == Off {
		m.low, m.high, m.sign = -m.low, -m.high, 1
	}
	if m.low > m.high {
		m.low, m.high, m.sign = m.high, m.low, -m.sign
	}
	return m
}

// updatePixel corrects one sprite's gains for one changed image pixel: at
// shift (a, b) the sprite's pixel (y0-a*StepY, x0-b*StepX) lies on it.
func (s *Search) updatePixel(sp *Sprite, gains []float64, c *move) {
	g, w := s.grid, s.Bank.Width
	y0, x0 := c.Y-g.DY0, c.X-g.DX0
	xMin := x0 - (g.NX-1)*g.StepX
	for a := max(0, ceilDiv(y0-s.Bank.Height+1, g.StepY)); a < g.NY; a++ {
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
			if s.Bank.TwoSided {
				s.updateTwoSided(sp, row, &c.Change, y*w, first, end, x0)
			} else {
				s.updateMax(sp, row, c, y*w, first, end, x0)
			}
		}
	}
}

func ceilDiv(a, b int) int {
	if a <= 0 {
		return 0
	}
	return (a + b - 1) / b
}

// updateMax corrects the gains for sprite columns [first, end) of the row that
// starts at base, under the max rule; see move.
func (s *Search) updateMax(sp *Sprite, row []float64, c *move, base, first, end, x0 int) {
	low, high, sign := c.low, c.high, c.sign
	strength := sp.strength[c.PixelValue][base+first : base+end]
	if step := s.grid.StepX; step != 1 {
		for i, t := range strength {
			if d := x0 - first - i; t > low && d%step == 0 {
				row[d/step] += sign * (min(t, high) - low)
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
			row[last-i] += sign * (t - low)
		}
	}
}

// updateTwoSided is updateMax for max-minus-min.
func (s *Search) updateTwoSided(sp *Sprite, row []float64, c *Change, base, first, end, x0 int) {
	step, q := s.grid.StepX, s.Bank.q(c.Index)
	for x := first; x < end; x++ {
		if (x0-x)%step != 0 {
			continue
		}
		j := base + x
		row[(x0-x)/step] += s.vote(sp, j, c.PixelValue, c.Hi, c.Lo, q, c.L) -
			s.vote(sp, j, c.PixelValue, c.OldHi, c.OldLo, q, c.OldL)
	}
}

// vote is the finite gain of sprite pixel j joining hi and lo.
func (s *Search) vote(sp *Sprite, j int, pixel uint8, hi, lo, q, l float64) float64 {
	v := sp.V[j]
	switch {
	case v > hi:
		if lo != q {
			return s.Bank.finite(pixelLogLik(pixel, Compose(v, lo, q))) - s.Bank.finite(l)
		}
	case v < lo:
		if hi != q {
			return s.Bank.finite(pixelLogLik(pixel, Compose(hi, v, q))) - s.Bank.finite(l)
		}
	default:
		return 0
	}
	if pixel == On {
		return s.Bank.finite(sp.On[j]) - s.Bank.finite(l)
	}
	return s.Bank.finite(sp.Off[j]) - s.Bank.finite(l)
}
