// Package kernel holds the inner loops of the searches over poses, each in
// plain Go and, on amd64, as vector code for AVX2 and AVX-512. All ways of a
// loop give the same bits; the plain one says what they are.
//
// The way is chosen once, when the program starts: the fastest that the machine
// has, or the one that the environment variable PATCHWORK_KERNEL names
// (reference, portable, avx2 or avx512; the program stops where the machine
// lacks it). Built with the tag purego there is no vector code.
package kernel

import (
	"fmt"
	"os"
	"strings"
)

// Variable is the environment variable that forces a path.
const Variable = "PATCHWORK_KERNEL"

// Tile is the number of candidates that Sums adds up together. Candidate l of a
// tile is number Position(l) of its sums.
const Tile = 64

// Position returns where the sum of candidate l of a tile stands: the even ones
// first, then the odd ones, as vector code finds them in two halves of a word.
func Position(l int) int { return l&1<<5 | l>>1 }

// Candidate inverts Position.
func Candidate(position int) int { return position&31<<1 | position>>5 }

// Chunk is the number of pixels of a row that Gain takes together.
const Chunk = 16

// Lookup is one term of a sum: candidate c adds tables[Table+codes[Code+c]].
type Lookup struct{ Table, Code int32 }

// Lookups holds the terms of a sum. The zero value has none.
type Lookups struct {
	list []Lookup
	most Lookup // the largest of each
}

// Add adds a term.
func (l *Lookups) Add(t Lookup) {
	if t.Table < 0 || t.Code < 0 {
		panic(fmt.Sprintf("kernel: lookup %+v before the beginning", t))
	}
	l.list = append(l.list, t)
	l.most = Lookup{max(l.most.Table, t.Table), max(l.most.Code, t.Code)}
}

// Path is one way of computing.
type Path struct {
	Name string

	// A code of Sums has 6 or 4 bits, Entries values; a table has an entry for
	// each. They hold one bit of Rows x Columns pixels, or three bits of Pixels
	// neighbours in a row.
	Entries, Rows, Columns, Pixels int

	// sums is Sums without its checks, for one tile and one lookup or more. gain is Gain
	// without its checks, for one chunk or more. Both are nil for the reference,
	// which has no inner loops.
	sums func(sums, tops []uint16, tables, codes []byte, lookups []Lookup)
	gain func(terms []float32, at []int32, off, on []float32) float32
	// copies is Copy without its checks.
	copies func(to, from []byte, rows, width, pitch int)
	// stack is Stack without its checks, for one place or more.
	stack func(sums, from, places []int32)
	// overlaps is Overlaps without its checks, for one column, place and row of the
	// template or more.
	overlaps func(out []uint16, stride int, rows, template []uint64, shift, columns, count int)
}

// Sums sets sums[64*t+Position(l)] to the sum over the lookups of
// tables[Table+codes[Code+64*t+l]], modulo 2^16, and tops[t] to the largest of
// the 64. Codes must be less than Entries.
//
// There are len(tops) tiles. It panics where sums, tables or codes are too short.
func (p *Path) Sums(sums, tops []uint16, tables, codes []byte, l *Lookups) {
	n := len(tops) * Tile
	if n == 0 {
		return
	}
	_ = sums[n-1]
	if len(l.list) == 0 {
		clear(sums[:n])
		clear(tops)
		return
	}
	_, _ = tables[int(l.most.Table)+p.Entries-1], codes[int(l.most.Code)+n-1]
	p.sums(sums, tops, tables, codes, l.list)
}

// Gain returns the sum over the chunks c and j < 16 of
//
//	max(terms[32*i+16+j]-on[c+j], 0) - max(terms[32*i+j]-off[c+j], 0),
//
// by the parity of i and j first, then as a tree of halves: what a template gains at pixels that
// are on and loses at pixels that are off, 16 neighbours at a time. c is chunk
// number i. c lists the first pixels of the chunks, as numbers of a plane. It panics where a
// slice is too short.
func (p *Path) Gain(terms []float32, c *Places, off, on []float32) float32 {
	if len(c.list) == 0 {
		return 0
	}
	end := int(c.most) + Chunk - 1
	_, _, _ = terms[2*Chunk*len(c.list)-1], off[end], on[end]
	return p.gain(terms, c.list, off, on)
}

// Spill is how far Copy may write beyond the last row.
const Spill = 64

// Copy sets to[r*width+i] to from[r*pitch+i], for r < rows and i < width: rows
// apart become rows in a row. Up to Spill bytes after them are lost, so there
// must be as many in both.
func (p *Path) Copy(to, from []byte, rows, width, pitch int) {
	if rows <= 0 {
		return
	}
	_, _ = to[rows*width+Spill-1], from[(rows-1)*pitch+width+Spill-1]
	p.copies(to, from, rows, width, pitch)
}

// reference is the path that does without the loops of this package.
var reference = &Path{Name: "reference", stack: stackPortable, overlaps: overlapsPortable}

// Portable returns the path in plain Go.
func Portable() *Path { return portable }

// Fast reports whether the path has the inner loops at all.
func (p *Path) Fast() bool { return p != reference }

// All returns the paths of this machine, the slowest first.
func All() []*Path { return append([]*Path{reference, portable}, vector()...) }

// Find returns the path of a name. The error says which paths there are.
func Find(name string) (*Path, error) {
	var names []string
	for _, p := range All() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("kernel path %q is not one that this machine and build have: %s", name,
		strings.Join(names, ", "))
}

var chosen = choose(os.Getenv(Variable))

func choose(name string) *Path {
	if name == "" {
		all := All()
		return all[len(all)-1]
	}
	p, err := Find(name)
	if err != nil {
		panic(fmt.Sprintf("environment variable %s: %v", Variable, err))
	}
	return p
}

// Chosen returns the path in force.
func Chosen() *Path { return chosen }

// Force puts another path in force, for tests: not while anything computes. It
// returns a function that undoes it.
func Force(p *Path) (restore func()) {
	old := chosen
	chosen = p
	return func() { chosen = old }
}
