package strokes

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// How many strokes a drawing has is not decided by the length of its description: two halves that slide past each
// other imitate one stroke that varies, for any price. A stroke is a smooth piece. So of somewhat too many parts those
// that continue each other smoothly are joined, and hooks beyond a corner are handed to the part that they continue,
// as long as the length falls, with a price on parts, on smooth junctions between them, and on corners within them.

const (
	// partPrice and bendPrice are in nats per image of geometrySide x geometrySide.
	partPrice, bendPrice = 28, 150

	tipsApart, tipsNear     = 9, 11  // pixels between the tips of a junction: the median, and in most images
	junctionBend, imageBend = 60, 75 // degrees: the mean, and in most images
	smoothBend, sharpBend   = 30, 60 // degrees from which a bend begins to cost, and costs all
	mostImages              = 0.6
	bothImages              = 0.5 // of those of the more frequent part, in which both must be
	mostJunctions           = 10
	cutTurn, cutLength      = 60, 8 // of corners at which a part may be cut in two
	linkLevel, linkRadius   = 0.7, 2
	joinRounds, mostJoins   = 5, 12
	leastLine               = 4 // points of a line whose ends are looked at
)

// junction is where two parts continue each other.
type junction struct {
	parts [2]int
	ends  [2]end
	bend  float64 // degrees, the mean over the images
	image int     // in which the parts lie as they mostly do
}

// smooth returns how much a bend counts as none, from 0 to 1.
func smooth(bend float64) float64 {
	return max(0, min(1, (sharpBend-bend)/(sharpBend-smoothBend)))
}

// drawing is a state with the lines of its parts and their junctions.
type drawing struct {
	state     *State
	lines     []*line
	junctions []junction // the straightest first; no end is in two
	cost      float64    // nats per image: the length, and the prices of parts and bends
}

// scale returns how long lengths are beside those of geometrySide.
func (l *Learner) scale() float64 {
	return math.Sqrt(float64(l.ground.height*l.ground.width)) / geometrySide
}

// drawingOf returns the lines and junctions of a state, and what it costs.
func (l *Learner) drawingOf(st *State) *drawing {
	d := &drawing{state: st}
	for _, t := range st.templates {
		d.lines = append(d.lines, lineOf(t, l.ground.height, l.ground.width, l.levels.covers, l.scale()))
	}
	d.junctions = l.junctions(d)
	bends := 0.0
	for _, j := range d.junctions {
		bends += smooth(j.bend)
	}
	for _, line := range d.lines {
		for _, c := range line.corners {
			bends += 1 - smooth(c.turn)
		}
	}
	d.cost = st.Length/float64(l.rows) + float64(l.scale()*(float64(partPrice*float64(len(st.templates)))+
		float64(bendPrice*bends)))
	return d
}

// junctions returns the junctions of the parts, the straightest first.
func (l *Learner) junctions(d *drawing) []junction {
	var all []junction
	for a := range d.lines {
		for b := range a {
			for e := range 4 {
				if j, ok := l.junctionOf(d, [2]int{b, a}, [2]end{end(e / 2), end(e % 2)}); ok {
					all = append(all, j)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b junction) int { return cmp.Compare(a.bend, b.bend) })
	taken := map[[2]int]bool{}
	return slices.DeleteFunc(all, func(j junction) bool {
		first, second := [2]int{j.parts[0], int(j.ends[0])}, [2]int{j.parts[1], int(j.ends[1])}
		if taken[first] || taken[second] {
			return true
		}
		taken[first], taken[second] = true, true
		return false
	})
}

// meeting is how two ends lie in an image.
type meeting struct {
	image       int
	apart, bend float64 // pixels, degrees
	weight      float64
	there       [2]point // the ends of the second part, in the frame of the first
}

// junctionOf returns the junction of two ends, if they continue each other in most images that have both parts.
func (l *Learner) junctionOf(d *drawing, parts [2]int, ends [2]end) (junction, bool) {
	j := junction{parts: parts, ends: ends}
	a, b := d.lines[parts[0]], d.lines[parts[1]]
	if len(a.points) < leastLine || len(b.points) < leastLine {
		return j, false
	}
	outA, okA := a.outward(ends[0])
	outB, okB := b.outward(ends[1])
	if !okA || !okB {
		return j, false
	}
	var all []meeting
	var used [2]float64
	both, near := 0.0, 0.0
	for i, picks := range d.state.picks {
		w := float64(l.data.Weight(i))
		at := [2]int{pickOf(picks, parts[0]), pickOf(picks, parts[1])}
		for n := range at {
			if at[n] >= 0 {
				used[n] += w
			}
		}
		if at[0] < 0 || at[1] < 0 || w == 0 {
			continue
		}
		p, q := l.placing(picks[at[0]]), l.placing(picks[at[1]])
		m := meeting{image: i, weight: w, apart: p.to(a.tip(ends[0])).minus(q.to(b.tip(ends[1]))).length(),
			bend:  bentBy(p.angle(outA), q.angle(outB)+math.Pi) * 180 / math.Pi,
			there: [2]point{p.back(q.to(b.tip(0))), p.back(q.to(b.tip(1)))}}
		all = append(all, m)
		both += w
		if m.apart <= tipsNear*l.scale() && math.Abs(m.bend) <= imageBend {
			near += w
		}
	}
	if both == 0 || both < bothImages*max(used[0], used[1]) || near < mostImages*both ||
		medianApart(all) > tipsApart*l.scale() {
		return j, false
	}
	j.bend, j.image = math.Abs(meanBend(all)), medoid(all)
	return j, j.bend <= junctionBend
}

// pickOf returns the index of the first pick of a part, or -1.
func pickOf(picks []pick, part int) int {
	return slices.IndexFunc(picks, func(p pick) bool { return p.expert == part })
}

// medianApart returns the median of how far ends are apart.
func medianApart(all []meeting) float64 {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b meeting) int { return cmp.Compare(a.apart, b.apart) })
	half := 0.0
	for _, m := range sorted {
		half += m.weight / 2
	}
	for _, m := range sorted {
		if half -= m.weight; half <= 0 {
			return m.apart
		}
	}
	return math.Inf(1)
}

