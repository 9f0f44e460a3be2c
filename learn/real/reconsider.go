package real

import "slices"

// Where experts move, a pick at a wrong place can keep those that overlap it at wrong places, too: each is the best
// beside the
// other. This file takes such picks out together, as the pursuit of bits replaces picks.

// moveRounds is how often the picks of an image are reconsidered at most, and moved the joint log-likelihood by which
// another
// explanation must be better, in nats.
const (
	moveRounds = 4
	moved      = 1e-6
)

// reconsider takes each pick out, in turn; without its expert, every pick that overlaps it is picked again, at a better
// place if there
// is one; then picks are added, dropped and added as ever. The first explanation that is better is kept and
// reconsidered.
func (p *Pursuit) reconsider(gains []float64) []float64 {
	for range moveRounds {
		next := p.better(gains)
		if next == nil {
			break
		}
		gains = next
	}
	return gains
}

// better makes a better explanation of the field's picks the field's and returns what its picks gain; nil, and all as
// it was, if
// it finds none.
func (p *Pursuit) better(gains []float64) []float64 {
	f := p.f
	if len(f.picks) < 2 {
		return nil
	}
	before, joint := f.save(), p.joint()
	for i, c := range before.picks {
		var beside []int
		for _, o := range before.picks {
			if o != c && f.overlap(c, o) {
				beside = append(beside, o)
			}
		}
		if beside == nil {
			continue
		}
		k := c / len(f.poses)
		next := slices.Delete(slices.Clone(gains), i, i+1)
		f.remove(i, true)
		f.barred = k + 1
		next, changed := p.again(next, beside)
		f.barred = 0
		if changed {
			if next = p.climb(p.drop(p.climb(next))); p.joint() > joint+moved {
				return next
			}
		}
		f.restore(before)
	}
	return nil
}

// again takes out picks, in turn, and picks again beside the others: another candidate if that gains more, none if
// nothing
// pays, else the same.
func (p *Pursuit) again(gains []float64, picks []int) (_ []float64, changed bool) {
	f := p.f
	for _, c := range picks {
		i := slices.Index(f.picks, c)
		if i < 0 {
			continue // it was dropped
		}
		gain := gains[i]
		gains = slices.Delete(gains, i, i+1)
		f.remove(i, true)
		at, net := p.best(), f.gains[c]-f.price[c/len(f.poses)]
		switch {
		case at >= 0 && at != c && f.gains[at]-f.price[at/len(f.poses)] > net+tie:
			gain, changed = f.gains[at], true
		case net > tie:
			at = c
		default:
			changed = true
			continue
		}
		f.add(at, true)
		gains = append(gains, gain)
	}
	return gains, changed
}

// joint returns the logarithm of the probability of the image and the field's picks.
func (p *Pursuit) joint() float64 { return p.result(nil).LogJoint }

// overlap reports whether two candidates have opinions about one pixel.
func (f *field) overlap(a, b int) bool {
	_, sp, p := f.parts(a)
	_, other, q := f.parts(b)
	for i := range sp.entries {
		e := &sp.entries[i]
		if d, ok := f.pixel(int(e.y), int(e.x), p); ok && f.at(other, q, d) != nil {
			return true
		}
	}
	return false
}

// saved is what changes in a field by picks.
type saved struct {
	picks, used []int
	cells       []cell
	said        [][]*entry
	gains       []float64
}

// save returns a copy of what picks change.
func (f *field) save() *saved {
	s := &saved{picks: slices.Clone(f.picks), used: slices.Clone(f.used), cells: slices.Clone(f.cells),
		gains: slices.Clone(f.gains)}
	for _, said := range f.said {
		s.said = append(s.said, slices.Clone(said))
	}
	return s
}

// restore makes a field what it was when it was saved.
func (f *field) restore(s *saved) {
	f.picks = append(f.picks[:0], s.picks...)
	copy(f.used, s.used)
	copy(f.cells, s.cells)
	copy(f.gains, s.gains)
	for d := range f.said {
		f.said[d] = append(f.said[d][:0], s.said[d]...)
	}
}
