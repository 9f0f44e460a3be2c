package score

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/kernel"
)

// This file makes what the bounded engine knows of a bank: tables that bound the
// gain of a sprite at all shifts from above, from abstention, and terms that give
// the gain of one candidate in any composition of the max rule. They hold with one
// abstention value and no opinion of 0 or 1.

// bankBounds holds the tables of a bank, once it has searched enough shifts.
type bankBounds struct {
	asked  atomic.Int64 // shifts, over all images
	once   sync.Once
	tables *boundTables
}

// boundTables holds the tables and terms of a bank, for one path of kernels.
type boundTables struct {
	path    *kernel.Path
	sprites []spriteTables
	entries []byte // of all tables

	// The frame's pixels that may vote at all lie in these rows and columns.
	top, bottom, left, right int

	classes classes
	sides   *sides // instead of classes, under max-minus-min; else nil

	floor   *floorTables // nil if the bank has no floor
	regions []int        // by sprite: its region of floor; 0 without

	kept atomic.Pointer[layout] // the last one made
}

// spriteTables holds the tables and terms of one sprite.
type spriteTables struct {
	// Its voting pixels in blocks, of path.Rows x path.Columns for tables by what
	// is on, from abstention, and of path.Pixels in a row for tables by class. No
	// pixel is in two of a kind. A candidate's gain is at most base plus the sum of
	// the entries of its blocks, in steps of its kind.
	blocks, runs   []block
	base, baseRuns float64 // the first for tables by what is on; see also layout.base
	step, stepRuns float64

	// In any composition the gain differs from kernel.Gain of the terms by at
	// most slack. at is the chunks' first pixels.
	terms []float32
	at    []pixel
	slack float64
}

// pixel is a row and a column of a frame.
type pixel struct{ y, x int32 }

// block is a block of a sprite's pixels and its tables, steps above what its
// pixels gain where all are off. By what is on there are two: entry i of the
// first belongs to the pixels of code i on and the others off; entry i of the
// second, the next path.Entries bytes, to counting the pixels of code i not as
// off but as unknown. By class there is one.
type block struct {
	pixel       // its first row and column
	last  pixel // the last row and column that vote in it
	table int32
	gains float64 // what its pixels gain that gain where they are off; 0 under the max rule
}

// worth says what the pixels of a block gain where they are on, and where they are
// off; 0 where they do not vote.
type worth struct{ on, off [maxBits]float64 }

// maxBits is the largest number of pixels of a block.
const maxBits = 6

// far is a strength beyond all opinions, so that nothing is gained there.
const far = 1e30

// enough is how many shifts a bank must have searched, over all images, before its
// tables save time: making them takes about as long as scoring that many shifts
// without. Online learning makes a bank for each image. (It is a variable for
// tests.)
var enough int64 = 400

// boundTables returns the bank's tables, made once enough shifts have been
// searched, including these; nil before, or if the bounded engine does not apply.
func (b *Bank) boundTables(shifts int) *boundTables {
	l := &b.bounds
	if l.asked.Load() < enough && l.asked.Add(int64(shifts)) < enough {
		return nil
	}
	l.once.Do(func() {
		votes := b
		if b.above != nil {
			votes = b.above
		}
		if path := kernel.Chosen(); path.Fast() && b.QMap == nil && !votes.certain() {
			if l.tables = newBoundTables(votes, path); l.tables != nil {
				l.tables.setFloor(b)
			}
		}
	})
	return l.tables
}

// certain reports whether an opinion that counts is 0 or 1, or with two sides very close.
func (b *Bank) certain() bool {
	least, most := 0.0, 1.0
	if b.TwoSided {
		least, most = sureTwoSided, 1-sureTwoSided
	}
	certain := b.Q <= least || b.Q >= most
	b.eachVote(func(v float64) { certain = certain || v >= most || b.TwoSided && v <= least })
	return certain
}

