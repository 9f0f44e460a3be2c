package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
)

// planted holds images, the model that made them, and the picks they were made of.
type planted struct {
	model  *patchwork.Model
	images []*bitmap.Image
	picks  [][]patchwork.Pick
}

const letterSide, letterReach = 56, 8

// plantLetters makes letters E of four experts, the strokes of one drawing, each shifted
// and turned a little independently. The grid has 17 x 17 shifts and nine rotations.
func plantLetters(n int) (*planted, error) {
	set, err := synth.Letters(synth.LettersOptions{Letters: "E", N: 20, Side: letterSide, Seed: 1})
	if err != nil {
		return nil, err
	}
	// Some writers make an E of two strokes.
	i := slices.IndexFunc(set.Truth.Items, func(l synth.Letter) bool { return len(l.Poses) == 4 })
	if i < 0 {
		return nil, fmt.Errorf("no E of four strokes among %d", len(set.Images))
	}
	grid := pose.Grid{DY: pose.Symmetric(letterReach, 1), DX: pose.Symmetric(letterReach, 1), Angles: pose.Evenly(24, 6)}
	cfg := patchwork.NewConfig(patchwork.RuleMax, letterSide, letterSide, grid)
	m, err := patchwork.NewModel(cfg, strokes(set.Truth.Items[i]))
	if err != nil {
		return nil, err
	}
	p := &planted{model: m}
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		var picks []patchwork.Pick
		for k := range m.K() {
			place := pose.Pose{DY: rng.IntN(5) - 2, DX: rng.IntN(5) - 2, Angle: grid.Angles[3+rng.IntN(3)]}
			picks = append(picks, patchwork.Pick{Expert: k, Pose: place})
		}
		p.add(rng, letterSide, picks)
	}
	return p, nil
}

// add draws an image of the given picks.
func (p *planted) add(rng *rand.Rand, side int, picks []patchwork.Pick) {
	p.picks = append(p.picks, picks)
	p.images = append(p.images, bitmap.Sample(rng, side, side, p.model.Compose(side, side, picks).P))
}

// strokes returns a template for each stroke of a letter: its ink, with soft edges (a
// 3 x 3 binomial filter), between 0.01 and 0.95.
func strokes(l synth.Letter) [][]float64 {
	side := letterSide
	weight := [3]float64{0.25, 0.5, 0.25}
	templates := make([][]float64, len(l.Poses))
	for k := range templates {
		templates[k] = make([]float64, side*side)
		for i := range templates[k] {
			ink := 0.0
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					y, x := i/side+dy, i%side+dx
					if 0 <= y && y < side && 0 <= x && x < side && int(l.Stroke[y*side+x]) == k {
						ink += weight[dy+1] * weight[dx+1]
					}
				}
			}
			templates[k][i] = 0.01 + 0.94*ink
		}
	}
	return templates
}

// plantScenes makes scenes of the paper (section 3): distinct digits anywhere
// in noise, 28 x 28 pixels each, of as many drawings as there are templates.
func plantScenes(n, side, templates, objects int) (*planted, error) {
	glyphs, labels, err := synth.Digits(templates/10, 1)
	if err != nil {
		return nil, err
	}
	for j := range labels {
		labels[j] = j // every drawing is its own class, so that all are candidates
	}
	set, err := synth.Scenes(synth.ScenesOptions{N: n, Side: side, Objects: objects, Glyphs: glyphs, Labels: labels,
		Seed: 1})
	if err != nil {
		return nil, err
	}
	cfg := patchwork.Config{Height: synth.GlyphSide, Width: synth.GlyphSide, Q: set.Truth.Off, Scene: true,
		Defaults: patchwork.Defaults{Truncate: true}}
	m, err := patchwork.NewModel(cfg, set.Truth.Templates(0))
	if err != nil {
		return nil, err
	}
	p := &planted{model: m, images: set.Images}
	for _, s := range set.Truth.Items {
		var picks []patchwork.Pick
		for _, o := range s.Objects {
			picks = append(picks, patchwork.Pick{Expert: o.Label, Pose: pose.Pose{DY: o.DY, DX: o.DX}})
		}
		p.picks = append(p.picks, picks)
	}
	return p, nil
}

// explain makes the measured call of P1 and P2: every image, completely.
func (p *planted) explain(pursuit *patchwork.Pursuit) ([]*patchwork.Explanation, error) {
	out := make([]*patchwork.Explanation, len(p.images))
	for i, img := range p.images {
		e, err := pursuit.Explain(img)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// verdict compares explanations with what was planted. An object is found if its expert
// is picked within a pixel and a step of rotation. It is an error if fewer than half of
// the objects are found.
func (p *planted) verdict(explained []*patchwork.Explanation) (string, error) {
	var found, exact, besides, all int
	var ours, truth float64
	for i, e := range explained {
		place := map[int]pose.Pose{}
		for _, pick := range p.picks[i] {
			place[pick.Expert] = pick.Pose
		}
		for _, pick := range e.Picks {
			at, there := place[pick.Expert]
			switch {
			case !there || !near(at, pick.Pose):
				besides++
			case at == pick.Pose:
				exact++
				found++
			default:
				found++
			}
		}
		img := p.images[i]
		all += len(p.picks[i])
		ours += e.LogLikModel
		truth += patchwork.LogLik(img, p.model.Compose(img.Height(), img.Width(), p.picks[i]).P)
	}
	n := float64(len(explained))
	text := fmt.Sprintf("%d of %d planted objects found (%d exactly), %d besides; log-likelihood %.1f per image, of the "+
		"planted %.1f",
		found, all, exact, besides, ours/n, truth/n)
	if 2*found < all {
		return "", fmt.Errorf("wrong explanations: %s", text)
	}
	return text, nil
}

func near(a, b pose.Pose) bool {
	const step = 6 // degrees, of the letters' grid
	dy, dx, turn := a.DY-b.DY, a.DX-b.DX, a.Angle-b.Angle
	return max(dy, -dy) <= 1 && max(dx, -dx) <= 1 && max(turn, -turn) <= step
}

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
	id, match, err := prepare("match", args)
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
		return p.agree(text, explained, id)
	}
	ours := func() error {
		_, err := p.explain(pursuit)
		return err
	}
	n := float64(len(p.images))
	return task{
		name: name, unit: unit, units: n, ours: ours, check: check,
		peers: []peer{{"cv2.matchTemplate, one pass", n, target, match}},
	}, nil
}

// agree checks that the peer's best template and its place are our first pick: both
// compute the same scores, if templates do not reach beyond the image.
func (p *planted) agree(text string, explained []*patchwork.Explanation, match int) (string, error) {
	var best [][3]int
	if err := ask("check", map[string]any{"id": match}, &best); err != nil {
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
