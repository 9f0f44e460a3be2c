package rows

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork"
)

// mostUnits is up to how many rows, weights counted, SplitUnits draws one by one.
const mostUnits = 1 << 22

// SplitUnits splits rows like Split, but every row as often as its weight says: a row of
// weight 2 is split as the row twice is, as far as equal rows have been merged
// (Distinct). Of very many rows, and of decimal weights, it splits each with all its weight.
func SplitUnits(d patchwork.Data, share float64, seed uint64) (rest, held patchwork.Data) {
	n := Total(d)
	if d.Unit > 1 || n > mostUnits || n < 2 {
		return Split(d, share, seed)
	}
	units := make([]int32, 0, n)
	for i := range d.Images {
		for range d.Weight(i) {
			units = append(units, int32(i))
		}
	}
	rand.New(rand.NewPCG(seed, splitStream)).Shuffle(len(units),
		func(i, j int) { units[i], units[j] = units[j], units[i] })
	cut := min(max(int(math.Round(share*float64(n))), 1), len(units)-1)
	return counted(d, units[cut:]), counted(d, units[:cut])
}

// counted returns the rows with the given indices, each with how often it is among them.
func counted(d patchwork.Data, units []int32) patchwork.Data {
	weight := make([]int64, len(d.Images))
	for _, i := range units {
		weight[i]++
	}
	var out patchwork.Data
	for i, w := range weight {
		if w > 0 {
			out.Images, out.Weights = append(out.Images, d.Images[i]), append(out.Weights, w)
		}
	}
	return out
}

// Units returns the data with every row as often as its weight says; of very many rows, or
// decimal weights, the data as they are.
func Units(d patchwork.Data) patchwork.Data {
	if d.Unit > 1 || Total(d) > mostUnits {
		return d
	}
	var out patchwork.Data
	for i, row := range d.Images {
		for range d.Weight(i) {
			out.Images = append(out.Images, row)
		}
	}
	return out
}
