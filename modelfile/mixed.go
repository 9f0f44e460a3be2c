package modelfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/mixed"
)

// mixedHeader is model.json of a model of columns of every kind.
type mixedHeader struct {
	Format      string          `json:"format"`
	Version     int             `json:"version"`
	Kind        string          `json:"kind"`
	Columns     []string        `json:"columns"`
	Names       []string        `json:"names,omitempty"` // of parts
	GradedNames []string        `json:"graded_names,omitempty"`
	ShowGraded  bool            `json:"show_graded,omitempty"`
	GradedShare float64         `json:"graded_share,omitempty"`
	Record      *mixed.Record   `json:"record,omitempty"`
	Reading     json.RawMessage `json:"reading,omitempty"`
}

// mixedNeeds are the arrays that every such model has.
var mixedNeeds = needs{"a model of columns of every kind needs it", []string{"family", "levels", "usage", "vote"}}

// The ways in which real values become scores.
const (
	plainScale int64 = iota
	logScale
	rankScale
)

// mixedArrays are the numbers of a model. Those of levels, and of knots, are of all columns one after the other.
type mixedArrays struct {
	family, levels, scale, knots, vote, level              []int64
	value, low, high, share, least, step                   []float64
	floor, scaleMean, scaleSD, allMean, allVar             []float64
	knotValue, knotScore                                   []float64
	background, backgroundMean, backgroundVar              []float64
	usage, probability, mean, variance                     []float64
	loading, gradedMean, gradedNoise                       []float64
	columns, allLevels, allKnots, parts, gradedParts, axes int
}

// all lists them in the order of the file, with their shapes.
func (a *mixedArrays) all() []stored {
	d, l, q, k, g, x := a.columns, a.allLevels, a.allKnots, a.parts, a.gradedParts, a.axes
	out := []stored{
		wholeOf("family", &a.family, d), wholeOf("levels", &a.levels, d), wholeOf("scale", &a.scale, d),
		wholeOf("knots", &a.knots, d), wholeOf("vote", &a.vote, k, d), wholeOf("level", &a.level, k, d),
		numbersOf("value", &a.value, l), numbersOf("low", &a.low, l), numbersOf("high", &a.high, l),
		numbersOf("share", &a.share, l), numbersOf("least", &a.least, d), numbersOf("step", &a.step, d),
		numbersOf("floor", &a.floor, d), numbersOf("scale_mean", &a.scaleMean, d),
		numbersOf("scale_sd", &a.scaleSD, d), numbersOf("all_mean", &a.allMean, d),
		numbersOf("all_var", &a.allVar, d), numbersOf("knot_value", &a.knotValue, q),
		numbersOf("knot_score", &a.knotScore, q), numbersOf("background", &a.background, l),
		numbersOf("background_mean", &a.backgroundMean, d), numbersOf("background_var", &a.backgroundVar, d),
		numbersOf("usage", &a.usage, k), numbersOf("probability", &a.probability, k, l),
		numbersOf("mean", &a.mean, k, d), numbersOf("var", &a.variance, k, d),
	}
	if g >= 0 {
		out = append(out, numbersOf("loading", &a.loading, g, x),
			numbersOf("graded_mean", &a.gradedMean, x),
			numbersOf("graded_noise", &a.gradedNoise, x))
	}
	return out
}

// WriteMixed writes a model of columns of every kind: a zip that numpy.load opens. Of D columns, `family` is 0 where
// they have ordered levels, 1 for words and 2 for real values; `levels` counts the levels, and `value`, `low`, `high`,
// `share` and `background` have those of all columns one after the other. Real values become scores as `scale` says: 0
// by scale_mean and scale_sd, 1 so by their logarithms, 2 by `knots` many points, knot_value and knot_score.
// `background_mean` and `background_var` are of scores. `usage` says how often each of K parts is there, `vote` (K,D)
// how many numbers of its own it has of a column, 0 if it abstains, `level` which word it names, and `probability`,
// `mean` and `var` what it says; those that abstain say the background. Graded parts are `loading`, `graded_mean` and
// `graded_noise`. The bytes are the same for the same model on every machine, and [ReadMixed] restores it.
func WriteMixed(w io.Writer, m *mixed.Model) error {
	if err := m.Check(); err != nil {
		return err
	}
	h := mixedHeader{Format: format, Version: version, Kind: KindMixed, ShowGraded: m.ShowGraded,
		GradedShare: m.GradedShare, Reading: m.Reading}
	for _, c := range m.Columns {
		h.Columns = append(h.Columns, c.Name)
	}
	h.Names = m.PartNames()
	if m.Graded != nil {
		h.GradedNames = m.Graded.Names
	}
	if m.Record.Rows > 0 {
		h.Record = &m.Record
	}
	if err := cmp.Or(checkList("columns", h.Columns, len(m.Columns), ""),
		checkList("names", h.Names, len(m.Parts), "")); err != nil {
		return err
	}
	text, err := encodeJSON(h)
	if err != nil {
		return err
	}
	return npy.WriteZip(w, npy.Store, membersOf(text, flatten(m).all())...)
}

