package sheets

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/score/kernel"
)

// candidate is a placement that gains enough on the page as it is.
type candidate struct {
	gain   int32
	sprite int32
	y, x   int32 // of the sprite's corner
}

// before orders candidates: by gain, the largest first, then by place and sprite.
func (a candidate) before(b candidate) int {
	return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x),
		cmp.Compare(a.sprite, b.sprite))
}

// maxCandidates bounds the memory of candidates.
const maxCandidates = 1 << 24

// TooManyError reports that more placements gain enough than can be kept.
type TooManyError struct{ Most int }

// Error implements the error interface.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("sheets: more than %d placements gain enough: a symbol with few strokes fits everywhere; take a "+
		"larger one", e.Most)
}

// tile is a rectangle of places.
type tile struct{ y, x, h, w int }

// tiles cuts h x w places into n rectangles, as evenly as their numbers of rows and
// columns allow; n <= 0 means tiles of about a million places.
func tiles(h, w, n int) []tile {
	rows, columns := (h+1023)/1024, (w+1023)/1024
	if n > 0 {
		rows = 1
		for r := 1; r*r <= n; r++ {
			if n%r == 0 {
				rows = r
			}
		}
		columns = n / rows
		if h > w {
			rows, columns = columns, rows
		}
	}
	var out []tile
	for r := range rows {
		for c := range columns {
			t := tile{r * h / rows, c * w / columns, 0, 0}
			t.h, t.w = (r+1)*h/rows-t.y, (c+1)*w/columns-t.x
			if t.h > 0 && t.w > 0 {
				out = append(out, t)
			}
		}
	}
	return out
}

// scan is one search of a page for candidates.
type scan struct {
	on, unknown *plane
	sprites     []*sprite
	grids       []*grid
	path        *kernel.Path
	entries     int
	pitch       int
	kept        atomic.Int64
}

