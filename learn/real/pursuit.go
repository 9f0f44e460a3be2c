package real

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Explanation is which experts explain an image, and how well.
type Explanation struct {
	Picks []Pick
	// Gains are what each pick gained when it was picked, before its price, in nats.
	Gains []float64
	// StartLogLik is the log-likelihood of the background alone, LogLik that of the
	// explanation, LogJoint that with the logarithm of the probability of the picks.
	StartLogLik, LogLik, LogJoint float64
}

// Pursuit explains images. It keeps scratch memory and belongs to one goroutine; Fork makes another.
type Pursuit struct {
	f         *field
	logPrior  float64    // of no picks
	committee []*Pursuit // of the models that predict together with this one, once they are asked
}

// NewPursuit returns a pursuit. The error says what is wrong with the model.
func NewPursuit(m *Model) (*Pursuit, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	return newPursuit(newBank(m)), nil
}

// newPursuit returns a pursuit on a bank.
func newPursuit(b *bank) *Pursuit { return &Pursuit{f: newField(b), logPrior: b.m.LogPrior(nil)} }

// Fork returns a pursuit of the same model for another goroutine.
func (p *Pursuit) Fork() *Pursuit {
	out := newPursuit(p.f.bank)
	for _, o := range p.committee {
		out.committee = append(out.committee, o.Fork())
	}
	return out
}

// CheckImage returns an error unless an image fits the model: D values, each finite, or NaN for unknown.
func (m *Model) CheckImage(image []float64) error {
	if len(image) != m.D() {
		return fmt.Errorf("real: an image of %d values, the model has %d x %d pixels", len(image), m.Height, m.Width)
	}
	for d, x := range image {
		if math.IsInf(x, 0) {
			return fmt.Errorf("real: row %d, column %d is infinite", d/m.Width+1, d%m.Width+1)
		}
	}
	return nil
}

// Explain returns the explanation of an image by likelihood matching pursuit: from the background,
// always the pick that gains most beyond its price, until none does; then a sweep that drops picks that do
// not pay, and adds again. Where experts move, picks that overlap are reconsidered together. Unknown values (NaN) add
// nothing. Of equals the pick with the lowest number
// is taken: expert, then pose.
func (p *Pursuit) Explain(image []float64) (Explanation, error) {
	if err := p.f.m.CheckImage(image); err != nil {
		return Explanation{}, err
	}
	f := p.f
	f.load(image)
	f.first()
	var gains []float64
	gains = p.climb(gains)
	gains = p.drop(gains)
	gains = p.climb(gains)
	if p.f.m.Moves() {
		gains = p.reconsider(gains)
	}
	return p.result(gains), nil
}

// climb adds picks while they pay, and appends what they gain.
func (p *Pursuit) climb(gains []float64) []float64 {
	for {
		c := p.best()
		if c < 0 {
			return gains
		}
		gains = append(gains, p.f.gains[c])
		p.f.add(c, true)
	}
}

// tie is how much better a candidate must be than one before it, in nats, to be preferred.
const tie = 1e-9

// best returns the candidate that gains most beyond its price, -1 if none gains anything.
func (p *Pursuit) best() int {
	f, at, most := p.f, -1, tie
	n := len(f.poses)
	for k, price := range f.price {
		if f.used[k] >= max(f.m.Reuse, 1) || k+1 == f.barred {
			continue
		}
		for i, g := range f.gains[k*n : (k+1)*n] {
			if g-price > most+tie {
				at, most = k*n+i, g-price
			}
		}
	}
	return at
}

// drop takes back, in the order in which they were picked, the picks that gain no more than their price.
func (p *Pursuit) drop(gains []float64) []float64 {
	if len(p.f.picks) < 2 {
		return gains
	}
	for i := 0; i < len(p.f.picks); {
		if p.f.loss(i) > p.f.price[p.f.picks[i]/len(p.f.poses)] {
			i++
			continue
		}
		p.f.remove(i, true)
		gains = slices.Delete(gains, i, i+1)
	}
	return gains
}

// result returns the explanation by the picks of the field.
func (p *Pursuit) result(gains []float64) Explanation {
	e := Explanation{Gains: gains, StartLogLik: p.f.base, LogLik: p.f.logLik(), LogJoint: p.logPrior}
	for _, c := range p.f.picks {
		e.Picks = append(e.Picks, p.pick(c))
		e.LogJoint += p.prior(c)
	}
	e.LogJoint += e.LogLik
	return e
}

// pick returns a candidate as expert and pose.
func (p *Pursuit) pick(c int) Pick {
	n := len(p.f.poses)
	return Pick{c / n, p.f.poses[c%n]}
}

// prior returns what a candidate adds to the logarithm of the probability of the picks.
func (p *Pursuit) prior(c int) float64 {
	pi := p.f.m.pi(c / len(p.f.poses))
	return elem.Log(pi/(1-pi)) - elem.Log(float64(len(p.f.poses)))
}
