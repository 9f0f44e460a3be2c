package pairs

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// nat is the unit in which gains are counted: integers, so that sums do not depend on
// their order, and a comparison not on the machine.
const nat = 1 << 12

// never is the gain of a place that a part may not take.
const never = math.MinInt32

// prices say what a covered pixel brings, in units: ink gains ink, paper loses
// paper.
type prices struct{ ink, paper int32 }

// pricesOf returns the prices for parts that are off with probability flip, against
// a background that is on with probability clutter.
func pricesOf(flip, clutter float64) prices {
	unit := func(v float64) int32 { return int32(math.Round(v * nat)) }
	return prices{unit(elem.Log((1 - flip) / clutter)), unit(elem.Log((1 - clutter) / flip))}
}

// sprite is a part at one of its turns, with what a place of it costs.
type sprite struct {
	part, turn int
	*shape
	cost int32
	// slack is the share of the pixels it newly covers that may be paper, in
	// 1/65536; one pixel more is always allowed.
	slack int64
}

// anyFit is a slack that allows everything.
const anyFit = 1 << 16

// slackOf returns the slack for a part of so many pixels: the share of paper under
// it is at most flip, and two standard deviations.
func slackOf(flip float64, pixels int) int64 {
	return int64(math.Round(math.Min(flip+float64(2*math.Sqrt(flip/float64(max(pixels, 1)))), 1) * anyFit))
}

// place is where a part lies in an image: the top left corner of the box of its
// ink at that turn. gain is what it brought when it was placed, its cost not
// counted.
type place struct {
	sprite, y, x int
	gain         int32
}

// view is an image as it is explained: the pixels that count and those of them that
// are ink.
type view struct{ ink, free plane }

// gains are the gains of a sprite at all its places in an image, column by column.
type gains struct {
	rows, columns, stride int
	all                   []int32
	best                  []int32 // of each column
	row                   []int32 // where the first of them is
}

// explainer finds the places of sprites in one image after the other.
type explainer struct {
	field
	prices
	sprites []sprite
	most    int // places an image
	maps    []gains
	view    view // what is not yet covered
	open    bool // that is all pixels
	spare   plane
	in, all []uint16
	places  []place
	work    int64 // words compared
}

func newExplainer(f field) *explainer {
	n := f.width * (f.height + 8)
	return &explainer{field: f, view: view{f.plane(), f.plane()}, spare: make(plane, f.height+16), in: make([]uint16, n),
		all: make([]uint16, n)}
}

// use sets the sprites and prices for the images that follow.
func (e *explainer) use(sprites []sprite, p prices, most int) {
	e.sprites, e.prices, e.most = sprites, p, most
	for len(e.maps) < len(sprites) {
		e.maps = append(e.maps, gains{})
	}
	for i := range sprites {
		g, s := &e.maps[i], sprites[i].shape
		g.rows, g.columns = max(e.height-s.height+1, 0), max(e.width-s.width+1, 0)
		if g.rows == 0 || s.n == 0 {
			g.rows, g.columns = 0, 0
		}
		g.stride = (g.rows + 7) &^ 7
		if n := g.columns * g.stride; cap(g.all) < n {
			g.all = make([]int32, n)
		}
		g.all = g.all[:g.columns*g.stride]
		if cap(g.best) < g.columns {
			g.best, g.row = make([]int32, g.columns), make([]int32, g.columns)
		}
		g.best, g.row = g.best[:g.columns], g.row[:g.columns]
	}
}

// explain returns the places that greedy pursuit finds, best first, and improves
// them in so many sweeps. They are valid until the next call.
func (e *explainer) explain(v view, sweeps int) []place {
	copy(e.view.ink, v.ink)
	copy(e.view.free, v.free)
	e.open = ones(v.free) == e.height*e.width
	for i := range e.sprites {
		e.update(i, 0, e.maps[i].rows, 0, e.maps[i].columns)
	}
	e.places = e.places[:0]
	e.add()
	for range sweeps {
		e.sweep(v)
		e.add()
	}
	return e.places
}

