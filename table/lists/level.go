package lists

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/table/described"
)

// Rows differ in how much they say yes in general: baskets in their length, sites in how rich they
// are. Long rows share their frequent columns, which looks like a part and is none. So where the
// rows ask for a level each, by the length, a part must pay beside it too.

const (
	levelTimes = 4    // how often parts that do not pay beside a level are deleted
	mostLevel  = 0.95 // how probable a level makes a column at most
	largePart  = 10   // a part of more than one in so many columns may be a level
)

// levels is how much each row says yes beyond what its parts explain, beside what the background
// says: 1 on average. By a gamma distribution, whose variance is one number.
type levels struct {
	level    []float64 // by row
	expected []float64 // by row: ones that the background says
	ones     []float64 // by row: those that are there
	total    float64
	variance float64
	whole    bool // whether ones are with those of the part that is looked at
}

// levelled deletes the parts that do not pay beside a level of each row, where rows have one.
func (l *learner) levelled(s *state) (*state, error) {
	for range levelTimes {
		if len(s.Parts) == 0 {
			break
		}
		v := l.levelsOf(s)
		if v == nil {
			break
		}
		gone, some := make([]bool, len(s.Parts)), false
		d := s.described(l.t.Len(), s.counts.active)
		for k := range s.Parts {
			beside := v
			if len(s.Parts[k].Columns)*largePart > len(s.Q) { // it may be a level itself
				beside = cmp.Or(l.levelsWithout(s, k), v)
			}
			if beside.worth(l, s, k)-d.Price(&d.Parts[k]) < 0 {
				gone[k], some = true, true
			}
		}
		if !some {
			break
		}
		next, err := l.judged(s.without(gone))
		if err == nil {
			next, err = l.judged(l.mstep(next))
		}
		if err != nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}

// levelsWithout returns the levels of the rows as if part k were not there.
func (l *learner) levelsWithout(s *state, k int) *levels {
	gone := make([]bool, len(s.Parts))
	gone[k] = true
	m := s.without(gone)
	m.Q = slices.Clone(s.Q)
	for _, d := range s.Parts[k].Columns {
		m.Q[d] = min(max(l.means[d], s.Q[d]), mostLevel)
	}
	next, err := l.judged(m)
	if err != nil {
		return nil
	}
	v := l.levelsOf(next)
	if v != nil {
		v.whole = true
	}
	return v
}

// levelsOf returns the levels of the rows; nil where they do not describe the rows more briefly.
func (l *learner) levelsOf(s *state) *levels {
	u := l.newResidual(s, nil)
	n := l.t.Len()
	v := &levels{level: make([]float64, n), expected: make([]float64, n), ones: make([]float64, n)}
	all, of := 0.0, make([]float64, len(s.Parts))
	for _, q := range s.Q {
		all += q
	}
	for k, p := range s.Parts {
		for _, d := range p.Columns {
			of[k] += s.Q[d]
		}
	}
	spread, scale := 0.0, 0.0
	for r := range n {
		x := all
		for _, k := range s.set(r) {
			x -= of[k]
		}
		v.expected[r], v.ones[r] = max(x, all/2), float64(len(u.rows.Row(r)))
		e := v.ones[r] - v.expected[r]
		spread += float64(e*e) - v.expected[r]
		scale += float64(v.expected[r] * v.expected[r])
	}
	if v.variance = spread / scale; v.variance <= 0 || v.gain() < l.number {
		return nil
	}
	for r := range n {
		v.level[r] = v.of(v.ones[r], v.expected[r])
		v.total += v.level[r]
	}
	return v
}

// of returns the mean level of a row with so many ones of those that the background expects.
func (v *levels) of(ones, expected float64) float64 {
	return (ones + 1/v.variance) / (expected + 1/v.variance)
}

// gain returns by how much shorter the numbers of ones are described by levels.
func (v *levels) gain() (sum float64) {
	shape := 1 / v.variance
	for r, x := range v.expected {
		// Negative binomial less Poisson.
		for i := range int(v.ones[r]) {
			sum += elem.Log(shape+float64(i)) - elem.Log(x+shape)
		}
		sum += float64(shape*(elem.Log(shape)-elem.Log(x+shape))) + x
	}
	return sum
}

// worth returns by how much part k makes the description of the rows shorter beside their levels.
func (v *levels) worth(l *learner, s *state, k int) float64 {
	p, rows := s.Parts[k], s.of().Row(k)
	n, total := float64(len(rows)), float64(l.t.Len())
	share := described.ShareOf(n, total)
	sum := float64(n*elem.Log(share)) + float64((total-n)*elem.Log1p(-share))
	column := make(map[int32]int, len(p.Columns))
	inside := make([]float64, len(p.Columns))
	for i, d := range p.Columns {
		column[d] = i
	}
	has := make([][]bool, len(rows)) // by row and vote
	level, levelIn := make([]float64, len(rows)), 0.0
	for j, r := range rows {
		has[j] = make([]bool, len(p.Columns))
		ones := 0.0
		for _, d := range l.t.Row(int(r)) {
			if i, votes := column[d]; votes {
				has[j][i] = true
				inside[i]++
				ones++
			}
		}
		// As if the row had no such part, and its ones were of the background.
		if v.whole {
			ones = 0
		}
		level[j] = v.of(v.ones[r]+ones, v.expected[r])
		levelIn += v.level[r]
	}
	outside := max(v.total-levelIn, 1)
	for i, d := range p.Columns {
		on := l.on[d] - inside[i]
		now, all := (on+0.5)/outside, (l.on[d]+0.5)/v.total
		sum += float64(on*(elem.Log(now)-elem.Log(all))) - float64((now-all)*outside)
		for j := range rows {
			q := math.Min(all*level[j], mostLevel)
			if has[j][i] {
				sum += elem.Log(p.P[i]) - elem.Log(q)
			} else {
				sum += elem.Log1p(-p.P[i]) - elem.Log1p(-q)
			}
		}
	}
	return sum
}
