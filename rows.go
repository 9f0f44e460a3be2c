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
// to those of Explain. The error is a *SizeError and names the first image that does not fit; out then holds the
// explanations of the images before it.
func (p *Pursuit) ExplainAll(images []*bitmap.Image, out *Explanations) error {
	out.reset()
	out.Scoring = p.opt.lastScoring()
	n := len(images)
	out.From, out.StartLogLik = slices.Grow(out.From, n), slices.Grow(out.StartLogLik, n)
	out.LogLik, out.LogLikModel = slices.Grow(out.LogLik, n), slices.Grow(out.LogLikModel, n)
	for i, img := range images {
		if !p.opt.Calibrated && out.Scoring == ScoringOriginal && p.addRow(img, out) {
			continue
		}
		e, err := p.Explain(img)
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		out.add(e)
		if p.opt.Calibrated {
			out.Missing, out.Clutter = append(out.Missing, e.Missing), append(out.Clutter, e.Clutter)
		}
	}
	return nil
}

// rowsWorth is the number of rows up to which no table is made: it takes as long as explaining about so many without.
const rowsWorth = 16

// rowTable is what a pursuit and its forks share about a model whose experts have one place only.
type rowTable struct {
	asked atomic.Int64 // rows to explain so far
	once  sync.Once
	table *scorerows.Table // made when it pays; nil if the model has none
	idle  sync.Pool        // of *row
}

// row explains rows of a table, on one goroutine at a time.
type row struct {
	*scorerows.Explainer
	on, known []uint64
}

// newRowTable returns what rows need; nil where experts move or picks are changed afterwards.
func (p *Pursuit) newRowTable() *rowTable {
	c := &p.model.cfg
	if p.still != nil || p.opt.Refined || p.opt.Reuse != 1 || c.Poses.Turns() != 1 {
		return nil
	}
	if g, err := p.model.GridFor(c.Height, c.Width); err != nil || g.Len() != 1 || g.DY.Min != 0 || g.DX.Min != 0 {
		return nil
	}
	return new(rowTable)
}

// takeRow returns what explains a row; nil where that does not pay, or only the search can.
func (p *Pursuit) takeRow() *row {
	t := p.rowTable
	if t == nil || t.asked.Add(1) <= rowsWorth {
		return nil
	}
	t.once.Do(func() {
		t.table = scorerows.NewTable(p.scored, scorerows.Options{Costs: p.opt.prices(p.opt.Scoring, 1, nil),
			MinGain: p.opt.MinGain, MaxPicks: p.opt.MaxPicks, Forced: p.opt.Forced})
	})
	if t.table == nil {
		return nil
	}
	if r, ok := t.idle.Get().(*row); ok {
		return r
	}
	return &row{Explainer: scorerows.NewExplainer(t.table)}
}

// found calls use with what is found in an image as a row of a table; false where it must be searched.
func (p *Pursuit) found(img *bitmap.Image, use func(*scorerows.Found)) bool {
	if img.Height() != p.model.cfg.Height || img.Width() != p.model.cfg.Width {
		return false
	}
	r := p.takeRow()
	if r == nil {
		return false
	}
	defer p.rowTable.idle.Put(r)
	r.on = img.AppendWords(r.on[:0])
	var known []uint64
	if !img.Complete() {
		r.known = img.AppendKnownWords(r.known[:0])
		known = r.known
	}
	found, ok := r.Explain(r.on, known)
	if ok {
		use(found)
	}
	return ok
}

// addRow appends the explanation of an image, as it is learned, as a row of a table; false where it must be searched.
func (p *Pursuit) addRow(img *bitmap.Image, out *Explanations) bool {
	return p.found(img, func(f *scorerows.Found) {
		out.Experts, out.Gains = append(out.Experts, f.Experts...), append(out.Gains, f.Gains...)
		out.addScores(f.Start, f.LogLik, f.LogLik)
	})
}

// explainRow explains an image as a row of a table; nil where it must be searched.
func (p *Pursuit) explainRow(img *bitmap.Image) (e *Explanation) {
	p.found(img, func(f *scorerows.Found) {
		e = &Explanation{Picks: picksOf(f.Experts, f.Gains, nil), StartLogLik: f.Start, LogLik: f.LogLik,
			LogLikModel: f.LogLik, Scoring: p.opt.lastScoring()}
		if e.Scoring != ScoringOriginal {
			p.pixels = img.AppendValues(p.pixels[:0])
			e.LogLikModel = p.logLikModel(img.Height(), img.Width(), e.Picks)
		}
	})
	return e
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
