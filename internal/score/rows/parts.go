package rows

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/score"
)

// parts are what the tables of bySet are made of: what an expert gains at four pixels, by their values.
// That depends on who holds the extremal opinions there, and only where the expert would hold one itself. So some
// hundred parts serve the sets of eight experts, and most of a set are those of the set it came from.
type parts struct {
	*Table
	opinions []uint64 // by expert: the pixels where it has one
	holders  holding

	sums  []float64 // of four pixels, 16 numbers each, in nats
	most  []float64 // what they come to at most, gained or lost; +Inf where one is no number
	known map[partKey]int32
}

// partKey says what a part depends on.
type partKey struct {
	holders       uint64
	expert, first int32
}

// holding has, of a set, the extremal opinions and who holds them, by pixel; and, by pixel and value, to a multiple
// of four pixels, the log-likelihoods under them.
type holding struct {
	highest, lowest []float64
	top, bottom     []int32
	logLiks         []float64

	abstentions, apart []float64 // highest or lowest, and logLiks, of no expert
}

// prepare makes the memory for the parts of a table.
func (s *parts) prepare(t *Table) {
	s.Table, s.known = t, map[partKey]int32{}
	for c := range s.experts {
		at := c * (s.experts + 1) * s.words
		for w := range s.words {
			mask := s.above[at+w]
			if s.bank.TwoSided {
				mask |= s.below[at+w]
			}
			s.opinions = append(s.opinions, mask)
		}
	}
	h := &s.holders
	h.abstentions, h.highest, h.lowest = make([]float64, s.pixels), make([]float64, s.pixels), make([]float64, s.pixels)
	h.top, h.bottom = make([]int32, s.pixels), make([]int32, s.pixels)
	h.apart, h.logLiks = make([]float64, 8*s.groups), make([]float64, 8*s.groups)
	for i := range s.pixels {
		h.abstentions[i], h.apart[2*i], h.apart[2*i+1] = s.bank.Abstention(i), s.base[score.Off][i], s.base[score.On][i]
	}
}

// bytes returns how much memory the parts take.
func (s *parts) bytes() int { return 8 * len(s.sums) }

// hold makes members the set whose parts are asked for.
func (s *parts) hold(members uint64) {
	h := &s.holders
	copy(h.highest, h.abstentions)
	copy(h.lowest, h.abstentions)
	copy(h.logLiks, h.apart)
	clear(h.top)
	clear(h.bottom)
	for ; members != 0; members &= members - 1 {
		c := bits.TrailingZeros64(members)
		e := &s.bank.Sprites[c]
		for i, v := range e.V {
			switch {
			case v > h.highest[i]:
				h.highest[i], h.top[i] = v, int32(c+1)
				h.logLiks[2*i], h.logLiks[2*i+1] = e.Off[i], e.On[i]
			case v < h.lowest[i] && s.bank.TwoSided:
				h.lowest[i], h.bottom[i] = v, int32(c+1)
			}
		}
	}
	if !s.bank.TwoSided {
		return
	}
	for i, b := range h.bottom {
		if b != 0 {
			h.logLiks[2*i], h.logLiks[2*i+1] = s.logLik(score.Off, i, int(h.top[i]), int(b)),
				s.logLik(score.On, i, int(h.top[i]), int(b))
		}
	}
}

// term returns what an expert that joins gains at pixel i, by its value, and how many bits say who holds what there:
// none where it gains nothing.
func (s *parts) term(c, i int) (off, on float64, holders uint64) {
	h, e := &s.holders, &s.bank.Sprites[c]
	v, top, bottom := e.V[i], int(h.top[i]), int(h.bottom[i])
	switch {
	case v > h.highest[i] && bottom == 0:
		off, on = e.Off[i], e.On[i]
	case v > h.highest[i]:
		off, on = s.logLik(score.Off, i, c+1, bottom), s.logLik(score.On, i, c+1, bottom)
	case v < h.lowest[i] && s.bank.TwoSided:
		off, on = s.logLik(score.Off, i, top, c+1), s.logLik(score.On, i, top, c+1)
	default:
		return 0, 0, 0
	}
	return off - h.logLiks[2*i], on - h.logLiks[2*i+1], uint64(1 + top + 64*bottom)
}

// four returns where the part of expert c and a group of four pixels begins among sums.
func (s *parts) four(c, group int) int32 {
	var terms [8]float64
	most, key := 0.0, partKey{expert: int32(c), first: int32(4 * group)}
	for j := range min(4, s.pixels-4*group) {
		off, on, holders := s.term(c, 4*group+j)
		terms[2*j], terms[2*j+1], key.holders = off, on, key.holders<<12|holders
		if most += max(math.Abs(off), math.Abs(on)); off-off != 0 || on-on != 0 {
			most = math.Inf(1)
		}
	}
	at, ok := s.known[key]
	if !ok {
		at = int32(len(s.sums))
		s.known[key], s.sums, s.most = at, append(s.sums, make([]float64, 16)...), append(s.most, most)
		fourSums((*[16]float64)(s.sums[at:]), &terms)
	}
	return at
}

// fourSums sets the sums, from left to right, for all 16 values of four pixels; terms are by
// pixel and value.
func fourSums(sums *[16]float64, terms *[8]float64) {
	sums[0] = 0
	for j := range 4 {
		off, on := terms[2*j], terms[2*j+1]
		n := 1 << j // sums of the pixels before
		less, more := sums[:n], sums[n:][:n]
		for p, sum := range less {
			less[p], more[p] = sum+off, sum+on
		}
	}
}

// logLik4 sets sums to the log-likelihoods of the pixels, under the set that holds now, by four and their values.
func (s *parts) logLik4(sums []float64) {
	for g := range s.groups {
		fourSums((*[16]float64)(sums[16*g:]), (*[8]float64)(s.holders.logLiks[8*g:]))
	}
}
