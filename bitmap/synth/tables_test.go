package synth

import (
	"testing"

	"example.com/patchwork/bitmap"
)

func TestQuadrantsTruth(t *testing.T) {
	const n = 20000
	s := must(Quadrants(QuadrantsOptions{N: n, Seed: 11}))
	uses := make([]int, QuadrantExperts)
	free, freeOn := 0, 0
	for i, m := range s.Images {
		for d, p := range s.Truth.Templates[i] {
			on := m.At(d/6, d%6)
			switch p {
			case 0.5:
				free++
				if on {
					freeOn++
				}
			case 0, 1:
				if on != (p == 1) {
					t.Fatalf("image %d pixel %d is %v against a template of %v", i, d, on, p)
				}
			default:
				t.Fatalf("image %d: template %v", i, p)
			}
		}
		for q := range 4 {
			if s.Truth.Active[i][2*q] && s.Truth.Active[i][2*q+1] {
				t.Fatalf("image %d: quadrant %d is black and white", i, q)
			}
		}
		for k, on := range s.Truth.Active[i] {
			if on {
				uses[k]++
			}
		}
	}
	for k, u := range uses {
		closeTo(t, "use of expert "+string(rune('0'+k)), u, n, 0.25)
	}
	closeTo(t, "free pixels", free, n*36, 0.5)
	closeTo(t, "on among free pixels", freeOn, free, 0.5)
}

// The template of an image is the max-minus-min composition of its experts at
// q = 1/2: hi + lo - q, from the definition in section 2 of the paper.
func TestQuadrantsTemplateIsTheComposition(t *testing.T) {
	s := must(Quadrants(QuadrantsOptions{N: 50, Side: 8, Seed: 1}))
	for i, template := range s.Truth.Templates {
		for d, got := range template {
			hi, lo := 0.5, 0.5
			for k, on := range s.Truth.Active[i] {
				if on {
					hi, lo = max(hi, s.Truth.Experts[k][d]), min(lo, s.Truth.Experts[k][d])
				}
			}
			if want := hi + lo - 0.5; got != want {
				t.Fatalf("image %d pixel %d: template %v, composition %v", i, d, got, want)
			}
		}
	}
}

func TestQuadrantExpertsCoverTheirQuadrant(t *testing.T) {
	s := must(Quadrants(QuadrantsOptions{N: 1, Side: 4}))
	for k, want := range []string{"00..|00..|....|....", "11..|11..|....|....", "..00|..00|....|....",
		"..11|..11|....|....",
		"....|....|00..|00..", "....|....|11..|11..", "....|....|..00|..00", "....|....|..11|..11"} {
		got := ""
		for d, p := range s.Truth.Experts[k] {
			if d > 0 && d%4 == 0 {
				got += "|"
			}
			got += map[float64]string{0: "0", 0.5: ".", 1: "1"}[p]
		}
		if got != want {
			t.Errorf("expert %d is %s, want %s", k, got, want)
		}
	}
}

func TestBarsTruth(t *testing.T) {
	for _, side := range []int{1, 5, 16} {
		const n = 4000
		s := must(Bars(BarsOptions{N: n, Side: side, Seed: 12}))
		on, flips := 0, 0
		for i, m := range s.Images {
			union := bitmap.New(side, side)
			for k, active := range s.Truth.Active[i] {
				for j := range side {
					if active && k < side {
						union.Set(k, j, true)
					} else if active {
						union.Set(j, k-side, true)
					}
				}
				if active {
					on++
				}
			}
			if !union.Equal(s.Truth.Clean[i]) {
				t.Fatalf("side %d, image %d: clean is\n%vunion of the active bars is\n%v", side, i, s.Truth.Clean[i], union)
			}
			flips += differences(m, union)
		}
		closeTo(t, "bars on", on, n*2*side, 1/float64(side))
		closeTo(t, "flips", flips, n*side*side, 0.05)
		for k, b := range s.Truth.Bars {
			if b.CountOn() != side || !b.At(k%side, k%side) {
				t.Errorf("side %d: bar %d is\n%v", side, k, b)
			}
		}
	}
}

// differences counts the pixels at which two images of one size differ.
func differences(a, b *bitmap.Image) int {
	n := 0
	for y := range a.Height() {
		for x := range a.Width() {
			if a.At(y, x) != b.At(y, x) {
				n++
			}
		}
	}
	return n
}

func TestBarsExtremes(t *testing.T) {
	none := must(Bars(BarsOptions{N: 2, On: new(0.0), Flip: new(0.0)}))
	all := must(Bars(BarsOptions{N: 2, On: new(1.0), Flip: new(1.0)}))
	for i := range 2 {
		if none.Images[i].CountOn() != 0 || all.Truth.Clean[i].CountOn() != 25 || all.Images[i].CountOn() != 0 {
			t.Errorf("image %d: no bars\n%vall bars, all flipped\n%v", i, none.Images[i], all.Images[i])
		}
	}
}

func TestNoise(t *testing.T) {
	m := bitmap.New(200, 200)
	for y := range 200 {
		for x := range 100 {
			m.Set(y, x, true)
		}
		m.SetUnknown(y, 199)
	}
	before := m.Clone()
	out := must(Spoil([]*bitmap.Image{m, m}, Noise{Flip: 0.2, Hide: 0.1}, 4))
	if !m.Equal(before) {
		t.Fatal("Spoil changed its input")
	}
	if out[0].Equal(out[1]) {
		t.Fatal("two images got the same noise")
	}
	hidden, flipped := 0, 0
	for y := range 200 {
		if out[0].Known(y, 199) {
			t.Fatalf("row %d: an unknown pixel became known", y)
		}
		for x := range 199 {
			switch {
			case !out[0].Known(y, x):
				hidden++
			case out[0].At(y, x) != m.At(y, x):
				flipped++
			}
		}
	}
	closeTo(t, "hidden", hidden, 200*199, 0.1)
	closeTo(t, "flipped among known", flipped, 200*199-hidden, 0.2)
	if clean := must(Spoil([]*bitmap.Image{m}, Noise{}, 4)); !clean[0].Equal(m) {
		t.Fatal("no noise changed the image")
	}
}

// TestNoiseIsNested: more noise corrupts a superset of the pixels, as Apply
// documents.
func TestNoiseIsNested(t *testing.T) {
	m := bitmap.New(30, 30)
	little := Noise{Flip: 0.1}.Apply(stream(1, forNoise, 0), m)
	much := Noise{Flip: 0.3}.Apply(stream(1, forNoise, 0), m)
	for y := range 30 {
		for x := range 30 {
			if little.At(y, x) && !much.At(y, x) {
				t.Fatalf("pixel (%d,%d) is flipped at 0.1 and not at 0.3", y, x)
			}
		}
	}
	if little.CountOn() == 0 || little.CountOn() >= much.CountOn() {
		t.Fatalf("%d flips at 0.1, %d at 0.3", little.CountOn(), much.CountOn())
	}
}
