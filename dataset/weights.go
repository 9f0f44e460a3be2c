package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"example.com/patchwork/internal/npy"
)

// finest is the smallest unit of weights, a thousandth of a row.
const finest = 1000

// unitOf returns of which weight a row is, so that a weight is whole, or as nearly as it may be.
func unitOf(weight float64) int64 {
	for unit := int64(1); unit < finest; unit *= 10 {
		if x := weight * float64(unit); math.Abs(x-math.Round(x)) < 1e-6 {
			return unit
		}
	}
	return finest
}

// weightOf returns a weight in such units.
func weightOf(weight float64, unit int64) (int64, *FormatError) {
	x := math.Round(weight * float64(max(unit, 1)))
	switch {
	case !(weight >= 0) || x >= 1<<53:
		return 0, noWeight(fmt.Sprint(weight))
	case unitOf(weight) > max(unit, 1):
		return 0, &FormatError{Msg: fmt.Sprintf("the weight %v is not whole, as those at the beginning are", weight),
			Hint: "round the weights"}
	case weight > 0 && x == 0:
		return 0, &FormatError{Msg: fmt.Sprintf("the weight %v is less than a thousandth of a row", weight),
			Hint: "multiply all weights, so that they add up to the number of rows"}
	}
	return int64(x), nil
}

// weightNames are what columns of weights of rows are called, without signs.
var weightNames = []string{"weight", "weights", "wt", "wts", "wgt", "pweight", "surveyweight", "sampleweight",
	"caseweight", "finalweight", "gewicht", "poids", "peso"}

// mostWeight is the largest weight of a row that a survey gives: people weigh more.
const mostWeight = 20

// maybeWeight reports whether a column of numbers may be weights of rows: by its name and its numbers.
func (s *survey) maybeWeight(i int) bool {
	letters := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s.name(i))
	r := s.columns[i].span()
	return slices.Contains(weightNames, letters) && r.fractions && r.least >= 0 && r.most <= mostWeight
}

// noteWeights says that weights are decimals.
func (p *tablePlan) noteWeights(s *survey) {
	if p.weight < 0 {
		return
	}
	if r := s.columns[p.weight].span(); r.unit > 1 {
		p.whole = r.unit
		p.note("the weights in %s are decimals: a row counts so often, to %d places", s.called([]int{p.weight})[0],
			len(fmt.Sprint(p.whole))-1)
	}
}

// noWeight returns the error for what is no weight.
func noWeight(text string) *FormatError {
	return &FormatError{Msg: fmt.Sprintf("the weight %q is not a non-negative number", text)}
}

// takeWeight adds the weight of the next row.
func (t *textTable) takeWeight(cell string) error {
	v, state := parseCell(cell)
	if token, comma := tokenOf(trim(cell)); token == commaToken {
		v, state = comma, cellNumber
	}
	fe, w := noWeight(shorten(trim(cell))), int64(0)
	if state == cellNumber {
		if w, fe = weightOf(v, t.plan.whole); fe != nil {
			fe.early = !t.plan.complete
		}
	}
	if fe != nil {
		fe.Column = t.plan.name(t.plan.weight)
		return fe
	}
	t.set.Weights = append(t.set.Weights, w)
	return nil
}

// checkWeights returns weights of an array in such units.
func checkWeights(a *npy.Array, unit int64, at int) ([]int64, error) {
	if v, err := a.Int64s(); err == nil && unit <= 1 {
		for i, w := range v {
			if w < 0 {
				return nil, &FormatError{Row: at + i + 1, Msg: fmt.Sprintf("the weight %d is negative", w)}
			}
		}
		return v, nil
	}
	f, err := a.Float64s()
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(f))
	for i, x := range f {
		w, fe := weightOf(x, unit)
		if fe != nil {
			fe.Row = at + i + 1
			return nil, fe
		}
		out[i] = w
	}
	return out, nil
}

// weightsUnit returns the unit of all weights of an array of an archive, 0 if they are whole.
func weightsUnit(z *npy.Zip, name string) (unit int64, err error) {
	r, err := z.Open(name)
	if err != nil || r.Header().DType.Kind != 'f' {
		return 0, err
	}
	a, err := r.All()
	if err != nil {
		return 0, err
	}
	f, err := a.Float64s()
	for _, x := range f {
		unit = max(unit, unitOf(x))
	}
	if unit == 1 {
		unit = 0
	}
	return unit, err
}

// weights returns those of all rows.
func weights(s *Set) []int64 {
	if s.Weights != nil {
		return s.Weights
	}
	return slices.Repeat([]int64{max(s.Unit, 1)}, s.Len())
}

// inUnit makes the weights those of a unit that is no larger.
func (s *Set) inUnit(unit int64) {
	if by := unit / max(s.Unit, 1); by > 1 && s.Weights != nil {
		s.Weights = slices.Clone(s.Weights)
		for i := range s.Weights {
			s.Weights[i] *= by
		}
	}
	s.Unit = unit
}

// WeightValues returns the weights of some rows as they were read: whole numbers or decimals.
func (s *Set) WeightValues(from, to int) any {
	if s.Unit <= 1 {
		return s.Weights[from:to]
	}
	out := make([]float64, to-from)
	for i := range out {
		out[i] = s.Times(from + i)
	}
	return out
}

// WeightArray returns all weights as they were read.
func (s *Set) WeightArray() *npy.Array {
	return &npy.Array{Shape: []int{s.Len()}, Data: s.WeightValues(0, s.Len())}
}

// Whole returns the rows with whole weights that add up to the same: of decimals those that are nearest so.
func (s *Set) Whole() *Set {
	if s.Unit <= 1 {
		return s
	}
	out := *s
	out.Unit, out.Weights = 1, make([]int64, s.Len())
	sum, given := 0.0, int64(0)
	for i := range out.Weights {
		sum += s.Times(i)
		out.Weights[i] = int64(math.Round(sum)) - given
		given += out.Weights[i]
	}
	return &out
}