// meanBend returns the circular mean of bends, in degrees.
func meanBend(all []meeting) float64 {
	y, x := 0.0, 0.0
	for _, m := range all {
		sin, cos := elem.Sincos(m.bend * math.Pi / 180)
		y, x = y+float64(m.weight*sin), x+float64(m.weight*cos)
	}
	return elem.Atan2(y, x) * 180 / math.Pi
}

// medoid returns the image in which the second part lies, beside the first, as near as possible to where it lies in the
// others.
func medoid(all []meeting) int {
	best, least := -1, math.Inf(1)
	for _, m := range all {
		sum := 0.0
		for _, o := range all {
			sum += float64(o.weight * (m.there[0].minus(o.there[0]).length() + m.there[1].minus(o.there[1]).length()))
		}
		if sum < least {
			best, least = m.image, sum
		}
	}
	return best
}

// placing moves points of an expert's frame to where a pick places them in the image.
type placing struct{ sin, cos, stretchY, stretchX, dy, dx, centreY, centreX float64 }

func (l *Learner) placing(p pick) placing {
	at := l.ground.grid.Turn(p.turn)
	out := placing{dy: float64(p.dy), dx: float64(p.dx), centreY: float64(l.ground.height-1) / 2,
		centreX: float64(l.ground.width-1) / 2}
	out.sin, out.cos = elem.Sincos(at.Angle * math.Pi / 180)
	out.stretchY, out.stretchX = at.Stretch.Factors()
	return out
}

func (g *placing) to(p point) point {
	y, x := g.stretchY*(p.y-g.centreY), g.stretchX*(p.x-g.centreX)
	return point{float64(g.sin*x) + float64(g.cos*y) + g.centreY + g.dy,
		float64(g.cos*x) - float64(g.sin*y) + g.centreX + g.dx}
}

func (g *placing) back(p point) point {
	y, x := p.y-g.centreY-g.dy, p.x-g.centreX-g.dx
	return point{(float64(g.cos*y)-float64(g.sin*x))/g.stretchY + g.centreY,
		(float64(g.sin*y)+float64(g.cos*x))/g.stretchX + g.centreX}
}

// angle returns the direction that one in the frame has in the image.
func (g *placing) angle(direction float64) float64 {
	sin, cos := elem.Sincos(direction)
	tip, root := g.to(point{sin, cos}), g.to(point{})
	return tip.minus(root).direction()
}

// Join joins parts that continue each other, hands hooks beyond corners to the parts that they continue, and cuts parts
// at corners, as long as that is cheaper: the length, a price on parts and one on bends. It calls each after every
// round of every trial, and reports whether anything changed. Parts must be of the size of the images. The error is
// the context's, and the state is then the best so far.
func (l *Learner) Join(ctx context.Context, st *State, each func(*State)) (changed bool, err error) {
	best := l.drawingOf(st)
	for range mostJoins {
		next, err := l.joinOnce(ctx, best, each)
		if err != nil || next == nil {
			return changed, err
		}
		best, changed = next, true
		*st = *best.state
	}
	return changed, nil
}

// joinOnce returns the cheapest drawing that one move leads to, or all moves that help and do not touch the same
// parts; nil where none is cheaper.
func (l *Learner) joinOnce(ctx context.Context, d *drawing, each func(*State)) (*drawing, error) {
	type success struct {
		move
		*drawing
	}
	var better []success
	for _, m := range l.moves(d) {
		tried, err := l.try(ctx, d, []move{m}, each)
		if err != nil {
			return nil, err
		}
		if tried.cost < d.cost {
			better = append(better, success{m, tried})
		}
	}
	if len(better) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(better, func(a, b success) int { return cmp.Compare(a.cost, b.cost) })
	var together []move
	for _, s := range better {
		if !slices.ContainsFunc(together, s.touches) {
			together = append(together, s.move)
		}
	}
	best := better[0].drawing
	if len(together) > 1 {
		tried, err := l.try(ctx, d, together, each)
		if err != nil {
			return nil, err
		}
		if tried.cost < best.cost {
			best = tried
		}
	}
	return best, nil
}

// try makes moves, explains the images afresh and learns some rounds; the cheapest drawing on the way.
func (l *Learner) try(ctx context.Context, d *drawing, moves []move, each func(*State)) (*drawing, error) {
	st := &State{picks: make([][]pick, len(d.state.picks))}
	for k, t := range d.state.templates {
		if !slices.ContainsFunc(moves, func(m move) bool { return slices.Contains(m.parts, k) }) {
			st.templates = append(st.templates, t)
		}
	}
	for _, m := range moves {
		st.templates = append(st.templates, m.becomes...)
	}
	st.straight = make([]bool, len(st.templates))
	if err := l.Explain(ctx, st, true); err != nil {
		return nil, err
	}
	best := l.drawingOf(st.Clone())
	err := l.Rounds(ctx, st, joinRounds, func(st *State) {
		if now := l.drawingOf(st.Clone()); now.cost < best.cost {
			best = now
		}
		each(st)
	})
	return best, err
}
