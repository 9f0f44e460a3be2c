package table

import (
	"context"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/matrix"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/blocks"
)

const (
	moveRounds  = 3         // iterations of soft EM after a part is torn
	coverRounds = 3         // and after parts are covered anew
	coverTimes  = 3         // how often parts are covered
	coverSteps  = 2_000_000 // work of looking for a cover
	fewVotes    = 3         // of a part that others may take over
	leastTorn   = 2         // rows that must have one half of a part without the other
	leastHalf   = 2         // votes of the first half of a part of the choice, where tries take long
	halfEntry   = 0.4       // share of the largest entry from which a column is of the first half

	// principalShare is by how much the largest variance must exceed that of independent bits.
	principalShare = 1.6
)

// taken tries moves that gathering cannot make, where each is kept if it makes the description
// shorter: a part is torn in two (torn), and all parts are made of what they have in common
// (covered).
func (l *learner) taken(ctx context.Context) error {
	if l.opt.Experts > 0 || l.best.Model == nil {
		return nil
	}
	l.mature = true
	c, err := l.absorbed(ctx, l.best)
	if c.Model != l.best.Model {
		l.whole = nil
	}
	if err == nil {
		c, err = l.torn(ctx, c)
	}
	for range coverTimes {
		if err != nil {
			return err
		}
		before := c.Model
		if c, err = l.covered(ctx, c); err != nil || c.Model == before {
			break
		}
	}
	if err != nil || c.Model == l.best.Model {
		return err
	}
	if c, err = l.prune(ctx, c); err != nil {
		return err
	}
	_, err = l.accepted(ctx, c)
	return err
}

// absorbed deletes parts of few votes whose columns others take over, if that makes the
// description shorter: no others look needless, as nothing else votes there.
func (l *learner) absorbed(ctx context.Context, c tried) (tried, error) {
	for k := c.Model.K() - 1; k >= 0 && c.Model.K() > 1; k-- {
		if k >= c.Model.K() || rows.Votes(c.Model, k, 0) > fewVotes {
			continue
		}
		next, _, err := l.considered(ctx, without(c.Model, k), moveRounds, l.stepOf(c.StartFrom))
		if err != nil {
			return c, err
		}
		if l.shorter(next, c) && next.Experts >= l.opt.MinExperts {
			c = next
		}
	}
	return c, nil
}

// torn tears parts in two halves that rows miss separately, as long as that makes the
// description shorter. Where nothing votes for off, no candidate comes of columns
// that are missing.
func (l *learner) torn(ctx context.Context, c tried) (tried, error) {
	if !l.once() || l.whole == nil { // where it takes long, no part is tried again beside others
		l.whole = map[string]bool{}
	}
	for k := 0; k < c.Model.K() && c.Model.K() < l.opt.MaxExperts; k++ {
		pattern := votePattern(c.Model, k)
		if l.whole[pattern] {
			continue
		}
		l.whole[pattern] = true
		first, err := l.halfOf(ctx, c.Model, k)
		if err != nil {
			return c, err
		}
		if first == nil || l.once() && l.mature && len(first) < leastHalf {
			continue
		}
		next, err := l.replaced(ctx, c, tornAt(c.Model, k, first), moveRounds)
		if err != nil {
			return c, err
		}
		if next.DescriptionLength < c.DescriptionLength {
			c, k = next, -1
		}
	}
	return c, nil
}

// replaced returns what a model comes to in place of another, or without a part that saves too
// little now, which may be another one; the other if neither is shorter. Where tries take no
// time it gives up later.
func (l *learner) replaced(ctx context.Context, c tried, m *patchwork.Model, rounds int) (next tried, err error) {
	needed := 0.0
	if l.small() {
		needed = mostNeeded
		next, _, err = l.considered(ctx, m, rounds, l.stepOf(c.StartFrom))
	} else {
		next, err = l.promising(ctx, m, rounds, c)
	}
	if err != nil || l.shorter(next, c) {
		return next, err
	}
	if l.once() && next.DescriptionLength > c.DescriptionLength+mostNeeded {
		return c, nil
	}
	if order, use, err := l.leastUseful(ctx, next.Model); err != nil || use[order[0]] >= needed {
		return c, err
	}
	if next, err = l.oneLess(ctx, next); err != nil || l.shorter(next, c) {
		return next, err
	}
	return c, nil
}

