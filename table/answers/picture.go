package answers

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
)

// mostParts is how many parts a picture may have: all sets of them are looked at.
const mostParts = 8

// answers are the rows of a table, equal ones as one.
type answers struct {
	x      [][]uint8  // joint.Off, joint.On or joint.Unknown
	ones   [][]int32  // columns that are on
	hidden [][]int32  // columns that are not known
	planes [][]uint64 // the ones, a bit a column
	times  []float64  // how often each row occurs
	n      float64    // rows in all
	mean   []float64  // of the columns
}

// read returns the rows of data.
func read(data patchwork.Data) (*answers, error) {
	if err := errors.Join(rows.Validate(context.Background(), data)); err != nil {
		return nil, err
	}
	width := data.Images[0].Len()
	if err := rows.SameSize(data.Images, 1, width); err != nil {
		return nil, fmt.Errorf("patchwork: answers are rows of a table: %w", err)
	}
	data = rows.Distinct(data)
	t := new(answers)
	for i, row := range data.Images {
		t.add(row.AppendValues(nil), data.Times(i))
	}
	t.means()
	return t, nil
}

// add adds a row.
func (t *answers) add(x []uint8, times float64) {
	var ones, hidden []int32
	plane := make([]uint64, (len(x)+63)/64)
	for d, v := range x {
		switch v {
		case joint.On:
			ones = append(ones, int32(d))
			plane[d/64] |= 1 << (d % 64)
		case joint.Unknown:
			hidden = append(hidden, int32(d))
		}
	}
	t.x, t.ones, t.hidden = append(t.x, x), append(t.ones, ones), append(t.hidden, hidden)
	t.planes, t.times = append(t.planes, plane), append(t.times, times)
	t.n += times
}

// means counts the columns.
func (t *answers) means() {
	t.mean = make([]float64, t.width())
	for d := range t.mean {
		on, seen := 0.5, 1.0
		for n, x := range t.x {
			if x[d] != joint.Unknown {
				seen += t.times[n]
				on += float64(t.times[n] * float64(x[d]))
			}
		}
		t.mean[d] = on / seen
	}
}

func (t *answers) width() int { return len(t.x[0]) }

// flipped returns the table with on for off: of a test, what is answered wrong.
func (t *answers) flipped() *answers {
	out := new(answers)
	for n, x := range t.x {
		y := slices.Clone(x)
		for d, v := range y {
			if v != joint.Unknown {
				y[d] = 1 - v
			}
		}
		out.add(y, t.times[n])
	}
	out.means()
	return out
}

// Picture is a model of a table of answers.
type Picture struct {
	Kind    string // such as "skills+level"
	Lacking bool   // the parts are what is lacking: all is said of the table with on for off

	// A column that no part votes on is on with log odds Intercept + Slope t, where the level t
	// of a row is one of Steps, with probabilities Weights. Without a level there is one step, 0.
	Intercept, Slope []float64
	Steps, Weights   []float64
	OwnSlopes        bool // of the columns, not one for all
	OwnWeights       bool // of the steps, not those of a normal level

	Votes [][]float64 // of the parts by column: how probable it is on; 0 for no vote

	// Part k is active with log odds Usage + UsageSlope t; with profiles, each of Sets (bit k for
	// part k) has a share, and there are no others.
	Usage      []float64
	UsageSlope float64
	WithUsage  bool // UsageSlope is learned
	Sets       []uint64
	Share      []float64 // nil for none
	Classes    bool      // parts are classes
}

