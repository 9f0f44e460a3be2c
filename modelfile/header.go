package modelfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/strictjson"
	"example.com/patchwork/pose"
	"example.com/patchwork/table/answers"
)

const (
	jsonName  = "model.json"
	npySuffix = ".npy"
	format    = "patchwork-model"
	version   = 1
	private   = "x-" // names that begin so are the user's
)

// header is model.json. A nil pointer is a field left out.
type header struct {
	Format        string          `json:"format"`
	Version       int             `json:"version"`
	Kind          string          `json:"kind,omitempty"`
	Rule          string          `json:"rule"`
	Q             *float64        `json:"q"`
	Height        int             `json:"height"`
	Width         int             `json:"width"`
	Scene         bool            `json:"scene,omitempty"`
	Images        []int           `json:"images,omitempty"` // [height, width] of the images, where they are larger than the frame
	Overhang      int             `json:"overhang,omitempty"`
	Shift         *int            `json:"shift,omitempty"`
	ShiftStep     *int            `json:"shift_step,omitempty"`
	ShiftY        []int           `json:"shift_y,omitempty"`
	ShiftX        []int           `json:"shift_x,omitempty"`
	Rotations     []float64       `json:"rotations"`
	Stretch       []stretch       `json:"stretch,omitempty"`
	Reuse         *int            `json:"reuse,omitempty"`
	Truncate      bool            `json:"truncate"`
	Outside       string          `json:"outside"`
	Prior         *prior          `json:"prior,omitempty"`
	Rows          *int64          `json:"rows,omitempty"`
	Presence      []pattern       `json:"presence,omitempty"`
	SetPrior      *setPrior       `json:"set_prior,omitempty"`
	Predictor     *predictor      `json:"predictor,omitempty"`
	Answers       *answers.Layers `json:"answers,omitempty"`
	CompoundsKind string          `json:"compounds_kind,omitempty"` // of set_prior

	Record record `json:"record,omitzero"`

	Columns []string        `json:"columns,omitempty"`
	Names   []string        `json:"names,omitempty"`
	Reading json.RawMessage `json:"reading,omitempty"`
}

type prior struct {
	On  *float64 `json:"on"`
	Off *float64 `json:"off"`
}

// pattern is a gauss.Pattern: experts in rising order, instead of a mask that
// readers with 53-bit integers would round.
type pattern struct {
	Experts []int `json:"experts"`
	Count   int64 `json:"count"`
}

// record is a patchwork.Record. JSON has no infinities: a log-likelihood of -Inf and a description length of +Inf are
// null.
type record patchwork.Record

func (r record) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := strictjson.Write(&out, patchwork.Record(r))
	return out.Bytes(), err
}

func (r *record) UnmarshalJSON(text []byte) error {
	if err := strictjson.Check(text, reflect.TypeFor[patchwork.Record]()); err != nil {
		return err
	}
	err := strictjson.Read(text, (*patchwork.Record)(r))
	likely, long := r.nats()
	for _, v := range likely {
		if math.IsNaN(*v) {
			*v = math.Inf(-1)
		}
	}
	for _, v := range long {
		if math.IsNaN(*v) {
			*v = math.Inf(1)
		}
	}
	return err
}

// nats returns the log-likelihoods and the description lengths.
func (r *record) nats() (likely, long []*float64) {
	likely, long = append(likely, &r.LogLik), append(long, &r.DescriptionLength)
	for i := range r.Starts {
		s := &r.Starts[i]
		likely, long = append(likely, &s.Score, &s.LeaveOneOut), append(long, &s.DescriptionLength)
	}
	for i := range r.Curve {
		p := &r.Curve[i]
		likely, long = append(likely, &p.LogLik), append(long, &p.DescriptionLength, &p.HiddenLoss)
	}
	return likely, long
}

// stretch is a pose.Stretch: its factor along the expert's own axis, the rows of its
// frame, or if the columns are stretched too, both factors.
type stretch pose.Stretch

func (s stretch) MarshalJSON() ([]byte, error) {
	y, x := pose.Stretch(s).Factors()
	if x == 1 {
		return json.Marshal(y)
	}
	return json.Marshal([2]float64{y, x})
}

func (s *stretch) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &s.Y); err == nil {
		return s.check(string(b) != "null")
	}
	var both []float64
	if err := json.Unmarshal(b, &both); err != nil {
		return err
	}
	if len(both) != 2 {
		return s.check(false)
	}
	s.Y, s.X = both[0], both[1]
	return s.check(both[0] != 0 && both[1] != 0)
}

// check returns an error for factors of 0, which the package would take as 1.
func (s *stretch) check(ok bool) error {
	if !ok || *s == (stretch{}) {
		return fmt.Errorf("a stretch is one factor or two, none of them 0")
	}
	return nil
}

