package answers

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
)

// Reader reads rows by a picture. It is safe for concurrent use.
type Reader struct{ *states }

// NewReader returns a reader of a picture, which must not change afterwards.
func NewReader(p *Picture) *Reader { return &Reader{prepare(p)} }

// Person is what a picture says of a row.
type Person struct {
	LogP         float64    // log probability of the row
	Sets         []Believed // the sets of parts, the most probable first
	Has          []float64  // how probable each part is, or each class
	Level, Error float64    // mean and standard deviation of the level, of a picture that has one
}

// Believed is a set of parts, with its probability.
type Believed struct {
	Parts []int
	P     float64
}

// believed returns the row of an image, and what is believed of it.
func (r *Reader) believed(img *bitmap.Image) (t *answers, all []belief, logP float64) {
	t = new(answers)
	t.add(img.AppendValues(nil), 1)
	if r.Lacking {
		t = t.flipped()
	}
	scratch := r.newRow()
	logP = r.explain(scratch, t, 0)
	return t, r.beliefs(scratch, 0), logP
}

// Person returns what the picture says of a row.
func (r *Reader) Person(img *bitmap.Image) Person {
	_, all, logP := r.believed(img)
	out := Person{LogP: logP, Has: make([]float64, len(r.Votes))}
	square := 0.0
	for _, b := range all {
		total := 0.0
		for l, w := range b.steps {
			total += w
			out.Level += float64(w * r.Steps[l])
			square += float64(w * r.Steps[l] * r.Steps[l])
		}
		set := partsOf(r.Sets[b.state])
		for _, k := range set {
			out.Has[k] += total
		}
		out.Sets = append(out.Sets, Believed{set, total})
	}
	slices.SortStableFunc(out.Sets, func(a, b Believed) int { return cmp.Compare(b.P, a.P) })
	out.Error = math.Sqrt(max(square-float64(out.Level*out.Level), 0))
	if r.Lacking { // the higher, the more is right
		out.Level = -out.Level
	}
	for k, v := range out.Has {
		out.Has[k] = min(v, 1)
	}
	return out
}

// Probable returns how probable each class is, or that the row has each part, or each skill: one that it does not lack.
func (r *Reader) Probable(p *Person) []float64 {
	out := slices.Clone(p.Has)
	for k := range out {
		if r.Lacking {
			out[k] = 1 - out[k]
		}
	}
	return out
}

// Called returns what a part is called that a row has: a skill, if the part is that it is lacking.
func (r *Reader) Called(name string) string {
	switch {
	case !r.Lacking && !r.Classes:
		return name
	case r.Classes:
		return strings.Replace(name, "part ", "class ", 1)
	}
	return strings.TrimPrefix(strings.Replace(name, "part ", "skill ", 1), Without)
}

// Without begins the name of the part that a skill is lacking.
const Without = "without "

// Profile says in words which class a row is of, or which parts or skills it has, most probably, of such names.
func (r *Reader) Profile(p *Person, names []string) string {
	var has, lacks []string
	for k, v := range p.Has {
		if v > 0.5 || r.Classes && slices.Contains(p.Sets[0].Parts, k) {
			has = append(has, r.Called(names[k]))
		} else {
			lacks = append(lacks, r.Called(names[k]))
		}
	}
	if r.Lacking {
		has, lacks = lacks, has
	}
	switch {
	case r.Classes && len(has) > 0:
		return has[0]
	case len(has) == 0:
		return "has none"
	}
	out := "has " + strings.Join(has, ", ")
	if r.Lacking && len(lacks) > 0 {
		out += "; lacks " + strings.Join(lacks, ", ")
	}
	return out
}

// partsOf returns the parts of a set.
func partsOf(set uint64) (out []int) {
	for ; set != 0; set &= set - 1 {
		out = append(out, classOf(set))
	}
	return out
}

// Leveled reports whether rows have a level.
func (r *Reader) Leveled() bool { return len(r.Steps) > 1 }

// Curve returns how probable column d is on at a level of the row, where no part votes.
func (r *Reader) Curve(d int, level float64) float64 {
	if r.Lacking {
		return 1 - sigmoid(r.Intercept[d]-float64(r.Slope[d]*level))
	}
	return sigmoid(r.Intercept[d] + float64(r.Slope[d]*level))
}

// Predict returns how probable each column is on, given those that are known.
func (r *Reader) Predict(img *bitmap.Image, _ []float64) []float64 {
	_, all, _ := r.believed(img)
	out := make([]float64, img.Len())
	r.expect(all, out)
	for d, v := range out {
		if out[d] = min(v, 1); r.Lacking {
			out[d] = 1 - out[d]
		}
	}
	return out
}

// Len returns the number of columns.
func (r *Reader) Len() int { return len(r.Intercept) }

// String says which picture it is.
func (r *Reader) String() string {
	out := "the picture " + r.Kind
	if r.leveled() {
		low, high := slices.Min(r.Slope), slices.Max(r.Slope)
		if out += fmt.Sprintf(", with a level for each row: log odds change by %.2f", low); low < high {
			out += fmt.Sprintf(" to %.2f", high)
		}
		out += " where it changes by its standard deviation"
	}
	return out
}

// Draw draws a row, with the set of parts that it has.
func (r *Reader) Draw(rng *rand.Rand) (row *bitmap.Image, parts []int) {
	u, s, l := rng.Float64(), 0, 0
draw:
	for i, levels := range r.prior() {
		for j, v := range levels {
			s, l = i, j
			if u -= elem.Exp(v); u < 0 {
				break draw
			}
		}
	}
	row = bitmap.New(1, r.Len())
	for d := range r.Len() {
		v := r.chance[d][l]
		if k := r.owner[s][d]; k >= 0 {
			v = r.Votes[k][d]
		}
		row.Set(0, d, (rng.Float64() < v) != r.Lacking)
	}
	return row, partsOf(r.Sets[s])
}

// Length returns the length of the description of rows by the picture, in nats.
func (r *Reader) Length(data patchwork.Data) (float64, error) {
	t, err := read(data)
	if err != nil {
		return 0, err
	}
	if r.Lacking {
		t = t.flipped()
	}
	nats, _ := r.length(r.count(t), t.n)
	return nats, nil
}

// belief is how probable a state of a row is, at each step.
type belief struct {
	state int
	steps []float64
}

// beliefs returns what is believed of a row that was explained, of states that are at least so probable.
func (m *states) beliefs(r *row, least float64) (all []belief) {
	for _, s := range r.found {
		if r.weight[s] >= least {
			b := belief{s, slices.Clone(r.steps[s])}
			for l := range b.steps {
				b.steps[l] *= r.weight[s]
			}
			all = append(all, b)
		}
	}
	return all
}

// expect sets how probable each column of a row is on, by what is believed of it.
func (m *states) expect(all []belief, out []float64) {
	clear(out)
	for _, b := range all {
		total := 0.0
		for _, w := range b.steps {
			total += w
		}
		for d := range out {
			if k := m.owner[b.state][d]; k >= 0 {
				out[d] += float64(total * m.Votes[k][d])
				continue
			}
			for l, w := range b.steps {
				out[d] += float64(w * m.chance[d][l])
			}
		}
	}
}
