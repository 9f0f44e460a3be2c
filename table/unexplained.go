package table

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/candidates"
	"example.com/patchwork/table/described"
)

// unexplained is a table as a model leaves it: the ones that no vote of the best explanation
// of their row covers, and of each column how many cells are not covered. Candidates for parts
// are sets of columns that come together there, by a gain that has the background refitted,
// which holds a part in it as long as there is no such part. Where parts may vote for off, there
// are twice as many columns: those beyond the width are the same, on where these are off.
type unexplained struct {
	known   *described.Model
	rng     *rand.Rand
	weight  []float64
	random  float64   // by how much gains are changed at random
	anchors int       // rows of a column that are looked at
	told    bool      // whether candidates count that do not pay: so many parts there are
	ones    []plane   // by row: on, and not covered
	hidden  []plane   // by row: covered, or unknown
	lists   [][]int32 // by row: the columns of ones
	holders [][]int32 // by column: the rows of ones, in random order
	total   float64   // weight of all rows

	candidates.Background // of the weights of ones, and of cells that are not hidden
}

// newUnexplained returns what a model, nil for the background q alone, leaves unexplained.
func (l *learner) newUnexplained(ctx context.Context, m *patchwork.Model, q []float64, rng *rand.Rand) (*unexplained,
	error) {
	total := rows.Total(l.data)
	u := &unexplained{rng: rng, total: float64(total), anchors: candidates.AnchorRows}
	u.told = l.opt.Experts > 0
	u.known = &described.Model{Rule: jointRule(l.cfg.Rule), Width: len(q), Rows: float64(total),
		Number: l.numberLength(), Q: q}
	sets := make([][]int16, len(l.data.Images))
	var planes []plane
	if m != nil {
		q = rows.Background(m)
		u.known = l.describe(m)
		var err error
		if sets, err = l.setsOf(ctx, m); err != nil {
			return nil, err
		}
		for _, t := range m.Templates() {
			p, votes := partOf(u.known, t, 0), newPlane(len(q))
			for _, i := range slices.Concat(p.On, p.Off) {
				votes.add(int(i))
			}
			planes = append(planes, votes)
		}
	}
	u.Background = candidates.Background{Q: slices.Clone(q), Least: minQ, Few: total <= fewAnchors}
	if u.known.Rule.TwoSided() && !l.presences {
		u.Columns = len(q)
		for _, v := range q {
			u.Q = append(u.Q, 1-v)
		}
	}
	u.holders, u.On, u.Cells = make([][]int32, len(u.Q)), make([]float64, len(u.Q)), make([]float64, len(u.Q))
	u.ones, u.hidden, u.lists = make([]plane, len(sets)), make([]plane, len(sets)), make([][]int32, len(sets))
	for i := range u.Cells {
		u.Cells[i] = u.total
	}
	covered := newPlane(len(q))
	var x []uint8
	for r, set := range sets {
		clear(covered)
		for _, k := range set {
			for i, v := range planes[k] {
				covered[i] |= v
			}
		}
		x = l.data.Images[r].AppendValues(x[:0])
		u.add(r, x, covered, l.data.Times(r))
	}
	for _, r := range rng.Perm(len(sets)) {
		for _, i := range u.lists[r] {
			u.holders[i] = append(u.holders[i], int32(r))
		}
	}
	u.Settle(u.known.Number)
	return u, nil
}

// fewAnchors is up to how many rows any columns may be looked at together.
const fewAnchors = 100

// add adds a row of so much weight.
func (u *unexplained) add(r int, x []uint8, covered plane, weight float64) {
	u.weight = append(u.weight, weight)
	u.ones[r], u.hidden[r] = newPlane(len(u.Q)), newPlane(len(u.Q))
	for d := range u.Q {
		i, on := d, joint.On
		if d >= len(x) {
			i, on = d-len(x), joint.Off
		}
		switch {
		case x[i] == joint.Unknown || covered.has(i):
			u.hidden[r].add(d)
			u.Cells[d] -= weight
		case x[i] == on:
			u.ones[r].add(d)
			u.lists[r] = append(u.lists[r], int32(d))
			u.On[d] += weight
		}
	}
}