// add places sprites as long as one gains more than it costs.
func (e *explainer) add() {
	for len(e.places) < e.most {
		p, ok := e.choose()
		if !ok {
			return
		}
		e.put(p)
		e.places = append(e.places, p)
	}
}

// choose returns the place that gains the most above its cost, the first of equals.
func (e *explainer) choose() (best place, ok bool) {
	most := int64(0)
	for i := range e.sprites {
		g := &e.maps[i]
		least := most + int64(e.sprites[i].cost)
		for x, v := range g.best {
			if int64(v) > least {
				least = int64(v)
				best, ok = place{i, int(g.row[x]), x, v}, true
			}
		}
		most = max(most, least-int64(e.sprites[i].cost))
	}
	return best, ok
}

// put covers the pixels under a place.
func (e *explainer) put(p place) {
	s := &e.sprites[p.sprite]
	e.open = false
	e.stamp(s.shape, p.y, p.x, func(at int, bits uint64) {
		e.view.ink[at] &^= bits
		e.view.free[at] &^= bits
	})
	e.around(s.shape, p.y, p.x)
}

// around renews the gains of all places that meet a box.
func (e *explainer) around(s *shape, y, x int) {
	for i := range e.sprites {
		t := e.sprites[i].shape
		g := &e.maps[i]
		e.update(i, max(0, y-t.height+1), min(g.rows, y+s.height), max(0, x-t.width+1), min(g.columns, x+s.width))
	}
}

// sweep takes each place away in turn and puts what then gains the most there or
// elsewhere, the same again if it is as good, or nothing.
func (e *explainer) sweep(v view) {
	kept := e.places[:0]
	old := append([]place(nil), e.places...)
	for i, p := range old {
		copy(e.view.ink, v.ink)
		copy(e.view.free, v.free)
		for _, rest := range [][]place{kept, old[i+1:]} {
			for _, o := range rest {
				e.stamp(e.sprites[o.sprite].shape, o.y, o.x, func(at int, bits uint64) {
					e.view.ink[at] &^= bits
					e.view.free[at] &^= bits
				})
			}
		}
		e.around(e.sprites[p.sprite].shape, p.y, p.x)
		own := e.maps[p.sprite].all[p.x*e.maps[p.sprite].stride+p.y]
		best, ok := e.choose()
		if !ok {
			continue
		}
		if int64(own)-int64(e.sprites[p.sprite].cost) >= int64(best.gain)-int64(e.sprites[best.sprite].cost) {
			best = place{p.sprite, p.y, p.x, own}
		}
		e.put(best)
		kept = append(kept, best)
	}
	e.places = kept
}

// update computes the gains of the places of sprite i in a range of rows and
// columns, and the best of these columns.
func (e *explainer) update(i, y0, y1, x0, x1 int) {
	g, s := &e.maps[i], &e.sprites[i]
	if y0 >= y1 || x0 >= x1 {
		return
	}
	stride := (y1 - y0 + 7) &^ 7
	e.work += int64(x1-x0) * int64(y1-y0) * int64(s.height*s.words)
	e.overlaps(e.in, stride, e.view.ink, s.shape, y0, y1, x0, x1, e.spare)
	if n := stride * (x1 - x0); e.open {
		for i := range n {
			e.all[i] = uint16(s.n)
		}
	} else {
		e.overlaps(e.all, stride, e.view.free, s.shape, y0, y1, x0, x1, e.spare)
	}
	for x := x0; x < x1; x++ {
		in, all := e.in[(x-x0)*stride:][:y1-y0], e.all[(x-x0)*stride:][:y1-y0]
		column := g.all[x*g.stride:][:g.rows]
		to := column[y0:y1]
		for y, n := range in {
			paper := int32(all[y]) - int32(n)
			gain := int32(n)*e.ink - paper*e.paper
			if int64(paper)*anyFit > s.slack*int64(all[y])+anyFit {
				gain = never
			}
			to[y] = gain
		}
		best, row := int32(never), 0
		for y, v := range column {
			if v > best {
				best, row = v, y
			}
		}
		g.best[x], g.row[x] = best, int32(row)
	}
}
