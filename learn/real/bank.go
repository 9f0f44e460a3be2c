package real

import (
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
)

// entry is one opinion, in terms of z, the value of the pixel in standard deviations of the
// background from its mean: the logarithm of its density relative to the background's is
// a + b z + c z^2. s is its strength, negative where it is down; it is not 0.
type entry struct {
	s, a, b, c float64
	y, x       int32 // of the pixel in the image, before shifts
}

// gain returns the logarithm of the opinion's density relative to the background's.
func (e *entry) gain(z float64) float64 { return e.a + float64((e.b+float64(e.c*z))*z) }

// sprite is an expert, turned: its opinions, and where each pixel of its box is found.
type sprite struct {
	entries []entry
	sum     float64 // of all a
	plain   bool    // all c are 0

	top, left, h, w int
	index           []int32 // of the pixels of the box: the entry, or -1
	frame           []int32 // of the pixels of the box: the pixel of the frame, or -1
}

// spoken is an opinion about a pixel by expert k, where experts stay in their places.
type spoken struct {
	entry
	k int
}

// bank is what many pursuits share: the model, prepared.
type bank struct {
	m       *Model
	mean    []float64 // of the background
	inverse []float64 // 1 / standard deviation of the background
	base    []float64 // -ln of the standard deviation - ln(2 pi)/2
	sprites []sprite  // K x rotations
	about   [][]spoken
	price   []float64
	tau     float64
	poses   []pose.Pose // all of them
	shifts  int         // of one rotation
}

// newBank returns a model prepared for pursuits. The model must be valid.
func newBank(m *Model) *bank {
	b := &bank{m: m, tau: m.Tau, shifts: m.Poses.Shifts()}
	for i := range m.Poses.Len() {
		b.poses = append(b.poses, m.Poses.At(i))
	}
	if b.tau == 0 {
		b.tau = DefaultTau
	}
	for _, n := range m.Background {
		b.mean = append(b.mean, n.Mean)
		b.inverse = append(b.inverse, 1/math.Sqrt(n.Var))
		b.base = append(b.base, float64(-elem.Log(n.Var)/2)-halfLog2Pi)
	}
	h, w := m.Frame()
	for r := range m.Poses.Rotations() {
		turn := b.turn(h, w, r)
		for k := range m.K() {
			if r == 0 {
				b.price = append(b.price, m.Price(k))
				b.sprites = append(b.sprites, make([]sprite, m.Poses.Rotations())...)
			}
			b.sprites[k*m.Poses.Rotations()+r] = b.sprite(m.Experts[k], turn)
		}
	}
	if !m.Moves() {
		b.about = make([][]spoken, m.D())
		for k := range b.sprites {
			for i := range b.sprites[k].entries {
				e := &b.sprites[k].entries[i]
				if d, ok := b.pixel(int(e.y), int(e.x), b.poses[0]); ok {
					b.about[d] = append(b.about[d], spoken{*e, k})
				}
			}
		}
	}
	return b
}

// sprite returns an expert, turned.
func (b *bank) sprite(expert []Entry, turn pose.Turn) sprite {
	h, w := b.m.Frame()
	sp := sprite{top: turn.Top, left: turn.Left, h: turn.Height, w: turn.Width, frame: turn.From, plain: true}
	if turn.From == nil {
		sp.h, sp.w = h, w
		for f := range h * w {
			sp.frame = append(sp.frame, int32(f))
		}
	}
	sp.index = make([]int32, len(sp.frame))
	for i, f := range sp.frame {
		sp.index[i] = -1
		if f < 0 {
			continue
		}
		y, x := i/sp.w+sp.top, i%sp.w+sp.left
		if e, ok := b.entry(expert[f], y, x); ok {
			sp.index[i] = int32(len(sp.entries))
			sp.entries = append(sp.entries, e)
			sp.sum += e.a
			sp.plain = sp.plain && e.c == 0
		}
	}
	return sp
}

// turn returns rotation number r of an h x w frame.
func (b *bank) turn(h, w, r int) pose.Turn { return pose.NewTurn(h, w, b.m.Poses.Angle(r)) }

// entry returns an opinion about the pixel in row y and column x before shifts; ok is false if it
// says nothing.
func (b *bank) entry(o Entry, y, x int) (entry, bool) {
	d, inside := b.pixel(y, x, b.poses[0])
	if b.m.Moves() {
		d, inside = 0, true // the background is one for all
	}
	if o.Vote == Abstains || !inside {
		return entry{}, false
	}
	mu, r := (o.Mean-b.mean[d])*b.inverse[d], 1.0
	if o.Vote == MeanAndVar {
		r = o.Var / b.m.Background[d].Var
	}
	e := entry{s: strength(mu, r), y: int32(y), x: int32(x),
		a: float64(-elem.Log(r)/2) - mu*mu/(2*r), b: mu / r, c: (1 - 1/r) / 2}
	if o.Mean < b.mean[d] {
		e.s = -e.s
	}
	return e, e.s > 0 || e.s < 0 && b.m.Rule != Max
}

// pixel returns the pixel of the image at row y and column x of a frame that is shifted; ok is
// false outside the image.
func (b *bank) pixel(y, x int, p pose.Pose) (d int, ok bool) {
	y, x = y+p.DY, x+p.DX
	if y < 0 || x < 0 || y >= b.m.Height || x >= b.m.Width {
		return 0, false
	}
	return y*b.m.Width + x, true
}

// inside returns the rows and columns of the box of a sprite, shifted, that lie in the image.
func (b *bank) inside(sp *sprite, p pose.Pose) (y0, y1, x0, x1 int) {
	return max(0, -sp.top-p.DY), min(sp.h, b.m.Height-sp.top-p.DY), max(0, -sp.left-p.DX),
		min(sp.w, b.m.Width-sp.left-p.DX)
}

// at returns the opinion of a sprite, shifted, about a pixel; nil if it has none.
func (b *bank) at(sp *sprite, p pose.Pose, d int) *entry {
	y, x := d/b.m.Width-p.DY-sp.top, d%b.m.Width-p.DX-sp.left
	if y < 0 || x < 0 || y >= sp.h || x >= sp.w || sp.index[y*sp.w+x] < 0 {
		return nil
	}
	return &sp.entries[sp.index[y*sp.w+x]]
}

// parts returns expert, sprite and pose of a candidate.
func (b *bank) parts(c int) (k int, sp *sprite, p pose.Pose) {
	k = c / len(b.poses)
	at := c % len(b.poses)
	return k, &b.sprites[c/b.shifts], b.poses[at]
}
