package score

import "example.com/patchwork/internal/score/kernel"

// Where every expert has one place only, as in the rows of a table, thousands
// of images can be explained at a time, packed 64 pixels a word. There are two
// ways, and both give what Search gives, to the bit:
//
//   - rowsets.go takes the rows by the set of experts picked so far: they share
//     a table of exact gains by four pixels of a row, so a step costs a handful
//     of additions. It pays for sets that many rows share.
//   - rowlanes.go takes row by row: gains of all experts in fixed point, brought
//     up to date where a pick changed something, propose; exact sums decide.
//
// A bank with a vote of 0 or 1 is left to Search, and so is a row in which
// opposing votes cancel to such a probability.

// RowOptions are the settings of a pursuit on rows. A pick must gain more than
// MinGain + Tie nats after its expert's cost.
type RowOptions struct {
	Costs    []float64 // nats a pick of each expert, finite; or nil
	MinGain  float64
	MaxPicks int
	Forced   bool // the first pick need not gain
}

// Table is all that explaining rows needs to know of a bank. It is immutable
// and safe for concurrent use.
type Table struct {
	bank    *Bank
	opt     RowOptions
	experts int
	pixels  int
	words   int // of a packed row
	groups  int // of four pixels, to hold a row
	quads   int // of four groups each
	loops   *kernel.RowLoops

	// above and below are, by expert c and holder h, the pixels where c's
	// opinion is above, below, the one that h holds: expert h-1's, or
	// abstention where h is 0.
	above, below []uint64
	base         [2][]float64 // log-likelihood of an off and an on pixel in abstention
	lanes        lanes
}

// Bounds of the memory of a Table: of above and below, in words, and of the
// gains from abstention, in numbers of 4 bytes.
const (
	maxOrders = 1 << 23
	maxFirst  = 1 << 23
)

// NewTable prepares the bank for explaining rows. It is nil where only Search
// can: experts that turn, votes of 0 or 1, very many experts or pixels.
func NewTable(b *Bank, opt RowOptions) *Table {
	k, d := len(b.Sprites), b.Height*b.Width
	t := &Table{bank: b, opt: opt, experts: k, pixels: d, words: (d + 63) / 64, groups: (d + 3) / 4, quads: (d + 15) / 16, loops: rowLoops(kernel.Chosen())}
	if !b.plain || k == 0 || d == 0 || 2*k*(k+1)*t.words > maxOrders || 64*t.quads*(k+15) > maxFirst {
		return nil
	}
	for x := range t.base {
		t.base[x] = make([]float64, d)
		for i := range t.base[x] {
			t.base[x][i] = pixelLogLik(uint8(x), b.q(i))
		}
	}
	t.prepareOrders()
	t.prepareLanes()
	return t
}

// prepareOrders fills in above and below.
func (t *Table) prepareOrders() {
	held := make([][]float64, t.experts+1) // by holder
	for h := range held {
		held[h] = make([]float64, 16*t.quads)
		for i := range t.pixels {
			held[h][i] = t.opinion(h, i)
		}
	}
	n := t.experts * (t.experts + 1) * t.words
	t.above = make([]uint64, n)
	if t.bank.TwoSided {
		t.below = make([]uint64, n)
	}
	for at := 0; at < n; at += t.words {
		v, w := held[at/t.words/(t.experts+1)+1], held[at/t.words%(t.experts+1)]
		t.loops.Greater(t.above[at:at+t.words], v, w)
		if t.bank.TwoSided {
			t.loops.Greater(t.below[at:at+t.words], w, v)
		}
	}
}

// opinion is what holder h says about pixel i.
func (t *Table) opinion(h, i int) float64 {
	if h == 0 {
		return t.bank.q(i)
	}
	return t.bank.Sprites[h-1].V[i]
}

