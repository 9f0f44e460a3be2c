package workbench

import (
	"fmt"
	"math"

	"example.com/patchwork/diagnose/words"
)

// wordsColumns is how many columns of each side the words of a part name.
const wordsColumns = 5

// Part is what there is to say of a part.
type Part struct {
	Name  string  // that people gave to it, "" for none
	Words string  // how often it is used, and what it says
	Says  string  // what it says
	Usage float64 // share of the rows or images that have it; NaN if it is not known
	// Means are probabilities, or of numbers means, row-major by its frame; NaN where it abstains, for numbers.
	Means []float64
	// Deviations are of numbers those that it says, NaN where it abstains; else nil.
	Deviations []float64
	Abstains   int // values without a vote
	// Votes are of a table: the columns on which it votes, the strongest first.
	Votes      []Vote
	Elongation float64 // length over width of its ink; 1 is round
}

// Vote is what a part says of a column, and what is said where the part is not there.
type Vote struct {
	Column           int
	Name             string // of the column
	Value, Otherwise float64
	Spread           float64 // of numbers, the deviation where the part is not there; 0 of bits, also among numbers
	Words            string  // "80 %, otherwise 14 %"
}

// Part describes a part.
func (m Bits) Part(k int) Part {
	votes := words.Votes(m.Model, k)
	p := Part{Name: nameOf(m, k), Words: words.Part(m.Model, k, wordsColumns), Usage: math.NaN(), Means: m.Template(k),
		Says: words.Says(m.Model, k, wordsColumns), Abstains: m.Height()*m.Width() - len(votes),
		Elongation: words.ShapeOf(m.Model, k).Elongation()}
	if usage := m.Extras().Usage; usage != nil {
		p.Usage = usage[k]
	}
	for i := 0; m.Height() == 1 && i < len(votes); i++ {
		v := votes[i]
		p.Votes = append(p.Votes, Vote{v.Column, words.Column(m.Model, v.Column), v.P, v.Background, 0,
			words.Percent(v.P) + ", otherwise " + words.Percent(v.Background)})
	}
	return p
}

// Part describes a part.
func (m Numbers) Part(k int) Part {
	votes := words.RealVotes(m.Model, k)
	p := Part{Name: nameOf(m, k), Says: words.RealPart(m.Model, k), Usage: math.NaN(),
		Means: make([]float64, m.F()), Deviations: make([]float64, m.F()), Abstains: m.F() - len(votes), Elongation: 1}
	if p.Words = p.Says; m.Pi != nil {
		p.Usage = m.Pi[k]
		p.Words = fmt.Sprintf("%s of images: %s", words.Percent(p.Usage), p.Says)
	}
	for f := range p.Means {
		p.Means[f], p.Deviations[f] = math.NaN(), math.NaN()
	}
	for _, v := range votes {
		p.Means[v.At], p.Deviations[v.At] = v.Mean, v.Deviation
	}
	return p
}

// Part panics: a model of classes has no parts.
func (m Classes) Part(int) Part { panic(errNoParts) }
