package modelfile

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
)

// realHeader is model.json of a model of real values.
type realHeader struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Kind    string          `json:"kind"`
	Rule    string          `json:"rule"`
	Tau     float64         `json:"tau,omitempty"`
	Height  int             `json:"height"`
	Width   int             `json:"width"`
	Frame   []int           `json:"frame,omitempty"`   // [height, width] of parts, where it is not that of images
	ShiftY  []int           `json:"shift_y,omitempty"` // [min, max, step]
	ShiftX  []int           `json:"shift_x,omitempty"`
	Turns   []float64       `json:"rotations,omitempty"`
	Reuse   int             `json:"reuse,omitempty"`
	Record  *real.Record    `json:"record,omitempty"`
	Names   []string        `json:"names,omitempty"`
	Reading json.RawMessage `json:"reading,omitempty"`
}

// realArrays are the numbers of a model of real values.
type realArrays struct {
	mean, variance, background, backgroundVar, pi, step, origin, floor []float64
	vote                                                               []int64
	k, f, d                                                            int
}

// all lists the arrays in the order of the file.
func (a *realArrays) all() []stored {
	k, f, d := a.k, a.f, a.d
	return []stored{numbersOf("mean", &a.mean, k, f), numbersOf("var", &a.variance, k, f), smallOf("vote", &a.vote, k, f),
		numbersOf("background_mean", &a.background, d), numbersOf("background_var", &a.backgroundVar, d),
		numbersOf("pi", &a.pi, k).optional(), numbersOf("step", &a.step, d).optional(),
		numbersOf("origin", &a.origin, d).optional(), numbersOf("floor", &a.floor, d).optional()}
}

// realNeeds are those that every such model has.
var realNeeds = needs{
	"a model of real values needs it: means and variances of shape (K, height*width), votes likewise, and a background " +
		"of height*width",
	[]string{"mean", "var", "vote", "background_mean", "background_var"}}

// WriteReal writes a model of real values: a zip that numpy.load opens, with `mean`, `var` and `vote`
// (K, D), `background_mean`, `background_var`, `step`, `origin` and `floor` (D), and `pi` (K); models that predict
// with it are members committee-1.npz, committee-2.npz and so on. Entries that abstain hold the background, as do the
// variances of those that say a mean only; `vote` decides. The bytes are the same for the same model on every machine,
// and [ReadReal] restores it.
func WriteReal(w io.Writer, m *real.Model) error {
	if err := m.Check(); err != nil {
		return err
	}
	h := realHeader{Format: format, Version: version, Kind: KindNumbers, Rule: m.Rule.String(), Tau: m.Tau,
		Height: m.Height, Width: m.Width,
		Reuse: m.Reuse, Names: m.Names, Reading: m.Reading, Turns: m.Poses.Angles}
	if m.FrameHeight > 0 {
		h.Frame = []int{m.FrameHeight, m.FrameWidth}
	}
	for _, s := range []struct {
		to *[]int
		r  pose.Range
	}{{&h.ShiftY, m.Poses.DY}, {&h.ShiftX, m.Poses.DX}} {
		if s.r != (pose.Range{}) {
			*s.to = []int{s.r.Min, s.r.Max, max(s.r.Step, 1)}
		}
	}
	if m.Record.Rows > 0 {
		h.Record = &m.Record
	}
	text, err := encodeJSON(h)
	if err != nil {
		return err
	}
	committee, err := committeeMembers(m.Committee, realNeeds, WriteReal)
	if err != nil {
		return err
	}
	return npy.WriteZip(w, npy.Store, append(membersOf(text, flattenReal(m).all()), committee...)...)
}

// flattenReal returns the numbers of a model; nil for what it lacks.
func flattenReal(m *real.Model) *realArrays {
	a := &realArrays{k: m.K(), f: m.F(), d: m.D(), pi: m.Pi}
	for _, e := range m.Experts {
		for i, o := range e {
			b := m.Background[0]
			if !m.Moves() {
				b = m.Background[min(i, a.d-1)]
			}
			switch o.Vote {
			case real.Abstains:
				o.Normal = b
			case real.MeanOnly:
				o.Var = b.Var
			}
			a.mean, a.variance, a.vote = append(a.mean, o.Mean), append(a.variance, o.Var), append(a.vote, int64(o.Vote))
		}
	}
	for _, b := range m.Background {
		a.background, a.backgroundVar = append(a.background, b.Mean), append(a.backgroundVar, b.Var)
	}
	for _, s := range m.Scales {
		a.step, a.origin, a.floor = append(a.step, s.Step), append(a.origin, s.Origin), append(a.floor, s.Floor)
	}
	return a
}

