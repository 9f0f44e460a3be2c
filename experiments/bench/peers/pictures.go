package main

import (
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
)

// lettersTask returns P1: one letter, completely explained, beside one scoring pass over
// the same templates, rotations and shifts.
func (s *session) lettersTask() (task, error) {
	p, err := plantLetters(s.size(16, 2))
	if err != nil {
		return task{}, err
	}
	m := p.model
	var templates [][]float64
	for k := range m.K() {
		for _, angle := range m.Config().Poses.Angles {
			turned := render.Opinion(m, letterSide, letterSide, patchwork.Pick{Expert: k, Pose: pose.Pose{Angle: angle}})
			templates = append(templates, logOdds(turned))
		}
	}
	name := fmt.Sprintf("P1 letter: %d experts x %d rotations x %d shifts", m.K(), len(m.Config().Poses.Angles),
		m.Config().Poses.Shifts())
	return s.pictureTask(name, "letter", p, letterReach, templates, 1.0/6)
}

// scenesTask returns P2: one scene, completely explained, beside one scoring pass.
func (s *session) scenesTask(templates, objects int, target float64) (task, error) {
	side := s.size(256, 64)
	p, err := plantScenes(s.size(4, 1), side, templates, objects)
	if err != nil {
		return task{}, err
	}
	var odds [][]float64
	for _, t := range p.model.Templates() {
		odds = append(odds, logOdds(t))
	}
	name := fmt.Sprintf("P2 scene %dx%d: %d templates, %d objects", side, side, templates, objects)
	return s.pictureTask(name, "scene", p, 0, odds, target)
}

// pictureTask compares explaining planted images with matchTemplate, over images padded
// so that it sees the same shifts.
func (s *session) pictureTask(name, unit string, p *planted, pad int, templates [][]float64, target float64) (task,
	error) {
	pursuit, err := patchwork.NewPursuit(p.model, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		return task{}, err
	}
	images, err := s.save("images", padded(p.images, pad))
	if err != nil {
		return task{}, err
	}
	odds, err := s.save("templates", floats(templates, p.model.Height(), p.model.Width()))
	if err != nil {
		return task{}, err
	}
	args := map[string]any{"images": images, "templates": odds}
	if pad == 0 {
		if args["bias"], err = s.save("bias", npy.New(onPaper(p.model), p.model.K())); err != nil {
			return task{}, err
		}
	}
	match, err := s.python.prepare("match", args)
	if err != nil {
		return task{}, err
	}
	check := func() (string, error) {
		explained, err := p.explain(pursuit)
		if err != nil {
			return "", err
		}
		text, err := p.verdict(explained)
		if err != nil || pad != 0 {
			return text, err
		}
		return p.agree(text, explained, match)
	}
	ours := func() error {
		_, err := p.explain(pursuit)
		return err
	}
	n := float64(len(p.images))
	return task{
		name: name, unit: unit, units: n, ours: ours, check: check,
		peers: []peer{{"cv2.matchTemplate, one pass", n, target, match.run}},
	}, nil
}

// agree checks that the peer's best template and its place are our first pick: both
// compute the same scores, if templates do not reach beyond the image.
func (p *planted) agree(text string, explained []*patchwork.Explanation, match *remote) (string, error) {
	best, err := match.check()
	if err != nil {
		return "", err
	}
	for i, e := range explained {
		first := e.Picks[0]
		if got := [3]int{first.Expert, first.Pose.DY, first.Pose.DX}; got != best[i] {
			return "", fmt.Errorf("image %d: our first pick is expert, y, x = %v, the peer's best match %v", i, got, best[i])
		}
	}
	return text + "; the peer's best match is the first pick", nil
}

// logOdds returns a template as a linear filter: a truncated template's score is the sum
// of log(mu/(1-mu)) over the ink under it, plus a constant.
func logOdds(template []float64) []float64 {
	out := make([]float64, len(template))
	for i, p := range template {
		p = max(p, 0.5)
		out[i] = math.Log(p) - math.Log1p(-p)
	}
	return out
}

// onPaper returns that constant for each template: its score if there is no ink.
func onPaper(m *patchwork.Model) []float64 {
	out := make([]float64, m.K())
	for k := range out {
		for _, p := range m.Template(k) {
			out[k] += math.Log(2 * (1 - max(p, 0.5)))
		}
	}
	return out
}

// padded returns images as an array (N,H,W) with a border of background.
func padded(images []*bitmap.Image, pad int) *npy.Array {
	h, w := images[0].Height()+2*pad, images[0].Width()+2*pad
	data := make([]uint8, len(images)*h*w)
	for i, img := range images {
		for y := range img.Height() {
			for x := range img.Width() {
				if img.At(y, x) {
					data[(i*h+y+pad)*w+x+pad] = 1
				}
			}
		}
	}
	return npy.New(data, len(images), h, w)
}

// floats returns rows of numbers as an array, each row in the given shape.
func floats(rows [][]float64, shape ...int) *npy.Array {
	var data []float64
	for _, r := range rows {
		data = append(data, r...)
	}
	return npy.New(data, append([]int{len(rows)}, shape...)...)
}
