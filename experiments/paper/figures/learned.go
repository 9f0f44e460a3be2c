package figures

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/experiments/tables"
	"example.com/patchwork/render"
)

// learnedFigure learns the same data by each rule, with a price for every vote and
// without.
type learnedFigure struct{}

func (learnedFigure) Name() string  { return "learned" }
func (learnedFigure) Title() string { return "Section 2: what each rule learns" }

func (learnedFigure) Claim() string {
	return `Under rules that add up, similar experts may complement each other, so that what is learned need not be the parts that the data are made of; most so under the sum of log-odds, the rule of restricted Boltzmann machines. Under the maximum and max minus min each pixel is one expert's own.

Special cases: noisy-or and the normalized sum are the models of Saund (1995), the sum of odds that of Dayan and Zemel (1995), the sum of log-odds a Boltzmann machine with few units on.`
}

// learnedSet is what the rules learned from one of the sets: by rule, then by how.
type learnedSet struct {
	name string
	sets []*tables.RuleSet
	rows [][2][]tables.RuleRow
}

var learnedHow = [2]string{tables.Priced, tables.Unpriced}

// learnedSets names the sets, and says how many of each a run takes.
func learnedSets(o Options) ([]string, int) {
	if o.least {
		return []string{"bars, 16 images"}, 1
	}
	return []string{"quadrants, 100 images", pick(o, "bars, 60 images", "bars, 1000 images")}, pick(o, 1, 5)
}

func newLearnedSet(name string, seed uint64) (*tables.RuleSet, error) {
	kind, n := "", 0
	if _, err := fmt.Sscanf(name, "%s %d images", &kind, &n); err != nil {
		return nil, err
	}
	if kind == "quadrants," {
		return tables.QuadrantSet(n, seed)
	}
	return tables.BarSet(n, seed)
}

// Run learns every set by every rule.
func (learnedFigure) Run(ctx context.Context, o Options) (Result, error) {
	names, n := learnedSets(o)
	rules := tables.Rules()
	all := make([]learnedSet, len(names))
	for i, name := range names {
		all[i] = learnedSet{name: name, sets: make([]*tables.RuleSet, n), rows: make([][2][]tables.RuleRow, len(rules))}
		for r := range rules {
			all[i].rows[r] = [2][]tables.RuleRow{make([]tables.RuleRow, n), make([]tables.RuleRow, n)}
		}
		for seed := range n {
			var err error
			if all[i].sets[seed], err = newLearnedSet(name, o.Seed+uint64(seed)); err != nil {
				return Result{}, err
			}
		}
	}
	err := o.each(ctx, "learned", len(names)*len(rules)*n*2, func(ctx context.Context, job int) error {
		how, job := job%2, job/2
		seed, job := job%n, job/n
		set := &all[job/len(rules)]
		row, err := tables.LearnRule(ctx, set.sets[seed], rules[job%len(rules)], learnedHow[how], tables.Options{Seed: o.Seed + uint64(seed), Workers: 1})
		set.rows[job%len(rules)][how][seed] = row
		return err
	})
	if err != nil {
		return Result{}, err
	}
	r := Result{Statements: learnedStatements(all)}
	r.Text = fmt.Sprintf(`Each rule learns %s of each kind in two ways. Priced is soft learning as the program does it: the number of experts is not told, they are grown one by one, and every vote must gain log(images)/2 nats. Unpriced is what the rule does by itself: as many experts as there are parts, random votes to begin with, 60 iterations of soft EM, and any vote that gains anything. A part is found if an expert says what it says, up to a Jaccard index of 0.8; purity is the share of an expert's votes on one part. Asymmetric rules have no experts that say off: four of the eight quadrants are theirs to find.`, words.Count(n, "set"))
	for i := range all {
		r.Tables = append(r.Tables, all[i].table())
		r.Pictures = append(r.Pictures, all[i].picture())
	}
	return r, nil
}

// shortName returns the first word of the name of a set.
func (s *learnedSet) shortName() string {
	word, _, _ := strings.Cut(s.name, ",")
	return word
}

func (s *learnedSet) table() Table {
	t := Table{Name: s.shortName(), Title: "What the rules learn from " + s.name, Decimals: []int{-1, -1, 2, 0, 1, 2, 4, 4, 2},
		Columns: []string{"rule", "learned", "parts found", "of", "experts", "purity", "loss per hidden pixel, nats", "its standard deviation over the sets", "experts per image"}}
	for r, rule := range tables.Rules() {
		for how, rows := range s.rows[r] {
			over := func(f func(r tables.RuleRow) float64) []float64 { return mapped(rows, f) }
			loss := over(func(r tables.RuleRow) float64 { return r.Loss })
			t.Rows = append(t.Rows, []string{ruleNames[rule.String()], learnedHow[how], number(stat.Mean(over(foundOf))), number(float64(rows[0].There)),
				number(stat.Mean(over(func(r tables.RuleRow) float64 { return float64(r.Experts) }))), number(stat.Mean(over(purityOf))), number(stat.Mean(loss)), number(stat.SD(loss)),
				number(stat.Mean(over(func(r tables.RuleRow) float64 { return r.Parts })))})
		}
	}
	return t
}

