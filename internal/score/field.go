package score

// Field holds an image and the composition that explains it so far: per pixel
// the extremal opinions Hi >= q >= Lo and the log-likelihood L of the pixel's
// value under hi + lo - q. It belongs to one goroutine.
type Field struct {
	Bank          *Bank
	Height, Width int
	X             []uint8   // Off, On or Unknown
	Hi, Lo        []float64 // running maximum and minimum, both started at q
	L             []float64 // nats; 0 where unknown
	picks         []Placed

	cover      []uint16 // picks that vote at a pixel, where the bank has a floor
	strongOnly bool     // changes between q and the floor are not listed
}

// Reset gives the field a new image and forgets all picks. x has
// height*width pixels, row-major, and is copied.
func (f *Field) Reset(b *Bank, height, width int, x []uint8) {
	f.Bank, f.Height, f.Width = b, height, width
	f.resize(height * width)
	copy(f.X, x)
	f.picks, f.strongOnly = f.picks[:0], false
	if f.layered() {
		f.cover = resize(f.cover, len(f.X))
		clear(f.cover)
	}
	if q := b.Q; b.QMap == nil { // without a branch: the processor cannot predict where the ink is
		for i, x := range f.X {
			f.Hi[i], f.Lo[i], f.L[i] = q, q, b.alike[x&3]
		}
		return
	}
	for i, q := range b.QMap {
		f.Hi[i], f.Lo[i], f.L[i] = q, q, b.abstaining(i)[f.X[i]&3]
	}
}

// resize gives the field n pixels; its memory is reused where it is large
// enough.
func (f *Field) resize(n int) {
	if cap(f.L) < n {
		f.X, f.Hi, f.Lo, f.L = make([]uint8, n), make([]float64, n), make([]float64, n), make([]float64, n)
	}
	f.X, f.Hi, f.Lo, f.L = f.X[:n], f.Hi[:n], f.Lo[:n], f.L[:n]
}

// LogLik returns the log-likelihood of the image under the composition, in nats,
// added up by Sum; -Inf if a pixel is impossible.
func (f *Field) LogLik() float64 { return Sum(f.L) }

// Picks returns the sprites placed so far, in order. The slice is the field's own.
func (f *Field) Picks() []Placed { return f.picks }

// after returns the log-likelihood of known pixel i if pixel j of sprite s
// joined there. Where only one side votes the composition is the opinion itself,
// whose logarithm the sprite holds.
func (f *Field) after(i int, s *Sprite, j int) float64 {
	v, hi, lo, q := s.V[j], f.Hi[i], f.Lo[i], f.Bank.Abstention(i)
	switch {
	case v > hi:
		if lo != q {
			return PixelLogLik(f.X[i], Compose(v, lo, q))
		}
	case v < lo && f.Bank.TwoSided:
		if hi != q {
			return PixelLogLik(f.X[i], Compose(hi, v, q))
		}
	default:
		return f.L[i]
	}
	return s.logLik(f.X[i], j)
}

// logLik returns the log-likelihood of a pixel for which opinion j speaks alone.
func (s *Sprite) logLik(x uint8, j int) float64 {
	switch x {
	case On:
		return s.On[j]
	case Off:
		return s.Off[j]
	}
	return 0
}

// overlap clips a span of a sprite placed at (dy, dx) to the image: image
// pixels [i, i+n) meet sprite pixels [s, s+n).
func (f *Field) overlap(sp Span, dy, dx int) (i, s, n int) {
	y := int(sp.Row) + dy
	if y < 0 || y >= f.Height {
		return 0, 0, 0
	}
	first, end := max(int(sp.First), -dx), min(int(sp.End), f.Width-dx)
	return y*f.Width + first + dx, int(sp.Row)*f.Bank.Width + first, end - first
}

// Gain returns the exact change of log-likelihood if the sprite joined at the
// shift: the Total, by pixels of the sprite, over those where it may vote. It
// decides between the candidates that an engine proposes.
func (f *Field) Gain(p Placed) Gain {
	var sum Total
	var g Gain
	s := &f.Bank.Sprites[p.Sprite]
	for _, sp := range s.spans {
		i, j, n := f.overlap(sp, p.DY, p.DX)
		for ; n > 0; i, j, n = i+1, j+1, n-1 {
			if v := s.V[j]; v <= f.Hi[i] && !(v < f.Lo[i]) || f.X[i] == Unknown {
				continue
			}
			if after := f.after(i, s, j); after != f.L[i] {
				g.Nats = 0
				g.add(f.L[i], after)
				sum.Add(j, g.Nats)
			}
		}
	}
	g.Nats = sum.Sum()
	return g
}

