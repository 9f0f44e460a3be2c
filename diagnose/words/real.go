package words

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"example.com/patchwork/learn/real"
)

// RealVote is what a part says of a pixel: a mean and a deviation, beside those of the background.
type RealVote struct {
	At                int     // pixel of the part's frame, row-major, from 0
	Mean, Deviation   float64 // in the units of the data
	Before, Otherwise float64 // the background's mean and deviation
	Strength          float64 // |mean - before| in deviations of the background; more where the deviation differs, too
	OwnDeviation      bool
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
			OwnDeviation: e.Vote == real.MeanAndVar}
		if v.OwnDeviation {
			v.Deviation = math.Sqrt(e.Var)
		}
		v.Strength = real.Normal{Mean: v.Mean, Var: v.Deviation * v.Deviation}.Strength(b)
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b RealVote) int { return cmp.Compare(b.Strength, a.Strength) })
	return out
}

// RealPart returns what part k says, in words: how many pixels it makes brighter and darker.
func RealPart(m *real.Model, k int) string {
	votes := RealVotes(m, k)
	if len(votes) == 0 {
		return "no vote"
	}
	up := 0
	for _, v := range votes {
		if v.Mean >= v.Before {
			up++
		}
	}
	return fmt.Sprintf("%s brighter, %d darker", Count(up, "pixel"), len(votes)-up)
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