// normalSteps returns seven levels, the steps of a normal one.
func normalSteps() (steps, weights []float64) {
	sum := 0.0
	for i := -3; i <= 3; i++ {
		t := float64(i) * 2.5 / 3
		steps, weights = append(steps, t), append(weights, elem.Exp(-t*t/2))
		sum += weights[i+3]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return steps, weights
}

// independent returns the picture in which columns have nothing to do with each other.
func independent(t *answers) *Picture {
	p := &Picture{Kind: "independent", Slope: make([]float64, t.width()), Steps: []float64{0}, Weights: []float64{1}}
	for _, m := range t.mean {
		p.Intercept = append(p.Intercept, logit(m))
	}
	return p.withSets()
}

// leveled reports whether there is a level on which anything depends.
func (p *Picture) leveled() bool { return len(p.Steps) > 1 && !p.levelOfUsage() }

// levelOfUsage reports whether the level is for the usage of parts only.
func (p *Picture) levelOfUsage() bool { return p.WithUsage && p.Slope[0] == 0 && !p.OwnSlopes }

// withLevel returns the picture with a level.
func (p *Picture) withLevel() *Picture {
	p = p.clone()
	if p.Share != nil { // a level and the part that profiles leave to it are two ways to say the same
		return p
	}
	if len(p.Steps) == 1 {
		p.Steps, p.Weights = normalSteps()
	}
	for d := range p.Slope {
		p.Slope[d] = 0.7
	}
	return p
}

// withoutLevel returns the picture without its level.
func (p *Picture) withoutLevel() *Picture {
	p = p.clone()
	p.Steps, p.Weights, p.OwnSlopes, p.OwnWeights = []float64{0}, []float64{1}, false, false
	p.WithUsage, p.UsageSlope = false, 0
	clear(p.Slope)
	return p
}

// withSets sets the sets of parts to all there are.
func (p *Picture) withSets() *Picture {
	p.Sets, p.Share = nil, nil
	for s := range uint64(1) << len(p.Votes) {
		p.Sets = append(p.Sets, s)
	}
	return p
}

// clone returns a copy whose numbers may be changed.
func (p *Picture) clone() *Picture {
	c := *p
	c.Intercept, c.Slope, c.Weights = slices.Clone(p.Intercept), slices.Clone(p.Slope), slices.Clone(p.Weights)
	c.Usage, c.Sets, c.Share = slices.Clone(p.Usage), slices.Clone(p.Sets), slices.Clone(p.Share)
	c.Votes = nil
	for _, v := range p.Votes {
		c.Votes = append(c.Votes, slices.Clone(v))
	}
	return &c
}

// without returns the picture without part k, with the sets that this leaves.
func (p *Picture) without(k int) *Picture {
	c := p.clone()
	c.Votes, c.Usage = slices.Delete(c.Votes, k, k+1), slices.Delete(c.Usage, k, k+1)
	for i, s := range c.Sets {
		low := s & (1<<k - 1)
		c.Sets[i] = low | s>>(k+1)<<k
	}
	slices.Sort(c.Sets)
	c.Sets, c.Share = slices.Compact(c.Sets), nil
	return c
}

const (
	allSets  = 4   // parts of which all sets are looked at while searching
	rareSets = 0.4 // rows that a set must have, of more parts
)

// frequent returns the picture without the sets that hardly a row has, if there are many parts: what a search looks at.
func (f found) frequent() *Picture {
	p := f.clone()
	if len(p.Votes) <= allSets || p.Share != nil {
		return p
	}
	p.Sets = nil
	for s, set := range f.Sets {
		sum := 0.0
		for _, n := range f.c.rows[s] {
			sum += n
		}
		if sum > rareSets || set&(set-1) == 0 {
			p.Sets = append(p.Sets, set)
		}
	}
	return p
}

// columns returns the columns that part k votes on.
func (p *Picture) columns(k int) (out []int) {
	for d, v := range p.Votes[k] {
		if v > 0 {
			out = append(out, d)
		}
	}
	return out
}

// votes returns how many these are.
func (p *Picture) votes(k int) int { return len(p.columns(k)) }

// owner returns which part decides on column d where a set of parts is active, -1 for none.
func (p *Picture) owner(set uint64, d int) int {
	k, best := -1, 0.0
	for ; set != 0; set &= set - 1 {
		j := bits.TrailingZeros64(set)
		if v := p.Votes[j][d]; v > best {
			k, best = j, v
		}
	}
	return k
}

// prior returns the log probability of every set at every level, that of the level with it.
func (p *Picture) prior() [][]float64 {
	out := make([][]float64, len(p.Sets))
	for s, set := range p.Sets {
		out[s] = make([]float64, len(p.Steps))
		for l, t := range p.Steps {
			v := elem.Log(p.Weights[l])
			if p.Share != nil {
				v += elem.Log(p.Share[s])
			}
			for k, u := range p.Usage {
				if p.Share == nil {
					u += float64(p.UsageSlope * t)
					v -= elem.LogAdd(0, u)
					if set>>k&1 != 0 {
						v += u
					}
				}
			}
			out[s][l] = v
		}
	}
	return out
}

// logit returns the log odds of a probability.
func logit(p float64) float64 { return elem.Log(p / (1 - p)) }

// sigmoid returns the probability of log odds.
func sigmoid(x float64) float64 {
	if x < 0 {
		e := elem.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + elem.Exp(-x))
}
