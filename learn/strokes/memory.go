package strokes

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"example.com/patchwork/internal/recall"
)

// recalled returns how Explain explains the images, from the memory of the data if it
// has one that knows; else it explains them and keeps the result there.
func (l *Learner) recalled(ctx context.Context, st *State, afresh bool) ([]found, error) {
	return recall.Or(l.data.Memory, "an E-step", func() string { return l.key(st, afresh) },
		func(value []byte) ([]found, bool) { return l.decode(value, len(st.templates)) },
		func() ([]found, error) { return l.explain(ctx, st, afresh) }, encode)
}

// key returns the key of an E-step: SHA-256 of everything that its result depends
// on except the images.
func (l *Learner) key(st *State, afresh bool) string {
	h := sha256.New()
	g := l.ground
	fmt.Fprintf(h, "strokes %d %d %v %v %d %d %v %t %t %d\n", g.height, g.width, g.grid, l.levels.p, g.outside, l.reuse,
		l.opt.Double, l.opt.Shared, afresh, len(st.templates))
	for _, t := range st.templates {
		h.Write(t)
	}
	if !afresh {
		fmt.Fprint(h, st.picks)
	}
	return string(h.Sum(nil))
}

// encode returns the bytes of explanations: of each image the number of picks, the
// picks, the pixels covered twice and the log-likelihood.
func encode(explained []found) []byte {
	var out []byte
	for _, f := range explained {
		out = binary.AppendUvarint(out, uint64(len(f.picks)))
		for _, p := range f.picks {
			for _, v := range [4]int{p.expert, p.turn, p.dy, p.dx} {
				out = binary.AppendVarint(out, int64(v))
			}
		}
		out = binary.AppendUvarint(out, uint64(f.double))
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(f.logLik))
	}
	return out
}

// decode inverts encode for the images of this learner; ok is false for bytes that
// are no explanations of them by so many experts.
func (l *Learner) decode(b []byte, experts int) (out []found, ok bool) {
	next := func() int {
		v, n := binary.Varint(b)
		b, ok = b[max(n, 0):], ok && n > 0
		return int(v)
	}
	count := func() int {
		v, n := binary.Uvarint(b)
		b, ok = b[max(n, 0):], ok && n > 0 && v < math.MaxInt32
		return int(v)
	}
	ok = true
	for range l.data.Images {
		var f found
		for n := count(); ok && len(f.picks) < n; {
			p := pick{next(), next(), next(), next()}
			ok = ok && p.expert >= 0 && p.expert < experts && p.turn >= 0 && p.turn < len(l.ground.turns) && l.ground.has(p)
			f.picks = append(f.picks, p)
		}
		f.double = count()
		if ok = ok && len(b) >= 8; !ok {
			return nil, false
		}
		f.logLik, b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
		out = append(out, f)
	}
	return out, len(b) == 0
}

// has reports whether the grid has the shift of a pick.
func (g *ground) has(p pick) bool {
	_, okY := g.grid.DY.Index(p.dy)
	_, okX := g.grid.DX.Index(p.dx)
	return okY && okX
}
