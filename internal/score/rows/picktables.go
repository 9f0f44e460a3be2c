package rows

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// This file makes the tables of byPick.

// picksPay reports whether explaining so many rows pays for the tables. In plain Go, and without AVX-512, byRow
// is quicker.
func (t *Table) picksPay(rows int) bool {
	return t.byPicks && !t.bank.TwoSided && t.experts <= 64 && rows >= picksWorth
}

// picksWorth is how many rows pay for the tables of byPick.
var picksWorth = 4096

// pickTablesOnce returns the tables of byPick, which all explainers share, or nil.
func (t *Table) pickTablesOnce() *pickTables {
	t.pickOnce.Do(func() { t.pick = t.newPickTables() })
	return t.pick
}

// newPickTables returns the tables of byPick, or nil where it cannot be used: too many votes, or
// log-likelihoods that do not follow the opinions.
func (t *Table) newPickTables() *pickTables {
	p := &pickTables{lanes: 16}
	for p.lanes < t.experts {
		p.lanes *= 2
	}
	any := make([]uint64, t.words)
	for c := range t.experts {
		votes := t.above[c*(t.experts+1)*t.words:][:t.words]
		p.masks = append(p.masks, votes...)
		for w, v := range votes {
			any[w] |= v
		}
	}
	of := func(h int) []uint64 {
		if h == t.experts {
			return any
		}
		return p.masks[h*t.words:][:t.words]
	}
	size := 0
	for h := range t.experts + 1 {
		p.groupsOf = append(p.groupsOf, inGroups(of(h), 4))
		size += 16 * p.lanes * len(p.groupsOf[h])
	}
	p.tiles = t.loops.Multiply != nil && size > tilesFrom
	if size > maxTables || p.crowded(t.experts, t.words) || !t.ordered() || !p.inUnits(t) {
		return nil
	}
	if p.tiles {
		for h := range p.groupsOf {
			p.groupsOf[h] = inGroups(of(h), 8)
			p.matrices = append(p.matrices, p.matrix(h, p.groupsOf[h], t.experts))
		}
	} else {
		for h, groups := range p.groupsOf {
			p.tables = append(p.tables, p.table(h, groups, t.experts))
		}
	}
	p.raise(t.experts)
	p.tell(t)
	return p
}

// raise fills in raises: a pick raises gains only where both vote for pixels that are off.
func (p *pickTables) raise(experts int) {
	n, words := p.lanes, len(p.masks)/experts
	p.raises = make([]int32, n*n)
	for h := range experts {
		row := p.raises[h*n:][:n]
		for w, m := range p.masks[h*words:][:words] {
			for ; m != 0; m &= m - 1 {
				off := p.signed[2*(64*w+bits.TrailingZeros64(m))*n:][:n]
				for c, v := range off {
					row[c] -= max(v, off[h])
				}
			}
		}
	}
}

// mostMet is at what part of the votes of one two experts may meet, on average: where weak votes are
// everywhere, giving back takes longer than correcting gains as byRow does.
var mostMet = 0.3

// crowded reports whether experts meet at too many votes.
func (p *pickTables) crowded(experts, words int) bool {
	met, votes := 0, 0
	for c := range experts {
		for h := range experts {
			met += overlap(p.votes(c, words), p.votes(h, words))
		}
		votes += overlap(p.votes(c, words), p.votes(c, words))
	}
	return float64(met-votes) > mostMet*float64(votes*(experts-1))
}

// inGroups returns the pixels of a mask, so many of a word at a time.
func inGroups(mask []uint64, size int) (groups []kernel.Fours) {
	for w, m := range mask {
		for m != 0 {
			some := uint64(0)
			for range size {
				some |= m & -m
				m &= m - 1
			}
			groups = append(groups, kernel.Fours{Word: w, Mask: some})
		}
	}
	return groups
}

