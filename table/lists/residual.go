package lists

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/candidates"
	"example.com/patchwork/table/described"
)

// residual is a table as a model leaves it: the ones that no vote of the best set of their row
// covers, and of each column how many cells are not covered. Candidates for parts are sets of
// columns that come together there, by a gain that has the background refitted, which holds a
// part in it as long as there is no such part.
type residual struct {
	*candidates.Background
	*state
	l       *learner
	known   *described.Model
	rng     *rand.Rand
	rows    *bitmap.Lists // the ones that are not covered
	holders *bitmap.Lists // of each column, the rows
	random  float64       // by how much gains are changed at random
	anchors int           // rows of a column that are looked at

	count []float64 // scratch by column, and by part, and by row; all 0 between uses
	logs  []float64 // by column: of the rows that count counts, the logarithms of their times
	gaps  []float64 // by column: of those rows, those in which it is unknown
	parts []float64
	score []float64
	hits  []float64
	seen  []int32 // scratch by row: the last column in which it was met
	stamp int32

	fewest, most float64 // times of any row, and 1
}

// newResidual returns what a model leaves unexplained.
func (l *learner) newResidual(s *state, rng *rand.Rand) *residual {
	n, width := l.t.Len(), len(s.Q)
	u := &residual{state: s, l: l, rng: rng, anchors: candidates.AnchorRows, known: s.described(n, s.counts.active),
		rows: bitmap.NewLists(width), count: make([]float64, width), parts: make([]float64, len(s.Parts)),
		logs: make([]float64, width), gaps: make([]float64, width), score: make([]float64, n), hits: make([]float64, n),
		seen: make([]int32, n), fewest: 1, most: 1}
	cells, covered, all := make([]float64, width), make([]int32, width), 0.0
	for _, v := range s.times {
		all += v
		u.fewest, u.most = min(u.fewest, v), max(u.most, v)
	}
	for d := range cells {
		cells[d] = all
	}
	u.rows.Columns = make([]int32, 0, len(l.t.Columns)-s.coveredOnes())
	for r := range n {
		for _, d := range l.unknownIn(r) {
			covered[d] = int32(r + 1)
			cells[d] -= s.times[r]
		}
		for _, k := range s.set(r) {
			for _, d := range s.Parts[k].Columns {
				if covered[d] != int32(r+1) {
					covered[d] = int32(r + 1)
					cells[d] -= s.times[r]
				}
			}
		}
		for _, d := range l.t.Row(r) {
			if covered[d] != int32(r+1) {
				u.rows.Columns = append(u.rows.Columns, d)
			}
		}
		u.rows.Start = append(u.rows.Start, len(u.rows.Columns))
	}
	u.holders = u.rows.Turned()
	on := make([]float64, width)
	for d := range on {
		on[d] = float64(len(u.holders.Row(d)))
	}
	u.Background = &candidates.Background{On: on, Cells: cells, Q: s.mean, Least: minQ}
	u.Settle(l.number)
	return u
}

// coveredOnes returns about how many ones votes explain, not more than they do.
func (s *state) coveredOnes() int {
	sum := 0.0
	for _, v := range s.right {
		sum += v
	}
	return int(max(0, 0.9*sum))
}

// find is a candidate.
type find struct {
	columns []int32
	q       []float64 // the background of each beside it
	share   float64
	s       float64
	gain    float64 // nats by which the description gets shorter
}

// candidates returns candidates, the best first, that do not overlap much.
func (u *residual) candidates() ([]*find, error) {
	taken := make([]bool, len(u.Q))
	var all []*find
	for i, d := range u.rng.Perm(len(u.Q)) {
		if i%64 == 0 && u.l.ctx.Err() != nil {
			return nil, u.l.ctx.Err()
		}
		if taken[d] || u.On[d] < candidates.LeastRows || u.l.failed(int32(d), u.On[d]) {
			continue
		}
		f := u.from(int32(d))
		if f == nil {
			u.l.fail(int32(d), u.On[d])
			continue
		}
		if u.random > 0 {
			f.gain *= elem.Exp(float64(u.random * elem.Normal(u.rng)))
		}
		all = append(all, f)
		for _, d := range f.columns {
			taken[d] = true
		}
	}
	slices.SortStableFunc(all, func(a, b *find) int { return cmp.Compare(b.gain, a.gain) })
	return u.apart(all), nil
}

// apart returns those candidates that do not share much with one before them.
func (u *residual) apart(all []*find) (batch []*find) {
	of := make([][]int32, len(u.Q)) // by column: the candidates that have it
	for _, f := range all {
		common := map[int32]int{}
		most := false
		for _, d := range f.columns {
			for _, i := range of[d] {
				common[i]++
				most = most || float64(common[i]) > candidates.MostOverlap*float64(min(len(f.columns), len(batch[i].columns)))
			}
		}
		if most {
			continue
		}
		for _, d := range f.columns {
			of[d] = append(of[d], int32(len(batch)))
		}
		batch = append(batch, f)
	}
	return batch
}

