package patchwork_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
)

// TestTallyMergeIsAddition checks that merging is associative and commutative and
// equals counting everything in one tally, to the bit, and that a weight of w equals
// adding w times.
func TestTallyMergeIsAddition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := testkit.DrawModel(t, testkit.DrawConfig(t, testkit.AnyLevel), testkit.AnyLevel)
		list := testkit.DrawExplained(t, m, 5)
		a, b := rapid.IntRange(0, 5).Draw(t, "cut"), rapid.IntRange(0, 5).Draw(t, "cut")
		a, b = min(a, b), max(a, b)
		parts := func() (x, y, z *patchwork.Tally) {
			return testkit.TallyFrom(m, list[:a]), testkit.TallyFrom(m, list[a:b]), testkit.TallyFrom(m, list[b:])
		}
		whole := testkit.TallyFrom(m, list)

		x, y, z := parts()
		x.Merge(y)
		x.Merge(z)
		right, y2, z2 := parts()
		y2.Merge(z2)
		right.Merge(y2)
		x3, y3, back := parts()
		back.Merge(y3)
		back.Merge(x3)
		one := patchwork.NewTally(m)
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order") {
			for range list[i].Weight {
				one.Add(m, list[i].Img, list[i].E, 1)
			}
		}
		for name, got := range map[string]*patchwork.Tally{"(xy)z": x, "x(yz)": right, "zyx": back, "one by one": one} {
			if !testkit.SameTally(got, whole) {
				t.Fatalf("%s counts %+v, the whole %+v", name, got.Counts(), whole.Counts())
			}
			if !testkit.SameModel(got.MStep(m, patchwork.MStep{}), whole.MStep(m, patchwork.MStep{})) {
				t.Fatalf("%s: another model", name)
			}
		}
	})
}

// TestTallyCountsAreConsistent checks that pixels are on no more often than seen,
// seen no more often than there are images, and never lost under the max rule.
func TestTallyCountsAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := testkit.DrawModel(t, testkit.DrawConfig(t, testkit.AnyLevel), testkit.AnyLevel)
		tally := testkit.TallyFrom(m, testkit.DrawExplained(t, m, 4))
		c := tally.Counts()
		for i := range c.Seen {
			if c.On[i] < 0 || c.On[i] > c.Seen[i] || c.LostOn[i] < 0 || c.LostOn[i] > c.LostSeen[i] {
				t.Fatalf("entry %d: on %d of %d, lost %d of %d", i, c.On[i], c.Seen[i], c.LostOn[i], c.LostSeen[i])
			}
			if c.Seen[i]+c.LostSeen[i] > tally.Active(i/(m.Height()*m.Width())) {
				t.Fatalf("entry %d was seen %d + %d times in %d images", i, c.Seen[i], c.LostSeen[i],
					tally.Active(i/(m.Height()*m.Width())))
			}
			if m.Config().Rule == patchwork.RuleMax && c.LostSeen[i] > 0 {
				t.Fatalf("a max model lost entry %d", i)
			}
		}
		if _, err := patchwork.TallyOf(m, c, tally.Rows()); err != nil {
			t.Fatalf("the tally's own counts are refused: %v", err)
		}
	})
}

// TestTallyCountsSpeakers checks that, without rotations and with unknown pixels
// beyond the border, every known pixel is counted once for k* and once for l*, if
// there are such picks.
func TestTallyCountsSpeakers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		c.UnknownOutside = true
		c.Poses.Angles, c.Poses.Stretches = nil, nil
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		list := testkit.DrawExplained(t, m, 1)
		list[0].Weight = 1
		x := list[0]
		var seen, lost, wantSeen, wantLost int64
		comp := m.Compose(c.Height, c.Width, x.E.Picks)
		for i := range comp.P {
			if !x.Img.Known(i/c.Width, i%c.Width) {
				continue
			}
			switch k, l := comp.Max[i] >= 0, comp.Min[i] >= 0; {
			case k && l: // a tie: both lose the pixel
				hi, lo := opinion(m, c, x.E.Picks[comp.Max[i]], i), opinion(m, c, x.E.Picks[comp.Min[i]], i)
				if q := m.Abstention(i); hi-q == q-lo {
					wantLost += 2
				} else {
					wantSeen++
					wantLost++
				}
			case k || l:
				wantSeen++
			}
		}
		counts := testkit.TallyFrom(m, list).Counts()
		for i := range counts.Seen {
			seen += counts.Seen[i]
			lost += counts.LostSeen[i]
		}
		if seen != wantSeen || lost != wantLost {
			t.Fatalf("won %d and lost %d, the composition says %d and %d", seen, lost, wantSeen, wantLost)
		}
	})
}

