package blocks

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/pool"
)

// Options say which blocks are wanted. The zero value asks for the fewest that cover
// all ones and no zero.
type Options struct {
	Cheapest bool // the least cost instead of the fewest blocks

	// What a row in a block, a column in a block, and a block cost; 0 is 1.
	RowPrice, ColumnPrice, BlockPrice int64

	// ExceptionPrice is what a cell costs that the blocks get wrong; 0 means that there
	// are none. Of several equal rows each cell counts. With a price the least cost
	// is looked for, as with Cheapest.
	ExceptionPrice int64
	NeverAdd       bool // exceptions are ones left over, never zeros covered

	Must  []Cell // cells that blocks must cover, whatever the table says
	Never []Cell // cells that blocks must not cover, whatever the table says

	MaxRows, MaxColumns int // the most that a block may have; 0 for no limit

	Seed    uint64
	Steps   int64 // work of looking for the least cost; 0 is 200 million, some seconds
	Workers int   // goroutines; 0 is 1. The result is the same for any number.

	fewestSteps  int64 // work of looking for the fewest; 0 is fewestSteps
	fewestBlocks int   // nothing is found if there are more; 0 for no limit
}

// DefaultSteps is how much work looking for the least cost is by default.
const DefaultSteps = 200_000_000

// searches is how many searches for the least cost share the steps.
const searches = 4

// fewestStarts is how often the fewest blocks are looked for where some had to be
// chosen, and fewestSteps bounds the work of all times together.
const (
	fewestStarts = 8
	fewestSteps  = 2_000_000_000
)

// Block is a full rectangle: each of its rows with each of its columns, both ascending.
type Block struct{ Rows, Columns []int32 }

// Cell is a row and a column, from 0.
type Cell struct{ Row, Column int32 }

// Cover is a table as blocks.
type Cover struct {
	Blocks []Block // largest first
	// Certificate has ones no two of which fit in one block: no cover without
	// exceptions has fewer blocks. It does not know of limits on the size of blocks.
	Certificate []Cell
	Left        []Cell // ones that no block covers, by row
	Added       []Cell // zeros that a block covers, by row
	Cost        int64  // at the prices of the options
	Stopped     bool   // the context ended the search, and another run may find another cover
}

// Optimal reports whether no cover without exceptions has fewer blocks.
func (c *Cover) Optimal() bool {
	return len(c.Certificate) == len(c.Blocks) && len(c.Left) == 0 && len(c.Added) == 0
}

// Size returns how many rows and columns the blocks have together, and blocks there
// are: the length of the description.
func (c *Cover) Size() (rows, columns, blocks int) {
	for _, b := range c.Blocks {
		rows, columns = rows+len(b.Rows), columns+len(b.Columns)
	}
	return rows, columns, len(c.Blocks)
}

// Find returns the blocks of a table. It stops early when the context ends, with what
// it has by then: a cover in any case. The error says what is wrong with the options.
// Find panics if the matrix is not what its comments say (misuse).
func Find(ctx context.Context, m *Matrix, opt Options) (*Cover, error) {
	m.validate()
	if err := opt.validate(m); err != nil {
		return nil, err
	}
	g := newGrid(opt.lines(m), m.Columns)
	p := opt.prices(g)
	f, proof := fewest(ctx, g, opt.Seed, cmp.Or(opt.fewestSteps, fewestSteps))
	if opt.fewestBlocks > 0 && len(f[0]) > opt.fewestBlocks {
		return nil, nil
	}
	f, _ = settled(g, p, f)
	if opt.Cheapest || opt.ExceptionPrice > 0 {
		f = cheapest(ctx, g, p, f, opt)
	}
	c := &Cover{Stopped: ctx.Err() != nil}
	for k := range f[0] {
		c.Blocks = append(c.Blocks, Block{members(g.row, f[0][k]), members(g.column, f[1][k])})
	}
	c.Blocks = opt.limit(c.Blocks)
	for _, cell := range proof {
		c.Certificate = append(c.Certificate, Cell{g.row[cell.Row][0], g.column[cell.Column][0]})
	}
	slices.SortFunc(c.Certificate, compareCells)
	slices.SortFunc(c.Blocks, func(a, b Block) int {
		return cmp.Or(cmp.Compare(len(b.Rows)*len(b.Columns), len(a.Rows)*len(a.Columns)), slices.Compare(a.Rows, b.Rows),
			slices.Compare(a.Columns, b.Columns))
	})
	c.Left, c.Added = Exceptions(m, c.Blocks)
	rows, columns, n := c.Size()
	c.Cost = opt.cost(rows, columns, n) + opt.ExceptionPrice*int64(len(c.Left)+len(c.Added))
	return c, nil
}