// from returns the best candidate that begins with column d and one that comes with it; nil if
// there is none.
func (u *residual) from(d int32) (best *find) {
	tries, failures := candidates.Tries(len(u.Q))
	pairs := u.with(d)
	for _, p := range pairs[:min(len(pairs), tries)] {
		if best != nil {
			if _, has := slices.BinarySearch(best.columns, p.Column); has {
				continue
			}
		}
		if f := u.refine(u.both(d, p.Column)); f != nil && (best == nil || f.gain > best.gain) {
			best = f
		} else if failures--; failures == 0 {
			break
		}
	}
	return best
}

// with returns the columns that come with column d, the surest first.
func (u *residual) with(d int32) []candidates.Pair {
	holders := u.holders.Row(int(d))
	n := min(len(holders), u.anchors)
	var among []int32
	times := 0.0
	for i := range n { // one of each of n pieces
		from, to := len(holders)*i/n, len(holders)*(i+1)/n
		r := holders[from+u.rng.IntN(to-from)]
		times += u.times[r]
		for _, e := range u.rows.Row(int(r)) {
			if u.count[e] == 0 {
				among = append(among, e)
			}
			u.count[e]++
		}
	}
	return u.Pairs(d, among, u.count, float64(n), times)
}

// both returns the rows that have two columns.
func (u *residual) both(d, e int32) (out []int32) {
	a, b := u.holders.Row(int(d)), u.holders.Row(int(e))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return out
}

// refine turns between the columns that rows have in common, and the rows that have these; nil
// if the description does not get shorter by it.
func (u *residual) refine(active []int32) *find {
	f := &find{s: candidates.FirstStrength}
	var before []int32
	for range candidates.RefineRounds {
		if len(active) < 2 || slices.Equal(active, before) {
			break
		}
		before = active
		if u.vote(f, active); len(f.columns) == 0 {
			return nil
		}
		active = u.activeIn(f)
	}
	if len(f.columns) < 2 || len(active) == 0 {
		return nil
	}
	u.vote(f, active)
	u.settle(f)
	p := described.Part{On: f.columns, Active: f.share * u.known.Rows}
	p.Strength[0] = make([]float64, len(f.columns))
	if f.gain -= u.known.Price(&p); f.gain <= 0 || len(f.columns) < 2 {
		return nil
	}
	return f
}

// tally counts in scratch the ones of each column that rows have, which among returns, and the
// rows that each part is active in.
func (u *residual) tally(active []int32) (among, parts []int32, times float64) {
	for _, r := range active {
		times += u.times[r]
		logTimes := elem.Log(u.times[r])
		for _, d := range u.rows.Row(int(r)) {
			if u.count[d] == 0 {
				among = append(among, d)
			}
			u.count[d]++
			u.logs[d] += logTimes
		}
		for _, d := range u.l.unknownIn(int(r)) {
			u.gaps[d]++
		}
		for _, k := range u.set(int(r)) {
			if u.parts[k] == 0 {
				parts = append(parts, k)
			}
			u.parts[k]++
		}
	}
	slices.Sort(among)
	return among, parts, times / float64(max(len(active), 1))
}

// clear makes scratch 0 that tally filled.
func (u *residual) clear(active, among, parts []int32) {
	for _, r := range active {
		for _, d := range u.l.unknownIn(int(r)) {
			u.gaps[d] = 0
		}
	}
	for _, d := range among {
		u.count[d], u.logs[d] = 0, 0
	}
	for _, k := range parts {
		u.parts[k] = 0
	}
}

// shown returns in how many of the rows that were tallied no vote covers column d.
func (u *residual) shown(d int32, rows int) float64 {
	hidden := u.gaps[d]
	for _, v := range u.votersOn(d) {
		hidden += u.parts[v.part]
	}
	return max(float64(rows)-hidden, u.count[d])
}

// vote sets the columns of a candidate that is active in some rows, and its strength.
func (u *residual) vote(f *find, active []int32) {
	among, parts, times := u.tally(active)
	f.share = (float64(len(active)) + 0.5) / (u.known.Rows + 1)
	least := joint.OneVoteMore(len(u.Q), max(len(f.columns), 1)) + math.Ln2
	f.columns, f.q, f.gain = f.columns[:0], f.q[:0], 0
	right, of := 0.0, 0.0
	for _, d := range among {
		c, cells := u.count[d], u.shown(d, len(active))
		if c < candidates.LeastHeld*f.s*cells {
			continue
		}
		if q, gain := u.gain(d, c, cells, times, f.s); gain > least && q < f.s {
			f.columns, f.q = append(f.columns, d), append(f.q, q)
			right, of = right+c, of+cells
			f.gain += u.At(d, q) - u.Now(d)
		}
	}
	f.s = min((right+0.5)/(of+1), strongest)
	u.clear(active, among, parts)
}

