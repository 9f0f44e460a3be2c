// Package blocks describes a table of zeros and ones exactly, by blocks: full
// rectangles, some rows with some columns, that together cover all ones and no zero.
// Where rows are users and columns permissions, a block is a role.
//
// # The fewest blocks
//
// The blocks that can cover a one, the cell (i, d), lie in its star: the cells (j, c)
// with a one at (i, c) and at (j, d). Of the star only the cells matter that are open,
// that is, not covered yet. Let R be their rows, C their columns,
//
//	J = the rows of column d that have all of C,
//	T = the columns of row i that all of R have.
//
// If R is within J, the open cells of the star are in one full block, R x C. Every cover
// has a block with (i, d), and none covers more of what is open: the block is forced, and
// taken. Else the other open cells of J x T are dropped, because every block with (i, d)
// can be extended to each of them: they go where their keeper (i, d) goes. Both rules
// are applied to all open cells, in random order, until nothing changes. At the end
// dropped cells are given, last first, to the block of their keeper.
//
// No two cells with forced blocks fit in one block: the later one was open when the
// earlier one's star was covered. So there are at least as many blocks in every cover,
// and if all were forced, their number is the least possible. The cells are the
// certificate (Cover.Certificate), which anybody can check. Where no rule applies the
// block that covers the largest share of a star is chosen, greedily, several times; then
// the certificate may be smaller than the number of blocks. On noise-free data, and on
// real tables of permissions, choosing is rare.
//
// A cell that is unknown may be covered or not: it counts as a one where a block is said to
// be full, and is never open. All of the above holds with it.
//
// # The cheapest blocks
//
// A factorisation costs something for each row and each column in a block, and for each
// block. With the blocks' columns fixed, each row takes the fewest blocks inside it that
// cover its ones, which is a small set cover; with the rows fixed each column does. The two
// alternate from the fewest blocks. Then a few blocks are removed, widened, or made of what
// rows, columns or blocks share; what the change concerns is settled again; and what does
// not cost more is kept. The work is counted in steps, not seconds.
//
// With a price for exceptions, a one may be left over and, unless it is never to be
// added, a zero covered: every row, then every column, takes or leaves blocks as long as it
// gets cheaper. The cover lists all exceptions.
//
// Equal rows are one row, and equal columns are one column, all through; memory is
// proportional to the number of ones.
//
// Read matrix.go, grid.go (equal rows and columns), fewest.go, choose.go, cheapest.go,
// setcover.go, priced.go (exceptions), limit.go, cover.go (which calls them all), and
// describe.go (the nats that describe a cover, and its model).
package blocks