func opinion(m *patchwork.Model, c patchwork.Config, pick patchwork.Pick, i int) float64 {
	return m.Place(c.Height, c.Width, pick)[i]
}

// TestGuardedIsCautious checks that an entry after the guarded step is on the same
// side of q as both means and no farther from q than either, and abstains if they
// are on different sides.
func TestGuardedIsCautious(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.Float64Range(0, 1)
		a, b, q := level.Draw(t, "won"), level.Draw(t, "all"), level.Draw(t, "q")
		got := patchwork.Guard(a, b, q)
		switch {
		case (a > q) != (b > q) && got != q:
			t.Fatalf("Guard(%v, %v) = %v around %v: they disagree", a, b, got, q)
		case math.Abs(got-q) > min(math.Abs(a-q), math.Abs(b-q)):
			t.Fatalf("Guard(%v, %v) = %v is farther from %v than either", a, b, got, q)
		case got != a && got != b && got != q:
			t.Fatalf("Guard(%v, %v) = %v", a, b, got)
		}
	})
}

func TestMStepOptions(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 4, Q: 0.5},
		[][]float64{{0.9, 0.2, 0.7, 0.5}})
	// Entry 0: on in 6 of 6 won. Entry 1: on in 2 of 5 won, on in all 5 lost, so
	// the two means disagree. Entry 2: on in 4 of 6. Entry 3: nothing.
	tally, err := patchwork.TallyOf(m, patchwork.Counts{On: []int64{6, 2, 4, 0}, Seen: []int64{6, 5, 6, 0},
		LostOn: []int64{0, 5, 0, 0}, LostSeen: []int64{0, 5, 0, 0}}, 12)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		step patchwork.MStep
		want []float64
	}{
		{"guarded", patchwork.MStep{}, []float64{7. / 8, 0.5, 5. / 8, 0.5}},
		{"waiting at the old side", patchwork.MStep{AbstainMargin: 0.01}, []float64{7. / 8, 0.49, 5. / 8, 0.51}},
		{"votes that pay", patchwork.MStep{MinVoteGain: 1}, []float64{7. / 8, 0.5, 0.5, 0.5}},
	} {
		testkit.NearAll(t, c.name, tally.MStep(m, c.step).Template(0), c.want, 1e-15)
	}
	kept := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, [][]float64{{0.9, 0.3}})
	seen, err := patchwork.TallyOf(kept, patchwork.Counts{On: []int64{1, 0}, Seen: []int64{2, 0}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	testkit.NearAll(t, "entries without counts kept", seen.MStep(kept, patchwork.MStep{KeepUnseen: true}).Template(0),
		[]float64{0.5, 0.3}, 0)
	testkit.NearAll(t, "or at the prior's mean", seen.MStep(kept, patchwork.MStep{}).Template(0), []float64{0.5, 0.5}, 0)
}

func TestTallyOfRefuses(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, [][]float64{{0.5, 0.5}})
	for _, c := range []struct {
		counts patchwork.Counts
		rows   int64
		want   string
	}{
		{patchwork.Counts{On: []int64{0}, Seen: []int64{0}}, 1, "1 and 1 counts of pixels won, the model needs 2"},
		{patchwork.Counts{On: []int64{0, 0}}, 1, "2 and 0 counts of pixels won"},
		{patchwork.Counts{LostOn: []int64{0, 0, 0}, LostSeen: []int64{0, 0, 0}}, 1, "3 and 3 counts of pixels lost"},
		{patchwork.Counts{On: []int64{0, 3}, Seen: []int64{0, 2}}, 5, "number 2 was on 3 times of 2"},
		{patchwork.Counts{On: []int64{-1, 0}, Seen: []int64{0, 0}}, 5, "number 1 was on -1 times"},
		{patchwork.Counts{}, -1, "-1 images"},
	} {
		if _, err := patchwork.TallyOf(m, c.counts, c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v of %d: error %v, want one about %q", c.counts, c.rows, err, c.want)
		}
	}
}

