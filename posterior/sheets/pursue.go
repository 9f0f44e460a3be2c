package sheets

import (
	"container/heap"
	"math"
)

// pick is a placement of the pursuit.
type pick struct {
	candidate
	second int32 // the sprite that came second at this place, -1 if none
	behind int32 // by how many units
}

// queue gives candidates by gain: those of a sorted list, and those whose gain has changed from a heap.
type queue struct {
	list    []candidate
	first   int32       // of the list that is left
	changed []candidate // a heap; entries that are out of date stay in it
	of      []int32     // the number of each entry's candidate
}

func (q *queue) Len() int           { return len(q.changed) }
func (q *queue) Less(i, j int) bool { return q.changed[i].before(q.changed[j]) < 0 }
func (q *queue) Swap(i, j int) {
	q.changed[i], q.changed[j] = q.changed[j], q.changed[i]
	q.of[i], q.of[j] = q.of[j], q.of[i]
}
func (q *queue) Push(any) {}
func (q *queue) Pop() any {
	n := len(q.changed) - 1
	q.changed, q.of = q.changed[:n], q.of[:n]
	return nil
}

// next takes the candidate that gains most and its number; -1 is the end.
func (q *queue) next(gains []int32) (candidate, int32) {
	for q.first < int32(len(q.list)) && gains[q.first] != q.list[q.first].gain {
		q.first++
	}
	for q.Len() > 0 && gains[q.of[0]] != q.changed[0].gain {
		heap.Pop(q)
	}
	switch more := q.first < int32(len(q.list)); {
	case q.Len() > 0 && (!more || q.changed[0].before(q.list[q.first]) < 0):
		c, i := q.changed[0], q.of[0]
		heap.Pop(q)
		return c, i
	case more:
		q.first++
		return q.list[q.first-1], q.first - 1
	}
	return candidate{}, -1
}

// nearby lists candidates by the cell of the page in which their corner lies.
type nearby struct {
	side, columns int
	cells         [][]int32
	h, w          int // of the largest sprite
}

func newNearby(list []candidate, sprites []*sprite, page *plane) *nearby {
	n := &nearby{side: 32}
	for _, sp := range sprites {
		n.h, n.w = max(n.h, sp.h), max(n.w, sp.w)
	}
	n.columns = page.w/n.side + 1
	n.cells = make([][]int32, n.columns*(page.h/n.side+1))
	for i, c := range list {
		at := int(c.y)/n.side*n.columns + int(c.x)/n.side
		n.cells[at] = append(n.cells[at], int32(i))
	}
	return n
}

// each calls do for the candidates whose sprites may overlap h x w pixels at (y, x).
func (n *nearby) each(y, x, h, w int, do func(i int32)) {
	for r := max(0, y-n.h) / n.side; r <= (y+h)/n.side && r < len(n.cells)/n.columns; r++ {
		for c := max(0, x-n.w) / n.side; c <= (x+w)/n.side && c < n.columns; c++ {
			for _, i := range n.cells[r*n.columns+c] {
				do(i)
			}
		}
	}
}

// pursue picks placements: the one that gains most, then the one that gains most
// given that the strokes of the first are explained, until none gains what it needs.
// It changes the page: pixels of strokes become unknown.
func pursue(on, unknown *plane, sprites []*sprite, list []candidate) []pick {
	gains := make([]int32, len(list)) // current; 0: not a candidate any more
	for i, c := range list {
		gains[i] = c.gain
	}
	q := &queue{list: list}
	near := newNearby(list, sprites, on)
	var picks []pick
	for c, i := q.next(gains); i >= 0; c, i = q.next(gains) {
		gains[i] = 0
		sp := sprites[c.sprite]
		picks = append(picks, runnerUp(near, list, gains, sprites, c))
		sp.explain(on, unknown, int(c.y), int(c.x))
		near.each(int(c.y), int(c.x), sp.h, sp.w, func(j int32) {
			o := list[j]
			os := sprites[o.sprite]
			if gains[j] == 0 || int(o.y) >= int(c.y)+sp.h || int(c.y) >= int(o.y)+os.h || int(o.x) >= int(c.x)+sp.w ||
				int(c.x) >= int(o.x)+os.w {
				return
			}
			gain := os.gain(on, unknown, int(o.y), int(o.x))
			if gain < os.need {
				gain = 0
			}
			if gain != gains[j] {
				gains[j] = gain
				if o.gain = gain; gain > 0 {
					q.changed, q.of = append(q.changed, o), append(q.of, j)
					heap.Fix(q, q.Len()-1)
				}
			}
		})
	}
	return picks
}

// explain makes the strokes of a sprite at (y, x) unknown: where it says that ink is
// likelier than the page says.
func (sp *sprite) explain(on, unknown *plane, y, x int) {
	shift, at := uint(x&63), y*on.stride+x>>6
	for i := range sp.levels {
		l := &sp.levels[i]
		if l.on <= 0 || l.p < 0.25 {
			continue
		}
		for r := range sp.h {
			for c := range sp.words {
				b, to := l.bits[r*sp.words+c], at+r*on.stride+c
				on.bits[to] &^= b << shift
				unknown.bits[to] |= b << shift
				if shift > 0 {
					on.bits[to+1] &^= b >> (64 - shift)
					unknown.bits[to+1] |= b >> (64 - shift)
				}
			}
		}
	}
}

// runnerUp completes a pick by the best candidate of another symbol at nearly the same
// place: the middles are less than a third of the smaller side apart.
func runnerUp(near *nearby, list []candidate, gains []int32, sprites []*sprite, c candidate) pick {
	sp := sprites[c.sprite]
	p := pick{candidate: c, second: -1, behind: math.MaxInt32}
	var best candidate
	near.each(int(c.y), int(c.x), sp.h, sp.w, func(j int32) {
		o := list[j]
		os := sprites[o.sprite]
		if o.gain = gains[j]; o.gain == 0 || os.symbol == sp.symbol {
			return
		}
		reach := 2 * min(sp.h, sp.w, os.h, os.w) / 3 // twice the distance
		dy, dx := 2*int(o.y-c.y)+os.h-sp.h, 2*int(o.x-c.x)+os.w-sp.w
		if max(dy, -dy) > reach || max(dx, -dx) > reach {
			return
		}
		if p.second < 0 || o.before(best) < 0 {
			best, p.second, p.behind = o, o.sprite, c.gain-o.gain
		}
	})
	return p
}
