package sheets

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score/kernel"
)

// gainReference is the formula: pixel by pixel, from the probabilities of the levels.
func gainReference(sp *sprite, on, unknown *plane, y, x int) (sum int32) {
	for r := range sp.h {
		for c := range sp.w {
			for _, l := range sp.levels {
				switch {
				case l.bits[r*sp.words+c/64]>>(c%64)&1 == 0 || unknown.at(y+r, x+c):
				case on.at(y+r, x+c):
					sum += l.on
				default:
					sum += l.off
				}
			}
		}
	}
	return sum
}

// candidatesReference scores every placement by the formula.
func candidatesReference(on, unknown *plane, sprites []*sprite) (out []candidate) {
	for i, sp := range sprites {
		for y := 0; y+sp.h <= on.h; y++ {
			for x := 0; x+sp.w <= on.w; x++ {
				if gain := gainReference(sp, on, unknown, y, x); gain >= sp.need {
					out = append(out, candidate{gain, int32(i), int32(y), int32(x)})
				}
			}
		}
	}
	slices.SortFunc(out, candidate.before)
	return out
}

// place returns a candidate without its gain.
func (a candidate) place() candidate { a.gain = 0; return a }

// pursueReference scores every candidate again after every pick; one that falls below
// what it needs is out.
func pursueReference(on, unknown *plane, sprites []*sprite, list []candidate) (picks []candidate) {
	for {
		var best *candidate
		for _, c := range list {
			sp := sprites[c.sprite]
			c.gain = gainReference(sp, on, unknown, int(c.y), int(c.x))
			if c.gain >= sp.need && (best == nil || c.before(*best) < 0) {
				best = &c
			}
		}
		if best == nil {
			return picks
		}
		sp := sprites[best.sprite]
		picks = append(picks, *best)
		for r := range sp.h {
			for c := range sp.w {
				for _, l := range sp.levels {
					if y, x := int(best.y)+r, int(best.x)+c; l.on > 0 && l.p >= 0.25 && l.bits[r*sp.words+c/64]>>(c%64)&1 != 0 {
						on.bits[y*on.stride+x>>6] &^= 1 << (x & 63)
						unknown.bits[y*on.stride+x>>6] |= 1 << (x & 63)
					}
				}
			}
		}
		list = slices.DeleteFunc(list, func(c candidate) bool {
			return gainReference(sprites[c.sprite], on, unknown, int(c.y), int(c.x)) < sprites[c.sprite].need ||
				c.place() == best.place()
		})
	}
}

// scene draws a page with symbols on it, and unknown pixels.
func scene(t *rapid.T) (*bitmap.Image, []Symbol, Options) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	var symbols []Symbol
	for range rapid.IntRange(1, 3).Draw(t, "symbols") {
		h, w := rapid.IntRange(1, 20).Draw(t, "h"), rapid.IntRange(1, 70).Draw(t, "w")
		s := Symbol{Height: h, Width: w, P: make([]float64, h*w)}
		soft := rapid.Bool().Draw(t, "soft")
		for i := range s.P {
			switch {
			case soft:
				s.P[i] = r.Float64()
			case r.IntN(4) == 0:
				s.P[i] = 1
			}
			if r.IntN(30) == 0 {
				s.P[i] = math.NaN()
			}
		}
		s.P[r.IntN(len(s.P))] = 1
		symbols = append(symbols, s)
	}
	page := bitmap.New(rapid.IntRange(1, 60).Draw(t, "height"), rapid.IntRange(1, 150).Draw(t, "width"))
	for i := range page.Len() {
		if r.IntN(20) == 0 {
			page.Set(i/page.Width(), i%page.Width(), true)
		}
	}
	for range r.IntN(6) {
		s := symbols[r.IntN(len(symbols))]
		if s.Height <= page.Height() && s.Width <= page.Width() {
			y, x := r.IntN(page.Height()-s.Height+1), r.IntN(page.Width()-s.Width+1)
			for i, p := range s.P {
				if p > 0.5 && r.IntN(20) > 0 {
					page.Set(y+i/s.Width, x+i%s.Width, true)
				}
			}
		}
	}
	if rapid.Bool().Draw(t, "unknown") {
		for range page.Len() / 10 {
			page.SetUnknown(r.IntN(page.Height()), r.IntN(page.Width()))
		}
	}
	o := Options{Turns: rapid.Bool().Draw(t, "turns"), Mirror: rapid.Bool().Draw(t, "mirror"), MinOdds: math.NaN()}
	if rapid.IntRange(0, 4).Draw(t, "scaled") == 0 {
		o.Scales, o.Angles = []float64{1, 0.8}, []float64{10}
	}
	o.Share = rapid.SampledFrom([]float64{0, 0.1, 0.8}).Draw(t, "share")
	return page, symbols, o
}

