package patchwork

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/patchwork/bitmap"
	scorerows "example.com/patchwork/internal/score/rows"
	"example.com/patchwork/pose"
)

// Explanations holds the explanations of several images in flat arrays. The picks of image i are
// entries From[i] to From[i+1] of Experts, Gains and Poses, in the order of the pursuit; see Pick.
// The log-likelihoods, in nats per image, are those of the same names in Explanation. ExplainAll
// reuses the memory.
type Explanations struct {
	From                             []int // one offset more than images
	Experts                          []int32
	Gains                            []float64
	Poses                            []pose.Pose // nil if all picks are where their experts were learned
	StartLogLik, LogLik, LogLikModel []float64
	Missing, Clutter                 []float64 // nil unless the pursuit is Calibrated
	Scoring                          Scoring   // of all
}

// reset removes all explanations and keeps the memory.
func (e *Explanations) reset() {
	e.From, e.Experts, e.Gains, e.Poses = append(e.From[:0], 0), e.Experts[:0], e.Gains[:0], nil
	e.StartLogLik, e.LogLik, e.LogLikModel = e.StartLogLik[:0], e.LogLik[:0], e.LogLikModel[:0]
	e.Missing, e.Clutter = e.Missing[:0], e.Clutter[:0]
}

// add appends an explanation.
func (e *Explanations) add(x *Explanation) {
	for _, pick := range x.Picks {
		if e.Poses == nil && pick.Pose != (pose.Pose{}) {
			e.Poses = make([]pose.Pose, len(e.Experts), max(16, 2*len(e.Experts)))
		}
		e.Experts, e.Gains = append(e.Experts, int32(pick.Expert)), append(e.Gains, pick.Gain)
		if e.Poses != nil {
			e.Poses = append(e.Poses, pick.Pose)
		}
	}
	e.addScores(x.StartLogLik, x.LogLik, x.LogLikModel)
}

// addScores appends the scores of an image whose picks have been appended.
func (e *Explanations) addScores(start, logLik, logLikModel float64) {
	e.From = append(e.From, len(e.Experts))
	e.StartLogLik = append(e.StartLogLik, start)
	e.LogLik, e.LogLikModel = append(e.LogLik, logLik), append(e.LogLikModel, logLikModel)
}

// ExplainAll replaces the contents of out by the explanations of many images, equal
// to those of Explain to the bit. If experts have one pose only, as in tables, it
// is much faster, and the more so the more images a call has. The error is a
// *SizeError and names the first image that does not fit; out then holds the
// explanations of the images before it.
func (p *Pursuit) ExplainAll(images []*bitmap.Image, out *Explanations) error {
	out.reset()
	out.Scoring = p.opt.lastScoring()
	p.rowTable.expect(len(images))
	if len(images) >= rowsAtOnce {
		p.rowTable.expect(manyBlocks * rowsAtOnce)
	}
	p.makeRows(images)
	n := len(images)
	out.From, out.StartLogLik = slices.Grow(out.From, n), slices.Grow(out.StartLogLik, n)
	out.LogLik, out.LogLikModel = slices.Grow(out.LogLik, n), slices.Grow(out.LogLikModel, n)
	for from := 0; from < len(images); from += rowsAtOnce {
		part := images[from:min(from+rowsAtOnce, len(images))]
		if b := p.packed(part); b != nil {
			b.explain()
			p.unpack(b, part, out)
			continue
		}
		for i, img := range part {
			e, err := p.Explain(img)
			if err != nil {
				return fmt.Errorf("image %d: %w", from+i, err)
			}
			out.add(e)
			if p.opt.Calibrated {
				out.Missing, out.Clutter = append(out.Missing, e.Missing), append(out.Clutter, e.Clutter)
			}
		}
	}
	return nil
}

