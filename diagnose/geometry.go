package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/gauss"
)

// ways returns in which of its coordinates dy, dx and angle an expert can move.
func ways(m *patchwork.Model) [gauss.PerExpert]bool {
	c := m.Config()
	return [gauss.PerExpert]bool{c.Scene || c.Poses.DY.Len() > 1, c.Scene || c.Poses.DX.Len() > 1, c.Poses.Rotations() > 1}
}

func findSingular(m *patchwork.Model) []Finding {
	g := m.Extras().Geometry
	if g == nil {
		return nil
	}
	free := 0
	for _, moves := range ways(m) {
		if moves {
			free += m.K()
		}
	}
	rank := g.Normal.Rank()
	if rank >= free {
		return nil
	}
	f := Finding{Kind: KindSingularGeometry, Value: float64(rank), Limit: float64(free),
		Facts:  fmt.Sprintf("The Gaussian of the poses has rank %d, the parts can move in %d ways.", rank, free),
		Advice: fmt.Sprintf("Fit it to more than %d images; until then its samples stay in the span of those seen.", free)}
	n := int64(0)
	for _, p := range g.Presence {
		n += p.N
	}
	if n > int64(free) { // not for want of images
		var still []string
		f.Experts, still = stiff(m)
		f.Facts += fmt.Sprintf(" In %d images %s.", n, strings.Join(still, ", "))
		f.Advice = "More images like these will not change that: samples place such parts where they were seen. Learn with " +
			"fewer parts, or with a narrower range of poses."
	}
	return []Finding{f}
}

// times says how often.
func times(n int64) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// stiff returns the experts that do not move in a way in which they can, and says
// of each why: it is used in few images, or keeps its place or angle.
func stiff(m *patchwork.Model) (experts []int, facts []string) {
	g, can := m.Extras().Geometry, ways(m)
	cov := g.Normal.Cov()
	for k := range m.K() {
		uses := int64(0)
		for _, p := range g.Presence {
			if p.Mask>>k&1 == 1 {
				uses += p.N
			}
		}
		var kept []string
		for i, name := range []string{"row", "column", "angle"} {
			at := gauss.PerExpert*k + i
			if can[i] && cov[at*g.Normal.Dim()+at] < 1e-6 {
				kept = append(kept, name)
			}
		}
		switch {
		case uses <= gauss.PerExpert:
			facts = append(facts, fmt.Sprintf("part %d is used %s", k+1, times(uses)))
		case kept != nil:
			facts = append(facts, fmt.Sprintf("part %d keeps its %s", k+1, strings.Join(kept, " and ")))
		default:
			continue
		}
		experts = append(experts, k)
	}
	if facts == nil {
		return nil, []string{"some parts move together only"}
	}
	return experts, slices.Clip(facts[:min(len(facts), listedAtAll)])
}