// Change records what a pixel was before a pick was added or removed.
type Change struct {
	Y, X      int32
	Hi, Lo, L float64
}

// Add places a sprite and appends what changed to changes: only known pixels
// are listed, as nothing depends on the others.
func (f *Field) Add(p Placed, changes []Change) []Change {
	f.picks = append(f.picks, p)
	b := f.Bank
	if f.layered() {
		changes, b = f.lift(p, changes), b.above
	}
	s := &b.Sprites[p.Sprite]
	for _, sp := range s.spans {
		i, j, n := f.overlap(sp, p.DY, p.DX)
		for ; n > 0; i, j, n = i+1, j+1, n-1 {
			switch v := s.V[j]; {
			case v > f.Hi[i]:
				changes = f.set(i, int(sp.Row)+p.DY, v, f.Lo[i], f.after(i, s, j), changes)
			case v < f.Lo[i] && f.Bank.TwoSided:
				changes = f.set(i, int(sp.Row)+p.DY, f.Hi[i], v, f.after(i, s, j), changes)
			}
		}
	}
	return changes
}

// Remove takes pick j back, folding the opinions of the others again where its own
// was in force, and appends what changed to changes.
func (f *Field) Remove(j int, changes []Change) []Change {
	gone := f.picks[j]
	f.picks = append(f.picks[:j], f.picks[j+1:]...)
	b := f.Bank
	if f.layered() {
		b = b.above
	}
	s := &b.Sprites[gone.Sprite]
	for _, sp := range s.spans {
		i, j, n := f.overlap(sp, gone.DY, gone.DX)
		for ; n > 0; i, j, n = i+1, j+1, n-1 {
			if v := s.V[j]; v != f.Hi[i] && v != f.Lo[i] {
				continue
			}
			y := int(sp.Row) + gone.DY
			if hi, lo, l := f.fold(i, y); hi != f.Hi[i] || lo != f.Lo[i] {
				changes = f.set(i, y, hi, lo, l, changes)
			}
		}
	}
	if f.layered() {
		changes = f.drop(gone, changes)
	}
	return changes
}

// Insert moves the last pick to position j: the composition does not depend on
// the order, the explanation's list does.
func (f *Field) Insert(j int) {
	last := f.picks[len(f.picks)-1]
	copy(f.picks[j+1:], f.picks[j:len(f.picks)-1])
	f.picks[j] = last
}

// fold joins the opinions of all picks at image pixel i, which is in row y, over the floor if there is one, and
// returns the log-likelihood of the pixel, too.
func (f *Field) fold(i, y int) (hi, lo, l float64) {
	x := i - y*f.Width
	q := f.Bank.Abstention(i)
	hi, lo, l = q, q, f.Bank.abstaining(i)[f.X[i]&3]
	if floor := f.Bank.above; floor != nil {
		hi, l = floor.Q, floor.alike[f.X[i]&3]
	}
	for _, p := range f.picks {
		sy, sx := y-p.DY, x-p.DX
		if sy < 0 || sx < 0 || sy >= f.Bank.Height || sx >= f.Bank.Width {
			continue
		}
		s, j := &f.Bank.Sprites[p.Sprite], sy*f.Bank.Width+sx
		switch v := s.V[j]; {
		case v > hi:
			hi, l = v, s.logLik(f.X[i], j)
		case v < lo && f.Bank.TwoSided:
			lo, l = v, s.logLik(f.X[i], j)
		}
	}
	if hi != q && lo != q {
		l = PixelLogLik(f.X[i], Compose(hi, lo, q))
	}
	return hi, lo, l
}

// set gives pixel i, which is in row y, new extremal opinions.
func (f *Field) set(i, y int, hi, lo, l float64, changes []Change) []Change {
	if f.X[i] != Unknown {
		changes = append(changes, Change{int32(y), int32(i - y*f.Width), f.Hi[i], f.Lo[i], f.L[i]})
	}
	f.Hi[i], f.Lo[i], f.L[i] = hi, lo, l
	return changes
}

// copyFrom makes f a copy of o that shares only the bank.
func (f *Field) copyFrom(o *Field) {
	f.Bank, f.Height, f.Width = o.Bank, o.Height, o.Width
	f.resize(len(o.L))
	copy(f.X, o.X)
	copy(f.Hi, o.Hi)
	copy(f.Lo, o.Lo)
	copy(f.L, o.L)
	f.picks = append(f.picks[:0], o.picks...)
	f.cover, f.strongOnly = append(f.cover[:0], o.cover...), o.strongOnly
}