// unpack appends the explanations of the images that b explained.
func (p *Pursuit) unpack(b *rows, images []*bitmap.Image, out *Explanations) {
	odd := b.picked.Odd
	if len(odd) == 0 && out.Poses == nil && p.opt.lastScoring() == ScoringOriginal { // all at once
		for _, to := range b.picked.From[1:] {
			out.From = append(out.From, len(out.Experts)+to)
		}
		out.Experts, out.Gains = append(out.Experts, b.picked.Expert...), append(out.Gains, b.picked.Gain...)
		out.StartLogLik = append(out.StartLogLik, b.picked.Start...)
		out.LogLik = append(out.LogLik, b.picked.LogLik...)
		out.LogLikModel = append(out.LogLikModel, b.picked.LogLik...)
		return
	}
	for i, img := range images {
		if len(odd) > 0 && odd[0] == i {
			odd = odd[1:]
			out.add(p.alone(img))
			continue
		}
		p.addRow(b, i, img, out)
	}
}

// alone returns the explanation of an image whose size is known to fit.
func (p *Pursuit) alone(img *bitmap.Image) *Explanation {
	within := p.within
	p.within = nil // it is a row, and soon done
	defer func() { p.within = within }()
	e, err := p.Explain(img)
	if err != nil {
		panic("patchwork: an image that fits: " + err.Error())
	}
	return e
}

// addRow appends the explanation of row i.
func (p *Pursuit) addRow(b *rows, i int, img *bitmap.Image, out *Explanations) {
	from, to := b.picked.From[i], b.picked.From[i+1]
	experts, gains, logLik := b.picked.Expert[from:to], b.picked.Gain[from:to], b.picked.LogLik[i]
	out.Experts, out.Gains = append(out.Experts, experts...), append(out.Gains, gains...)
	if out.Poses != nil {
		out.Poses = append(out.Poses, make([]pose.Pose, to-from)...)
	}
	logLikModel := logLik
	if p.opt.lastScoring() != ScoringOriginal {
		logLikModel = LogLik(img, p.model.Compose(img.Height(), img.Width(), picksOf(experts, gains, nil)).P)
	}
	out.addScores(b.picked.Start[i], logLik, logLikModel)
}

// manyBlocks is how many blocks of rows are expected of who comes with a whole one: a stream.
const manyBlocks = 8

// rowsLeast is the least number of images that are worth packing.
const rowsLeast = 8

// rows explains many rows of tables at a time. A pursuit and its forks share the
// table; the rest is for one goroutine at a time.
type rows struct {
	*scorerows.Explainer
	words, known []uint64
	packed       scorerows.Packed
	picked       scorerows.Picked
}

// rowsWorth is the number of rows up to which no table is made if explaining them
// one by one is quick too: learning from 100 rows took a tenth more time with
// tables, from 300 a tenth less.
const rowsWorth = 128

// rowTable is the table shared by a pursuit and its forks, made when it is first
// needed.
type rowTable struct {
	asked  atomic.Int64 // rows to explain so far, by all pursuits that share it
	coming atomic.Int64 // as far as is known, that one goroutine will explain
	once   sync.Once
	table  *scorerows.Table // nil if the model has none

	mu   sync.Mutex
	idle []*rows // released by pursuits; they remember the rows they have explained
}

// expect notes that one goroutine will explain so many rows.
func (t *rowTable) expect(rows int) { t.coming.Store(max(t.coming.Load(), int64(rows))) }

// take returns memory for one goroutine.
func (t *rowTable) take() *rows {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := len(t.idle) - 1
	if last < 0 {
		return &rows{Explainer: scorerows.NewExplainer(t.table)}
	}
	b := t.idle[last]
	t.idle = t.idle[:last]
	return b
}

// release makes the large memory of a pursuit available to others. The pursuit can
// be used again.
func (p *Pursuit) release() {
	p.search.Release()
	if p.bulk != nil {
		p.rowTable.mu.Lock()
		defer p.rowTable.mu.Unlock()
		p.rowTable.idle, p.bulk = append(p.rowTable.idle, p.bulk), nil
	}
}

