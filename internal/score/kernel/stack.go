package kernel

// Lanes is the number of neighbours that Stack adds up together.
const Lanes = 32

// Places lists the numbers of the first of some neighbours: of Lanes for Stack, of Chunk
// for Gain. The zero value has none.
type Places struct {
	list []int32
	most int32
}

// Add adds a place.
func (p *Places) Add(at int32) {
	if at < 0 {
		panic("kernel: a place before the beginning")
	}
	p.list = append(p.list, at)
	p.most = max(p.most, at)
}

// Len returns the number of places.
func (p *Places) Len() int { return len(p.list) }

// Stack sets sums[l], l < Lanes, to the sum over the places of from[place+l],
// modulo 2^32. It panics where sums or from are too short.
func (p *Path) Stack(sums, from []int32, places *Places) {
	_ = sums[Lanes-1]
	if len(places.list) == 0 {
		clear(sums[:Lanes])
		return
	}
	_ = from[int(places.most)+Lanes-1]
	p.stack(sums, from, places.list)
}

func stackPortable(sums, from, places []int32) {
	var acc [Lanes]int32
	for _, at := range places {
		for l, v := range (*[Lanes]int32)(from[at:]) {
			acc[l] += v
		}
	}
	copy(sums, acc[:])
}
