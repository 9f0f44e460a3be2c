package real

import (
	"bytes"
	"fmt"
	"math"

	"example.com/patchwork/internal/wire"
)

// tallyMagic is what the bytes of a tally begin with; it ends with the version.
const tallyMagic = "pwreal\x01"

// mostCounted bounds the images of a tally.
const mostCounted = 1 << 31

// AreCounts reports whether bytes begin as those of MarshalBinary do.
func AreCounts(data []byte) bool { return bytes.HasPrefix(data, []byte(tallyMagic)) }

// MarshalBinary returns the tally as bytes, the same on every machine: a magic word with the version; the number of
// experts, of pixels of a frame and of an image, and of images, as unsigned varints; the log-likelihood, a signed one;
// the picks, and then the sums of all entries, of free pixels and of all values: N, Sum (signed) and the two halves
// of Square, as varints. It never fails.
func (t *Tally) MarshalBinary() ([]byte, error) { return wire.Marshal(t.code), nil }

// code writes the tally, or reads it into an empty one.
func (t *Tally) code(c *wire.Codec) {
	k, frame, pixels := t.Size()
	c.Magic(tallyMagic)
	for _, n := range []*int{&k, &frame, &pixels} {
		wire.Count(c, n, math.MaxInt32)
	}
	// Every sum takes at least four bytes.
	c.Check((k == 0 || frame > 0) && k*frame <= c.Left()/4 && frame <= c.Left()/4 && pixels <= c.Left()/4,
		"%d parts of %d pixels, images of %d: too many", k, frame, pixels)
	wire.Count(c, &t.Images, mostCounted)
	wire.Signed(c, &t.LogJoint)
	wire.List(c, &t.Picks, k)
	wire.List(c, &t.Experts, k)
	for i := range t.Experts {
		wire.List(c, &t.Experts[i], frame)
	}
	wire.List(c, &t.Free, pixels)
	wire.List(c, &t.All, pixels)
	wire.Counts(c, t.Picks, math.MaxInt64)
	t.each(func(s *Sums) {
		wire.Count(c, &s.N, math.MaxInt64)
		wire.Signed(c, &s.Sum)
		wire.Count(c, &s.Square.Hi, math.MaxUint64)
		wire.Count(c, &s.Square.Lo, math.MaxUint64)
	})
	c.Check(t.possible(), "these are counts of no images")
}

// each calls f for all sums, in order.
func (t *Tally) each(f func(s *Sums)) {
	for _, list := range append(append([][]Sums{}, t.Experts...), t.Free, t.All) {
		for i := range list {
			f(&list[i])
		}
	}
}

// Size returns of how many experts of how many pixels the counts are, and of how many pixels the images.
func (t *Tally) Size() (experts, frame, pixels int) {
	if len(t.Experts) > 0 {
		frame = len(t.Experts[0])
	}
	return len(t.Picks), frame, len(t.All)
}

// fits reports whether the counts are of as many experts and pixels as a model has.
func (t *Tally) fits(m *Model) bool {
	k, frame, pixels := t.Size()
	return k == m.K() && pixels == m.D() && (k == 0 || frame == m.F())
}

// UnmarshalBinary replaces t by the tally that MarshalBinary wrote. It checks that the numbers can be counts, and
// takes no more memory than a small multiple of len(data). After an error t is unchanged.
func (t *Tally) UnmarshalBinary(data []byte) error {
	var read Tally
	if err := wire.Unmarshal(data, read.code); err != nil {
		return fmt.Errorf("real: not the counts of an E-step, or damaged ones: %w", err)
	}
	*t = read
	return nil
}

// possible reports whether these can be counts: no fewer than none, no more values than images, and no sum beyond that
// of so many of the largest values.
func (t *Tally) possible() bool {
	ok := true
	for _, n := range t.Picks {
		ok = ok && n >= 0
	}
	t.each(func(s *Sums) {
		ok = ok && s.N >= 0 && s.N <= mostCounted*Unit && s.Sum <= s.N*farthest && s.Sum >= -s.N*farthest &&
			s.Square.Hi >= 0 && s.Square.Float() <= float64(s.N)*farthest*farthest
	})
	for _, s := range t.All {
		ok = ok && s.N <= t.Images*Unit
	}
	return ok
}
