package words

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/learn/real"
)

// RealColumn returns what column i of a table of real values is called: its name, or else "column 4",
// counted from 1.
func RealColumn(m *real.Model, i int) string { return ColumnOf(m.Columns, i) }

// RealVote is what a part says of a column or a pixel: a mean and a deviation, beside those of the background.
type RealVote struct {
	At                int     // column, or pixel of the part's frame, row-major, from 0
	Mean, Deviation   float64 // in the units of the data
	Before, Otherwise float64 // the background's mean and deviation
	Strength          float64 // |mean - before| in deviations of the background; more where the deviation differs, too
	OwnDeviation      bool
	Bit               bool // the values are 0 and 1: the means are probabilities of 1
}

// RealVotes returns the votes of part k, the strongest first.
func RealVotes(m *real.Model, k int) []RealVote {
	var out []RealVote
	for f, e := range m.Experts[k] {
		if e.Vote == real.Abstains {
			continue
		}
		b := m.Background[min(f, m.D()-1)]
		v := RealVote{At: f, Mean: e.Mean, Deviation: math.Sqrt(b.Var), Before: b.Mean, Otherwise: math.Sqrt(b.Var),
			OwnDeviation: e.Vote == real.MeanAndVar, Bit: m.Scales != nil && m.Scales[min(f, m.D()-1)].Bit}
		if v.OwnDeviation {
			v.Deviation = math.Sqrt(e.Var)
		}
		v.Strength = real.Normal{Mean: v.Mean, Var: v.Deviation * v.Deviation}.Strength(b)
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b RealVote) int { return cmp.Compare(b.Strength, a.Strength) })
	return out
}

// RealPart returns what part k says, in words: of a table the columns of which it says most, at most so many, in the
// units of the data; of images how many pixels it makes brighter and darker.
func RealPart(m *real.Model, k, most int) string {
	votes := RealVotes(m, k)
	if len(votes) == 0 {
		return "no vote"
	}
	if m.Height > 1 {
		up := 0
		for _, v := range votes {
			if v.Mean >= v.Before {
				up++
			}
		}
		return fmt.Sprintf("%s brighter, %d darker", Count(up, "pixel"), len(votes)-up)
	}
	var out []string
	for _, v := range votes[:min(len(votes), most)] {
		out = append(out, RealColumn(m, v.At)+" "+v.String())
	}
	text := strings.Join(out, "; ")
	if more := len(votes) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// String says the vote, and what is said without the part: "27 ± 1, otherwise 20", or of a bit "80 %, otherwise 14 %".
func (v RealVote) String() string {
	if v.Bit {
		return Percent(v.Mean) + ", otherwise " + Percent(v.Before)
	}
	return Digits(v.Mean) + " ± " + Digits(v.Deviation) + ", otherwise " + Digits(v.Before)
}

// Digits returns a number with three digits, or all digits before the point: 0.0123, 4.57, 1284.
func Digits(x float64) string {
	if a := math.Abs(x); a >= 100 && a < 1e7 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// RenameReal returns the model with another name for part k, as [Rename] does.
func RenameReal(m *real.Model, k int, name string) (*real.Model, error) {
	names, err := Renamed(m.Names, m.K(), k, name)
	if err != nil {
		return nil, err
	}
	out := *m
	out.Names = names
	return &out, nil
}
