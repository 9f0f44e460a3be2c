package real

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork/internal/elem"
)

// allSets returns the joint log-likelihoods of all sets of picks of a model whose experts are used once, best first.
func allSets(m *Model, image []float64) []float64 {
	joints := []float64{}
	var extend func(k int, picks []Pick)
	extend = func(k int, picks []Pick) {
		if k == m.K() {
			joints = append(joints, m.LogLik(image, picks)+m.LogPrior(picks))
			return
		}
		extend(k+1, picks)
		for i := range m.Poses.Len() {
			extend(k+1, append(picks[:len(picks):len(picks)], Pick{k, m.Poses.At(i)}))
		}
	}
	extend(0, nil)
	slices.Sort(joints)
	slices.Reverse(joints)
	return joints
}

func TestBestFindsTheBestSets(t *testing.T) {
	for i, s := range shapes {
		if s.reuse > 1 || s.name == "shifts" {
			continue
		}
		missed, rows := 0, 0
		for seed := range uint64(30) {
			m, image := randomModel(rand.New(rand.NewPCG(seed, 3)), i)
			p, _ := NewPursuit(m)
			post, err := p.Best(image, 8)
			if err != nil {
				t.Fatal(err)
			}
			want := allSets(m, image)
			evidence, total := math.Inf(-1), 0.0
			for _, j := range want {
				evidence = elem.LogAdd(evidence, j)
			}
			for j, e := range post.Explanations {
				if got := m.LogLik(image, e.Picks) + m.LogPrior(e.Picks); math.Abs(got-e.LogJoint) > 1e-7 ||
					math.Abs(m.LogLik(image, e.Picks)-e.LogLik) > 1e-7 {
					t.Fatalf("%s, seed %d: joint %v, reference %v", s.name, seed, e.LogJoint, got)
				}
				if j > 0 && e.LogJoint > post.Explanations[j-1].LogJoint {
					t.Fatal("not in order")
				}
				total += post.Weights[j]
			}
			if math.Abs(total-1) > 1e-9 || post.Evidence > evidence+1e-7 {
				t.Fatalf("%s, seed %d: weights add up to %v, evidence %v of %v", s.name, seed, total, post.Evidence, evidence)
			}
			rows++
			if post.Explanations[0].LogJoint < want[0]-1e-6 {
				missed++
			}
		}
		if missed > rows/5 {
			t.Errorf("%s: the best set was missed in %d of %d images", s.name, missed, rows)
		}
	}
}

// TestPredictionIsTheConditional: with all sets of two experts, the prediction is the conditional distribution of the
// unknown pixel, p(x, known)/p(known), computed from the model alone.
func TestPredictionIsTheConditional(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m, image := randomModel(rng, 0)
		if m.K() > 3 {
			m.Experts, m.Pi = m.Experts[:3], m.Pi[:3]
		}
		d := rng.IntN(len(image))
		image[d] = math.NaN()
		p, _ := NewPursuit(m)
		post, _ := p.Best(image, 8)
		all := func(x float64) float64 {
			image := slices.Clone(image)
			image[d] = x
			sum := math.Inf(-1)
			for _, j := range allSets(m, image) {
				sum = elem.LogAdd(sum, j)
			}
			return sum
		}
		pixel, known := post.Pixel(d), all(math.NaN())
		for _, x := range []float64{-3, -.5, 0, 1, 4} {
			want := all(x) - known
			// Sets that were not found because they are 25 nats behind weigh as good as nothing.
			if got := pixel.LogDensity(x); math.Abs(math.Exp(got)-math.Exp(want)) > 1e-6 {
				t.Fatalf("seed %d, %v: ln density %v at %v, want %v", seed, m.Rule, got, x, want)
			}
		}
		pred := post.Predict(image, .8)
		inside := pixel.CDF(pred.High[d]) - pixel.CDF(pred.Low[d])
		if math.Abs(inside-.8) > 1e-6 || pred.Mean[d] != pixel.Mean() || pred.Deviation[d] <= 0 {
			t.Fatalf("interval %v to %v holds %v; mean %v", pred.Low[d], pred.High[d], inside, pred.Mean[d])
		}
		for i, x := range image {
			if !math.IsNaN(x) && (pred.Mean[i] != x || pred.Deviation[i] != 0) {
				t.Fatal("a known value is predicted otherwise")
			}
		}
	}
}

func TestComposeOfBankIsTheReference(t *testing.T) {
	for i := range shapes {
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 5))
			m, _ := randomModel(rng, i)
			b := newBank(m)
			picks := []Pick{{rng.IntN(m.K()), m.Poses.At(rng.IntN(m.Poses.Len()))},
				{rng.IntN(m.K()), m.Poses.At(rng.IntN(m.Poses.Len()))}}
			for d := range m.D() {
				x := rng.NormFloat64()
				if got, want := b.compose(d, picks).LogDensity(x), m.Compose(d, picks).LogDensity(x); got != want {
					t.Fatalf("%s, seed %d: %v, reference %v", shapes[i].name, seed, got, want)
				}
			}
		}
	}
}