// ordered reports whether a stronger opinion never makes a pixel that is on less likely, nor one
// that is off more: whether logarithms are monotone. Then the strongest of opinions is the
// largest, or smallest, of their log-likelihoods.
func (t *Table) ordered() bool {
	n := 16 * t.quads
	l := make([][2][]float64, t.experts+1) // by holder
	for h := range l {
		for x := range 2 {
			l[h][x] = make([]float64, n)
			for i := range t.pixels {
				l[h][x][i] = t.strongest(uint8(x), i, h)
			}
		}
	}
	wrong, k := make([]uint64, t.words), t.experts+1
	for c := range t.experts {
		for h := range k {
			above := t.above[(c*k+h)*t.words:][:t.words]
			for x := range 2 {
				a, b := l[h][x], l[c+1][x]
				if uint8(x) == score.Off {
					a, b = b, a
				}
				clear(wrong)
				t.loops.Greater(wrong, a, b)
				for w, m := range wrong {
					if m&above[w]&p0(t, c, w) != 0 {
						return false
					}
				}
			}
		}
	}
	return true
}

// p0 returns word w of where expert c votes.
func p0(t *Table, c, w int) uint64 { return t.above[c*(t.experts+1)*t.words+w] }

// strongest returns the log-likelihood of pixel i of value x under what holder h says, or abstention
// if that is above.
func (t *Table) strongest(x uint8, i, h int) float64 {
	if h > 0 && p0(t, h-1, i/64)>>(i%64)&1 != 0 {
		return t.logLik(x, i, h, 0)
	}
	return t.base[x][i]
}

// inUnits fills in what is counted in units. It reports whether that is possible.
func (p *pickTables) inUnits(t *Table) bool {
	most, widest := 0.0, 0.0
	ways := make([]float64, 2*t.pixels*p.lanes)
	for c := range t.experts {
		sum := math.Abs(score.CostOf(t.opt.Costs, c))
		for w, m := range p.masks[c*t.words:][:t.words] {
			for ; m != 0; m &= m - 1 {
				i := 64*w + bits.TrailingZeros64(m)
				off, on := t.logLik(score.Off, i, c+1, 0)-t.base[score.Off][i], t.logLik(score.On, i, c+1, 0)-t.base[score.On][i]
				ways[2*i*p.lanes+c], ways[(2*i+1)*p.lanes+c] = min(off, 0), max(on, 0)
				sum += max(-off, on)
				widest = max(widest, on-off)
			}
		}
		most = max(most, sum)
	}
	if !(most > 0 && most < math.MaxFloat32) {
		return false
	}
	// A matrix has numbers of 24 bits, a table of 16, and Tie is at most two units.
	_, exp := math.Frexp(most)
	_, wide := math.Frexp(widest)
	scale := math.Ldexp(1, min(28-exp, 23-wide, 30))
	if !p.tiles {
		scale = min(scale, (math.MaxInt16-2)/p.largest(ways, t.experts))
	}
	p.signed, p.start = make([]int32, len(ways)), make([]int32, p.lanes)
	for i, v := range ways {
		p.signed[i] = int32(math.Round(v * scale))
	}
	for c := range p.start {
		if p.start[c] = kernel.Excluded; c < t.experts {
			p.start[c] = -int32(math.Round(score.CostOf(t.opt.Costs, c) * scale))
		}
	}
	rounded := p.rounding(ways, scale, t)
	for picks := range p.margins {
		most := 0.0
		for _, r := range rounded {
			most = max(most, r.sum+float64(float64(min(r.votes, r.common*picks))/2))
		}
		p.margins[picks] = t.marginOf(scale, int(math.Ceil(most))+1, kernel.Excluded/2, math.MaxInt32)
	}
	return true
}

// rounded says what rounding changes of the gain of an expert at most, in units, how many votes it has, and how many in common with another
// one at most. What picks have taken of a vote is rounded, too: by half a unit.
type rounded struct {
	sum           float64
	votes, common int
}

// rounding returns that of each expert.
func (p *pickTables) rounding(ways []float64, scale float64, t *Table) (all []rounded) {
	for c := range t.experts {
		votes := p.votes(c, t.words)
		r := rounded{sum: 0.5, votes: overlap(votes, votes)} // the cost is rounded
		for w, m := range votes {
			for ; m != 0; m &= m - 1 {
				at := 2*(64*w+bits.TrailingZeros64(m))*p.lanes + c
				off, on := float64(ways[at]*scale), float64(ways[at+p.lanes]*scale)
				r.sum += max(math.Abs(off-math.Round(off)), math.Abs(on-math.Round(on)))
			}
		}
		for h := range t.experts {
			if h != c {
				r.common = max(r.common, overlap(votes, p.votes(h, t.words)))
			}
		}
		all = append(all, r)
	}
	return all
}

