package synth

import (
	"math"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
)

// margins counts the empty rows and columns around the ink.
func margins(m *bitmap.Image) (top, bottom, left, right int) {
	top, bottom, left, right = m.Height(), m.Height(), m.Width(), m.Width()
	for y := range m.Height() {
		for x := range m.Width() {
			if m.At(y, x) {
				top, bottom = min(top, y), min(bottom, m.Height()-1-y)
				left, right = min(left, x), min(right, m.Width()-1-x)
			}
		}
	}
	return top, bottom, left, right
}

// TestLettersFillTheirFrame checks the frame of TiCC: the longer side of the
// ink fills the box between borders of exactly 3 pixels, and the shorter side
// is centred.
func TestLettersFillTheirFrame(t *testing.T) {
	for _, side := range []int{56, 16, 33, 90} {
		s := must(Letters(LettersOptions{Writers: 40, Side: side, Seed: 21}))
		for i, m := range s.Images {
			top, bottom, left, right := margins(m)
			tall, wide := top == 3 && bottom == 3, left == 3 && right == 3
			// The ink at the end of a slanting stroke may miss the extreme
			// pixel on one side; that margin is then one larger.
			centred := abs(top-bottom) <= 1 && abs(left-right) <= 1
			if m.Height() != side || m.Width() != side || !(tall || wide) || !centred || min(top, bottom, left, right) < 3 {
				t.Fatalf("side %d, image %d (%c): margins %d, %d, %d, %d\n%v", side, i, s.Truth.Items[i].Letter, top, bottom, left,
					right, m)
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

func TestLettersTruth(t *testing.T) {
	const writers, samples = 7, 3
	n := len(Capitals) * writers * samples
	s := must(Letters(LettersOptions{Writers: writers, N: n, Seed: 22}))
	for i, l := range s.Truth.Items {
		if l.Letter != rune(Capitals[i%26]) || l.Writer != i/26%writers+1 || l.Sample != i/26/writers {
			t.Fatalf("image %d: %c of writer %d, sample %d", i, l.Letter, l.Writer, l.Sample)
		}
		way := skeletons[l.Letter][l.Variant]
		if len(l.Poses) != len(way) || l.Pen < 2.5 || l.Pen > 6 {
			t.Fatalf("image %d: %d poses for %d strokes, pen %v", i, len(l.Poses), len(way), l.Pen)
		}
		if first := s.Truth.Items[i%(26*writers)]; first.Variant != l.Variant {
			t.Errorf("writer %d writes %c in two ways", l.Writer, l.Letter)
		}
		area := make([]int, len(way))
		for d, k := range l.Stroke {
			if (k >= 0) != s.Images[i].At(d/56, d%56) || int(k) >= len(way) {
				t.Fatalf("image %d pixel %d: stroke %d, ink %v", i, d, k, s.Images[i].At(d/56, d%56))
			}
			if k >= 0 {
				area[k]++
			}
		}
		for k, p := range l.Poses {
			if area[k] < 10 {
				t.Errorf("image %d (%c): stroke %d owns %d pixels\n%v", i, l.Letter, k, area[k], s.Images[i])
			}
			if !(p.Y > 3 && p.Y < 53 && p.X > 3 && p.X < 53) || !(math.Abs(p.Angle) < 60) {
				t.Errorf("image %d (%c): stroke %d at %+v", i, l.Letter, k, p)
			}
		}
	}
}

// TestLettersDoNotDependOnTheSet: a drawing does not depend on what else is in the set.
func TestLettersDoNotDependOnTheSet(t *testing.T) {
	all := must(Letters(LettersOptions{Writers: 5, Seed: 23}))
	some := must(Letters(LettersOptions{Letters: "QT", Writers: 3, Seed: 23}))
	for i, l := range some.Truth.Items {
		j := (l.Writer-1)*26 + strings.IndexRune(Capitals, l.Letter)
		if !some.Images[i].Equal(all.Images[j]) {
			t.Errorf("the %c of writer %d depends on the other letters asked for", l.Letter, l.Writer)
		}
	}
}

// TestWritersAreConsistent: handwriting varies, less within a writer than
// between writers.
func TestWritersAreConsistent(t *testing.T) {
	const writers, samples = 20, 4
	s := must(Letters(LettersOptions{Letters: "T", Writers: writers, N: writers * samples, Seed: 24}))
	spread := func(value func(Letter) float64) (within, between float64) {
		var means, all []float64
		for w := range writers {
			var own []float64
			for k := range samples {
				own = append(own, value(s.Truth.Items[k*writers+w]))
			}
			m, v := meanVariance(own)
			means, all = append(means, m), append(all, v)
		}
		within, _ = meanVariance(all)
		_, between = meanVariance(means)
		return within, between
	}
	for name, value := range map[string]func(Letter) float64{
		"angle of the stem": func(l Letter) float64 { return l.Poses[0].Angle },
		"angle of the bar":  func(l Letter) float64 { return l.Poses[1].Angle },
		"pen":               func(l Letter) float64 { return l.Pen },
	} {
		within, between := spread(value)
		if within == 0 || within > between/1.5 {
			t.Errorf("%s: variance %.3g within writers, %.3g between", name, within, between)
		}
	}
	for i, a := range s.Images {
		for j, b := range s.Images[:i] {
			if a.Equal(b) {
				t.Errorf("images %d and %d are equal", j, i)
			}
		}
	}
}

func meanVariance(v []float64) (mean, variance float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, variance
}

// TestPenWidths: the pen is as in TiCC: 2.5 to 6 pixels wide, with a median of
// about 4.2.
func TestPenWidths(t *testing.T) {
	s := must(Letters(LettersOptions{Letters: "I", Writers: 1000, Seed: 25}))
	thin, below := 0, 0
	for _, l := range s.Truth.Items {
		if l.Pen < 3.4 {
			thin++
		}
		if l.Pen < 4.2 {
			below++
		}
	}
	closeTo(t, "pens below 4.2", below, 1000, 0.5)
	if thin < 100 || thin > 250 {
		t.Errorf("%d of 1000 pens are thinner than 3.4 pixels", thin)
	}
}

func TestLetterArrays(t *testing.T) {
	s := must(Letters(LettersOptions{Letters: "LE", Writers: 1, Seed: 26}))
	byName := make(map[string]Array)
	for _, a := range s.Arrays() {
		byName[a.Name] = a
	}
	if y := byName["y"].Data.([]string); y[0] != "L" || y[1] != "E" {
		t.Errorf("y = %q", y)
	}
	pose, l := byName["pose"].Data.([]float64), s.Truth.Items[0]
	if pose[0] != l.Poses[0].Y || pose[1] != l.Poses[0].X || pose[2] != l.Poses[0].Angle {
		t.Errorf("pose of the first stroke is %v, want %+v", pose[:3], l.Poses[0])
	}
	for k := range MaxStrokes {
		if got, want := math.IsNaN(pose[3*k]), k >= len(l.Poses); got != want {
			t.Errorf("stroke %d of L: NaN is %v, want %v", k, got, want)
		}
	}
}
