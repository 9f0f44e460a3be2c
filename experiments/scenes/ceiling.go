package scenes

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/experiments/stat"
)

// Ceiling says of soft scenes why they are not found, and what any search under the same
// likelihood could reach.
type Ceiling struct {
	Found int // scenes found, each digit within a pixel

	// Of the scenes not found: the truth, moved within a pixel to where it scores best,
	// scores less than what was found, or more, at every price of a digit tried, or it
	// depends on the price.
	Worse, Better, Priced int

	// AtPrice counts the scenes in which, with the other digits at their places, each
	// digit gains more than the price and no absent one does: for the best of Prices, chosen
	// afterwards. Told counts those in which every digit gains more than every absent one,
	// so that the number of digits would decide.
	AtPrice, Told int
	Price         float64
}

// prices lists the prices of a digit tried: from the logarithm of the number of places to
// more than twice that.
func prices() (out []float64) {
	for t := 6.0; t <= 15; t += .25 {
		out = append(out, t)
	}
	return out
}

// RunCeiling measures scenes of one setting, under templates that are told the noise.
func RunCeiling(ctx context.Context, s SoftSetting, o Options) (Ceiling, error) {
	var c Ceiling
	classes := classesOf(o.Labels)
	right := make([]int, len(prices()))
	for i := range o.Scenes {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		scene := newDigitScene(rand.New(rand.NewPCG(o.Seed, uint64(i))), o, classes, s)
		told, err := scene.model(o, s.Flip)
		if err != nil {
			return c, err
		}
		clean, err := scene.model(o, cleanNoise)
		if err != nil {
			return c, err
		}
		e, err := clean.Explain(scene.image)
		if err != nil {
			return c, err
		}
		truth := scene.settle(told)
		if scene.found(e, 1) {
			c.Found++
		} else {
			c.judge(scene, told, truth, e.Picks)
		}
		least, most := scene.margins(told, truth)
		if least > most {
			c.Told++
		}
		for j, t := range prices() {
			if least > t && most < t {
				right[j]++
			}
		}
	}
	c.AtPrice = slices.Max(right)
	c.Price = prices()[slices.Index(right, c.AtPrice)]
	return c, nil
}

// judge counts a scene that was not found by what scores more.
func (c *Ceiling) judge(s *digitScene, m *patchwork.Model, truth, found []patchwork.Pick) {
	ahead, more := s.logLik(m, truth)-s.logLik(m, found), float64(len(truth)-len(found))
	better := 0
	for _, t := range prices() {
		if ahead > t*more {
			better++
		}
	}
	switch better {
	case 0:
		c.Worse++
	case len(prices()):
		c.Better++
	default:
		c.Priced++
	}
}

// logLik returns the log-likelihood of the scene under some picks.
func (s *digitScene) logLik(m *patchwork.Model, picks []patchwork.Pick) float64 {
	return patchwork.LogLik(s.image, m.Compose(s.image.Height(), s.image.Width(), picks).P)
}

// settle returns the digits of the scene, one after the other moved within a pixel of
// their places to where the scene is likeliest, until none moves.
func (s *digitScene) settle(m *patchwork.Model) []patchwork.Pick {
	picks := slices.Clone(s.digits)
	best := s.logLik(m, picks)
	for moved := true; moved; {
		moved = false
		for i := range picks {
			for n := range 9 {
				old := picks[i]
				picks[i].Pose.DY, picks[i].Pose.DX = s.digits[i].Pose.DY+n/3-1, s.digits[i].Pose.DX+n%3-1
				if l := s.logLik(m, picks); s.inside(m, picks[i]) && l > best+1e-9 {
					best, moved = l, true
				} else {
					picks[i] = old
				}
			}
		}
	}
	return picks
}

// inside reports whether a pick lies in the scene.
func (s *digitScene) inside(m *patchwork.Model, p patchwork.Pick) bool {
	return p.Pose.DY >= 0 && p.Pose.DX >= 0 && p.Pose.DY+m.Height() <= s.image.Height() &&
		p.Pose.DX+m.Width() <= s.image.Width()
}

// margins returns what the digit gains that gains least, and what the absent one gains,
// anywhere, that gains most, each given the other digits of the scene.
func (s *digitScene) margins(m *patchwork.Model, truth []patchwork.Pick) (least, most float64) {
	all := s.logLik(m, truth)
	least, most = math.Inf(1), math.Inf(-1)
	for i := range truth {
		least = min(least, all-s.logLik(m, slices.Delete(slices.Clone(truth), i, i+1)))
	}
	p := m.Compose(s.image.Height(), s.image.Width(), truth).P
	x := s.image.AppendBytes(nil)
	for k, t := range m.Templates() {
		if slices.ContainsFunc(truth, func(p patchwork.Pick) bool { return p.Expert == k }) {
			continue
		}
		for dy := range s.image.Height() - m.Height() + 1 {
			for dx := range s.image.Width() - m.Width() + 1 {
				ratio, gain := 1., 0. // the logarithm of products is one for many pixels
				for i, v := range t {
					at := (dy+i/m.Width())*s.image.Width() + dx + i%m.Width()
					if v <= p[at] {
						continue
					}
					if x[at] != 0 {
						ratio *= v / p[at]
					} else {
						ratio *= (1 - v) / (1 - p[at])
					}
					if ratio > 1e100 || ratio < 1e-100 {
						ratio, gain = 1, gain+math.Log(ratio)
					}
				}
				most = max(most, gain+math.Log(ratio))
			}
		}
	}
	return least, most
}

// ReportCeiling measures the soft settings with so many seeds and writes the table.
func ReportCeiling(ctx context.Context, w io.Writer, seeds int, o Options) error {
	t := stat.NewTable(w, "side, flips", "seed", "found within a pixel",
		"not found: truth scores less, more, by price", "others told, best price afterwards", "others and number told")
	for _, s := range SoftSettings {
		if !s.Soft {
			continue
		}
		for seed := range seeds {
			o.Seed = uint64(seed + 1)
			c, err := RunCeiling(ctx, s, o)
			if err != nil {
				return err
			}
			n := float64(o.Scenes)
			t.Row("%d, %.2f | %d | %.2f | %d, %d, %d | %.2f (%.2f nats) | %.2f", s.Side, s.Flip, o.Seed, float64(c.Found)/n,
				c.Worse, c.Better, c.Priced, float64(c.AtPrice)/n, c.Price, float64(c.Told)/n)
		}
	}
	return nil
}
