package real

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/wire"
	"example.com/patchwork/pose"
)

// thresholds are how far from the background values are that a candidate votes for, in its standard
// deviations: the next is tried only if nothing pays.
var thresholds = []float64{1.5, 1, .6}

const (
	candidates = 12      // for each threshold
	localSteps = 6       // of EM for a candidate alone
	mostCells  = 1 << 21 // pixels that candidates are tried on
)

// ground is a row as the model explains it.
type ground struct {
	z       []float64
	known   []bool
	cells   []cell
	numbers []int64 // the values
}

// grower tries new experts on data that a model explains.
type grower struct {
	*bank
	data    *Data
	terms   *terms
	grounds []ground
	weights []float64 // how badly each row is explained
	share   float64   // of the rows that are grounds
}

// newGrower returns a grower for what an E-step found. If the data are large, it takes rows at even distances.
func newGrower(data *Data, e *explained, o *terms) *grower {
	g := &grower{bank: e.bank, data: data, terms: o}
	f := newField(e.bank)
	step := max(1, (len(data.Rows)*len(f.z)+mostCells-1)/mostCells)
	var logLiks []float64
	for i := 0; i < len(data.Rows); i += step {
		f.load(data.Rows[i])
		for _, c := range e.picks[i] {
			f.add(c, false)
		}
		logLiks = append(logLiks, -f.logLik())
		for d := range f.cells { // new experts are tried without Soft
			c := &f.cells[d]
			c.now = together(c.up, c.gainUp, c.down, c.gainDown)
		}
		numbers := make([]int64, len(f.z))
		for d, x := range data.Rows[i] {
			numbers[d] = data.Scales[d].number(x)
		}
		g.grounds = append(g.grounds, ground{slices.Clone(f.z), slices.Clone(f.known), slices.Clone(f.cells), numbers})
	}
	usual := float64(.3 * median(slices.Clone(logLiks)))
	for _, l := range logLiks {
		g.weights = append(g.weights, max(0, l-usual))
	}
	g.share = float64(len(g.grounds)) / float64(len(data.Rows))
	return g
}

// grow returns the expert that shortens the description most, among those that begin from some badly
// explained rows, and how often it is active; without entries if none pays.
func (g *grower) grow(ctx context.Context, rng *rand.Rand, workers int, memory Memory) (grown, error) {
	for _, threshold := range thresholds {
		var begun [candidates][]Entry
		for i := range begun {
			begun[i] = g.begin(rng, threshold, i%2 == 1 && !g.m.Moves())
		}
		name := func() string {
			return key(g.m, "grow", g.terms.lambda, g.terms.heat, g.terms.perUse, begun)
		}
		found, err := recall.Or(memory, step, name, func(c *wire.Codec, found *grown) { found.code(c, g.m.F()) },
			func() (*grown, error) { return g.compete(ctx, begun, workers) })
		if err != nil {
			return grown{}, err
		}
		if found.entries != nil {
			return *found, nil
		}
	}
	return grown{}, nil
}