// find is a candidate: its columns, and what each row gains by it.
type find struct {
	columns   []int32
	b         []float64 // the background of each beside it
	share     float64
	s         float64
	gain      float64 // nats by which the description gets shorter
	columnsOf plane
}

// candidates returns candidates, the best first, that do not overlap much.
func (u *unexplained) candidates(ctx context.Context) ([]*find, error) {
	taken := make([]bool, len(u.Q))
	var all []*find
	counts, among := make([]float64, len(u.Q)), []int32(nil)
	for _, d := range u.rng.Perm(len(u.Q)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if taken[d] || u.On[d] < candidates.LeastRows {
			continue
		}
		if f := u.from(int32(d), counts, &among); f != nil {
			if u.random > 0 {
				f.gain *= elem.Exp(float64(u.random * elem.Normal(u.rng)))
			}
			all = append(all, f)
			for _, i := range f.columns {
				taken[i] = true
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *find) int { return cmp.Compare(b.gain, a.gain) })
	var batch []*find
	for _, f := range all {
		if !slices.ContainsFunc(batch, func(other *find) bool {
			common := 0
			for w := range f.columnsOf {
				common += bits.OnesCount64(f.columnsOf[w] & other.columnsOf[w])
			}
			return float64(common) > candidates.MostOverlap*float64(min(len(f.columns), len(other.columns)))
		}) {
			batch = append(batch, f)
		}
	}
	return batch, nil
}

// from returns the best candidate that begins with column d and one that comes with it; nil if
// there is none.
func (u *unexplained) from(d int32, counts []float64, among *[]int32) *find {
	holders := u.holders[d]
	holders = holders[:min(len(holders), u.anchors)]
	*among = (*among)[:0]
	n := 0.0
	for _, r := range holders {
		n += u.weight[r]
		for _, e := range u.lists[r] {
			if counts[e] == 0 {
				*among = append(*among, e)
			}
			counts[e] += u.weight[r]
		}
	}
	pairs := u.Pairs(d, *among, counts, n, n)
	tries, failures := candidates.Tries(len(u.Q))
	var best *find
	for _, p := range pairs[:min(len(pairs), tries)] {
		if best != nil && best.columnsOf.has(int(p.Column)) {
			continue
		}
		var both []int32
		for _, r := range u.holders[d] {
			if u.ones[r].has(int(p.Column)) {
				both = append(both, r)
			}
		}
		if f := u.refine(both); f != nil && (best == nil || f.gain > best.gain) {
			best = f
		} else if failures--; failures == 0 {
			break
		}
	}
	return best
}

// refine turns between the columns that rows have in common, and the rows that have these; nil
// if the description does not get shorter by it.
func (u *unexplained) refine(active []int32) *find {
	f := &find{s: candidates.FirstStrength}
	seen, on := make([]float64, len(u.Q)), make([]float64, len(u.Q))
	var before []int32
	for range candidates.RefineRounds {
		if u.rowsIn(active) < 2 || slices.Equal(active, before) {
			break
		}
		before = active
		if u.vote(f, active, seen, on); len(f.columns) == 0 {
			return nil
		}
		active = u.score(f)
	}
	if len(f.columns) < 2 || len(active) == 0 {
		return nil
	}
	u.vote(f, active, seen, on)
	u.score(f)
	p := u.part(f)
	if f.gain -= u.known.Price(&p); f.gain <= 0 && !u.told || len(f.columns) < 2 {
		return nil
	}
	return f
}

// part returns a candidate as its length sees it.
func (u *unexplained) part(f *find) described.Part {
	p := described.Part{Active: f.share * u.total}
	for _, d := range f.columns {
		if i := int(d) - u.known.Width; i >= 0 {
			p.Off, p.Strength[1] = append(p.Off, int32(i)), append(p.Strength[1], f.s)
		} else {
			p.On, p.Strength[0] = append(p.On, d), append(p.Strength[0], f.s)
		}
	}
	return p
}

// rowsIn returns how many rows these are, by weight.
func (u *unexplained) rowsIn(active []int32) float64 {
	n := 0.0
	for _, r := range active {
		n += u.weight[r]
	}
	return n
}

// vote sets the columns of a candidate that is active in some rows, and its strength.
func (u *unexplained) vote(f *find, active []int32, seen, on []float64) {
	n := u.rowsIn(active)
	clear(seen)
	clear(on)
	for _, r := range active {
		w := u.weight[r]
		u.hidden[r].each(func(i int) { seen[i] -= w })
		for _, i := range u.lists[r] {
			on[i] += w
		}
	}
	f.share = (n + 0.5) / (u.total + 1)
	size := max(len(f.columns), 1)
	least := joint.OneVoteMore(u.known.Width, size) + math.Ln2
	f.columns, f.b, f.columnsOf = f.columns[:0], f.b[:0], newPlane(len(u.Q))
	right, of := 0.0, 0.0
	logS, logNot := elem.Log(f.s), elem.Log1p(-f.s)
	f.gain = 0
	for i := range u.Q {
		c, cells := on[i], n+seen[i]
		if c < candidates.LeastHeld*f.s*cells || c < 1 {
			continue
		}
		b, outside := u.Beside(int32(i), u.On[i]-c, u.Cells[i]-cells)
		before := u.Now(int32(i))
		if gain := float64(c*logS) + float64((cells-c)*logNot) + outside - before; gain <= least || b >= f.s {
			continue
		}
		f.columns, f.b = append(f.columns, int32(i)), append(f.b, b)
		f.columnsOf.add(i)
		right, of = right+c, of+cells
		f.gain += u.At(int32(i), b) - before
	}
	f.s = min((right+0.5)/(of+1), 1-1e-6)
}

// score returns the rows that a candidate is active in, and adds to its gain what the rows gain.
func (u *unexplained) score(f *find) []int32 {
	all := elem.Log(f.share) - elem.Log1p(-f.share)
	yes, no := make([]float64, len(f.columns)), make([]float64, len(f.columns))
	for j, b := range f.b {
		yes[j] = elem.Log(f.s/b) - elem.Log1p(-f.s) + elem.Log1p(-b)
		no[j] = elem.Log1p(-f.s) - elem.Log1p(-b)
		all += no[j]
	}
	var active []int32
	for r, ones := range u.ones {
		s := all
		for j, i := range f.columns {
			if ones.has(int(i)) {
				s += yes[j]
			} else if u.hidden[r].has(int(i)) {
				s -= no[j]
			}
		}
		if s > 0 {
			active = append(active, int32(r))
			f.gain += float64(u.weight[r] * (s + elem.Log1p(elem.Exp(-s))))
		} else if s > -30 {
			f.gain += float64(u.weight[r] * elem.Log1p(elem.Exp(s)))
		}
	}
	f.gain += float64(u.total * elem.Log1p(-f.share))
	return active
}

// has reports whether a column is in the set.
func (p plane) has(i int) bool { return p[i/64]>>(i%64)&1 != 0 }

// each calls f for every column of the set.
func (p plane) each(f func(i int)) {
	for w, v := range p {
		for ; v != 0; v &= v - 1 {
			f(64*w + bits.TrailingZeros64(v))
		}
	}
}

// gathered returns the model, nil for none, with a batch of candidates as parts more, as many
// as there may be; the same model if there are none.
func (l *learner) gathered(ctx context.Context, m *patchwork.Model, rng *rand.Rand) (*patchwork.Model, error) {
	u, err := l.newUnexplained(ctx, m, l.marginals(), rng)
	if err != nil {
		return nil, err
	}
	if l.random {
		u.random, u.anchors = randomGain, randomAnchors+rng.IntN(max(int(u.total), 1))
	}
	batch, err := u.candidates(ctx)
	if err != nil || len(batch) == 0 {
		return m, err
	}
	return l.withFound(m, u, batch)
}

// withFound returns the model with candidates as parts more, and the background beside them.
func (l *learner) withFound(m *patchwork.Model, u *unexplained, batch []*find) (*patchwork.Model, error) {
	cfg, extras := l.cfg, patchwork.Extras{Record: patchwork.Record{Rows: rows.Total(l.data)}}
	width := u.known.Width
	cfg.QMap = slices.Clone(u.Q[:width])
	for _, f := range batch {
		for j, i := range f.columns {
			if u.Columns == 0 {
				cfg.QMap[i] = min(cfg.QMap[i], f.b[j])
			}
		}
	}
	var templates [][]float64
	if m != nil {
		was := m.Extras()
		extras.Usage, extras.Names, templates = slices.Clone(was.Usage), slices.Clone(was.Names), m.Templates()
		for _, t := range templates {
			for i, v := range t {
				if v == u.Q[i] {
					t[i] = cfg.QMap[i]
				}
			}
		}
	}
	for _, f := range batch[:min(len(batch), max(0, l.opt.MaxExperts-len(templates)))] {
		t := slices.Clone(cfg.QMap)
		for _, d := range f.columns {
			if i := int(d) - width; i >= 0 {
				t[i] = min(1-f.s, t[i])
			} else {
				t[d] = max(f.s, t[d])
			}
		}
		templates, extras.Usage = append(templates, t), append(extras.Usage, f.share)
		if extras.Names != nil {
			extras.Names = append(extras.Names, "")
		}
	}
	next, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		return nil, err
	}
	return next.WithExtras(extras)
}

