package patchwork

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/wire"
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

// maxFrame bounds the number of pixels of the frame of a tally that is read.
const maxFrame = 1 << 26

// MarshalBinary returns the tally as bytes, the same on every machine. It never
// fails.
func (t *Tally) MarshalBinary() ([]byte, error) { return wire.Marshal(t.code), nil }

// UnmarshalBinary replaces t by the tally that MarshalBinary wrote. It checks that
// the numbers can be counts, and allocates no more than a small multiple of
// len(data). The error names the first invalid byte; t is then unchanged.
func (t *Tally) UnmarshalBinary(data []byte) error {
	var read Tally
	if err := wire.Unmarshal(data, read.code); err != nil {
		return fmt.Errorf("patchwork: not a tally: %w", err)
	}
	*t = read
	return nil
}

// code writes the tally or reads it into an empty one.
func (t *Tally) code(c *wire.Codec) {
	version := plainTally
	if !slices.Equal(t.uses, t.active) {
		version = reusedTally
	}
	k := len(t.active)
	c.Magic(tallyMagic)
	wire.Fixed(c, &version, 1)
	c.Check(version == plainTally || version == reusedTally, "version %d, this program reads %d and %d", version,
		plainTally, reusedTally)
	for _, n := range []*int{&k, &t.height, &t.width} {
		wire.Fixed(c, n, 4)
		c.Check(*n > 0 && *n <= maxFrame, "%d parts, or rows or columns of a frame", *n)
	}
	// Every expert takes at least one byte, and so does every count unless all are 0.
	frame := int64(t.height) * int64(t.width)
	c.Check(k <= c.Left() && frame <= maxFrame && int64(k)*frame <= pose.MaxCandidates,
		"%d parts of %dx%d pixels are too many", k, t.height, t.width)
	for _, n := range []*int64{&t.rows, &t.picks, &t.impossible} {
		wire.Fixed(c, n, 8)
	}
	c.Int128(&t.logLik)
	c.Check(t.rows >= 0 && t.rows <= maxRows && t.impossible >= 0 && t.impossible <= t.rows,
		"%d images, %d of them impossible; at most %d can be counted", t.rows, t.impossible, int64(maxRows))
	c.Check(t.picks >= 0 && t.picks <= t.rows*math.MaxInt16, "%d picks in %d images", t.picks, t.rows)
	wire.List(c, &t.active, k)
	wire.Counts(c, t.active, uint64(t.rows))
	if c.Reading() {
		t.uses = slices.Clone(t.active)
	}
	if version == reusedTally {
		wire.Counts(c, t.uses, uint64(t.picks))
	}
	for i, n := range t.uses {
		c.Check(n >= t.active[i], "part %d was used %d times in %d images", i+1, n, t.active[i])
	}
	for _, plane := range []*[]int64{&t.counts.On, &t.counts.Seen, &t.counts.LostOn, &t.counts.LostSeen} {
		codePlane(c, plane, k*int(frame), t.picks)
	}
	within(c, t.counts.On, t.counts.Seen, "won")
	within(c, t.counts.LostOn, t.counts.LostSeen, "lost")
}

// codePlane codes n counts, or the byte that says that all are 0. An expert may be picked
// several times per image, so picks bound its counts.
func codePlane(c *wire.Codec, plane *[]int64, n int, picks int64) {
	filled := 0
	if slices.ContainsFunc(*plane, func(n int64) bool { return n != 0 }) {
		filled = 1
	}
	wire.Count(c, &filled, 1)
	if filled == 1 {
		wire.List(c, plane, n)
		wire.Counts(c, *plane, uint64(picks))
	} else if c.Reading() {
		*plane = make([]int64, n)
	}
}

// within checks that no pixel was on more often than seen.
func within(c *wire.Codec, on, seen []int64, what string) {
	for i := range on {
		if i < len(seen) && on[i] > seen[i] {
			c.Check(false, "pixel %s number %d was on %d times of %d", what, i+1, on[i], seen[i])
		}
	}
}
