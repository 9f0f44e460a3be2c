package real

// finish learns with the noise as it is and the background free, deletes experts without which the description is
// shorter, and returns the best state seen. It tries those of least use, and those of the fewest votes: these
// may say what the background could say itself.
func (l *learner) finish(s *state, t *terms) (*state, error) {
	s, err := l.settle(s, t)
	if err != nil {
		return nil, err
	}
	for s.m.K() > 0 {
		before := s
		for _, k := range l.dispensable(s) {
			less, err := l.delete(s, k, t)
			if err != nil {
				return nil, err
			}
			if less.length < s.length {
				s = less
				break
			}
		}
		if s == before {
			break
		}
	}
	return s, nil
}

// dispensable returns up to four experts that may not pay: that of least use, then those with the fewest votes.
func (l *learner) dispensable(s *state) []int {
	votes := make([]float64, s.m.K())
	for k, e := range s.m.Experts {
		for _, o := range e {
			votes[k] += float64(o.Vote)
		}
	}
	out := []int{worst(l.useful(s), 0)}
	for rank := range min(3, s.m.K()) {
		if k := worst(votes, rank); k != out[0] {
			out = append(out, k)
		}
	}
	return out
}

// settle takes steps of EM until two in turn do not shorten the description, and returns the best state, of
// those after the first step, whose terms are the ones given.
func (l *learner) settle(s *state, t *terms) (*state, error) {
	s, err := l.em(s, t, 1)
	if err != nil {
		return nil, err
	}
	best, worse := s, 0
	for range lastSteps {
		if s, err = l.em(s, t, 1); err != nil {
			return nil, err
		}
		if s.length < best.length-1e-6 {
			best, worse = s, 0
		} else if worse++; worse == 2 {
			break
		}
	}
	return best, nil
}