// halfOf returns the columns of the votes of part k that go together, by the first principal
// component of its rows, where some rows lack most of them and have the others, or the other
// way round; nil if there is no such half.
func (l *learner) halfOf(ctx context.Context, m *patchwork.Model, k int) (map[int]bool, error) {
	best, err := l.setsOf(ctx, m)
	if err != nil {
		return nil, err
	}
	var columns []int
	var on []bool
	q := rows.Background(m)
	for i, v := range m.Template(k) {
		if jointRule(m.Config().Rule).Votes(v, q[i]) {
			columns, on = append(columns, i), append(on, v > q[i])
		}
	}
	if len(columns) < 2 {
		return nil, nil
	}
	var met [][]float64 // by row and vote: whether the row has what the vote says
	var weights []float64
	var x []uint8
	for r, set := range best {
		if !slices.Contains(set, int16(k)) {
			continue
		}
		x = l.data.Images[r].AppendValues(x[:0])
		row := make([]float64, len(columns))
		for j, i := range columns {
			if x[i] == joint.Unknown {
				row[j] = m.Template(k)[i]
				if !on[j] {
					row[j] = 1 - row[j]
				}
			} else if (x[i] == joint.On) == on[j] {
				row[j] = 1
			}
		}
		met, weights = append(met, row), append(weights, l.data.Times(r))
	}
	direction := matrix.Principal(met, weights, principalShare)
	if direction == nil {
		return nil, nil
	}
	top := 0.0
	for _, v := range direction {
		if math.Abs(v) > math.Abs(top) {
			top = v
		}
	}
	first := map[int]bool{}
	inFirst := make([]bool, len(columns))
	for j, v := range direction {
		if inFirst[j] = v/top > halfEntry; inFirst[j] {
			first[columns[j]] = true
		}
	}
	if len(first) == len(columns) || !apart(met, weights, inFirst) {
		return nil, nil
	}
	return first, nil
}

// apart reports whether enough rows have less than a third of one half and more of the other.
func apart(met [][]float64, weights []float64, inFirst []bool) bool {
	rows := 0.0
	for r, p := range met {
		var has, of [2]float64
		for j, v := range p {
			h := 0
			if inFirst[j] {
				h = 1
			}
			has[h] += v
			of[h]++
		}
		if (3*has[0] < of[0]) != (3*has[1] < of[1]) {
			rows += weights[r]
		}
	}
	return rows >= leastTorn
}

// tornAt returns the model with part k in two: its votes on some columns, and the others.
func tornAt(m *patchwork.Model, k int, first map[int]bool) *patchwork.Model {
	templates, q := m.Templates(), rows.Background(m)
	second := slices.Clone(templates[k])
	for i := range second {
		if first[i] {
			second[i] = q[i]
		} else {
			templates[k][i] = q[i]
		}
	}
	extras := patchwork.Extras{Usage: slices.Clone(m.Extras().Usage), Record: m.Extras().Record}
	extras.Usage = append(extras.Usage, extras.Usage[k])
	return m.WithTemplates(append(templates, second), extras)
}

// covered makes parts anew, of the cheapest blocks that cover the votes of those there are, if
// that makes the description shorter: parts that are all the pairs of some, or triples, become
// these.
func (l *learner) covered(ctx context.Context, c tried) (tried, error) {
	m, err := l.coverOf(ctx, c)
	if err != nil || m == nil {
		return c, err
	}
	next, _, err := l.considered(ctx, m, coverRounds, l.stepOf(c.StartFrom))
	if err == nil {
		next, err = l.cleaned(ctx, next)
	}
	if err != nil || !l.near(next, c) {
		return c, err
	}
	if next, err = l.torn(ctx, next); err != nil || !l.shorter(next, c) {
		return c, err
	}
	return l.prune(ctx, next)
}

// coverOf returns the model of the cheapest blocks that cover the votes of another; nil for none.
func (l *learner) coverOf(ctx context.Context, c tried) (*patchwork.Model, error) {
	if l.cfg.Rule.TwoSided() || c.Model.K() < 3 {
		return nil, nil
	}
	q := rows.Background(c.Model)
	votes := &blocks.Matrix{Columns: len(q)}
	for _, t := range c.Model.Templates() {
		var ones []int32
		for i, v := range t {
			if v > q[i] {
				ones = append(ones, int32(i))
			}
		}
		votes.Ones = append(votes.Ones, ones)
	}
	found, err := blocks.Find(ctx, votes, blocks.Options{Cheapest: true, Seed: l.opt.Seed, Steps: coverSteps})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || len(found.Blocks) == 0 || len(found.Blocks) > l.opt.MaxExperts {
		return nil, err
	}
	extras := patchwork.Extras{Record: c.Model.Extras().Record}
	var templates [][]float64
	for _, b := range found.Blocks {
		t, usage := slices.Clone(q), 0.0
		for _, k := range b.Rows {
			usage += c.Model.Extras().Usage[k]
			for _, i := range b.Columns {
				t[i] = max(t[i], c.Model.Template(int(k))[i])
			}
		}
		templates, extras.Usage = append(templates, t), append(extras.Usage, min(usage, 1))
	}
	return c.Model.WithTemplates(templates, extras), nil
}

