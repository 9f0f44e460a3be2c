package rows

import (
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
}

// Table holds all that explaining rows needs to know of a bank. It is immutable
// and safe for concurrent use.
type Table struct {
	bank    *score.Bank
	opt     Options
	experts int
	pixels  int
	words   int      // of a packed row
	quads   int      // of 16 pixels, to hold a row
	all     []uint64 // every pixel is known
	loops   *kernel.RowLoops

	// above and below are, by expert c and holder h, the pixels where c's
	// opinion is above, below, the one that h holds: expert h-1's, or
	// abstention where h is 0.
	above, below []uint64
	base         [2][]float64 // log-likelihood of an off and an on pixel in abstention
	units        units
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
	t := &Table{bank: b, opt: opt, experts: k, pixels: d, words: (d + 63) / 64, quads: (d + 15) / 16,
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
	t.prepareUnits()
	return t
}
