package lists

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/described"
)

// Part is a part: the columns that it votes on, in order, and how probable each is where it is active.
type Part struct {
	Columns []int32
	P       []float64
}

// Model is a model of a table of lists, by the rule max.
type Model struct {
	Parts []Part
	Usage []float64 // how often each part is active
	Q     []float64 // by column: how probable it is where no part votes, in a row of level 0
	Level *Level    // of rows, beside their parts; nil for none

	Columns []string        // names; nil for none
	Names   []string        // that people gave to parts; nil for none
	Reading json.RawMessage // how the data were read, unless as the bits that they are
	Record  Record
}

// Record says how a model was learned; its JSON is in model files.
type Record struct {
	Rows        int     `json:"rows"`
	Ones        int     `json:"ones"`
	Seed        uint64  `json:"seed"`
	LogLik      float64 `json:"log_lik"`            // of the rows, by all explanations
	Length      float64 `json:"description_length"` // of the rows and the model
	Background  float64 `json:"background_length"`  // of the rows without parts
	Interrupted bool    `json:"interrupted,omitempty"`
}

// clone returns a model whose parts may be changed one by one.
func (m *Model) clone() *Model {
	return &Model{Parts: slices.Clone(m.Parts), Usage: slices.Clone(m.Usage), Q: m.Q, Level: m.Level}
}

// Check returns an error unless the numbers of the model are in order.
func (m *Model) Check() error {
	if len(m.Q) == 0 || len(m.Usage) != len(m.Parts) {
		return fmt.Errorf("%d columns, and how often each of %d parts is there is said of %d", len(m.Q), len(m.Parts),
			len(m.Usage))
	}
	for _, p := range slices.Concat(m.Usage, m.Q) {
		if !(p > 0 && p < 1) {
			return fmt.Errorf("usage and q are between 0 and 1, not %v", p)
		}
	}
	for k, p := range m.Parts {
		for i, d := range p.Columns {
			if d < 0 || int(d) >= len(m.Q) || i > 0 && d <= p.Columns[i-1] {
				return fmt.Errorf("part %d votes on column %d of %d; give each once, in order", k+1, d+1, len(m.Q))
			}
			if !(p.P[i] > m.Q[d] && p.P[i] < 1) {
				return fmt.Errorf("part %d says %v of column %d; give more than q, %v, and less than 1", k+1, p.P[i], d+1,
					m.Q[d])
			}
		}
	}
	return m.Level.check()
}

// described returns the model of so many rows as its length sees it, each part active in some.
func (m *Model) described(rows int, active []float64) *described.Model {
	d := &described.Model{Rule: joint.Max, Width: len(m.Q), Rows: float64(rows),
		Number: described.Number(float64(rows)), Q: m.Q}
	for k := range m.Parts {
		d.Parts = append(d.Parts, described.Part{On: m.Parts[k].Columns, Strength: [2][]float64{m.Parts[k].P, nil},
			Active: active[k]})
	}
	return d
}

// voter is a vote, among those on its column.
type voter struct {
	part, vote int32 // number of the part, and of the vote among all
	weight     float64
}

// index is a model as rows are explained by it: of each column who votes on it.
type index struct {
	*Model
	from    []int32 // of each column among voters
	voters  []voter
	first   []int32   // of each part: the number of its first vote
	column  []int32   // by vote
	yes     []float64 // by vote: the logarithms of what it says, and of the rest
	no      []float64
	mean    []float64 // by column: the background, on average over the levels
	logit   []float64 // by column: of the background at level 0
	always  []int32   // parts that may be active in a row where no column of them is on
	shared  [][]int32 // by part: its votes on columns where others vote too
	meets   []uint64  // by part and part: whether both vote on a column
	words   int       // of each part in meets
	noParts float64   // log-likelihood of the parts, if none is active
	views   []view    // by level, one where rows have none
}

// view is what an index says of rows of one level.
type view struct {
	step, shift float64   // the level, and by how much the log odds of the background are above those at 0
	weight      float64   // logarithm of how probable the level is
	ones        float64   // that the background is expected to have
	times       float64   // how many that is beside the mean over the levels
	not         []float64 // by column: logarithm of how probable the background is off
	alone       []float64 // by part: its log odds in a row where no column of it is on
	base        float64   // log-likelihood of a row without ones and parts
	softs       []float64 // by part: what it adds to that, alone
	soft        float64   // the sum of these
}

// logQ returns the logarithm of the background of a column.
func (x *explainer) logQ(d int32) float64 { return x.logit[d] + x.shift + x.not[d] }

// unlikely are the log odds below which a part is not looked at in a row.
const unlikely = -5

