package pairs

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

const (
	repairRounds = 6 // iterations of EM before a repair
	moveRounds   = 2 // after each move
	splitMargin  = 2 // pixels around a part that is looked at
	splitRounds  = 8 // of the two means
)

// loose is how images are explained while parts are repaired.
var loose = pace{free: true, sweeps: 1}

// repair estimates the flips, splits, deletes and joins parts as long as the
// description gets shorter, and again if it did. Where free flips lengthen the
// description and no move makes up for it, it begins with s as it is.
func (g *grower) repair(ctx context.Context, s *state, each func(*state)) (*state, error) {
	for range 2 {
		free := g.with(s, s.parts, s.uses)
		if err := g.explain(ctx, free, loose); err != nil {
			return nil, err
		}
		free, err := g.iterate(ctx, free, loose, repairRounds, math.Inf(1))
		if err != nil {
			return nil, err
		}
		next, err := g.move(ctx, free, each)
		if err != nil {
			return nil, err
		}
		if next.length >= s.length-1e-9 {
			if next, err = g.move(ctx, s, each); err != nil {
				return nil, err
			}
		}
		before := s.length
		if next.length < s.length {
			s = next
		}
		if s.length >= before-1e-9 || next == free {
			break
		}
	}
	return s, nil
}

// move splits, deletes and joins parts.
func (g *grower) move(ctx context.Context, s *state, each func(*state)) (*state, error) {
	for _, move := range []func(context.Context, *state) (*state, error){g.split, g.prune, g.unite} {
		next, err := move(ctx, s)
		if err != nil {
			return nil, err
		}
		s = next
		each(s)
	}
	return s, nil
}

// change puts other parts in the place of some.
type change struct {
	gone   []int
	parts  []*shape
	uses   []int
	rounds int // of EM afterwards
}

// attempt explains the images by the parts after a change, and returns the outcome if
// it shortens the description, else s.
func (g *grower) attempt(ctx context.Context, s *state, c change) (*state, error) {
	parts, uses := s.replaced(c)
	next := g.with(s, parts, uses)
	if err := g.explain(ctx, next, loose); err != nil {
		return nil, err
	}
	next, err := g.iterate(ctx, next, loose, c.rounds, s.length)
	if err != nil {
		return nil, err
	}
	if next.length < s.length-1e-9 {
		return next, nil
	}
	return s, nil
}

// replaced returns the parts after a change, and their uses.
func (s *state) replaced(c change) ([]*shape, []int) {
	var parts []*shape
	var uses []int
	for k := range s.parts {
		if !slices.Contains(c.gone, k) {
			parts, uses = append(parts, s.parts[k]), append(uses, s.uses[k])
		}
	}
	return append(parts, c.parts...), append(uses, c.uses...)
}

// repeat makes the first of some changes that shortens the description, and begins
// again, until none does.
func (g *grower) repeat(ctx context.Context, s *state, changes func(*state) iter.Seq[change]) (*state, error) {
	for again := true; again; {
		again = false
		for c := range changes(s) {
			next, err := g.attempt(ctx, s, c)
			if err != nil {
				return nil, err
			}
			if next != s {
				s, again = next, true
				break
			}
		}
	}
	return s, nil
}

// prune deletes parts that are not worth their description.
func (g *grower) prune(ctx context.Context, s *state) (*state, error) {
	return g.repeat(ctx, s, func(s *state) iter.Seq[change] {
		order := make([]int, len(s.parts))
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.gain[a], s.gain[b]) })
		return func(yield func(change) bool) {
			for _, k := range order {
				if !yield(change{gone: []int{k}}) {
					return
				}
			}
		}
	})
}

// split replaces parts that are two similar ones in one by both.
func (g *grower) split(ctx context.Context, s *state) (*state, error) {
	for k := 0; k < len(s.parts) && len(s.parts) < g.most; k++ {
		for axis := range 2 {
			two, uses := g.halves(s, k, axis)
			if two == nil {
				continue
			}
			next, err := g.attempt(ctx, s, change{[]int{k}, two, uses, moveRounds})
			if err != nil {
				return nil, err
			}
			if next != s {
				s = next
				k-- // another part has its number now
				break
			}
		}
	}
	return s, nil
}

// patch is what an image has where a part lies, pixel by pixel: 1 ink, 0 paper, -1
// not seen, and the margin around it.
type patch []int8

