package strokes

import "slices"

// move replaces some parts by others.
type move struct {
	parts   []int
	becomes [][]uint8
}

// touches reports whether two moves are of the same part.
func (m move) touches(o move) bool {
	return slices.ContainsFunc(m.parts, func(k int) bool { return slices.Contains(o.parts, k) })
}

// moves returns what may be tried: at every junction, the straightest first, and at sharp corners.
func (l *Learner) moves(d *drawing) []move {
	var out []move
	for _, j := range d.junctions[:min(len(d.junctions), mostJunctions)] {
		out = append(out, l.movesAt(d, j)...)
	}
	for k, line := range d.lines {
		for _, c := range line.corners {
			least := line.pixels(cutLength)
			if c.turn >= cutTurn && c.at >= least && len(line.points)-1-c.at >= least {
				head, rest := line.cut(d.state.templates[k], 0, c.at)
				out = append(out, move{[]int{k}, [][]uint8{head, rest}})
			}
		}
	}
	return slices.DeleteFunc(out, func(m move) bool { return slices.ContainsFunc(m.becomes, l.blank) })
}

// movesAt returns the moves at a junction: both parts become one; the hook of one, between its end and its nearest
// corner, goes to the other; both hooks become a part of their own.
func (l *Learner) movesAt(d *drawing, j junction) []move {
	whole := [2][]uint8{}
	hook, rest := [2][]uint8{}, [2][]uint8{}
	for n, k := range j.parts {
		whole[n] = d.state.templates[k]
		if _, back, ok := d.lines[k].nearestCorner(j.ends[n]); ok {
			hook[n], rest[n] = d.lines[k].cut(whole[n], j.ends[n], back)
		}
	}
	parts := j.parts[:]
	out := []move{{parts, [][]uint8{l.joined(d, j, whole[0], whole[1])}}}
	if hook[0] != nil {
		out = append(out, move{parts, [][]uint8{rest[0], l.joined(d, j, hook[0], whole[1])}})
	}
	if hook[1] != nil {
		out = append(out, move{parts, [][]uint8{l.joined(d, j, whole[0], hook[1]), rest[1]}})
	}
	if hook[0] != nil && hook[1] != nil {
		out = append(out, move{parts, [][]uint8{rest[0], l.joined(d, j, hook[0], hook[1]), rest[1]}})
	}
	return out
}

// cut cuts a template at so many points of its line before an end: the piece at the end, and the rest.
func (l *line) cut(t []uint8, e end, back int) (piece, rest []uint8) {
	piece, rest = make([]uint8, len(t)), make([]uint8, len(t))
	for i, v := range t {
		switch {
		case v == 0:
		case l.from(e, l.at[i]) <= back:
			piece[i] = v
		default:
			rest[i] = v
		}
	}
	return piece, rest
}

// blank reports whether a template has no entry above 1/2.
func (l *Learner) blank(t []uint8) bool { return int(slices.Max(t)) < l.levels.covers }

// joined returns a template of two pieces of the parts of a junction: as they lie in its image, with a link between the
// two ends.
func (l *Learner) joined(d *drawing, j junction, first, second []uint8) []uint8 {
	out := make([]uint8, len(first))
	picks := d.state.picks[j.image]
	var ends [2]point
	for n, t := range [2][]uint8{first, second} {
		p := picks[pickOf(picks, j.parts[n])]
		place := l.placing(p)
		ends[n] = place.to(d.lines[j.parts[n]].tip(j.ends[n]))
		by := l.ground.shift(p.dy, p.dx)
		for _, c := range l.ground.turns[p.turn].cells {
			if at, ok := l.ground.entryAt(int(c.at) + by); ok {
				out[at] = max(out[at], t[c.entry])
			}
		}
	}
	l.link(out, ends)
	return out
}

// entryAt returns the entry of an unmoved frame that lies at a pixel of the ground.
func (g *ground) entryAt(pixel int) (int, bool) {
	y, x := pixel/g.stride-g.top, pixel%g.stride-g.left
	return y*g.width + x, y >= 0 && x >= 0 && y < g.height && x < g.width
}

// link draws a line between two places.
func (l *Learner) link(t []uint8, ends [2]point) {
	level, h, w := l.levels.nearest(linkLevel), l.ground.height, l.ground.width
	radius := max(1, int(linkRadius*l.scale()+0.5))
	steps := int(ends[1].minus(ends[0]).length()) + 1
	for s := range steps + 1 {
		f := float64(s) / float64(steps)
		y := int(ends[0].y + float64(f*(ends[1].y-ends[0].y)) + 0.5)
		x := int(ends[0].x + float64(f*(ends[1].x-ends[0].x)) + 0.5)
		disc(radius, func(dy, dx int) {
			if y+dy >= 0 && x+dx >= 0 && y+dy < h && x+dx < w {
				at := (y+dy)*w + x + dx
				t[at] = max(t[at], level)
			}
		})
	}
}
