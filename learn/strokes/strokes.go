// Package strokes learns the parts of drawings cleanly: experts that move, under
// the max rule, each in one piece and without ink of another one.
//
// It is EM with hard assignments, as in section 4 of the paper, with another
// M-step. Eq. (1) takes the mean of the pixels that an expert won; so an entry that
// is never contested keeps the ink of other strokes that once lay there, and one
// that is always contested keeps its old value. Here an entry votes for what the
// images would gain by it, given all other experts:
//
//	f(p) = sum over the images of log P(x | max(p, m)) - log P(x | m),
//
// where m is the composition of the other picks at the pixel x on which the entry
// lies. The experts take the step one after the other, the others composed again in
// between. What an entry gains is pooled with its neighbours, because poses are known
// to half a pixel only; a vote must bring more than [Options.Vote] nats, and its
// boundary, next to entries that do not vote, has a price. Where two picks cover a
// pixel, both with more than 1/2, that costs something while learning. A stroke goes
// on below another one that crosses it, and small pieces beside the largest are
// dropped.
//
// Every pick must gain the logarithm of the number of poses: it has to be said where
// it lies. [State.Length] is what the images cost in all, in nats, and judges which
// start is the best and how many parts there are.
//
// Templates have probabilities of a few levels. So all that the M-step needs of the
// images are [Counts], whole numbers: the same for any number of workers, and
// from parts of the images that are counted elsewhere and merged.
package strokes

import (
	"context"
	"fmt"
	"math"
	"sync"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/score/kernel"
)

// Options of a Learner. The zero value is the recommended default; where 0 is a
// price, a negative value means that there is none.
type Options struct {
	// Straight, if above 0, prefers straight parts: one that votes beyond one straight
	// band costs so many nats for every image.
	Straight float64

	// Shared means that the parts are shared by images of many kinds: each image has
	// some of them, any number of times up to Config.Reuse, in poses of a full circle.
	// A pick then costs the logarithm of the number of experts more, probabilities may
	// be nearer to 0 and 1, and after each M-step the templates are centred in their
	// frame (Centre). There are many poses, so picks are sought on every other row of
	// shifts.
	Shared bool

	// Workers is the number of goroutines; 0 means 1. The result is the same for
	// any number.
	Workers int
}

const (
	// The prices, in nats, of two neighbouring entries of which one votes, and of a pixel
	// that two picks cover, both with more than 1/2.
	boundaryPrice, doublePrice = 1.0, 0.5
	// neighbourWeight is that of each neighbour of an entry where what it gains is pooled
	// with theirs.
	neighbourWeight = 0.3
	// strict is how many times its price a vote must bring: what its neighbours gain is
	// counted in part as its own.
	strict = 1.5
	// smallestPiece is the least size of a piece of an expert, of the largest.
	smallestPiece = 0.3
	// closing is the radius of the disc by which a stroke is closed where another one
	// crosses it: somewhat more than half of the width of a stroke.
	closing = 4
	// sharedPick is what a pick of a shared part must bring beyond saying what and where it
	// is, in nats, by the height of the frame: neighbouring pixels err together, and
	// without it parts shrink to the dots that mend what others leave.
	sharedPick = 26. / 56
	// sweeps is how often the picks of an image are visited in one E-step.
	sweeps = 3
)

// Learner makes the two steps of EM on some images. It is safe for concurrent use.
type Learner struct {
	ground *ground
	levels *levels
	opt    Options
	reuse  int
	data   patchwork.Data
	rows   int64
	// vote is the price of a vote, in nats, in all images together: half of the logarithm of
	// their number, which is what a number costs that has to be known to the precision that
	// the images give it. A vote must bring half as much again.
	vote    float64
	unit    float64 // of gains in fixed point, per nat
	perPose float64 // log of the number of poses
	// How an entry gains: by truncated templates, by the likelihood with the price of
	// double coverage, and without it.
	truncated, priced, plain *table

	idle sync.Pool // of searches: their maps are large
}

// Fits returns an error if experts of a configuration cannot be learned by this
// package, which says why.
func Fits(c patchwork.Config) error {
	switch {
	case c.Rule != patchwork.RuleMax:
		return fmt.Errorf("patchwork: strokes are learned under the rule max, not %v", c.Rule)
	case c.QMap != nil:
		return fmt.Errorf("patchwork: strokes are learned on one background, not on a probability for every pixel")
	case !(c.Q > 0 && c.Q <= 0.5):
		return fmt.Errorf("patchwork: strokes are learned on a background above 0 and up to 0.5, not %v", c.Q)
	}
	return nil
}

