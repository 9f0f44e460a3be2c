package mixed

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork/internal/elem"
)

// Sample draws a row: each part is there with its probability, and every cell is drawn from what they say together, as
// a value as those that were seen: whole where they were whole, and not beyond 0 where none was. NaN where a column was
// never known.
func (m *Model) Sample(rng *rand.Rand) []float64 {
	set := uint64(0)
	for k := range m.Parts {
		if rng.Float64() < m.Parts[k].Share {
			set |= 1 << k
		}
	}
	row := make([]float64, len(m.Columns))
	for d := range row {
		said, u := m.Compose(d, set), rng.Float64()
		o := said[0].Opinion
		if u >= said[0].Weight {
			o = said[1].Opinion
		}
		row[d] = m.Columns[d].draw(rng, o)
	}
	return row
}

// draw draws a value of a column.
func (c *Column) draw(rng *rand.Rand, o *Opinion) float64 {
	u, z := rng.Float64(), elem.Normal(rng)
	if c.Family == Real {
		x := c.onGrid(c.Scale.value(o.Mean + float64(z*math.Sqrt(o.Var))))
		if c.Least >= 0 {
			x = max(x, c.Least)
		}
		return x
	}
	for l, p := range o.P {
		if u -= p; u < 0 || l == len(o.P)-1 {
			if c.Low[l] == c.High[l] {
				return c.Low[l]
			}
			return min(c.onGrid(c.Low[l]+float64(rng.Float64()*(c.High[l]-c.Low[l]))), c.High[l])
		}
	}
	return math.NaN()
}

// onGrid rounds to the least value and a number of steps.
func (c *Column) onGrid(x float64) float64 {
	return c.Least + float64(math.Round((x-c.Least)/c.Step)*c.Step)
}
