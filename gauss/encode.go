package gauss

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"

	"example.com/patchwork/internal/exact"
)

// The binary form of Moments, little-endian:
//
//	"pwgm", version byte 1, K as a byte, 2 bytes 0, number of sets uint64, then
//	for each set, by rising mask: mask uint64, n int64, and for m = 3 x the
//	experts in it m sums and m(m+1)/2 products of 128 bits, low half first.
const (
	magic      = "pwgm\x01"
	headerSize = 16
	wordSize   = 16 // of an exact.Int128
)

// MarshalBinary returns the moments as bytes, the same bytes for the same
// moments on every machine. It never fails.
func (m *Moments) MarshalBinary() ([]byte, error) {
	out := append([]byte(magic), byte(m.k), 0, 0)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(m.sets)))
	for _, mask := range m.masks() {
		s := m.sets[mask]
		out = binary.LittleEndian.AppendUint64(out, mask)
		out = binary.LittleEndian.AppendUint64(out, uint64(s.n))
		for _, words := range [][]exact.Int128{s.first, s.products} {
			for _, w := range words {
				out = binary.LittleEndian.AppendUint64(out, w.Lo)
				out = binary.LittleEndian.AppendUint64(out, uint64(w.Hi))
			}
		}
	}
	return out, nil
}

// FormatError reports bytes that are not moments.
type FormatError struct {
	Offset  int // of the first byte of what is wrong
	Problem string
}

// Error implements the error interface.
func (e *FormatError) Error() string {
	return fmt.Sprintf("gauss: not moments of configurations: byte %d: %s", e.Offset, e.Problem)
}

// UnmarshalBinary reads what MarshalBinary wrote and replaces m by it. It
// checks that configurations can have these sums, and never allocates more than
// a small multiple of len(data). On error, a *[FormatError], m is unchanged.
func (m *Moments) UnmarshalBinary(data []byte) error {
	d := decoder{data: data}
	read, err := d.moments()
	if err != nil {
		return err
	}
	*m = *read
	return nil
}

type decoder struct {
	data []byte
	at   int // offset of the next byte
}

func (d *decoder) fail(at int, format string, args ...any) error {
	return &FormatError{at, fmt.Sprintf(format, args...)}
}

func (d *decoder) left() int { return len(d.data) - d.at }

// uint64 reads a word; the caller has checked that it is there.
func (d *decoder) uint64() uint64 {
	x := binary.LittleEndian.Uint64(d.data[d.at:])
	d.at += 8
	return x
}

func (d *decoder) moments() (*Moments, error) {
	if d.left() < headerSize {
		return nil, d.fail(0, "%d bytes; the header alone has %d", len(d.data), headerSize)
	}
	if string(d.data[:len(magic)]) != magic {
		return nil, d.fail(0, "begins with %q, not %q", d.data[:len(magic)], magic)
	}
	m, err := NewMoments(int(d.data[len(magic)]))
	if err != nil {
		return nil, d.fail(len(magic), "%v", err)
	}
	if d.data[6] != 0 || d.data[7] != 0 {
		return nil, d.fail(6, "reserved bytes are not 0")
	}
	d.at = 8
	count := d.uint64()
	last := uint64(0)
	for i := range count {
		start := d.at
		mask, err := d.set(m)
		if err != nil {
			return nil, err
		}
		if i > 0 && mask <= last {
			return nil, d.fail(start, "mask %#x comes after %#x", mask, last)
		}
		last = mask
	}
	if d.left() != 0 {
		return nil, d.fail(d.at, "%d bytes after the end", d.left())
	}
	return m, nil
}

// set reads one set of experts into m.
func (d *decoder) set(m *Moments) (mask uint64, err error) {
	start := d.at
	if d.left() < 16 {
		return 0, d.fail(start, "cut short")
	}
	mask = d.uint64()
	n := int64(d.uint64())
	if mask>>m.k != 0 { // a shift by 64 gives 0
		return 0, d.fail(start, "mask %#x for %d parts", mask, m.k)
	}
	if n < 1 || n > MaxWeight-m.weight {
		return 0, d.fail(start+8, "%d configurations after %d others", n, m.weight)
	}
	size := PerExpert * bits.OnesCount64(mask)
	if words := size + size*(size+1)/2; d.left() < words*wordSize {
		return 0, d.fail(d.at, "cut short: %d bytes of %d", d.left(), words*wordSize)
	}
	s := newSums(bits.OnesCount64(mask))
	s.n = n
	for _, words := range [][]exact.Int128{s.first, s.products} {
		for i := range words {
			lo := d.uint64()
			words[i] = exact.Int128{Hi: int64(d.uint64()), Lo: lo}
		}
	}
	if err := s.check(); err != nil {
		return 0, d.fail(start, "mask %#x: %v", mask, err)
	}
	m.sets[mask] = s
	m.weight += n
	return mask, nil
}

// check returns an error for sums that no n configurations can have: values out
// of range, or a product sum that breaks the Cauchy-Schwarz inequality.
func (s *sums) check() error {
	n := big.NewInt(s.n)
	limit := new(big.Int).Lsh(n, 30) // of the sum of n values
	squares := make([]*big.Int, len(s.first))
	at := 0
	for i, f := range s.first {
		sum := f.Big()
		if sum.CmpAbs(limit) > 0 {
			return fmt.Errorf("sum of coordinate %d is out of range: %v", i, sum)
		}
		for j := range i {
			p := s.products[at].Big()
			at++
			bound := new(big.Int).Mul(s.products[diagonal(i)].Big(), squares[j])
			if p.Mul(p, p).Cmp(bound) > 0 {
				return fmt.Errorf("product of coordinates %d and %d is too large for their squares", i, j)
			}
		}
		squares[i] = s.products[at].Big()
		at++
		if squares[i].Cmp(new(big.Int).Lsh(n, 60)) > 0 ||
			new(big.Int).Mul(n, squares[i]).Cmp(sum.Mul(sum, sum)) < 0 {
			return fmt.Errorf("squares of coordinate %d are out of range: %v", i, squares[i])
		}
	}
	return nil
}

// diagonal returns the index of the square of coordinate i among the products.
func diagonal(i int) int { return i*(i+1)/2 + i }
