package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/internal/markup"
	"example.com/patchwork/table/answers"
)

// Answers are what the picture of a table of answers says, and what the field reports of it.
type Answers struct {
	Kind    string           `json:"kind"`
	Indices *answers.Indices `json:"indices"`

	reader *answers.Reader
	names  []string // of the classes, parts or skills
}

// answers finds out what the field reports, of a model of answers.
func (b *builder) answers(context.Context) error {
	if b.reader == nil {
		return nil
	}
	a := &Answers{Kind: b.reader.Kind, reader: b.reader}
	for k := range a.reader.Votes {
		a.names = append(a.names, a.reader.Called(b.r.Parts[k].Name))
	}
	var err error
	a.Indices, err = a.reader.Indices(b.set.Data)
	b.r.Answers = a
	return err
}

// sayAnswers says which picture the rows are of.
func (r *Report) sayAnswers() string {
	if r.Answers == nil {
		return ""
	}
	return "The rows are described by " + r.Answers.reader.String() + "."
}

const (
	mostCurves   = 40 // items whose curves are drawn
	personsShown = 60
	goTogether   = 5 // pairs of items in words

	leastResidual = 4 // of a pair in words: chance makes one of twenty so large
)

// answersView is the section of a picture of answers.
type answersView struct {
	*Report
	Kind           string
	Profiles       []curve // of the classes over the items
	Curves         []curve // of the items over the level
	Heads          []string
	Persons        []personLine
	Items          [][]string
	ItemHeads      []string
	Pairs          []string
	Measures       [][]string
	Reliability    float64
	First, Last    string // items
	Few, FewPeople bool   // of the items, or rows, are shown
}

// curve is a line in a chart of 300 x 180.
type curve struct {
	Name, Points string
	Hue          markup.HTML
}

// personLine is who has which class, part or skill.
type personLine struct {
	Name, Words string
	Has         []float64
	Level       string
}

func (p *page) answersView() any {
	a := p.Answers
	v := answersView{Report: p.Report, Kind: a.Kind, Heads: a.names, First: p.names[0], Last: p.names[len(p.names)-1],
		Measures: a.measures(), Reliability: a.Indices.Reliability}
	if a.reader.Classes {
		for k, votes := range a.reader.Votes {
			v.Profiles = append(v.Profiles, curveOf(a.names[k], k, votes))
		}
	}
	if a.reader.Leveled() {
		for d := range min(len(p.names), mostCurves) {
			var y []float64
			for i := range 31 {
				y = append(y, a.reader.Curve(d, float64(i)/5-3))
			}
			v.Curves = append(v.Curves, curveOf(p.names[d], d, y))
		}
		v.Few = len(p.names) > mostCurves
	}
	items := p.itemTable()
	v.ItemHeads, v.Items = items[0], items[1:]
	for i := range min(p.Rows, personsShown) {
		if one := p.rows[i].Person; one != nil {
			line := personLine{Name: p.ByRow[i].Name, Has: a.reader.Probable(one)}
			if len(line.Has) > 0 {
				line.Words = a.reader.Profile(one, p.partNames())
			}
			if a.reader.Leveled() {
				line.Level = fmt.Sprintf("%s ± %s", fixed(2, one.Level), fixed(2, one.Error))
			}
			v.Persons = append(v.Persons, line)
		}
	}
	v.FewPeople = p.Rows > personsShown
	for _, x := range a.Indices.Residuals[:min(len(a.Indices.Residuals), goTogether)] {
		if x.Value < leastResidual {
			break
		}
		v.Pairs = append(v.Pairs, fmt.Sprintf("%s and %s go together beyond the picture: %s", p.names[x.Columns[0]],
			p.names[x.Columns[1]], fixed(1, x.Value)))
	}
	return v
}

// curveOf returns a line through shares from 0 to 1 at even distances.
func curveOf(name string, hueOf int, y []float64) curve {
	var points []string
	for i, v := range y {
		points = append(points, fmt.Sprintf("%.1f,%.1f", 300*float64(i)/float64(max(len(y)-1, 1)), 180*(1-v)))
	}
	return curve{name, strings.Join(points, " "), hue(hueOf)}
}

func (r *Report) partNames() (out []string) {
	for _, p := range r.Parts {
		out = append(out, p.Name)
	}
	return out
}

// measures returns the indices that are one number.
func (a *Answers) measures() (out [][]string) {
	x := a.Indices
	for _, m := range []struct {
		name string
		v    float64
	}{{"log-likelihood", x.LogLik}, {"free numbers", float64(x.Numbers)}, {"AIC", x.AIC}, {"BIC", x.BIC}, {"CAIC", x.CAIC},
		{"aBIC", x.ABIC}, {"G2", x.G2}, {"X2", x.X2}, {"entropy R2", x.Entropy}, {"reliability", x.Reliability}} {
		if m.v != 0 {
			out = append(out, []string{m.name, strings.TrimSuffix(fmt.Sprintf("%.3f", m.v), ".000")})
		}
	}
	return out
}

// itemTable returns what is said of each item: its share in each class, difficulty and slope, guess and slip.
func (r *Report) itemTable() [][]string {
	x := r.Answers.Indices
	out := [][]string{{"item"}}
	for d, name := range r.names {
		out = append(out, []string{name})
		for k := range x.Shares {
			out[d+1] = append(out[d+1], fmt.Sprintf("%.3f", x.Shares[k][d]))
		}
		for _, of := range [][]float64{x.Difficulty, x.Slope, x.Guess, x.Slip} {
			if of != nil {
				out[d+1] = append(out[d+1], fmt.Sprintf("%.3f", of[d]))
			}
		}
	}
	for k := range x.Shares {
		out[0] = append(out[0], fmt.Sprintf("class %d (%.3f)", k+1, x.Sizes[k]))
	}
	if x.Difficulty != nil {
		out[0] = append(out[0], "difficulty", "slope")
	}
	if x.Guess != nil {
		out[0] = append(out[0], "guess", "slip")
	}
	return out
}

// answerTables returns the tables of a picture of answers.
func (r *Report) answerTables() []Table {
	a := r.Answers
	if a == nil {
		return nil
	}
	pairs := [][]string{{"item_a", "item_b", "bivariate_residual"}}
	for _, x := range a.Indices.Residuals {
		pairs = append(pairs, []string{r.names[x.Columns[0]], r.names[x.Columns[1]], num(x.Value)})
	}
	persons := [][]string{slices.Concat([]string{"row", "name", "profile"}, a.names, []string{"level", "level_error"})}
	for i, row := range r.ByRow {
		one := cmp.Or(r.rows[i].Person, new(answers.Person))
		line := []string{whole(row.Row), row.Name, ""}
		if len(one.Has) > 0 {
			line[2] = a.reader.Profile(one, r.partNames())
		}
		for _, v := range a.reader.Probable(one) {
			line = append(line, num(v))
		}
		level, spread := math.NaN(), math.NaN()
		if a.reader.Leveled() {
			level, spread = one.Level, one.Error
		}
		persons = append(persons, append(line, num(level), num(spread)))
	}
	return []Table{{"items", r.itemTable()}, {"persons", persons}, {"indices", slices.Concat([][]string{{"index", "value"}},
		a.measures())}, {"residuals", pairs}}
}
