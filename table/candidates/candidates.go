// Package candidates is what the learners of tables share, of bits as planes and as lists, that look for candidates for
// parts: sets of columns that come together among the ones that no part explains.
package candidates

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/described"
)

const (
	AnchorRows    = 200 // of a column, that are looked at for others that come with it
	LeastRows     = 3   // of a column that may be the first of a candidate
	RefineRounds  = 8   // of turning between columns and rows
	FirstStrength = 0.8 // of the votes of a candidate
	LeastHeld     = 0.3 // of the rows that a vote's strength promises must have its column
	MostOverlap   = 0.5 // of the smaller's columns that two candidates of a batch may share
	Narrow        = 300 // columns up to which more pairs are tried

	anchorMargin = 3 // nats beyond log D that two columns must come together by
)

// Tries returns how many pairs are tried of a column among so many, and after how many failures no more are.
func Tries(width int) (tries, failures int) {
	if width <= Narrow {
		return 20, 10
	}
	return 8, 3
}

// Background is what columns say of the cells that no vote explains, and what it takes to say it: a number that most
// share costs nothing.
type Background struct {
	On, Cells []float64 // by column: how many of its cells are on, and how many there are
	Q         []float64 // by column: the probability of being on
	Least     float64   // that a refitted one keeps from 0 and 1
	Columns   int       // those beyond so many are these once more, off for on; 0: there are none
	Few       bool      // whether rows are so few that columns may come together by chance as surely as in a part

	shared, price float64 // what most columns say, and the price of another number
}

// Settle finds the number that most columns share, and what another takes, of which one number costs so much.
func (b *Background) Settle(number float64) {
	var exceptions int
	q := b.Q
	if b.Columns > 0 {
		q = q[:b.Columns]
	}
	b.shared, exceptions = described.Mode(q)
	b.price = number + max(0, elem.Log(float64(len(q)-exceptions)/float64(exceptions+1)))
}

// sharedOf returns the number that most columns share, as column d has it.
func (b *Background) sharedOf(d int32) float64 {
	if b.Columns > 0 && int(d) >= b.Columns {
		return 1 - b.shared
	}
	return b.shared
}

// OwnPrice returns the price of a background of column d: none where it is the shared one.
func (b *Background) OwnPrice(d int32, q float64) float64 {
	if math.Abs(q-b.sharedOf(d)) < described.SameNumber {
		return 0
	}
	return b.price
}

// Now returns the log-likelihood of the cells of column d at its background, less its price.
func (b *Background) Now(d int32) float64 { return b.At(d, b.Q[d]) }

// At returns that at another background.
func (b *Background) At(d int32, q float64) float64 {
	return Binomial(b.On[d], b.Cells[d], q) - b.OwnPrice(d, q)
}

// Beside returns the best background of column d for other cells, of which some are on: as it is, shared, or refitted;
// and their log-likelihood less its price.
func (b *Background) Beside(d int32, on, cells float64) (q, logLik float64) {
	logLik = math.Inf(-1)
	refitted := min(max((max(on, 0)+0.5)/(cells+1), b.Least), 1-b.Least)
	for _, p := range [...]float64{b.Q[d], b.sharedOf(d), refitted} {
		if v := Binomial(on, cells, p) - b.OwnPrice(d, p); v > logLik {
			q, logLik = p, v
		}
	}
	return q, logLik
}

// Binomial returns the log-likelihood of cells of which some are on, each with probability p.
func Binomial(on, cells, p float64) float64 {
	return float64(max(on, 0)*elem.Log(p)) + float64(max(cells-on, 0)*elem.Log1p(-p))
}

// Pair is a column that comes with another, by so many nats.
type Pair struct {
	Column int32
	Gain   float64
}

// Pairs returns which of some columns come with column d more than by chance, the surest first: counts says how many
// of n rows with d each is on in, and is 0 for these columns afterwards. The background is expected on in these rows as
// often as in so many that are like all.
func (b *Background) Pairs(d int32, among []int32, counts []float64, n, like float64) (pairs []Pair) {
	least := 0.0
	if !b.Few {
		least = elem.Log(float64(len(b.Q))) + anchorMargin
	}
	for _, e := range among {
		c := counts[e]
		counts[e] = 0
		q := min(b.Q[e]*(like/n), 1-b.Least)
		if e == d || c < 2 || c/n <= q {
			continue
		}
		gain := float64(n * joint.Divergence(c/n, q))
		if others, left := b.Cells[e]-like, b.On[e]-c; others > 0 && left/others < b.On[e]/b.Cells[e] {
			gain += float64(others * joint.Divergence(max(left, 0)/others, b.On[e]/b.Cells[e]))
		}
		if gain > least {
			pairs = append(pairs, Pair{e, gain})
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(a.Column, b.Column))
	})
	return pairs
}
