package real

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/pose"
)

// drawTable draws a model of a row of columns and a row.
func drawTable(t *rapid.T, r Rule) (*Model, []float64) {
	d, k := rapid.IntRange(2, 5).Draw(t, "columns"), rapid.IntRange(0, 3).Draw(t, "parts")
	m := &Model{Height: 1, Width: d, Rule: r, Background: rapid.SliceOfN(normals, d, d).Draw(t, "background")}
	for range k {
		e := make([]Entry, d)
		for i := range e {
			e[i] = Entry{Vote(rapid.IntRange(0, 2).Draw(t, "vote")), normals.Draw(t, "said")}
		}
		m.Experts = append(m.Experts, e)
		m.Pi = append(m.Pi, rapid.Float64Range(.05, .9).Draw(t, "pi"))
	}
	return m, rapid.SliceOfN(rapid.Float64Range(-5, 5), d, d).Draw(t, "row")
}

// pursuitOf returns a pursuit of a model that is valid.
func pursuitOf(t *rapid.T, m *Model) *Pursuit {
	t.Helper()
	p, err := NewPursuit(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// explainOf returns the explanation of a row that fits.
func explainOf(t *rapid.T, m *Model, row []float64) Explanation {
	t.Helper()
	e, err := pursuitOf(t, m).Explain(row)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

// TestUnknownIsLeftOut: a row with unknown values is explained as by the model that has no such columns.
func TestUnknownIsLeftOut(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		m, row := drawTable(t, r)
		hidden := rapid.SliceOfN(rapid.Bool(), m.D(), m.D()).Draw(t, "hidden")
		less := &Model{Height: 1, Rule: r, Pi: m.Pi, Experts: make([][]Entry, m.K())}
		var known []float64
		seen := append([]float64(nil), row...)
		for d := range row {
			if hidden[d] {
				seen[d] = math.NaN()
				continue
			}
			known, less.Width, less.Background = append(known, row[d]), less.Width+1, append(less.Background, m.Background[d])
			for k, e := range m.Experts {
				less.Experts[k] = append(less.Experts[k], e[d])
			}
		}
		if less.Width == 0 {
			return
		}
		a, b := explainOf(t, m, seen), explainOf(t, less, known)
		if !near(a.LogLik, b.LogLik) || !near(a.LogJoint, b.LogJoint) || len(a.Picks) != len(b.Picks) {
			t.Fatalf("with unknown values %+v, without their columns %+v", a, b)
		}
	})
}

// TestPicksPay: what an explanation has gained is its log-likelihood less that of the background, and the last pick
// pays.
func TestPicksPay(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		m, row := drawTable(t, r)
		e := explainOf(t, m, row)
		if !near(e.LogLik, m.LogLik(row, e.Picks)) || !near(e.StartLogLik, m.LogLik(row, nil)) {
			t.Fatalf("%+v, by the definition %v from %v", e, m.LogLik(row, e.Picks), m.LogLik(row, nil))
		}
		if best := pursuitOf(t, m); len(e.Picks) > 0 {
			for _, p := range e.Picks {
				if loss := e.LogLik - m.LogLik(row, without(e.Picks, p)); loss < best.f.price[p.Expert]-1e-6 {
					t.Fatalf("part %d is picked and brings %v, its price is %v", p.Expert, loss, best.f.price[p.Expert])
				}
			}
		}
	})
}

// TestPosteriorIsOne: the weights of the best explanations are probabilities in order, their evidence is no less than
// the joint
// of each, and the more of them the more evidence.
func TestPosteriorIsOne(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		m, row := drawTable(t, r)
		p, last := pursuitOf(t, m), math.Inf(-1)
		for _, n := range []int{1, 2, 8} {
			post, err := p.Best(row, n)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i, w := range post.Weights {
				sum += w
				if w < 0 || i > 0 && w > post.Weights[i-1]+1e-12 || post.Explanations[i].LogJoint > post.Evidence+1e-9 {
					t.Fatalf("weights %v, evidence %v, explanations %+v", post.Weights, post.Evidence, post.Explanations)
				}
			}
			if !near(sum, 1) || post.Evidence < last-1e-9 || len(post.Weights) > n {
				t.Fatalf("%d explanations: weights %v, evidence %v after %v", n, post.Weights, post.Evidence, last)
			}
			last = post.Evidence
		}
	})
}