// flatten returns the numbers of a model.
func flatten(m *mixed.Model) *mixedArrays {
	a := &mixedArrays{columns: len(m.Columns), parts: len(m.Parts), gradedParts: -1}
	for d := range m.Columns {
		a.addColumn(&m.Columns[d], &m.Background[d])
	}
	a.allLevels, a.allKnots = len(a.value), len(a.knotValue)
	for k := range m.Parts {
		p := &m.Parts[k]
		a.usage = append(a.usage, p.Share)
		for d := range p.Entries {
			e := p.Entries[d]
			if e.Numbers == 0 {
				e.Level, e.Opinion = 0, m.Background[d]
			}
			a.vote, a.level = append(a.vote, int64(e.Numbers)), append(a.level, int64(e.Level))
			a.probability, a.mean, a.variance = append(a.probability, e.P...), append(a.mean, e.Mean),
				append(a.variance, e.Var)
		}
	}
	if g := m.Graded; g != nil {
		a.gradedParts, a.axes = len(g.Loadings), len(g.Axes)
		a.gradedMean, a.gradedNoise = g.Mean, g.Noise
		for _, v := range g.Loadings {
			a.loading = append(a.loading, v...)
		}
	}
	return a
}

// addColumn adds the numbers of a column.
func (a *mixedArrays) addColumn(c *mixed.Column, b *mixed.Opinion) {
	s, kind := c.Scale, plainScale
	if s == nil {
		s = new(mixed.Scale)
	}
	switch {
	case s.Log:
		kind = logScale
	case s.Scores != nil:
		kind = rankScale
	}
	a.family, a.levels = append(a.family, int64(c.Family)), append(a.levels, int64(len(c.Values)))
	a.scale, a.knots = append(a.scale, kind), append(a.knots, int64(len(s.Values)))
	a.value, a.low, a.high = append(a.value, c.Values...), append(a.low, c.Low...), append(a.high, c.High...)
	a.share, a.least, a.step = append(a.share, c.Share...), append(a.least, c.Least), append(a.step, c.Step)
	a.floor, a.scaleMean, a.scaleSD = append(a.floor, c.Floor), append(a.scaleMean, s.Mean), append(a.scaleSD, s.SD)
	a.allMean, a.allVar = append(a.allMean, c.All.Mean), append(a.allVar, c.All.Var)
	a.knotValue, a.knotScore = append(a.knotValue, s.Values...), append(a.knotScore, s.Scores...)
	a.background = append(a.background, b.P...)
	a.backgroundMean, a.backgroundVar = append(a.backgroundMean, b.Mean), append(a.backgroundVar, b.Var)
}

// ReadMixed reads a model of columns of every kind of size bytes. Bad content yields a [*FormatError]; errors of r are
// passed on.
func ReadMixed(r io.ReaderAt, size int64) (*mixed.Model, error) {
	z, text, err := open(r, size, mixedNeeds)
	if err != nil {
		return nil, err
	}
	var h mixedHeader
	if err := decodeHeader(text, KindMixed, &h); err != nil {
		return nil, err
	}
	a := &mixedArrays{columns: len(h.Columns), gradedParts: -1}
	if err := a.read(z); err != nil {
		return nil, err
	}
	if err := cmp.Or(checkList("columns", h.Columns, a.columns, ""), checkList("names", h.Names, a.parts, ""),
		checkList("graded_names", h.GradedNames, max(0, a.gradedParts), "")); err != nil {
		return nil, err
	}
	m := a.model(&h)
	if m.Reading, err = compact(h.Reading); err != nil {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, misfit(err, "")
	}
	return m, nil
}

// read reads the arrays, and finds out how much there is of everything.
func (a *mixedArrays) read(z *npy.Zip) error {
	if err := checkNames(z, namesOf(new(mixedArrays).all()), ", in a model of columns of every kind"); err != nil {
		return err
	}
	if a.columns == 0 {
		return bad("columns", "name every column", "there are none")
	}
	r := reader{zip: z}
	var err error
	if a.parts, err = r.first("usage"); err != nil {
		return err
	}
	if a.gradedParts = -1; z.Has("loading") {
		if a.gradedParts, err = r.first("loading"); err == nil {
			a.axes, err = r.first("graded_mean")
		}
	}
	if a.parts > mixed.MostParts {
		return &FormatError{Member: "usage" + npySuffix, Msg: fmt.Sprintf("%d parts, of at most %d", a.parts,
			mixed.MostParts)}
	}
	for i, one := range a.all() {
		if err != nil {
			return err
		}
		err = a.all()[i].read(&r) // whose shapes are known by now
		if err == nil && one.name == "knots" {
			a.allLevels, err = a.sum("levels", a.levels)
			if err == nil {
				a.allKnots, err = a.sum("knots", a.knots)
			}
		}
	}
	return err
}