// candidates returns all placements that gain what their sprites need, sorted.
func candidates(ctx context.Context, on, unknown *plane, sprites []*sprite, n, workers int) ([]candidate, error) {
	s := &scan{on: on, unknown: unknown, sprites: sprites, path: kernel.Chosen()}
	if !s.path.Fast() {
		s.path, _ = kernel.Find("portable")
	}
	s.entries = s.path.Entries
	s.grids = grids(sprites, s.entries)
	all := tiles(on.h, on.w, n)
	reach, widest := 0, 0
	for _, sp := range sprites {
		reach = max(reach, sp.w)
	}
	for _, t := range all {
		widest = max(widest, t.w)
	}
	s.pitch = (widest+reach+2*kernel.Tile)&^63 + kernel.Tile
	for _, g := range s.grids {
		g.bound(s.entries, s.pitch)
	}
	parts := make([][]candidate, len(all))
	views := make([]*view, max(1, workers))
	_, err := pool.Run(ctx, len(all), max(1, workers), 1, func(worker, i int) error {
		if views[worker] == nil {
			views[worker] = &view{scan: s, codes: map[mesh][]byte{}}
		}
		var err error
		parts[i], err = views[worker].tile(ctx, all[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.kept.Load() > maxCandidates {
		return nil, &TooManyError{maxCandidates}
	}
	out := slices.Concat(parts...)
	slices.SortFunc(out, candidate.before)
	return out, nil
}

// view is the scratch memory of a worker.
type view struct {
	*scan
	codes  map[mesh][]byte
	counts []uint16 // of one row of the page: sums of columns
	sums   []uint32 // integral image
	most   []int32  // per row and block of 64 places: the most ink in a window
	to     []uint16
	tops   []uint16
	cells  [2][]byte // codes of the grid that is looked at, coarse and fine
	fine   [kernel.Tile]uint16
	top    [1]uint16
	found  []candidate
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// tile returns the candidates of a tile.
func (v *view) tile(ctx context.Context, t tile) ([]candidate, error) {
	v.found = nil
	done := map[mesh]bool{}
	for _, g := range v.grids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, m := range g.meshes {
			if !done[m] {
				v.encode(t, m)
				done[m] = true
			}
		}
		v.cells = [2][]byte{v.codes[g.meshes[0]], v.codes[g.meshes[1]]}
		v.windows(t, g)
		if err := v.look(ctx, t, g); err != nil {
			return nil, err
		}
	}
	return v.found, nil
}

// word returns word i of what is ink or unknown in row y of the page.
func (s *scan) word(y, i int) uint64 {
	if y >= s.on.h || i >= s.on.stride {
		return 0
	}
	return s.on.bits[y*s.on.stride+i] | s.unknown.bits[y*s.on.stride+i]
}

// encode fills the codes of a tile: at each place, how much is ink or unknown in the
// cell whose corner it is.
func (v *view) encode(t tile, m mesh) {
	reach := 0
	for _, sp := range v.sprites {
		reach = max(reach, sp.h)
	}
	rows := t.h + reach
	v.codes[m] = sized(v.codes[m], rows*v.pitch+2*kernel.Tile)
	v.counts = sized(v.counts, v.pitch+m.side+64)
	clear(v.counts)
	codes := make([]byte, m.side*m.side+1)
	for n := range codes {
		codes[n] = byte(m.code(n, v.entries))
	}
	add := func(y int, d uint16) {
		for i := t.x >> 6; i<<6 < t.x+v.pitch+m.side; i++ {
			for w := v.word(y, i); w != 0; w &= w - 1 {
				if x := i<<6 + bits.TrailingZeros64(w) - t.x; x >= 0 && x < len(v.counts) {
					v.counts[x] += d
				}
			}
		}
	}
	for y := range m.side - 1 {
		add(t.y+y, 1)
	}
	for y := range rows {
		add(t.y+y+m.side-1, 1)
		n, row := uint32(0), v.codes[m][y*v.pitch:][:v.pitch]
		for _, c := range v.counts[:m.side-1] {
			n += uint32(c)
		}
		ahead := v.counts[m.side-1:]
		for x := range row {
			n += uint32(ahead[x])
			row[x] = codes[n]
			n -= uint32(v.counts[x])
		}
		add(t.y+y, ^uint16(0))
	}
}

// windows fills the most ink of the windows at each 64 places in a row.
func (v *view) windows(t tile, g *grid) {
	blocks := (t.w + 63) / 64
	width := blocks*64 + g.w + 1
	v.sums = sized(v.sums, (t.h+g.h+1)*width)
	clear(v.sums[:width])
	for y := range t.h + g.h {
		above, row, n := v.sums[y*width:][:width], v.sums[(y+1)*width:][:width], uint32(0)
		row[0] = 0
		w := uint64(0)
		for x := range width - 1 {
			at := t.x + x
			if x == 0 || at&63 == 0 {
				w = v.word(t.y+y, at>>6) >> (at & 63)
			}
			n += uint32(w & 1)
			w >>= 1
			row[x+1] = above[x+1] + n
		}
	}
	v.most = sized(v.most, t.h*blocks)
	for y := range t.h {
		top, bottom := v.sums[y*width:], v.sums[(y+g.h)*width:]
		for b := range blocks {
			most := uint32(0)
			tl, tr := top[b*64:][:64], top[b*64+g.w:][:64]
			bl, br := bottom[b*64:][:64], bottom[b*64+g.w:][:64]
			for x := range tl {
				most = max(most, br[x]-bl[x]-tr[x]+tl[x])
			}
			v.most[y*blocks+b] = int32(most)
		}
	}
}

// look finds the candidates of one grid: the places where no bound is too low.
func (v *view) look(ctx context.Context, t tile, g *grid) error {
	blocks := (t.w + 63) / 64
	v.to, v.tops = sized(v.to, blocks*kernel.Tile), sized(v.tops, blocks)
	for y := range t.h {
		if err := ctx.Err(); err != nil {
			return err
		}
		most := v.most[y*blocks:][:blocks]
		top := slices.Max(most)
		for _, b := range g.sprites {
			if b.ink > top {
				break
			}
			if t.y+y+b.h > v.on.h {
				continue
			}
			for from := 0; from < blocks; {
				if most[from] < b.ink {
					from++
					continue
				}
				to := from + 1
				for to < blocks && most[to] >= b.ink {
					to++
				}
				v.narrow(t, b, y, from, to)
				from = to
			}
		}
		if v.kept.Load() > maxCandidates {
			return &TooManyError{maxCandidates}
		}
	}
	return nil
}

// narrow bounds the places of the blocks from one to before another, coarsely and then
// finely, and scores those that are left.
func (v *view) narrow(t tile, b *bounded, y, from, to int) {
	coarse, fine := v.cells[0][y*v.pitch:], v.cells[1][y*v.pitch:]
	tops := v.tops[:to-from]
	v.path.Sums(v.to, tops, b.bounds[0].tables, coarse[from*kernel.Tile:], &b.bounds[0].lookups)
	for i, top := range tops {
		if int(top) < b.bounds[0].least {
			continue
		}
		x := (from + i) * kernel.Tile
		v.path.Sums(v.fine[:], v.top[:], b.bounds[1].tables, fine[x:], &b.bounds[1].lookups)
		if int(v.top[0]) < b.bounds[1].least {
			continue
		}
		sums := v.to[i*kernel.Tile:][:kernel.Tile]
		for j, s := range v.fine {
			if int(s) >= b.bounds[1].least && int(sums[j]) >= b.bounds[0].least {
				v.exact(t, b, y, x+kernel.Candidate(j))
			}
		}
	}
}

// exact scores a place that the bounds leave.
func (v *view) exact(t tile, b *bounded, y, x int) {
	if x >= t.w || t.x+x+b.w > v.on.w {
		return
	}
	if gain := b.gain(v.on, v.unknown, t.y+y, t.x+x); gain >= b.need {
		v.found = append(v.found, candidate{gain, int32(b.index), int32(t.y + y), int32(t.x + x)})
		v.kept.Add(1)
	}
}
