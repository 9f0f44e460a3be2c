package workbench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/mixed"
)

// Comparison says how groups of rows differ; its JSON is a contract.
type Comparison struct {
	Groups    []Group      `json:"groups"`
	Sentences []string     `json:"findings"`          // the strongest first
	Tests     int          `json:"tests"`             // all in one family
	Expected  float64      `json:"false_discoveries"` // share of the findings that chance may make
	All       []Difference `json:"differences"`
}

// Group is a group of rows.
type Group struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"` // weights counted
}

// Difference is how a group differs from all others: in how many of its rows have a part, or in the values of a column,
// as far as the parts of the rows leave them.
type Difference struct {
	Kind    string  `json:"kind"` // "part" or "column"
	Name    string  `json:"name"`
	Number  int     `json:"number"` // of the part or the column, from 1
	Group   string  `json:"group"`
	Rows    int     `json:"rows"`  // of the group, whose value is known
	Value   float64 `json:"value"` // of a part the share of the rows that have it, of a column the mean
	Low     float64 `json:"low"`   // ends of the interval of 95 %
	High    float64 `json:"high"`
	Others  float64 `json:"others"` // the same of all other rows
	Left    float64 `json:"left"`   // of a column, the mean of what the parts leave, less that of the others
	P       float64 `json:"p"`      // how probable as much is by chance: of a part by Fisher's exact test
	Q       float64 `json:"q"`      // P, adjusted for all tests by Benjamini and Hochberg
	Finding bool    `json:"finding"`
	Only    bool    `json:"only"` // no other group has the part

	share bool // the values are shares
}

// FewestCompared is how many rows a group must have.
const FewestCompared = 5

const (
	falseDiscoveries = .02 // of the findings, on average, that chance may make
	mostGroups       = 20
	normal95         = 1.959963984540054
)

// groupSums are sums over the rows of a group, of a part or of a column.
type groupSums struct {
	n, x, squares, left, leftSquares, spread float64

	expected float64 // variance of what is left of bits, as the model has it
}

func (s *groupSums) add(o groupSums) {
	*s = groupSums{s.n + o.n, s.x + o.x, s.squares + o.squares, s.left + o.left, s.leftSquares + o.leftSquares,
		s.spread + o.spread, s.expected + o.expected}
}

// comparedSums are the sums over all groups.
type comparedSums struct {
	names          int
	rows           []float64
	parts, columns [][]groupSums // by part or column, then by group
	cells          []Cell
}

// add adds a row to group g.
func (s *comparedSums) add(m Model, c *Case, g int) {
	w := c.Frame.Times(c.At)
	s.rows[g] += w
	has := make([]float64, m.K())
	addParts(has, c.Row.Picks, 1)
	for k, v := range has {
		s.parts[k][g].add(groupSums{n: w, x: float64(w * v)})
	}
	if !c.Frame.Table {
		return
	}
	s.cells = m.Cells(c, s.cells[:0])
	for len(s.columns) < len(s.cells) {
		s.columns = append(s.columns, make([]groupSums, s.names))
	}
	for _, cell := range s.cells {
		if x, left := cell.Value, cell.Value-cell.Mean; !math.IsNaN(left) {
			sums := groupSums{n: w, x: w * x, squares: w * x * x, left: w * left, leftSquares: w * left * left,
				spread: cell.Spread}
			if cell.Spread == 0 {
				sums.expected = w * max(0, cell.Mean*(1-cell.Mean))
			}
			s.columns[cell.Column][g].add(sums)
		}
	}
}

// Compare explains frames by a model, and says how groups of their rows differ. The group of row i of a frame is its
// number in names, or negative where it has none. Names are in the order in which groups are told.
func Compare(ctx context.Context, m Model, frames []*dataset.Frame, group func(frame, i int) int, names []string,
	workers int) (*Comparison, error) {
	if len(names) < 2 {
		return nil, fmt.Errorf("there is one group; two or more can be compared")
	}
	if len(names) > mostGroups {
		return nil, fmt.Errorf("there are %d groups, and at most %d are compared", len(names), mostGroups)
	}
	out := &Comparison{Expected: falseDiscoveries, Sentences: []string{}, All: []Difference{}}
	sums := &comparedSums{names: len(names), rows: make([]float64, len(names)), parts: make([][]groupSums, m.K())}
	for k := range sums.parts {
		sums.parts[k] = make([]groupSums, len(names))
	}
	for at, f := range frames {
		for x, err := range m.Explain(ctx, Once(f), Explaining{Workers: workers}) {
			if err != nil {
				return nil, err
			}
			for i := range x.Rows {
				if g := group(at, x.From+i); g >= 0 {
					sums.add(m, &Case{f, x.From + i, x.Rows[i]}, g)
				}
			}
		}
	}
	for g, name := range names {
		out.Groups = append(out.Groups, Group{name, int64(math.Round(sums.rows[g]))})
	}
	for k, of := range sums.parts {
		out.add("part", Full(m, k), k, of, comparePart)
	}
	for d, of := range sums.columns {
		out.add("column", comparedName(m, d), d, of, compareColumn)
	}
	out.judge(m)
	return out, nil
}