func (o *Options) cost(rows, columns, blocks int) int64 {
	return int64(rows)*cmp.Or(o.RowPrice, 1) + int64(columns)*cmp.Or(o.ColumnPrice, 1) + int64(blocks)*cmp.Or(o.BlockPrice,
		1)
}

// prices returns the prices of the rows and columns of a grid.
func (o *Options) prices(g *grid) prices {
	p := prices{block: cmp.Or(o.BlockPrice, 1), exception: o.ExceptionPrice, neverAdd: o.NeverAdd}
	for _, group := range g.row {
		p.weight[0] = append(p.weight[0], int64(len(group)))
	}
	for _, group := range g.column {
		p.weight[1] = append(p.weight[1], int64(len(group)))
	}
	for side, price := range []int64{cmp.Or(o.RowPrice, 1), cmp.Or(o.ColumnPrice, 1)} {
		for _, w := range p.weight[side] {
			p.item[side] = append(p.item[side], price*w)
		}
	}
	return p
}

// maxPrice bounds prices, so that no sum of them overflows.
const maxPrice = 1 << 20

func (o *Options) validate(m *Matrix) error {
	for _, p := range []struct {
		name  string
		value int64
	}{{"a row", o.RowPrice}, {"a column", o.ColumnPrice}, {"a block", o.BlockPrice}, {"an exception", o.ExceptionPrice}} {
		if p.value < 0 || p.value > maxPrice {
			return fmt.Errorf("the price of %s is %d; it must be 0 to %d", p.name, p.value, maxPrice)
		}
	}
	if o.MaxRows < 0 || o.MaxColumns < 0 || o.Steps < 0 {
		return fmt.Errorf("limits of %d rows, %d columns and %d steps; none may be below 0", o.MaxRows, o.MaxColumns, o.Steps)
	}
	mustnt := map[Cell]bool{}
	for _, c := range o.Never {
		mustnt[c] = true
	}
	for _, c := range slices.Concat(o.Must, o.Never) {
		if c.Row < 0 || int(c.Row) >= m.Rows() || c.Column < 0 || int(c.Column) >= m.Columns {
			return fmt.Errorf("row %d, column %d is not in a table of %d rows and %d columns", c.Row+1, c.Column+1, m.Rows(),
				m.Columns)
		}
	}
	for _, c := range o.Must {
		if mustnt[c] {
			return fmt.Errorf("row %d, column %d must be covered and must not be; leave one of the two out", c.Row+1, c.Column+1)
		}
	}
	return nil
}

// lines returns the rows of a matrix, with what must and must not be covered.
func (o *Options) lines(m *Matrix) []line {
	lines := make([]line, m.Rows())
	for i, ones := range m.Ones {
		l, rest := &lines[i], m.either(i)
		for _, d := range ones {
			for len(rest) > 0 && rest[0] < d {
				l.add(rest[0], either)
				rest = rest[1:]
			}
			l.add(d, one)
		}
		for _, d := range rest {
			l.add(d, either)
		}
	}
	for k, cells := range map[kind][]Cell{must: o.Must, never: o.Never} {
		for _, c := range cells {
			l := &lines[c.Row]
			at, ok := slices.BinarySearch(l.cells, c.Column)
			if !ok {
				l.cells, l.kinds = slices.Insert(l.cells, at, c.Column), slices.Insert(l.kinds, at, k)
			}
			l.kinds[at] = k
		}
	}
	return lines
}

