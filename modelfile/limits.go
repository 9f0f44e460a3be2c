package modelfile

import (
	"fmt"

	"example.com/patchwork"
	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/strictjson"
	"example.com/patchwork/pose"
)

// Limits that no real model reaches, checked in both directions: Read accepts
// what Write accepts. A few bytes of a hostile file can demand as much memory
// and time as these allow, so they are no larger than necessary.
const (
	maxJSON       = strictjson.MaxText
	maxArray      = 256 << 20 // bytes of one array
	maxShift      = 1 << 20   // pixels
	MaxCandidates = pose.MaxCandidates
	maxTurned     = 1 << 26 // experts x rotations x pixels
	maxCommittee  = 16      // models that predict together
	maxCount      = 1 << 53 // images; all integers to here are exact in float64
)

// over reports whether the product of positive factors is beyond limit.
func over(limit int, factors ...int) bool {
	p := 1
	for _, f := range factors {
		if p > limit/f {
			return true
		}
		p *= f
	}
	return false
}

// checkFrame bounds the size of the experts.
func checkFrame(height, width int) error {
	if height < 1 || width < 1 || over(maxArray/8, height, width) {
		return &FormatError{Member: jsonName, Field: "height, width",
			Msg: fmt.Sprintf("a frame of %d x %d pixels; it needs 1 to %d of them", height, width, maxArray/8)}
	}
	return nil
}

// checkPoses bounds the shifts of the grid.
func checkPoses(g pose.Grid) error {
	for _, r := range []pose.Range{g.DY, g.DX} {
		if r.Min < -maxShift || r.Max > maxShift {
			return &FormatError{Member: jsonName, Field: "shift",
				Msg: fmt.Sprintf("shifts %d to %d, more than %d pixels", r.Min, r.Max, maxShift)}
		}
	}
	if err := g.Validate(); err != nil {
		return misfit(err, jsonName)
	}
	return nil
}

// checkWork bounds what the pursuit will need for k experts in every pose. The
// frame and the grid have already been checked.
func checkWork(c *patchwork.Config, k int) error {
	pixels, turns := c.Height*c.Width, c.Poses.Turns()
	if over(maxArray/8, k, pixels) || over(maxTurned, k, turns, pixels) {
		return &FormatError{Member: "experts" + npySuffix,
			Msg:  fmt.Sprintf("%d parts of %d x %d pixels in %d rotations are too many", k, c.Height, c.Width, turns),
			Hint: "use fewer rotations or a smaller frame"}
	}
	if over(MaxCandidates, k, turns, c.Poses.DY.Len(), c.Poses.DX.Len()) {
		return &FormatError{Member: jsonName, Field: "shift",
			Msg:  fmt.Sprintf("%d parts in %d poses are more than %d candidates", k, c.Poses.Len(), MaxCandidates),
			Hint: "use shorter ranges or larger steps"}
	}
	return nil
}

// checkCounts bounds counts, so that adding to them cannot overflow.
func checkCounts(seen []int64, member string) error {
	for i, n := range seen {
		if n > maxCount {
			return &FormatError{Member: member, Msg: fmt.Sprintf("count number %d is %d, beyond 2^53", i+1, n)}
		}
	}
	return nil
}

// checkPresence checks that sets can be drawn from p.
func checkPresence(p gauss.Presence, k int) error {
	bad := func(i int, format string, args ...any) error {
		return &FormatError{Member: jsonName, Field: "presence",
			Msg: fmt.Sprintf("set %d ", i+1) + fmt.Sprintf(format, args...)}
	}
	var total int64
	for i, pattern := range p {
		if pattern.N < 1 || pattern.N > maxCount-total {
			return bad(i, "was seen %d times; counts are at least 1, and 2^53 at most in all", pattern.N)
		}
		if total += pattern.N; pattern.Mask>>k != 0 { // a shift by 64 gives 0
			return bad(i, "holds a part beyond the last, %d", k)
		}
		if i > 0 && pattern.Mask <= p[i-1].Mask {
			return bad(i, "does not come after the one before it (sets are ordered by their highest part)")
		}
	}
	return nil
}
