package real

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.com/patchwork/pose"
)

// shapes are kinds of models for random tests.
var shapes = []struct {
	name       string
	h, w       int
	frame      [2]int
	poses      pose.Grid
	reuse, max int
}{
	{name: "row", h: 1, w: 12, max: 6},
	{name: "image", h: 4, w: 5, max: 5},
	{name: "turned once", h: 5, w: 5, poses: pose.Grid{DY: pose.Range{Min: 1, Max: 1}, Angles: []float64{90}}, max: 4},
	{name: "shifts", h: 6, w: 7, poses: pose.Grid{DY: pose.Symmetric(2, 1), DX: pose.Symmetric(4, 2)}, max: 3},
	{name: "small frame", h: 8, w: 8, frame: [2]int{3, 4}, poses: pose.Grid{DY: pose.Range{Min: -1, Max: 6},
		DX: pose.Range{Max: 5}}, reuse: 2, max: 3},
	{name: "turns", h: 6, w: 6, poses: pose.Grid{DX: pose.Symmetric(1, 1), Angles: []float64{0, 45, 90}}, max: 2},
}

// randomModel returns a model of shape i, and an image of it with unknown values.
func randomModel(rng *rand.Rand, i int) (*Model, []float64) {
	s := shapes[i]
	m := &Model{Height: s.h, Width: s.w, FrameHeight: s.frame[0], FrameWidth: s.frame[1], Poses: s.poses, Reuse: s.reuse,
		Rule: Rule(rng.IntN(3))}
	for d := range m.D() {
		b := Normal{rng.NormFloat64() * 3, math.Exp(rng.NormFloat64())}
		if d > 0 && m.Moves() {
			b = m.Background[0]
		}
		m.Background = append(m.Background, b)
	}
	for range 1 + rng.IntN(s.max) {
		e := make([]Entry, m.F())
		for f := range e {
			e[f] = Entry{Vote(rng.IntN(3)), Normal{rng.NormFloat64() * 5, math.Exp(rng.NormFloat64() - 1)}}
			if rng.IntN(10) == 0 {
				e[f].Normal = m.Background[f%m.D()]
			}
		}
		m.Experts = append(m.Experts, e)
		m.Pi = append(m.Pi, .05+.9*rng.Float64())
	}
	image := make([]float64, m.D())
	var picks []Pick
	for range rng.IntN(3) {
		picks = append(picks, Pick{rng.IntN(m.K()), m.Poses.At(rng.IntN(m.Poses.Len()))})
	}
	for d := range image {
		c := m.Compose(d, picks)
		image[d] = c.Mean() + rng.NormFloat64()*math.Sqrt(c.Variance())
		if rng.IntN(8) == 0 && i%2 == 0 {
			image[d] = math.NaN()
		}
	}
	return m, image
}

func TestExplainIsTheReference(t *testing.T) {
	for i, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			picked := 0
			for seed := range uint64(40) {
				m, image := randomModel(rand.New(rand.NewPCG(seed, 1)), i)
				p, err := NewPursuit(m)
				if err != nil {
					t.Fatal(err)
				}
				e, err := p.Explain(image)
				if err != nil {
					t.Fatal(err)
				}
				want := m.referenceExplain(image)
				if len(want)+len(e.Picks) > 0 && !reflect.DeepEqual(e.Picks, want) {
					t.Fatalf("seed %d, %v: picks %v, reference %v", seed, m.Rule, e.Picks, want)
				}
				if ll := m.LogLik(image, want); math.Abs(ll-e.LogLik) > 1e-8*(1+math.Abs(ll)) {
					t.Fatalf("seed %d: log-likelihood %v, reference %v", seed, e.LogLik, ll)
				}
				if start := m.LogLik(image, nil); math.Abs(start-e.StartLogLik) > 1e-8*(1+math.Abs(start)) {
					t.Fatalf("seed %d: %v without parts, reference %v", seed, e.StartLogLik, start)
				}
				if joint := e.LogLik + m.LogPrior(e.Picks); math.Abs(joint-e.LogJoint) > 1e-9*(1+math.Abs(joint)) {
					t.Fatalf("seed %d: joint %v, want %v", seed, e.LogJoint, joint)
				}
				picked += len(want)
			}
			if picked < 20 {
				t.Errorf("only %d picks in all: the test is blunt", picked)
			}
		})
	}
}

