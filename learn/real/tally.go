package real

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/exact"
)

// Unit is the weight of one image in a Tally: explanations of part of the weight count less.
const Unit = 1 << 10

// Sums are how many values were counted, in units, their sum and the sum of their squares, each
// times its weight. Values are numbers of steps.
type Sums struct {
	N, Sum int64
	Square exact.Int128
}

// add counts a value, which is at most 2^21 either way, with a weight of at most Unit.
func (s *Sums) add(x, weight int64) {
	s.N += weight
	s.Sum += weight * x
	// weight * x * x <= 2^10 * 2^42 fits in 64 bits
	s.Square = s.Square.Add(exact.Int128{Lo: uint64(weight * x * x)})
}

// merge adds other sums.
func (s *Sums) merge(o Sums) {
	s.N += o.N
	s.Sum += o.Sum
	s.Square = s.Square.Add(o.Square)
}

// moments returns how many values there are, their mean, and the sum of their squared distances from it, in
// the units of a scale. Differences of large numbers are formed in 128 bits: about the whole number of steps
// nearest to the mean, of which the rest is less than a step.
func (s *Sums) moments(scale Scale) (n, mean, squares float64) {
	if s.N == 0 {
		return 0, scale.Origin, 0
	}
	n = float64(s.N) / Unit
	about := int64(math.RoundToEven(float64(s.Sum) / float64(s.N)))
	rest := float64(s.Sum-about*s.N) / float64(s.N)
	twice := exact.Product(-2*about, s.Sum)
	sum := float64(s.Square.Add(twice).Add(exact.Product(about*s.N, about)).Float()/Unit) - float64(n*rest*rest)
	return n, scale.Origin + float64(scale.Step*(float64(about)+rest)), scale.Step * scale.Step * max(0, sum)
}

// Tally is what an E-step counts. All numbers are whole, so tallies of parts of the data add up to the
// tally of all, in any order.
type Tally struct {
	Images  int64
	Picks   []int64  // of each expert, in units
	Experts [][]Sums // K x frame: values of pixels an expert won, or that it abstains from and nobody else speaks for
	Free    []Sums   // of pixels: values that nobody speaks for
	All     []Sums   // of pixels: all values
	// LogJoint is the sum of the joint log-likelihoods in units of 1/exact.NatsUnit nats.
	LogJoint int64
}

// NewTally returns an empty tally for a model.
func NewTally(m *Model) *Tally {
	t := &Tally{Picks: make([]int64, m.K()), Experts: make([][]Sums, m.K()), Free: make([]Sums, m.D()),
		All: make([]Sums, m.D())}
	for k := range t.Experts {
		t.Experts[k] = make([]Sums, m.F())
	}
	return t
}

// Merge adds another tally. The error says that it is of another model.
func (t *Tally) Merge(o *Tally) error {
	if len(t.Picks) != len(o.Picks) || len(t.Free) != len(o.Free) || len(t.Picks) > 0 &&
		len(t.Experts[0]) != len(o.Experts[0]) {
		return fmt.Errorf("real: counts of %d parts and %d pixels do not fit %d parts and %d pixels", len(o.Picks),
			len(o.Free), len(t.Picks), len(t.Free))
	}
	t.Images += o.Images
	t.LogJoint += o.LogJoint
	for k := range t.Picks {
		t.Picks[k] += o.Picks[k]
		for f := range t.Experts[k] {
			t.Experts[k][f].merge(o.Experts[k][f])
		}
	}
	for d := range t.Free {
		t.Free[d].merge(o.Free[d])
		t.All[d].merge(o.All[d])
	}
	return nil
}

// LogLik returns the sum of the joint log-likelihoods in nats.
func (t *Tally) LogLik() float64 { return float64(float64(t.LogJoint) / exact.NatsUnit) }

// credit counts the image of a field under its picks, whose values are numbers of steps.
func (t *Tally) credit(f *field, numbers []int64, weight int64) {
	for _, c := range f.picks {
		k, sp, p := f.parts(c)
		t.Picks[k] += weight
		sums := t.Experts[k]
		y0, y1, x0, x1 := f.inside(sp, p)
		for y := y0; y < y1; y++ {
			from := (y+sp.top+p.DY)*f.m.Width + sp.left + p.DX
			for x := x0; x < x1; x++ {
				i, d := y*sp.w+x, from+x
				if at := sp.frame[i]; at >= 0 && f.known[d] && f.credited(c, sp, i, d) {
					sums[at].add(numbers[d], weight)
				}
			}
		}
	}
	for d := range f.cells {
		if f.known[d] && f.cells[d].up == 0 && f.cells[d].down == 0 {
			t.Free[d].add(numbers[d], weight)
		}
	}
}

// credited reports whether pixel d counts for a pick whose box has it as number i: the expert is the stronger of
// the speakers, or it abstains and nobody speaks.
func (f *field) credited(c int, sp *sprite, i, d int) bool {
	cell := &f.cells[d]
	if sp.index[i] < 0 {
		return cell.up == 0 && cell.down == 0
	}
	e := &sp.entries[sp.index[i]]
	if e.s > 0 && (e.s < cell.up || e.s < cell.down) || e.s < 0 && (-e.s < cell.down || -e.s <= cell.up) {
		return false
	}
	if f.about != nil && !slices.ContainsFunc(f.about[d], func(o spoken) bool {
		return o.s == e.s && f.used[o.k] > 0 && o.k != c
	}) {
		return true
	}
	for _, earlier := range f.picks { // of equals the one picked first speaks
		if earlier == c {
			return true
		}
		_, osp, op := f.parts(earlier)
		if o := f.at(osp, op, d); o != nil && o.s == e.s {
			return false
		}
	}
	return true
}
