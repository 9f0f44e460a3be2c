package learn

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
)

// The price of places. Where parts lie anywhere, or may be used more than once, the
// likelihood alone pays nothing for one more pick, and learning ends with parts that
// are dots. There a pick pays for what it takes to say that it is there
// (patchwork.PursuitOptions.Rates): in the E-step, and where rounds, starts and numbers
// of parts are compared.

// priced reports whether picks pay for their places while a model is learned.
func (o Options) priced(c patchwork.Config) bool {
	return !o.Paper && rows.Moves(c) && (c.Scene || c.Reuse > 1)
}

// pursuitOf returns how an E-step explains images by m, given the counts t of the step
// before, or nil.
func (o Options) pursuitOf(m *patchwork.Model, t *patchwork.Tally) patchwork.PursuitOptions {
	return o.em(m.Config()).pursuit(m, t)
}

// placeRates returns how many picks of each expert to expect in an image: by the counts
// of the last E-step, without them by the model's usage, and without that 1.
func placeRates(m *patchwork.Model, t *patchwork.Tally) []float64 {
	rates := make([]float64, m.K())
	for k := range rates {
		switch u := m.Extras().Usage; {
		case t != nil:
			rates[k] = (float64(t.Picks(k)) + 0.5) / (float64(t.Rows()) + 1)
		case u != nil: // picks at random: P(none) = exp(-rate)
			rates[k] = -elem.Log1p(-min(max(u[k], 1e-3), 0.95))
		default:
			rates[k] = 1
		}
	}
	return rates
}

// placesLength returns the nats that say where the picks counted in t are, at the given
// rates: the price of each, and the rates themselves for every image, as of a Poisson
// process.
func placesLength(m *patchwork.Model, t *patchwork.Tally, rates []float64) float64 {
	c := m.Config()
	grid, err := m.GridFor(c.ImageHeight, c.ImageWidth)
	if err != nil {
		return 0 // no image of this size was explained
	}
	length := 0.0
	for k, rate := range rates {
		price := max(1, elem.Log(float64(grid.Len())/rate))
		length += float64(float64(t.Picks(k))*price) + float64(float64(t.Rows())*rate)
	}
	return length
}
