package rows

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// This file makes the tables of byVote.

// voteTables is what byVote needs to know of a table.
type voteTables struct {
	voting  kernel.Voting                // what is the same for all rows
	margins [kernel.MostPicks + 1]margin // by the number of picks
	masks   []uint64                     // by expert, its votes
	meet    []kernel.Meetings            // by expert
	told    []float64
}

// votesPay reports whether explaining so many rows pays for the tables. In plain Go, and without AVX-512, byRow
// is quicker.
func (t *Table) votesPay(rows int) bool {
	return t.byVotes && !t.bank.TwoSided && t.experts <= 64 && t.pixels <= maxVotePixels &&
		max(rows, t.opt.Rows) >= votesWorth
}

// votesWorth is how many rows pay for the tables of byVote.
const votesWorth = 1024

// maxVotePixels bounds what is held of sixteen rows: 64 bytes for each pixel.
const maxVotePixels = 1 << 12

// maxMet is at how many votes experts may meet in all: each takes 8 bytes.
const maxMet = 1 << 20

// voteTablesOnce returns the tables of byVote, which all explainers share, or nil.
func (t *Table) voteTablesOnce() *voteTables {
	t.voteOnce.Do(func() { t.vote = t.newVoteTables() })
	return t.vote
}

// newVoteTables returns the tables of byVote, or nil where it cannot be used: no votes, or
// log-likelihoods that do not follow the opinions.
func (t *Table) newVoteTables() *voteTables {
	p := &voteTables{}
	for c := range t.experts {
		p.masks = append(p.masks, t.above[c*(t.experts+1)*t.words:][:t.words]...)
	}
	if p.met(t) > maxMet || !p.ordered(t) || !p.inUnits(t) {
		return nil
	}
	p.tell(t)
	return p
}

// ordered reports whether a stronger opinion never makes a pixel that is on less likely, nor one
// that is off more: whether logarithms are monotone. Then the strongest of opinions is the
// largest, or smallest, of their log-likelihoods.
func (p *voteTables) ordered(t *Table) bool {
	said := make([][]int, t.pixels) // by pixel, the experts that vote there
	for c := range t.experts {
		for i := range pixelsOf(p.votes(c, t.words)) {
			said[i] = append(said[i], c)
		}
	}
	for i, experts := range said {
		opinion := func(c int) float64 { return t.bank.Sprites[c].V[i] }
		slices.SortFunc(experts, func(a, b int) int { return cmp.Compare(opinion(a), opinion(b)) })
		off, on := t.base[score.Off][i], t.base[score.On][i]
		for _, c := range experts { // of equal opinions, these are the same numbers
			nextOff, nextOn := t.logLik(score.Off, i, c+1, 0), t.logLik(score.On, i, c+1, 0)
			if nextOff > off || nextOn < on {
				return false
			}
			off, on = nextOff, nextOn
		}
	}
	return true
}

// met returns at how many votes experts meet.
func (p *voteTables) met(t *Table) (n int) {
	for c := range t.experts {
		for h := range t.experts {
			n += overlap(p.votes(c, t.words), p.votes(h, t.words))
		}
	}
	return n
}

// inUnits fills in what is counted in units. It reports whether that is possible.
func (p *voteTables) inUnits(t *Table) bool {
	most, widest := 0.0, 0.0
	ways := make([][][2]float64, t.experts) // by vote: what it gains where the pixel is on, and loses where it is off
	for c := range t.experts {
		sum := math.Abs(score.CostOf(t.opt.Costs, c))
		for i := range pixelsOf(p.votes(c, t.words)) {
			on, off := max(t.logLik(score.On, i, c+1, 0)-t.base[score.On][i], 0),
				max(t.base[score.Off][i]-t.logLik(score.Off, i, c+1, 0), 0)
			ways[c] = append(ways[c], [2]float64{on, off})
			sum += max(off, on)
			widest = max(widest, off, on)
		}
		most = max(most, sum)
	}
	if !(widest > 0 && most < math.MaxFloat32) {
		return false
	}
	// A way has 15 bits, a gain 29.
	scale := min(math.MaxInt16/widest, float64(1<<29-1-t.pixels)/most, 1<<24)
	v := &p.voting
	v.Width = t.words
	inUnits, all := make([]uint32, t.pixels*t.experts), make([]rounded, t.experts) // by expert and pixel
	pixels, votes := make([][]int, t.experts), make([][]uint32, t.experts)
	for c := range t.experts {
		v.Costs = append(v.Costs, int32(math.Round(score.CostOf(t.opt.Costs, c)*scale)))
		for i := range pixelsOf(p.votes(c, t.words)) {
			on, off := ways[c][len(votes[c])][0], ways[c][len(votes[c])][1]
			way := all[c].way(float64(on*scale), float64(off*scale))
			pixels[c], votes[c], inUnits[t.pixels*c+i] = append(pixels[c], i), append(votes[c], way), way
		}
		for h := range t.experts {
			if h != c {
				all[c].common = max(all[c].common, overlap(p.votes(c, t.words), p.votes(h, t.words)))
			}
		}
	}
	v.AddVotes(pixels, votes)
	p.pair(t, pixels, inUnits)
	for picks := range p.margins {
		most := 0.0
		for _, r := range all {
			most = max(most, r.by(picks))
		}
		p.margins[picks] = t.marginOf(scale, int(math.Ceil(most))+1, excluded/2, math.MaxInt32)
	}
	return true
}

