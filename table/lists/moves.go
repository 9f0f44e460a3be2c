package lists

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/matrix"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/candidates"
	"example.com/patchwork/table/described"
)

const (
	cleanTimes    = 4
	moreSure      = 1   // nats that a vote must gain to be added, beside what it takes
	tornRows      = 600 // of a part, that are looked at for halves
	tornShare     = 1.6 // by how much the largest variance must exceed that of independent bits
	halfEntry     = 0.4 // of the largest entry, from which a column is of the first half
	mergedShare   = 0.5 // of the larger one's rows, in which two parts must come together
	unitedShare   = 0.95
	mostTried     = 12         // moves of a kind that are tried one by one
	mostVisited   = 60_000_000 // cells that all moves of a kind may visit that are tried one by one
	leastShorter  = 1e-6
	roundsOfMoves = 2 // iterations of EM after a move
)

// A move is a model made of another. It is kept if it makes the description shorter, and is
// nothing otherwise: states are never changed.

// em returns the shortest of a state and some iterations of EM from there.
func (l *learner) em(s *state, rounds int) (*state, error) {
	best := s
	for range rounds {
		next, err := l.judged(l.mstep(s))
		if err != nil {
			return nil, err
		}
		if next.length < best.length {
			best = next
		}
		if math.Abs(next.length-s.length) < 1e-9*math.Abs(s.length) {
			break
		}
		s = next
	}
	return best, nil
}

// shorter returns what a model comes to by EM if that is shorter, and s otherwise.
func (l *learner) shorter(s *state, m *Model, rounds int) (*state, error) {
	next, err := l.judged(m)
	if err == nil {
		next, err = l.em(next, rounds)
	}
	if err != nil || next.length > s.length-leastShorter {
		return s, err
	}
	return next, nil
}

// tried makes moves of a kind: all together, and if that is not shorter one by one, each of the
// state that the last one led to as long as the parts keep their numbers.
func (l *learner) tried(s *state, n int, rounds int, moved func(s *state, which []int) *Model) (*state, error) {
	if n == 0 {
		return s, nil
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	next, err := l.shorter(s, moved(s, all), rounds)
	if err != nil || next != s || n == 1 {
		return next, err
	}
	from := l.visited
	var kept []int
	best := s
	for i := range min(n, mostTried) {
		if l.visited-from > mostVisited {
			break
		}
		with := append(slices.Clone(kept), i)
		if next, err = l.shorter(best, moved(s, with), rounds); err != nil {
			return nil, err
		}
		if next != best {
			best, kept = next, with
		}
	}
	return best, nil
}

// clean adds votes, deletes parts that do not pay, tears parts in two and makes one of two.
func (l *learner) clean(s *state) (*state, error) {
	for range cleanTimes {
		before := s
		for _, move := range [...]func(*state) (*state, error){l.moreVotes, l.prune, l.tear, l.merge} {
			var err error
			if s, err = move(s); err != nil {
				return nil, err
			}
		}
		if s.length > before.length-float64(leastSaved*max(0, l.none.length-s.length)) {
			break
		}
	}
	return s, nil
}

// moreVotes gives parts the columns that their rows have and nothing explains.
func (l *learner) moreVotes(s *state) (*state, error) {
	u := l.newResidual(s, nil)
	m := s.clone()
	changed := false
	for k := range s.Parts {
		p := s.Parts[k]
		if len(p.P) == 0 {
			continue
		}
		active := s.of().Row(k)
		among, parts, times := u.tally(active)
		least := joint.OneVoteMore(len(u.Q), len(p.Columns)) + math.Ln2 + moreSure
		strength, _ := described.Mode(p.P)
		var added []int32
		for _, d := range among {
			c, cells := u.count[d], u.shown(d, len(active))
			if c < candidates.LeastHeld*strength*cells {
				continue
			}
			if q, gain := u.gain(d, c, cells, times, strength); gain > least && q < strength {
				added = append(added, d)
			}
		}
		u.clear(active, among, parts)
		if len(added) > 0 {
			m.Parts[k], changed = p.with(added, strength), true
		}
	}
	if !changed {
		return s, nil
	}
	return l.shorter(s, m, roundsOfMoves)
}

// with returns the part with more columns, of which it says v; those that it has stay.
func (p Part) with(columns []int32, v float64) (out Part) {
	at := 0
	for _, d := range columns {
		for at < len(p.Columns) && p.Columns[at] < d {
			out.Columns, out.P = append(out.Columns, p.Columns[at]), append(out.P, p.P[at])
			at++
		}
		if at < len(p.Columns) && p.Columns[at] == d {
			continue
		}
		out.Columns, out.P = append(out.Columns, d), append(out.P, v)
	}
	return Part{append(out.Columns, p.Columns[at:]...), append(out.P, p.P[at:]...)}
}

// some returns the part with those of its columns that keep says.
func (p Part) some(keep func(i int) bool) (out Part) {
	for i, d := range p.Columns {
		if keep(i) {
			out.Columns, out.P = append(out.Columns, d), append(out.P, p.P[i])
		}
	}
	return out
}

// sound returns the model without votes that say less than the background.
func (m *Model) sound() *Model {
	for k, p := range m.Parts {
		m.Parts[k] = p.some(func(i int) bool { return p.P[i] > m.Q[p.Columns[i]] })
	}
	return m
}

// without returns the model without some parts.
func (m *Model) without(gone []bool) *Model {
	out := &Model{Q: m.Q, Level: m.Level}
	for k := range m.Parts {
		if !gone[k] {
			out.Parts, out.Usage = append(out.Parts, m.Parts[k]), append(out.Usage, m.Usage[k])
		}
	}
	return out
}

// needless returns the parts that save less than they take, the least useful first, and of those
// that vote on the same columns one.
func (l *learner) needless(s *state) (out []int) {
	d := s.described(l.t.Len(), s.counts.active)
	use := make([]float64, len(s.Parts))
	order := make([]int, len(s.Parts))
	for k := range use {
		order[k] = k
		use[k] = s.loss[k] + float64(d.Rows*elem.Log1p(-s.Usage[k])) - d.Price(&d.Parts[k])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(use[a], use[b]) })
	for _, k := range order {
		if use[k] >= 0 {
			break
		}
		if !slices.ContainsFunc(out, func(j int) bool { return s.meeting(int32(j), int32(k)) }) {
			out = append(out, k)
		}
	}
	return out
}

