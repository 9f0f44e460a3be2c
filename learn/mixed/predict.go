package mixed

import (
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/real"
)

// Explainer explains rows by a model; it is for one goroutine at a time.
type Explainer struct{ p *pursuit }

// NewExplainer returns an explainer of a valid model.
func NewExplainer(m *Model) *Explainer { return &Explainer{newPursuit(newBank(m))} }

// Fork returns an explainer of the same model for another goroutine.
func (e *Explainer) Fork() *Explainer { return &Explainer{newPursuit(e.p.bank)} }

// Explanation is what a model says of a row.
type Explanation struct {
	bank *bank
	// Sets are sets of parts, bit k for part k, the most probable first, and Weights their probabilities.
	Sets    []uint64
	Weights []float64
	// LogLik is the logarithm of the evidence of the row, LogBackground that under the background alone, LogBest that
	// given the most probable set, and LogJoint that of the row and this set; of numbers by their scores.
	LogLik, LogBackground, LogBest, LogJoint float64
	// Gains are, for each part of the most probable set, in order, how much less probable it is without it, in nats.
	Gains []float64
	// Degrees are those of the graded parts, with their standard deviations.
	Degrees, Deviations []float64
	degrees             degrees
}

// Explain explains a row, which has a value for each column, NaN where it is unknown.
func (e *Explainer) Explain(row []float64) *Explanation { return e.explain(e.p.m.Code(row)) }

func (e *Explainer) explain(codes []float64) *Explanation {
	b := e.p.bank
	sets, evidence := e.p.explain(codes)
	out := &Explanation{bank: b, LogLik: evidence, LogBackground: b.base(codes)}
	for _, s := range sets {
		out.Sets, out.Weights = append(out.Sets, s.set), append(out.Weights, s.weight)
	}
	if out.Sets == nil { // the row is impossible, whatever is there
		out.Sets, out.Weights = []uint64{0}, []float64{1}
	}
	out.LogJoint, out.Gains = e.p.worth(codes, out.Sets[0])
	out.LogBest = out.LogJoint - out.prior(0)
	if g := b.m.Graded; g != nil {
		out.degrees = g.degrees(g.scores(b.m.Columns, codes))
		out.Degrees = out.degrees.mean
		for i := range out.Degrees {
			out.Deviations = append(out.Deviations, math.Sqrt(out.degrees.cov[i][i]))
		}
	}
	return out
}

// Parts returns those of set i, the most probable being 0.
func (e *Explanation) Parts(i int) (out []int) {
	for s := e.Sets[i]; s != 0; s &= s - 1 {
		out = append(out, bits.TrailingZeros64(s))
	}
	return out
}

// prior returns the logarithm of the probability of set i.
func (e *Explanation) prior(i int) float64 {
	sum := e.bank.none
	for _, k := range e.Parts(i) {
		sum += e.bank.odds[k]
	}
	return sum
}

// Of returns the logarithm of the joint probability of the row and set i, and of the row given the set.
func (e *Explanation) Of(i int) (logJoint, logLik float64) {
	logJoint = e.LogLik + elem.Log(e.Weights[i])
	return logJoint, logJoint - e.prior(i)
}

// worth returns the joint probability of a row and a set, and how much less it is without each part of the set.
func (p *pursuit) worth(codes []float64, set uint64) (joint float64, gains []float64) {
	p.load(codes)
	for s := set; s != 0; s &= s - 1 {
		p.flip(bits.TrailingZeros64(s))
	}
	for s := set; s != 0; s &= s - 1 {
		gains = append(gains, p.joint-p.look(bits.TrailingZeros64(s)))
	}
	return p.joint, gains
}

// Share returns the probability that a part is in the row.
func (e *Explanation) Share(part int) float64 {
	sum := 0.0
	for i, s := range e.Sets {
		if s>>part&1 != 0 {
			sum += e.Weights[i]
		}
	}
	return sum
}