// newBoundTables makes the tables. It returns nil where a frame is too large for sums of 16 bits.
func newBoundTables(b *Bank, path *kernel.Path) *boundTables {
	s := &boundTables{path: path, sprites: make([]spriteTables, len(b.Sprites)), top: b.Height, left: b.Width, bottom: -1,
		right: -1}
	votes := 0
	for i := range b.Sprites {
		for _, span := range b.Sprites[i].spans {
			votes += int(span.End - span.First)
		}
	}
	s.entries = make([]byte, 0, votes*path.Entries) // about what it will be
	if b.TwoSided {
		s.sides = newSides(b, path)
		s.setOpinions(b)
	} else {
		s.classes = newClasses(b)
	}
	open := make([]bool, b.Height*b.Width)
	var worths []worth
	for i := range b.Sprites {
		sp, g := &b.Sprites[i], &s.sprites[i]
		s.widen(sp)
		worths = s.setBlocks(b, sp, g, open, worths[:0])
		if len(worths) > math.MaxUint16/2 {
			return nil
		}
		s.setTables(g, worths)
		if !s.setRuns(b, sp, g) {
			return nil
		}
		if s.sides == nil {
			setTerms(b, sp, g)
		} else { // what they gain is no sum of strengths, and scored by Field.Gain
			g.slack = 1e-9 * (1 - g.base - g.baseRuns)
		}
	}
	return s
}

// widen extends the rows and columns to hold the sprite's voting pixels.
func (s *boundTables) widen(sp *Sprite) {
	for _, span := range sp.spans {
		s.top, s.bottom = min(s.top, int(span.Row)), max(s.bottom, int(span.Row))
		s.left, s.right = min(s.left, int(span.First)), max(s.right, int(span.End)-1)
	}
}

// setBlocks covers the voting pixels with blocks, from the top left: each takes
// the pixels in it that no other has. It appends their worths to worths; open is
// scratch of the size of a frame, all false before and after.
func (s *boundTables) setBlocks(b *Bank, sp *Sprite, g *spriteTables, open []bool, worths []worth) []worth {
	for _, span := range sp.spans {
		for x := span.First; x < span.End; x++ {
			open[int(span.Row)*b.Width+int(x)] = true
		}
	}
	logOn, logOff := elem.Log(b.Q), elem.Log1p(-b.Q)
	for _, span := range sp.spans {
		for x := span.First; x < span.End; x++ {
			if !open[int(span.Row)*b.Width+int(x)] {
				continue
			}
			at := pixel{span.Row, x}
			bl, w := block{pixel: at, last: at}, worth{}
			for bit := range s.path.Rows * s.path.Columns {
				p := pixel{at.y + int32(bit/s.path.Columns), at.x + int32(bit%s.path.Columns)}
				j := int(p.y)*b.Width + int(p.x)
				if int(p.y) >= b.Height || int(p.x) >= b.Width || !open[j] {
					continue
				}
				open[j] = false
				bl.last = pixel{max(bl.last.y, p.y), max(bl.last.x, p.x)}
				w.on[bit], w.off[bit] = sp.On[j]-logOn, sp.Off[j]-logOff
			}
			g.blocks, worths = append(g.blocks, bl), append(worths, w)
		}
	}
	return worths
}

// levelsOf returns the number of steps in a table, so that the sum over the given
// number of tables fits in 16 bits.
func levelsOf(tables int) float64 { return float64(min(255, math.MaxUint16/max(tables, 1))) }

// stepOf returns the step of tables with that largest entry: a little more than
// one of the levels, so that rounding the pixels' worths does not exceed them.
func stepOf(largest float64, tables int) float64 {
	if largest == 0 {
		return 1
	}
	return largest / (levelsOf(tables) - 0.05)
}

// setTables makes the tables of blocks, their worths rounded upwards to steps.
func (s *boundTables) setTables(g *spriteTables, worths []worth) {
	largest, size := 0.0, 0.0
	for i := range worths {
		whole, unknown := 0.0, 0.0
		for bit, off := range worths[i].off {
			on := worths[i].on[bit]
			whole, unknown = whole+math.Abs(on-off), unknown+math.Abs(off)
			g.base += min(on, off)
		}
		largest, size = max(largest, whole, unknown), size+max(whole, unknown)
	}
	g.base += float64(1e-9 * (1 + size)) // far beyond the rounding of float64
	g.step = stepOf(largest, 2*len(worths))
	for i := range worths {
		g.blocks[i].table = int32(len(s.entries))
		var on, off, known, unknown [maxBits]float64
		for bit, off1 := range worths[i].off {
			on1 := worths[i].on[bit]
			on[bit], off[bit] = max(on1-off1, 0), max(off1-on1, 0)
			known[bit], unknown[bit] = max(off1, 0), max(-off1, 0)
			g.blocks[i].gains += known[bit]
		}
		s.addTable(&off, &on, g.step)
		s.addTable(&known, &unknown, g.step)
	}
}

// parts is how many parts a step has: the worth of a pixel is rounded to these.
const parts = 256

