package real

import (
	"bytes"
	"encoding/binary"
	"errors"

	"example.com/patchwork/internal/exact"
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
func (t *Tally) MarshalBinary() ([]byte, error) {
	out := []byte(tallyMagic)
	k, frame, pixels := t.Size()
	for _, n := range []int64{int64(k), int64(frame), int64(pixels), t.Images} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	out = binary.AppendVarint(out, t.LogJoint)
	for _, n := range t.Picks {
		out = binary.AppendUvarint(out, uint64(n))
	}
	t.each(func(s *Sums) {
		out = binary.AppendUvarint(out, uint64(s.N))
		out = binary.AppendVarint(out, s.Sum)
		out = binary.AppendUvarint(out, uint64(s.Square.Hi))
		out = binary.AppendUvarint(out, s.Square.Lo)
	})
	return out, nil
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

var errNoTally = errors.New("real: not the counts of an E-step, or damaged ones")

// UnmarshalBinary replaces t by the tally that MarshalBinary wrote. It checks that the numbers can be counts, and
// takes no more memory than a small multiple of len(data). After an error t is unchanged.
func (t *Tally) UnmarshalBinary(data []byte) error {
	if !AreCounts(data) {
		return errNoTally
	}
	in := &numbers{rest: data[len(tallyMagic):]}
	k, frame, pixels, images := in.next(), in.next(), in.next(), in.next()
	// Every sum takes at least four bytes.
	most := uint64(len(in.rest)) / 4
	if in.bad || images > mostCounted || k > most || frame > most || pixels > most || k > 0 && frame > most/k || k > 0 &&
		frame == 0 {
		return errNoTally
	}
	read := &Tally{Images: int64(images), Picks: make([]int64, k), Experts: make([][]Sums, k), Free: make([]Sums, pixels),
		All: make([]Sums, pixels)}
	for i := range read.Experts {
		read.Experts[i] = make([]Sums, frame)
	}
	read.LogJoint = in.signed()
	for i := range read.Picks {
		read.Picks[i] = int64(in.next())
	}
	read.each(func(s *Sums) {
		s.N, s.Sum = int64(in.next()), in.signed()
		s.Square = exact.Int128{Hi: int64(in.next()), Lo: in.next()}
	})
	if in.bad || len(in.rest) > 0 || !read.possible() {
		return errNoTally
	}
	if again, _ := read.MarshalBinary(); !bytes.Equal(again, data) {
		return errNoTally // a number in more bytes than it needs
	}
	*t = *read
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

// numbers reads varints.
type numbers struct {
	rest []byte
	bad  bool
}

func (in *numbers) next() uint64 {
	n, size := binary.Uvarint(in.rest)
	in.take(size)
	return n
}

func (in *numbers) signed() int64 {
	n, size := binary.Varint(in.rest)
	in.take(size)
	return n
}

// take drops what was read, of so many bytes if that is > 0.
func (in *numbers) take(size int) {
	if size <= 0 {
		in.bad, in.rest = true, nil
		return
	}
	in.rest = in.rest[size:]
}
