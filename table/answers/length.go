package answers

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/table/described"
)

// layer is the price of a layer beyond the first: which of twelve pictures it is.
var layer = elem.Log(12)

// active returns in how many rows each part is active.
func (p *Picture) active(c *counts) []float64 {
	out := make([]float64, len(p.Votes))
	for s, set := range p.Sets {
		for k := range out {
			if set>>k&1 != 0 {
				for _, n := range c.rows[s] {
					out[k] += n
				}
			}
		}
	}
	return out
}

// length returns what a description of the rows by the picture takes, in nats, and how many numbers the picture has:
//
//	-log P(rows) + D h                                  h = log(N)/2
//	  + h for a level, + 5 h for its weights, + own slopes
//	  + h for a level of usage
//	  + K h + the votes - log K!                        or classes (K-1) h + sum D p_k - log K!, without D h
//	  + (sets-1) h + sum (log C(K, |s|) + log 2)        for the K h, if profiles have shares
func (p *Picture) length(c *counts, rows float64) (nats float64, numbers int) {
	h, width, k := elem.Log(rows)/2, len(p.Intercept), len(p.Votes)
	nats, numbers = -c.evidence-elem.LogFactorial(float64(k)), p.numbers()
	active := p.active(c)
	if p.Classes {
		for _, n := range active {
			nats += float64(float64(width) * described.NumberPrice(n, rows))
		}
		return nats + float64(float64(k-1)*h), numbers
	}
	if p.Share != nil {
		for _, set := range p.Sets {
			nats += elem.LogChoose(k, bits.OnesCount64(set)) + math.Ln2
		}
	}
	votes, own := p.votesLength(active, rows)
	nats += float64(float64(numbers-own)*h) + float64(float64(p.layers())*layer)
	return nats + votes, numbers
}

// numbers returns how many numbers the picture has: a vote that parts share is one.
func (p *Picture) numbers() (n int) {
	width, k := len(p.Intercept), len(p.Votes)
	if p.Classes {
		return k - 1 + k*width
	}
	n = width + k
	if p.leveled() {
		n++
	}
	if p.WithUsage {
		n++
	}
	if p.OwnSlopes {
		n += width - 1
	}
	if p.OwnWeights {
		n += len(p.Steps) - 2
	}
	if p.Share != nil {
		n += len(p.Share) - 1 - k
	}
	for k := range p.Votes {
		for d, v := range p.Votes[k] {
			if v > 0 && !p.sharedBefore(k, d) {
				n++
			}
		}
	}
	return n
}

// layers returns how many layers the picture has beyond the first.
func (p *Picture) layers() (n int) {
	for _, has := range []bool{p.leveled() && len(p.Votes) > 0, p.WithUsage, p.Share != nil && !p.Classes} {
		if has {
			n++
		}
	}
	return n
}

// votesLength returns what the votes take: which columns, and a number for each that is not that of another part too.
func (p *Picture) votesLength(active []float64, rows float64) (nats float64, numbers int) {
	for k := range p.Votes {
		nats += elem.LogChoose(len(p.Intercept), p.votes(k))
		price := described.NumberPrice(active[k], rows)
		for d, v := range p.Votes[k] {
			if v > 0 && !p.sharedBefore(k, d) {
				nats += price
				numbers++
			}
		}
	}
	return nats, numbers
}

// sharedBefore reports whether a part before k says the same of column d.
func (p *Picture) sharedBefore(k, d int) bool {
	for _, v := range p.Votes[:k] {
		if math.Abs(v[d]-p.Votes[k][d]) < 1e-12 {
			return true
		}
	}
	return false
}
