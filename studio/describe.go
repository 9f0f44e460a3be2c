package studio

import (
	"context"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
)

// modelInfo describes a model.
type modelInfo struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Source      string        `json:"source" enum:"file,upload,learned,built-in"`
	Values      string        `json:"values" enum:"bits,real" doc:"what its images or rows hold"`
	Rule        string        `json:"rule"`
	Q           float64       `json:"q" doc:"abstention value; the mean if each pixel has its own"`
	Height      int           `json:"height"`
	Width       int           `json:"width"`
	Experts     int           `json:"experts"`
	Shift       int           `json:"shift" doc:"how far parts are shifted, in pixels"`
	ShiftStep   int           `json:"shift_step"`
	Rotations   []float64     `json:"rotations" doc:"degrees, clockwise"`
	Truncate    bool          `json:"truncate"`
	Outside     string        `json:"outside"`
	Scene       bool          `json:"scene" doc:"images may be larger than the frame"`
	ImageHeight int           `json:"image_height" doc:"height of the images that it samples; the frame's unless it is of scenes"`
	ImageWidth  int           `json:"image_width" doc:"their width"`
	Reuse       int           `json:"reuse"`
	Columns     []string      `json:"columns" doc:"names of a table's columns"`
	Names       []string      `json:"names" doc:"names of the experts, empty for those without"`
	Rows        *int64        `json:"rows" nullable:"true" doc:"images it was learned from"`
	Table       bool          `json:"table"`
	Geometry    *geometryInfo `json:"geometry"`
	Shares      string        `json:"shares" doc:"what the usage of the parts is, where it is not the share of rows or images that have the part in their best explanation; else empty"`
	Command     *string       `json:"command" nullable:"true" doc:"the command line that makes the same file"`
}

type geometryInfo struct {
	Components []component `json:"components" doc:"principal directions of the poses, the largest first"`
}

type component struct {
	Deviation float64 `json:"deviation" doc:"standard deviation along it"`
	Moves     []move  `json:"moves" doc:"how every part moves at +1 deviation"`
}

type move struct {
	Expert int     `json:"expert"`
	DY     float64 `json:"dy"`
	DX     float64 `json:"dx"`
	Angle  float64 `json:"angle"`
}

// maxComponents bounds the number of directions described.
const maxComponents = 12

func newModelInfo(m *model) modelInfo {
	info := modelInfo{ID: m.id, Name: m.name, Source: m.source, Experts: m.of.K(), Rotations: []float64{}}
	if m.command != "" {
		info.Command = &m.command
	}
	rows, poses := int64(0), pose.Grid{}
	if r := m.numbers(); r != nil {
		info.Height, info.Width = r.Frame()
		info.Values, info.Rule, info.Outside, info.Reuse, info.Table = ofReal, r.Rule.String(), "background", r.Reuse,
			r.Height == 1
		info.ImageHeight, info.ImageWidth, info.Columns, info.Names = r.Height, r.Width, r.Columns, r.Names
		rows, poses = int64(r.Record.Rows), r.Poses
	} else {
		rows, poses = info.setBits(m.bits()), m.bits().Config().Poses
	}
	info.Reuse, info.ShiftStep = max(1, info.Reuse), max(1, poses.DX.Step, poses.DY.Step)
	info.Shift = max(reach(poses.DY), reach(poses.DX))
	for i := range poses.Rotations() {
		info.Rotations = append(info.Rotations, poses.Angle(i))
	}
	if rows > 0 {
		info.Rows = &rows
	}
	return info
}

// setBits describes a model of bits, and returns how many rows it was learned from.
func (info *modelInfo) setBits(m *patchwork.Model) (rows int64) {
	c, e := m.Config(), m.Extras()
	info.Values, info.Rule, info.Height, info.Width, info.Truncate = ofBits, c.Rule.String(), c.Height, c.Width,
		c.Truncate
	info.Outside, info.Scene, info.Reuse, info.Table = recipe.OutsideName(c.UnknownOutside), c.Scene, c.Reuse,
		c.Height == 1
	info.ImageHeight, info.ImageWidth, info.Columns, info.Names = c.ImageHeight, c.ImageWidth, e.Columns, e.Names
	info.Q, info.Shares = c.Q, words.Shares(m)
	if c.QMap != nil {
		info.Q = 0
		for _, q := range c.QMap {
			info.Q += q / float64(len(c.QMap))
		}
	}
	if e.Geometry != nil {
		info.Geometry = newGeometry(m.K(), e.Geometry)
	}
	if rows = e.Record.Rows; rows == 0 && e.Counts != nil {
		rows = e.Counts.Rows()
	}
	return rows
}

func reach(r pose.Range) int { return max(r.Max, -r.Min) }

