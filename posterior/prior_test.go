package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
)

// sets calls f with every set of picks of at most one an expert.
func sets(m *patchwork.Model, f func([]patchwork.Pick)) {
	var picks []patchwork.Pick
	var add func(k int)
	add = func(k int) {
		if k == m.K() {
			f(picks)
			return
		}
		add(k + 1)
		for i := range m.Config().Poses.Len() {
			picks = append(picks, patchwork.Pick{Expert: k, Pose: m.Config().Poses.At(i)})
			add(k + 1)
			picks = picks[:len(picks)-1]
		}
	}
	add(0)
}

// The prior is a distribution over sets of picks.
func TestPriorAddsUpToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawBeliever(t, testkit.AnyLevel)
		if math.Pow(float64(m.Config().Poses.Len()+1), float64(m.K())) > 20000 {
			t.Skip("too many sets")
		}
		sum := 0.0
		sets(m, func(picks []patchwork.Pick) {
			l, err := LogPrior(m, m.Height(), m.Width(), picks)
			if err != nil {
				t.Fatal(err)
			}
			sum += math.Exp(l)
		})
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the probabilities of all sets add up to %v", sum)
		}
	})
}

// Unknown columns might as well not exist.
func TestUnknownBitsAreIgnored(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 0))
	for range 100 {
		m, img := tableAndRow(rng, patchwork.RuleMax, 5, 20)
		if img.CountKnown() == 0 {
			continue
		}
		c := patchwork.Config{Height: 1}
		var bits []uint8
		experts := make([][]float64, m.K())
		for x := range 20 {
			if !img.Known(0, x) {
				continue
			}
			c.QMap = append(c.QMap, m.Config().QMap[x])
			bits = append(bits, img.AppendBytes(nil)[x])
			for k := range experts {
				experts[k] = append(experts[k], m.Template(k)[x])
			}
		}
		c.Width = len(bits)
		less, err := patchwork.NewModel(c, experts)
		if err != nil {
			t.Fatal(err)
		}
		a := mustPosterior(t, m, img, Options{})
		b := mustPosterior(t, testkit.WithUsage(t, less, 100, m.Extras().Usage), bitmap.FromBytes(1, len(bits), bits),
			Options{})
		for i := range a.Alternatives {
			if setKey(a.Alternatives[i].Picks) != setKey(b.Alternatives[i].Picks) ||
				!testkit.About(a.Alternatives[i].LogJoint, b.Alternatives[i].LogJoint) {
				t.Fatalf("set %d: %+v with unknown columns, %+v without them", i, a.Alternatives[i], b.Alternatives[i])
			}
		}
	}
}

// Where every explanation is impossible, the least impossible ones share the
// weight, and predictions are still probabilities.
func TestImpossibleImages(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 3}, [][]float64{{0.9, 0, 0}, {0, 0.5, 0}})
	if err != nil {
		t.Fatal(err)
	}
	n := mustSearcher(t, m, Options{})
	p, post, err := n.Predict(bitmap.Parse("###"))
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(post.Evidence, -1) || !math.IsInf(post.Alternatives[0].LogJoint, -1) {
		t.Errorf("evidence %v and log joint %v of an impossible image", post.Evidence, post.Alternatives[0].LogJoint)
	}
	if got := testkit.ExpertsOf(post.Alternatives[0].Picks); len(got) != 2 || post.Alternatives[0].Weight != 1 {
		t.Errorf("best set %v with weight %v, want both experts with weight 1", got, post.Alternatives[0].Weight)
	}
	testkit.NearAll(t, "predictions", p, []float64{0.9, 0.5, 0}, 1e-15)
}

func TestOptionsAreChecked(t *testing.T) {
	m, _ := tableAndRow(rand.New(rand.NewPCG(1, 1)), patchwork.RuleMax, 2, 4)
	for _, opt := range []Options{{Beam: -1}, {Beam: maxBeam + 1}, {Keep: -1}, {Keep: maxKeep + 1}, {MaxPicks: -1},
		{MaxPicks: 1 << 20}} {
		if _, err := NewSearcher(m, opt); err == nil {
			t.Errorf("options %+v are taken", opt)
		}
	}
	var size *patchwork.SizeError
	if _, err := mustSearcher(t, m, Options{}).Explain(bitmap.New(2, 4)); !errors.As(err, &size) {
		t.Errorf("an image of another size: %v", err)
	}
	if _, err := LogJoint(m, bitmap.New(2, 4), nil); !errors.As(err, &size) {
		t.Errorf("the joint of an image of another size: %v", err)
	}
}

