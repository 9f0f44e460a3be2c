// Package lists learns parts of tables as lists: rows of bits of which few are on, with any number
// of columns.
//
// The model is that of package table under max: the strongest vote of the active parts, or the
// background of the column. So is the length by which everything is judged (package described).
// What differs is the cost: a row takes as long as it has ones, by a list of who votes on each
// column, and nothing has the size of rows x columns, or parts x columns.
//
// Read model.go (a model, and who votes on a column), explain.go (a row), counts.go (all rows, and
// the length), mstep.go (the model that follows), residual.go (parts of what nothing explains),
// moves.go and learn.go (the search).
package lists

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/table/candidates"
	"example.com/patchwork/table/described"
)

// Options holds the settings of Learn. The zero value is the recommended default.
type Options struct {
	MaxParts int // 0 means as many as pay
	Seed     uint64
	Workers  int // the result is the same for any number
	// Unknown are the cells that are neither on nor off; nil for none.
	Unknown *bitmap.Lists
	// Progress is told after each step how many parts there are, and the length of the
	// description; nil for nothing.
	Progress func(parts int, length float64)
}

const (
	mostRounds = 12
	leastSaved = 1e-4 // of what the parts save: a round that saves less is the last
	listStream = 1<<36 + 1
)

// learner carries out one run.
type learner struct {
	ctx     context.Context
	t       *bitmap.Lists
	opt     Options
	on      []float64     // by column: its ones
	known   []float64     // by column: rows in which it is known
	gaps    *bitmap.Lists // of each column, the rows in which it is not
	means   []float64
	number  float64 // log(N)/2
	cells   int
	visited int  // cells, by all iterations
	own     bool // whether votes may have a strength of their own
	none    *state
	misses  map[int32]float64 // columns that began no candidate, with the ones that they had
}

func newLearner(ctx context.Context, t *bitmap.Lists, opt Options) *learner {
	opt.Workers = max(opt.Workers, 1)
	l := &learner{ctx: ctx, t: t, opt: opt, cells: len(t.Columns), on: make([]float64, t.Width),
		means: make([]float64, t.Width), number: described.Number(float64(t.Len()))}
	for _, d := range t.Columns {
		l.on[d]++
	}
	l.known = slices.Repeat([]float64{float64(t.Len())}, t.Width)
	if opt.Unknown != nil && len(opt.Unknown.Columns) > 0 {
		l.gaps = opt.Unknown.Turned()
		for d := range l.known {
			l.known[d] -= float64(len(l.gaps.Row(d)))
		}
	}
	for d, n := range l.on {
		l.means[d] = n / max(l.known[d], 1)
	}
	return l
}

// unknownIn returns the cells of row r that are unknown.
func (l *learner) unknownIn(r int) []int32 {
	if l.gaps == nil {
		return nil
	}
	return l.opt.Unknown.Row(r)
}

// Learn finds the parts of a table of lists, and how many there are. If the context ends before, the
// model is the best so far, nil if there are no parts yet.
func Learn(ctx context.Context, t *bitmap.Lists, opt Options) (*Model, error) {
	l := newLearner(ctx, t, opt)
	var err error
	if l.none, err = l.judged(&Model{Q: l.newBackground(l.on, l.known).Q}); err != nil {
		return nil, err
	}
	best, err := l.levelled(l.none)
	if err != nil {
		return nil, err
	}
	if best, err = l.grow(best, rand.New(rand.NewPCG(opt.Seed, listStream))); err == nil {
		best, err = l.beyond(best)
	}
	if err == nil {
		best, err = l.last(best)
	}
	if err != nil && (best == nil || len(best.Parts) == 0) {
		return nil, err
	}
	out := best.Model.clone()
	out.Record = Record{Rows: t.Len(), Ones: l.cells, Seed: opt.Seed, LogLik: best.evidence, Length: best.length,
		Background: l.none.length}
	return out, err
}

// grow adds parts by the batch, made of what those before leave unexplained.
func (l *learner) grow(s *state, rng *rand.Rand) (*state, error) {
	l.misses = map[int32]float64{}
	for range mostRounds {
		next, err := l.batch(s, rng)
		if err != nil {
			return s, err
		}
		if next == nil {
			break
		}
		shorter := next.length < s.length
		enough := next.length < s.length-float64(leastSaved*(l.none.length-next.length))
		if shorter {
			s = next
		}
		if l.opt.Progress != nil {
			l.opt.Progress(len(s.Parts), s.length)
		}
		if !enough {
			break
		}
	}
	return s, nil
}

// batch adds candidates, as many as there may be, and cleans up; nil if there are none.
func (l *learner) batch(s *state, rng *rand.Rand) (*state, error) {
	found, err := l.newResidual(s, rng).candidates()
	if l.opt.MaxParts > 0 {
		found = found[:min(len(found), max(0, l.opt.MaxParts-len(s.Parts)))]
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	next, err := l.judged(s.withFound(found))
	if err == nil {
		next, err = l.em(next, roundsOfMoves)
	}
	if err != nil {
		return nil, err
	}
	return l.clean(next)
}

// withFound returns the model with candidates as parts more, and the background beside them.
func (m *Model) withFound(found []*find) *Model {
	out := m.clone()
	out.Q = append([]float64(nil), m.Q...)
	for _, f := range found {
		p := Part{Columns: f.columns}
		for j, d := range f.columns {
			q := f.q[j]
			if l := m.Level; l != nil {
				q = sigmoid(l.atZero(q, l.Weights))
			}
			out.Q[d] = min(out.Q[d], q)
			p.P = append(p.P, f.s)
		}
		out.Parts, out.Usage = append(out.Parts, p), append(out.Usage, f.share)
	}
	return out.sound()
}

// last gives votes strengths of their own where that pays, and all of them those that a file
// holds, in the order of how often parts are there.
func (l *learner) last(s *state) (*state, error) {
	l.own = true
	defer func() { l.own = false }()
	s, err := l.em(s, roundsOfMoves)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(s.Parts))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Usage[b], s.Usage[a]) })
	m := &Model{Q: s.Q, Level: s.Level}
	for _, k := range order {
		p := s.Parts[k].some(func(int) bool { return true })
		for i, v := range p.P {
			p.P[i] = float64(float32(v))
		}
		m.Parts, m.Usage = append(m.Parts, p), append(m.Usage, s.Usage[k])
	}
	return l.judged(m)
}

// failed reports whether column d began no candidate when it had as many ones that nothing
// explains; narrow tables try again.
func (l *learner) failed(d int32, on float64) bool {
	n, known := l.misses[d]
	return known && n == on && l.t.Width > candidates.Narrow
}

func (l *learner) fail(d int32, on float64) { l.misses[d] = on }