// rounded says by how much rounding makes the gain of an expert more, and less, at most, in units; how many votes it
// has, and how many in common with
// another one at most.
type rounded struct {
	more, less    float64
	votes, common int
}

// way rounds the ways of a vote, of which a pixel has one.
func (r *rounded) way(on, off float64) uint32 {
	a, b := math.Round(on), math.Round(off)
	r.more, r.less, r.votes = r.more+max(a-on, off-b), r.less+max(on-a, b-off), r.votes+1
	return uint32(a) | uint32(b)<<16
}

// by returns how wrong a gain may be after some picks. What they have taken of a vote is rounded, too, by half a unit;
// and so is the cost.
func (r *rounded) by(picks int) float64 {
	return max(r.more, r.less) + 0.5 + float64(float64(min(r.votes, r.common*picks))/2)
}

// pair fills in what the steps after the first need: pixels are by expert, ways by expert and pixel.
func (p *voteTables) pair(t *Table, pixels [][]int, ways []uint32) {
	place := make([]uint32, t.pixels) // which vote of the last pick a pixel is
	for h := range t.experts {
		m := kernel.Meetings{Starts: make([]int32, t.experts), Fours: make([]int32, t.experts)}
		m.Own = make([]uint32, 0, 3*max(len(pixels[h]), 1))
		for j, i := range pixels[h] {
			place[i] = uint32(j)
			m.Own = append(m.Own, uint32(i/32*64), 1<<(i%32), ways[t.pixels*h+i])
		}
		if len(m.Own) == 0 {
			m.Own = append(m.Own, 0, 0, 0) // there is at least one, if without a way
		}
		last, room := p.votes(h, t.words), 0
		for c := range t.experts {
			room += 2*overlap(p.votes(c, t.words), last) + 8
		}
		m.Pairs = make([]uint32, 0, room)
		for c := range t.experts {
			first := len(m.Pairs)
			for w, both := range p.votes(c, t.words) {
				for both &= last[w]; both != 0 && c != h; both &= both - 1 {
					i := 64*w + bits.TrailingZeros64(both)
					m.Pairs = append(m.Pairs, 128*place[i], ways[t.pixels*c+i])
				}
			}
			for len(m.Pairs) == first || len(m.Pairs)%8 != 0 {
				m.Pairs = append(m.Pairs, uint32(128*(len(m.Own)/3+len(m.Pairs)%8/2)), 0)
			}
			m.Starts[c], m.Fours[c] = int32(4*first), int32(len(m.Pairs)-first)/8
		}
		p.meet = append(p.meet, m)
	}
}

// pixelsOf yields the pixels of a mask.
func pixelsOf(mask []uint64) func(func(int) bool) {
	return func(yield func(int) bool) {
		for w, m := range mask {
			for ; m != 0; m &= m - 1 {
				if !yield(64*w + bits.TrailingZeros64(m)) {
					return
				}
			}
		}
	}
}

// votes returns where an expert votes.
func (p *voteTables) votes(c, words int) []uint64 { return p.masks[c*words:][:words] }

// overlap returns how many pixels two masks have in common.
func overlap(a, b []uint64) (n int) {
	for w, v := range a {
		n += bits.OnesCount64(v & b[w])
	}
	return n
}

// tell fills in told.
func (p *voteTables) tell(t *Table) {
	p.told = make([]float64, 128*t.words*(t.experts+1))
	size := 128 * t.words
	base := p.told[size*t.experts:]
	for i := range t.pixels {
		at := toldAt(i)
		base[at], base[at+8] = t.base[score.Off][i], t.base[score.On][i]
	}
	for c := range t.experts {
		told := p.told[size*c:][:size]
		copy(told, base)
		for i := range pixelsOf(p.votes(c, t.words)) {
			at := toldAt(i)
			told[at], told[at+8] = t.logLik(score.Off, i, c+1, 0), t.logLik(score.On, i, c+1, 0)
		}
	}
}

// toldAt returns where kernel.Tell.Experts has a pixel that is off.
func toldAt(i int) int { return 16*(i/32*4+i%4) + i%32/4 }
