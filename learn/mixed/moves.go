package mixed

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/elem"
)

const (
	pruneRounds = 2
	moves       = 16 // parts that are deleted and grown again, at most
	more        = 2  // parts than before
	better      = 1  // nats by which a description is shorter for other parts
	hopeless    = 15 // nats that a description may be longer before a step of EM
)

// improve takes the best start to its end: parts are deleted and others grown in their place, and at last opinions may
// have a shape of their own.
func (l *learner) improve(s *state) (*state, error) {
	rng := rand.New(rand.NewPCG(l.o.Seed, 1<<32))
	free := l.terms()
	var err error
	if len(s.m.Parts) <= manyParts {
		s, err = l.tear(s, free)
	}
	if err == nil && !l.quick && len(s.m.Parts) <= manyParts {
		s, err = l.relocate(rng, s, free)
	}
	if err == nil {
		s, err = l.prune(s, free)
	}
	if err == nil {
		s, err = l.shape(rng, s)
	}
	return s, err
}

// prune deletes parts without which the description is shorter.
func (l *learner) prune(s *state, o *terms) (*state, error) {
	for range pruneRounds {
		before := s
		for k := len(s.m.Parts) - 1; k >= 0; k-- {
			if k >= len(s.m.Parts) {
				continue
			}
			less, err := l.without(s, k, o, 2, s.length)
			if err != nil {
				return nil, err
			}
			if less.length < s.length {
				s = less
			}
		}
		if s == before {
			break
		}
	}
	return s, nil
}

// without returns a state without part k, after some steps of EM; fewer if it cannot become shorter than a length. What
// the part spoke of is left to the background at once if opinions may have their shapes: no part grows then.
func (l *learner) without(s *state, k int, o *terms, steps int, than float64) (*state, error) {
	m := *s.m
	if o.own {
		m.Background = slices.Clone(m.Background)
		for _, d := range m.Parts[k].Votes() {
			m.Background[d] = s.tally.background(&m, d, s.tally.of(-1, d).and(s.tally.of(k, d)), o)
		}
	}
	m.Parts = slices.Delete(slices.Clone(m.Parts), k, k+1)
	return l.attempt(&m, o, steps, than)
}

// attempt returns the state of a model after some steps of EM; fewer if the description is so much longer than a length
// that more steps are not worth it.
func (l *learner) attempt(m *Model, o *terms, steps int, than float64) (*state, error) {
	s, err := l.explain(m)
	for i := 0; err == nil && i < steps && s.length < than+hopeless; i++ {
		s, err = l.em(s, o, 1)
	}
	return s, err
}

