package real

// referenceExplain returns the picks of the pursuit: from the background, always the pick that gains most
// beyond its price, until none does; then one sweep that drops what does not pay, and adds again. Where experts move, a
// round takes
// each pick out and picks those that overlap it again without its expert; if any changed, it adds, drops and adds
// again, and
// the first explanation that is better begins the next round.
func (m *Model) referenceExplain(image []float64) []Pick {
	picks := m.referenceSweep(image, m.referenceAdd(image, nil, -1))
	for round, i := 0, 0; m.Moves() && round < moveRounds && i < len(picks); i++ {
		next, changed := m.referenceAgain(image, picks, i)
		if !changed {
			continue
		}
		next = m.referenceSweep(image, m.referenceAdd(image, next, -1))
		if m.LogLik(image, next)+m.LogPrior(next) > m.LogLik(image, picks)+m.LogPrior(picks)+moved {
			picks, i, round = next, -1, round+1
		}
	}
	return picks
}

// referenceAgain takes pick i out and picks all others that overlap it again, in turn, without its expert.
func (m *Model) referenceAgain(image []float64, all []Pick, i int) (picks []Pick, changed bool) {
	out := all[i]
	picks = without(all, out)
	for _, p := range all {
		overlap := false
		for d := range image {
			overlap = overlap || len(m.Opinions(d, []Pick{p})) > 0 && len(m.Opinions(d, []Pick{out})) > 0
		}
		if p == out || !overlap || count(picks, p.Expert) == 0 || len(without(picks, p)) == len(picks) {
			continue
		}
		picks = without(picks, p)
		net := func(p Pick) float64 {
			return m.LogLik(image, append(picks[:len(picks):len(picks)], p)) - m.LogLik(image, picks) - m.Price(p.Expert)
		}
		best := m.referenceBest(image, picks, out.Expert)
		switch {
		case best != nil && *best != p && net(*best) > net(p)+tie:
			picks, changed = append(picks, *best), true
		case net(p) > tie:
			picks = append(picks, p)
		default:
			changed = true
		}
	}
	return picks, changed
}

// referenceSweep returns the picks that pay, and those that the pursuit adds to them.
func (m *Model) referenceSweep(image []float64, picks []Pick) []Pick {
	for _, p := range append([]Pick(nil), picks...) {
		rest := without(picks, p)
		if m.LogLik(image, picks)-m.LogLik(image, rest) <= m.Price(p.Expert) {
			picks = rest
		}
	}
	return m.referenceAdd(image, picks, -1)
}

// referenceAdd returns the picks and those that the pursuit adds, which are of other experts than the barred one.
func (m *Model) referenceAdd(image []float64, picks []Pick, barred int) []Pick {
	for {
		p := m.referenceBest(image, picks, barred)
		if p == nil {
			return picks
		}
		picks = append(picks[:len(picks):len(picks)], *p)
	}
}

// referenceBest returns the pick that gains most beside others, nil if none pays.
func (m *Model) referenceBest(image []float64, picks []Pick, barred int) (at *Pick) {
	now, best := m.LogLik(image, picks), tie
	for c := range m.K() * m.Poses.Len() {
		p := Pick{c / m.Poses.Len(), m.Poses.At(c % m.Poses.Len())}
		if count(picks, p.Expert) >= max(m.Reuse, 1) || p.Expert == barred {
			continue
		}
		gain := m.LogLik(image, append(picks[:len(picks):len(picks)], p)) - now - m.Price(p.Expert)
		if gain > best+tie {
			best, at = gain, &p
		}
	}
	return at
}

// without returns the picks but for the first that equals p.
func without(picks []Pick, p Pick) []Pick {
	for i := range picks {
		if picks[i] == p {
			return append(picks[:i:i], picks[i+1:]...)
		}
	}
	return picks
}

// count returns how many of the picks are of an expert.
func count(picks []Pick, expert int) int {
	n := 0
	for _, p := range picks {
		if p.Expert == expert {
			n++
		}
	}
	return n
}
