package workbench

import (
	"encoding/json"

	"example.com/patchwork"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
)

// Description is what there is to say of a model; its JSON is a contract. What only one kind of model has is in
// OfBits, OfNumbers, OfMixed or OfClasses; the others are nil.
type Description struct {
	Rule      string          `json:"rule,omitempty"`
	Experts   int             `json:"experts"`
	Height    int             `json:"height"` // of the parts of a model of bits, of the images of others
	Width     int             `json:"width"`
	Usage     []float64       `json:"usage,omitempty"`
	Predictor string          `json:"predictor,omitempty"` // by what the file predicts, if not by the parts alone
	Columns   []string        `json:"columns,omitempty"`   // names
	Names     []string        `json:"names,omitempty"`     // of parts; those of bits have them in Parts
	Parts     []NamedPart     `json:"parts"`
	Reading   json.RawMessage `json:"reading,omitempty"` // how the data were read
	Level     string          `json:"level,omitempty"`   // of the rows of a wide table, in words
	Learned   any             `json:"learned,omitempty"` // *Learned of bits, *real.Record or *mixed.Record of others
	*OfBits
	*OfNumbers
	*OfMixed
	*OfClasses

	model Model
}

// NamedPart is a part in words.
type NamedPart struct {
	Part  int    `json:"part"`
	Name  string `json:"name"` // "" for none
	Words string `json:"words"`
}

// OfBits is what only models of bits have.
type OfBits struct {
	Q         float64    `json:"q"`
	QPerPixel bool       `json:"q_per_pixel"`
	Truncate  bool       `json:"truncate"`
	Scene     bool       `json:"scene"`
	Images    [2]int     `json:"images"` // height and width of the images that the model samples
	Outside   string     `json:"outside"`
	Prior     [2]float64 `json:"prior"` // on, off
	Poses     Poses      `json:"poses"`
	Counted   int64      `json:"images_counted"` // behind the counts; 0 if there are none
	Geometry  *Geometry  `json:"geometry,omitempty"`
	Together  []string   `json:"together,omitempty"` // which parts of a table come together, in words

	CompoundsKind string           `json:"compounds_kind,omitempty"` // "any" or "one"; none: parts come independently
	Compounds     []words.Compound `json:"compounds,omitempty"`

	Findings []Finding `json:"findings"` // what may be wrong with the model
}

// Poses are where parts may be.
type Poses struct {
	Count     int          `json:"count"`
	DY        [3]int       `json:"dy"` // least, largest, step
	DX        [3]int       `json:"dx"`
	Rotations []float64    `json:"rotations"`
	Stretches [][2]float64 `json:"stretches,omitempty"` // down and across, before turning
}

// Geometry is how the places of parts vary together.
type Geometry struct {
	Rank int         `json:"rank"`
	Mean [][]float64 `json:"mean"` // dy, dx, degrees of each part
	SD   []float64   `json:"sd"`   // along the principal directions
}

// Learned is how a model of bits was learned.
type Learned struct {
	Method string                 `json:"method"`
	Mode   string                 `json:"mode"`
	Seed   uint64                 `json:"seed"`
	Rows   int64                  `json:"rows"`
	Sample int64                  `json:"sample,omitempty"`
	LogLik float64                `json:"log_lik"`
	Length float64                `json:"description_length,omitempty"`
	Chosen int                    `json:"chosen"`
	Ended  bool                   `json:"interrupted,omitempty"` // before learning was done
	Starts []Start                `json:"starts"`
	Curve  []patchwork.CurvePoint `json:"curve,omitempty"`
}

// Start is one of the starts of learning.
type Start struct {
	Score             float64 `json:"score"`
	LeaveOneOut       float64 `json:"leave_one_out,omitempty"`
	DescriptionLength float64 `json:"description_length,omitempty"`
	Method            string  `json:"method"`
}

