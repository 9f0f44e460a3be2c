package real

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
)

// newTestLearner returns a learner of data, or ends the test.
func newTestLearner(t *testing.T, d *Data, o Options) *learner {
	t.Helper()
	l, err := newLearner(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// explained returns the state of a model whose scales become those of the data.
func (l *learner) explained(t *testing.T, m *Model) *state {
	t.Helper()
	m.Scales = l.data.Scales
	s, err := l.explain(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// halves returns the four parts of quadrants: each half of 16 values up and down by a.
func halves(a float64) *Model {
	m := &Model{Height: 4, Width: 4, Background: slices.Repeat([]Normal{{0, 1}}, 16)}
	for i := range 4 {
		e := make([]Entry, 16)
		for d := range 8 {
			e[i/2*8+d] = Entry{MeanOnly, Normal{a * float64(1-2*(i%2)), 1}}
		}
		m.Experts, m.Pi = append(m.Experts, e), append(m.Pi, .25)
	}
	return m
}

// TestUseful: what an expert is worth is what the log-likelihood loses without its picks, less the prices of picks and
// votes.
func TestUseful(t *testing.T) {
	for _, i := range []int{1, 4, 5} { // one has shifts, one parts that are used twice
		picked := 0
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 21))
			m, _ := randomModel(rng, i)
			var rows [][]float64
			for range 12 {
				rows = append(rows, m.Sample(rng))
			}
			l := newTestLearner(t, newData(t, m.Height, m.Width, rows), Options{Poses: m.Poses})
			s := l.explained(t, m)
			want := make([]float64, m.K())
			for r, at := range s.e.picks {
				var picks []Pick
				for _, c := range at {
					picks = append(picks, Pick{c / m.Poses.Len(), m.Poses.At(c % m.Poses.Len())})
				}
				for j, p := range picks {
					picked++
					rest := slices.Delete(slices.Clone(picks), j, j+1)
					want[p.Expert] += m.LogLik(l.data.Rows[r], picks) - m.LogLik(l.data.Rows[r], rest) - m.Price(p.Expert)
				}
			}
			got := l.useful(s)
			for k, e := range m.Experts {
				for _, o := range e {
					want[k] -= l.lambda * float64(o.Vote)
				}
				if math.Abs(got[k]-want[k]) > 1e-7*(1+math.Abs(want[k])) {
					t.Fatalf("shape %d, seed %d: expert %d is worth %v, reference %v", i, seed, k, got[k], want[k])
				}
			}
		}
		if picked < 30 {
			t.Errorf("shape %d: only %d picks: the test is blunt", i, picked)
		}
	}
}

// TestMisfit: an expert whose values are as it says fits; one that is two in truth fits worst, by half of the squared
// distances, in
// deviations, beyond those of the noise.
func TestMisfit(t *testing.T) {
	l := newTestLearner(t, newData(t, 4, 4, quadrants(200, 2, 1, 5)), Options{})
	m := halves(2)
	// A cross: up in both halves, as far as half of each.
	cross := make([]Entry, 16)
	for d := range cross {
		cross[d] = Entry{MeanOnly, Normal{1, 1}}
	}
	m.Experts = [][]Entry{cross, m.Experts[1], m.Experts[3]}
	m.Pi = m.Pi[:3]
	s := l.explained(t, m)
	got := s.misfit(1)
	for k, held := range s.misfit(.5) { // the noise being half as large as it says, the same values vary half as much
		if held < got[k] {
			t.Errorf("expert %d fits worse, %v than %v, where more noise is believed", k, held, got[k])
		}
	}
	if worst(got, 0) != 0 || got[0] > 3*min(got[1], got[2]) {
		t.Errorf("misfits %v: the first expert is two", got)
	}
	want := 0.0
	for d := range 16 {
		n, squares := 0.0, 0.0
		for i, row := range l.data.Rows {
			f := newField(s.e.bank)
			f.load(row)
			for _, c := range s.e.picks[i] {
				f.add(c, false)
			}
			// It is the only one that is up, and wins where it is the stronger: others say 2 down.
			if slices.Contains(s.e.picks[i], 0) && f.cells[d].down == 0 {
				n++
				squares += (row[d] - 1) * (row[d] - 1)
			}
		}
		want -= max(0, squares-n) / 2
	}
	if math.Abs(got[0]-want) > 1e-6*math.Abs(want) {
		t.Errorf("misfit %v, from the rows %v", got[0], want)
	}
}

// TestWorst: ranks count from the least, and equals stand in their order.
func TestWorst(t *testing.T) {
	scores := []float64{3, -1, 3, math.Inf(-1), 0}
	for rank, want := range []int{3, 1, 4, 0, 2} {
		if got := worst(scores, rank); got != want {
			t.Errorf("rank %d is %d, want %d", rank, got, want)
		}
	}
}

// TestFinish: of the true parts, one of them twice and one of noise, the true ones are left, and the description is as
// short as from the truth.
func TestFinish(t *testing.T) {
	l := newTestLearner(t, newData(t, 4, 4, quadrants(150, 2, 1, 2)), Options{})
	finish := func(m *Model) *state {
		s, err := l.finish(l.explained(t, m), l.terms())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	truth := finish(halves(2))
	if truth.m.K() != 4 {
		t.Fatalf("%d of the four true parts are left", truth.m.K())
	}
	m := halves(2)
	again, noise := slices.Clone(m.Experts[2]), make([]Entry, 16)
	again[8].Mean = 2.2
	for d := range 3 {
		noise[5*d] = Entry{MeanOnly, Normal{.4, 1}}
	}
	m.Experts, m.Pi = append(m.Experts, again, noise), append(m.Pi, .2, .3)
	s := finish(m)
	if s.m.K() != 4 || s.length > truth.length+1 {
		t.Errorf("%d parts in %v nats, from the truth %v", s.m.K(), s.length, truth.length)
	}
	before := l.explained(t, m)
	tried := l.dispensable(before)
	if tried[0] != worst(l.useful(before), 0) || !slices.Contains(tried, 5) || len(tried) > 4 {
		t.Errorf("tried are %v: first that of least use, and that of noise, which has the fewest votes", tried)
	}
	if slices.Sort(tried); len(slices.Compact(tried)) != len(tried) {
		t.Errorf("tried twice: %v", tried)
	}
}

// TestMoveMends: from parts of which one is two and one is lacking, moving finds the four, and never a longer
// description than it was given.
func TestMoveMends(t *testing.T) {
	l := newTestLearner(t, newData(t, 4, 4, quadrants(150, 2, 1, 4)), Options{})
	m := halves(2)
	cross := make([]Entry, 16)
	for d := range cross {
		cross[d] = Entry{MeanOnly, Normal{1, 1}}
	}
	m.Experts, m.Pi = [][]Entry{cross, m.Experts[1], m.Experts[3]}, m.Pi[:3]
	before := l.explained(t, m)
	steps := 0
	s, err := l.move(rand.New(rand.NewPCG(1, 1)), before, l.terms(), func(stage string, s *state) {
		if steps++; stage != "move" || s.length > before.length {
			t.Errorf("step %d is %q, of %v nats, before %v", steps, stage, s.length, before.length)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.m.K() != 4 || steps > moves {
		t.Errorf("%d parts after %d steps", s.m.K(), steps)
	}
}

// TestGrowthSaysWhatItGains: the nats by which an expert is said to shorten the description of data that nothing
// explains are
// those by which it does, whether it moves or not, but for the nats of not being active.
func TestGrowthSaysWhatItGains(t *testing.T) {
	for _, poses := range []pose.Grid{{}, {DX: pose.Symmetric(1, 1), DY: pose.Symmetric(1, 1)}} {
		l := newTestLearner(t, newData(t, 4, 4, quadrants(60, 2, 1, 7)), Options{Poses: poses})
		before := l.explained(t, l.model(l.medians))
		g := newGrower(l.data, before.e, l.terms())
		paid := 0
		for seed := range uint64(6) {
			e, pi, gain := g.local(g.begin(rand.New(rand.NewPCG(seed, 1)), 1, false))
			m := *before.m
			m.Experts, m.Pi = [][]Entry{e}, []float64{pi}
			after := l.explained(t, &m)
			if gain > 0 {
				paid++
			}
			gains := before.length - after.length - 60*math.Log1p(-pi)
			if pi > 0 && math.Abs(gains-gain) > 1e-6*math.Abs(gain) {
				t.Errorf("%d places, seed %d: the expert is said to gain %v, and gains %v", poses.Len(), seed, gain, gains)
			}
		}
		if paid < 3 {
			t.Errorf("%d places: only %d experts pay: the test is blunt", poses.Len(), paid)
		}
	}
}

// TestScorePerUse: of candidates that gain the same the one that is used less is preferred, if that is asked for; one
// that does not pay
// never is.
func TestScorePerUse(t *testing.T) {
	for _, perUse := range []bool{false, true} {
		g := &grower{terms: &terms{perUse: perUse}}
		if bar, cross := g.score(100, .1), g.score(105, .2); (bar > cross) != perUse || g.score(1e-3, .5) <= 0 ||
			g.score(-5, .1) >= 0 || g.score(0, 0) != 0 {
			t.Errorf("per use %t: a bar has %v, a cross %v, nothing %v", perUse, bar, cross, g.score(0, 0))
		}
	}
}

// TestBeginIsShared: a candidate of two rows votes where both deviate from the background to one side by more than the
// threshold, and
// nobody says so, and its mean is theirs.
func TestBeginIsShared(t *testing.T) {
	rows := [][]float64{{9, -9, 9, 0, 9, 9}, {7, -7, -7, 7, 7, math.NaN()}}
	for range 20 {
		rows = append(rows, []float64{0, 0, 0, 0, 0, 0})
	}
	l := newTestLearner(t, newData(t, 2, 3, rows), Options{})
	m := l.model(make([]float64, 6))
	for d := range m.Background {
		m.Background[d] = Normal{0, 1}
	}
	e := make([]Entry, 6)
	e[4] = Entry{MeanOnly, Normal{8, 1}}
	m.Experts, m.Pi = [][]Entry{e}, []float64{.5}
	s := l.explained(t, m)
	g := newGrower(l.data, s.e, l.terms())
	got := g.begin(rand.New(rand.NewPCG(1, 1)), 1.5, true)
	for d, want := range []float64{8, -8, 0, 0, 0, 0} {
		if got[d].Vote == Abstains != (want == 0) || want != 0 && math.Abs(got[d].Mean-want) > 1e-3 {
			t.Errorf("pixel %d: %+v, want the mean %v (0 for none)", d, got[d], want)
		}
	}
	alone := g.begin(rand.New(rand.NewPCG(1, 1)), 1.5, false)
	if alone[4].Vote != Abstains || alone[0].Vote == Abstains {
		t.Errorf("a candidate of one row: %+v", alone)
	}
}

// TestFactorsBeyondRange: many pixels on which a weak opinion stands beside a strong one that is wrong have a product
// of shares
// that no float64 holds; gains stay what the formula says.
func TestFactorsBeyondRange(t *testing.T) {
	const d = 40
	for _, weak := range []float64{1e-3, 1e-10, 1e-28, 1e-30, 1e-120} {
		m := &Model{Height: 1, Width: d + 1, Background: slices.Repeat([]Normal{{0, 1}}, d+1),
			Experts: [][]Entry{make([]Entry, d+1), make([]Entry, d+1)}}
		row := make([]float64, d+1)
		for i := range d {
			m.Experts[0][i], m.Experts[1][i] = Entry{MeanOnly, Normal{3, 1}}, Entry{MeanOnly, Normal{-weak, 1}}
			row[i] = -20
		}
		m.Experts[0][d], row[d] = Entry{MeanOnly, Normal{90, 1}}, 90
		f := newField(newBank(m))
		f.load(row)
		f.first()
		alone := f.gains[1]
		f.add(0, true)
		const strong = -64.5 // of the first, at -20: (20^2 - 23^2)/2
		want := d * (elem.LogAdd(math.Log(3/(3+weak))+strong, math.Log(weak/(3+weak))+20*weak-weak*weak/2) - strong)
		if got := f.gains[1]; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("an opinion of strength %v gains %v, want %v", weak, got, want)
		}
		f.remove(0, true)
		if math.Abs(f.gains[1]-alone) > 1e-6 {
			t.Errorf("alone again it gains %v, %v before", f.gains[1], alone)
		}
	}
}

// TestEStepRefuses: a model that is none, data of another size or off the grid, and an ended context are errors, and no
// counts.
func TestEStepRefuses(t *testing.T) {
	data := newData(t, 4, 4, quadrants(20, 2, 1, 1))
	good := halves(2)
	good.Scales = data.Scales
	ended, stop := context.WithCancel(t.Context())
	stop()
	bad := halves(2)
	bad.Background[3].Var = -1
	off := &Data{Height: 4, Width: 4, Scales: data.Scales, Rows: slices.Clone(data.Rows)}
	off.Rows[7] = slices.Repeat([]float64{math.Inf(1)}, 16)
	for name, c := range map[string]struct {
		ctx  context.Context
		m    *Model
		data *Data
		want string
	}{
		"no model":   {t.Context(), bad, data, "variance -1"},
		"another":    {t.Context(), good, newData(t, 2, 8, quadrants(20, 2, 1, 1)), "2 x 8"},
		"infinite":   {t.Context(), good, off, "row 8"},
		"ended":      {ended, good, data, context.Canceled.Error()},
		"no pursuit": {nil, bad, nil, "variance -1"},
	} {
		var tally *Tally
		var err error
		if c.data == nil {
			_, err = NewPursuit(c.m)
		} else {
			tally, err = EStep(c.ctx, c.m, c.data, 1)
		}
		if err == nil || tally != nil || !contains(err, c.want) {
			t.Errorf("%s: %v, %v", name, tally, err)
		}
	}
	p, err := NewPursuit(good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Best(make([]float64, 3), 0); err == nil {
		t.Error("an image of three values is explained")
	}
	if _, err := p.Together(make([]float64, 3), 0); err == nil {
		t.Error("an image of three values is predicted")
	}
	if _, err := ParseRule("noisy-or"); err == nil || !contains(err, "soft") {
		t.Errorf("the rule noisy-or: %v", err)
	}
	for _, r := range []Rule{Pool, Max, Soft} {
		if got, err := ParseRule(r.String()); err != nil || got != r {
			t.Errorf("%v is read as %v, %v", r, got, err)
		}
	}
}

// contains reports whether the text of an error has a part.
func contains(err error, part string) bool { return err != nil && strings.Contains(err.Error(), part) }
