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
	Q     []float64 // by column: how probable it is where no part votes

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
	return &Model{Parts: slices.Clone(m.Parts), Usage: slices.Clone(m.Usage), Q: m.Q}
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
	return nil
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
	logit   []float64 // by column: of the background
	logQ    []float64
	alone   []float64 // by part: its log odds in a row where no column of it is on
	always  []int32   // parts that may be active in such a row
	shared  [][]int32 // by part: its votes on columns where others vote too
	meets   []uint64  // by part and part: whether both vote on a column
	words   int       // of each part in meets
	base    float64   // log-likelihood of a row without ones and parts
	noParts float64   // how much of that is of parts that are not active
	soft    float64   // what parts add to that, each alone
}

// unlikely are the log odds below which a part is not looked at in a row.
const unlikely = -5

func newIndex(m *Model) *index {
	k, width := len(m.Parts), len(m.Q)
	x := &index{Model: m, from: make([]int32, width+1), first: make([]int32, k+1), logit: make([]float64, width),
		logQ: make([]float64, width), alone: make([]float64, k), shared: make([][]int32, k), words: (k + 63) / 64}
	x.meets = make([]uint64, k*x.words)
	for d, q := range m.Q {
		x.logQ[d] = elem.Log(q)
		not := elem.Log1p(-q)
		x.logit[d] = x.logQ[d] - not
		x.base += not
	}
	for k, p := range m.Parts {
		x.first[k+1] = x.first[k] + int32(len(p.Columns))
		for _, d := range p.Columns {
			x.from[d+1]++
		}
	}
	for d := range width {
		x.from[d+1] += x.from[d]
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
	return x
}

// add takes the votes of part k, of each column at the place where its next vote goes.
func (x *index) add(k int, at []int32) {
	p, share := x.Parts[k], x.Usage[k]
	off := elem.Log1p(-share)
	x.base, x.noParts = x.base+off, x.noParts+off
	a := elem.Log(share) - off
	for i, d := range p.Columns {
		vote := x.first[k] + int32(i)
		x.column[vote] = d
		x.yes[vote], x.no[vote] = elem.Log(p.P[i]), elem.Log1p(-p.P[i])
		a += x.no[vote] - (x.logQ[d] - x.logit[d])
		x.voters[at[d]] = voter{int32(k), vote, x.yes[vote] - x.no[vote] - x.logit[d]}
		at[d]++
	}
	if x.alone[k] = a; a > unlikely {
		x.always = append(x.always, int32(k))
	}
	x.soft += soft(a)
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
	case v > -30:
		return elem.Log1p(elem.Exp(v))
	}
	return 0
}

// sigmoid returns 1 / (1 + exp(-v)).
func sigmoid(v float64) float64 { return 1 / (1 + elem.Exp(-math.Max(v, -700))) }
