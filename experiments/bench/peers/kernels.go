package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"example.com/patchwork/experiments/bench/roofline"
	"example.com/patchwork/internal/score/kernel"
)

// share is the fraction of the machine's peak that one of our vector loops reaches.
type share struct {
	path, loop string  // "avx2", "Gain, 16 neighbours"
	bound      string  // the unit that limits the loop
	cycles     float64 // for the work that loop names
	least      float64 // the same if that unit never waited
}

// kernelShares measures the vector loops of the pursuit against the peaks that bound
// them. Their data are in the first-level cache, as images and templates are, and are
// not aligned, as with shifts.
func kernelShares(m roofline.Machine, each time.Duration) []share {
	var out []share
	for _, p := range kernel.All() {
		for _, peak := range m.Peaks {
			if strings.ToLower(strings.ReplaceAll(peak.Vectors, "-", "")) == p.Name {
				out = append(out, sumsShare(p, peak, m.GHz, each), gainShare(p, peak, m.GHz, each))
				rows := kernel.RowVectors(p)
				out = append(out, stepShare(p, rows, peak, m.GHz, each), foursShare(p, rows, peak, m.GHz, each),
					strengthenShare(p, rows, peak, m.GHz, each))
			}
		}
	}
	return out
}

// sumsShare measures Sums: a vector of codes is looked up, split into even and odd bytes
// by a shift, and both are added: four instructions on a vector of bytes or words. The
// peak of 16-bit additions is instructions per cycle times words per vector.
func sumsShare(p *kernel.Path, peak roofline.Peak, ghz float64, each time.Duration) share {
	const tiles, terms = 16, 256
	rng := rand.New(rand.NewPCG(5, 1))
	sums, tops := make([]uint16, tiles*kernel.Tile), make([]uint16, tiles)
	codes, tables := make([]byte, 8<<10), make([]byte, 64*p.Entries)
	for i := range codes {
		codes[i] = byte(rng.IntN(p.Entries))
	}
	var lookups kernel.Lookups
	for range terms {
		lookups.Add(kernel.Lookup{Table: int32(rng.IntN(64) * p.Entries), Code: int32(rng.IntN(len(codes) - tiles*kernel.Tile))})
	}
	cycles := fastest(each, func() { p.Sums(sums, tops, tables, codes, &lookups) }) * ghz * 1e9 / (tiles * terms)
	const instructions = 4
	words := float64(instructions * kernel.Tile / 2)
	return share{p.Name, "Sums, 64 candidates and a block of pixels", "16-bit adds", cycles, words / peak.Words}
}

// gainShare measures Gain: 16 neighbours take two subtractions and two maxima of
// float32, a subtraction and an addition, and 256 bytes to read.
func gainShare(p *kernel.Path, peak roofline.Peak, ghz float64, each time.Duration) share {
	const chunks, pixels = 64, 1 << 10
	rng := rand.New(rand.NewPCG(5, 2))
	terms := make([]float32, 2*kernel.Chunk*chunks)
	off, on := make([]float32, pixels), make([]float32, pixels)
	for _, x := range [][]float32{terms, off, on} {
		for i := range x {
			x[i] = rng.Float32()
		}
	}
	var at kernel.Chunks
	for range chunks {
		at.Add(int32(rng.IntN(pixels - kernel.Chunk)))
	}
	cycles := fastest(each, func() { p.Gain(terms, &at, off, on) }) * ghz * 1e9 / chunks
	const operations, bytes = 6 * kernel.Chunk, 4 * 4 * kernel.Chunk
	s := share{p.Name, "Gain, 16 neighbours", "float32 adds", cycles, operations / peak.Add}
	if reading := bytes / peak.Load; reading > s.least {
		s.bound, s.least = "L1 reads", reading
	}
	return s
}

// Sizes of the data of the loops for rows of tables.
const (
	rowsInList = 1024
	groupsARow = 32 // of four columns
	lanesARow  = 64 // if experts are many
)

