package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/pose"
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
