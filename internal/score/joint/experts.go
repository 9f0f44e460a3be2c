package joint

// Experts are the opinions of K experts about D bits, prepared for searching. They are
// immutable and safe for concurrent use.
type Experts struct {
	Rule     Rule
	Q        []float64
	Opinions [][]float64

	params  [][]float64 // by expert and bit
	columns [][]int32   // of each expert, the bits that it votes on
	packed  [][]float64 // the parameters there
}

// NewExperts prepares opinions, which must not change afterwards.
func NewExperts(r Rule, q []float64, opinions [][]float64) *Experts {
	e := &Experts{Rule: r, Q: q, Opinions: opinions}
	for _, t := range opinions {
		v := make([]float64, len(t))
		var columns []int32
		var packed []float64
		for i, p := range t {
			if v[i] = r.parameter(p, q[i]); r.Votes(p, q[i]) {
				columns, packed = append(columns, int32(i)), append(packed, v[i])
			}
		}
		e.params, e.columns, e.packed = append(e.params, v), append(e.columns, columns), append(e.packed, packed)
	}
	return e
}

// Votes returns the bits that expert k votes on, and the parameters of its votes, as
// State.GainOf takes them.
func (e *Experts) Votes(k int) (columns []int32, params []float64) { return e.columns[k], e.packed[k] }

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
	n := len(x)
	if cap(s.a) < n {
		all := make([]float64, 5*n)
		s.a, s.b, s.c0, s.c1, s.p = all[:n:n], all[n:2*n:2*n], all[2*n:3*n:3*n], all[3*n:4*n:4*n], all[4*n:]
	}
	s.a, s.b, s.c0, s.c1, s.p = s.a[:n], s.b[:n], s.c0[:n], s.c1[:n], s.p[:n]
	b := bit{rule: e.Rule, on: s.one.on, off: s.one.off}
	for i, q := range e.Q {
		b.q = q
		b.reset()
		s.a[i], s.b[i] = b.a, b.b
		s.settle(i, q, &b)
	}
	s.one = b
}

// CopyFrom makes s a copy of another state.
func (s *State) CopyFrom(o *State) {
	n := len(o.x)
	if cap(s.a) < n {
		all := make([]float64, 5*n)
		s.a, s.b, s.c0, s.c1, s.p = all[:n:n], all[n:2*n:2*n], all[2*n:3*n:3*n], all[3*n:4*n:4*n], all[4*n:]
	}
	s.a, s.b, s.c0, s.c1, s.p = s.a[:n], s.b[:n], s.c0[:n], s.c1[:n], s.p[:n]
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
		s.settle(i, b.p(), &b)
	}
	s.one = b
}

// settle sets the probability and the coefficients of bit i after a change.
func (s *State) settle(i int, p float64, b *bit) {
	s.p[i] = p
	x := s.x[i]
	if x == Unknown {
		s.c0[i], s.c1[i] = 1, 0
		switch s.e.Rule {
		case SumOfOdds:
			s.c0[i], s.c1[i] = 1+b.a, 1
		case SumOfLogOdds:
			s.c0[i], s.c1[i] = 1, b.a
		case NormalizedSum:
			s.c0[i], s.c1[i] = 0, 0
		}
		return
	}
	on := x == On
	switch s.e.Rule {
	case NoisyOr:
		s.c0[i], s.c1[i] = 0, 1
		if on {
			s.c0[i] = 1 / max(p, least)
			s.c1[i] = -b.a * s.c0[i]
		}
	case SumOfOdds: // (O+v)/(1+O+v) and 1/(1+O+v)
		s.c0[i], s.c1[i] = 1+b.a, 0
		if on {
			s.c1[i] = (1 + b.a) / max(b.a, least)
			s.c0[i] = b.a * s.c1[i]
		}
	case SumOfLogOdds: // R v/(1+R v) and 1/(1+R v)
		s.c0[i], s.c1[i] = 1+b.a, 0
		if on {
			s.c0[i], s.c1[i] = 0, 1+b.a
		}
	case NormalizedSum:
		sign := signed(on, p)
		s.c0[i], s.c1[i] = sign*(b.votes(1, 0)-p), sign*(p-b.votes(0, 1))
	default:
		s.c0[i], s.c1[i] = 0, signed(on, p)
		if !on {
			s.c0[i] = -s.c1[i]
		}
		switch s.e.Rule {
		case MaxMinusMin:
			s.c0[i] -= s.c1[i] * b.q
		case Mean:
			s.c1[i] /= b.b + 1
			s.c0[i] += s.c1[i] * b.a
		}
	}
}

// signed returns 1/P(x), negative if the bit is off.
func signed(on bool, p float64) float64 {
	if on {
		return 1 / max(p, least)
	}
	return -1 / max(1-p, least)
}
