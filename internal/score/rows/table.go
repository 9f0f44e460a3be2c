package rows

import (
	"slices"
	"sync"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// Options are the settings of a pursuit on rows. A pick must gain more than
// MinGain + score.Tie nats after its expert's cost.
type Options struct {
	Costs    []float64 // nats per pick of each expert, finite; or nil
	MinGain  float64
	MaxPicks int
	Forced   bool // the first pick need not gain
	Rows     int  // as many as one goroutine will explain at least, as far as is known
}

// Table holds all that explaining rows needs to know of a bank. It is immutable
// and safe for concurrent use.
type Table struct {
	bank    *score.Bank
	opt     Options
	experts int
	pixels  int
	words   int      // of a packed row
	groups  int      // of four pixels, to hold a row
	quads   int      // of four groups each
	all     []uint64 // every pixel is known
	loops   *kernel.RowLoops

	// above and below are, by expert c and holder h, the pixels where c's
	// opinion is above, below, the one that h holds: expert h-1's, or
	// abstention where h is 0.
	above, below []uint64
	base         [2][]float64 // log-likelihood of an off and an on pixel in abstention
	units        units        // made when byRow is first needed
	unitsOnce    sync.Once
	byVotes      bool // there is vector code for byVote
	voteOnce     sync.Once
	vote         *voteTables // made when byVote pays, see voteTablesOnce
}

// Bounds of the memory of a Table: of above and below, in words, and of the
// gains from abstention, in numbers of 4 bytes.
const (
	maxOrders = 1 << 23
	maxFirst  = 1 << 23
)

// NewTable prepares a bank for explaining rows. It returns nil where only
// score.Search can: experts that turn, votes of 0 or 1, very many experts or pixels.
func NewTable(b *score.Bank, opt Options) *Table {
	k, d := len(b.Sprites), b.Height*b.Width
	t := &Table{bank: b, opt: opt, experts: k, pixels: d, words: (d + 63) / 64, groups: (d + 3) / 4, quads: (d + 15) / 16,
		loops: loopsOf(kernel.Chosen())}
	if !b.Plain() || k == 0 || d == 0 || 2*k*(k+1)*t.words > maxOrders || 64*t.quads*(k+15) > maxFirst {
		return nil
	}
	t.all = make([]uint64, t.words)
	for i := range d {
		t.all[i/64] |= 1 << (i % 64)
	}
	for x := range t.base {
		t.base[x] = make([]float64, d)
		for i := range t.base[x] {
			t.base[x][i] = score.PixelLogLik(uint8(x), b.Abstention(i))
		}
	}
	t.prepareOrders()
	t.units.n = (k + 15) &^ 15
	vectors := kernel.RowVectors(kernel.Chosen())
	t.byVotes = vectors != nil && vectors.VoteStep != nil
	return t
}

// Packed holds N rows of (pixels+63)/64 words each: pixel i of a row is bit i%64
// of its word i/64. Known is nil where every pixel is known. An unknown pixel
// is off, and so are the bits behind the last pixel, in both.
type Packed struct {
	N         int
	On, Known []uint64
}

// Picked holds what was found in rows, in flat arrays. The picks of row n are
// Expert[From[n]:From[n+1]], in the order of the pursuit, and Gain alike, in
// nats and without the costs. Start and LogLik are the log-likelihoods, by row,
// of abstention and of the picks. Odd lists the rows, rising, that score.Search has
// to explain; they have no picks here.
type Picked struct {
	From          []int
	Expert        []int32
	Gain          []float64
	Start, LogLik []float64
	Odd           []int
}

// reset empties p and makes room for n rows.
func (p *Picked) reset(n int) {
	p.From = append(slices.Grow(p.From[:0], n+1), 0)
	p.Expert, p.Gain, p.Odd = p.Expert[:0], p.Gain[:0], p.Odd[:0]
	p.Start, p.LogLik = resize(p.Start, n), resize(p.LogLik, n)
}

// has reports whether there is room for n more picks.
func (p *Picked) has(n int) bool {
	return min(cap(p.Expert)-len(p.Expert), cap(p.Gain)-len(p.Gain)) >= n
}

// resize returns s with length n, in its memory where that is large enough.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
