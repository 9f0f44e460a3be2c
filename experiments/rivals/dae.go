package rivals

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// encoder is a denoising autoencoder with one layer of sigmoid units (Vincent, Larochelle,
// Bengio, Manzagol 2008): a row is corrupted by setting pixels to 0, encoded as
// h = sigmoid(Wx + b), decoded as y = sigmoid(V'h + c), with V = W if tied, and judged by
// the cross-entropy to the row before corruption. Learning is by stochastic gradient
// descent, one row at a time.
type encoder struct {
	w, v [][]float64 // K rows of D; the same rows if tied
	b, c []float64
}

// epochs are the paper's.
const epochs = 100

// newEncoder has weights uniform in +-4 sqrt(6/(D+K)), the usual start for sigmoid units
// (Glorot and Bengio 2010), and biases 0.
func newEncoder(d int, untied bool, rng *rand.Rand) *encoder {
	draw := func() [][]float64 {
		w, reach := matrix(units, d), 4*math.Sqrt(6/float64(d+units))
		for _, row := range w {
			for j := range row {
				row[j] = reach * (2*rng.Float64() - 1)
			}
		}
		return w
	}
	m := &encoder{w: draw(), b: make([]float64, units), c: make([]float64, d)}
	if m.v = m.w; untied {
		m.v = draw()
	}
	return m
}

// encode writes the activations of the hidden units for x.
func (m *encoder) encode(x, code []float64) {
	for k, row := range m.w {
		code[k] = sigmoid(m.b[k] + floats.Dot(row, x))
	}
}

// decode writes the probabilities that the pixels are on.
func (m *encoder) decode(code, y []float64) {
	copy(y, m.c)
	for k, u := range code {
		floats.AddScaled(y, u, m.v[k])
	}
	for d, t := range y {
		y[d] = sigmoid(t)
	}
}

func sigmoid(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// step adds s times the gradient of the cross-entropy of x, and the reconstruction from
// the corrupted row, to g, which may be the model itself.
func (m *encoder) step(g *encoder, s float64, x, corrupted []float64) {
	code, back, slope := make([]float64, len(m.b)), make([]float64, len(m.b)), make([]float64, len(x))
	m.encode(corrupted, code)
	m.decode(code, slope)
	floats.Sub(slope, x)     // d loss / d (V'h + c) = y - x
	for k, h := range code { // all slopes before a tied gradient is changed
		back[k] = floats.Dot(m.v[k], slope) * h * (1 - h)
	}
	floats.AddScaled(g.c, s, slope)
	for k, h := range code {
		floats.AddScaled(g.v[k], s*h, slope)
		g.b[k] += s * back[k]
		floats.AddScaled(g.w[k], s*back[k], corrupted)
	}
}

// fitEncoder learns from rows of bits.
func fitEncoder(ctx context.Context, rows [][]float64, untied bool, o setting, seed uint64) (*encoder, error) {
	rng := rand.New(rand.NewPCG(seed, 0x646165))
	m := newEncoder(len(rows[0]), untied, rng)
	order, corrupted := make([]int, 0, len(rows)), make([]float64, len(rows[0]))
	for i := range rows {
		order = append(order, i)
	}
	for range epochs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			copy(corrupted, rows[i])
			for j := range corrupted {
				if rng.Float64() < o.corruption {
					corrupted[j] = 0
				}
			}
			m.step(m, -o.rate, rows[i], corrupted)
		}
	}
	return m, nil
}

// autoencoder returns a learner.
func autoencoder(untied bool) func(context.Context, job) (*fitted, error) {
	return func(ctx context.Context, j job) (*fitted, error) {
		m, err := fitEncoder(ctx, j.rows, untied, j.setting, j.seed)
		if err != nil {
			return nil, err
		}
		f := &fitted{templates: m.v, votes: m.v, said: matrix(len(j.test.rows), len(m.c)),
			rounded: matrix(len(j.test.rows), len(m.c))}
		code := make([]float64, units)
		for i, x := range j.test.rows {
			m.encode(x, code)
			m.decode(code, f.said[i])
			for k, u := range code {
				if code[k] = 0; u > 0.5 {
					code[k] = 1
				}
			}
			m.decode(code, f.rounded[i])
		}
		return f, nil
	}
}
