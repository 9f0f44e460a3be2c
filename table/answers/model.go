package answers

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// sure is what the shares of all named sets add up to, since some must be left.
const sure = 1 - 1e-9

// Layers are what a model of a picture has beside its background, its parts and the sets that have names.
type Layers struct {
	Kind          string    `json:"kind"`
	Steps         []float64 `json:"steps,omitempty"` // of a level
	Weights       []float64 `json:"weights,omitempty"`
	Usage         []float64 `json:"usage_log_odds,omitempty"` // of the parts
	UsageSlope    float64   `json:"usage_slope,omitempty"`
	WithOwnWeight bool      `json:"learned_weights,omitempty"`
	Slope         []float64 `json:"-"` // of the columns; nil for none
}

// Layers returns those of the picture.
func (p *Picture) Layers() Layers {
	l := Layers{Kind: p.Kind, UsageSlope: p.UsageSlope, WithOwnWeight: p.OwnWeights}
	if p.Share == nil {
		l.Usage = p.Usage
	}
	if len(p.Steps) > 1 {
		l.Steps, l.Weights = p.Steps, p.Weights
	}
	if p.leveled() {
		l.Slope = p.Slope
	}
	return l
}

// Model returns the picture as a model of as many columns as cfg says, which reads rows by it.
func (c *Compared) Model(cfg patchwork.Config, rows int64, seed uint64) (*patchwork.Model, error) {
	p := c.Picture
	rule := patchwork.RuleMax
	if p.Lacking {
		rule = patchwork.RuleMaxMinusMin
	}
	cfg = patchwork.NewConfig(rule, cfg.Height, cfg.Width, cfg.Poses)
	cfg.QMap = p.background()
	extras := patchwork.Extras{Usage: make([]float64, max(len(p.Votes), 1)), Predictor: NewReader(p),
		Record: patchwork.Record{Method: "soft", Mode: "interpret", Seed: seed, Rows: rows, LogLik: c.LogP,
			DescriptionLength: c.Length}}
	experts := [][]float64{slices.Clone(cfg.QMap)} // a part that is never active, of a picture that has none
	if len(p.Votes) > 0 {
		experts = p.experts(cfg.QMap)
	}
	prior := &patchwork.SetPrior{Parent: slices.Repeat([]int{-1}, len(experts))}
	for range experts {
		prior.Active = append(prior.Active, [2]float64{0.5, 0.5})
	}
	for s, levels := range p.prior() {
		set, share := []int{}, 0.0
		for _, v := range levels {
			share += elem.Exp(v)
		}
		for k := range p.Votes {
			if p.Sets[s]>>k&1 != 0 {
				set = append(set, k)
				extras.Usage[k] += share
			}
		}
		prior.Sets, prior.Share = append(prior.Sets, set), append(prior.Share, share*sure)
	}
	if p.Share != nil || p.WithUsage {
		extras.SetPrior = prior
	}
	m, err := patchwork.NewModel(cfg, experts)
	if err != nil {
		return nil, err
	}
	return m.WithExtras(extras)
}

// background returns how probable each column is on where nobody votes.
func (p *Picture) background() []float64 {
	out := make([]float64, len(p.Intercept))
	for d := range out {
		out[d] = sigmoid(p.Intercept[d])
		if p.Classes { // the least that a class says
			out[d] = 1
			for _, v := range p.Votes {
				out[d] = min(out[d], v[d])
			}
		}
		if p.Lacking {
			out[d] = 1 - out[d]
		}
	}
	return out
}

// experts returns the parts as templates, which say what the background says where a part does not vote.
func (p *Picture) experts(background []float64) [][]float64 {
	var out [][]float64
	for _, votes := range p.Votes {
		template := slices.Clone(background)
		for d, v := range votes {
			if p.Lacking && v > 0 {
				v = 1 - v
			}
			if v > 0 {
				template[d] = v
			}
		}
		out = append(out, template)
	}
	return out
}