func TestTallyMisuse(t *testing.T) {
	one := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, [][]float64{{0.5, 0.5}})
	two := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, [][]float64{{0.5, 0.5}, {0.5, 0.5}})
	img := bitmap.Parse("#.")
	for name, f := range map[string]func(){
		"negative weight":            func() { patchwork.NewTally(one).Add(one, img, &patchwork.Explanation{}, -1) },
		"another number of experts":  func() { patchwork.NewTally(one).Add(two, img, &patchwork.Explanation{}, 1) },
		"merging what does not fit":  func() { patchwork.NewTally(one).Merge(patchwork.NewTally(two)) },
		"an expert that is not here": func() { one.Compose(1, 2, []patchwork.Pick{{Expert: 1}}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// TestTallyLogLik checks that an impossible image makes the log-likelihood of the
// tally -Inf, and changes nothing else.
func TestTallyLogLik(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, [][]float64{{0.5, 0.25}})
	tally := patchwork.NewTally(m)
	for _, row := range []string{"#.", ".."} {
		img := bitmap.Parse(row)
		tally.Add(m, img, testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Forced: true}), 3)
	}
	want := 6 * (math.Log(0.5) + math.Log(0.75))
	testkit.Near(t, "log-likelihood", tally.LogLik(), want, 6*0x1p-21)
	if tally.Rows() != 6 || tally.Picks() != 6 || tally.Active(0) != 6 {
		t.Errorf("%d rows, %d picks, active in %d; want 6 of each", tally.Rows(), tally.Picks(), tally.Active(0))
	}
	black := bitmap.Parse("##")
	tally.Add(m, black, &patchwork.Explanation{LogLikModel: math.Inf(-1)}, 1)
	if !math.IsInf(tally.LogLik(), -1) {
		t.Errorf("log-likelihood %v with an impossible image", tally.LogLik())
	}
}

// drawTally returns a drawn model and the tally of some images explained by it.
func drawTally(t *rapid.T) (*patchwork.Model, *patchwork.Tally) {
	m := testkit.DrawModel(t, testkit.DrawConfig(t, testkit.AnyLevel), testkit.AnyLevel)
	tally := patchwork.NewTally(m)
	for _, x := range testkit.DrawExplained(t, m, rapid.IntRange(0, 4).Draw(t, "images")) {
		tally.Add(m, x.Img, x.E, rapid.Int64Range(1, 300).Draw(t, "weight"))
	}
	return m, tally
}

// TestTallyRoundTrip checks that reading returns what was written, that writing it
// again gives the same bytes, and that merging before writing equals merging after
// reading.
func TestTallyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, tally := drawTally(t)
		data, _ := tally.MarshalBinary()
		var read patchwork.Tally
		if err := read.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		again, _ := read.MarshalBinary()
		if !bytes.Equal(data, again) {
			t.Fatal("the tally read back has other bytes")
		}
		if read.LogLik() != tally.LogLik() || read.Rows() != tally.Rows() || read.Picks() != tally.Picks() {
			t.Fatalf("read %v nats, %d rows, %d picks; written %v, %d, %d", read.LogLik(), read.Rows(), read.Picks(),
				tally.LogLik(), tally.Rows(), tally.Picks())
		}
		if !testkit.SameModel(read.MStep(m, patchwork.MStep{}), tally.MStep(m, patchwork.MStep{})) {
			t.Fatal("the tally read back makes another model")
		}
		read.Merge(tally)
		twice := tally.Clone(0)
		twice.Merge(tally)
		a, _ := read.MarshalBinary()
		b, _ := twice.MarshalBinary()
		if !bytes.Equal(a, b) {
			t.Fatal("merging the tally read back gives another sum")
		}
	})
}

// FuzzTally checks that reading any bytes returns an error and leaves the receiver
// unchanged, or returns a tally that can be written.
func FuzzTally(f *testing.F) {
	small := patchwork.NewTally(twoBits())
	small.Fake(3, 2, 2, 2, 2, 0)
	seed, _ := small.MarshalBinary()
	f.Add(seed)
	f.Add(seed[:len(seed)-1])
	f.Add([]byte(patchwork.TallyMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, _ := small.MarshalBinary()
		read := small.Clone(0)
		if err := read.UnmarshalBinary(data); err != nil {
			if after, _ := read.MarshalBinary(); !bytes.Equal(before, after) {
				t.Fatal("a refused tally changed the receiver")
			}
			return
		}
		again, _ := read.MarshalBinary()
		var twice patchwork.Tally
		if err := twice.UnmarshalBinary(again); err != nil {
			t.Fatalf("what was read and written is refused: %v", err)
		}
	})
}

