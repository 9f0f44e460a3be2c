// Package roofline measures the peaks of one core of this machine: its clock, and what its
// vector units compute and read per cycle. A kernel's share of these tells how much faster
// it could still become.
// S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual
// performance model for multicore architectures", CACM 52(4), 2009.
//
// The loops are assembly, because compiled Go does not reach the peaks; gen generates them.
// On processors other than amd64 there are none.
package roofline

import (
	"math"
	"time"
)

//go:generate sh -c "cd gen && GOWORK=off go run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg roofline"

// Peak is what one core does per cycle with one width of vectors.
type Peak struct {
	Vectors string  // "AVX2" or "AVX-512"
	FMA     float64 // float32 operations (a fused multiply-add is two) per cycle, from registers
	Add     float64 // float32 additions per cycle, from registers
	Load    float64 // bytes read per cycle from the first-level cache
	LoadAdd float64 // the same, added up as float32: the inner loop of a pursuit
	LoadL2  float64 // bytes read per cycle from a buffer of 512 KiB
	Words   float64 // additions of 16 bits per cycle, from registers
	Lookup  float64 // bytes looked up per cycle in a register of 16 (AVX2) or 64 entries; 0: no such instruction
}

// Machine is the clock and peaks of one core.
type Machine struct {
	GHz   float64 // the highest clock seen, 0 if nothing is measured
	Peaks []Peak  // of every width this machine has, narrowest first
}

// level holds the kernels of one width of vectors.
type level struct {
	name                    string
	bytes                   int           // in a vector
	fma, add, words, lookup func(n int64) // lookup is nil if there is none
	load, loadAdd           func(p *byte, bytes, n int64)
}

// The operations of an iteration of the kernels; see gen.
const (
	chains    = 12 // independent vector operations
	additions = 16 // additions that wait for each other
)

// Sizes of the buffers read, in bytes: well inside the caches of all amd64
// processors of the last decade, and multiples of what an iteration reads.
const (
	small = 16 << 10
	large = 512 << 10
)

// Measure runs every kernel for the given time, in at least 30 slices of 50 to
// 100 microseconds, and takes the fastest slice: other programs can only slow it
// down. It takes about 20 times the given time if there are two widths. It is meant to
// run alone.
func Measure(each time.Duration) Machine {
	all := levels()
	if len(all) == 0 {
		return Machine{}
	}
	var m Machine
	buffer := make([]byte, large) // of this size it begins at a page
	for i := range buffer {
		buffer[i] = 1 // pages never written to are all the same one, which stays in the first cache
	}
	for _, l := range all {
		second := func(work int, run func(n int64)) float64 {
			if run == nil {
				return 0
			}
			m.GHz = max(m.GHz, additions/fastest(each/4, func(n int64) { chain(n) })/1e9)
			return float64(work) / fastest(each, run)
		}
		read := func(kernel func(*byte, int64, int64), size int) float64 {
			return second(size, func(n int64) { kernel(&buffer[0], int64(size), n) })
		}
		m.Peaks = append(m.Peaks, Peak{
			Vectors: l.name,
			FMA:     second(2*chains*l.bytes/4, l.fma),
			Add:     second(chains*l.bytes/4, l.add),
			Load:    read(l.load, small),
			LoadAdd: read(l.loadAdd, small),
			LoadL2:  read(l.load, large),
			Words:   second(chains*l.bytes/2, l.words),
			Lookup:  second(chains*l.bytes, l.lookup),
		})
	}
	for i := range m.Peaks {
		m.Peaks[i].perCycle(m.GHz)
	}
	return m
}

// perCycle converts rates per second to rates per cycle.
func (p *Peak) perCycle(ghz float64) {
	for _, v := range []*float64{&p.FMA, &p.Add, &p.Load, &p.LoadAdd, &p.LoadL2, &p.Words, &p.Lookup} {
		*v /= ghz * 1e9
	}
}

// fastest returns the time of one iteration of run(n), in seconds, in the fastest slice.
func fastest(each time.Duration, run func(n int64)) float64 {
	n := int64(1)
	for min(timed(run, n), timed(run, n), timed(run, n)) < 50*time.Microsecond { // one may be interrupted
		n *= 2
	}
	best := math.Inf(1)
	began := time.Now()
	for slices := 0; slices < 30 || time.Since(began) < each; slices++ {
		best = min(best, timed(run, n).Seconds()/float64(n))
	}
	return best
}

func timed(run func(n int64), n int64) time.Duration {
	began := time.Now()
	run(n)
	return time.Since(began)
}

// Vectors returns the widest vectors of this machine, "AVX2" or "AVX-512", or "".
func Vectors() string {
	widest := ""
	for _, l := range levels() {
		widest = l.name
	}
	return widest
}
