package classes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
	"example.com/patchwork/table"
)

// shapes draws examples of three shapes, each stroke moved by up to a pixel.
func shapes(n int, seed uint64) (patchwork.Data, []string) {
	rng := rand.New(rand.NewPCG(seed, 3))
	var data patchwork.Data
	var labels []string
	for range n {
		for _, shape := range []string{"T", "L", "O"} {
			img := bitmap.New(14, 12)
			line := func(y, x, dy, dx, n int) {
				y, x = y+rng.IntN(3)-1, x+rng.IntN(3)-1
				for i := range n {
					for w := range 2 {
						img.Set(y+i*dy+w*dx, x+i*dx+w*dy, true)
					}
				}
			}
			switch shape {
			case "T":
				line(2, 2, 0, 1, 8)
				line(3, 5, 1, 0, 8)
			case "L":
				line(2, 2, 1, 0, 9)
				line(10, 2, 0, 1, 7)
			case "O":
				line(2, 3, 0, 1, 6)
				line(10, 3, 0, 1, 6)
				line(2, 2, 1, 0, 9)
				line(2, 8, 1, 0, 9)
			}
			data.Images, labels = append(data.Images, img), append(labels, shape)
		}
	}
	return data, labels
}

// learned learns the shapes from n examples each.
func learned(t testing.TB, n int, opt Options) *Classifier {
	t.Helper()
	data, labels := shapes(n, 1)
	c, err := Learn(t.Context(), data, labels, Config(14, 12), opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestShapes: shapes are named rightly from one example and from five, with reasons.
func TestShapes(t *testing.T) {
	tests, truth := shapes(10, 2)
	for _, n := range []int{1, 5} {
		c := learned(t, n, Options{})
		if got := c.Names(); !slices.Equal(got, []string{"L", "O", "T"}) {
			t.Fatalf("classes %v", got)
		}
		verdicts, err := c.Name(t.Context(), tests.Images, NameOptions{Reasons: true})
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for i, v := range verdicts {
			if c.Names()[v.Class] == truth[i] {
				right++
			}
			checkVerdict(t, c, tests.Images[i], &v)
		}
		if right < len(truth)-1 {
			t.Errorf("from %d examples %d of %d right", n, right, len(truth))
		}
	}
}

// checkVerdict checks what every verdict must satisfy.
func checkVerdict(t *testing.T, c *Classifier, img *bitmap.Image, v *Verdict) {
	t.Helper()
	sum := 0.0
	for k, p := range v.Probabilities {
		if sum += p; !(p >= 0) || p > v.Probabilities[v.Class] || k != v.Class && p > v.Probabilities[v.Second] {
			t.Fatalf("probabilities %v, first %d, second %d", v.Probabilities, v.Class, v.Second)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Fatalf("probabilities add up to %v", sum)
	}
	if odds := math.Log(v.Probabilities[v.Class] / v.Probabilities[v.Second]); math.Abs(odds-v.LogOdds) > 1e-6*(1+odds) {
		t.Fatalf("log odds %v, probabilities %v", v.LogOdds, v.Probabilities)
	}
	if v.Explanation == nil || v.Model == nil {
		t.Fatal("no reason")
	}
	if v.Example >= 0 && !slices.Contains(c.Classes()[v.Class].Examples[v.Example].Cuts, v.Model) {
		t.Fatal("the model is not a cut of the example")
	}
	composed := v.Model.Compose(img.Height(), img.Width(), v.Explanation.Picks).P
	left := 0
	for i, x := range img.AppendValues(nil) {
		if x == 1 && composed[i] < 0.5 {
			left++
		}
	}
	if left != v.Left {
		t.Fatalf("%d pixels left over, counted %d", v.Left, left)
	}
}

// TestSameForAnyWorkers: the classifier and its verdicts do not depend on the number of
// workers, nor on how images are divided into blocks.
func TestSameForAnyWorkers(t *testing.T) {
	tests, _ := shapes(4, 3)
	one, three := learned(t, 4, Options{Workers: 1}), learned(t, 4, Options{Workers: 3})
	if one.Sharpness() != three.Sharpness() {
		t.Fatalf("sharpness %v and %v", one.Sharpness(), three.Sharpness())
	}
	want, err := one.Name(t.Context(), tests.Images, NameOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []Verdict
	for block := range slices.Chunk(tests.Images, 5) {
		v, err := three.Name(t.Context(), block, NameOptions{Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v...)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("verdicts differ")
	}
}

// TestNothingKnown: an image of which nothing is known is of each class as probably as
// there are examples of it.
func TestNothingKnown(t *testing.T) {
	data, labels := shapes(3, 1)
	data.Images, labels = data.Images[:len(labels)-1], labels[:len(labels)-1] // one O less
	c, err := Learn(t.Context(), data, labels, Config(14, 12), Options{})
	if err != nil {
		t.Fatal(err)
	}
	blank := bitmap.New(14, 12)
	for y := range 14 {
		for x := range 12 {
			blank.SetUnknown(y, x)
		}
	}
	v, err := c.Name(t.Context(), []*bitmap.Image{blank}, NameOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{3. / 8, 2. / 8, 3. / 8} {
		if got := v[0].Probabilities[k]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: probability %v, want %v", c.Names()[k], got, want)
		}
	}
}

// TestTables: rows, of which cells are unknown, are named by models of package table.
func TestTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var data patchwork.Data
	var labels []string
	for i := range 120 {
		img := bitmap.New(1, 12)
		for x := range 12 {
			p := 0.1
			if (x < 6) == (i%2 == 0) {
				p = 0.8
			}
			if img.Set(0, x, rng.Float64() < p); rng.IntN(10) == 0 {
				img.SetUnknown(0, x)
			}
		}
		data.Images, labels = append(data.Images, img), append(labels, []string{"left", "right"}[i%2])
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, 12, pose.Grid{})
	fit := func(ctx context.Context, d patchwork.Data) (*patchwork.Model, error) {
		return table.Learn(ctx, d, cfg, table.Options{Experts: 1, Iterations: 3})
	}
	c, err := Learn(t.Context(), patchwork.Data{Images: data.Images[:80]}, labels[:80], cfg,
		Options{Examples: -1, Fit: fit})
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := c.Name(t.Context(), data.Images[80:], NameOptions{Reasons: true})
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, v := range verdicts {
		if c.Names()[v.Class] == labels[80+i] {
			right++
		}
		if v.Example != -1 || v.Model != c.Classes()[v.Class].Learned {
			t.Fatal("not explained by the learned model")
		}
	}
	if right < 37 {
		t.Errorf("%d of 40 rows right", right)
	}
}

// TestBothKinds: a learned model and examples are used together, and the error of a
// learner names the class.
func TestBothKinds(t *testing.T) {
	cfg := Config(14, 12)
	cut := func(_ context.Context, d patchwork.Data) (*patchwork.Model, error) {
		e, err := NewExample(0, cfg, cutOf(t, d.Images[0]))
		return e.Cuts[0], err
	}
	c := learned(t, 3, Options{Fit: cut})
	tests, _ := shapes(1, 9)
	both, err := c.Name(t.Context(), tests.Images, NameOptions{})
	if err != nil {
		t.Fatal(err)
	}
	examples := slices.Clone(c.Classes())
	for i := range examples {
		examples[i].Learned = nil
	}
	only, err := New(examples, c.Sharpness())
	if err != nil {
		t.Fatal(err)
	}
	alone, err := only.Name(t.Context(), tests.Images, NameOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(both[0].Scores, alone[0].Scores) {
		t.Error("the learned models change nothing")
	}
	data, labels := shapes(2, 1)
	broken := func(_ context.Context, d patchwork.Data) (*patchwork.Model, error) { return nil, errors.New("broken") }
	if _, err := Learn(t.Context(), data, labels, cfg, Options{Fit: broken}); err == nil ||
		!strings.Contains(err.Error(), `class "L": broken`) {
		t.Errorf("error %v", err)
	}
}

// TestLearnRefuses: errors say what is wrong.
func TestLearnRefuses(t *testing.T) {
	data, labels := shapes(2, 1)
	one := slices.Repeat([]string{"T"}, len(labels))
	for _, c := range []struct {
		labels []string
		opt    Options
		want   string
	}{
		{labels[1:], Options{}, "5 labels for 6 images"},
		{one, Options{}, `only the class "T"`},
		{make([]string, len(labels)), Options{}, "no labels"},
		{labels, Options{Examples: -1}, "nothing to name by"},
	} {
		if _, err := Learn(t.Context(), data, c.labels, Config(14, 12), c.opt); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := Learn(t.Context(), data, labels, Config(14, 13), Options{}); err == nil {
		t.Errorf("another size: %v", err)
	}
	c := learned(t, 1, Options{})
	if _, err := c.Name(t.Context(), []*bitmap.Image{bitmap.New(3, 3)}, NameOptions{}); err == nil {
		t.Error("an image of another size is named")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Learn(stopped, data, labels, Config(14, 12), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, err := New(c.Classes()[:1], 1); err == nil {
		t.Error("one class is taken")
	}
	if _, err := New(c.Classes(), 0); err == nil {
		t.Error("no sharpness is taken")
	}
}

// TestKept: of many examples as many are kept as asked for, others count.
func TestKept(t *testing.T) {
	c := learned(t, 6, Options{Examples: 2})
	for _, k := range c.Classes() {
		if len(k.Examples) != 2 || k.Rows != 6 {
			t.Errorf("%s: %d examples kept of %d", k.Name, len(k.Examples), k.Rows)
		}
	}
}

// TestGuess: with one example of each class, the sharpness is by how far apart the scores
// of wrong classes are, and is nearer to what several examples say than no guess at all.
func TestGuess(t *testing.T) {
	one, five := learned(t, 1, Options{}), learned(t, 5, Options{})
	if one.Sharpness() == firstSharpness || math.Abs(math.Log(one.Sharpness()/five.Sharpness())) > math.Log(8) {
		t.Errorf("sharpness %v from one example, %v from five", one.Sharpness(), five.Sharpness())
	}
}

// TestByName: numbers come first, by value.
func TestByName(t *testing.T) {
	names := []string{"b", "10", "9", "a", "2"}
	slices.SortFunc(names, byName)
	if !slices.Equal(names, []string{"2", "9", "10", "a", "b"}) {
		t.Error(names)
	}
}

// TestBlankExample: an example without ink, or with less than there are pieces, has
// models.
func TestBlankExample(t *testing.T) {
	img := bitmap.New(5, 5)
	for n := range 3 {
		e, err := NewExample(0, Config(5, 5), cutOf(t, img))
		if err != nil || len(e.Cuts) != max(1, n) {
			t.Errorf("%d pixels: %d cuts, %v", n, len(e.Cuts), err)
		}
		img.Set(n, 2, true)
	}
}

// TestCopies: the distance to an example is the least Hamming distance over the shifts and
// turns, counted pixel by pixel.
func TestCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, w := rapid.IntRange(1, 9).Draw(t, "height"), rapid.IntRange(1, 9).Draw(t, "width")
		values := rapid.SliceOfN(rapid.IntRange(0, 2), h*w, h*w).Draw(t, "pixels")
		ink := rapid.SliceOfN(rapid.Bool(), h*w, h*w).Draw(t, "example")
		img, packed := bitmap.New(h, w), make([]uint64, (h*w+63)/64)
		for i, v := range values {
			if img.Set(i/w, i%w, v == 1); v == 2 {
				img.SetUnknown(i/w, i%w)
			}
			if ink[i] {
				packed[i/64] |= 1 << (i % 64)
			}
		}
		g := pose.Grid{DY: pose.Symmetric(1, 1), DX: pose.Symmetric(2, 2), Angles: []float64{0, 90}}
		want := math.MaxInt
		for _, angle := range []float64{0, 90} {
			turn := pose.NewTurn(h, w, angle)
			for dy := -1; dy <= 1; dy++ {
				for _, dx := range []int{-2, 0, 2} {
					d := 0
					for i := range h * w {
						y, x := i/w, i%w
						if turn.Back != nil {
							y, x = int(turn.Back[i].Y), int(turn.Back[i].X)
						}
						v := 0
						if y, x = y+dy, x+dx; y >= 0 && x >= 0 && y < h && x < w {
							v = values[y*w+x]
						}
						if v != 2 && (v == 1) != ink[i] {
							d++
						}
					}
					want = min(want, d)
				}
			}
		}
		if got := distance(newMover(h, w, g).move(img), packed); got != want {
			t.Fatalf("distance %d, want %d", got, want)
		}
	})
}

// TestSharpest: probabilities are as large as the share of right names says.
func TestSharpest(t *testing.T) {
	c := learned(t, 1, Options{})
	rng := rand.New(rand.NewPCG(2, 2))
	const sharp = 0.3
	var scores [][]float64
	var truth []int
	for range 4000 {
		s := make([]float64, 3)
		for k := range s {
			s[k] = 5 * rng.NormFloat64()
		}
		p, u, at := c.probabilities(s, sharp), rng.Float64(), 0
		for u -= p[0]; u > 0 && at < 2; u -= p[at] {
			at++
		}
		scores, truth = append(scores, s), append(truth, at)
	}
	if got, _ := c.sharpest(scores, truth); math.Abs(got-sharp) > 0.05 {
		t.Errorf("sharpness %v, truth %v", got, sharp)
	}
}

// cutOf returns the cuts of an image.
func cutOf(t testing.TB, img *bitmap.Image) [][]uint8 {
	t.Helper()
	pieces, err := Cut(t.Context(), img, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return pieces
}

// TestCutStops: cutting a picture with much ink ends with its context.
func TestCutStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Cut(ctx, bitmap.New(9, 9), rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Errorf("nothing to cut: %v", err)
	}
	img := bitmap.New(9, 9)
	for i := range 81 {
		img.Set(i/9, i%9, true)
	}
	if _, err := Cut(ctx, img, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