func newIndex(m *Model) *index {
	k, width := len(m.Parts), len(m.Q)
	x := &index{Model: m, from: make([]int32, width+1), first: make([]int32, k+1), logit: make([]float64, width),
		mean: m.Q, shared: make([][]int32, k), words: (k + 63) / 64}
	x.meets = make([]uint64, k*x.words)
	for k, p := range m.Parts {
		x.first[k+1] = x.first[k] + int32(len(p.Columns))
		for _, d := range p.Columns {
			x.from[d+1]++
		}
	}
	for d, q := range m.Q {
		x.from[d+1] += x.from[d]
		x.logit[d] = elem.Log(q) - elem.Log1p(-q)
	}
	votes := int(x.first[k])
	x.voters, x.column = make([]voter, votes), make([]int32, votes)
	x.yes, x.no = make([]float64, votes), make([]float64, votes)
	at := slices.Clone(x.from[:width])
	for k := range m.Parts {
		x.add(k, at)
	}
	for d := range width {
		x.meet(x.voters[x.from[d]:x.from[d+1]])
	}
	if m.Level == nil {
		x.views = []view{{times: 1}}
	} else {
		x.mean = make([]float64, width)
		for i, t := range m.Level.Steps {
			x.views = append(x.views, view{step: t, shift: float64(m.Level.Slope * t), weight: elem.Log(m.Level.Weights[i])})
		}
	}
	x.look()
	return x
}

// look finds out what is said of rows of each level.
func (x *index) look() {
	mean := 0.0
	may := make([]bool, len(x.Parts))
	for i := range x.views {
		v := &x.views[i]
		v.not, v.alone, v.base = make([]float64, len(x.Q)), make([]float64, len(x.Parts)), x.noParts
		v.softs = make([]float64, len(x.Parts))
		p := 0.0
		for d, q := range x.Q {
			switch {
			case d > 0 && q == x.Q[d-1]:
				v.not[d] = v.not[d-1]
			case x.Level == nil:
				v.not[d] = elem.Log1p(-q)
			default:
				p = sigmoid(x.logit[d] + v.shift)
				v.not[d] = elem.Log1p(-p)
			}
			v.base += v.not[d]
			if x.Level != nil {
				v.ones += p
				x.mean[d] += float64(x.Level.Weights[i] * p)
			}
		}
		for k := range x.Parts {
			a := elem.Log(x.Usage[k]) - elem.Log1p(-x.Usage[k])
			for vote := x.first[k]; vote < x.first[k+1]; vote++ {
				a += x.no[vote] - v.not[x.column[vote]]
			}
			v.alone[k], may[k] = a, may[k] || a > unlikely
			v.softs[k] = soft(a)
			v.soft += v.softs[k]
		}
		if x.Level != nil {
			mean += float64(x.Level.Weights[i] * v.ones)
		}
	}
	for k, is := range may {
		if is {
			x.always = append(x.always, int32(k))
		}
	}
	for i := range x.views {
		if x.Level != nil {
			x.views[i].times = x.views[i].ones / mean
		}
	}
}

// add takes the votes of part k, of each column at the place where its next vote goes.
func (x *index) add(k int, at []int32) {
	p := x.Parts[k]
	x.noParts += elem.Log1p(-x.Usage[k])
	for i, d := range p.Columns {
		vote := x.first[k] + int32(i)
		x.column[vote] = d
		x.yes[vote], x.no[vote] = elem.Log(p.P[i]), elem.Log1p(-p.P[i])
		x.voters[at[d]] = voter{int32(k), vote, x.yes[vote] - x.no[vote] - x.logit[d]}
		at[d]++
	}
}

// meet notes that parts vote on the same column.
func (x *index) meet(all []voter) {
	if len(all) < 2 {
		return
	}
	for _, a := range all {
		x.shared[a.part] = append(x.shared[a.part], a.vote)
		for _, b := range all {
			if a.part != b.part {
				x.meets[int(a.part)*x.words+int(b.part)/64] |= 1 << (b.part % 64)
			}
		}
	}
}

// votersOn returns the voters of a column.
func (x *index) votersOn(d int32) []voter { return x.voters[x.from[d]:x.from[d+1]] }

// meet reports whether two parts vote on the same column.
func (x *index) meeting(a, b int32) bool {
	return x.meets[int(a)*x.words+int(b)/64]>>(b%64)&1 != 0
}

// soft returns log(1 + exp(v)).
func soft(v float64) float64 {
	switch {
	case v > 30:
		return v
	case v > 0:
		return v + elem.Log1p(elem.Exp(-v))
	case v > -15:
		return elem.Log1p(elem.Exp(v))
	case v > -30:
		return elem.Exp(v)
	}
	return 0
}

// sigmoid returns 1 / (1 + exp(-v)).
func sigmoid(v float64) float64 { return 1 / (1 + elem.Exp(-math.Max(v, -700))) }
