package classes

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
)

// Marginals are what a class says of every pixel or column alone, as if pixels said
// nothing of each other: naive Bayes. They judge beside the model learned of the class,
// where no examples are kept whole: of few rows they know less, and err less.
type Marginals struct {
	// P is the probability that a pixel is on, by class, row-major; above 0 and below 1.
	P [][]float64
	// Share is the weight of their log-likelihood, from 0 to 1; that of the learned model
	// has the rest.
	Share float64
}

// Marginals returns what the classes say of every pixel alone; nil if they say nothing.
// The caller must not change it.
func (c *Classifier) Marginals() *Marginals { return c.marginals }

// WithMarginals returns the classifier with what its classes say of every pixel alone, or
// without that if m is nil. The error says what does not fit.
func (c *Classifier) WithMarginals(m *Marginals) (*Classifier, error) {
	out := *c
	out.marginals, out.logs = nil, nil
	if m == nil {
		return &out, nil
	}
	h, w := c.Size()
	switch {
	case c.classes[0].Learned == nil || len(c.classes[0].Examples) > 0:
		return nil, fmt.Errorf("patchwork: probabilities of single pixels judge beside learned models alone")
	case !(m.Share >= 0 && m.Share <= 1):
		return nil, fmt.Errorf("patchwork: %v is not a share from 0 to 1", m.Share)
	case len(m.P) != len(c.classes):
		return nil, fmt.Errorf("patchwork: probabilities of pixels of %d classes for %d", len(m.P), len(c.classes))
	}
	for k, p := range m.P {
		if len(p) != h*w {
			return nil, fmt.Errorf("patchwork: %d probabilities of class %q for images of %d x %d pixels", len(p),
				c.classes[k].Name, h, w)
		}
		for i, v := range p {
			if !(v > 0 && v < 1) {
				return nil, fmt.Errorf("patchwork: probability %v of pixel %d of class %q is not between 0 and 1", v, i+1,
					c.classes[k].Name)
			}
		}
	}
	out.marginals, out.logs = m, m.logs()
	return &out, nil
}

// logs returns the logarithms of the probabilities that a pixel is off, and on, by class.
func (m *Marginals) logs() [][][2]float64 {
	out := make([][][2]float64, len(m.P))
	for k, p := range m.P {
		out[k] = make([][2]float64, len(p))
		for i, v := range p {
			out[k][i] = [2]float64{elem.Log(1 - v), elem.Log(v)}
		}
	}
	return out
}

// logLik returns the log-likelihood of an image under the marginals of a class, given
// their logarithms. Unknown pixels say nothing.
func logLik(logs [][2]float64, img *bitmap.Image, values []uint8) (sum float64, buffer []uint8) {
	values = img.AppendValues(values[:0])
	for i, x := range values {
		if x < 2 {
			sum += logs[i][x]
		}
	}
	return sum, values
}

// alone returns Verdict.Alone.
func (c *Classifier) alone(img *bitmap.Image, class, second int) []float64 {
	if c.marginals == nil {
		return nil
	}
	out := make([]float64, img.Len())
	for i, x := range img.AppendValues(nil) {
		if x < 2 {
			out[i] = c.logs[class][i][x] - c.logs[second][i][x]
		}
	}
	return out
}

// strengths are how many rows the rows of all classes may count as in the marginals of
// one of them.
var strengths = [...]float64{0.25, 0.5, 1, 2, 4, 8, 16, 32}

// counts are how often pixels are known and on, by class.
type counts struct {
	on, seen [][]int64
}

// count counts the pixels of the examples of each class.
func (l *learner) count() counts {
	var c counts
	var values []uint8
	for _, k := range l.groups {
		on, seen := make([]int64, l.data.Images[0].Len()), make([]int64, l.data.Images[0].Len())
		for _, i := range k.rows {
			values = l.data.Images[i].AppendValues(values[:0])
			for x, v := range values {
				if v < 2 {
					seen[x] += l.data.Weight(i)
					on[x] += int64(v) * l.data.Weight(i)
				}
			}
		}
		c.on, c.seen = append(c.on, on), append(c.seen, seen)
	}
	return c
}

// marginals returns the marginals of the classes: how often a pixel is on in a class, drawn
// towards how often it is on in all. How strongly is chosen by leaving one row out at a
// time.
func (l *learner) marginals() [][]float64 {
	c := l.count()
	best, strength := math.Inf(-1), 0.0
	for _, m := range strengths {
		if v := c.leftOut(m); v > best {
			best, strength = v, m
		}
	}
	out := make([][]float64, len(c.on))
	for k := range out {
		out[k] = make([]float64, len(c.on[k]))
		for x := range out[k] {
			out[k][x] = (float64(c.on[k][x]) + float64(strength*c.all(x, 0, 0))) / (float64(c.seen[k][x]) + strength)
		}
	}
	return out
}

