package mixed

import (
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// bank is a model as the pursuit needs it: for each column the parts that speak of it, strongest first, and what two of
// them say together. So what a set of parts says of a cell is a look-up by its strongest voter and the strongest
// against that one.
type bank struct {
	m       *Model
	none    float64   // logarithm of the probability that no part is there
	odds    []float64 // of each part
	columns []bankColumn
	of      [][]place // where each part votes
}

// place is a voter of a column.
type place struct{ column, voter int }

// bankColumn has the voters of a column.
type bankColumn struct {
	*Column
	background *Opinion
	logs       []float64 // of the background's probabilities of levels
	voters     []voter
	// gains are, by code of a level, those of all pairs: at [v*(n+1)+u] the logarithm of what voter v, strongest, and u
	// against it say of the level, over the background; n for u means that nobody is against.
	gains [][]float64
}

type voter struct {
	part     int
	entry    *Entry
	strength float64
	against  uint64 // voters that oppose it
}

// newBank returns the bank of a valid model.
func newBank(m *Model) *bank {
	b := &bank{m: m, columns: make([]bankColumn, len(m.Columns)), of: make([][]place, len(m.Parts))}
	b.none, b.odds = m.prior()
	for d := range b.columns {
		c := &b.columns[d]
		c.Column, c.background = &m.Columns[d], &m.Background[d]
		for k := range m.Parts {
			if e := &m.Parts[k].Entries[d]; e.Numbers > 0 {
				c.voters = append(c.voters, voter{k, e, c.strength(c.background, e), 0})
			}
		}
		slices.SortStableFunc(c.voters, func(v, u voter) int {
			if v.strength > u.strength {
				return -1
			}
			if v.strength < u.strength {
				return 1
			}
			return 0
		})
		for v := range c.voters {
			b.of[c.voters[v].part] = append(b.of[c.voters[v].part], place{d, v})
			for u := range c.voters {
				if u != v && c.Opposes(c.background, &c.voters[v].entry.Opinion, &c.voters[u].entry.Opinion) {
					c.voters[v].against |= 1 << u
				}
			}
		}
		for _, p := range c.background.P {
			c.logs = append(c.logs, elem.Log(p))
		}
		c.pairs()
	}
	return b
}

// pairs fills the gains of a column of levels.
func (c *bankColumn) pairs() {
	if c.Family == Real || len(c.voters) == 0 {
		return
	}
	n := len(c.voters)
	for l := range c.Values {
		gains := make([]float64, n*(n+1))
		for v := range c.voters {
			gains[v*(n+1)+n] = elem.Log(c.voters[v].entry.P[l] / c.background.P[l])
		}
		c.join(gains)
		c.gains = append(c.gains, gains)
	}
}

// join completes the gains of a code from those of single voters.
func (c *bankColumn) join(gains []float64) {
	n := len(c.voters)
	for v := range c.voters {
		for u := v + 1; u < n; u++ {
			if c.voters[v].against>>u&1 == 0 {
				continue
			}
			gains[v*(n+1)+u] = pair(c.voters[v].strength, gains[v*(n+1)+n], c.voters[u].strength, gains[u*(n+1)+n])
		}
	}
}

// pair returns what two opposing opinions of the given strengths and gains gain together.
func pair(strength, gain, against, other float64) float64 {
	w := strength / (strength + against)
	if gain < other {
		w, gain, other = 1-w, other, gain
	}
	return gain + elem.Log(w+float64((1-w)*elem.Exp(other-gain)))
}

// ofCode returns the gains of all pairs at a code; those of real scores are computed into room.
func (c *bankColumn) ofCode(code float64, room []float64) []float64 {
	if c.Family != Real {
		return c.gains[int(code)]
	}
	n := len(c.voters)
	b := c.background.Normal
	for v := range c.voters {
		room[v*(n+1)+n] = logRatio(c.voters[v].entry.Mean, c.voters[v].entry.Var, b.Mean, b.Var, code)
	}
	c.join(room)
	return room
}

// logRatio returns the logarithm of the density of Normal(m, v) over that of Normal(b, s), at x.
func logRatio(m, v, b, s, x float64) float64 {
	out := (x-b)*(x-b)/(2*s) - (x-m)*(x-m)/(2*v)
	if v != s {
		out += elem.Log(s/v) / 2
	}
	return out
}

// base returns the logarithm of the density of codes under the background.
func (b *bank) base(codes []float64) float64 {
	sum := 0.0
	for d, x := range codes {
		switch c := &b.columns[d]; {
		case math.IsNaN(x):
		case c.Family == Real:
			sum += c.background.Normal.LogDensity(x)
		default:
			sum += c.logs[int(x)]
		}
	}
	return sum
}
