package strokes

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// Centre moves the templates so that the box around the entries above 1/2 lies in the
// middle of the frame, upright where the grid has rotations all around, and moves the
// picks so that they stay where they are, to the nearest pose. An expert that has
// drifted to the border of its frame cannot grow there, and is not found where a shift
// is bounded.
func (l *Learner) Centre(st *State) {
	st.templates, st.picks = append([][]uint8(nil), st.templates...), append([][]pick(nil), st.picks...)
	for k, t := range st.templates {
		if dy, dx := l.off(t); dy != 0 || dx != 0 {
			st.templates[k] = l.moved(t, -dy, -dx)
			for i, picks := range st.picks {
				st.picks[i] = l.compensated(picks, k, dy, dx)
			}
		}
	}
}

// off returns how far the middle of a template is from the middle of the frame, in whole
// steps of the shifts: moved by less, no pick could stay where it is.
func (l *Learner) off(t []uint8) (dy, dx int) {
	h, w := l.ground.height, l.ground.width
	y0, x0, y1, x1 := h, w, -1, -1
	for i, v := range t {
		if int(v) >= l.levels.covers {
			y0, x0, y1, x1 = min(y0, i/w), min(x0, i%w), max(y1, i/w), max(x1, i%w)
		}
	}
	if y1 < 0 {
		return 0, 0
	}
	stepY, stepX := max(l.ground.grid.DY.Step, 1), max(l.ground.grid.DX.Step, 1)
	return (y0 + y1 - h + 1) / 2 / stepY * stepY, (x0 + x1 - w + 1) / 2 / stepX * stepX
}

// moved returns a template shifted within its frame.
func (l *Learner) moved(t []uint8, dy, dx int) []uint8 {
	h, w := l.ground.height, l.ground.width
	out := make([]uint8, len(t))
	for i, v := range t {
		if y, x := i/w+dy, i%w+dx; v > 0 && y >= 0 && x >= 0 && y < h && x < w {
			out[y*w+x] = v
		}
	}
	return out
}

// compensated returns picks of an image after the template of an expert was shifted by
// (-dy, -dx): those of the expert are shifted the other way, in their own turn.
func (l *Learner) compensated(picks []pick, expert, dy, dx int) []pick {
	out := append([]pick(nil), picks...)
	g := l.ground.grid
	for j, p := range out {
		if p.expert != expert {
			continue
		}
		at := g.Turn(p.turn)
		sin, cos := elem.Sincos(at.Angle * math.Pi / 180)
		sy, sx := at.Stretch.Factors()
		y, x := sy*float64(dy), sx*float64(dx)
		out[j].dy = g.DY.Nearest(float64(p.dy) + float64(cos*y) + float64(sin*x))
		out[j].dx = g.DX.Nearest(float64(p.dx) + float64(cos*x) - float64(sin*y))
	}
	return out
}
