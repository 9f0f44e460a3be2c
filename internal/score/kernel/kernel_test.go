package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fast returns the paths that have inner loops.
func fast() (paths []*Path) {
	for _, p := range All() {
		if p.Fast() {
			paths = append(paths, p)
		}
	}
	return paths
}

// Every path adds up what the formula says, for any number of tiles and
// lookups, and writes nothing else.
func TestSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range fast() {
		for tiles := range 12 {
			for _, n := range []int{0, 1, 2, 3, 17, 130, 300} {
				checkSums(t, rng, p, tiles, n)
			}
		}
	}
}

const canary = 0xa5a5

func checkSums(t *testing.T, rng *rand.Rand, p *Path, tiles, n int) {
	t.Helper()
	tables := bytes(rng, p.Entries*(n+1), 256)
	codes := bytes(rng, tiles*Tile+200, p.Entries)
	var lookups Lookups
	for range n {
		lookups.Add(Lookup{Table: int32(rng.IntN(len(tables) - p.Entries + 1)), Code: int32(rng.IntN(201))})
	}
	sums, tops := slices.Repeat([]uint16{canary}, tiles*Tile+64), slices.Repeat([]uint16{canary}, tiles+64)
	p.Sums(sums[32:], tops[32:32+tiles], tables, codes, &lookups)
	for i, got := range sums {
		c, want := i-32, uint16(canary)
		if c >= 0 && c < tiles*Tile {
			want = 0
			for _, l := range lookups.list {
				want += uint16(tables[int(l.Table)+int(codes[int(l.Code)+c/Tile*Tile+Candidate(c%Tile)])])
			}
		}
		if got != want {
			t.Fatalf("%s, %d tiles, %d lookups: sum %d is %d, want %d", p.Name, tiles, n, c, got, want)
		}
	}
	for i, got := range tops {
		want := uint16(canary)
		if c := i - 32; c >= 0 && c < tiles {
			want = slices.Max(sums[32+c*Tile : 32+c*Tile+Tile])
		}
		if got != want {
			t.Fatalf("%s, %d tiles, %d lookups: top %d is %d, want %d", p.Name, tiles, n, i-32, got, want)
		}
	}
}

func bytes(rng *rand.Rand, n, below int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.IntN(below))
	}
	return b
}

func TestPositions(t *testing.T) {
	for c := range Tile {
		if p := Position(c); p < 0 || p >= Tile || Candidate(p) != c {
			t.Errorf("candidate %d stands at %d, where %d stands", c, p, Candidate(p))
		}
	}
}

// Every path gives the bits of the plain one, and these are the sum.
func TestGain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 131 {
		terms, off, on := numbers(rng, 2*Chunk*n), numbers(rng, 500), numbers(rng, 500)
		var at Places
		for range n {
			at.Add(int32(rng.IntN(len(on) - Chunk + 1)))
		}
		want := portable.Gain(terms, &at, off, on)
		exact, size := 0.0, 0.0
		for i, a := range at.list {
			for j := range Chunk {
				win := math.Max(float64(terms[32*i+16+j])-float64(on[int(a)+j]), 0)
				lose := math.Max(float64(terms[32*i+j])-float64(off[int(a)+j]), 0)
				exact += win - lose
				size += win + lose
			}
		}
		if math.Abs(float64(want)-exact) > float64(n+10)*0x1p-23*size {
			t.Fatalf("%d chunks: %v, by the formula %v", n, want, exact)
		}
		for _, p := range fast() {
			if got := p.Gain(terms, &at, off, on); math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("%s, %d chunks: %v, the plain loop has %v", p.Name, n, got, want)
			}
		}
	}
}

// numbers draws strengths of opinions, some out of reach.
func numbers(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * 5)
		switch rng.IntN(8) {
		case 0:
			x[i] = 1e30
		case 1:
			x[i] = -1e30
		}
	}
	return x
}

// Copy makes rows apart rows in a row, and writes no further than it says.
func TestCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, p := range fast() {
		for width := 1; width <= 130; width++ {
			for _, rows := range []int{0, 1, 2, 7} {
				pitch := width + rng.IntN(40)
				from := bytes(rng, rows*pitch+width+Spill, 256)
				to := slices.Repeat([]byte{0xa5}, rows*width+2*Spill+1)
				p.Copy(to[1:], from, rows, width, pitch)
				for i := range rows * width {
					if got, want := to[1+i], from[i/width*pitch+i%width]; got != want {
						t.Fatalf("%s: %d x %d from rows of %d: byte %d is %d, want %d", p.Name, rows, width, pitch, i, got, want)
					}
				}
				if to[0] != 0xa5 || slices.ContainsFunc(to[1+rows*width+Spill:], func(b byte) bool { return b != 0xa5 }) {
					t.Fatalf("%s: %d x %d from rows of %d: written beyond", p.Name, rows, width, pitch)
				}
			}
		}
	}
}

