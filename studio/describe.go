package studio

import (
	"context"
	"math"
	"slices"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/workbench"
)

// modelInfo describes a model.
type modelInfo struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Source     string      `json:"source" enum:"file,upload,learned,built-in"`
	Values     string      `json:"values" enum:"bits,real" doc:"what its images or rows hold"`
	Table      bool        `json:"table"`
	Frame      [2]int      `json:"frame" doc:"height and width of the parts"`
	Images     [2]int      `json:"images" doc:"height and width of the images that it samples"`
	Q          float64     `json:"q" doc:"abstention value of bits; the mean if each pixel has its own"`
	Components []component `json:"components" doc:"of the geometry: principal directions of the poses, the largest first"`
	Shares     string      `json:"shares" doc:"what the usage of the parts is, where it is not the share of rows or images that have the part in their best explanation; else empty"`
	Command    *string     `json:"command" nullable:"true" doc:"the command line that makes the same file"`
	*workbench.Description
}

type component struct {
	Deviation float64 `json:"deviation" doc:"standard deviation along it"`
	Moves     []move  `json:"moves" doc:"how every part moves at +1 deviation"`
}

type move struct {
	Part  int     `json:"part"`
	DY    float64 `json:"dy"`
	DX    float64 `json:"dx"`
	Angle float64 `json:"angle"`
}

// maxComponents bounds the number of directions described.
const maxComponents = 12

func newModelInfo(m *model) *modelInfo {
	info := &modelInfo{ID: m.id, Name: m.name, Source: m.source, Values: m.values(), Table: m.of.Table(),
		Components: []component{}, Description: m.about}
	if m.command != "" {
		info.Command = &m.command
	}
	if m.bits() == nil {
		info.Images = [2]int{m.about.Height, m.about.Width}
		if info.Frame = info.Images; m.numbers() != nil {
			info.Frame[0], info.Frame[1] = m.numbers().Frame()
		}
		return info
	}
	c := m.bits().Config()
	info.Images, info.Q = m.about.Images, c.Q
	if c.QMap != nil {
		info.Q = 0
		for _, q := range c.QMap {
			info.Q += q / float64(len(c.QMap))
		}
	}
	info.Frame, info.Shares = [2]int{m.about.Height, m.about.Width}, words.Shares(m.bits())
	g := m.bits().Extras().Geometry
	for i := 0; g != nil && i < min(g.Normal.Rank(), maxComponents); i++ {
		u, sd := g.Normal.Principal(i)
		along := component{Deviation: sd}
		for k := range m.of.K() {
			along.Moves = append(along.Moves, move{k, sd * u[3*k], sd * u[3*k+1], sd * u[3*k+2]})
		}
		info.Components = append(info.Components, along)
	}
	return info
}

// inList returns the description without what makes it long.
func (info *modelInfo) inList() modelInfo {
	out, d := *info, *info.Description
	d.Reading, d.Learned, d.OfMixed = nil, nil, nil
	if bytes := textBytes(d.Columns) + partBytes(d.Parts); bytes > maxListed {
		d.Columns, d.Parts = nil, nil
	}
	out.Description = &d
	return out
}

// partBytes returns the size of what is said of parts.
func partBytes(parts []workbench.NamedPart) int64 {
	n := int64(0)
	for _, p := range parts {
		n += int64(len(p.Name)+len(p.Words)) + 40
	}
	return n
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

	Spread float64 `json:"spread" doc:"of numbers, the deviation if no part votes; 0 of bits"`
	Words  string  `json:"words" doc:"what the part says, and what is said otherwise"`
}

type expertList struct {
	Experts []expertInfo `json:"experts"`
	Ground  *ground      `json:"background,omitempty" doc:"of real values: what is said where no part votes"`
}

func (s *core) listExperts(ctx context.Context, in *ModelPath) (*expertList, error) {
	m, err := s.models.find(in.ID)
	if err != nil {
		return nil, err
	}
	_, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	out := new(expertList)
	if m.bits() == nil {
		out.Ground = newGround(m)
	}
	for k := range m.of.K() {
		out.Experts = append(out.Experts, *newExpert(m, k))
	}
	return out, nil
}

func newExpert(m *model, k int) *expertInfo {
	p := m.of.Part(k)
	info := &expertInfo{Index: k, Name: p.Name, Template: newF32(p.Means), Deviation: newF32(p.Deviations),
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
		info.Columns = append(info.Columns, expertColumn{v.Name, v.Column, v.Value, v.Otherwise, v.Spread,
			v.Words})
	}
	return info
}

// ground is what a model of real values says where no part does.
type ground struct {
	Mean      f32 `json:"mean"`
	Deviation f32 `json:"deviation"`

	Words [][]string `json:"words,omitempty" doc:"of a table with words among its numbers: what the values 0, 1 and so on of each column stand for; null of numbers"`
}

func newGround(m *model) *ground {
	var mean, dev []float64
	unknown := slices.Repeat([]float64{math.NaN()}, m.about.Height*m.about.Width)
	for _, c := range m.of.Cells(&workbench.Case{Frame: &dataset.Frame{Values: [][]float64{unknown}}}, nil) {
		mean, dev = append(mean, c.Mean), append(dev, c.Deviation)
	}
	return &ground{newF32(mean), newF32(dev), workbench.Words(m.of)}
}