func newGeometry(experts int, g *patchwork.Geometry) *geometryInfo {
	out := &geometryInfo{Components: []component{}}
	for i := range min(g.Normal.Rank(), maxComponents) {
		u, sd := g.Normal.Principal(i)
		c := component{Deviation: sd}
		for k := range experts {
			c.Moves = append(c.Moves, move{k, sd * u[3*k], sd * u[3*k+1], sd * u[3*k+2]})
		}
		out.Components = append(out.Components, c)
	}
	return out
}

// expertInfo describes an expert.
type expertInfo struct {
	Index      int            `json:"index"`
	Name       string         `json:"name" doc:"what people call it; empty if it has no name"`
	Template   f32            `json:"template" doc:"probabilities; of real values the means, NaN where it abstains"`
	Deviation  f32            `json:"deviation,omitempty" doc:"of real values: the deviations that it says, NaN where it abstains"`
	Abstains   int            `json:"abstains" doc:"pixels without a vote"`
	Usage      *float64       `json:"usage" nullable:"true" doc:"fraction of the training images in which it is active"`
	Pose       *meanPose      `json:"pose" doc:"mean pose in the geometry"`
	Elongation float64        `json:"elongation" doc:"length over width of its votes; 1 is round"`
	Words      string         `json:"words" doc:"how often it is used, and what it says"`
	Columns    []expertColumn `json:"columns" doc:"for a table: the columns it votes on, strongest first"`
}

type meanPose struct {
	DY    float64 `json:"dy"`
	DX    float64 `json:"dx"`
	Angle float64 `json:"angle"`
}

type expertColumn struct {
	Name  string  `json:"name"`
	Index int     `json:"index"`
	P     float64 `json:"p" doc:"the part's vote; of real values the mean that it says"`
	Q     float64 `json:"q" doc:"value of the column if no part votes"`
}

type expertList struct {
	Body struct {
		Experts []expertInfo `json:"experts"`
		Ground  *ground      `json:"background,omitempty" doc:"of real values: what is said where no part votes"`
	}
}

func (s *core) listExperts(ctx context.Context, in *ModelPath) (*expertList, error) {
	m, err := s.models.find(in.ID)
	if err != nil {
		return nil, err
	}
	_, leave, err := s.enterLarge(ctx, expertBytes(m))
	if err != nil {
		return nil, err
	}
	defer leave()
	out := new(expertList)
	if m.numbers() != nil {
		out.Body.Ground = newGround(m.numbers())
	}
	for k := range m.of.K() {
		out.Body.Experts = append(out.Body.Experts, newExpert(m, k))
	}
	return out, nil
}

// expertBytes returns the size of the description of all experts, about.
func expertBytes(m *model) int64 {
	if r := m.numbers(); r != nil {
		votes, _ := r.Votes()
		return 12*int64(r.K()+2)*int64(r.F()) + 500*int64(r.K()) + int64(votes)*(70+textBytes(r.Columns)/int64(r.D()))
	}
	numbers := int64(m.bits().K()) * int64(m.bits().Height()) * int64(m.bits().Width())
	n := 6*numbers + 500*int64(m.bits().K())
	if m.bits().Height() > 1 {
		return n
	}
	columns, spoken := textBytes(m.bits().Extras().Columns)/int64(m.bits().Width()), int64(0)
	for k := range m.bits().K() {
		spoken += int64(len(words.Votes(m.bits(), k)))
	}
	return n + spoken*(70+columns)
}

func newExpert(m *model, k int) expertInfo {
	p := m.of.Part(k)
	info := expertInfo{Index: k, Name: p.Name, Template: newF32(p.Means), Deviation: newF32(p.Deviations),
		Abstains: p.Abstains, Elongation: p.Elongation, Words: p.Words}
	if !math.IsNaN(p.Usage) {
		info.Usage = &p.Usage
	}
	if b := m.bits(); b != nil && b.Extras().Geometry != nil {
		mean := b.Extras().Geometry.Normal.Mean()
		info.Pose = &meanPose{mean[3*k], mean[3*k+1], mean[3*k+2]}
	}
	if m.of.Table() {
		info.Columns = []expertColumn{}
	}
	for _, v := range p.Votes {
		info.Columns = append(info.Columns, expertColumn{v.Name, v.Column, v.Value, v.Otherwise})
	}
	return info
}

// ground is what a model of real values says where no part does.
type ground struct {
	Mean      f32 `json:"mean"`
	Deviation f32 `json:"deviation"`
}

func newGround(m *real.Model) *ground {
	var mean, dev []float64
	for _, b := range m.Background {
		mean, dev = append(mean, b.Mean), append(dev, math.Sqrt(b.Var))
	}
	return &ground{newF32(mean), newF32(dev)}
}
