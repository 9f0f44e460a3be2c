package joint

import "example.com/patchwork/internal/elem"

// Experts are the opinions of K experts about D bits, prepared for searching. They are
// immutable and safe for concurrent use.
type Experts struct {
	Rule     Rule
	Q        []float64
	Opinions [][]float64

	params  [][]float64 // by expert and bit
	columns [][]int32   // of each expert, the bits that it votes on
	packed  [][]float64 // the parameters there
	planes  [][]uint64  // these bits as a set
	alone   [3][]settled
	coin    bit // the state of a bit of the normalized sum without experts
}

// settled is the state of a bit, off, on or unknown, without experts.
type settled struct{ a, b, c0, c1, p, logLik float64 }

// NewExperts prepares opinions, which must not change afterwards.
func NewExperts(r Rule, q []float64, opinions [][]float64) *Experts {
	e := &Experts{Rule: r, Q: q, Opinions: opinions}
	for _, t := range opinions {
		v := make([]float64, len(t))
		for i, p := range t {
			v[i] = r.parameter(p, q[i])
		}
		columns, packed := Votes(r, q, t)
		e.params, e.columns, e.packed = append(e.params, v), append(e.columns, columns), append(e.packed, packed)
		e.planes = append(e.planes, plane(columns, len(q)))
	}
	for x := range e.alone {
		e.alone[x] = make([]settled, len(q))
		for i, share := range q {
			b := bit{rule: r, q: share, on: e.coin.on, off: e.coin.off}
			b.reset()
			s := settled{a: b.a, b: b.b, p: share}
			s.c0, s.c1 = coefficients(uint8(x), share, &b)
			switch uint8(x) {
			case On:
				s.logLik = elem.Log(max(share, least))
			case Off:
				s.logLik = elem.Log1p(-min(share, 1-1e-16))
			}
			e.alone[x][i], e.coin = s, b
		}
	}
	return e
}

// Votes returns the bits on which opinions are votes beside background q, and the
// parameters of these votes, as State.GainOf takes them.
func Votes(r Rule, q, opinions []float64) (columns []int32, params []float64) {
	for i, p := range opinions {
		if r.Votes(p, q[i]) {
			columns, params = append(columns, int32(i)), append(params, r.parameter(p, q[i]))
		}
	}
	return columns, params
}

// Values of the bits of a row.
const (
	Off     = uint8(0)
	On      = uint8(1)
	Unknown = uint8(2)
)

// State is a row and the composition of some experts beside it. Per bit it holds the
// state of the rule and two coefficients: with the parameter v of one more opinion,
//
//	P'(x)/P(x) = c0 + c1 max(a, v)                 max
//	             c0 + c1 (max(a, v) + min(b, v))   max-minus-min
//	             c0 + c1 v                         noisy-or, mean
//	             (c0 + c1 v)/(1 + a + v)           sum of odds
//	             (c0 + c1 v)/(1 + a v)             sum of log-odds
//	             1 + c0 v+ + c1 v-                 normalized sum
type State struct {
	e      *Experts
	x      []uint8
	a, b   []float64
	c0, c1 []float64
	p      []float64 // probability of being on
	set    []int16   // experts, in the order of joining
	one    bit       // scratch of the normalized sum
}

// Reset gives the state a row, which is not copied, and no experts.
func (s *State) Reset(e *Experts, x []uint8) {
	s.e, s.x, s.set = e, x, s.set[:0]
	s.size(len(x))
	for i, v := range x {
		b := &e.alone[v][i]
		s.a[i], s.b[i], s.c0[i], s.c1[i], s.p[i] = b.a, b.b, b.c0, b.c1, b.p
	}
}

// size makes the state one of so many bits.
func (s *State) size(n int) {
	if cap(s.a) < n {
		all := make([]float64, 5*n)
		s.a, s.b, s.c0, s.c1, s.p = all[:n:n], all[n:2*n:2*n], all[2*n:3*n:3*n], all[3*n:4*n:4*n], all[4*n:]
	}
	s.a, s.b, s.c0, s.c1, s.p = s.a[:n], s.b[:n], s.c0[:n], s.c1[:n], s.p[:n]
}

