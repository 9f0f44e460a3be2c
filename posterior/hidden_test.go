package posterior

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
)

// Hide hides the share asked for (one pixel or none, where it rounds to none), nothing
// that was unknown, and changes nothing else; which pixels depends on seed and index alone, not on their values.
func TestHide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		img := testkit.DrawImage(t, rapid.IntRange(1, 6).Draw(t, "height"), rapid.IntRange(1, 6).Draw(t, "width"), "#.?")
		before := img.Clone()
		fraction := rapid.Float64Range(0, 1).Draw(t, "fraction")
		seed, index := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 1000).Draw(t, "index")
		out := Exclusive(nil).Hide(img, fraction, seed, index)
		if !img.Equal(before) {
			t.Fatal("Hide changed its argument")
		}
		flipped := img.Clone()
		for y := range img.Height() {
			for x := range img.Width() {
				if out.Known(y, x) && (!img.Known(y, x) || out.At(y, x) != img.At(y, x)) {
					t.Fatalf("pixel %d, %d became known, or another value", y, x)
				}
				if img.Known(y, x) && !out.Known(y, x) {
					flipped.Set(y, x, !img.At(y, x))
				}
			}
		}
		want := int(math.Round(fraction * float64(img.CountKnown())))
		if got := img.CountKnown() - out.CountKnown(); got != want && (want > 0 || got > 1) {
			t.Fatalf("%d of %d known pixels hidden, want %d", got, img.CountKnown(), want)
		}
		if !Exclusive(nil).Hide(flipped, fraction, seed, index).Equal(out) {
			t.Fatal("what is visible depends on what is hidden")
		}
	})
}

// Every pixel is hidden equally often, and neighbouring rows differ.
func TestHideIsUniform(t *testing.T) {
	const rows, d = 20000, 10
	hidden := make([]int, d)
	same := 0
	img := bitmap.New(1, d)
	last := img
	for i := range rows {
		out := Exclusive(nil).Hide(img, 0.2, 7, i)
		for x := range d {
			if !out.Known(0, x) {
				hidden[x]++
			}
		}
		if out.Equal(last) {
			same++
		}
		last = out
	}
	for x, n := range hidden {
		// Standard deviation sqrt(20000 * 0.2 * 0.8) = 57.
		if math.Abs(float64(n)-0.2*rows) > 5*57 {
			t.Errorf("pixel %d hidden %d times of %d, want about %v", x, n, rows, 0.2*rows)
		}
	}
	if got, want := float64(same)/rows, 1.0/45; math.Abs(got-want) > 0.01 {
		t.Errorf("neighbouring rows hide the same in %v of cases, by chance %v", got, want)
	}
}

func TestMeasureByHand(t *testing.T) {
	bits := []guess{
		{averaged: 0.9, on: true, weight: 2},
		{averaged: 0.5, on: true, weight: 1},
		{averaged: 0.5, on: false, weight: 1},
		{averaged: 0.2, on: false, weight: 3},
		{averaged: 0.6, on: false, weight: 1},
	}
	got := measure(bits, averaged)
	want := Metrics{
		Bits: 8, On: 3,
		LogLoss:  -(2*math.Log(0.9) + 2*math.Log(0.5) + 3*math.Log(0.8) + math.Log(0.4)) / 8,
		Accuracy: (2 + 0.5 + 0.5 + 3) / 8,
		// Of 15 pairs the two of 0.9 win all 10; 0.5 wins 3, ties one, loses one.
		AUC: 13.5 / 15,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	sure := measure([]guess{{averaged: 1, on: false, weight: 4}, {averaged: 0, on: false, weight: 1}}, averaged)
	if !math.IsInf(sure.LogLoss, 1) || sure.Impossible != 4 || !math.IsNaN(sure.AUC) {
		t.Errorf("sure and wrong: %+v", sure)
	}
}

// The rank sum is the share of pairs in the right order; weights are
// repetitions.
func TestAUCIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := make([]guess, rapid.IntRange(0, 12).Draw(t, "bits"))
		var repeated []guess
		for i := range bits {
			bits[i] = guess{averaged: rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.7, 1}).Draw(t, "p"),
				on: rapid.Bool().Draw(t, "on"), weight: rapid.Int64Range(1, 4).Draw(t, "weight")}
			for range bits[i].weight {
				one := bits[i]
				one.weight = 1
				repeated = append(repeated, one)
			}
		}
		right, pairs := 0.0, 0.0
		for _, a := range repeated {
			for _, b := range repeated {
				if !a.on || b.on {
					continue
				}
				pairs++
				switch {
				case a.averaged > b.averaged:
					right++
				case a.averaged == b.averaged:
					right += 0.5
				}
			}
		}
		got := measure(bits, averaged)
		if want := right / pairs; math.Abs(got.AUC-want) > 1e-12 || math.IsNaN(want) != math.IsNaN(got.AUC) {
			t.Fatalf("AUC %v, by counting pairs %v", got.AUC, want)
		}
		same := cmp.Equal(got, measure(repeated, averaged), cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12))
		if !same {
			t.Fatalf("weights are not repetitions: %+v, %+v", got, measure(repeated, averaged))
		}
	})
}