// ReadReal reads a model of real values of size bytes. Bad content yields a [*FormatError]; errors of r are passed
// on. A file with model.json (rule, height, width), `mean`, `var`, `vote`, `background_mean` and `background_var` is
// complete: users bring their own.
func ReadReal(r io.ReaderAt, size int64) (*real.Model, error) {
	z, text, err := open(r, size, realNeeds)
	if err != nil {
		return nil, err
	}
	m, err := assembleReal(z, text)
	if err != nil {
		return nil, err
	}
	if m.Committee, err = readCommittee(z, realNeeds, assembleReal, realValues); err != nil {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, misfit(err, "")
	}
	return m, nil
}

// assembleReal returns the model that model.json and arrays make.
func assembleReal(z *npy.Zip, text []byte) (*real.Model, error) {
	m, err := parseReal(text)
	if err != nil {
		return nil, err
	}
	if err := checkNames(z, namesOf(new(realArrays).all()), ", in a model of real values"); err != nil {
		return nil, err
	}
	a := &realArrays{f: m.F(), d: m.D()}
	if err := a.read(z); err != nil {
		return nil, err
	}
	if err := a.model(m); err != nil {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, misfit(err, "")
	}
	return m, nil
}

// parseReal returns the model that model.json describes, without its arrays.
func parseReal(text []byte) (*real.Model, error) {
	h := realHeader{Format: format, Version: version, Kind: KindNumbers}
	if err := decodeHeader(text, KindNumbers, &h); err != nil {
		return nil, err
	}
	if h.Frame != nil && len(h.Frame) != 2 {
		return nil, bad("frame", "give [height, width]", "has %d numbers", len(h.Frame))
	}
	if err := checkFrame(h.Height, h.Width); err != nil {
		return nil, err
	}
	var err error
	m := &real.Model{Height: h.Height, Width: h.Width, Tau: h.Tau, Reuse: h.Reuse, Names: h.Names,
		Reading: h.Reading}
	if m.Rule, err = enum.Of[real.Rule]("the rule of a model of real values", h.Rule); err != nil {
		return nil, bad("rule", "", "%v", err)
	}
	if h.Frame != nil {
		if err := checkFrame(h.Frame[0], h.Frame[1]); err != nil {
			return nil, err
		}
		m.FrameHeight, m.FrameWidth = h.Frame[0], h.Frame[1]
	}
	m.Poses.Angles = h.Turns
	if m.Poses.DY, err = parseRange("shift_y", h.ShiftY); err == nil {
		m.Poses.DX, err = parseRange("shift_x", h.ShiftX)
	}
	if err != nil {
		return nil, err
	}
	if h.Record != nil {
		m.Record = *h.Record
	}
	return m, checkPoses(m.Poses)
}

// read reads the arrays, of which a model may lack pi, and all of step, origin and floor.
func (a *realArrays) read(z *npy.Zip) error {
	open, err := z.Open("mean")
	if err != nil {
		return in(err, "mean"+npySuffix)
	}
	shape := open.Header().Shape
	if len(shape) != 2 || shape[1] != a.f {
		return &FormatError{Member: "mean" + npySuffix, Msg: fmt.Sprintf("has shape %v; model.json says (K, %d)", shape, a.f)}
	}
	if a.k = shape[0]; a.k > 0 && over(maxArray/8, a.k, a.f) {
		return &FormatError{Member: "mean" + npySuffix, Msg: fmt.Sprintf("%d parts of %d pixels are too many", a.k, a.f)}
	}
	scaled := slices.ContainsFunc([]string{"step", "origin", "floor"}, z.Has)
	for _, one := range a.all() {
		scale := scaled && slices.Contains([]string{"step", "origin", "floor"}, one.name)
		if !one.maybe || scale || z.Has(one.name) {
			if err := one.read(&reader{zip: z}); err != nil {
				return err
			}
		}
	}
	return nil
}

// model fills in what the arrays hold.
func (a *realArrays) model(m *real.Model) error {
	m.Pi = a.pi
	for i := range a.background {
		m.Background = append(m.Background, real.Normal{Mean: a.background[i], Var: a.backgroundVar[i]})
	}
	for i := range a.k {
		e := make([]real.Entry, a.f)
		for j := range e {
			at := i*a.f + j
			if a.vote[at] < 0 || a.vote[at] > 2 {
				return &FormatError{Member: "vote" + npySuffix, Msg: fmt.Sprintf("part %d, value %d is %d", i+1, j+1, a.vote[at]),
					Hint: "0 abstains, 1 says a mean, 2 says a mean and a variance"}
			}
			e[j] = real.Entry{Vote: real.Vote(a.vote[at]), Normal: real.Normal{Mean: a.mean[at], Var: a.variance[at]}}
		}
		m.Experts = append(m.Experts, e)
	}
	for i := range a.step {
		m.Scales = append(m.Scales, real.Scale{Step: a.step[i], Origin: a.origin[i], Floor: a.floor[i]})
	}
	return nil
}