// logLik is the log-likelihood of pixel i of value x where top holds the
// largest opinion and bottom the smallest: 1 + an expert, or 0 for abstention.
func (t *Table) logLik(x uint8, i, top, bottom int) float64 {
	one := top + bottom - 1 // the only one who votes, if there is only one
	switch {
	case top > 0 && bottom > 0:
		return pixelLogLik(x, Compose(t.opinion(top, i), t.opinion(bottom, i), t.bank.q(i)))
	case one < 0:
		return t.base[x][i]
	case x == On:
		return t.bank.Sprites[one].On[i]
	}
	return t.bank.Sprites[one].Off[i]
}

// votes sets up and down to the known pixels at which expert c would hold the
// largest, smallest, opinion if it joined the picks. down is nil under max.
func (t *Table) votes(c int, picks []int32, known, up, down []uint64) {
	at, end := c*(t.experts+1)*t.words, (c+1)*(t.experts+1)*t.words
	t.loops.Voters(up, known, t.above[at:end], picks)
	if down != nil {
		t.loops.Voters(down, known, t.below[at:end], picks)
	}
}

// Packed is N rows of (pixels+63)/64 words each: pixel i of a row is bit i%64
// of its word i/64. Known is nil where every pixel is known. An unknown pixel
// is off, and so are the bits behind the last pixel, in both.
type Packed struct {
	N         int
	On, Known []uint64
}

// row is row n of a plane, or of nil the given mask.
func (t *Table) row(plane []uint64, n int, otherwise []uint64) []uint64 {
	if plane == nil {
		return otherwise
	}
	return plane[n*t.words : (n+1)*t.words]
}

// Picked is what was found in rows, in flat arrays. The picks of row n are
// Expert[From[n]:From[n+1]], in the order of the pursuit, and Gain alike, in
// nats and without the costs. Start and LogLik are the log-likelihoods, by row,
// of abstention and of the picks. Odd lists the rows, rising, that are for
// Search to explain; they have no picks here.
type Picked struct {
	From          []int
	Expert        []int32
	Gain          []float64
	Start, LogLik []float64
	Odd           []int
}

func (p *Picked) reset(n int) {
	p.From = append(resize(p.From, n+1)[:0], 0)
	p.Expert, p.Gain, p.Odd = p.Expert[:0], p.Gain[:0], p.Odd[:0]
	p.Start, p.LogLik = resize(p.Start, n), resize(p.LogLik, n)
}

// Rows explains rows. It belongs to one goroutine; its memory is reused.
type Rows struct {
	*Table
	all   []uint64 // every pixel is known
	sets  sets
	lane  lane
	count count
}

// NewRows makes the scratch memory of one goroutine.
func NewRows(t *Table) *Rows {
	r := &Rows{Table: t, all: make([]uint64, t.words)}
	for i := range t.pixels {
		r.all[i/64] |= 1 << (i % 64)
	}
	r.prepareLane()
	r.prepareSets()
	return r
}

// Block is how many rows go through the steps of the pursuit together: many
// enough to share tables, few enough to stay in the cache.
const Block = kernel.Block

// Explain explains rows and replaces what out holds.
func (r *Rows) Explain(rows Packed, out *Picked) {
	out.reset(rows.N)
	for from := 0; from < rows.N; from += Block {
		r.explainBlock(rows, from, min(from+Block, rows.N), out)
	}
}

// explainBlock explains rows [from, to), at most Block.
func (r *Rows) explainBlock(rows Packed, from, to int, out *Picked) {
	n := from
	if r.sets.on && rows.Known == nil {
		r.explainSets(rows, from, to, out)
		n += r.gather(0, out)
	}
	for ; n < to; n++ {
		first := len(out.Expert)
		if !r.explainLane(n, r.row(rows.On, n, nil), r.row(rows.Known, n, r.all), out) {
			out.Expert, out.Gain = out.Expert[:first], out.Gain[:first]
			out.Odd = append(out.Odd, n)
		}
		out.From = append(out.From, len(out.Expert))
		if r.sets.on && rows.Known == nil {
			n = from + r.gather(n+1-from, out) - 1
		}
	}
}
