package coding

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
)

func TestRows(t *testing.T) {
	a, b := bitmap.Parse("#.", ".#"), bitmap.Parse("..", "#.")
	rows, err := Rows([]*bitmap.Image{a, b})
	if err != nil || !slices.Equal(rows[0], []float64{1, 0, 0, 1}) || !slices.Equal(rows[1], []float64{0, 0, 1, 0}) {
		t.Errorf("%v, %v", rows, err)
	}
	b.SetUnknown(0, 0)
	for _, images := range [][]*bitmap.Image{nil, {a, b}, {a, bitmap.New(1, 3)}} {
		if _, err := Rows(images); err == nil || len(images) > 0 && !strings.Contains(err.Error(), "image 1") {
			t.Errorf("%d images: %v", len(images), err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, bad := range [][][]float64{nil, {{}}, {{0, 1}, {1}}, {{0, 2}}, {{-.1}}, {{math.NaN()}}} {
		if Check(bad) == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if err := Check([][]float64{{0, 1}, {.5, .25}}); err != nil {
		t.Error(err)
	}
}

func TestSigmoidAndSoftplus(t *testing.T) {
	for _, v := range []float64{-800, -40, -1, 0, 1e-9, 3, 40, 800} {
		if s, p := Softplus(v)-Softplus(-v), Softplus(v); math.Abs(s-v) > 1e-12*max(1, math.Abs(v)) || math.IsInf(p, 0) || p < 0 {
			t.Errorf("softplus(%v) is %v", v, p)
		}
		if s := Sigmoid(v) + Sigmoid(-v); math.Abs(s-1) > 1e-15 {
			t.Errorf("sigmoid(%v) + sigmoid(%v) is %v", v, -v, s)
		}
		const h = 1e-6
		if slope := (Softplus(v+h) - Softplus(v-h)) / (2 * h); math.Abs(slope-Sigmoid(v)) > 1e-6 {
			t.Errorf("slope of softplus at %v is %v, sigmoid %v", v, slope, Sigmoid(v))
		}
	}
}

func TestErrors(t *testing.T) {
	x, p := []float64{1, 0, 1, 0}, []float64{.5, .5, .9, .2}
	want := 2*math.Log(2) - math.Log(.9) - math.Log(.8)
	if got := CrossEntropy(x, p); math.Abs(got-want) > 1e-12 {
		t.Errorf("cross-entropy %v, want %v", got, want)
	}
	if got := CrossEntropy(x, []float64{1, 0, 1, 0}); got > 1e-8 {
		t.Errorf("a certain and right guess costs %v", got)
	}
	if got := CrossEntropy(x[:1], []float64{0}); math.Abs(got+math.Log(leastProb)) > 1e-6 {
		t.Errorf("a certain and wrong guess costs %v", got)
	}
	if got := ClippedCrossEntropy(x[:2], []float64{1.5, -2}, .01); math.Abs(got+2*math.Log(.99)) > 1e-12 {
		t.Errorf("clipped %v", got)
	}
	if got := SquaredError(x, p); math.Abs(got-(.25+.25+.01+.04)) > 1e-12 {
		t.Errorf("squared error %v", got)
	}
}

// twoMeans against every split.
func TestTwoMeansIsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		v := make([]float64, 1+r.IntN(8))
		for i := range v {
			v[i] = float64(r.IntN(5)) - 2
		}
		low, high := twoMeans(v)
		got := 0.0
		for _, x := range v {
			got += min((x-low)*(x-low), (x-high)*(x-high))
		}
		best := math.Inf(1)
		for cut := range v {
			best = min(best, spread(v[:cut])+spread(v[cut:]))
		}
		if low > high || got > best+1e-9 {
			t.Fatalf("%v: levels %v, %v cost %v, the best %v", v, low, high, got, best)
		}
	}
}

func spread(v []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range v {
		sum, squares = sum+x, squares+x*x
	}
	return squares - sum*sum/max(float64(len(v)), 1)
}

func TestRound(t *testing.T) {
	code := []float64{.2, .5, .51, 3}
	Bits(4).Round(code)
	if !slices.Equal(code, []float64{0, 0, 1, 1}) {
		t.Errorf("%v", code)
	}
	code = []float64{-3, 1.9}
	Levels{[]float64{-2, 0}, []float64{4, 4}}.Round(code)
	if !slices.Equal(code, []float64{-2, 0}) {
		t.Errorf("%v", code)
	}
}

func TestMatrices(t *testing.T) {
	m := [][]float64{{1, 2, 3}, {4, 5, 6}}
	turned, gram, c := Matrix(3, 2), Matrix(2, 2), Clone(m)
	Transpose(turned, m)
	Gram(gram, m)
	m[0][0] = 9
	for what, pair := range map[string][2][][]float64{
		"clone":     {c, {{1, 2, 3}, {4, 5, 6}}},
		"transpose": {turned, {{1, 4}, {2, 5}, {3, 6}}},
		"gram":      {gram, {{14, 32}, {32, 77}}},
	} {
		if !slices.EqualFunc(pair[0], pair[1], slices.Equal[[]float64]) {
			t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
		}
	}
	if Clone(nil) != nil {
		t.Error("nothing was cloned")
	}
}

// Every epoch has all rows once, in batches of the size asked for but the last;
// orders differ, and are the seed's.
func TestMinibatches(t *testing.T) {
	run := func(seed uint64) (epochs [][]int) {
		const n, size = 23, 5
		var rows []int
		epoch := Minibatches(rand.New(rand.NewPCG(seed, 0)), n, size, func(batch []int) {
			if want := min(size, n-len(rows)); len(batch) != want {
				t.Errorf("a batch of %d, want %d", len(batch), want)
			}
			if rows = append(rows, batch...); len(rows) == n {
				epochs, rows = append(epochs, rows), nil
			}
		})
		for range 3 {
			epoch()
		}
		if len(epochs) != 3 || rows != nil {
			t.Fatalf("%d epochs and %v", len(epochs), rows)
		}
		return epochs
	}
	a, b := run(1), run(1)
	for i, order := range a {
		if !slices.Equal(order, b[i]) {
			t.Error("two runs from one seed differ")
		}
		if sorted := slices.Sorted(slices.Values(order)); len(slices.Compact(sorted)) != 23 || sorted[22] != 22 {
			t.Errorf("rows %v", order)
		}
	}
	if slices.Equal(a[0], a[1]) || slices.Equal(a[0], run(2)[0]) {
		t.Error("the order is always the same")
	}
}

// A round that ends the context is the last.
func TestFitStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	rounds := 0
	_, err := Fit(ctx, [][]float64{{1}}, 9, func() (int, func()) { return 0, func() { rounds++; stop() } })
	if err != context.Canceled || rounds != 1 {
		t.Errorf("stopped after %d rounds: %v", rounds, err)
	}
}