// bad returns an error about one field.
func bad(name, hint, format string, args ...any) error {
	return &FormatError{Member: jsonName, Field: name, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// parseHeader decodes model.json of a model of bits.
func parseHeader(text []byte) (*header, error) {
	h := &header{Format: format, Version: version, Kind: KindBits, Outside: background}
	return h, decodeHeader(text, KindBits, h)
}

// decodeHeader decodes model.json of a kind of models and refuses what this version does not know. It checks first what
// the file is, or other errors would be meaningless.
func decodeHeader(text []byte, kind string, into any) error {
	h := struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		Kind    string `json:"kind"`
	}{format, version, kind}
	err := typeError(json.Unmarshal(text, &h))
	if err = cmp.Or(err, checkVersion(h.Format, h.Version), checkKind(h.Kind, kind)); err != nil {
		return err
	}
	return typeError(strictjson.Decode(text, into, private))
}

// typeError says which field of model.json is of another type than it must be.
func typeError(err error) error {
	var te *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax), errors.As(err, &te) && te.Field == "":
		return &FormatError{Member: jsonName, Msg: "not a JSON object", Err: err}
	case te != nil:
		want := map[reflect.Kind]string{reflect.String: "text", reflect.Int: "a whole number",
			reflect.Int64: "a whole number", reflect.Float64: "a number", reflect.Bool: "true or false",
			reflect.Slice: "a list"}[te.Type.Kind()]
		is := strings.NewReplacer("string", "text", "number ", "", "array", "a list", "object", "an object", "bool",
			"true or false").Replace(te.Value)
		return bad(te.Field, "", "is %s, want %s", is, cmp.Or(want, "an object"))
	}
	return &FormatError{Member: jsonName, Msg: "is not that of such a model: " + err.Error(),
		Hint: `remove what is unknown, or begin its name with "x-" if it is your own`}
}

// fieldsOf returns the fields of model.json, as they are written, if [strictjson.Check] accepts them for a type.
func fieldsOf(text []byte, into reflect.Type) (out map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, &FormatError{Member: jsonName, Msg: "not a JSON object", Err: err}
	}
	if err := strictjson.Check(text, into); err != nil {
		return nil, &FormatError{Member: jsonName, Msg: err.Error()}
	}
	return out, nil
}

// checkVersion rejects other formats, and versions that this program does not read.
func checkVersion(is string, v int) error {
	switch {
	case is != format:
		return bad("format", "give a file written by patchwork learn", "is %q, not %q", is, format)
	case v > version:
		return bad("version", "use a newer patchwork", "the file has version %d of the format, this program reads version %d",
			v, version)
	case v < 1:
		return bad("version", "", "there is no version %d of the format", v)
	}
	return nil
}

// excerpt returns the beginning of a JSON value.
func excerpt(value []byte) string {
	const most = 40
	var line bytes.Buffer
	if len(value) < 100*most && json.Compact(&line, value) == nil {
		value = line.Bytes()
	}
	if len(value) > most {
		return strings.ToValidUTF8(string(value[:most]), "") + "..."
	}
	return string(value)
}

// config returns the configuration that the header describes, except for a
// QMap.
func (h *header) config() (patchwork.Config, error) {
	c := patchwork.Config{Height: h.Height, Width: h.Width, Scene: h.Scene, Overhang: h.Overhang,
		Defaults: patchwork.Defaults{Truncate: h.Truncate}}
	var err error
	if c.Rule, err = enum.Of[patchwork.Rule]("a rule", h.Rule); err != nil {
		return c, bad("rule", `give "max", "max-minus-min" or another of the seven rules`, "is %q", h.Rule)
	}
	if c.UnknownOutside = h.Outside == unknownOutside; !c.UnknownOutside && h.Outside != background {
		return c, bad("outside", `give "background" or "unknown"`, "is %q", h.Outside)
	}
	if err := checkFrame(h.Height, h.Width); err != nil {
		return c, err
	}
	c.Q = 0
	if c.Rule.TwoSided() {
		c.Q = 0.5
	}
	if h.Q != nil {
		c.Q, c.ZeroQ = *h.Q, *h.Q == 0 && c.Rule == patchwork.RuleMaxMinusMin
	}
	if h.Reuse != nil {
		if c.Reuse = *h.Reuse; c.Reuse < 1 {
			return c, bad("reuse", "leave it out for 1", "a part cannot be used %d times per image", c.Reuse)
		}
	}
	if p := h.Prior; p != nil {
		if p.On == nil || p.Off == nil {
			return c, bad("prior", `give {"on":number,"off":number}`, "on or off is missing")
		}
		c.Prior = patchwork.Prior{On: *p.On, Off: *p.Off}
	}
	if c.Poses, err = h.poses(); err != nil {
		return c, err
	}
	if err := h.setImages(&c); err != nil {
		return c, err
	}
	return c, checkPoses(c.Poses)
}

