package figures

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/rule"
)

func TestMinus(t *testing.T) {
	for in, want := range map[string]string{"-1.5": "−1.5", "at (-3) to -0.2": "at (−3) to −0.2",
		"max-minus-min 8-bit": "max-minus-min 8-bit", "a - b": "a - b"} {
		if got := minus(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// TestByWriter: the first image of each writer, ordered by number rather than
// spelling, or all in order.
func TestByWriter(t *testing.T) {
	var images []*bitmap.Image
	for i := range 6 {
		img := bitmap.New(1, 8)
		img.Set(0, i, true)
		images = append(images, img)
	}
	s := &dataset.Set{Data: patchwork.Data{Images: images},
		Meta: []dataset.Labels{dataset.LabelsOf("y", []string{"T", "T", "L", "T", "T", "T"}),
			dataset.LabelsOf("writer", []int64{10, 9, 1, 9, 2, 10})}}
	got, err := byWriter(s, "T")
	if err != nil || len(got) != 3 || got[0] != images[4] || got[1] != images[1] || got[2] != images[0] {
		t.Errorf("%v, %v", got, err)
	}
	s.Meta = s.Meta[:1]
	if got, err = byWriter(s, "T"); err != nil || len(got) != 5 || got[1] != images[1] {
		t.Errorf("without writers %v, %v", got, err)
	}
	if letters, err := capitals(s); err != nil || len(letters) != 2 || letters[0] != "L" {
		t.Errorf("capitals %v, %v", letters, err)
	}
	s.Meta = nil
	if _, err := byWriter(s, "T"); err == nil {
		t.Error("letters without names were found")
	}
}

// TestStraight: a straight bar is one stroke, a corner is not.
func TestStraight(t *testing.T) {
	const side = 56
	draw := func(ink func(y, x int) bool) []float64 {
		p := make([]float64, side*side)
		for i := range p {
			if p[i] = .02; ink(i/side, i%side) {
				p[i] = .9
			}
		}
		return p
	}
	bar := func(y, x int) bool { return y >= 5 && y < 45 && x >= 20 && x < 25 }
	foot := func(y, x int) bool { return y >= 40 && y < 45 && x >= 20 && x < 50 }
	for name, c := range map[string]struct {
		ink  func(y, x int) bool
		want bool
	}{
		"bar": {bar, true}, "corner": {func(y, x int) bool { return bar(y, x) || foot(y, x) }, false},
		"slanted": {func(y, x int) bool { return y >= 5 && y < 45 && x-y/2 >= 10 && x-y/2 < 14 }, true},
		"blob":    {func(y, x int) bool { return y < 20 && x < 20 }, false},
		"speck":   {func(y, x int) bool { return y < 10 && x < 2 }, false},
	} {
		if got := straight(draw(c.ink), side); got != c.want {
			t.Errorf("%s: straight %v", name, got)
		}
	}
}

// TestInterpolated: interpolation agrees with the printed formula at the
// corners, and with the expectation in between.
func TestInterpolated(t *testing.T) {
	for _, p := range [][]float64{{0, 1, 1}, {.5, 1}, {.5, .5}, {1}} {
		if got, want := interpolated(p, nil), rule.NormalizedSumPrinted(p...); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, printed %v", p, got, want)
		}
	}
	if e := interpolationError(3); e > 1e-12 {
		t.Errorf("the exact rule is %g off", e)
	}
}

// TestClimb: gradient ascent from both sides of 1/2 ends at a maximum; from one
// side it does not.
func TestClimb(t *testing.T) {
	for _, r := range []rule.Rule{rule.SumOfLogOdds{}, rule.MaxMinusMin{Q: .5}} {
		if a, b := climb(r, .6, .4); rule.TwoExperts(r, a, b) < globalMaximum-1e-3 {
			t.Errorf("%v from (0.6, 0.4) to (%v, %v)", r, a, b)
		}
	}
	if a, b := climb(rule.MaxMinusMin{Q: .5}, .7, .6); a < .999 || b != .6 {
		t.Errorf("max minus min from (0.7, 0.6) to (%v, %v)", a, b)
	}
	if a, b := climb(rule.SumOfLogOdds{}, .7, .6); a < .9 || b <= .6 {
		t.Errorf("sum of log-odds from (0.7, 0.6) to (%v, %v)", a, b)
	}
}

// TestReadLettersNames: letters are found under the column names that files
// use.
func TestReadLettersNames(t *testing.T) {
	dir := t.TempDir()
	read := func(members ...npy.Member) *dataset.Set {
		var b bytes.Buffer
		members = append(members, npy.Member{Name: "x", Array: npy.New([]uint8{0, 200, 200, 0}, 2, 1, 2)})
		if err := npy.WriteZip(&b, npy.Store, members...); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "a.npz")
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		half := 127.0
		s, err := readLetters([]string{path}, dataset.Options{Threshold: &half})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := read(npy.Member{Name: "labels", Array: npy.New([]string{"t", "l"}, 2)},
		npy.Member{Name: "writers", Array: npy.New([]int64{4, 5}, 2)})
	if got, err := byWriter(s, "T"); err != nil || len(got) != 1 || got[0] != s.Images[0] {
		t.Errorf("%v, %v of %v", got, err, s.Meta)
	}
	s = read(npy.Member{Name: "labels", Array: npy.New([]string{"x", "y"}, 2)},
		npy.Member{Name: "y", Array: npy.New([]string{"T", "t"}, 2)})
	if got, err := byWriter(s, "T"); err != nil || len(got) != 1 {
		t.Errorf("small and large letters are two: %v, %v", got, err)
	}
}