// patches returns the patches of the places of part k, in a frame around it.
func (g *grower) patches(s *state, k int) (frame, []patch) {
	part := s.parts[k]
	r := frame{fieldOf(part.height+2*splitMargin, part.width+2*splitMargin), splitMargin, splitMargin}
	var out []patch
	own := view{g.plane(), g.plane()}
	for i, spots := range s.spots {
		if !slices.ContainsFunc(spots, func(p spot) bool { return p.part == k }) {
			continue
		}
		covered := g.layersOf(s, i)
		for _, p := range spots {
			if p.part != k {
				continue
			}
			t := s.turns[k][p.turn]
			covered.without(g.field, g.images[i], t.shape, p.y, p.x, own)
			out = append(out, g.patchAt(r, t, own, p))
		}
	}
	return r, out
}

func (g *grower) patchAt(r frame, t turned, v view, p spot) patch {
	out := make(patch, r.height*r.width)
	var dy, dx []int32
	if t.angle != 0 {
		dy, dx = r.gather(t)
	}
	for i := range out {
		y, x := p.y+i/r.width-r.y, p.x+i%r.width-r.x
		if dy != nil {
			y, x = p.y+int(dy[i]), p.x+int(dx[i])
		}
		out[i] = -1
		if uint(y) < uint(g.height) && uint(x) < uint(g.width) && g.at(v.free, y, x) {
			out[i] = 0
			if g.at(v.ink, y, x) {
				out[i] = 1
			}
		}
	}
	return out
}

// halves cuts the places of part k in two along a principal axis of their patches,
// improves the cut by two means, and returns the two templates with their uses if
// they gain more than one template does, by the price of a part.
func (g *grower) halves(s *state, k, axis int) ([]*shape, []int) {
	r, all := g.patches(s, k)
	if len(all) < 4 {
		return nil, nil
	}
	p := pricesOf(s.flip, s.clutter)
	side := sides2(all, axis)
	for range splitRounds {
		first, second := weigh(all, side, 0, p), weigh(all, side, 1, p)
		changed := false
		for i, a := range all {
			to := uint8(0)
			if second.gain(a, p) > first.gain(a, p) {
				to = 1
			}
			changed = changed || to != side[i]
			side[i] = to
		}
		if !changed {
			break
		}
	}
	first, second, both := weigh(all, side, 0, p), weigh(all, side, 1, p), weigh(all, nil, 0, p)
	if first.uses < 2 || second.uses < 2 || float64(first.total+second.total-both.total) < partPrice*nat {
		return nil, nil
	}
	a, _, _ := r.trimmed(first.plane(r.field))
	b, _, _ := r.trimmed(second.plane(r.field))
	if a.n == 0 || b.n == 0 {
		return nil, nil
	}
	return []*shape{a, b}, []int{first.uses, second.uses}
}

// template is the pixels that pay in a set of patches.
type template struct {
	on    []bool
	uses  int
	total int64 // what they gain, in units, their price counted
}

// weigh returns the template of the patches on one side, of all if side is nil.
func weigh(all []patch, side []uint8, which uint8, p prices) template {
	t := template{on: make([]bool, len(all[0]))}
	on, off := make([]int64, len(t.on)), make([]int64, len(t.on))
	for i, a := range all {
		if side != nil && side[i] != which {
			continue
		}
		t.uses++
		for j, v := range a {
			switch v {
			case 1:
				on[j]++
			case 0:
				off[j]++
			}
		}
	}
	for j := range on {
		if v := on[j]*int64(p.ink) - off[j]*int64(p.paper) - pixelPrice*nat; v > 0 && on[j]+off[j] >= 2 {
			t.on[j] = true
			t.total += v
		}
	}
	return t
}

// gain returns what the template gains on a patch.
func (t *template) gain(a patch, p prices) (sum int64) {
	for j, on := range t.on {
		if on && a[j] == 1 {
			sum += int64(p.ink)
		} else if on && a[j] == 0 {
			sum -= int64(p.paper)
		}
	}
	return sum
}

func (t *template) plane(f field) plane {
	out := f.plane()
	for j, on := range t.on {
		if on {
			f.set(out, j/f.width, j%f.width)
		}
	}
	return out
}

// sides2 returns on which side of a principal axis, 0 the first and 1 the second,
// each patch lies.
func sides2(all []patch, axis int) []uint8 {
	rows := centred(all)
	var done []float64
	var score []float64
	for range axis + 1 {
		score = principal(rows, done)
		done = score
	}
	side := make([]uint8, len(all))
	for i, v := range score {
		if v > 0 {
			side[i] = 1
		}
	}
	return side
}

