package posterior

import (
	"math"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// explainJoint is Explain under the rules that are no fold, and with a prior over sets. The gain of a pick is
// that of the log-likelihood when it joined those before it.
func (n *Searcher) explainJoint(img *bitmap.Image) *Posterior {
	n.read(img)
	sets, evidence := n.joint.Explain(n.pixels)
	p := &Posterior{Evidence: evidence, Alternatives: make([]Alternative, len(sets))}
	start := n.logLik(img, nil)
	for i, s := range sets {
		a := &p.Alternatives[i]
		a.StartLogLik, a.LogLik, a.Weight = start, start, s.Weight
		for _, k := range s.Experts {
			a.Picks = append(a.Picks, patchwork.Pick{Expert: int(k)})
			after := n.logLik(img, a.Picks)
			a.Picks[len(a.Picks)-1].Gain = gainOf(a.LogLik, after)
			a.LogLik = after
		}
		a.LogJoint = s.Prior + a.LogLik
		a.LogLikModel = a.LogLik
	}
	if math.IsInf(p.Alternatives[0].LogLik, -1) {
		p.Evidence = math.Inf(-1)
	}
	return p
}

// logLik returns the log-likelihood of an image under the composition of some picks.
func (n *Searcher) logLik(img *bitmap.Image, picks []patchwork.Pick) float64 {
	return patchwork.LogLik(img, n.model.Compose(img.Height(), img.Width(), picks).P)
}

// gainOf returns what a log-likelihood gains; 0 from impossible to impossible.
func gainOf(before, after float64) float64 {
	if math.IsInf(before, -1) && math.IsInf(after, -1) {
		return 0
	}
	return after - before
}