// compete returns the candidate that shortens the description most; without entries if none does.
func (g *grower) compete(ctx context.Context, begun [candidates][]Entry, workers int) (*grown, error) {
	var gains, pis [candidates]float64
	_, err := pool.Run(ctx, candidates, workers, 1, func(_, i int) error {
		begun[i], pis[i], gains[i] = g.local(slices.Clone(begun[i]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	best := 0
	for i := range gains {
		if g.score(gains[i], pis[i]) > g.score(gains[best], pis[best]) {
			best = i
		}
	}
	if gains[best] > 0 {
		return &grown{begun[best], pis[best]}, nil
	}
	return &grown{}, nil
}

// score returns what candidates that shorten the description are compared by: gain, or gain times gain per use. Two
// parts in one, such as a cross of
// two bars, gain as much as one of them does, half of it in each of twice as many rows.
func (g *grower) score(gain, pi float64) float64 {
	if gain <= 0 || !g.terms.perUse {
		return gain
	}
	return gain * gain / pi
}

// begin returns a candidate: the deviations of a badly explained row, or those that it shares with another.
func (g *grower) begin(rng *rand.Rand, threshold float64, shared bool) []Entry {
	i := max(0, draw.ByWeight(rng, g.weights))
	one := g.deviations(i, threshold)
	other := one
	if shared {
		overlap := make([]float64, len(g.grounds))
		for j := range overlap {
			if j != i {
				n := float64(g.overlap(one, j, threshold))
				overlap[j] = n * n
			}
		}
		if j := draw.ByWeight(rng, overlap); j >= 0 {
			other = g.deviations(j, threshold)
		}
	}
	e := make([]Entry, g.m.F())
	for f := range e {
		d, ok := g.below(f)
		if ok && one[d]*other[d] > 0 {
			b := g.m.Background[d]
			e[f] = Entry{MeanOnly, Normal{b.Mean + (one[d]+other[d])/2/g.inverse[d], b.Var}}
		}
	}
	return e
}

// below returns the pixel of the image that lies under frame pixel f of an expert that is not moved.
func (g *grower) below(f int) (d int, ok bool) {
	_, w := g.m.Frame()
	p := g.poses[0]
	if at, ok := g.m.Poses.Identity(); ok {
		p = g.poses[at]
	}
	return g.pixel(f/w, f%w, p)
}

// deviations returns what of a row is unusual, in standard deviations of the background, and 0 where it is not, or
// where somebody says so already.
func (g *grower) deviations(i int, threshold float64) []float64 {
	out := make([]float64, len(g.m.Background))
	for d := range out {
		out[d] = g.deviation(i, d, threshold)
	}
	return out
}

// deviation is deviations for one pixel.
func (g *grower) deviation(i, d int, threshold float64) float64 {
	r := &g.grounds[i]
	z, c := r.z[d], &r.cells[d]
	if !r.known[d] || math.Abs(z) <= threshold || g.m.Rule == Max && z < 0 {
		return 0
	}
	if z > 0 && c.up > 0 && c.now > 0 || z < 0 && c.down > 0 && c.now > 0 {
		return 0 // it is explained
	}
	return z
}

// overlap returns on how many pixels a row deviates to the same side as one does.
func (g *grower) overlap(one []float64, j int, threshold float64) int {
	n := 0
	for d, z := range one {
		if z != 0 && z*g.deviation(j, d, threshold) > 0 {
			n++
		}
	}
	return n
}

// local takes some steps of EM for a candidate, all others being as they are, and returns it with how often it is
// active, and the nats by which it shortens the description, but for what it costs to say that it is not active where
// it is not: so
// experts that the data hardly pay for get their chance.
func (g *grower) local(e []Entry) (_ []Entry, pi, gain float64) {
	price := 0.0
	for range localSteps {
		sprites := g.turned(e)
		if sprites[0].entries == nil {
			return e, 0, 0
		}
		sums := make([]Sums, len(e))
		active := 0
		for i := range g.grounds {
			pose, most := g.best(sprites, i, price)
			if most > price {
				active++
				g.count(sums, sprites, i, pose)
			}
		}
		n := float64(len(g.grounds))
		pi = (float64(active) + .5) / (n + 1)
		price = max(0, elem.Log((1-pi)/pi)) + elem.Log(float64(len(g.poses)))
		votes := 0
		for f := range e {
			d := g.m.home(f)
			n, mean, squares := sums[f].moments(g.data.Scales[d])
			e[f] = g.terms.vote(g.m, d, n, mean, squares)
			votes += int(e[f].Vote)
		}
		gain = -g.terms.lambda * float64(votes)
	}
	sprites := g.turned(e)
	for i := range g.grounds {
		_, most := g.best(sprites, i, price)
		gain += max(0, most-price) / g.share
	}
	return e, pi, gain
}

// turned returns the sprites of a candidate, one for each rotation.
func (g *grower) turned(e []Entry) []sprite {
	h, w := g.m.Frame()
	var out []sprite
	for r := range g.m.Poses.Rotations() {
		out = append(out, g.sprite(e, g.turn(h, w, r)))
	}
	return out
}

// best returns the pose at which a candidate gains most in a row, and how much; least where that is not more.
func (g *grower) best(sprites []sprite, i int, least float64) (at int, most float64) {
	r := &g.grounds[i]
	most = least
	for c := range g.poses {
		sp, p := &sprites[c/g.shifts], g.poses[c]
		if g.bound(sp, p, r) <= most { // most candidates are of no use in most rows
			continue
		}
		sum := 0.0
		for j := range sp.entries {
			e := &sp.entries[j]
			if d, ok := g.pixel(int(e.y), int(e.x), p); ok && r.known[d] {
				sum += r.cells[d].with(r.z[d], e) - r.cells[d].now
			}
		}
		if sum > most {
			at, most = c, sum
		}
	}
	return at, most
}

// bound returns what a candidate at a pose gains at most in a row: two opposite speakers say together no more than one
// of them alone. Each term, and so each sum, is at least that of best, rounding included.
func (g *grower) bound(sp *sprite, p pose.Pose, r *ground) float64 {
	sum := 0.0
	for j := range sp.entries {
		e := &sp.entries[j]
		d, ok := g.pixel(int(e.y), int(e.x), p)
		if !ok || !r.known[d] {
			continue
		}
		c := &r.cells[d]
		own, other, gain := c.up, c.down, c.gainDown
		if e.s < 0 {
			own, other, gain = c.down, c.up, c.gainUp
		}
		if math.Abs(e.s) <= own {
			continue
		}
		most := e.gain(r.z[d])
		if other > 0 {
			most = max(most, gain)
		}
		sum += most - c.now
	}
	return sum
}

// count adds the values of a row that a candidate at a pose would win, or abstains from with all others.
func (g *grower) count(sums []Sums, sprites []sprite, i, at int) {
	r := &g.grounds[i]
	sp, p := &sprites[at/g.shifts], g.poses[at]
	y0, y1, x0, x1 := g.inside(sp, p)
	for y := y0; y < y1; y++ {
		from := (y+sp.top+p.DY)*g.m.Width + sp.left + p.DX
		for x := x0; x < x1; x++ {
			j, d := y*sp.w+x, from+x
			if sp.frame[j] < 0 || !r.known[d] {
				continue
			}
			c := &r.cells[d]
			won := c.up == 0 && c.down == 0
			if sp.index[j] >= 0 {
				s := sp.entries[sp.index[j]].s
				won = s > c.up && s >= c.down || -s > c.down && -s > c.up
			}
			if won {
				sums[sp.frame[j]].add(r.numbers[d], Unit)
			}
		}
	}
}
