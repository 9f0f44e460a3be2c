package stack

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/matrix"
	"example.com/patchwork/table"
)

// Predictor predicts unknown bits of rows. It can be used by several goroutines.
type Predictor struct {
	Moments
	Mixtures []Mixtures
	Shrunk   []Shrunk
	Few      []Few

	// Weights are those of the log odds that the kinds give: of Mixtures, Shrunk, Few and the parts.
	Weights [kinds]float64

	once   sync.Once
	voters [kinds - 1][]weighed
}

// The kinds of voters.
const (
	byMixtures = iota
	byShrunk
	byFew
	byParts
	kinds
)

// Mixtures are mixtures of one size from several starts, whose predictions are averaged.
type Mixtures struct {
	Weight float64 // among all mixtures
	Starts []*table.Mixture
}

// Shrunk is a Gaussian with a share of its covariance beside the diagonal taken away.
type Shrunk struct {
	Weight float64 `json:"weight"` // among its kind
	Share  float64 `json:"share"`
}

// Few is a Gaussian with the Rank largest directions of the covariance.
type Few struct {
	Weight float64 `json:"weight"` // among its kind
	Rank   int     `json:"rank"`
}

// weighed is a voter with its weight in its kind.
type weighed struct {
	voter
	weight float64
}

// prepare makes the voters, once. A Gaussian of numbers that are no covariance is left out.
func (p *Predictor) prepare() {
	p.once.Do(func() {
		for _, m := range p.Mixtures {
			p.voters[byMixtures] = append(p.voters[byMixtures], weighed{newMixtures(m.Starts), m.Weight})
		}
		if p.Covariance == nil {
			return
		}
		d := p.directions()
		if d == nil {
			return
		}
		add := func(kind int, weight float64, covariance *matrix.Matrix) {
			if g, ok := newGaussian(p.Means, covariance); ok {
				p.voters[kind] = append(p.voters[kind], weighed{g, weight})
			}
		}
		for _, s := range p.Shrunk {
			add(byShrunk, s.Weight, d.shrunk(s.Share))
		}
		for _, f := range p.Few {
			add(byFew, f.Weight, d.few(f.Rank))
		}
	})
}

// Predict returns the probability of being on for each bit of a row: of those that are not known by all kinds, parts
// being what the parts say; of others what parts says.
func (p *Predictor) Predict(image *bitmap.Image, parts []float64) []float64 {
	p.prepare()
	x := newRow(image, p.Means)
	if len(x.hidden) == 0 {
		return parts
	}
	odds, said, one := make([]float64, len(parts)), make([]float64, len(parts)), make([]float64, len(parts))
	for kind, voters := range p.voters {
		if p.Weights[kind] == 0 || len(voters) == 0 {
			continue
		}
		clear(said)
		for _, v := range voters {
			v.predict(x, one)
			for _, i := range x.hidden {
				said[i] += float64(v.weight * one[i])
			}
		}
		for _, i := range x.hidden {
			odds[i] += float64(p.Weights[kind] * logOdds(said[i]))
		}
	}
	out := append([]float64(nil), parts...)
	for _, i := range x.hidden {
		out[i] = sigmoid(odds[i] + float64(p.Weights[byParts]*logOdds(parts[i])))
	}
	return out
}

// Len returns the number of columns.
func (p *Predictor) Len() int { return len(p.Means) }

// String says which kinds predict, and with what weight.
func (p *Predictor) String() string {
	var said []string
	for kind, name := range [kinds]string{"mixtures", "a Gaussian with a shrunk covariance",
		"a Gaussian of few directions", "the parts"} {
		if w := p.Weights[kind]; w >= .005 {
			said = append(said, fmt.Sprintf("%s (%.2f)", name, w))
		}
	}
	return "the sum of the log odds of " + strings.Join(said, ", ")
}

// Check returns an error if the fields do not fit each other, or hold numbers that are none.
func (p *Predictor) Check() error {
	d := len(p.Means)
	inside := func(low, high float64, lists ...[]float64) bool {
		for _, list := range lists {
			for _, v := range list {
				if !(v >= low && v <= high) {
					return false
				}
			}
		}
		return true
	}
	weights, shares := p.Weights[:], []float64(nil)
	for _, m := range p.Mixtures {
		weights = append(weights, m.Weight)
		for _, x := range m.Starts {
			if len(x.Components) != len(x.Share) || !inside(least, 1, x.Share) || !inside(least, 1-least, x.Components...) {
				return errors.New("a mixture holds what is no probability")
			}
			for _, c := range x.Components {
				if len(c) != d {
					return fmt.Errorf("a component of %d columns, of %d", len(c), d)
				}
			}
		}
	}
	for _, s := range p.Shrunk {
		weights, shares = append(weights, s.Weight), append(shares, s.Share)
	}
	for _, f := range p.Few {
		if weights = append(weights, f.Weight); f.Rank < 1 {
			return fmt.Errorf("a Gaussian of %d directions", f.Rank)
		}
	}
	switch {
	case d == 0:
		return errors.New("no means")
	case !inside(0, 1, p.Means, shares) || !inside(0, mostWeight, weights):
		return errors.New("a mean, a share or a weight is out of range")
	case len(p.Shrunk)+len(p.Few) > 0 && (d > mostColumns || len(p.Covariance) != d*d) || !inside(-1, 1, p.Covariance):
		return fmt.Errorf("no covariance of %d columns", d)
	}
	return nil
}

const (
	least      = 1e-12 // that a probability of a mixture is
	mostWeight = 1e3
)