// add adds the differences of one part or column: of each group from all others, or of two groups from each other.
func (c *Comparison) add(kind, name string, number int, of []groupSums, test func(*Difference, groupSums, groupSums)) {
	for g := range of {
		if len(of) == 2 && g == 1 {
			break // the same test
		}
		var others groupSums
		for o := range of {
			if o != g {
				others.add(of[o])
			}
		}
		if min(of[g].n, others.n) < FewestCompared {
			continue
		}
		d := Difference{Kind: kind, Name: name, Number: number + 1, Group: c.Groups[g].Name,
			Rows: int(math.Round(of[g].n)), Value: of[g].x / of[g].n, Others: others.x / others.n, P: 1}
		d.Only = kind == "part" && (others.x == 0) != (of[g].x == 0) && (others.x == 0 || len(of) == 2)
		test(&d, of[g], others)
		c.All = append(c.All, d)
	}
}

// comparePart tests by Fisher's exact test whether as many rows of a group have a part as of the others, and sets
// Wilson's interval.
func comparePart(d *Difference, a, b groupSums) {
	n, z := a.n, normal95
	middle, spread := (d.Value+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(d.Value*(1-d.Value)/n+z*z/(4*n*n))
	d.Low, d.High = min(d.Value, max(0, middle-spread)), max(d.Value, min(1, middle+spread))
	d.P = fisher(int64(math.Round(a.x)), int64(math.Round(a.n)), int64(math.Round(a.x+b.x)), int64(math.Round(a.n+b.n)))
}

// fisher returns how probable it is that of n rows, drawn from all, as few or as many are among the have as both are:
// twice the smaller of the two tails.
func fisher(both, n, have, all int64) float64 {
	below, above := 0.0, 0.0
	for x := max(0, n+have-all); x <= min(n, have); x++ {
		p := elem.Exp(elem.LogChoose(have, x) + elem.LogChoose(all-have, n-x) - elem.LogChoose(all, n))
		if x <= both {
			below += p
		}
		if x >= both {
			above += p
		}
	}
	return min(1, 2*min(below, above))
}

// compareColumn tests whether what the parts leave of a column is as much in a group as in the others: by the mean and
// the variance that it has over all ways to draw the group, and the normal distribution. Of bits that a group has all
// alike there is next to no such variance, and the one that the model expects is taken.
func compareColumn(d *Difference, a, b groupSums) {
	n := a.n + b.n
	sd := math.Sqrt(max(0, a.squares/a.n-d.Value*d.Value) / a.n)
	d.Low, d.High = d.Value-normal95*sd, d.Value+normal95*sd
	d.Left, d.share = a.left/a.n-b.left/b.n, a.spread+b.spread == 0
	mean := (a.left + b.left) / n
	variance := ((a.leftSquares+b.leftSquares)/n - mean*mean) * n / (n - 1)
	drawn, expected := max(0, variance)*n/(a.n*b.n), a.expected/(a.n*a.n)+b.expected/(b.n*b.n)
	if deviation := math.Sqrt(max(drawn, expected)); deviation > 0 {
		d.P = elem.Erfc(math.Abs(d.Left) / deviation / math.Sqrt2)
	}
}

// judge adjusts the probabilities for all tests, and says what differs, the least probable first.
func (c *Comparison) judge(m Model) {
	order := make([]int, len(c.All))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(c.All[x].P, c.All[y].P) })
	q := 1.0
	c.Tests = len(order)
	for at := len(order) - 1; at >= 0; at-- {
		d := &c.All[order[at]]
		q = min(q, d.P*float64(len(order))/float64(at+1))
		d.Q, d.Finding = q, q <= falseDiscoveries
	}
	said := map[string]bool{}
	for _, kind := range []string{"part", "column"} {
		for _, i := range order {
			d := &c.All[i]
			if key := d.Kind + d.Name; d.Finding && d.Kind == kind && !said[key] {
				said[key] = true
				c.Sentences = append(c.Sentences, c.sentence(m, d))
			}
		}
	}
}

// sentence says what differs.
func (c *Comparison) sentence(m Model, d *Difference) string {
	other := "the others"
	if len(c.Groups) == 2 {
		other = c.Groups[1].Name
	}
	if d.Kind == "part" {
		text := fmt.Sprintf("%s (%s): %s of %s, %s of %s", d.Name, m.Part(d.Number-1).Says, words.Percent(d.Value), d.Group,
			words.Percent(d.Others), other)
		if d.Only {
			text += "; only one group has it"
		}
		return text
	}
	say := words.Digits
	if d.share {
		say = words.Percent
	}
	return fmt.Sprintf("%s: %s on average of %s, %s of %s, more than the parts explain", d.Name, say(d.Value), d.Group,
		say(d.Others), other)
}

// comparedName returns what column d is called whose mean is compared: of words with the one whose share that is.
func comparedName(of Model, d int) string {
	name := ColumnName(of, d)
	if m, ok := of.(Mixed); ok && m.isWords(d) && (m.codings[d] != nil || m.Columns[d].Family == mixed.Words) &&
		len(m.Columns[d].Values) > 0 {
		name += " " + m.Text(d, m.Columns[d].Low[m.level(d, nil)])
	}
	return name
}

// Lines says what differs, for people.
func (c *Comparison) Lines() []string {
	var groups []string
	for _, g := range c.Groups {
		groups = append(groups, fmt.Sprintf("%s (%s)", g.Name, words.Count(int(g.Rows), "row")))
	}
	out := []string{"compared: " + strings.Join(groups, ", ")}
	if len(c.Sentences) == 0 {
		return append(out, fmt.Sprintf("nothing differs more than chance would have it, in %s", words.Count(c.Tests, "test")))
	}
	for _, s := range c.Sentences {
		out = append(out, "  "+s)
	}
	return append(out, fmt.Sprintf("of %s; up to %s of such findings are chance", words.Count(c.Tests, "test"),
		words.Percent(c.Expected)))
}