// near reports whether a description is hardly longer than another, if at all: what moves that
// follow may make up for.
func (l *learner) near(next, c tried) bool {
	return next.DescriptionLength < c.DescriptionLength+
		max(nearLength, float64(nearShare*(l.backgroundLength()-c.DescriptionLength)))
}

const (
	oppositeUsage  = 0.1
	oppositeRounds = 4
	presentWorth   = 5 // nats by which the description may be longer where parts say what is there
)

// withOpposites adds to each part that has none its opposite, which votes the other way, if
// that makes the description shorter: it names no columns.
func (l *learner) withOpposites(ctx context.Context, c tried) (tried, error) {
	if !l.cfg.Rule.TwoSided() || l.opt.Experts > 0 {
		return c, nil
	}
	tried := map[string]bool{}
	for k := 0; k < c.Model.K() && c.Model.K() < l.opt.MaxExperts; k++ {
		m := withOpposite(c.Model, k)
		pattern := votePattern(m, m.K()-1)
		if tried[pattern] {
			continue
		}
		tried[pattern] = true
		known := false
		for j := range c.Model.K() {
			known = known || votePattern(c.Model, j) == pattern
		}
		if known {
			continue
		}
		next, _, err := l.considered(ctx, m, oppositeRounds, l.stepOf(c.StartFrom))
		if err != nil {
			return c, err
		}
		if l.shorter(next, c) {
			c, k = next, -1
		}
	}
	return c, nil
}

// withOpposite returns the model with the opposite of part k as one part more.
func withOpposite(m *patchwork.Model, k int) *patchwork.Model {
	q, templates := rows.Background(m), m.Templates()
	opposite := slices.Clone(q)
	for i, v := range templates[k] {
		if v != q[i] {
			opposite[i] = 1 - v
		}
	}
	extras := patchwork.Extras{Usage: append(slices.Clone(m.Extras().Usage), oppositeUsage),
		Record: m.Extras().Record}
	return m.WithTemplates(append(templates, opposite), extras)
}

// intoBackground makes parts that have an opposite, which votes the other way, what is said where
// nobody votes, if that makes the description shorter: rather those that say what is absent.
func (l *learner) intoBackground(ctx context.Context, c tried) (tried, error) {
	if l.cfg.Rule != patchwork.RuleMaxMinusMin || l.opt.Experts > 0 || l.m.Held {
		return c, nil
	}
	for k := 0; k < c.Model.K(); k++ {
		for j := range k {
			if votePattern(withOpposite(c.Model, j), c.Model.K()) != votePattern(c.Model, k) {
				continue
			}
			gone := [2]int{j, k}
			if votesFor(c.Model, j) > votesFor(c.Model, k) {
				gone = [2]int{k, j}
			}
			best, least := c, 0.0
			for _, k := range gone {
				m, err := asBackground(c.Model, k)
				if err != nil {
					return c, err
				}
				next, _, err := l.considered(ctx, m, oppositeRounds, l.stepOf(c.StartFrom))
				if err != nil {
					return c, err
				}
				if l.shorter(next, best) && next.DescriptionLength < best.DescriptionLength-least {
					best, least = next, presentWorth
				}
			}
			if best.Model != c.Model {
				return l.intoBackground(ctx, best)
			}
		}
	}
	return c, nil
}

// votesFor returns how many columns part k votes for.
func votesFor(m *patchwork.Model, k int) (n int) {
	for i, p := range m.Template(k) {
		if p > m.Abstention(i) {
			n++
		}
	}
	return n
}

// asBackground returns the model without part k, whose votes the background says.
func asBackground(m *patchwork.Model, k int) (*patchwork.Model, error) {
	cfg, was, templates := m.Config(), rows.Background(m), m.Templates()
	cfg.QMap = rows.Background(m)
	for i, p := range m.Template(k) {
		if p != was[i] {
			cfg.QMap[i] = clipQ(p)
		}
	}
	for _, t := range templates {
		for i, p := range t {
			if p == was[i] {
				t[i] = cfg.QMap[i]
			}
		}
	}
	next, err := m.WithConfig(cfg)
	if err != nil {
		return nil, err
	}
	return without(next.WithTemplates(templates, m.Extras()), k), nil
}

// heldGather gathers and improves parts beside the background that there is before there are any,
// which would otherwise slide to one side while there are few; then it releases the background.
func (l *learner) heldGather(ctx context.Context, attempt uint64) error {
	l.m.Held = true
	defer func() { l.m.Held = false }()
	if err := l.gather(ctx, attempt); err != nil || l.own.Model == nil {
		return err
	}
	c, err := l.improved(ctx, l.own, attempt)
	if err != nil {
		return err
	}
	l.m.Held = false
	next, _, err := l.considered(ctx, c.Model, moveRounds, l.stepOf(StartFromGrow))
	if err != nil {
		return err
	}
	l.own = tried{}
	_, err = l.accepted(ctx, next)
	return err
}