// OnOff returns what the parts say of a column, over all sets.
func (e *Explanation) OnOff(d int) Belief {
	c := &e.bank.columns[d]
	weights := make([]float64, len(c.voters)+1)
	for i, s := range e.Sets {
		there := uint64(0)
		for v := range c.voters {
			there |= s >> c.voters[v].part & 1 << v
		}
		if there == 0 {
			weights[len(c.voters)] += e.Weights[i]
			continue
		}
		first, w := bits.TrailingZeros64(there), 1.0
		if against := there & c.voters[first].against; against != 0 {
			second := bits.TrailingZeros64(against)
			w = c.voters[first].strength / (c.voters[first].strength + c.voters[second].strength)
			weights[second] += float64((1 - w) * e.Weights[i])
		}
		weights[first] += float64(w * e.Weights[i])
	}
	var out Belief
	for v, w := range weights {
		if w == 0 {
			continue
		}
		o := c.background
		if v < len(c.voters) {
			o = &c.voters[v].entry.Opinion
		}
		out = append(out, Said{w, o})
	}
	return out
}

// Graded returns what the graded parts say of a column; there must be some.
func (e *Explanation) Graded(d int) Belief {
	o := e.bank.m.Graded.predict(e.bank.m.Columns, d, e.degrees)
	return Belief{{1, &o}}
}

// Believe returns what is believed of a column: what the parts say, and what graded parts say, by their weight.
func (e *Explanation) Believe(d int) Cell {
	said, m := e.OnOff(d), e.bank.m
	if m.Graded != nil {
		share := m.GradedShare
		if share == 0 {
			share = .5
		}
		for i := range said {
			said[i].Weight *= 1 - share
		}
		for _, s := range e.Graded(d) {
			said = append(said, Said{share * s.Weight, s.Opinion})
		}
	}
	return Cell{&m.Columns[d], said}
}

// Cell is what is believed of a cell.
type Cell struct {
	Column *Column
	Belief Belief
}

// LogDensity returns the logarithm of the probability or density of a value, by its code; 0 of an unknown one.
func (c Cell) LogDensity(value float64) float64 {
	code := c.Column.Code(value)
	if math.IsNaN(code) {
		return 0
	}
	return c.Column.logDensity(c.Belief, code)
}

// Levels returns the probabilities of the levels; nil of a real column.
func (c Cell) Levels() []float64 {
	if c.Column.Family == Real {
		return nil
	}
	out := make([]float64, len(c.Column.Values))
	for _, s := range c.Belief {
		for l, p := range s.Opinion.P {
			out[l] += float64(s.Weight * p)
		}
	}
	return out
}

// CellOf returns a cell of which one opinion is believed.
func CellOf(c *Column, o *Opinion) Cell { return Cell{c, Belief{{1, o}}} }

// Likeliest returns the value of the most probable level, and how probable it is; of a real column the median, and NaN.
// NaN where the column was never known.
func (c Cell) Likeliest() (value, p float64) {
	all := c.Levels()
	if all == nil {
		return c.Quantile(.5), math.NaN()
	}
	value = math.NaN()
	for l := range all {
		if all[l] > p {
			value, p = c.Column.Values[l], all[l]
		}
	}
	return value, p
}

// Deviation returns the standard deviation of a number; of a real column half of what two thirds are within.
func (c Cell) Deviation() float64 {
	p := c.Levels()
	if p == nil {
		return (c.Quantile(.84) - c.Quantile(.16)) / 2
	}
	_, v := moments(p, c.Column.Values)
	return math.Sqrt(v)
}

// Whole rounds an expected value as those that were seen are: to a step of a scale, or to a whole number.
func (c *Column) Whole(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case c.Family != Real:
		return min(max(c.onGrid(x), c.Low[0]), c.High[len(c.High)-1])
	case c.Step == math.Floor(c.Step) && c.Least == math.Floor(c.Least):
		return math.Round(x)
	}
	return x
}

