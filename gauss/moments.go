package gauss

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/exact"
)

const (
	// anglesPerDegree is the fixed point of angles: theta is rounded to the
	// nearest 1/1024 degree, which moves a pixel of a 56 x 56 frame by less
	// than a thousandth of a pixel. Rotations by whole degrees are exact.
	anglesPerDegree = 1 << 10

	maxShift  = 1 << 30                    // bounds |DY| and |DX| of a [Placement], in pixels
	maxAngle  = maxShift / anglesPerDegree // bounds |Theta| of a [Placement], in degrees
	maxWeight = 1 << 62                    // bounds the sum of all weights in a [Moments]
)

// Placement is where one expert is in one image. The zero Placement is an
// expert that is missing.
type Placement struct {
	Present bool
	DY, DX  int     // pixels, down and to the right
	Theta   float64 // degrees, positive = clockwise on screen
}

// units returns the placement as integers, for sums that are exact.
func (p Placement) units() [PerExpert]int64 {
	return [PerExpert]int64{int64(p.DY), int64(p.DX), int64(math.RoundToEven(p.Theta * anglesPerDegree))}
}

// unitSize returns the size of one integer unit of a coordinate: a pixel or
// 1/1024 degree. A power of two, so that scaling by it is exact.
func unitSize(coordinate int) float64 {
	if coordinate%PerExpert == PerExpert-1 {
		return 1. / anglesPerDegree
	}
	return 1
}

// Moments holds the sufficient statistics of any number of configurations: for
// each set of experts present together, their number, the sums of their
// coordinates and of all products of two coordinates.
//
// Everything is an integer (pixels; angles rounded to 1/1024 degree), so any
// order of Add gives the same bits. The bounds on coordinates (2^30
// units) and weights (2^62) keep every sum below 2^122, and sums have 128 bits.
//
// The memory grows with the number of different sets that occur, about
// 72 m^2 bytes for a set of m experts. A Moments is not safe for concurrent
// use. Make one with [NewMoments].
type Moments struct {
	k      int
	weight int64
	sets   map[uint64]*sums // by the bit mask of the experts present
}

// sums is the moments of one set of experts; coordinates are those of the
// experts present, in rising order.
type sums struct {
	n        int64
	first    []exact.Int128 // m sums
	products []exact.Int128 // m(m+1)/2 sums of products: (0,0), (1,0), (1,1), (2,0), ...
}

func newSums(experts int) *sums {
	m := PerExpert * experts
	return &sums{first: make([]exact.Int128, m), products: make([]exact.Int128, m*(m+1)/2)}
}

// NewMoments returns empty moments of K experts. It returns an error for K
// outside 1..MaxExperts.
func NewMoments(k int) (*Moments, error) {
	if k < 1 || k > MaxExperts {
		return nil, fmt.Errorf("gauss: %d parts; a geometry is for 1 to %d", k, MaxExperts)
	}
	return &Moments{k: k, sets: map[uint64]*sums{}}, nil
}

// Add counts a configuration, one placement per expert, weight >= 1 times. It
// panics if there are not K placements or weight < 1. The error says which placement is
// out of range, or that the weights are; then nothing was added.
func (m *Moments) Add(configuration []Placement, weight int64) error {
	if len(configuration) != m.k {
		panic(fmt.Sprintf("gauss: a configuration of %d parts for moments of %d", len(configuration), m.k))
	}
	if weight < 1 {
		panic(fmt.Sprintf("gauss: a configuration of weight %d", weight))
	}
	if weight > maxWeight-m.weight {
		return errors.New("gauss: the weights of the configurations add up to more than 2^62")
	}
	var mask uint64
	x := make([]int64, 0, PerExpert*m.k)
	for k, p := range configuration {
		if !p.Present {
			continue
		}
		if err := p.check(k); err != nil {
			return err
		}
		u := p.units()
		mask |= 1 << k
		x = append(x, u[:]...)
	}
	m.set(mask).add(x, weight)
	m.weight += weight
	return nil
}

func (p Placement) check(expert int) error {
	for _, c := range []struct {
		name         string
		value, limit float64
	}{{"dy", float64(p.DY), maxShift}, {"dx", float64(p.DX), maxShift}, {"theta", p.Theta, maxAngle}} {
		if !(math.Abs(c.value) <= c.limit) {
			return fmt.Errorf("gauss: %s of part %d is %v; it must be from %v to %v",
				c.name, expert+1, c.value, -c.limit, c.limit)
		}
	}
	return nil
}

// set returns the sums of a set of experts and creates them if necessary.
func (m *Moments) set(mask uint64) *sums {
	s := m.sets[mask]
	if s == nil {
		s = newSums(bits.OnesCount64(mask))
		m.sets[mask] = s
	}
	return s
}

func (s *sums) add(x []int64, weight int64) {
	s.n += weight
	at := 0
	for i, a := range x {
		s.first[i] = s.first[i].Add(exact.Product(a, weight))
		for _, b := range x[:i+1] {
			// a*b is at most 2^60.
			s.products[at] = s.products[at].Add(exact.Product(a*b, weight))
			at++
		}
	}
}

// masks lists the sets that occur, in rising order: every loop over them goes
// this way, so that floating-point results are deterministic.
func (m *Moments) masks() []uint64 { return slices.Sorted(maps.Keys(m.sets)) }

// Pattern is a set of experts with the number of configurations in which
// exactly they were present: bit k of Mask is expert k.
type Pattern struct {
	Mask uint64
	N    int64
}

// Presence lists which experts are present together and how often, by rising
// mask.
type Presence []Pattern

// Presence returns the patterns that occurred, including that of no expert at
// all.
func (m *Moments) Presence() Presence {
	out := make(Presence, 0, len(m.sets))
	for _, mask := range m.masks() {
		out = append(out, Pattern{mask, m.sets[mask].n})
	}
	return out
}

// Sample draws a mask in proportion to its count, using one integer of rng. It
// panics if there is nothing to draw from.
func (p Presence) Sample(rng *rand.Rand) uint64 {
	var total int64
	for _, pattern := range p {
		total += pattern.N
	}
	if total < 1 {
		panic("gauss: no configurations to draw from")
	}
	return p[draw.ByCount(rng, len(p), total, func(i int) int64 { return p[i].N })].Mask
}