// TestTallyCountsUses: an expert that is picked twice in an image is active there once,
// and the bytes keep both numbers; without such images they are those of version 1.
func TestTallyCountsUses(t *testing.T) {
	c := patchwork.Config{Height: 1, Width: 2, Scene: true, Reuse: 2, Q: 0.01}
	m := testkit.MustModel(t, c, [][]float64{{0.9, 0.9}, {0.9, 0}})
	img := bitmap.Parse("##.##.#.")
	tally := patchwork.NewTally(m)
	tally.Add(m, img, testkit.MustExplain(t, m, img, patchwork.PursuitOptions{RefineThreshold: -1}), 5)
	if tally.Active(0) != 5 || tally.Picks(0) != 10 || tally.Picks(1) != 5 || tally.Picks() != 15 ||
		tally.Picks(1, 0) != 15 {
		t.Fatalf("active %d and %d, picks %d and %d, %d in all", tally.Active(0), tally.Active(1), tally.Picks(0),
			tally.Picks(1), tally.Picks())
	}
	twice := tally.Clone(1)
	twice.Merge(tally.Clone(1))
	data, _ := twice.MarshalBinary()
	var read patchwork.Tally
	if err := read.UnmarshalBinary(data); err != nil || data[7] != 2 || read.Picks(0) != 20 || read.Active(0) != 10 ||
		read.Picks(2) != 0 {
		t.Fatalf("version %d, %v: picks %d, active %d", data[7], err, read.Picks(0), read.Active(0))
	}
	once := patchwork.NewTally(m)
	once.Add(m, bitmap.Parse("##..."), testkit.MustExplain(t, m, bitmap.Parse("##..."), patchwork.PursuitOptions{}), 1)
	if data, _ := once.MarshalBinary(); data[7] != 1 {
		t.Errorf("version %d where nothing was used twice", data[7])
	}
}

func TestTallyRefuses(t *testing.T) {
	good := patchwork.NewTally(twoBits())
	good.Fake(3, 3, 2, 2, 2, 1)
	data, _ := good.MarshalBinary()
	good.Fake(3, 3, 2, 3, 2, 1)
	reused, _ := good.MarshalBinary()
	fewer := slices.Clone(reused)
	fewer[patchwork.TallyHeaderSize+3] = 1 // after 0, 2 images and 0 uses
	change := func(at int, b ...byte) []byte {
		out := slices.Clone(data)
		copy(out[at:], b)
		return out
	}
	huge := binary.LittleEndian.AppendUint32(nil, 1<<25)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":           {nil, "the end, where 7 bytes more"},
		"foreign":         {change(0, 'x'), `not "pwtally"`},
		"newer":           {change(7, 3), "version 3, this program reads 1 and 2"},
		"no experts":      {change(8, 0), "0 parts"},
		"huge":            {change(8, huge...), "too many"},
		"negative rows":   {change(27, 0x80), "images"},
		"truncated":       {data[:len(data)-2], "ends in the middle"},
		"too long":        {append(slices.Clone(data), 7), "1 bytes follow"},
		"more on":         {change(len(data)-10, 3), "was on 3 times of 2"},
		"more than picks": {change(len(data)-10, 4), "4, where at most 3"},
		"fewer uses":      {fewer, "part 2 was used 1 times in 2 images"},
		"many uses":       {bytes.Replace(reused, []byte{0, 2, 0, 3}, []byte{0, 2, 0, 4}, 1), "4, where at most 3"},
		"more than rows":  {change(patchwork.TallyHeaderSize+1, 9), "9, where at most 3"},
		"strange plane":   {change(patchwork.TallyHeaderSize+2, 5), "5, where at most 1"},
	} {
		err := new(patchwork.Tally).UnmarshalBinary(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// twoBits returns a model of two experts over two bits.
func twoBits() *patchwork.Model {
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 2}, [][]float64{{1, 0}, {0, 1}})
	if err != nil {
		panic(err)
	}
	return m
}