// setImages takes over the size of the images, if the header has it.
func (h *header) setImages(c *patchwork.Config) error {
	if h.Images == nil {
		return nil
	}
	if len(h.Images) != 2 {
		return bad("images", "give [height, width]", "has %d numbers", len(h.Images))
	}
	if c.ImageHeight, c.ImageWidth = h.Images[0], h.Images[1]; c.ImageHeight < 1 || c.ImageWidth < 1 {
		return bad("images", "leave it out, or give [height, width]", "are %d x %d pixels", c.ImageHeight, c.ImageWidth)
	}
	return nil
}

// shrink takes the frame of an experts.npy that is smaller than the height and width
// of model.json: these are then the size of the images, and the parts lie anywhere.
func (h *header) shrink(c *patchwork.Config, height, width int) {
	if h.Images == nil {
		c.ImageHeight, c.ImageWidth = c.Height, c.Width
	}
	c.Height, c.Width, c.Scene = height, width, true
}

// poses returns the grid: from shift and shift_step, or shift_y and shift_x.
func (h *header) poses() (g pose.Grid, err error) {
	g.Angles = h.Rotations
	for _, s := range h.Stretch {
		g.Stretches = append(g.Stretches, pose.Stretch(s))
	}
	if len(g.Stretches) == 1 {
		if y, x := g.Stretches[0].Factors(); y == 1 && x == 1 {
			g.Stretches = nil
		}
	}
	if h.ShiftStep != nil && *h.ShiftStep < 1 {
		return g, bad("shift_step", "leave it out for 1", "is %d, not positive", *h.ShiftStep)
	}
	if h.ShiftY != nil || h.ShiftX != nil {
		if h.Shift != nil || h.ShiftStep != nil {
			return g, bad("shift", "keep one or the other", "cannot be combined with shift_y or shift_x")
		}
		if g.DY, err = parseRange("shift_y", h.ShiftY); err == nil {
			g.DX, err = parseRange("shift_x", h.ShiftX)
		}
		return g, err
	}
	var reach, step int
	if h.Shift != nil {
		reach = *h.Shift
	}
	if reach < 0 {
		return g, bad("shift", "give the largest shift, 0 or more", "is %d", reach)
	}
	if h.ShiftStep != nil {
		step = *h.ShiftStep
		reach -= reach % step
	}
	g.DY = pose.Range{Min: -reach, Max: reach, Step: step}
	g.DX = g.DY
	return g, nil
}

func parseRange(name string, v []int) (r pose.Range, err error) {
	switch len(v) {
	case 0:
		return r, nil
	case 3:
		if r.Step = v[2]; r.Step < 1 {
			return r, bad(name, "leave it out for 1", "has a step of %d", r.Step)
		}
	case 2:
	default:
		return r, bad(name, "give [min, max] or [min, max, step]", "has %d numbers", len(v))
	}
	r.Min, r.Max = v[0], v[1]
	return r, nil
}

// setPoses stores the grid; it is the inverse of poses.
func (h *header) setPoses(g pose.Grid) {
	h.Rotations = append([]float64{}, g.Angles...) // [] for none, never null
	for _, s := range g.Stretches {
		h.Stretch = append(h.Stretch, stretch(s))
	}
	if r := g.DY; r == g.DX && r.Min == -r.Max && r.Max%max(r.Step, 1) == 0 {
		h.Shift = &r.Max
		if r.Step > 0 {
			h.ShiftStep = &r.Step
		}
		return
	}
	h.ShiftY, h.ShiftX = formatRange(g.DY), formatRange(g.DX)
}

func formatRange(r pose.Range) []int {
	if r.Step == 0 {
		return []int{r.Min, r.Max}
	}
	return []int{r.Min, r.Max, r.Step}
}

// presence converts the sets of experts to masks.
func (h *header) presence(k int) (gauss.Presence, error) {
	var out gauss.Presence
	for i, p := range h.Presence {
		var mask uint64
		for _, expert := range p.Experts {
			if expert < 0 || expert >= k || mask>>expert != 0 {
				return nil, bad("presence", "", "set %d: part %d is out of order or beyond the last one, %d", i+1, expert+1, k)
			}
			mask |= 1 << expert
		}
		out = append(out, gauss.Pattern{Mask: mask, N: p.Count})
	}
	return out, checkPresence(out, k)
}

// setPresence stores the sets; it is the inverse of presence.
func (h *header) setPresence(p gauss.Presence) {
	for _, set := range p {
		experts := []int{}
		for k := range gauss.MaxExperts {
			if set.Mask>>k&1 == 1 {
				experts = append(experts, k)
			}
		}
		h.Presence = append(h.Presence, pattern{experts, set.N})
	}
}

// What lies beyond the border of an image, as it stands in the file.
const background, unknownOutside = "background", "unknown"

// outside returns the name of what lies beyond the border.
func outside(unknown bool) string {
	if unknown {
		return unknownOutside
	}
	return background
}
