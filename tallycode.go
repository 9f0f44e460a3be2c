package patchwork

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/pose"
)

// The binary form of a Tally, little-endian:
//
//	"pwtally", version byte 1, K, Height, Width as uint32, rows, picks,
//	impossible as int64, the log-likelihood as an int128 in units of 2^-20
//	nats (low half first), then as unsigned varints: active of each expert,
//	in version 2 the uses of each expert, which in version 1 are as many, and
//	for each of On, Seen, LostOn, LostSeen one byte 1 and K*Height*Width
//	counts, or one byte 0 if all are 0.
const (
	tallyMagic      = "pwtally"
	plainTally      = 1 // the version of a tally where no expert was used twice in an image
	reusedTally     = 2
	tallyHeaderSize = len(tallyMagic) + 1 + 3*4 + 5*8
)

// MarshalBinary returns the tally as bytes, the same on every machine. It never
// fails.
func (t *Tally) MarshalBinary() ([]byte, error) {
	counts, version := t.active, byte(plainTally)
	if !slices.Equal(t.uses, t.active) {
		counts, version = slices.Concat(t.active, t.uses), reusedTally
	}
	out := append([]byte(tallyMagic), version)
	for _, n := range []int{len(t.active), t.height, t.width} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	for _, n := range []uint64{uint64(t.rows), uint64(t.picks), uint64(t.impossible), t.logLik.Lo, uint64(t.logLik.Hi)} {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	for _, n := range counts {
		out = binary.AppendUvarint(out, uint64(n))
	}
	for _, plane := range t.planes() {
		if !slices.ContainsFunc(*plane, func(n int64) bool { return n != 0 }) {
			out = append(out, 0)
			continue
		}
		out = append(out, 1)
		for _, n := range *plane {
			out = binary.AppendUvarint(out, uint64(n))
		}
	}
	return out, nil
}

// planes returns the counts in the order of the binary form.
func (t *Tally) planes() [4]*[]int64 {
	return [4]*[]int64{&t.counts.On, &t.counts.Seen, &t.counts.LostOn, &t.counts.LostSeen}
}

// tallyFormatError is the error for bytes that are not a tally.
type tallyFormatError struct {
	Offset  int // of the first invalid byte
	Problem string
}

func (e *tallyFormatError) Error() string {
	return fmt.Sprintf("patchwork: not a tally: byte %d: %s", e.Offset, e.Problem)
}

// UnmarshalBinary replaces t by the tally that MarshalBinary wrote. It checks that
// the numbers can be counts, and allocates no more than a small multiple of
// len(data). The error names the first invalid byte; t is then unchanged.
func (t *Tally) UnmarshalBinary(data []byte) error {
	d := tallyDecoder{data: data}
	read := d.tally()
	if d.err != nil {
		return d.err
	}
	*t = *read
	return nil
}

// tallyDecoder reads from data until the first error, and zeros after it.
type tallyDecoder struct {
	data []byte
	at   int // offset of the next byte
	err  error
}

// fail records the first error.
func (d *tallyDecoder) fail(at int, format string, args ...any) {
	if d.err == nil {
		d.err = &tallyFormatError{at, fmt.Sprintf(format, args...)}
	}
}

// tally reads a whole tally; the result is valid if d.err is nil.
func (d *tallyDecoder) tally() *Tally {
	if len(d.data) < tallyHeaderSize {
		d.fail(0, "%d bytes, the header alone has %d", len(d.data), tallyHeaderSize)
		return nil
	}
	if got := d.data[:len(tallyMagic)]; string(got) != tallyMagic {
		d.fail(0, "begins with %q, not %q", got, tallyMagic)
		return nil
	}
	version := d.data[len(tallyMagic)]
	if version != plainTally && version != reusedTally {
		d.fail(len(tallyMagic), "version %d, this program reads %d and %d", version, plainTally, reusedTally)
		return nil
	}
	d.at = len(tallyMagic) + 1
	k, height, width := d.size("experts"), d.size("rows per frame"), d.size("columns per frame")
	// Every expert takes at least one byte, and so does every count unless all are 0.
	if d.err == nil && (k > len(d.data) || int64(height)*int64(width) > maxFrame ||
		int64(k)*int64(height)*int64(width) > pose.MaxCandidates) {
		d.fail(d.at, "%d parts of %dx%d pixels are too many", k, height, width)
	}
	if d.err != nil {
		return nil
	}
	t := &Tally{height: height, width: width}
	t.rows, t.picks, t.impossible = d.int64("images"), d.int64("picks"), d.int64("impossible images")
	t.logLik.Lo, t.logLik.Hi = d.uint64(), int64(d.uint64())
	if d.err == nil && (t.rows > maxRows || t.impossible > t.rows) {
		d.fail(len(tallyMagic)+13, "%d images, %d of them impossible; at most %d can be counted", t.rows, t.impossible,
			int64(maxRows))
	}
	if d.err == nil && t.picks > t.rows*math.MaxInt16 {
		d.fail(len(tallyMagic)+21, "%d picks in %d images", t.picks, t.rows)
	}
	t.active = d.counts(k, t.rows, "images")
	if t.uses = slices.Clone(t.active); version == reusedTally {
		t.uses = d.counts(k, t.picks, "picks")
		d.atLeast(t.uses, t.active)
	}
	for _, plane := range t.planes() { // an expert may be picked several times per image, so picks bound its counts
		*plane = d.plane(k*height*width, t.picks)
	}
	d.within(t.counts.On, t.counts.Seen, "won")
	d.within(t.counts.LostOn, t.counts.LostSeen, "lost")
	if d.err == nil && d.at != len(d.data) {
		d.fail(d.at, "%d bytes follow the tally", len(d.data)-d.at)
	}
	return t
}

// maxFrame bounds the number of pixels of the frame of a tally that is read.
const maxFrame = 1 << 26

// size reads a positive 32-bit number of the header.
func (d *tallyDecoder) size(what string) int {
	n := binary.LittleEndian.Uint32(d.data[d.at:])
	if n == 0 || n > maxFrame {
		d.fail(d.at, "%d %s", n, what)
	}
	d.at += 4
	return int(n)
}

// uint64 reads a 64-bit word of the header.
func (d *tallyDecoder) uint64() uint64 {
	n := binary.LittleEndian.Uint64(d.data[d.at:])
	d.at += 8
	return n
}

// int64 reads a 64-bit number of the header that must not be negative.
func (d *tallyDecoder) int64(what string) int64 {
	at := d.at
	n := int64(d.uint64())
	if n < 0 {
		d.fail(at, "%d %s", n, what)
	}
	return n
}

// counts reads n varints, none larger than most.
func (d *tallyDecoder) counts(n int, most int64, of string) []int64 {
	if d.err == nil && n > len(d.data)-d.at {
		d.fail(len(d.data), "ends before %d counts", n)
	}
	if d.err != nil {
		return nil
	}
	out := make([]int64, n)
	for i := range out {
		v, size := binary.Uvarint(d.data[d.at:])
		switch {
		case size <= 0:
			d.fail(d.at, "ends in the middle of a count, or the count has more than 64 bits")
			return nil
		case v > uint64(most):
			d.fail(d.at, "count %d of %d %s", v, most, of)
			return nil
		}
		out[i] = int64(v)
		d.at += size
	}
	return out
}

// plane reads n counts, or the byte that says that all are 0.
func (d *tallyDecoder) plane(n int, most int64) []int64 {
	if d.err == nil && d.at >= len(d.data) {
		d.fail(len(d.data), "ends before a plane of counts")
	}
	if d.err != nil {
		return nil
	}
	d.at++
	switch d.data[d.at-1] {
	case 0:
		return make([]int64, n)
	case 1:
		return d.counts(n, most, "picks")
	}
	d.fail(d.at-1, "byte %d where a plane of counts begins", d.data[d.at-1])
	return nil
}

// atLeast fails if an expert was used less often than it was active.
func (d *tallyDecoder) atLeast(uses, active []int64) {
	for k, n := range uses {
		if d.err == nil && n < active[k] {
			d.fail(d.at, "part %d was used %d times in %d images", k, n, active[k])
		}
	}
}

// within fails if a pixel was on more often than seen.
func (d *tallyDecoder) within(on, seen []int64, what string) {
	for i := range on {
		if d.err == nil && on[i] > seen[i] {
			d.fail(len(d.data), "pixel %s number %d was on %d times of %d", what, i, on[i], seen[i])
		}
	}
}