const (
	mostBatches    = 12
	batchRounds    = 2    // iterations of soft EM after a batch
	batchCloseness = 1e-4 // of what the parts save: a batch that saves less is the last
	cleanTimes     = 4
	randomGain     = 0.5 // standard deviation of the logarithm by which gains are changed
	randomAnchors  = 20  // rows of a column that are looked at then, and up to as many more as there are
)

// gather adds parts by the batch, made of what those before leave unexplained, and deletes
// needless ones, as long as the description gets shorter by it.
func (l *learner) gather(ctx context.Context, attempt uint64) error {
	rng := rand.New(rand.NewPCG(l.opt.Seed, gatherStream+attempt))
	l.whole, l.random, l.presences = nil, attempt > 0, !l.m.Held && attempt%2 == 0
	defer func() { l.random, l.presences = false, false }()
	none := l.backgroundLength()
	var c tried
	for range mostBatches {
		next, err := l.oneBatch(ctx, c, rng)
		if err != nil {
			return err
		}
		if c.Model == nil {
			if c = next; c.Model == nil {
				return nil
			}
			continue
		}
		if next.DescriptionLength > c.DescriptionLength-float64(batchCloseness*(none-c.DescriptionLength)) {
			next, err = l.torn(ctx, c)
			if err != nil {
				return err
			}
			if next.Model == c.Model {
				break
			}
		}
		c = next
	}
	return l.improve(ctx, c.Model, StartFromGrow, math.Inf(1))
}