// all returns how often pixel x is on in all classes, less a row that is left out: whether
// it is known, and on. Half a row more is on, and half a row off.
func (c *counts) all(x int, known, on int64) float64 {
	var sum, n int64
	for k := range c.on {
		sum, n = sum+c.on[k][x], n+c.seen[k][x]
	}
	return (float64(sum-on) + 0.5) / (float64(n-known) + 1)
}

// leftOut returns the log-likelihood of all known pixels under marginals of the other rows,
// each row left out in turn.
func (c *counts) leftOut(strength float64) float64 {
	total := 0.0
	for x := range c.on[0] {
		without := [2]float64{c.all(x, 1, 0), c.all(x, 1, 1)}
		for k := range c.on {
			on, seen := c.on[k][x], c.seen[k][x]
			if seen == 0 {
				continue
			}
			rest := float64(seen-1) + strength
			if on > 0 {
				p := (float64(on-1) + float64(strength*without[1])) / rest
				total += float64(float64(on) * elem.Log(p))
			}
			if off := seen - on; off > 0 {
				p := (float64(on) + float64(strength*without[0])) / rest
				total += float64(float64(off) * elem.Log(1-p))
			}
		}
	}
	return total
}

// shares are the shares of the marginals that are tried. Before any row is held out, share n
// is as likely as n + 1 says: what has fewer parameters is the better guess of few rows.
var shares = [...]float64{0, 0.25, 0.5, 0.75, 1}

// meanShare returns the share of the marginals to expect given how the examples held out
// are named: the mean of shares, each as likely as these examples make it, by the
// probabilities of their classes at the sharpness that is best for it. Learned and alone are
// the scores by the learned models and by the marginals. Few examples leave it near 2/3.
func (c *Classifier) meanShare(learned, alone [][]float64, truth []int) float64 {
	var likely [len(shares)]float64
	for n, share := range shares {
		_, likely[n] = c.mostLikely(pooled(learned, alone, share), truth)
	}
	top, sum, mean := slices.Max(likely[:]), 0.0, 0.0
	for n, share := range shares {
		weight := float64(float64(n+1) * elem.Exp(likely[n]-top))
		sum += weight
		mean += float64(share * weight)
	}
	return mean / sum
}

// pooled returns the scores with a share of the marginals.
func pooled(learned, alone [][]float64, share float64) [][]float64 {
	out := make([][]float64, len(learned))
	for i := range out {
		out[i] = make([]float64, len(learned[i]))
		for k := range out[i] {
			out[i][k] = pool2(learned[i][k], alone[i][k], share)
		}
	}
	return out
}

// pool2 returns the mean of two scores; what has no weight says nothing, not even that
// a class is impossible.
func pool2(learned, alone, share float64) float64 {
	switch share {
	case 0:
		return learned
	case 1:
		return alone
	}
	return float64((1-share)*learned) + float64(share*alone)
}

// mostLikely returns the sharpness with which the examples held out have the classes that
// they have most probably, and the logarithm of that probability. It is concave in the
// sharpness. Of the n examples one more counts as wrong, so that a few that are all named
// rightly do not ask for certainty: each with a weight of 1/(n+2) as the likeliest of the
// other classes.
func (c *Classifier) mostLikely(scores [][]float64, truth []int) (sharpness, value float64) {
	wrong := 1 / float64(len(scores)+2)
	at := func(log float64) float64 {
		sum, sharpness := 0.0, elem.Exp(log)
		for i, s := range scores {
			p, other := c.probabilities(s, sharpness), 0.0
			for k, v := range p {
				if k != truth[i] {
					other = max(other, v)
				}
			}
			sum += float64((1-wrong)*elem.Log(max(p[truth[i]], leastLogged))) + float64(wrong*elem.Log(max(other, leastLogged)))
		}
		return sum
	}
	low, high := elem.Log(1e-3), elem.Log(10)
	for range 30 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if at(a) < at(b) {
			low = a
		} else {
			high = b
		}
	}
	middle := (low + high) / 2
	return elem.Exp(middle), at(middle)
}

// leastLogged is the least probability that likelihoods tell from 0.
const leastLogged = 1e-100

// heldMarginals returns the scores by marginals of the examples that are not held out.
func (l *learner) heldMarginals(which []int) [][]float64 {
	m := Marginals{P: l.marginals()}
	logs := m.logs()
	out := make([][]float64, len(which))
	var values []uint8
	for n, i := range which {
		out[n] = make([]float64, len(logs))
		for k := range logs {
			out[n][k], values = logLik(logs[k], l.data.Images[i], values)
		}
	}
	return out
}