// ReaderOf returns what reads rows by the picture of a model, of which it has the layers. The error says what does not
// fit.
func ReaderOf(m *patchwork.Model, l Layers) (*Reader, error) {
	base, layers, _ := cutKind(l.Kind)
	p := &Picture{Kind: l.Kind, Lacking: base == "skills", Classes: base == "classes", Slope: make([]float64, m.Width()),
		Steps: []float64{0}, Weights: []float64{1}, UsageSlope: l.UsageSlope, WithUsage: strings.Contains(layers, "usage"),
		OwnWeights: l.WithOwnWeight}
	named := p.Classes || strings.Contains(layers, "profiles")
	if err := l.check(m, base, named); err != nil {
		return nil, err
	}
	if len(l.Steps) > 0 {
		p.Steps, p.Weights = l.Steps, l.Weights
	}
	if l.Slope != nil {
		p.Slope, p.OwnSlopes = l.Slope, slices.Min(l.Slope) < slices.Max(l.Slope)
	}
	for d := range p.Slope {
		q := m.Abstention(d)
		if p.Lacking {
			q = 1 - q
		}
		p.Intercept = append(p.Intercept, logit(min(max(q, 1e-300), 1-1e-16)))
	}
	if base != "independent" && base != "level" {
		p.Votes = p.votesOf(m)
	}
	if p.Usage = l.Usage; !named {
		return NewReader(p.withSets()), nil
	}
	p.Usage = make([]float64, len(p.Votes))
	prior := m.Extras().SetPrior
	for i, set := range prior.Sets {
		one := uint64(0)
		for _, k := range set {
			one |= 1 << k
		}
		p.Sets, p.Share = append(p.Sets, one), append(p.Share, max(prior.Share[i]/sure, 1e-300))
	}
	return NewReader(p), nil
}

// votesOf returns the votes of the parts of a model.
func (p *Picture) votesOf(m *patchwork.Model) (out [][]float64) {
	for k := range m.K() {
		votes := make([]float64, m.Width())
		for d, v := range m.Template(k) {
			if v == m.Abstention(d) && !p.Classes {
				continue
			}
			if p.Lacking {
				v = 1 - v
			}
			votes[d] = min(max(v, 1e-9), 1-1e-9)
		}
		out = append(out, votes)
	}
	return out
}

// check says which layers do not fit a model.
func (l *Layers) check(m *patchwork.Model, base string, named bool) error {
	numbers := slices.Concat(l.Steps, l.Weights, l.Usage, l.Slope, []float64{l.UsageSlope})
	sum := 0.0
	for _, w := range l.Weights {
		sum += w
	}
	none := base == "independent" || base == "level"
	usage, most := m.K(), mostParts
	if none || named {
		usage = 0
	}
	if named {
		most = 64
	}
	prior := m.Extras().SetPrior
	switch {
	case !none && !slices.Contains([]string{"classes", "parts", "skills"}, base):
		return fmt.Errorf("there is no picture %q", l.Kind)
	case m.Height() != 1 || m.K() > most:
		return fmt.Errorf("a picture of %d parts, each of %d rows", m.K(), m.Height())
	case named && (prior == nil || len(prior.Sets) == 0):
		return fmt.Errorf("%s need sets that have names", l.Kind)
	case len(l.Usage) != usage || l.Slope != nil && len(l.Slope) != m.Width():
		return fmt.Errorf("%d log odds of usage and %d slopes, of %d parts and %d columns", len(l.Usage), len(l.Slope), usage,
			m.Width())
	case len(l.Steps) != len(l.Weights) || len(l.Steps) > 64 || len(l.Steps) > 0 && !(math.Abs(sum-1) < 1e-6):
		return fmt.Errorf("%d steps of a level, with %d weights, which add up to %v", len(l.Steps), len(l.Weights), sum)
	case slices.ContainsFunc(numbers, func(v float64) bool { return !(math.Abs(v) < 1e6) }),
		slices.ContainsFunc(l.Weights, func(w float64) bool { return !(w > 0) }):
		return fmt.Errorf("the numbers of a level or of usage are out of range")
	}
	return nil
}

// classOf returns which class a set of one is.
func classOf(set uint64) int { return bits.TrailingZeros64(set) }