// New returns a learner of experts of a configuration. The images must be of one
// size that the configuration permits, and have ink. The error is that of Fits, or
// names the image that is of another size.
func New(data patchwork.Data, c patchwork.Config, opt Options) (*Learner, error) {
	if err := Fits(c); err != nil {
		return nil, err
	}
	if len(data.Images) == 0 {
		return nil, fmt.Errorf("patchwork: no images to learn strokes from")
	}
	blank, err := patchwork.NewModel(c, [][]float64{make([]float64, c.Height*c.Width)})
	if err != nil {
		return nil, err
	}
	votes := voteLevels[:]
	if opt.Shared {
		votes = sharedLevels[:]
	}
	first := data.Images[0]
	grid, err := blank.GridFor(first.Height(), first.Width())
	if err != nil {
		return nil, err
	}
	l := &Learner{ground: newGround(c, first.Height(), first.Width(), grid), levels: newLevels(c.Q, votes),
		reuse: max(c.Reuse, 1), data: data,
		perPose: elem.Log(float64(grid.Len()))}
	for i, img := range data.Images {
		if img.Height() != first.Height() || img.Width() != first.Width() {
			return nil, fmt.Errorf("patchwork: image %d is of %d x %d pixels, the first one of %d x %d", i, img.Height(),
				img.Width(), first.Height(), first.Width())
		}
		l.rows += data.Weight(i)
	}
	l.vote, l.opt = elem.Log(float64(max(l.rows, 1)))/2, opt
	l.opt.Workers = max(opt.Workers, 1)
	l.tables()
	return l, nil
}

// tables makes the tables of gains. The unit is as fine as sums of 32 bits permit.
func (l *Learner) tables() {
	top := len(l.levels.p) - 1
	most := doublePrice - l.levels.off[top] + l.levels.on[top] - l.levels.on[0]
	l.unit = 1 << 16
	for l.unit*most*float64(l.ground.height*l.ground.width) > math.MaxInt32/2 {
		l.unit /= 2
	}
	same := func(p float64) float64 { return p }
	l.truncated = newTable(l.levels, func(p float64) float64 { return max(p, 0.5) }, 0, l.unit)
	l.priced = newTable(l.levels, same, doublePrice, l.unit)
	l.plain = newTable(l.levels, same, 0, l.unit)
}

// State is where learning has come to from one start.
type State struct {
	templates [][]uint8 // levels
	straight  []bool    // whether the votes must lie in one straight band
	picks     [][]pick  // of each image

	// LogLik is the log-likelihood of the images, in nats. What lies beyond their
	// borders counts as the configuration says.
	LogLik float64

	// Length is the number of nats that describe the images: minus LogLik, the
	// logarithm of the number of poses for every pick, and the prices of votes,
	// boundaries, double coverage and bent parts.
	Length float64
}

// perPick returns what a pick costs: the logarithm of the number of poses, and where
// experts are shared by images of many kinds, of experts, and sharedPick besides.
func (l *Learner) perPick(experts int) float64 {
	if l.opt.Shared {
		return float64(sharedPick*float64(l.ground.height)) + l.perPose + elem.Log(float64(experts))
	}
	return l.perPose
}

// Start returns a state with K templates, each Height*Width probabilities, at the
// nearest levels. It panics if they are of another size.
func (l *Learner) Start(templates [][]float64) *State {
	st := &State{straight: make([]bool, len(templates)), picks: make([][]pick, len(l.data.Images))}
	for _, t := range templates {
		if len(t) != l.ground.height*l.ground.width {
			panic("strokes: a template of another size")
		}
		own := make([]uint8, len(t))
		for i, p := range t {
			own[i] = l.levels.nearest(p)
		}
		st.templates = append(st.templates, own)
	}
	return st
}

// Clone returns a copy whose next step leaves st as it is.
func (st *State) Clone() *State {
	c := *st
	c.templates = append([][]uint8(nil), st.templates...)
	c.straight = append([]bool(nil), st.straight...)
	c.picks = append([][]pick(nil), st.picks...)
	return &c
}

// Templates returns the templates as probabilities.
func (l *Learner) Templates(st *State) [][]float64 {
	var out [][]float64
	for _, t := range st.templates {
		own := make([]float64, len(t))
		for i, v := range t {
			own[i] = l.levels.p[v]
		}
		out = append(out, own)
	}
	return out
}

// Picks returns the picks of image i.
func (l *Learner) Picks(st *State, i int) []patchwork.Pick {
	var out []patchwork.Pick
	for _, p := range st.picks[i] {
		at := patchwork.Pick{Expert: p.expert, Pose: l.ground.grid.Turn(p.turn)}
		at.Pose.DY, at.Pose.DX = p.dy, p.dx
		out = append(out, at)
	}
	return out
}

// newSearch returns a search for a worker.
func (l *Learner) newSearch() *search {
	n := l.ground.len()
	return &search{ground: l.ground, levels: l.levels, path: kernel.Chosen(), reuse: l.reuse,
		circle: circular(l.ground.grid.Angles),
		pixels: l.ground.newPixels(), mu: make([]uint8, n), mark: make([]uint32, n),
		byTable: make(map[*table]*maps)}
}

// each calls do for every image that counts, each worker with its own search, on
// which the image lies.
func (l *Learner) each(ctx context.Context, do func(s *search, worker, i int)) error {
	searches := make([]*search, l.opt.Workers)
	_, err := pool.Run(ctx, len(l.data.Images), l.opt.Workers, 1, func(w, i int) error {
		if searches[w] == nil {
			searches[w], _ = l.idle.Get().(*search)
			if searches[w] == nil {
				searches[w] = l.newSearch()
			}
		}
		if l.data.Weight(i) > 0 {
			searches[w].values = l.ground.lay(l.data.Images[i], searches[w].pixels, searches[w].values)
			do(searches[w], w, i)
		}
		return nil
	})
	for _, s := range searches {
		if s != nil {
			l.idle.Put(s)
		}
	}
	return err
}