// OfNumbers is what only models of grey images have.
type OfNumbers struct {
	Tau       float64 `json:"tau,omitempty"`
	Votes     int     `json:"votes"`
	Variances int     `json:"variances"`
	Places    int     `json:"places"`
}

// OfMixed is what only models of tables of every kind have.
type OfMixed struct {
	ColumnVotes int      `json:"column_votes"` // of all parts
	Graded      []string `json:"graded"`       // parts that are in every row to some degree, in words
	// GradedBetter says that these fit better, by cells that were held out. Both predict.
	GradedBetter bool `json:"graded_better"`

	// Means are those that the parts say of each column, null where they say none, Everywhere those of all rows: see
	// Mixed.Means.
	Means      [][]*float64 `json:"means"`
	Everywhere []float64    `json:"everywhere"`
}

// OfClasses is what only models of classes have.
type OfClasses struct {
	By      string  `json:"by,omitempty"` // the label
	Classes []Class `json:"classes"`
}

// Class is one of the classes of a label.
type Class struct {
	Name     string `json:"name"`
	Rows     int64  `json:"rows"`
	Examples int    `json:"examples,omitempty"` // kept of it
	Parts    int    `json:"parts,omitempty"`    // learned of it
}

// Finding is what may be wrong with a model.
type Finding struct {
	Kind   string  `json:"kind"`
	Parts  []int   `json:"parts"`  // concerned, from 0; empty if it is the background, geometry or data
	Images []int   `json:"images"` // concerned, the first ten, as rows of the input
	Value  float64 `json:"value"`
	Limit  float64 `json:"limit"`
	Facts  string  `json:"facts"`
	Advice string  `json:"advice"`
}

// NewFindings returns findings as JSON has them: [] for none.
func NewFindings(findings []diagnose.Finding) []Finding {
	out := []Finding{}
	for _, f := range findings {
		out = append(out, Finding{f.Kind.String(), append([]int{}, f.Experts...), append([]int{}, f.Images...),
			f.Value, f.Limit, f.Facts, f.Advice})
	}
	return out
}

// parts returns all parts in words.
func parts(m Model) []NamedPart {
	out := make([]NamedPart, m.K())
	for k := range out {
		p := m.Part(k)
		out[k] = NamedPart{k, p.Name, p.Words}
	}
	return out
}

// Describe describes the model, and says what may be wrong with it.
func (m Bits) Describe() *Description {
	c, x := m.Config(), m.Extras()
	d := &Description{Rule: c.Rule.String(), Experts: m.K(), Height: c.Height, Width: c.Width, Usage: x.Usage,
		Predictor: predictorText(m.Model), Columns: x.Columns, Parts: parts(m), Reading: x.Reading, model: m}
	findings := diagnose.Model(m.Model, diagnose.Evidence{})
	if r := m.Reader(); r != nil && len(r.Votes) == 0 { // nothing is wrong with having no parts
		findings = nil
	}
	d.OfBits = &OfBits{Q: c.Q, QPerPixel: c.QMap != nil, Truncate: c.Truncate, Scene: c.Scene,
		Images: [2]int{c.ImageHeight, c.ImageWidth}, Outside: recipe.OutsideName(c.UnknownOutside),
		Prior: [2]float64{c.Prior.On, c.Prior.Off}, Poses: newPoses(c.Poses),
		Together: words.Together(m.Model),
		Findings: NewFindings(findings)}
	d.CompoundsKind, d.Compounds = words.Compounds(m.Model)
	if c.Prior == (patchwork.Prior{}) {
		d.Prior = [2]float64{1, 1}
	}
	if x.Counts != nil {
		d.Counted = x.Counts.Rows()
	}
	if x.Geometry != nil {
		d.Geometry = newGeometry(x.Geometry, m.K())
	}
	if rec := x.Record; len(rec.Starts) > 0 || rec.Method != "" || rec.Interrupted {
		d.Learned = newLearned(&rec)
	}
	return d
}