// Slices that are too short are refused before any address is taken.
func TestShortSlices(t *testing.T) {
	for _, p := range fast() {
		var one Lookups
		one.Add(Lookup{0, 0})
		var chunk Places
		chunk.Add(0)
		sums := func(sums, tables, codes int) func() {
			return func() {
				p.Sums(make([]uint16, sums), make([]uint16, 1), make([]byte, tables), make([]byte, codes), &one)
			}
		}
		gain := func(terms, off, on int) func() {
			return func() { p.Gain(make([]float32, terms), &chunk, make([]float32, off), make([]float32, on)) }
		}
		for name, f := range map[string]func(){
			"sums":   sums(63, 64, 64),
			"codes":  sums(64, 64, 63),
			"tables": sums(64, p.Entries-1, 64),
			"terms":  gain(31, 16, 16),
			"off":    gain(32, 15, 16),
			"on":     gain(32, 16, 15),
			"to":     func() { p.Copy(make([]byte, 3+Spill-1), make([]byte, 99), 1, 3, 3) },
			"from":   func() { p.Copy(make([]byte, 99), make([]byte, 3+Spill-1), 1, 3, 3) },
			"lookup": func() { one.Add(Lookup{0, -1}) },
			"chunk":  func() { chunk.Add(-1) },
		} {
			if !panics(f) {
				t.Errorf("%s: short or negative %s were not refused", p.Name, name)
			}
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestChoose(t *testing.T) {
	for _, p := range All() {
		if got := choose(p.Name); got != p {
			t.Errorf("%q chooses %s", p.Name, got.Name)
		}
	}
	if got, all := choose(""), All(); got != all[len(all)-1] {
		t.Errorf("nothing said: %s is chosen", got.Name)
	}
	if !panics(func() { choose("quantum") }) {
		t.Error("a path that does not exist was chosen")
	}
}

// One template of 60 blocks at a scene's worth of places.
func BenchmarkSums(b *testing.B) {
	const tiles, n = 916, 60
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range fast() {
		b.Run(p.Name, func(b *testing.B) {
			tables, codes := bytes(rng, p.Entries*n, 256), bytes(rng, tiles*Tile+28*256, p.Entries)
			var lookups Lookups
			for i := range n {
				lookups.Add(Lookup{int32(p.Entries * i), int32(rng.IntN(28 * 256))})
			}
			sums, tops := make([]uint16, tiles*Tile), make([]uint16, tiles)
			for b.Loop() {
				p.Sums(sums, tops, tables, codes, &lookups)
			}
			lookedUp := float64(b.N) * tiles * Tile * n
			b.SetBytes(tiles * Tile * n) // of codes
			b.ReportMetric(lookedUp/b.Elapsed().Seconds()/1e9, "Glookups/s")
		})
	}
}

// One candidate with 40 chunks, as a stroke of a letter has.
func BenchmarkGain(b *testing.B) {
	const n, pitch = 40, 90
	rng := rand.New(rand.NewPCG(1, 2))
	terms, off, on := numbers(rng, 2*Chunk*n), numbers(rng, pitch*pitch), numbers(rng, pitch*pitch)
	var at Places
	for i := range n {
		at.Add(int32(pitch*i + rng.IntN(pitch-Chunk)))
	}
	for _, p := range fast() {
		b.Run(p.Name, func(b *testing.B) {
			b.SetBytes(4 * 4 * Chunk * n) // terms and strengths; 6 operations for every 16 bytes
			for b.Loop() {
				p.Gain(terms, &at, off, on)
			}
		})
	}
}

// The codes of a letter for the 56 columns of its frame: 72 rows of 17 shifts.
func BenchmarkCopy(b *testing.B) {
	const columns, rows, width, pitch = 56, 72, 17, 72
	to, from := make([]byte, columns*rows*width+Spill), make([]byte, rows*pitch+width+Spill)
	for _, p := range fast() {
		b.Run(p.Name, func(b *testing.B) {
			b.SetBytes(columns * rows * width)
			for b.Loop() {
				for x := range columns {
					p.Copy(to[x*rows*width:], from[x:], rows, width, pitch)
				}
			}
		})
	}
}

// TestStack: all paths add up the same numbers, also where they wrap around.
func TestStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for n := range 40 {
		from := make([]int32, Lanes+rng.IntN(300))
		for i := range from {
			from[i] = int32(rng.Uint32())
		}
		var p Places
		want := make([]int32, Lanes)
		for range n {
			at := rng.IntN(len(from) - Lanes + 1)
			p.Add(int32(at))
			for l := range want {
				want[l] += from[at+l]
			}
		}
		for _, path := range All() {
			got := make([]int32, Lanes+1)
			got[Lanes] = 7
			path.Stack(got, from, &p)
			if !slices.Equal(got[:Lanes], want) || got[Lanes] != 7 {
				t.Fatalf("%s, %d places: %v, want %v", path.Name, n, got, want)
			}
		}
	}
}

// BenchmarkStack adds up as many places as a stroke has votes.
func BenchmarkStack(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 6))
	from, sums := make([]int32, 1<<18), make([]int32, Lanes)
	var p Places
	for range 300 {
		p.Add(int32(rng.IntN(len(from) - Lanes)))
	}
	for _, path := range All()[1:] {
		b.Run(path.Name, func(b *testing.B) {
			for b.Loop() {
				path.Stack(sums, from, &p)
			}
		})
	}
}