// TestGainsAreUpToDate: after any additions and removals, every gain is the difference of two log-likelihoods.
func TestGainsAreUpToDate(t *testing.T) {
	for i, s := range shapes {
		for seed := range uint64(6) {
			rng := rand.New(rand.NewPCG(seed, 2))
			m, image := randomModel(rng, i)
			f := newField(newBank(m))
			f.load(image)
			f.first()
			p := &Pursuit{f: f}
			for range 6 {
				if n := len(f.picks); n > 0 && rng.IntN(3) == 0 {
					at := rng.IntN(n)
					now, all := f.logLik(), len(f.picks)
					loss := f.loss(at)
					if len(f.picks) != all || f.logLik() != now {
						t.Fatal("asking for a loss changed the field")
					}
					f.remove(at, true)
					if math.Abs(now-f.logLik()-loss) > 1e-8 {
						t.Fatalf("%s, seed %d: loss %v, lost %v", s.name, seed, loss, now-f.logLik())
					}
				} else {
					f.add(rng.IntN(len(f.gains)), true)
				}
				var picks []Pick
				for _, c := range f.picks {
					picks = append(picks, p.pick(c))
				}
				now := m.LogLik(image, picks)
				if math.Abs(now-f.logLik()) > 1e-8 {
					t.Fatalf("%s, seed %d, %v: log-likelihood %v, reference %v", s.name, seed, m.Rule, f.logLik(), now)
				}
				for range 20 {
					c := rng.IntN(len(f.gains))
					want := m.LogLik(image, append(picks[:len(picks):len(picks)], p.pick(c))) - now
					if math.Abs(want-f.gains[c]) > 1e-8*(1+math.Abs(want)) {
						t.Fatalf("%s, seed %d, %v: candidate %d gains %v, reference %v", s.name, seed, m.Rule, c, f.gains[c], want)
					}
				}
			}
		}
	}
}

func TestModelsAreChecked(t *testing.T) {
	good := func() *Model {
		return &Model{Height: 1, Width: 2, Background: []Normal{{0, 1}, {1, 2}},
			Experts: [][]Entry{{{}, {MeanOnly, Normal{3, 0}}}}}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for what, spoil := range map[string]func(m *Model){
		"size":              func(m *Model) { m.Width = 0 },
		"background":        func(m *Model) { m.Background = m.Background[:1] },
		"background value":  func(m *Model) { m.Background[1].Var = 0 },
		"background mean":   func(m *Model) { m.Background[1].Mean = nan },
		"expert":            func(m *Model) { m.Experts[0] = m.Experts[0][:1] },
		"mean":              func(m *Model) { m.Experts[0][1].Mean = math.Inf(1) },
		"variance":          func(m *Model) { m.Experts[0][1] = Entry{MeanAndVar, Normal{0, -1}} },
		"vote":              func(m *Model) { m.Experts[0][1].Vote = 3 },
		"pi":                func(m *Model) { m.Pi = []float64{1} },
		"pis":               func(m *Model) { m.Pi = []float64{.5, .5} },
		"scale":             func(m *Model) { m.Scales = make([]Scale, 2) },
		"moving background": func(m *Model) { m.Poses.DX = pose.Symmetric(1, 1) },
		"poses":             func(m *Model) { m.Poses.DX = pose.Range{Min: 2, Max: 1} },
		"frame":             func(m *Model) { m.FrameHeight = 2 },
		"rule":              func(m *Model) { m.Rule = 7 },
		"names":             func(m *Model) { m.Names = []string{"a", "b"} },
	} {
		m := good()
		spoil(m)
		if m.Check() == nil {
			t.Errorf("%s: no error", what)
		}
	}
	p, err := NewPursuit(good())
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range [][]float64{nil, {1}, {1, math.Inf(1)}} {
		if _, err := p.Explain(image); err == nil {
			t.Errorf("%v is explained", image)
		}
	}
	if e, err := p.Explain([]float64{nan, nan}); err != nil || len(e.Picks) != 0 || e.LogLik != 0 {
		t.Errorf("all unknown: %v, %v", e, err)
	}
}

// LogLik returns the log-likelihood of an image under the picks, in nats: the sum of the logarithms of the densities of
// its values. Unknown values (NaN) add nothing.
func (m *Model) LogLik(image []float64, picks []Pick) float64 {
	sum := 0.0
	for d, x := range image {
		if !math.IsNaN(x) {
			sum += m.Compose(d, picks).LogDensity(x)
		}
	}
	return sum
}