func mapped(rows []tables.RuleRow, f func(tables.RuleRow) float64) []float64 {
	out := make([]float64, len(rows))
	for i, r := range rows {
		out[i] = f(r)
	}
	return out
}

func foundOf(r tables.RuleRow) float64  { return float64(r.Found) }
func purityOf(r tables.RuleRow) float64 { return r.Purity }

// picture returns the experts of the first set, one line for each rule: priced, and after
// a gap unpriced.
func (s *learnedSet) picture() Picture {
	columns := [2]int{}
	for _, rows := range s.rows {
		for how := range rows {
			columns[how] = max(columns[how], rows[how][0].Model.K())
		}
	}
	sheet := render.Sheet{Columns: columns[0] + columns[1], Scale: 6, Breaks: []int{columns[0]}, Title: "Priced on the left, unpriced on the right"}
	for r, rule := range tables.Rules() {
		sheet.RowLabels = append(sheet.RowLabels, ruleNames[rule.String()])
		for how := range s.rows[r] {
			m := s.rows[r][how][0].Model
			order := s.order(m)
			for j := range columns[how] {
				var tile image.Image
				if j < len(order) {
					tile = render.Template(m.Height(), m.Width(), votesOf(m, order[j]), render.Symmetric)
				}
				sheet.Tiles = append(sheet.Tiles, render.Tile{Image: tile})
			}
		}
	}
	return Picture{Name: s.shortName(), Drawing: sheet, Alt: "The experts of seven rules, priced and unpriced",
		Caption: "What each rule learned from the first set of " + s.name + ", a line a rule: yellow votes for on, blue for off, grey abstains, by distance from the background."}
}

// order returns the experts of a model, ordered by the part on which most of their votes
// are.
func (s *learnedSet) order(m *patchwork.Model) []int {
	at, order := make([]int, m.K()), make([]int, m.K())
	for k := range at {
		order[k] = k
		most := -1.0
		for part, signs := range s.sets[0].Parts {
			on := 0.0
			for i, v := range signs {
				on += float64(v) * (m.Template(k)[i] - m.Abstention(i))
			}
			if on > most {
				most, at[k] = on, part
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	return order
}

// votesOf returns the votes of expert k, 1/2 where it abstains: the distance from the
// background as a share of the way to certainty.
func votesOf(m *patchwork.Model, k int) []float64 {
	out := m.Templates()[k]
	for i, p := range out {
		switch q := m.Abstention(i); {
		case p > q:
			out[i] = 0.5 + 0.5*(p-q)/(1-q)
		case p < q:
			out[i] = 0.5 * p / q
		default:
			out[i] = 0.5
		}
	}
	return out
}

// learnedStatements judges what is said of the rules.
func learnedStatements(all []learnedSet) []Statement {
	var out []Statement
	for i := range all {
		s := &all[i]
		purity := func(rule string, how int) float64 {
			for r, name := range tables.Rules() {
				if name.String() == rule {
					return stat.Mean(mapped(s.rows[r][how], purityOf))
				}
			}
			return math.NaN()
		}
		odds, both := purity("sum-of-log-odds", 1), purity("max-minus-min", 1)
		out = append(out, Statement{fmt.Sprintf("Without a price, experts under the sum of log-odds mix several parts, more than under max minus min (%s).", s.name),
			fmt.Sprintf("purity %.2f, max minus min %.2f; priced %.2f and %.2f", odds, both, purity("sum-of-log-odds", 0), purity("max-minus-min", 0)), s.spread(), judge(odds < 0.8 && odds < both-0.02, odds < 0.8)})
		least, found, there := 1.0, math.Inf(1), 0
		for r := range s.rows {
			rows := s.rows[r][0]
			least = min(least, stat.Mean(mapped(rows, purityOf)))
			if share := stat.Mean(mapped(rows, foundOf)) / float64(rows[0].There); share < found {
				found, there = share, rows[0].There
			}
		}
		out = append(out, Statement{fmt.Sprintf("With a price, every rule finds the parts that it can tell (%s).", s.name),
			fmt.Sprintf("at least %.2f of %d; purity at least %.2f", found*float64(there), there, least), s.spread(), judge(found > 0.99, found > 0.8)})
	}
	return out
}

func (s *learnedSet) spread() string { return words.Count(len(s.sets), "set") + ", seven rules" }