// makeRows makes memory for explaining these images together, if that is possible and pays.
func (p *Pursuit) makeRows(images []*bitmap.Image) {
	if p.bulk != nil || len(images) < rowsLeast || p.still != nil || p.opt.Refined || p.opt.Reuse != 1 ||
		p.model.cfg.Poses.Turns() != 1 {
		return
	}
	if g, err := p.model.GridFor(p.model.cfg.Height, p.model.cfg.Width); err != nil || g.Len() != 1 || g.DY.Min != 0 ||
		g.DX.Min != 0 {
		return
	}
	if asked := p.rowTable.asked.Add(int64(len(images))); asked <= rowsWorth && p.scored.Fixed() {
		return
	}
	p.rowTable.once.Do(func() {
		p.rowTable.table = scorerows.NewTable(p.scored, scorerows.Options{Costs: p.opt.prices(p.opt.Scoring, 1, nil),
			MinGain: p.opt.MinGain, MaxPicks: p.opt.MaxPicks, Forced: p.opt.Forced, Rows: int(p.rowTable.coming.Load())})
	})
	if p.rowTable.table != nil {
		p.bulk = p.rowTable.take()
	}
}

// rows returns the images, packed, or nil if they must be explained one by one.
func (p *Pursuit) rows(images []*bitmap.Image) *rows {
	p.makeRows(images)
	return p.packed(images)
}

// packed is rows where makeRows was called.
func (p *Pursuit) packed(images []*bitmap.Image) *rows {
	if p.bulk == nil || len(images) < rowsLeast || !p.bulk.pack(images, p.model.cfg.Height, p.model.cfg.Width) {
		return nil
	}
	return p.bulk
}

// pack packs images, and reports whether all are of the given size.
func (b *rows) pack(images []*bitmap.Image, height, width int) bool {
	words, fit, complete := bitmap.AppendAllWords(b.words[:0], images, height, width)
	if b.words, b.known = words, b.known[:0]; !fit {
		return false
	}
	b.packed = scorerows.Packed{N: len(images), On: b.words}
	if !complete {
		for _, img := range images {
			b.known = img.AppendKnownWords(b.known)
		}
		b.packed.Known = b.known
	}
	return true
}

// explain explains the images that are packed.
func (b *rows) explain() { b.Explainer.Explain(b.packed, &b.picked) }

// addRows counts the rows that b explained, except the odd ones, with their
// weights (nil: once each).
func (t *Tally) addRows(b *rows, weights []int64) {
	odd := b.picked.Odd
	for i, logLik := range b.picked.LogLik {
		if len(odd) > 0 && odd[0] == i {
			odd = odd[1:]
			continue
		}
		weight := int64(1)
		if weights != nil {
			weight = weights[i]
		}
		picks := b.picked.Expert[b.picked.From[i]:b.picked.From[i+1]]
		t.addScores(weight, len(picks), logLik)
		for _, k := range picks {
			t.active[k] += weight
			t.uses[k] += weight
		}
	}
	b.Count(b.packed, weights, &b.picked, scorerows.Counts(t.counts))
}

// At returns the explanation of image i. Its picks are new memory.
func (e *Explanations) At(i int) Explanation {
	from, to := e.From[i], e.From[i+1]
	var poses []pose.Pose
	if e.Poses != nil {
		poses = e.Poses[from:to]
	}
	x := Explanation{StartLogLik: e.StartLogLik[i], LogLik: e.LogLik[i], LogLikModel: e.LogLikModel[i], Scoring: e.Scoring,
		Picks: picksOf(e.Experts[from:to], e.Gains[from:to], poses)}
	if i < len(e.Missing) {
		x.Missing, x.Clutter = e.Missing[i], e.Clutter[i]
	}
	return x
}

// picksOf returns picks of these experts, gains and poses; nil for poses says that all are where they were learned. Of
// none it is nil.
func picksOf(experts []int32, gains []float64, poses []pose.Pose) []Pick {
	if len(experts) == 0 {
		return nil
	}
	picks := make([]Pick, len(experts))
	for at, k := range experts {
		picks[at] = Pick{Expert: int(k), Gain: gains[at]}
		if poses != nil {
			picks[at].Pose = poses[at]
		}
	}
	return picks
}