// hiddenTables returns a model, complete rows drawn from it, and what is visible.
func hiddenTables(t *testing.T, rows int) (*patchwork.Model, patchwork.Data, []*bitmap.Image) {
	t.Helper()
	rng := rand.New(rand.NewPCG(35, 0))
	m, _ := tableAndRow(rng, patchwork.RuleMaxMinusMin, 6, 30)
	data := patchwork.Data{Images: make([]*bitmap.Image, rows), Weights: make([]int64, rows)}
	visible := make([]*bitmap.Image, rows)
	for i := range rows {
		var picks []patchwork.Pick
		for k, pi := range ActivationPrior(m) {
			if rng.Float64() < pi {
				picks = append(picks, patchwork.Pick{Expert: k})
			}
		}
		data.Images[i] = bitmap.Sample(rng, 1, 30, m.Compose(1, 30, picks).P)
		data.Weights[i] = int64(i % 3)
		visible[i] = Exclusive(nil).Hide(data.Images[i], 0.2, 1, i)
	}
	return m, data, visible
}

// The truth predicts hidden bits better than no expert does, averaging better
// than the best explanation alone, and the number of workers changes nothing.
func TestScore(t *testing.T) {
	m, data, visible := hiddenTables(t, 400)
	score, err := Score(context.Background(), m, HiddenBits{Data: data, Visible: visible}, Options{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if score.Rows != 399 || score.Averaged.Bits != 399*6 || score.Single.Bits != score.Averaged.Bits {
		t.Errorf("%d rows, %d and %d bits; want 399 and six each", score.Rows, score.Averaged.Bits, score.Single.Bits)
	}
	alone, err := patchwork.NewModel(m.Config(), [][]float64{m.Config().QMap}) // an expert that says nothing
	if err != nil {
		t.Fatal(err)
	}
	background, err := Score(context.Background(), alone, HiddenBits{Data: data, Visible: visible}, Options{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("log-loss: background %.4f, best explanation %.4f, averaged %.4f; AUC %.3f, %.3f, %.3f",
		background.Averaged.LogLoss,
		score.Single.LogLoss, score.Averaged.LogLoss, background.Averaged.AUC, score.Single.AUC, score.Averaged.AUC)
	if !(score.Averaged.LogLoss < score.Single.LogLoss && score.Averaged.LogLoss < background.Averaged.LogLoss-0.05) {
		t.Errorf("log-loss: background %v, best explanation %v, averaged %v", background.Averaged.LogLoss,
			score.Single.LogLoss, score.Averaged.LogLoss)
	}
	var columns Metrics
	for _, c := range score.Columns {
		columns.Bits += c.Bits
		columns.On += c.On
		columns.LogLoss += float64(c.Bits) * c.LogLoss / float64(score.Averaged.Bits)
		columns.Accuracy += float64(c.Bits) * c.Accuracy / float64(score.Averaged.Bits)
		columns.AUC = score.Averaged.AUC
	}
	if diff := cmp.Diff(score.Averaged, columns, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("the columns do not add up (-all +columns):\n%s", diff)
	}
	for _, workers := range []int{0, 2, 5, 1000} {
		again, err := Score(context.Background(), m, HiddenBits{Data: data, Visible: visible}, Options{}, workers)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(score, again, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%d workers change the score:\n%s", workers, diff)
		}
	}
}

func TestScoreRefuses(t *testing.T) {
	m, data, visible := hiddenTables(t, 4)
	ctx := context.Background()
	for what, call := range map[string]func() (*HiddenScore, error){
		"nothing hidden": func() (*HiddenScore, error) {
			return Score(ctx, m, HiddenBits{Data: data, Visible: data.Images}, Options{}, 1)
		},
		"3 images with hidden pixels for 4": func() (*HiddenScore, error) {
			return Score(ctx, m, HiddenBits{Data: data, Visible: visible[:3]}, Options{}, 1)
		},
		"image 2 is 1 x 30": func() (*HiddenScore, error) {
			return Score(ctx, m, HiddenBits{Data: data, Visible: []*bitmap.Image{visible[0], visible[1], bitmap.New(1, 31),
				visible[3]}}, Options{}, 1)
		},
		"no images": func() (*HiddenScore, error) {
			return Score(ctx, m, HiddenBits{Data: patchwork.Data{}, Visible: nil}, Options{}, 1)
		},
		"a beam of": func() (*HiddenScore, error) {
			return Score(ctx, m, HiddenBits{Data: data, Visible: visible}, Options{Beam: -1}, 1)
		},
	} {
		_, err := call()
		if err == nil || !strings.Contains(err.Error(), strings.Replace(what, "nothing hidden", "no hidden pixel", 1)) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

// The first image that does not fit is named, whoever met it; a cancelled
// context ends the work.
func TestPredictionsStop(t *testing.T) {
	m, _, visible := hiddenTables(t, 200)
	visible[77], visible[150] = bitmap.New(2, 2), bitmap.New(2, 2)
	for _, workers := range []int{1, 2, 7} {
		err := Predict(context.Background(), m, visible, Options{}, workers, func(int, []float64, *Posterior) {})
		var size *patchwork.SizeError
		if !errors.As(err, &size) || !strings.HasPrefix(err.Error(), "image 77: ") {
			t.Errorf("%d workers: error %v, want image 77's size", workers, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	done := 0
	err := Explain(ctx, m, visible[:70], Options{}, 2, func(int, *Posterior) {
		mu.Lock()
		defer mu.Unlock()
		done++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || done == 70 {
		t.Errorf("cancelled after the first image: %d of 70 done, error %v", done, err)
	}
}

// Predictions are probabilities, are the average of the alternatives, and Fill
// keeps what is known.
func TestPredictions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawBeliever(t, testkit.AnyLevel)
		img := testkit.DrawImage(t, m.Height(), m.Width(), "#.?")
		p, post, err := mustSearcher(t, m, drawOptions(t)).Predict(img)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, len(p))
		for _, a := range post.Alternatives {
			for i, v := range m.Compose(m.Height(), m.Width(), a.Picks).P {
				want[i] += a.Weight * v
			}
		}
		filled := Fill(img, p)
		for i := range p {
			if !(p[i] >= 0 && p[i] <= 1) || math.Abs(p[i]-want[i]) > 1e-12 {
				t.Fatalf("pixel %d is predicted %v, want %v", i, p[i], want[i])
			}
			switch y, x := i/m.Width(), i%m.Width(); {
			case !img.Known(y, x):
				if filled[i] != p[i] {
					t.Fatalf("unknown pixel %d filled with %v, predicted %v", i, filled[i], p[i])
				}
			case (filled[i] == 1) != img.At(y, x) || filled[i] != 0 && filled[i] != 1:
				t.Fatalf("known pixel %d filled with %v", i, filled[i])
			}
		}
	})
}

func TestPredictMisusePanics(t *testing.T) {
	for what, call := range map[string]func(){
		"predictions of another size": func() { Fill(bitmap.New(2, 2), make([]float64, 3)) },
		"a share above 1":             func() { Exclusive(nil).Hide(bitmap.New(2, 2), 1.5, 0, 0) },
		"a share of NaN":              func() { Exclusive(nil).Hide(bitmap.New(2, 2), math.NaN(), 0, 0) },
	} {
		t.Run(what, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

// TestScorePredictions checks that predictions given from outside are scored as those
// of a model are, and what does not fit is an error.
func TestScorePredictions(t *testing.T) {
	m, data, images := hiddenTables(t, 40)
	hidden := Exclusive(nil).HideBits(data, 0.4, 2, 3)
	want, err := Score(context.Background(), m, hidden, Options{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	search, err := NewSearcher(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	predict := func(i int) []float64 {
		p, _, err := search.Predict(hidden.Visible[i])
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	got, err := ScorePredictions(hidden, predict)
	if err != nil || got != want.Averaged {
		t.Errorf("%+v, %v; want %+v", got, err, want.Averaged)
	}
	if _, err := ScorePredictions(hidden, func(int) []float64 { return []float64{0.5} }); err == nil ||
		!strings.Contains(err.Error(), "1 predictions") {
		t.Errorf("too few predictions: %v", err)
	}
	nothing := HiddenBits{Data: patchwork.Data{Images: images}, Visible: images}
	if _, err := ScorePredictions(nothing, predict); err == nil || !strings.Contains(err.Error(), "no hidden pixel") {
		t.Errorf("nothing hidden: %v", err)
	}
	if _, err := ScorePredictions(HiddenBits{Data: patchwork.Data{Images: images}}, predict); err == nil {
		t.Error("no visible images, no error")
	}
}