// oneBatch adds a batch of parts, and deletes needless ones.
func (l *learner) oneBatch(ctx context.Context, c tried, rng *rand.Rand) (tried, error) {
	m, err := l.gathered(ctx, c.Model, rng)
	if err != nil || m == c.Model {
		return c, err
	}
	next, _, err := l.considered(ctx, m, batchRounds, l.stepOf(StartFromGrow))
	if err == nil && l.opt.Experts == 0 {
		next, err = l.cleaned(ctx, next)
	}
	return next, err
}

const gatherStream = 1<<35 + 1

// gathers reports whether parts are gathered from what is unexplained, by the batch.
func (l *learner) gathers() bool {
	return l.opt.StartFrom != StartFromMixture
}

// cleaned deletes the experts that save less than they take, all at a time but those that share
// votes with one deleted, as long as the description gets shorter.
func (l *learner) cleaned(ctx context.Context, c tried) (tried, error) {
	for range cleanTimes {
		order, use, err := l.leastUseful(ctx, c.Model)
		if err != nil {
			return c, err
		}
		gone, votes := map[int]bool{}, newPlane(len(l.means))
		q := rows.Background(c.Model)
		for _, k := range order {
			if use[k] >= 0 {
				break
			}
			meets, own := false, newPlane(len(q))
			for i, v := range c.Model.Template(k) {
				if v != q[i] {
					own.add(i)
					meets = meets || votes.has(i)
				}
			}
			if meets {
				continue
			}
			gone[k] = true
			for w := range own {
				votes[w] |= own[w]
			}
		}
		if len(gone) == 0 || len(gone) == c.Model.K() {
			return c, nil
		}
		m := c.Model
		for k := m.K() - 1; k >= 0; k-- {
			if gone[k] {
				m = without(m, k)
			}
		}
		next, _, err := l.considered(ctx, m, 1, l.stepOf(c.StartFrom))
		if err != nil || !l.shorter(next, c) {
			return c, err
		}
		c = next
	}
	return c, nil
}