// gain returns what a vote on column d gains that says s of some cells, c of which are on, and the
// background of the others; in rows where that is on so many times as often as in all.
func (u *residual) gain(d int32, c, cells, times, s float64) (q, gain float64) {
	q, outside := u.Beside(d, u.On[d]-c, u.Cells[d]-float64(cells*times))
	return q, candidates.Binomial(c, cells, s) + outside - u.Now(d) - u.logs[d]
}

// summed is what is summed up of the rows that a candidate may be active in.
type summed struct {
	alone float64 // what no one says of it
	off   float64 // by how much a row that says yes more often is likelier beside no vote
	met   []int32 // the rows with anything to say
}

// meet adds what row r says.
func (u *residual) meet(m *summed, r int32, v float64) {
	if u.score[r] == 0 {
		m.met = append(m.met, r)
	}
	u.score[r] += v
}

// says returns what a one of column j of a candidate says, and what a cell does that is off.
func (f *find) says(j int) (yes, no float64) {
	no = elem.Log1p(-f.s) - elem.Log1p(-f.q[j])
	return elem.Log(f.s/f.q[j]) - no, no
}

// begin returns sums before any row is met.
func (u *residual) begin(f *find) (m summed) {
	m.alone = elem.Log(f.share) - elem.Log1p(-f.share)
	for j, q := range f.q {
		_, no := f.says(j)
		m.alone, m.off = m.alone+no, m.off-elem.Log1p(-q)
	}
	return m
}

// hide adds what rows do not say of column j, where it is unknown or covered; but of rows that were not met, unless all
// are asked for.
func (u *residual) hide(m *summed, f *find, j int, all bool) {
	_, no := f.says(j)
	u.stamp++
	hide := func(rows []int32) {
		for _, r := range rows {
			if u.seen[r] != u.stamp && (all || u.score[r] != 0) {
				u.seen[r] = u.stamp
				u.meet(m, r, -no)
			}
		}
	}
	if gaps := u.l.gaps; gaps != nil {
		hide(gaps.Row(int(f.columns[j])))
	}
	for _, v := range u.votersOn(f.columns[j]) {
		hide(u.of().Row(int(v.part)))
	}
}

// take returns the log odds of a candidate in row r, and forgets what was summed up.
func (u *residual) take(m *summed, r int32) float64 {
	s := m.alone + u.score[r]
	if times := u.times[r]; times != 1 { // as often as the level says is a column on, or off
		s += float64((times-1)*m.off) - float64(u.hits[r]*elem.Log(times))
	}
	u.score[r], u.hits[r] = 0, 0
	return s
}

// activeIn returns the rows that a candidate is active in. Columns whose ones say most come first: rows with ones of
// the others alone are not looked at, as soon as these can say too little.
func (u *residual) activeIn(f *find) (active []int32) {
	m, order, left := u.begin(f), make([]int, len(f.columns)), 0.0
	most := make([]float64, len(f.columns))
	for j := range order {
		order[j] = j
		yes, _ := f.says(j)
		most[j] = yes - elem.Log(u.fewest)
		left += most[j]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(most[b], most[a]) })
	least := -m.alone - float64((u.most-1)*m.off) - enoughSaid
	for _, j := range order {
		yes, _ := f.says(j)
		holders, all := u.holders.Row(int(f.columns[j])), left > least
		if left -= most[j]; all || len(holders) < manyMore*len(m.met) {
			for _, r := range holders {
				if all || u.score[r] != 0 {
					u.meet(&m, r, yes)
					u.hits[r]++
				}
			}
		} else {
			for _, r := range m.met {
				if _, has := slices.BinarySearch(u.rows.Row(int(r)), f.columns[j]); has {
					u.score[r] += yes
					u.hits[r]++
				}
			}
		}
		u.hide(&m, f, j, all)
	}
	for _, r := range m.met {
		if u.take(&m, r) > 0 {
			active = append(active, r)
		}
	}
	slices.Sort(active)
	return active
}

const (
	enoughSaid = 1e-6 // nats that sums in another order may differ by
	manyMore   = 8    // times as many rows of a column than rows that were met: these are looked up
)

// settle adds to the gain of a candidate what all rows gain.
func (u *residual) settle(f *find) {
	m := u.begin(f)
	for j, d := range f.columns {
		yes, _ := f.says(j)
		for _, r := range u.holders.Row(int(d)) {
			u.meet(&m, r, yes)
			u.hits[r]++
		}
		u.hide(&m, f, j, true)
	}
	for _, r := range m.met {
		f.gain += soft(u.take(&m, r))
	}
	f.gain += float64((u.known.Rows-float64(len(m.met)))*soft(m.alone)) + float64(u.known.Rows*elem.Log1p(-f.share))
}
