package real

import "example.com/patchwork/pose"

// This file is the definition of what a model says of a pixel in the shape of the
// formulas, without regard to speed. The tests hold the fast code to it.

// Opinions returns what the picks say about pixel d, in their order. Entries that abstain, or
// whose frame does not reach the pixel, are left out.
func (m *Model) Opinions(d int, picks []Pick) []Normal {
	var out []Normal
	for _, p := range picks {
		if f := m.source(p.Pose, d); f >= 0 {
			if e := m.Experts[p.Expert][f]; e.Vote != Abstains {
				out = append(out, m.opinion(e, d))
			}
		}
	}
	return out
}

// opinion returns what an entry that votes says about pixel d.
func (m *Model) opinion(e Entry, d int) Normal {
	if e.Vote == MeanOnly {
		e.Var = m.Background[d].Var
	}
	return e.Normal
}

// source returns the pixel of a frame that lies on pixel d of an image, or -1.
func (m *Model) source(p pose.Pose, d int) int {
	y, x := d/m.Width-p.DY, d%m.Width-p.DX
	h, w := m.Frame()
	if t := pose.NewTurn(h, w, p.Angle); t.From != nil {
		y, x = y-t.Top, x-t.Left
		if y < 0 || x < 0 || y >= t.Height || x >= t.Width {
			return -1
		}
		return int(t.From[y*t.Width+x])
	}
	if y < 0 || x < 0 || y >= h || x >= w {
		return -1
	}
	return y*w + x
}

// Compose returns what a model says about pixel d under the picks.
func (m *Model) Compose(d int, picks []Pick) Mixture {
	return m.join(d, m.Opinions(d, picks))
}

// join returns what opinions say together about pixel d.
func (m *Model) join(d int, opinions []Normal) Mixture {
	return m.Rule.Compose(m.Tau, m.Background[d], opinions...)
}