// addTable appends the table of the sums of worths, of pixels whose bit is not set and
// of those whose bit is, in steps, rounded upwards: first each worth to parts of a
// step, then the sums to whole steps.
func (s *boundTables) addTable(clear, set *[maxBits]float64, step float64) {
	var sums [1 << maxBits]uint32
	for n, bit := 1, 0; n < s.path.Entries; n, bit = 2*n, bit+1 {
		w, v := uint32(math.Ceil(set[bit]/step*parts)), uint32(math.Ceil(clear[bit]/step*parts))
		for i, sum := range sums[:n] {
			sums[n+i], sums[i] = sum+w, sum+v
		}
	}
	table := s.addEntries()
	for i := range table {
		table[i] = byte((sums[i&(len(sums)-1)] + parts - 1) / parts)
	}
}

// setRuns covers the voting pixels with runs of path.Pixels and makes their
// tables. It returns false where there are too many.
func (s *boundTables) setRuns(b *Bank, sp *Sprite, g *spriteTables) bool {
	if s.sides != nil {
		return s.setCells(b, sp, g)
	}
	pixels, largest := int32(s.path.Pixels), 0.0
	for _, span := range sp.spans {
		for x := span.First; x < span.End; x += pixels {
			r := block{pixel: pixel{span.Row, x}, last: pixel{span.Row, min(x+pixels, span.End) - 1}}
			whole := 0.0
			for x := r.x; x <= r.last.x; x++ {
				j := int(span.Row)*b.Width + int(x)
				whole += sp.On[j] - sp.Off[j] - s.classes.baseOn - s.classes.baseOff
			}
			g.runs = append(g.runs, r)
			largest = max(largest, whole)
		}
	}
	if len(g.runs) > math.MaxUint16 {
		return false
	}
	g.baseRuns, g.stepRuns = g.base, stepOf(largest, len(g.runs))
	for i := range g.runs {
		r := &g.runs[i]
		r.table = int32(len(s.entries))
		var steps [maxRun][nClasses]uint32
		for x := r.x; x <= r.last.x; x++ {
			j := int(r.y)*b.Width + int(x)
			for class, w := range s.classes.worths(sp.On[j], sp.Off[j]) {
				steps[x-r.x][class] = uint32(math.Ceil(w / g.stepRuns * parts))
			}
		}
		s.addRun(&steps)
	}
	return true
}

// maxRun is the largest path.Pixels.
const maxRun = 2

// addRun appends the table of a run, given the worths of its pixels by class, in
// parts of a step.
func (s *boundTables) addRun(steps *[maxRun][nClasses]uint32) {
	table := s.addEntries()
	for i := range len(table) / nClasses {
		second := steps[1][i%nClasses] + parts - 1 // of one pixel it is 0
		for j, first := range steps[0] {
			table[i*nClasses+j] = byte((first + second) / parts)
		}
	}
}

// addEntries appends room for a table, and returns it.
func (s *boundTables) addEntries() []byte {
	n := len(s.entries)
	s.entries = slices.Grow(s.entries, s.path.Entries)[:n+s.path.Entries]
	return s.entries[n:]
}

// setTerms lists the voting pixels by chunks of a row, with the strengths of their
// opinions; see kernel.Path.Gain.
func setTerms(b *Bank, sp *Sprite, g *spriteTables) {
	logOn, logOff := elem.Log(b.Q), elem.Log1p(-b.Q)
	sum, size := 0.0, 0.0
	row, end := int32(-1), int32(0)
	for _, span := range sp.spans {
		for x := span.First; x < span.End; x++ {
			if span.Row != row || x >= end {
				row, end = span.Row, x+kernel.Chunk
				g.at = append(g.at, pixel{row, x})
				for range 2 * kernel.Chunk {
					g.terms = append(g.terms, -far)
				}
			}
			j := int(row)*b.Width + int(x)
			t := g.terms[len(g.terms)-int(end-x):]
			t[0] = float32(sp.On[j])
			g.terms[len(g.terms)-kernel.Chunk-int(end-x)] = float32(-sp.Off[j])
			sum += sp.On[j] - logOn + logOff - sp.Off[j]
			size -= sp.On[j] + sp.Off[j] + logOn + logOff
		}
	}
	// Each of up to 2*len(at)+8 additions is wrong by at most half a unit in the
	// last place of a partial sum, which is at most sum; each strength, of a sprite
	// and of the composition, by half a unit of its own, and so is their difference.
	g.slack = float64(0x1p-24*1.01*(float64(float64(2*len(g.at)+8)*sum)+float64(4*size))) + float64(1e-9*(1+sum))
}
