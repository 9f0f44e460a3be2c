package patchwork

import "math"

// MStep says how templates are read off counts. The zero value is the guarded
// step under the model's prior, final: abstaining entries are exactly q.
type MStep struct {
	// KeepUnseen leaves an entry without counts as it was; otherwise it
	// becomes the prior's mean, as eq. (1) has it.
	KeepUnseen bool

	// AbstainMargin, for a guarded max-minus-min step in the middle of learning, keeps
	// abstaining entries this far from q, on the side they were on, so that
	// abstention is not absorbing. 0 sets them to q.
	AbstainMargin float64

	// MinVoteGain is what a vote must gain over abstention on the pixels it won, in
	// nats, or a guarded max-minus-min entry abstains.
	MinVoteGain float64
}

// MStep is the M-step: prev with its templates read off the counts, its usage
// set and the tally attached. prev must be the model that explained the images
// counted. The tally must not be changed afterwards.
func (t *Tally) MStep(prev *Model, step MStep) *Model {
	next := *prev
	next.experts = make([][]float64, prev.K())
	for k := range next.experts {
		next.experts[k] = t.template(prev, k, step)
	}
	next.extras = Extras{Counts: t, Usage: t.Usage(), Geometry: nil, Record: prev.extras.Record}
	return &next
}

// Usage returns the share of the images in which each expert was active.
func (t *Tally) Usage() []float64 {
	u := make([]float64, len(t.active))
	for k, n := range t.active {
		if t.rows > 0 {
			u[k] = float64(n) / float64(t.rows)
		}
	}
	return u
}

// template is expert k read off the counts.
func (t *Tally) template(prev *Model, k int, step MStep) []float64 {
	n := t.height * t.width
	out := make([]float64, n)
	prior := prev.cfg.Prior.resolved()
	for i := range n {
		old, c := prev.experts[k][i], k*n+i
		won, wonSeen := t.counts.On[c], t.counts.Seen[c]
		all, allSeen := won+t.counts.LostOn[c], wonSeen+t.counts.LostSeen[c]
		if allSeen == 0 && step.KeepUnseen {
			out[i] = old
			continue
		}
		out[i] = prior.mean(all, allSeen)
		if prev.cfg.Rule == RuleMaxMinusMin {
			q := prev.cfg.abstention(i)
			out[i] = guard(prior.mean(won, wonSeen), out[i], q)
			if out[i] == q || step.MinVoteGain > 0 && worth(out[i], q, won, wonSeen) < step.MinVoteGain {
				out[i] = waitAt(old, q, step.AbstainMargin)
			}
		}
	}
	return out
}

// guard is the guarded step: a from the pixels won, b from all; q is to abstain.
func guard(a, b, q float64) float64 {
	switch {
	case (a-q)*(b-q) <= 0:
		return q
	case math.Abs(a-q) < math.Abs(b-q):
		return a
	}
	return b
}

// worth is what voting mu gains over abstaining at q, in nats, on pixels that
// were on times on in seen images.
func worth(mu, q float64, on, seen int64) float64 {
	return float64(on)*(math.Log(mu)-math.Log(q)) + float64(seen-on)*(math.Log1p(-mu)-math.Log1p(-q))
}

// waitAt returns where an abstaining entry waits: at most by from q, on its old
// side.
func waitAt(old, q, by float64) float64 {
	if old < q {
		return max(q-by, 0)
	}
	return min(q+by, 1)
}
