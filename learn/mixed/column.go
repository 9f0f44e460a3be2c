package mixed

import (
	"math"
	"slices"
	"sort"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/real"
)

// Family is how a column is modelled.
type Family uint8

const (
	Levels Family = iota // some ordered levels: bits, scales, counts, all numbers of which some come often
	Words                // levels without an order
	Real                 // a score that is normal, more or less
)

// Column is how the cells of a column are coded, and what they are over all rows. A code is the number of a level, or
// the score of a real value; NaN stands for unknown.
type Column struct {
	Field
	Family Family

	// Of levels: what each is worth, the mean of its values, or the number of the word; its least and largest value; how
	// often each comes. Scores are the s_l of ordered levels: normal quantiles of mid-ranks.
	// Edges are the normal quantiles between them.
	Values, Low, High, Share, Scores, Edges []float64

	// Of real columns: how a value becomes a score, and the least variance of scores that is believed, so that
	// repeated values are no spikes.
	Scale *Scale
	Floor float64

	Least, Step float64 // the least value, and the least distance of two

	// All is the distribution over all rows.
	All Opinion
}

const (
	mostLevels   = 12
	fewValues    = 24  // or less are levels, if they come twice on average
	oftenShare   = .05 // of the rows: a value so frequent makes a column one of levels
	oftenRows    = 5
	mostShare    = .4 // of the rows: a value of a measurement with decimals that is more frequent is no step of it
	leastOfLevel = .8 // of an even share of the rows, where levels are merged
)

// newColumn decides how a column is coded, from its known values and how often they come, in units.
func newColumn(f Field, all []run, unit int64) Column {
	c := Column{Field: f, Family: Levels}
	known := cellsOf(all)
	rows := float64(known) / float64(unit)
	if f.Kind == Category {
		c.Family = Words
	} else if !atoms(all, rows, float64(unit)) {
		c.Family = Real
	}
	if known > 0 {
		c.Least, c.Step = all[0].low, smallestGap(all)
	}
	if c.Family == Real {
		c.real(all, rows)
		return c
	}
	if c.Family == Levels {
		all = merge(all, float64(known))
	}
	for _, v := range all {
		c.Values = append(c.Values, min(max(v.sum/float64(v.n), v.low), v.high)) // not beyond them by rounding
		c.Low, c.High = append(c.Low, v.low), append(c.High, v.high)
		c.Share = append(c.Share, float64(v.n)/float64(known))
	}
	if c.Family == Levels {
		c.Scores, c.Edges = scores(c.Share), edges(c.Share)
	}
	c.All = Opinion{P: c.Share}
	return c
}

// run is one value, or several neighbouring ones, and how often they come.
type run struct {
	low, high, sum float64
	n              int64
}

// cellsOf returns how many cells runs have, in units.
func cellsOf(all []run) (n int64) {
	for _, v := range all {
		n += v.n
	}
	return n
}

// atoms reports whether a column has few different values, or one that comes often. A Normal could be narrow about
// such a value and gain without end. A measurement with decimals has its steps, and is one all the same, unless many
// values are at an end of the scale.
func atoms(all []run, rows, unit float64) bool {
	most := 0.0
	for _, v := range all {
		most = max(most, float64(v.n)/unit)
	}
	if len(all) <= mostLevels {
		return true
	}
	often := max(oftenRows, float64(oftenShare*rows))
	if decimals(all) {
		return most > mostShare*rows || float64(max(all[0].n, all[len(all)-1].n))/unit > often
	}
	return len(all) <= fewValues && float64(2*len(all)) <= rows || most >= oftenRows && most > float64(oftenShare*rows)
}

// decimals reports whether some values are no whole numbers.
func decimals(all []run) bool {
	return slices.ContainsFunc(all, func(v run) bool { return v.low != math.Floor(v.low) })
}

// smallestGap returns the least distance of neighbouring values, 1 if there is one value.
func smallestGap(all []run) float64 {
	gap := math.Inf(1)
	for i := 1; i < len(all); i++ {
		gap = min(gap, all[i].low-all[i-1].high)
	}
	if math.IsInf(gap, 1) {
		return 1
	}
	return gap
}