// centred returns the patches with the mean of each pixel taken off; what is not
// seen is 0.
func centred(all []patch) [][]float64 {
	rows := make([][]float64, len(all))
	for i := range rows {
		rows[i] = make([]float64, len(all[0]))
	}
	for j := range all[0] {
		sum, n := 0.0, 0.0
		for _, a := range all {
			if a[j] >= 0 {
				sum += float64(a[j])
				n++
			}
		}
		for i, a := range all {
			if a[j] >= 0 {
				rows[i][j] = float64(a[j]) - sum/n
			}
		}
	}
	return rows
}

// principal returns the scores of the rows on their first principal axis, after the
// axis with the scores done, if any, is taken out of the rows. It iterates powers of
// the products of rows from a fixed start.
func principal(rows [][]float64, done []float64) []float64 {
	n := len(rows)
	gram := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			sum := 0.0
			for d, v := range rows[i] {
				sum += float64(v * rows[j][d])
			}
			gram[i*n+j], gram[j*n+i] = sum, sum
		}
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = elem.Cos(float64(i*i+1)) + .1
	}
	norm := 0.0
	for _, d := range done {
		norm += float64(d * d)
	}
	next := make([]float64, n)
	for range 50 {
		if norm > 0 {
			dot := 0.0
			for i, d := range done {
				dot += float64(d * v[i])
			}
			for i, d := range done {
				v[i] -= float64(d * (dot / norm))
			}
		}
		length := 0.0
		for i := range n {
			sum := 0.0
			for j, w := range v {
				sum += float64(gram[i*n+j] * w)
			}
			next[i] = sum
			length += float64(sum * sum)
		}
		length = math.Sqrt(length)
		if length < 1e-12 {
			break
		}
		for i := range v {
			v[i] = next[i] / length
		}
	}
	return v
}

// unite makes one part of two that often lie together.
func (g *grower) unite(ctx context.Context, s *state) (*state, error) {
	return g.repeat(ctx, s, func(s *state) iter.Seq[change] {
		return func(yield func(change) bool) {
			for _, j := range g.joints(s) {
				both := g.joined(s, j)
				if both != nil && !yield(change{[]int{j.first, j.second}, []*shape{both}, []int{j.times}, moveRounds}) {
					return
				}
			}
		}
	})
}

// joint is two parts at an offset, in pixels of the unturned first part, and how
// often they lie so.
type joint struct{ first, second, turn, dy, dx, times int }

// joints lists the offsets at which two parts lie in half of the places of one of
// them or more, the most frequent first. The offset is taken where the first part is not turned.
func (g *grower) joints(s *state) []joint {
	times := map[joint]int{}
	bare := make([]int, len(s.parts)) // places at turn 0
	for _, spots := range s.spots {
		for i, p := range spots {
			if g.angles[p.turn] == 0 {
				bare[p.part]++
				for j, q := range spots {
					if i != j && p.part != q.part {
						times[joint{p.part, q.part, q.turn, q.y - p.y, q.x - p.x, 0}]++
					}
				}
			}
		}
	}
	var out []joint
	for j, n := range times {
		if n >= 2 && 2*n >= min(bare[j.first], s.uses[j.second]) {
			j.times = n
			out = append(out, j)
		}
	}
	slices.SortFunc(out, func(a, b joint) int {
		return cmp.Or(b.times-a.times, a.first-b.first, a.second-b.second, a.turn-b.turn, a.dy-b.dy, a.dx-b.dx)
	})
	return out
}

// joined returns the ink of both parts, or nil if it is larger than an image.
func (g *grower) joined(s *state, j joint) *shape {
	a, b := s.parts[j.first], s.turns[j.second][j.turn].shape
	y, x := min(0, j.dy), min(0, j.dx)
	height, width := max(a.height, j.dy+b.height)-y, max(a.width, j.dx+b.width)-x
	if height > g.height || width > g.width {
		return nil
	}
	f := fieldOf(height, width)
	p := f.plane()
	put := func(at int, bits uint64) { p[at] |= bits }
	f.stamp(a, -y, -x, put)
	f.stamp(b, j.dy-y, j.dx-x, put)
	out, _, _ := f.trimmed(p)
	return out
}