// first returns the length of an array's first dimension.
func (r *reader) first(name string) (int, error) {
	open, err := r.zip.Open(name)
	if err != nil {
		return 0, in(err, name+npySuffix)
	}
	if shape := open.Header().Shape; len(shape) > 0 {
		return shape[0], nil
	}
	return 0, &FormatError{Member: name + npySuffix, Msg: "is a single number"}
}

// sum returns how many levels or knots there are together, and returns an error if they are too many.
func (a *mixedArrays) sum(name string, counts []int64) (int, error) {
	sum := int64(0)
	for d, n := range counts {
		if sum += n; n < 0 || n > maxLevels || sum > maxLevels {
			return 0, &FormatError{Member: name + npySuffix, Msg: fmt.Sprintf("column %d has %d, all together at most %d", d+1,
				n, maxLevels)}
		}
	}
	return int(sum), nil
}

// maxLevels is how many levels, or knots, all columns may have together.
const maxLevels = 1 << 20

// model returns the model that arrays of the right sizes make.
func (a *mixedArrays) model(h *mixedHeader) *mixed.Model {
	m := &mixed.Model{ShowGraded: h.ShowGraded, GradedShare: h.GradedShare}
	if h.Record != nil {
		m.Record = *h.Record
	}
	at, knot := make([]int, a.columns), 0
	for d, levels := 0, 0; d < a.columns; d++ {
		n, q := int(a.levels[d]), int(a.knots[d])
		at[d] = levels
		m.Columns = append(m.Columns, a.column(d, levels, knot))
		m.Columns[d].Name = h.Columns[d]
		m.Background = append(m.Background, opinion(&m.Columns[d], a.background[levels:levels+n], a.backgroundMean[d],
			a.backgroundVar[d]))
		levels, knot = levels+n, knot+q
	}
	for k := range a.parts {
		p := mixed.Part{Share: a.usage[k], Entries: make([]mixed.Entry, a.columns)}
		if h.Names != nil {
			p.Name = h.Names[k]
		}
		for d := range p.Entries {
			i := k*a.columns + d
			if a.vote[i] == 0 {
				continue
			}
			from := k*a.allLevels + at[d]
			p.Entries[d] = mixed.Entry{Numbers: int(a.vote[i]), Level: int(a.level[i]), Opinion: opinion(&m.Columns[d],
				a.probability[from:from+int(a.levels[d])], a.mean[i], a.variance[i])}
		}
		m.Parts = append(m.Parts, p)
	}
	if a.gradedParts >= 0 {
		m.Graded = &mixed.Graded{Mean: a.gradedMean, Noise: a.gradedNoise, Names: h.GradedNames}
		for k := range a.gradedParts {
			m.Graded.Loadings = append(m.Graded.Loadings, a.loading[k*a.axes:(k+1)*a.axes])
		}
	}
	m.Complete()
	return m
}

// column returns column d, whose levels and knots begin at the given places.
func (a *mixedArrays) column(d, level, knot int) mixed.Column {
	n, q := int(a.levels[d]), int(a.knots[d])
	c := mixed.Column{Family: mixed.Family(max(0, min(a.family[d], 1<<7))), Least: a.least[d], Step: a.step[d]}
	if c.Family == mixed.Words {
		c.Kind = mixed.Category
	}
	if n > 0 {
		c.Values, c.Low = a.value[level:level+n], a.low[level:level+n]
		c.High, c.Share = a.high[level:level+n], a.share[level:level+n]
	}
	if c.Family == mixed.Real {
		c.Floor, c.All.Mean, c.All.Var = a.floor[d], a.allMean[d], a.allVar[d]
		c.Scale = &mixed.Scale{Log: a.scale[d] == logScale, Mean: a.scaleMean[d], SD: a.scaleSD[d]}
		if q > 0 {
			c.Scale.Values, c.Scale.Scores = a.knotValue[knot:knot+q], a.knotScore[knot:knot+q]
		}
	}
	return c
}

// opinion returns an opinion about a column.
func opinion(c *mixed.Column, p []float64, mean, variance float64) (o mixed.Opinion) {
	if c.Family == mixed.Real {
		o.Mean, o.Var = mean, variance
	} else if len(p) > 0 {
		o.P = p
	}
	return o
}