// merge joins rare values with their neighbours, the rarest first, until each holds enough rows; a few values stay as
// they are.
func merge(all []run, rows float64) []run {
	if len(all) <= mostLevels {
		return all
	}
	least := leastOfLevel * rows / mostLevels
	all = gather(all, least/8)
	for len(all) > 1 {
		at := 0
		for i := range all {
			if all[i].n < all[at].n {
				at = i
			}
		}
		if float64(all[at].n) >= least {
			break
		}
		if at > 0 && (at == len(all)-1 || all[at-1].n <= all[at+1].n) {
			at--
		}
		all[at] = all[at].with(all[at+1])
		all = slices.Delete(all, at+1, at+2)
	}
	return all
}

// gather joins neighbours as long as they hold at most so many rows together, so that merging is quick.
func gather(all []run, most float64) (out []run) {
	for _, v := range all {
		if last := len(out) - 1; last >= 0 && float64(out[last].n+v.n) <= most {
			out[last] = out[last].with(v)
			continue
		}
		out = append(out, v)
	}
	return out
}

func (r run) with(next run) run { return run{r.low, next.high, r.sum + next.sum, r.n + next.n} }

// scores returns the normal quantiles of mid-ranks, with mean 0 and variance 1.
func scores(share []float64) []float64 {
	out, below := make([]float64, len(share)), 0.0
	for l, q := range share {
		out[l] = quantile(below + q/2)
		below += q
	}
	mean, v := moments(share, out)
	for l := range out {
		if out[l] -= mean; v > 0 {
			out[l] /= math.Sqrt(v)
		}
	}
	return out
}

// edges returns the normal quantiles of what is below each level but the first.
func edges(share []float64) (out []float64) {
	below := 0.0
	for _, q := range share[:max(len(share)-1, 0)] {
		below += q
		out = append(out, quantile(below))
	}
	return out
}

// quantile returns the value below which a standard normal deviate is with probability p.
func quantile(p float64) float64 {
	return real.Mixture{{Weight: 1, Normal: real.Normal{Var: 1}}}.Quantile(p)
}

// moments returns mean and variance of values that come with the given probabilities.
func moments(p, values []float64) (mean, variance float64) {
	for l := range p {
		mean += float64(p[l] * values[l])
	}
	for l := range p {
		variance += float64(p[l] * (values[l] - mean) * (values[l] - mean))
	}
	return mean, variance
}

// real makes it a real column.
func (c *Column) real(all []run, rows float64) {
	c.Scale = newScale(all, rows)
	t, n := make([]float64, len(all)), make([]int64, len(all))
	for i, v := range all {
		t[i], n[i] = c.Scale.score(v.low), v.n
	}
	mean, sd, _, _ := shape(t, n)
	v := sd * sd
	slices.Sort(t)
	t = slices.Compact(t)
	gaps := make([]float64, 0, len(t))
	for i := 1; i < len(t); i++ {
		gaps = append(gaps, t[i]-t[i-1])
	}
	slices.Sort(gaps)
	step := gaps[len(gaps)/2]
	top := float64(slices.Max(n)) / float64(total(n))
	c.Floor = max(.01*v, step*step/12, top*top*v)
	c.All = Opinion{Normal: real.Normal{Mean: mean, Var: max(v, c.Floor)}}
}

func total(n []int64) (sum int64) {
	for _, x := range n {
		sum += x
	}
	return sum
}

// Code returns the code of a value: NaN for unknown, as for a word that was not seen when the model was learned.
func (c *Column) Code(x float64) float64 {
	switch {
	case math.IsNaN(x) || c.Family != Real && len(c.Values) == 0:
		return math.NaN()
	case c.Family == Real:
		return c.Scale.score(x)
	case c.Family == Words:
		if l, ok := slices.BinarySearch(c.Low, x); ok {
			return float64(l)
		}
		return math.NaN()
	}
	// The first level that ends at x or above, or the one below if that is nearer.
	l := sort.SearchFloat64s(c.High, x)
	if l == len(c.High) || l > 0 && c.Low[l] > x && x-c.High[l-1] < c.Low[l]-x {
		l--
	}
	return float64(l)
}

// Value returns the value that a code stands for.
func (c *Column) Value(code float64) float64 {
	if c.Family == Real {
		return c.Scale.value(code)
	}
	return c.Values[int(code)]
}