// fewest returns the fewest blocks of a grid that were found, and cells no two of which
// fit in one block.
func fewest(ctx context.Context, g *grid, seed uint64, steps int64) (factors, []Cell) {
	best, proof := plain(g), []Cell(nil)
	for start, left := uint64(0), steps; start < fewestStarts; start++ {
		s := newSearch(g, rand.New(rand.NewPCG(seed, start)), left)
		s.widest = start%2 == 1
		s.run(ctx)
		if len(s.proof) > len(proof) {
			proof = s.proof
		}
		if len(s.blocks) <= len(best[0]) {
			best = factors{}
			for _, b := range s.blocks {
				best.add(sideRows, b.Rows, b.Columns)
			}
		}
		if left -= s.steps; len(best[0]) == len(proof) || left <= 0 || ctx.Err() != nil {
			break
		}
	}
	return best, proof
}

// plain returns the rows of a grid as blocks, or its columns, if they are fewer.
func plain(g *grid) (f factors) {
	side, lines := sideRows, g.may
	if g.columns < g.rows {
		side, lines = sideColumns, g.mayT
	}
	for i := range int32(min(g.rows, g.columns)) {
		f.add(side, []int32{i}, slices.Clone(lines.of(i)))
	}
	return f
}

// settled returns a factorisation whose rows and columns have the fewest blocks in turn:
// the cheaper of that from the blocks as they are, and from as wide ones as there may be.
func settled(g *grid, p prices, f factors) (factors, int64) {
	p.exception = 0
	var best factors
	least := int64(-1)
	for side := -1; side < 2; side++ {
		m := newImprover(g, p, rand.New(rand.NewPCG(0, 0)))
		next := f.clone()
		if side >= 0 {
			m.widen(&next, side)
		}
		m.begin(&next, true)
		if c := m.settle(&next, max(side, 0)); least < 0 || c < least {
			best, least = next, c
		}
	}
	return best, least
}

// cheapest returns the cheapest factorisation that several searches found.
func cheapest(ctx context.Context, g *grid, p prices, f factors, opt Options) factors {
	found := make([]factors, searches)
	costs := make([]int64, searches)
	_, _ = pool.Run(context.WithoutCancel(ctx), searches, max(opt.Workers, 1), 1, func(_, i int) error {
		m := newImprover(g, p, rand.New(rand.NewPCG(opt.Seed, 1<<32+uint64(i))))
		found[i], costs[i] = m.search(ctx, f.clone(), cmp.Or(opt.Steps, DefaultSteps)/searches)
		return nil
	})
	return found[slices.Index(costs, slices.Min(costs))]
}

// members returns the rows, or columns, that are one in a grid, ascending.
func members(groups [][]int32, items []int32) []int32 {
	var out []int32
	for _, i := range items {
		out = append(out, groups[i]...)
	}
	slices.Sort(out)
	return out
}

func compareCells(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
}

// Exceptions returns the ones of a matrix that no block covers and the zeros that some
// block covers, by row.
func Exceptions(m *Matrix, blocks []Block) (left, added []Cell) {
	byRow := make([][]int32, m.Rows()) // blocks
	for k, b := range blocks {
		for _, i := range b.Rows {
			byRow[i] = append(byRow[i], int32(k))
		}
	}
	covered := make([]bool, m.Columns)
	var columns []int32
	for i, held := range byRow {
		for _, k := range held {
			for _, d := range blocks[k].Columns {
				if !covered[d] {
					covered[d] = true
					columns = append(columns, d)
				}
			}
		}
		for _, d := range m.Ones[i] {
			if !covered[d] {
				left = append(left, Cell{int32(i), d})
			}
			covered[d] = false
		}
		for _, d := range m.either(i) {
			covered[d] = false
		}
		slices.Sort(columns)
		for _, d := range columns {
			if covered[d] {
				added = append(added, Cell{int32(i), d})
				covered[d] = false
			}
		}
		columns = columns[:0]
	}
	return left, added
}