// TestIntervalsNest: an interval that is to hold more contains the one that holds less, both hold the median, and known
// values
// are themselves.
func TestIntervalsNest(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		m, row := drawTable(t, r)
		row[0] = math.NaN()
		post, err := pursuitOf(t, m).Best(row, 0)
		if err != nil {
			t.Fatal(err)
		}
		inside := rapid.Float64Range(.1, .8).Draw(t, "inside")
		less, more := post.Predict(row, inside), post.Predict(row, inside+.1)
		median := post.Pixel(0).Quantile(.5)
		if !(more.Low[0] <= less.Low[0] && less.Low[0] <= median && median <= less.High[0] && less.High[0] <= more.High[0]) {
			t.Fatalf("%v to %v inside %v to %v, median %v", less.Low[0], less.High[0], more.Low[0], more.High[0], median)
		}
		if mix := post.Pixel(0); math.Abs(mix.CDF(less.High[0])-mix.CDF(less.Low[0])-inside) > 1e-6 {
			t.Fatalf("the interval holds %v, not %v", mix.CDF(less.High[0])-mix.CDF(less.Low[0]), inside)
		}
		for d := 1; d < m.D(); d++ {
			if less.Mean[d] != row[d] || less.Deviation[d] != 0 {
				t.Fatalf("column %d is %v and is predicted as %v ± %v", d, row[d], less.Mean[d], less.Deviation[d])
			}
		}
	})
}

// TestShiftedImages: an image that is shifted is explained by the same part, shifted as far, with the same likelihood.
func TestShiftedImages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const side, frame = 7, 3
		b := normals.Draw(t, "background")
		m := &Model{Height: side, Width: side, FrameHeight: frame, FrameWidth: frame,
			Poses: pose.Grid{DY: pose.Range{Max: side - frame, Step: 1}, DX: pose.Range{Max: side - frame, Step: 1}}}
		for range side * side {
			m.Background = append(m.Background, b)
		}
		part := make([]Entry, frame*frame)
		for f := range part {
			part[f] = Entry{MeanOnly, Normal{Mean: b.Mean + float64(6+f)*math.Sqrt(b.Var)}}
		}
		m.Experts = [][]Entry{part}
		at := rapid.IntRange(0, side-frame)
		image := func(dy, dx int) []float64 {
			out := make([]float64, side*side)
			for d := range out {
				if out[d] = b.Mean; d/side >= dy && d/side < dy+frame && d%side >= dx && d%side < dx+frame {
					out[d] = part[(d/side-dy)*frame+d%side-dx].Mean
				}
			}
			return out
		}
		first, base := explainOf(t, m, image(0, 0)), pose.Pose{}
		dy, dx := at.Draw(t, "down"), at.Draw(t, "right")
		e := explainOf(t, m, image(dy, dx))
		if len(first.Picks) != 1 || len(e.Picks) != 1 || first.Picks[0].Pose != base || e.Picks[0].Pose.DY != dy ||
			e.Picks[0].Pose.DX != dx || !near(e.LogLik, first.LogLik) {
			t.Fatalf("at (%d, %d): %+v, in place: %+v", dy, dx, e, first)
		}
	})
}

// TestSamplesAreOnTheGrid: what is drawn from a model lies on its grid, and is the same for the same seed.
func TestSamplesAreOnTheGrid(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		m, _ := drawTable(t, r)
		step := rapid.SampledFrom([]float64{.25, .5, 2}).Draw(t, "step")
		for range m.D() {
			m.Scales = append(m.Scales, Scale{Step: step, Origin: 1})
		}
		seed := rapid.Uint64().Draw(t, "seed")
		one, two := m.Sample(rand.New(rand.NewPCG(seed, 1))), m.Sample(rand.New(rand.NewPCG(seed, 1)))
		for d, x := range one {
			if n := (x - 1) / step; n != math.Round(n) || x != two[d] {
				t.Fatalf("column %d: %v and %v, in steps of %v from 1", d, x, two[d], step)
			}
		}
	})
}

// FuzzCounts: bytes that are no counts are refused, whatever they are; counts that are read are written as they were.
func FuzzCounts(f *testing.F) {
	m := &Model{Height: 1, Width: 2, Background: []Normal{{0, 1}, {0, 1}},
		Experts: [][]Entry{{{MeanOnly, Normal{Mean: 3}}, {}}}}
	text, err := NewTally(m).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		got := NewTally(m)
		if err := got.UnmarshalBinary(data); err != nil {
			return
		}
		back, err := got.MarshalBinary()
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%v: %x is written again as %x", err, data, back)
		}
	})
}