// Activation priors follow their definition from counts, from a record, from
// usage alone, and from nothing.
func TestActivationPrior(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 1}, [][]float64{{0.5}, {0.5}, {0.5}})
	if err != nil {
		t.Fatal(err)
	}
	testkit.NearAll(t, "prior of nothing", ActivationPrior(m), []float64{0.5, 0.5, 0.5}, 0)
	usage := []float64{0, 0.25, 1}
	testkit.NearAll(t, "prior of usage", ActivationPrior(testkit.WithUsage(t, m, 0, usage)), []float64{0.001, 0.25, 0.999},
		0)
	testkit.NearAll(t, "prior of a record", ActivationPrior(testkit.WithUsage(t, m, 4, usage)), []float64{0.1, 0.3, 0.9},
		1e-15)
	counts, err := patchwork.TallyOf(m, patchwork.Counts{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	counted, err := m.WithExtras(patchwork.Extras{Usage: []float64{0, 0.25, 3}, Counts: counts})
	if err != nil {
		t.Fatal(err)
	}
	testkit.NearAll(t, "prior of counts", ActivationPrior(counted), []float64{0.1, 0.3, 0.9}, 1e-15)
	testkit.NearAll(t, "costs", activationCosts(counted), []float64{math.Log(9), math.Log(7. / 3), -math.Log(9)}, 1e-12)
	testkit.Near(t, "empty prior", logPriorEmpty(counted), math.Log(0.9*0.7*0.1), 1e-12)
}

// A pixel of which no alternative says anything is predicted at exactly its
// abstention value, though weights add up to 1 only but for rounding: else a
// bit of 1/2 would be guessed one way or the other.
func TestAbstentionIsPredictedExactly(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 4, Q: 0.5},
		[][]float64{{0.9, 0.5, 0.5, 0.5}, {0.8, 0.5, 0.5, 0.5}, {0.5, 0.7, 0.5, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	for keep := 2; keep <= 7; keep++ {
		n, err := NewSearcher(m, Options{Beam: 4, Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		p, post, err := n.Predict(bitmap.Parse("#?.?"))
		if err != nil {
			t.Fatal(err)
		}
		if len(post.Alternatives) != keep || p[2] != 0.5 || p[3] != 0.5 || p[0] == 0.5 {
			t.Errorf("%d alternatives of %d predict %v", len(post.Alternatives), keep, p)
		}
	}
}

// LogJoint returns log P(x, picks), in nats: the log-likelihood of the known
// pixels of the image under the (untruncated) composition of the picks, plus
// their LogPrior. Searcher computes the same incrementally.
func LogJoint(m *patchwork.Model, img *bitmap.Image, picks []patchwork.Pick) (float64, error) {
	prior, err := LogPrior(m, img.Height(), img.Width(), picks)
	if err != nil {
		return 0, err
	}
	return patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), picks).P) + prior, nil
}

// LogPrior returns the log prior probability, in nats, of a set of picks in an
// image of height x width: experts are active independently with probability
// pi_k, and an active one has any pose of the grid with the same probability,
//
//	sum_k log(1-pi_k) + sum over picks of [ log(pi_k/(1-pi_k)) - log(poses) ].
//
// Over all sets with at most one pick per expert these probabilities add up to 1.
// With Reuse > 1 a further pick of an expert is charged like the first, and they
// do not. The error is a *SizeError.
func LogPrior(m *patchwork.Model, height, width int, picks []patchwork.Pick) (float64, error) {
	grid, err := m.GridFor(height, width)
	if err != nil {
		return 0, err
	}
	costs := activationCosts(m)
	sum := logPriorEmpty(m)
	for _, p := range picks {
		sum -= costs[p.Expert] + elem.Log(float64(grid.Len()))
	}
	return sum, nil
}
