package modelfile

import (
	"encoding/json"
	"fmt"
	"io"

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
	Columns []string        `json:"columns,omitempty"`
	Names   []string        `json:"names,omitempty"`
	Reading json.RawMessage `json:"reading,omitempty"`
}

// realArrays are the arrays of a model of real values, in the order of the file.
var realArrays = []string{"mean", "var", "vote", "background_mean", "background_var", "pi", "step", "origin", "floor",
	"bits"}

// realNeeds are those that every such model has.
var realNeeds = needs{
	"a model of real values needs it: means and variances of shape (K, height*width), votes likewise, and a background " +
		"of height*width",
	[]string{"mean", "var", "vote", "background_mean", "background_var"}}

// WriteReal writes a model of real values: a zip that numpy.load opens, with `mean`, `var` and `vote`
// (K, D), `background_mean`, `background_var`, `step`, `origin` and `floor` (D), `pi` (K), and `bits` (D), which is 1
// for columns of bits, whose
// means are probabilities of 1, if there are any; models that predict with it are members committee-1.npz,
// committee-2.npz and so on. Entries that abstain
// hold the background, as do the variances of those that say a mean only; `vote` decides. The bytes are the same for
// the same model on every machine, and [ReadReal] restores it.
func WriteReal(w io.Writer, m *real.Model) error {
	if err := m.Check(); err != nil {
		return err
	}
	h := realHeader{Format: format, Version: version, Kind: KindNumbers, Rule: m.Rule.String(), Tau: m.Tau,
		Height: m.Height, Width: m.Width,
		Reuse: m.Reuse, Columns: m.Columns, Names: m.Names, Reading: m.Reading, Turns: m.Poses.Angles}
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
	members := []npy.Member{{Name: jsonName, Raw: text}}
	arrays := realColumns(m)
	for _, name := range realArrays {
		if a := arrays[name]; a != nil {
			members = append(members, npy.Member{Name: name, Array: a})
		}
	}
	committee, err := committeeMembers(m.Committee, realNeeds, WriteReal)
	if err != nil {
		return err
	}
	return npy.WriteZip(w, npy.Store, append(members, committee...)...)
}

// realColumns returns the arrays of a model by name.
func realColumns(m *real.Model) map[string]*npy.Array {
	k, f, d := m.K(), m.F(), m.D()
	out := map[string]*npy.Array{}
	var mean, variance []float64
	var vote []uint8
	for _, e := range m.Experts {
		for i, o := range e {
			b := m.Background[0]
			if !m.Moves() {
				b = m.Background[min(i, d-1)]
			}
			switch o.Vote {
			case real.Abstains:
				o.Normal = b
			case real.MeanOnly:
				if o.Var = b.Var; !m.Moves() && m.Scales != nil && m.Scales[min(i, d-1)].Bit {
					o.Var = o.Mean * (1 - o.Mean)
				}
			}
			mean, variance, vote = append(mean, o.Mean), append(variance, o.Var), append(vote, uint8(o.Vote))
		}
	}
	out["mean"], out["var"], out["vote"] = npy.New(mean, k, f), npy.New(variance, k, f), npy.New(vote, k, f)
	columns := make([][]float64, 5)
	for i, b := range m.Background {
		columns[0], columns[1] = append(columns[0], b.Mean), append(columns[1], b.Var)
		if m.Scales != nil {
			s := m.Scales[i]
			columns[2], columns[3], columns[4] = append(columns[2], s.Step), append(columns[3], s.Origin),
				append(columns[4], s.Floor)
		}
	}
	for i, name := range []string{"background_mean", "background_var", "step", "origin", "floor"} {
		if columns[i] != nil {
			out[name] = npy.New(columns[i], d)
		}
	}
	if bits, some := bitColumns(m); some {
		out["bits"] = npy.New(bits, d)
	}
	if m.Pi != nil {
		out["pi"] = npy.New(m.Pi, k)
	}
	return out
}

// bitColumns returns 1 for each column that is of bits, and whether there are any.
func bitColumns(m *real.Model) (bits []uint8, some bool) {
	bits = make([]uint8, m.D())
	for d, s := range m.Scales {
		if s.Bit {
			bits[d], some = 1, true
		}
	}
	return bits, some
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
	if err := checkNames(z, realArrays, ", in a model of real values"); err != nil {
		return nil, err
	}
	if err := (&realReader{reader{zip: z}, m}).arrays(); err != nil {
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
	m := &real.Model{Height: h.Height, Width: h.Width, Tau: h.Tau, Reuse: h.Reuse, Columns: h.Columns, Names: h.Names,
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

// realReader reads the arrays of a model.
type realReader struct {
	reader
	m *real.Model
}

// arrays fills in what the arrays hold.
func (r *realReader) arrays() error {
	m := r.m
	d, f := m.D(), m.F()
	open, err := r.zip.Open("mean")
	if err != nil {
		return in(err, "mean"+npySuffix)
	}
	shape := open.Header().Shape
	if len(shape) != 2 || shape[1] != f {
		return &FormatError{Member: "mean" + npySuffix, Msg: fmt.Sprintf("has shape %v; model.json says (K, %d)", shape, f)}
	}
	k := shape[0]
	if k > 0 && over(maxArray/8, k, f) {
		return &FormatError{Member: "mean" + npySuffix, Msg: fmt.Sprintf("%d parts of %d pixels are too many", k, f)}
	}
	var mean, variance, b, v []float64
	var vote []int64
	for _, a := range []struct {
		name  string
		to    *[]float64
		shape []int
		must  bool
	}{{"mean", &mean, []int{k, f}, true}, {"var", &variance, []int{k, f}, true},
		{"background_mean", &b, []int{d}, true}, {"background_var", &v, []int{d}, true}, {"pi", &m.Pi, []int{k}, false}} {
		if !a.must && !r.zip.Has(a.name) {
			continue
		}
		if *a.to, err = r.floats(a.name, a.shape...); err != nil {
			return err
		}
	}
	if vote, err = r.ints("vote", k, f); err != nil {
		return err
	}
	for i := range b {
		m.Background = append(m.Background, real.Normal{Mean: b[i], Var: v[i]})
	}
	for i := range k {
		e := make([]real.Entry, f)
		for j := range e {
			at := i*f + j
			if vote[at] < 0 || vote[at] > 2 {
				return &FormatError{Member: "vote" + npySuffix, Msg: fmt.Sprintf("part %d, value %d is %d", i+1, j+1, vote[at]),
					Hint: "0 abstains, 1 says a mean, 2 says a mean and a variance"}
			}
			e[j] = real.Entry{Vote: real.Vote(vote[at]), Normal: real.Normal{Mean: mean[at], Var: variance[at]}}
		}
		m.Experts = append(m.Experts, e)
	}
	return r.scales(d)
}

// scales reads step, origin and floor, all or none.
func (r *realReader) scales(d int) error {
	if !r.zip.Has("step") && !r.zip.Has("origin") && !r.zip.Has("floor") && !r.zip.Has("bits") {
		return nil
	}
	var step, origin, floor []float64
	for name, to := range map[string]*[]float64{"step": &step, "origin": &origin, "floor": &floor} {
		var err error
		if *to, err = r.floats(name, d); err != nil {
			return err
		}
	}
	for i := range step {
		r.m.Scales = append(r.m.Scales, real.Scale{Step: step[i], Origin: origin[i], Floor: floor[i]})
	}
	if !r.zip.Has("bits") {
		return nil
	}
	bits, err := r.ints("bits", d)
	for i, bit := range bits {
		r.m.Scales[i].Bit = bit != 0
	}
	return err
}