// votes returns where an expert votes.
func (p *pickTables) votes(c, words int) []uint64 { return p.masks[c*words:][:words] }

// overlap returns how many pixels two masks have in common.
func overlap(a, b []uint64) (n int) {
	for w, v := range a {
		n += bits.OnesCount64(v & b[w])
	}
	return n
}

// largest bounds the numbers of tables before they are rounded.
func (p *pickTables) largest(ways []float64, experts int) float64 {
	most, n := 0.0, p.lanes
	for h, groups := range p.groupsOf {
		for _, f := range groups {
			for c := range experts {
				sum := 0.0
				for m := f.Mask; m != 0; m &= m - 1 {
					off := 2 * n * (64*f.Word + bits.TrailingZeros64(m))
					on := off + n
					if h < experts {
						sum += max(-max(ways[off+c], ways[off+h]), min(ways[on+c], ways[on+h]))
					} else {
						sum += max(-ways[off+c], ways[on+c])
					}
				}
				most = max(most, sum)
			}
		}
	}
	return most
}

// ways returns the ways of all experts at pixel i, off and on, and those of expert h there, which bound what it
// takes from them; no bounds when h is behind the last.
func (p *pickTables) ways(i, h, experts int) (off, on []int32, least, most int32) {
	n := p.lanes
	off, on = p.signed[2*i*n:][:n], p.signed[(2*i+1)*n:][:n]
	if h < experts {
		return off, on, off[h], on[h]
	}
	return off, on, math.MinInt32, math.MaxInt32
}

// table returns what changes, by four pixels, their values and lane, when expert h is
// picked; in the first step, when h is behind the last, what is gained.
func (p *pickTables) table(h int, groups []kernel.Fours, experts int) []int16 {
	n := p.lanes
	table := make([]int16, 16*n*len(groups))
	for g, f := range groups {
		rows := table[16*n*g:][:16*n]
		for m, bit := f.Mask, 1; bit < 16; m, bit = m&(m-1), 2*bit {
			if m == 0 {
				copy(rows[bit*n:], rows[:bit*n]) // never looked up
				continue
			}
			off, on, least, most := p.ways(64*f.Word+bits.TrailingZeros64(m), h, experts)
			for c := range n {
				o, e := max(off[c], least), min(on[c], most)
				if h < experts {
					o, e = -o, -e
				}
				for at := c; at < bit*n; at += n {
					rows[bit*n+at] = rows[at] + int16(e)
					rows[at] += int16(o)
				}
			}
		}
	}
	return table
}

// matrix holds what changes when expert h is picked, or in the first step, for Multiply.
type matrix struct {
	depth  int
	bytes  []byte
	always []int32 // if no pixel is on
}

// matrix returns that of h, by groups of up to eight pixels.
func (p *pickTables) matrix(h int, groups []kernel.Fours, experts int) matrix {
	n := p.lanes
	pixels := 0
	for _, f := range groups {
		pixels += bits.OnesCount64(f.Mask)
	}
	m := matrix{depth: max(1, (pixels+63)/64), always: make([]int32, n)}
	m.bytes = make([]byte, 3*1024*m.depth*n/16)
	k := -1
	for _, f := range groups {
		for mask := f.Mask; mask != 0; mask &= mask - 1 {
			k++
			off, on, least, most := p.ways(64*f.Word+bits.TrailingZeros64(mask), h, experts)
			for c := range n {
				o, e := max(off[c], least), min(on[c], most)
				if m.always[c] += o; h < experts {
					m.always[c] -= 2 * o
				}
				at := 3*1024*(c/16*m.depth+k/64) + k%64/4*64 + c%16*4 + k%4
				for v := e - o; v != 0; v, at = v>>8, at+1024 {
					m.bytes[at] = byte(v)
				}
			}
		}
	}
	return m
}

// tell fills in told.
func (p *pickTables) tell(t *Table) {
	p.told = make([]float64, 128*t.words*(t.experts+1))
	for h := range t.experts + 1 {
		holder := h + 1
		if h == t.experts {
			holder = 0
		}
		told := p.told[128*t.words*h:][:128*t.words]
		for i := range t.pixels {
			at := 16*(i/32*4+i%4) + i%32/4
			told[at], told[at+8] = t.strongest(score.Off, i, holder), t.strongest(score.On, i, holder)
		}
	}
}