func newLearned(rec *patchwork.Record) *Learned {
	l := &Learned{Method: rec.Method, Mode: rec.Mode, Seed: rec.Seed, Rows: rec.Rows, Sample: rec.Sample,
		LogLik: rec.LogLik, Length: rec.DescriptionLength, Chosen: rec.Chosen, Ended: rec.Interrupted,
		Starts: []Start{}, Curve: rec.Curve}
	for _, s := range rec.Starts {
		l.Starts = append(l.Starts, Start{s.Score, s.LeaveOneOut, s.DescriptionLength, s.Method})
	}
	return l
}

func newPoses(g pose.Grid) Poses {
	r := Poses{Count: g.Len(), DY: [3]int{g.DY.Min, g.DY.Max, max(g.DY.Step, 1)},
		DX: [3]int{g.DX.Min, g.DX.Max, max(g.DX.Step, 1)}}
	for i := range g.Rotations() {
		r.Rotations = append(r.Rotations, g.Angle(i))
	}
	for _, s := range g.Stretches {
		y, x := s.Factors()
		r.Stretches = append(r.Stretches, [2]float64{y, x})
	}
	return r
}

func newGeometry(g *patchwork.Geometry, parts int) *Geometry {
	r := &Geometry{Rank: g.Normal.Rank(), SD: []float64{}}
	mean := g.Normal.Mean()
	for k := range parts {
		r.Mean = append(r.Mean, mean[3*k:3*k+3])
	}
	for i := range g.Normal.Rank() {
		_, sd := g.Normal.Principal(i)
		r.SD = append(r.SD, sd)
	}
	return r
}

// Describe describes the model.
func (m Numbers) Describe() *Description {
	d := &Description{Rule: m.Rule.String(), Experts: m.K(), Height: m.Height, Width: m.Width, Usage: m.Pi,
		Parts: parts(m), Reading: m.Reading, model: m}
	d.OfNumbers = &OfNumbers{Tau: m.Tau, Places: m.Poses.Len()}
	d.Names = m.Model.Names
	d.OfNumbers.Votes, d.Variances = m.Votes()
	if m.Record.Rows > 0 {
		d.Learned = &real.Record{}
		*d.Learned.(*real.Record) = m.Record
	}
	return d
}

// Describe describes the model.
func (m Mixed) Describe() *Description {
	d := &Description{Rule: "pool", Experts: m.K(), Height: 1, Width: len(m.Columns), Columns: m.ColumnNames(),
		Names: m.Names(),
		Parts: parts(m), Reading: m.Reading, OfMixed: &OfMixed{Graded: []string{}, GradedBetter: m.ShowGraded}, model: m}
	d.Means, d.Everywhere = m.Means()
	for k := range m.Parts {
		d.Usage = append(d.Usage, m.Parts[k].Share)
		d.ColumnVotes += len(m.Parts[k].Votes())
	}
	if m.Graded != nil {
		for k := range m.Graded.Loadings {
			d.Graded = append(d.Graded, m.gradedPart(k))
		}
	}
	if m.Record.Rows > 0 {
		record := m.Record
		d.Learned = &record
	}
	return d
}

// Describe describes the classes.
func (m Classes) Describe() *Description {
	like := m.Like().Extras()
	d := &Description{Parts: parts(m), Columns: like.Columns, Reading: like.Reading, model: m,
		OfClasses: &OfClasses{By: m.By()}}
	d.Height, d.Width = m.Classifier.Size()
	for _, c := range m.Classes() {
		is := Class{Name: c.Name, Rows: c.Rows, Examples: len(c.Examples)}
		if c.Learned != nil {
			is.Parts = c.Learned.K()
		}
		d.OfClasses.Classes = append(d.OfClasses.Classes, is)
	}
	return d
}

// predictorText says by what a model predicts, "" if by its parts alone.
func predictorText(m *patchwork.Model) string {
	if p := m.Extras().Predictor; p != nil {
		return p.String()
	}
	return ""
}