// relocate deletes a part and grows others, those that explain most first, as long as that shortens the description.
func (l *learner) relocate(rng *rand.Rand, s *state, o *terms) (*state, error) {
	failed, patient := 0, l.patience
	l.patience = 1 // another part may be the better one to delete
	defer func() { l.patience = patient }()
	for range moves {
		order := s.m.order()
		if failed >= len(order) {
			break
		}
		next, err := l.without(s, order[failed], o, 1, math.Inf(1))
		if err == nil {
			next, err = l.grow(rng, next, o, min(len(s.m.Parts)+more, l.most()), 2)
		}
		if err == nil {
			next, err = l.em(next, o, 3)
		}
		if err != nil {
			return nil, err
		}
		gain := s.length - next.length
		if failed++; gain > 0 {
			s = next
		}
		if gain > better { // more than some steps of EM bring anyway
			failed = 0
			l.say("move", s)
			if s, err = l.tear(s, o); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

const (
	near     = .4 // of the largest entry of an eigenvector; below this a column is with neither half
	tearings = 30 // steps to find it
)

// tear replaces parts by two halves of them, if that shortens the description: two parts that are often together, or
// that speak of the same columns, may have been taken for one.
func (l *learner) tear(s *state, o *terms) (*state, error) {
	for k := 0; k < len(s.m.Parts) && len(s.m.Parts) < l.most(); k++ {
		for _, halves := range l.halves(s, k) {
			m := *s.m
			m.Parts = append(slices.Clone(m.Parts), m.Parts[k].only(halves[1]))
			m.Parts[k] = m.Parts[k].only(halves[0])
			next, err := l.attempt(&m, o, 3, s.length)
			if err != nil {
				return nil, err
			}
			if next.length < s.length-1e-6 {
				s, k = next, k-1 // again
				break
			}
		}
	}
	return s, nil
}

// only returns a part that says no more of columns than those.
func (p Part) only(columns []int) Part {
	entries := make([]Entry, len(p.Entries))
	for _, d := range columns {
		entries[d] = p.Entries[d]
	}
	p.Entries = entries
	return p
}

// halves returns in what ways part k may be torn: by the direction in which, among the rows that have it, the columns
// agree with it least evenly.
func (l *learner) halves(s *state, k int) (out [][2][]int) {
	votes := s.m.Parts[k].Votes()
	if len(votes) < 3 {
		return nil
	}
	v, _ := make([]float64, len(votes)), 0
	for i := range v {
		v[i] = 1 + elem.Sin(float64(i+1))
	}
	covariance := l.agreement(s, k, votes)
	for range tearings {
		v, _ = turned(covariance, v, nil)
	}
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	for _, cut := range [][2]float64{{-near, near}, {0, 0}, {near, near}, {-near, -near}} {
		var halves [2][]int
		for i, d := range votes {
			if v[i] > cut[0]*top {
				halves[0] = append(halves[0], d)
			}
			if v[i] <= cut[1]*top {
				halves[1] = append(halves[1], d)
			}
		}
		if len(halves[0]) > 0 && len(halves[1]) > 0 && len(halves[0])+len(halves[1]) < 2*len(votes) {
			out = append(out, halves)
		}
	}
	return out
}

// agreement returns the covariance, over the rows that have part k, of what its votes gain.
func (l *learner) agreement(s *state, k int, votes []int) [][]float64 {
	b, out := newBank(s.m), square(len(votes))
	var gains [][]float64
	var weights []float64
	mean, known := make([]float64, len(votes)), make([]float64, len(votes))
	for i, codes := range l.codes {
		if s.best[i]>>k&1 == 0 {
			continue
		}
		row, w := make([]float64, len(votes)), float64(l.weights[i])
		for j, d := range votes {
			if row[j] = codes[d]; row[j] == row[j] {
				row[j] = max(-4, min(4, b.columns[d].gain(&s.m.Parts[k].Entries[d].Opinion, codes[d])))
				mean[j], known[j] = mean[j]+float64(w*row[j]), known[j]+w
			}
		}
		gains, weights = append(gains, row), append(weights, w)
	}
	for at, row := range gains {
		for i := range row {
			for j := range row {
				if x := weights[at] * (row[i] - mean[i]/known[i]) * (row[j] - mean[j]/known[j]); x == x && i != j {
					out[i][j] += x
				}
			}
		}
	}
	for i := range out { // an even diagonal: the largest eigenvalue is that of the largest size
		for j := range out {
			out[i][i] += math.Abs(out[i][j])
		}
	}
	return out
}

// join replaces two parts that speak of the same columns by one, if that shortens the description: one that raises two
// words has been two, as long as opinions had one number.
func (l *learner) join(s *state, o *terms) (*state, error) {
	for i := 0; i < len(s.m.Parts); i++ {
		for j := i + 1; j < len(s.m.Parts); j++ {
			m := l.joined(s, i, j, o)
			if m == nil {
				continue
			}
			next, err := l.attempt(m, o, 3, s.length)
			if err != nil {
				return nil, err
			}
			if next.length < s.length-1e-6 {
				s, i, j = next, 0, 0 // again
			}
		}
	}
	return s, nil
}

// joined returns the model with one part, of the cells of both, for two that share columns; else nil.
func (l *learner) joined(s *state, i, j int, o *terms) *Model {
	m := *s.m
	one, two := m.Parts[i], &m.Parts[j]
	both := 0
	for d := range one.Entries {
		if one.Entries[d].Numbers > 0 && two.Entries[d].Numbers > 0 {
			both++
		}
	}
	if both < leastVotes {
		return nil
	}
	used := int64(0) // rows with either
	for row, set := range s.best {
		if set&(1<<i|1<<j) != 0 {
			used += l.weights[row]
		}
	}
	one.Share = (float64(used)/float64(l.unit) + .5) / (l.count() + 1)
	one.Entries = make([]Entry, len(m.Columns))
	for d := range one.Entries {
		one.Entries[d] = m.Columns[d].vote(&m.Background[d], s.tally.of(i, d).and(s.tally.of(j, d)), o)
	}
	m.Parts = slices.Delete(slices.Clone(m.Parts), j, j+1)
	m.Parts[i] = one
	return &m
}

// order returns the parts, those first that explain most: the squares of the strengths of their votes, times how often
// they are there.
func (m *Model) order() []int {
	size := make([]float64, len(m.Parts))
	out := make([]int, len(m.Parts))
	for k := range m.Parts {
		p := &m.Parts[k]
		for _, d := range p.Votes() {
			a := m.Columns[d].strength(&m.Background[d], &p.Entries[d])
			size[k] += p.Share * a * a
		}
		out[k] = k
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(size[j], size[i]) })
	return out
}

// shape lets opinions have a shape of their own, if that shortens the description. Before the parts are found such
// opinions would explain spikes.
func (l *learner) shape(rng *rand.Rand, s *state) (*state, error) {
	own := l.terms()
	own.own = true
	next, err := l.em(s, own, 6)
	if err == nil {
		next, err = l.grow(rng, next, own, l.most(), 2)
	}
	if err == nil {
		next, err = l.em(next, own, 3)
	}
	if err == nil && len(next.m.Parts) <= manyParts {
		next, err = l.join(next, own)
	}
	if err == nil {
		next, err = l.prune(next, own)
	}
	if err != nil || next.length >= s.length {
		return s, err
	}
	l.say("shape", next)
	return next, nil
}
