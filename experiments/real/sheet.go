package real

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork/bitmap"
	model "example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
)

// Blocks returns an image of bits as the numbers of its ones in squares of the given side, row-major.
func Blocks(img *bitmap.Image, side int) []float64 {
	h, w := img.Height()/side, img.Width()/side
	out := make([]float64, h*w)
	for y := range h * side {
		for x := range w * side {
			if img.At(y, x) {
				out[y/side*w+x/side]++
			}
		}
	}
	return out
}

// Scene is an image of several digits anywhere, of which the brighter one shows, with normal noise.
type Scene struct {
	Image []float64
	Truth []model.Pick
}

// SceneModel returns the model of scenes of side x side pixels whose parts are grey images of frame x frame pixels:
// each says its
// values where they exceed a tenth of full brightness, 1, and the variance is that of the noise, sd^2.
func SceneModel(parts [][]float64, frame, side int, sd float64) *model.Model {
	reach := pose.Range{Min: 0, Max: side - frame, Step: 1}
	m := &model.Model{Height: side, Width: side, FrameHeight: frame, FrameWidth: frame, Rule: model.Max,
		Poses: pose.Grid{DY: reach, DX: reach}}
	for range side * side {
		m.Background = append(m.Background, model.Normal{Var: sd * sd})
	}
	for _, p := range parts {
		e := make([]model.Entry, len(p))
		for d, x := range p {
			if x > .1 {
				e[d] = model.Entry{Vote: model.MeanOnly, Normal: model.Normal{Mean: x, Var: sd * sd}}
			}
		}
		m.Experts = append(m.Experts, e)
	}
	return m
}

// NewScene draws n different parts of a model of scenes at random places.
func NewScene(m *model.Model, n int, rng *rand.Rand) Scene {
	var s Scene
	for _, k := range rng.Perm(m.K())[:n] {
		s.Truth = append(s.Truth, model.Pick{Expert: k, Pose: m.Poses.At(rng.IntN(m.Poses.Len()))})
	}
	for d, b := range m.Background {
		c := m.Compose(d, s.Truth)
		s.Image = append(s.Image, c.Mean()+rng.NormFloat64()*math.Sqrt(b.Var))
	}
	return s
}

// Found reports whether picks are the parts of the scene, all of them within one pixel, and no others.
func (s *Scene) Found(picks []model.Pick) bool {
	if len(picks) != len(s.Truth) {
		return false
	}
	for _, t := range s.Truth {
		found := false
		for _, p := range picks {
			found = found || p.Expert == t.Expert && abs(p.Pose.DY-t.Pose.DY) <= 1 && abs(p.Pose.DX-t.Pose.DX) <= 1
		}
		if !found {
			return false
		}
	}
	return true
}

func abs(n int) int { return max(n, -n) }
