package lists

import (
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
)

// counts is what a pass over the rows says about a model.
type counts struct {
	evidence float64
	bonus    float64   // how much of that is of other sets than the best
	active   []float64 // by part: in how many rows it is
	right    []float64 // by vote: how often it is the strongest, and right
	lost     []float64 // by vote: how often its part is active where a stronger one votes, or nothing is known
	loss     []float64 // by part: what its rows lose without it
	shown    []float64 // by part: how often the background is expected on in its rows, beside all rows
	logs     []float64 // by part: the logarithms of that, by row
	times    []float64 // by row: how often it is expected on, beside all rows
	levels   []float64 // by level: how many rows have it
	start    []int     // of each row's best set among sets
	sets     []int32
}

func newCounts(x *index) *counts {
	k, votes := len(x.Parts), len(x.column)
	return &counts{active: make([]float64, k), right: make([]float64, votes), lost: make([]float64, votes),
		loss: make([]float64, k), shown: make([]float64, k),
		logs: make([]float64, k), levels: make([]float64, len(x.views)), start: []int{0}}
}

// segments is into how many pieces rows are divided, whatever the number of workers.
const segments = 8

// leastSegment is how many rows are worth a piece.
const leastSegment = 256

// count explains all rows.
func (l *learner) count(x *index) (*counts, error) {
	ctx, t := l.ctx, l.t
	pieces := max(1, min(segments, t.Len()/leastSegment))
	of := make([]*counts, pieces)
	_, err := pool.Run(ctx, pieces, l.opt.Workers, 1, func(_, i int) error {
		c, e := newCounts(x), newExplainer(x)
		weight := make([]float64, len(x.Parts))
		for r := t.Len() * i / pieces; r < t.Len()*(i+1)/pieces; r++ {
			if r%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			unknown := l.unknownIn(r)
			e.row(t.Row(r), unknown)
			c.add(e, t.Row(r), unknown, weight)
		}
		of[i] = c
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := of[0]
	for _, c := range of[1:] {
		out.join(c)
	}
	return out, nil
}

// join adds the counts of rows that come next.
func (c *counts) join(other *counts) {
	c.evidence, c.bonus = c.evidence+other.evidence, c.bonus+other.bonus
	for _, list := range [...][2][]float64{{c.active, other.active}, {c.right, other.right}, {c.lost, other.lost},
		{c.loss, other.loss}, {c.shown, other.shown},
		{c.logs, other.logs}, {c.levels, other.levels}} {
		for i, v := range list[1] {
			list[0][i] += v
		}
	}
	c.times = append(c.times, other.times...)
	from := len(c.sets)
	c.sets = append(c.sets, other.sets...)
	for _, at := range other.start[1:] {
		c.start = append(c.start, from+at)
	}
}

// leastWeight is the share of a row below which a part does not count in it.
const leastWeight = 1e-4

// add counts an explained row. weight is 0 for all parts, before and after.
func (c *counts) add(e *explainer, ones, unknown []int32, weight []float64) {
	c.evidence += e.evidence
	c.bonus += e.bonus
	c.sets = append(c.sets, e.set...)
	c.start = append(c.start, len(c.sets))
	times := 0.0
	for _, b := range e.levels {
		times += float64(b.p * e.views[b.level].times)
		c.levels[b.level] += b.p
	}
	c.times = append(c.times, times)
	logTimes := elem.Log(times)
	for _, k := range e.candidates {
		w := sigmoid(e.odds[k])
		if w < leastWeight {
			continue
		}
		weight[k] = w
		c.active[k] += w
		c.shown[k] += float64(w * times)
		c.logs[k] += float64(w * logTimes)
		c.loss[k] += soft(e.odds[k])
	}
	for _, d := range ones {
		for _, v := range e.votersOn(d) {
			c.right[v.vote] += weight[v.part]
		}
	}
	for _, d := range unknown {
		for _, v := range e.votersOn(d) {
			c.lost[v.vote] += weight[v.part]
		}
	}
	if e.overlap {
		e.activate(true)
		for _, k := range e.candidates {
			c.overlapped(e, k, weight)
		}
		e.activate(false)
	}
	for _, k := range e.candidates {
		weight[k] = 0
	}
}

// overlapped takes from the counts of part k what is another part's, which says more of a column,
// and from its loss what another would save in its place.
func (c *counts) overlapped(e *explainer, k int32, weight []float64) {
	w := weight[k]
	if w == 0 {
		return
	}
	for _, vote := range e.shared[k] {
		d, mine := e.column[vote], 1.0
		if e.mark[d] == -e.stamp {
			continue
		}
		for _, v := range e.votersOn(d) {
			if p := weight[v.part]; p > 0 && v.part != k &&
				(e.yes[v.vote] > e.yes[vote] || e.yes[v.vote] == e.yes[vote] && v.part < k) {
				mine *= 1 - p
			}
		}
		if mine < 1 {
			c.lost[vote] += float64(w * (1 - mine))
			if e.mark[d] == e.stamp {
				c.right[vote] -= float64(w * (1 - mine))
			}
		}
	}
	if !e.active[k] {
		return
	}
	e.turn(k, false)
	best := -1e300
	for _, j := range e.candidates {
		if j != k && !e.active[j] && e.meeting(j, k) {
			best = max(best, e.beside(j))
		}
	}
	e.turn(k, true)
	c.loss[k] -= min(soft(best), soft(e.odds[k]))
}

// set returns the best set of row r.
func (c *counts) set(r int) []int32 { return c.sets[c.start[r]:c.start[r+1]] }

// members returns of each part the rows whose best set has it.
func (c *counts) members() *bitmap.Lists {
	return (&bitmap.Lists{Width: len(c.active), Start: c.start, Columns: c.sets}).Turned()
}

// state is a model with what the rows say about it, and the length of their description.
type state struct {
	*index
	*counts
	length float64
	rows   *bitmap.Lists // of each part; nil until they are asked for
}

// of returns the rows of each part.
func (s *state) of() *bitmap.Lists {
	if s.rows == nil {
		s.rows = s.members()
	}
	return s.rows
}

// judged explains the rows by a model.
func (l *learner) judged(m *Model) (*state, error) {
	s := &state{index: newIndex(m)}
	var err error
	if s.counts, err = l.count(s.index); err != nil {
		return nil, err
	}
	l.visited += l.cells + l.t.Len()
	d := m.described(l.t.Len(), s.counts.active)
	s.length = float64(float64(len(m.Parts))*d.Number) - s.evidence + d.Columns() + d.Votes() + d.Background(nil)
	if len(m.Parts) > 0 {
		s.length -= s.codes(d.Number)
	}
	if m.Level != nil {
		s.length += d.Number + layerPrice
	}
	return s, nil
}