// Shift returns how far the mean score of an opinion about ordered values is from that of another, in standard
// deviations of that.
func (c *Column) Shift(b, o *Opinion) float64 {
	if c.Family == Real {
		return (o.Mean - b.Mean) / math.Sqrt(b.Var)
	}
	from, v := moments(b.P, c.Scores)
	to, _ := moments(o.P, c.Scores)
	if v <= 0 {
		return 0
	}
	return (to - from) / math.Sqrt(v)
}

// Below returns the probability of what is below a code, and half of that of the code itself.
func (c Cell) Below(code float64) (sum float64) {
	if c.Column.Family == Real {
		for _, s := range c.Belief {
			sum += float64(s.Weight * s.Opinion.CDF(code))
		}
		return sum
	}
	p := c.Levels()
	for l := range int(code) {
		sum += p[l]
	}
	return sum + p[int(code)]/2
}

// Most returns the level whose probability an opinion changes most from that over all rows; of none the commonest.
func (c *Column) Most(o *Opinion) (level int) {
	most := -1.0
	for l, q := range c.Share {
		if o == nil {
			if q > most {
				level, most = l, q
			}
			continue
		}
		if change := (o.P[l] - q) * (o.P[l] - q) / q; change > most {
			level, most = l, change
		}
	}
	return level
}

// Surprise returns how far a code is from what is believed, in standard deviations; of words 0 for the likeliest, and
// else less the less probable it is. NaN for an unknown code.
func (c *Column) Surprise(b Belief, code float64) float64 {
	if math.IsNaN(code) {
		return code
	}
	if c.Family == Real {
		mean, square := 0.0, 0.0
		for _, s := range b {
			mean += float64(s.Weight * s.Opinion.Mean)
			square += s.Weight * (s.Opinion.Var + float64(s.Opinion.Mean*s.Opinion.Mean))
		}
		return (code - mean) / math.Sqrt(square-float64(mean*mean))
	}
	p := Cell{c, b}.Levels()
	if c.Family == Words {
		most := slices.Max(p)
		return -math.Sqrt(max(0, 2*elem.Log(most/p[int(code)])))
	}
	mean, v := moments(p, c.Scores)
	if v <= 0 {
		return 0
	}
	return (c.Scores[int(code)] - mean) / math.Sqrt(v)
}

// Mean returns the expected value of a number.
func (c Cell) Mean() float64 {
	sum := 0.0
	if p := c.Levels(); p != nil {
		for l := range p {
			sum += float64(p[l] * c.Column.Values[l])
		}
		return sum
	}
	for _, s := range c.Belief {
		sum += s.Weight * c.Column.Scale.mean(s.Opinion.Normal)
	}
	return c.Column.seen(sum)
}

// mean returns the expected value where scores are normal, by the trapezoid rule.
func (s *Scale) mean(n real.Normal) float64 {
	if s.Scores == nil && !s.Log {
		return s.value(n.Mean)
	}
	const ends, step = 5.0, .125
	sum, all := 0.0, 0.0
	for z := -ends; z <= ends; z += step {
		w := elem.Exp(-z * z / 2)
		all += w
		sum += w * s.value(n.Mean+float64(z*math.Sqrt(n.Var)))
	}
	return sum / all
}

// Quantile returns the value below which the share p of the probability lies, 0 < p < 1: the first level that reaches
// it.
func (c Cell) Quantile(p float64) float64 {
	if all := c.Levels(); all != nil {
		for l, below := 0, 0.0; l < len(all); l++ {
			if below += all[l]; below >= p || l == len(all)-1 {
				return c.Column.Values[l]
			}
		}
		return math.NaN()
	}
	var mix real.Mixture
	for _, s := range c.Belief {
		mix = append(mix, real.Component{Weight: s.Weight, Normal: s.Opinion.Normal})
	}
	return c.Column.seen(c.Column.Scale.value(mix.Quantile(p)))
}

// seen keeps a value from being below 0 where none was.
func (c *Column) seen(x float64) float64 {
	if c.Least >= 0 {
		return max(x, 0)
	}
	return x
}