// Scale turns values into scores and back: (x-Mean)/SD, of ln x if Log; or by the straight lines between knots, from
// Values to Scores, and beyond them with the slope 1/SD.
type Scale struct {
	Log            bool
	Mean, SD       float64
	Values, Scores []float64
}

// newScale chooses a scale for values of which no value is frequent: z-scores if these are normal enough, else
// logarithms if those are; else the one of them on which there are clear groups of values that are normal, as parts
// have them; else ranks.
func newScale(all []run, rows float64) *Scale {
	values, n := make([]float64, len(all)), make([]int64, len(all))
	for i, v := range all {
		values[i], n[i] = v.low, v.n
	}
	mean, sd, skew, kurtosis := shape(values, n)
	plain := &Scale{Mean: mean, SD: sd}
	if math.Abs(skew) < 1 && kurtosis < 5 {
		return plain
	}
	best, shortest := (*Scale)(nil), math.Inf(1)
	if length, ok := groups(values, n, rows); ok {
		best, shortest = plain, length
	}
	if values[0] > 0 {
		logs := make([]float64, len(values))
		for i, x := range values {
			logs[i] = elem.Log(x)
		}
		mean, sd, skew, kurtosis := shape(logs, n)
		length, ok := groups(logs, n, rows)
		if math.Abs(skew) < .75 && kurtosis < 4.5 || ok && length+float64(rows*mean) < shortest {
			return &Scale{Log: true, Mean: mean, SD: sd}
		}
	}
	if best == nil {
		best = plain
		best.knots(all)
	}
	return best
}

// mostKnots is how many knots a scale of ranks has.
const mostKnots = 256

// knots makes a scale one of ranks.
func (s *Scale) knots(all []run) {
	n, below := float64(cellsOf(all)), 0.0
	each, next := float64(len(all)-1)/(mostKnots-1), 0.0
	for i, v := range all {
		if float64(i) >= next || i == len(all)-1 {
			s.Values = append(s.Values, v.low)
			s.Scores = append(s.Scores, quantile((below+float64(v.n)/2)/n))
			next = max(next+each, float64(i)+.5)
		}
		below += float64(v.n)
	}
}

// shape returns mean, standard deviation, skewness and kurtosis (3 for a Normal) of values that come so often.
func shape(values []float64, often []int64) (mean, sd, skew, kurtosis float64) {
	n := 0.0
	for i, x := range values {
		n += float64(often[i])
		mean += float64(x * float64(often[i]))
	}
	mean /= n
	var m2, m3, m4 float64
	for i, x := range values {
		d, w := x-mean, float64(often[i])/n
		m2, m3, m4 = m2+float64(w*d*d), m3+float64(w*d*d*d), m4+float64(w*d*d*d*d)
	}
	sd = math.Sqrt(m2)
	return mean, sd, m3 / (m2 * sd), m4 / (m2 * m2)
}

func (s *Scale) score(x float64) float64 {
	switch {
	case s.Scores != nil:
		return between(s.Values, s.Scores, 1/s.SD, x)
	case !s.Log:
		return (x - s.Mean) / s.SD
	case x <= 0: // below all that was seen
		return -tooFar
	}
	return (elem.Log(x) - s.Mean) / s.SD
}

// tooFar is a score beyond any that is seen.
const tooFar = 32

func (s *Scale) value(t float64) float64 {
	switch {
	case s.Scores != nil:
		return between(s.Scores, s.Values, s.SD, t)
	case !s.Log:
		return s.Mean + float64(s.SD*t)
	}
	return elem.Exp(s.Mean + float64(s.SD*t))
}

// between returns y at x, on straight lines between points, and beyond them on lines with the given slope.
func between(xs, ys []float64, slope, x float64) float64 {
	last := len(xs) - 1
	switch i := sort.SearchFloat64s(xs, x); {
	case i == 0:
		return ys[0] + float64(slope*(x-xs[0]))
	case i > last:
		return ys[last] + float64(slope*(x-xs[last]))
	default:
		part := (x - xs[i-1]) / (xs[i] - xs[i-1])
		return ys[i-1] + float64(part*(ys[i]-ys[i-1]))
	}
}