// prune deletes parts that save less than they take.
func (l *learner) prune(s *state) (*state, error) {
	for range cleanTimes {
		needless := l.needless(s)
		next, err := l.tried(s, len(needless), 1, func(s *state, which []int) *Model {
			gone := make([]bool, len(s.Parts))
			for _, i := range which {
				gone[needless[i]] = true
			}
			return s.without(gone)
		})
		if err != nil || next == s {
			return s, err
		}
		s = next
	}
	return s, nil
}

// tear tears parts in two halves that rows miss separately.
func (l *learner) tear(s *state) (*state, error) {
	type half struct {
		part int
		of   []bool
	}
	var halves []half
	for k := range s.Parts {
		if of := l.halfOf(s, k); of != nil {
			halves = append(halves, half{k, of})
		}
	}
	return l.tried(s, len(halves), roundsOfMoves, func(s *state, which []int) *Model {
		m := s.clone()
		for _, i := range which {
			h := halves[i]
			p := m.Parts[h.part]
			m.Parts[h.part] = p.some(func(i int) bool { return h.of[i] })
			m.Parts = append(m.Parts, p.some(func(i int) bool { return !h.of[i] }))
			m.Usage = append(m.Usage, m.Usage[h.part])
		}
		return m
	})
}

// halfOf returns which votes of part k go together, by the first principal component of its rows;
// nil if they do not vary by more than independent bits would.
func (l *learner) halfOf(s *state, k int) []bool {
	p, all := s.Parts[k], s.of().Row(k)
	if len(p.Columns) < 2 || len(all) < 2 {
		return nil
	}
	n := min(len(all), tornRows)
	points, weights := make([][]float64, n), make([]float64, n)
	for i := range points {
		points[i], weights[i] = make([]float64, len(p.Columns)), 1
		row, at := l.t.Row(int(all[len(all)*i/n])), 0
		for j, d := range p.Columns {
			for at < len(row) && row[at] < d {
				at++
			}
			if at < len(row) && row[at] == d {
				points[i][j] = 1
			}
		}
	}
	direction := matrix.Principal(points, weights, tornShare)
	if direction == nil {
		return nil
	}
	top := 0.0
	for _, v := range direction {
		if math.Abs(v) > math.Abs(top) {
			top = v
		}
	}
	of, size := make([]bool, len(direction)), 0
	for j, v := range direction {
		if of[j] = v/top > halfEntry; of[j] {
			size++
		}
	}
	if size == len(of) {
		return nil
	}
	return of
}

// together returns how often part k comes with each of those after it that it comes with.
func (s *state) together(k int, count []int32) (others []int32) {
	for _, r := range s.of().Row(k) {
		for _, j := range s.set(int(r)) {
			if int(j) == k {
				continue
			}
			if count[j] == 0 {
				others = append(others, j)
			}
			count[j]++
		}
	}
	slices.Sort(others)
	return others
}

// merge makes one part of two that come together in most of their rows, and gives parts that
// come only with another one the columns of that.
func (l *learner) merge(s *state) (*state, error) {
	var merged, united [][2]int
	count := make([]int32, len(s.Parts))
	used := make([]bool, len(s.Parts))
	for k := range s.Parts {
		n := len(s.of().Row(k))
		for _, j := range s.together(k, count) {
			both, other := float64(count[j]), len(s.of().Row(int(j)))
			count[j] = 0
			switch {
			case int(j) > k && both > mergedShare*float64(max(n, other)) && !used[k] && !used[j]:
				merged = append(merged, [2]int{k, int(j)})
				used[k], used[j] = true, true
			case both >= unitedShare*float64(n) && n < other:
				united = append(united, [2]int{k, int(j)})
			}
		}
	}
	next, err := l.tried(s, len(merged), roundsOfMoves, func(s *state, which []int) *Model {
		m, gone := s.clone(), make([]bool, len(s.Parts))
		for _, i := range which {
			k, j := merged[i][0], merged[i][1]
			p := m.Parts[j]
			m.Parts[k], gone[j] = m.Parts[k].with(p.Columns, p.P[0]), true
		}
		return m.without(gone)
	})
	if err != nil || next != s {
		return next, err
	}
	return l.tried(s, len(united), roundsOfMoves, func(s *state, which []int) *Model {
		m := s.clone()
		for _, i := range which {
			k, j := united[i][0], united[i][1]
			m.Parts[k] = m.Parts[k].with(s.Parts[j].Columns, m.Parts[k].P[0])
		}
		return m
	})
}
