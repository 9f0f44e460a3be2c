package studio

import (
	"math"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// loadReal keeps an uploaded model of real values.
func (s *core) loadReal(m *real.Model, in *modelUpload, unpacked int64) (*oneModel, error) {
	if err := s.limits.checkReal(m); err != nil {
		return nil, err
	}
	if in.Data != "" {
		return nil, problemf(422, "a model of real values keeps the names of its columns itself; leave out data")
	}
	kept := &model{item: item{name: in.Name}, source: "upload", real: m, unpacked: unpacked}
	if err := s.models.keep(kept); err != nil {
		return nil, err
	}
	return &oneModel{newModelInfo(kept)}, nil
}

// parts returns the number of parts.
func (m *model) parts() int {
	if m.real != nil {
		return m.real.K()
	}
	return m.m.K()
}

// picture returns a picture of the parts; those of real values are signed deviations from the background.
func (m *model) picture() render.Picture {
	if m.real != nil {
		return render.RealParts(m.real)
	}
	return render.Experts(m.m)
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

// newRealExpert describes part k of a model of real values.
func newRealExpert(m *model, k int) expertInfo {
	r := m.real
	mean, dev := make([]float64, r.F()), make([]float64, r.F())
	for f := range mean {
		mean[f], dev[f] = math.NaN(), math.NaN()
	}
	info := expertInfo{Index: k, Name: m.called(k), Words: words.RealPart(r, k, wordsColumns), Elongation: 1}
	votes := words.RealVotes(r, k)
	info.Abstains = r.F() - len(votes)
	for _, v := range votes {
		mean[v.At], dev[v.At] = v.Mean, v.Deviation
		if r.Height == 1 {
			info.Columns = append(info.Columns, expertColumn{words.RealColumn(r, v.At), v.At, v.Mean, v.Before})
		}
	}
	info.Template, info.Deviation = newF32(mean), newF32(dev)
	if r.Pi != nil {
		info.Usage = &r.Pi[k]
	}
	return info
}