// stepShare measures a step of eight experts and a row. With AVX2 a lane is an expert, and a
// group of four columns takes reading and adding their numbers. With AVX-512 Propose is the
// step: a lane is a row, and five columns take a lookup for each expert.
func stepShare(p *kernel.Path, loops *kernel.RowLoops, peak roofline.Peak, ghz float64, each time.Duration) share {
	const lanes, words = 8, groupsARow / 16
	rng := rand.New(rand.NewPCG(5, 3))
	x, list := randomWords(rng, rowsInList*words), make([]int32, rowsInList)
	for i := range list {
		list[i] = int32(i)
	}
	lists, counts := make([]int32, (lanes+2)*kernel.Block), make([]int32, lanes+2)
	cyclesARow := func(call func()) float64 {
		return fastest(each, func() { clear(counts); call() }) * ghz * 1e9 / rowsInList
	}
	if loops.Propose != nil {
		const fives, bytes = 13 * words, 2 // of five columns; of a number
		in := &kernel.Propose{Numbers: []int64{0, 1, 2, 3, 4, 5, 6, 7}, Start: make([]int16, lanes), X: x, List: list, Lists: lists, Counts: counts, Width: words, Fives: fives, End: lanes}
		for at := range fives * lanes {
			in.Places = append(in.Places, int32(32*at))
			for range 32 {
				in.Table = append(in.Table, int16(rng.IntN(64)-32))
			}
		}
		cycles := cyclesARow(func() { loops.Propose(in) })
		return share{p.Name, "Propose, 8 experts and a row of 128 columns", "lookups", cycles, fives * lanes * bytes / peak.Lookup}
	}
	table, costs := make([]float64, 16*groupsARow*lanes), make([]float64, lanes)
	for i := range table {
		table[i] = rng.NormFloat64()
	}
	picks, gains := make([]int8, 8*rowsInList), make([]float64, 8*rowsInList)
	cycles := cyclesARow(func() { loops.Step(table, costs, 1, x, words, list, groupsARow, picks, gains, lists, counts) })
	return share{p.Name, "Step, 8 experts and a row of 128 columns", "L1 reads and adds", cycles, groupsARow * lanes * 8 / peak.LoadAdd}
}

// foursShare measures AddFours: the numbers of 64 experts for a group of four columns are
// read and added. Their table, for 784 columns, is too large for the first-level cache.
func foursShare(p *kernel.Path, loops *kernel.RowLoops, peak roofline.Peak, ghz float64, each time.Duration) share {
	rng := rand.New(rand.NewPCG(5, 4))
	const groups, words, rows = 784 / 4, (784 + 63) / 64, 64
	table, gains := make([]int32, 16*groups*lanesARow), make([]int32, lanesARow)
	for i := range table {
		table[i] = rng.Int32N(1 << 20)
	}
	x := randomWords(rng, rows*words)
	cycles := fastest(each, func() {
		for i := range rows {
			loops.AddFours(gains, table, x[i*words:], groups/4)
		}
	}) * ghz * 1e9 / (rows * groups)
	return share{p.Name, "AddFours, 64 experts and 4 of 784 columns", "L2 reads", cycles, 4 * lanesARow / peak.LoadL2}
}

// strengthenShare measures Strengthen: a column of 64 experts takes two comparisons, a
// subtraction and an addition of 32 bits each.
func strengthenShare(p *kernel.Path, loops *kernel.RowLoops, peak roofline.Peak, ghz float64, each time.Duration) share {
	const columns, words = 64, 1
	rng := rand.New(rand.NewPCG(5, 5))
	gains, alone := make([]int32, lanesARow), make([]int32, 2*columns*lanesARow)
	units, spare := make([]int32, columns), make([]int32, columns)
	for i := range alone {
		alone[i] = rng.Int32N(1 << 20)
	}
	up, x := []uint64{math.MaxUint64}, randomWords(rng, words)
	cycles := fastest(each, func() {
		loops.Strengthen(gains, alone, units, spare, up, x, 3)
	}) * ghz * 1e9 / columns
	return share{p.Name, "Strengthen, 64 experts and a column", "32-bit operations", cycles, 4 * lanesARow / (peak.Words / 2)}
}

func randomWords(rng *rand.Rand, n int) []uint64 {
	x := make([]uint64, n)
	for i := range x {
		x[i] = rng.Uint64() & rng.Uint64() & rng.Uint64()
	}
	return x
}

// fastest returns the seconds of a call in the fastest of many slices: other programs can
// only slow it down.
func fastest(each time.Duration, call func()) float64 {
	const calls = 20
	best := math.Inf(1)
	began := time.Now()
	for slices := 0; slices < 30 || time.Since(began) < each; slices++ {
		slice := time.Now()
		for range calls {
			call()
		}
		best = min(best, time.Since(slice).Seconds()/calls)
	}
	return best
}