// The bounds leave out no place that the formula keeps, on any path of the kernels, and
// the pursuit picks what a search over all places picks.
func TestSearchIsTheFormula(t *testing.T) {
	paths := slices.DeleteFunc(kernel.All(), func(p *kernel.Path) bool { return !p.Fast() })
	rapid.Check(t, func(t *rapid.T) {
		page, symbols, o := scene(t)
		sprites, err := o.sprites(symbols)
		if err != nil {
			t.Skip(err)
		}
		on, unknown := planes(page, 4)
		rates := learnRates(on, unknown)
		sprites = slices.DeleteFunc(sprites, func(sp *sprite) bool {
			sp.weigh(rates, o.Share, 5)
			return sp.h > page.Height() || sp.w > page.Width()
		})
		want := candidatesReference(on, unknown, sprites)
		for _, path := range paths {
			restore := kernel.Force(path)
			got, err := candidates(context.Background(), on, unknown, sprites, rapid.IntRange(0, 7).Draw(t, "tiles"), 1)
			restore()
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: %d candidates, want %d (%v)", path.Name, len(got), len(want), err)
			}
		}
		if len(want) > 300 {
			return
		}
		on2, unknown2 := planes(page, 4)
		picks := pursue(on, unknown, sprites, want)
		all := pursueReference(on2, unknown2, sprites, want)
		if !slices.EqualFunc(picks, all, func(p pick, c candidate) bool { return p.candidate == c }) {
			t.Fatalf("picks\n%v, want\n%v", picks, all)
		}
		if !slices.Equal(on.bits, on2.bits) || !slices.Equal(unknown.bits, unknown2.bits) {
			t.Fatal("the pages that are left differ")
		}
	})
}

// The result is the same for any number of tiles and workers.
func TestTilesAndWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page, symbols, o := scene(t)
		o.Tiles, o.Workers = 1, 1
		want, err := Search(context.Background(), page, symbols, o)
		if err != nil {
			t.Skip(err)
		}
		for _, n := range []int{4, 50} {
			for _, workers := range []int{2, 7} {
				o.Tiles, o.Workers = n, workers
				got, err := Search(context.Background(), page, symbols, o)
				if err != nil || !slices.Equal(got.Finds, want.Finds) || got.Candidates != want.Candidates {
					t.Fatalf("%d tiles, %d workers: %+v, want %+v (%v)", n, workers, got, want, err)
				}
			}
		}
	})
}

// Long strokes are those that windows of the formula find, along both directions.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		page := bitmap.New(rapid.IntRange(1, 100).Draw(t, "height"), rapid.IntRange(1, 160).Draw(t, "width"))
		length := rapid.IntRange(64, 140).Draw(t, "length")
		for i := range page.Len() {
			if y, x := i/page.Width(), i%page.Width(); r.IntN(30) == 0 || (y%40 == 7 || x%50 == 3) && r.IntN(8) > 0 {
				page.Set(y, x, true)
			}
		}
		on, unknown := planes(page, 2)
		takeLines(on, unknown, length, 2)
		need := int(lineShare*float64(length) + 0.999)
		for y := range page.Height() {
			for x := range page.Width() {
				if got := unknown.at(y, x); got != inLine(page, y, x, 0, 1, length, need) && got != inLine(page, y, x, 1, 0, length,
					need) {
					t.Fatalf("row %d, column %d: in a line %v", y, x, got)
				}
			}
		}
	})
}

func inLine(m *bitmap.Image, y, x, dy, dx, length, need int) bool {
	for back := range length {
		n, y0, x0 := 0, y-back*dy, x-back*dx
		y1, x1 := y0+(length-1)*dy, x0+(length-1)*dx
		if y0 < 0 || x0 < 0 || y1 >= m.Height() || x1 >= m.Width() {
			continue
		}
		for k := range length {
			if m.At(y0+k*dy, x0+k*dx) {
				n++
			}
		}
		if n >= need {
			return true
		}
	}
	return false
}