// CopyFrom makes s a copy of another state.
func (s *State) CopyFrom(o *State) {
	s.size(len(o.x))
	s.e, s.x, s.set = o.e, o.x, append(s.set[:0], o.set...)
	copy(s.a, o.a)
	copy(s.b, o.b)
	copy(s.c0, o.c0)
	copy(s.c1, o.c1)
	copy(s.p, o.p)
}

// Probability returns the probability of bit i being on.
func (s *State) Probability(i int) float64 { return s.p[i] }

// Set returns the experts that have joined, in order; the slice is the state's own.
func (s *State) Set() []int16 { return s.set }

// Place lets expert k join.
func (s *State) Place(k int) {
	s.set = append(s.set, int16(k))
	b := bit{rule: s.e.Rule, on: s.one.on, off: s.one.off}
	for j, column := range s.e.columns[k] {
		i := int(column)
		b.q = s.e.Q[i]
		if s.e.Rule == NormalizedSum {
			b.reset()
			for _, member := range s.set {
				b.join(s.e.params[member][i])
			}
		} else {
			b.a, b.b = s.a[i], s.b[i]
			b.join(s.e.packed[k][j])
			s.a[i], s.b[i] = b.a, b.b
		}
		p := b.p()
		s.p[i] = p
		s.c0[i], s.c1[i] = coefficients(s.x[i], p, &b)
	}
	s.one = b
}

// beside gives the state a row and the experts of a set except expert k, at the bits on which
// expert k votes.
func (s *State) beside(e *Experts, x []uint8, set []int16, k int) {
	s.e, s.x, s.set = e, x, s.set[:0]
	s.size(len(x))
	b := bit{rule: e.Rule, on: s.one.on, off: s.one.off}
	for _, column := range e.columns[k] {
		i := int(column)
		b.q = e.Q[i]
		b.reset()
		for _, j := range set {
			if int(j) != k {
				b.join(e.params[j][i])
			}
		}
		s.a[i], s.b[i] = b.a, b.b
		s.c0[i], s.c1[i] = coefficients(x[i], b.p(), &b)
	}
	s.one = b
}

// coefficients returns the coefficients of a bit of value x, whose probability is p.
func coefficients(x uint8, p float64, b *bit) (c0, c1 float64) {
	if x == Unknown {
		switch b.rule {
		case SumOfOdds:
			return 1 + b.a, 1
		case SumOfLogOdds:
			return 1, b.a
		case NormalizedSum:
			return 0, 0
		}
		return 1, 0
	}
	on := x == On
	switch b.rule {
	case NoisyOr:
		c0, c1 = 0, 1
		if on {
			c0 = 1 / max(p, least)
			c1 = -b.a * c0
		}
	case SumOfOdds: // (O+v)/(1+O+v) and 1/(1+O+v)
		c0, c1 = 1+b.a, 0
		if on {
			c1 = (1 + b.a) / max(b.a, least)
			c0 = b.a * c1
		}
	case SumOfLogOdds: // R v/(1+R v) and 1/(1+R v)
		c0, c1 = 1+b.a, 0
		if on {
			c0, c1 = 0, 1+b.a
		}
	case NormalizedSum:
		sign := signed(on, p)
		c0, c1 = sign*(b.votes(1, 0)-p), sign*(p-b.votes(0, 1))
	default:
		c0, c1 = 0, signed(on, p)
		if !on {
			c0 = -c1
		}
		switch b.rule {
		case MaxMinusMin:
			c0 -= float64(c1 * b.q)
		case Mean:
			c1 /= b.b + 1
			c0 += float64(c1 * b.a)
		}
	}
	return c0, c1
}

// signed returns 1/P(x), negative if the bit is off.
func signed(on bool, p float64) float64 {
	if on {
		return 1 / max(p, least)
	}
	return -1 / max(1-p, least)
}
