package blocks

import (
	"math/bits"
	"math/rand/v2"
)

// setCover finds the fewest sets that together have all of need.
type setCover struct {
	need  plane
	words int
	all   []uint64 // the sets, one after the other
	n     int
	steps int64

	order, best, trail []int
	left               []uint64 // per level of the search, what is left of need
	nodes              int
}

// coverNodes bounds the search for a cover: the best so far is then taken.
const coverNodes = 300

// reset makes n empty sets of numbers below size; need is empty.
func (c *setCover) reset(n, size int) {
	c.words, c.n, c.steps = (size+63)/64, n, 0
	c.need = zeros(c.need, c.words)
	c.all = zeros(c.all, n*c.words)
}

func zeros(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n)
	}
	clear(s[:n])
	return s[:n]
}

func (c *setCover) set(k int) plane { return c.all[k*c.words : (k+1)*c.words] }

// level returns what is left at a level of the search.
func (c *setCover) level(i int) plane {
	for len(c.left) < (i+1)*c.words {
		c.left = append(c.left, 0)
	}
	return c.left[i*c.words : (i+1)*c.words]
}

// solve returns the fewest sets, one of several at random. It panics if all of them
// together do not have all of need.
func (c *setCover) solve(rng *rand.Rand) []int {
	c.order = c.order[:0]
	for k := range c.n {
		c.order = append(c.order, k)
	}
	rng.Shuffle(c.n, func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
	c.best, c.trail, c.nodes = c.best[:0], c.trail[:0], 0
	c.greedy()
	if len(c.best) > 1 {
		copy(c.level(0), c.need)
		c.branch()
	}
	return c.best
}

// greedy takes the set with most of what is left, again and again.
func (c *setCover) greedy() {
	left := c.level(0)
	copy(left, c.need)
	for left.any() {
		at, most := -1, 0
		for _, k := range c.order {
			if n := meet(left, c.set(k)); n > most {
				at, most = k, n
			}
		}
		if at < 0 {
			panic("blocks: a one that no block covers")
		}
		left.without(c.set(at))
		c.best = append(c.best, at)
		c.steps += int64(c.n * c.words)
	}
}

// branch tries the sets that have the number that fewest sets have.
func (c *setCover) branch() {
	depth := len(c.trail)
	left := c.level(depth)
	if !left.any() {
		c.best = append(c.best[:0], c.trail...)
		return
	}
	if c.nodes++; depth+1 >= len(c.best) || c.nodes > coverNodes {
		return
	}
	number := c.rarest(left)
	for _, k := range c.order {
		if !c.set(k).has(number) {
			continue
		}
		next := c.level(depth + 1)
		copy(next, c.level(depth))
		next.without(c.set(k))
		c.trail = append(c.trail, k)
		c.branch()
		c.trail = c.trail[:depth]
	}
}

// rarest returns the number of left that fewest sets have.
func (c *setCover) rarest(left plane) int {
	number, fewest := -1, c.n+1
	for w, v := range left {
		for ; v != 0 && fewest > 1; v &= v - 1 {
			b, n := bits.TrailingZeros64(v), 0
			for k := w; k < len(c.all); k += c.words {
				n += int(c.all[k] >> b & 1)
			}
			c.steps += int64(c.n)
			if n < fewest {
				number, fewest = w*64+b, n
			}
		}
	}
	return number
}
