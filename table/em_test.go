package table

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/internal/wire"
	"example.com/patchwork/posterior"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
)

// drawCells draws cells as a softTally has them: no opposing vote in bin 0, none
// farther than q elsewhere.
func drawCells(t *rapid.T, q float64) []voteCell {
	cells := make([]voteCell, opposingBins)
	for b := range cells {
		c := &cells[b]
		c.right = rapid.Int64Range(0, 50).Draw(t, "right") * weightUnit / 8
		c.wrong = rapid.Int64Range(0, 50).Draw(t, "wrong") * weightUnit / 8
		if b > 0 {
			c.opposing = int64(float64(c.right+c.wrong) * q * rapid.Float64Range(0, 1).Draw(t, "against"))
		}
	}
	return cells
}

// voteGoal is the formula that bestVote maximises.
func voteGoal(cells []voteCell, q, mu float64) float64 {
	sum := q*math.Log(mu) + (1-q)*math.Log1p(-mu)
	for _, c := range cells {
		if n := float64(c.right + c.wrong); n > 0 {
			p := mu - min(float64(c.opposing)/n, q*(1-1e-6))
			sum += (float64(c.right)*math.Log(p) + float64(c.wrong)*math.Log1p(-p)) / weightUnit
		}
	}
	return sum
}

// No vote above q is better than the one that the M-step finds.
func TestSoftVoteIsTheMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.Float64Range(minQ, 1-minQ).Draw(t, "q")
		cells := drawCells(t, q)
		mu, gain := bestVote(cells, q)
		if !(mu >= q && mu < 1) || math.IsNaN(gain) {
			t.Fatalf("vote %v above %v gains %v", mu, q, gain)
		}
		best := voteGoal(cells, q, mu)
		for i := range 1000 {
			v := q + (1-q)*(float64(i)+0.5)/1000
			if o := voteGoal(cells, q, v); o > best+1e-9*(1+math.Abs(best)) {
				t.Fatalf("vote %v: %v, but %v has %v", mu, best, v, o)
			}
		}
		if mu == q && gain != 0 {
			t.Fatalf("to abstain gains %v", gain)
		}
	})
}

// Without opposing votes the bisection ends where the closed form is.
func TestSoftVoteClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.Float64Range(minQ, 1-minQ).Draw(t, "q")
		right, wrong := rapid.Int64Range(0, 1<<40).Draw(t, "right"), rapid.Int64Range(0, 1<<40).Draw(t, "wrong")
		one, _ := bestVote([]voteCell{{right, wrong, 0}}, q)
		two, _ := bestVote([]voteCell{{right / 2, wrong / 2, 0}, {right - right/2, wrong - wrong/2, 0}}, q)
		if math.Abs(one-two) > 1e-9 {
			t.Fatalf("closed form %v, bisection %v", one, two)
		}
	})
}

// randomTable returns rows with unknown bits, and a random model of them.
func randomTable(rng *rand.Rand, rule patchwork.Rule, rows, experts, width int) (*patchwork.Model, patchwork.Data) {
	cfg := patchwork.Config{Rule: rule, Height: 1, Width: width, QMap: make([]float64, width)}
	templates := make([][]float64, experts)
	for i := range cfg.QMap {
		cfg.QMap[i] = 0.1 + 0.8*rng.Float64()
	}
	for k := range templates {
		templates[k] = slices.Clone(cfg.QMap)
		for i, q := range cfg.QMap {
			switch v := 0.02 + 0.96*rng.Float64(); {
			case rng.IntN(3) == 0: // abstains
			case rule == patchwork.RuleMaxMinusMin || v > q:
				templates[k][i] = v
			}
		}
	}
	m, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		panic(err)
	}
	var data patchwork.Data
	for i := range rows {
		p := m.Compose(1, width, []patchwork.Pick{{Expert: rng.IntN(experts)}, {Expert: rng.IntN(experts)}}).P
		data.Images = append(data.Images, posterior.Exclusive(nil).Hide(bitmap.Sample(rng, 1, width, p), 0.1, 1, i))
		data.Weights = append(data.Weights, rng.Int64N(3))
	}
	data.Weights[0] = 1
	return m, data
}

// The tally, and the model read off it, is the same for any number of workers;
// a weight is so many rows.
func TestSoftExplainExact(t *testing.T) {
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		m, data := randomTable(rand.New(rand.NewPCG(1, 2)), rule, 90, 5, 12)
		var repeated patchwork.Data
		for i, row := range data.Images {
			for range data.Weight(i) {
				repeated.Images = append(repeated.Images, row)
			}
		}
		want := mustCount(t, m, data, 1)
		for workers, d := range map[int]patchwork.Data{2: data, 5: data, 3: repeated, 4: rows.Distinct(repeated)} {
			got := mustCount(t, m, d, workers)
			if !bytes.Equal(wire.Marshal(got.code), wire.Marshal(want.code)) {
				t.Errorf("%v, %d workers: another tally", rule, workers)
			}
		}
	}
}

func mustCount(t testing.TB, m *patchwork.Model, data patchwork.Data, workers int) *counts {
	t.Helper()
	tally, err := eStep(t.Context(), m, data, posterior.Options{}, workers)
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

// The tally counts what the formula says: for every explanation the strongest
// vote on a side owns the bit, those who abstain where there is none are counted.
func TestSoftTallyReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		m, data := randomTable(rng, rule, 40, 6, 9)
		tally := newSoftTally(m, mustCount(t, m, data, 1).groups)
		right, all := softReference(t, m, data)
		for k := range m.K() {
			for i := range m.Width() {
				for side := range tally.sides {
					got, n := 0.0, 0.0
					for _, c := range tally.cells[tally.cell(k, i, side):][:tally.bins] {
						got += float64(c.right) / weightUnit
						n += float64(c.right+c.wrong) / weightUnit
					}
					at := (k*m.Width()+i)*2 + side
					testkit.Near(t, fmt.Sprintf("%v, expert %d, bit %d, side %d: right", rule, k, i, side), got, right[at], 1e-4)
					testkit.Near(t, "all", n, all[at], 1e-4)
				}
			}
		}
	}
}

func softReference(t *testing.T, m *patchwork.Model, data patchwork.Data) (right, all []float64) {
	n, err := posterior.NewSearcher(m, posterior.Options{})
	if err != nil {
		t.Fatal(err)
	}
	right, all = make([]float64, m.K()*m.Width()*2), make([]float64, m.K()*m.Width()*2)
	for r, row := range data.Images {
		post, err := n.Explain(row)
		if err != nil {
			t.Fatal(err)
		}
		x, known := row.AppendBytes(nil), row.AppendKnown(nil)
		for _, a := range post.Alternatives {
			if a.Weight < minWeight {
				continue
			}
			for i := range x {
				for side := range 2 {
					for _, k := range softSpeakers(m, testkit.ExpertsOf(a.Picks), i, side) {
						if known[i] == 0 {
							continue
						}
						w, at := a.Weight*float64(data.Weight(r)), (k*m.Width()+i)*2+side
						all[at] += w
						right[at] += w * math.Abs(float64(x[i])-float64(side))
					}
				}
			}
		}
	}
	return right, all
}

// softSpeakers returns the experts about whose vote on a side of bit i a set says
// something.
func softSpeakers(m *patchwork.Model, set []int, i, side int) []int {
	owner, far := -1, 0.0
	var abstain []int
	for _, k := range set {
		d := m.Template(k)[i] - m.Abstention(i)
		if d == 0 {
			abstain = append(abstain, k)
		}
		if side == 1 {
			d = -d
		}
		if d > far {
			owner, far = k, d
		}
	}
	if owner >= 0 {
		return []int{owner}
	}
	return abstain
}

// A soft iteration from the truth keeps it, nearly.
func TestSoftEMKeepsTheTruth(t *testing.T) {
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		rng := rand.New(rand.NewPCG(5, 6))
		q := make([]float64, 12)
		truth := make([][]float64, 3)
		for i := range q {
			q[i] = 0.2
		}
		for k := range truth {
			truth[k] = slices.Clone(q)
			for i := range 4 {
				truth[k][4*k+i] = 0.9
			}
		}
		m, err := patchwork.NewModel(patchwork.Config{Rule: rule, Height: 1, Width: 12, QMap: q}, truth)
		if err != nil {
			t.Fatal(err)
		}
		m, _ = m.WithExtras(patchwork.Extras{Usage: []float64{0.4, 0.4, 0.4}, Record: patchwork.Record{Rows: 2000}})
		var data patchwork.Data
		for range 2000 {
			var picks []patchwork.Pick
			for k := range truth {
				if rng.Float64() < 0.4 {
					picks = append(picks, patchwork.Pick{Expert: k})
				}
			}
			data.Images = append(data.Images, bitmap.Sample(rng, 1, 12, m.Compose(1, 12, picks).P))
		}
		var last round
		for it, err := range softEM(t.Context(), m, rows.Distinct(data),
			emOptions{Iterations: 3, MStep: mStepOptions{prices: prices{MinVoteGain: math.Log(2000) / 2}}}) {
			if err != nil {
				t.Fatal(err)
			}
			last = it
		}
		for k := range truth {
			testkit.NearAll(t, fmt.Sprintf("%v: expert %d", rule, k), last.Model.Template(k), truth[k], 0.06)
		}
		testkit.NearAll(t, "background", last.Model.Config().QMap, q, 0.06)
		testkit.NearAll(t, "usage", last.Model.Extras().Usage, []float64{0.4, 0.4, 0.4}, 0.06)
	}
}

// What the background has overtaken abstains; under a background that stays
// every vote stays.
func TestKeepSide(t *testing.T) {
	for _, c := range []struct{ v, q, next, want float64 }{
		{0.5, 0.5, 0.3, 0.3}, {0.6, 0.5, 0.3, 0.6}, {0.6, 0.5, 0.7, 0.7}, {0.4, 0.5, 0.7, 0.4}, {0.4, 0.5, 0.3, 0.3},
		{0.4, 0.5, 0.5, 0.4},
	} {
		if got := keepSide(c.v, c.q, c.next); got != c.want {
			t.Errorf("vote %v at %v, background now %v: %v, want %v", c.v, c.q, c.next, got, c.want)
		}
	}
}

// Experts without votes, or without rows, go; one is left in any case.
func TestBusy(t *testing.T) {
	cfg := patchwork.Config{Height: 1, Width: 2, QMap: []float64{0.5, 0.5}}
	m, err := patchwork.NewModel(cfg, [][]float64{{0.5, 0.5}, {0.9, 0.5}, {0.5, 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[int64]int{100: 2, 10: 1, 0: 1} {
		m, _ := m.WithExtras(patchwork.Extras{Usage: []float64{0.5, 0.2, 0.02}, Record: patchwork.Record{Rows: rows}})
		if got := withoutIdle(m); got.K() != want || len(got.Extras().Usage) != want {
			t.Errorf("%d rows: %d experts left, want %d", rows, got.K(), want)
		}
	}
}

func TestSoftRefuses(t *testing.T) {
	m, data := randomTable(rand.New(rand.NewPCG(7, 8)), patchwork.RuleMax, 5, 2, 4)
	scene, err := m.WithConfig(patchwork.Config{Height: 1, Width: 4, Scene: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eStep(t.Context(), scene, data, posterior.Options{}, 1); err == nil {
		t.Error("a scene, no error")
	}
	wide := patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 5)}}
	if _, err := eStep(t.Context(), m, wide, posterior.Options{}, 1); err == nil {
		t.Error("a row too wide, no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eStep(ctx, m, data, posterior.Options{}, 2); err == nil {
		t.Error("cancelled, no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("counts of different columns merged")
		}
	}()
	other, _ := randomTable(rand.New(rand.NewPCG(7, 9)), patchwork.RuleMaxMinusMin, 5, 2, 6)
	newCounts(m).merge(newCounts(other))
}

// The name of an expert follows it, and goes with it.
func TestNamesFollowExperts(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2, Q: 0.1},
		[][]float64{{0.9, 0.1}, {0.1, 0.1}, {0.1, 0.8}})
	m, err := m.WithExtras(patchwork.Extras{Usage: []float64{0.5, 0.2, 0.5}, Record: patchwork.Record{Rows: 100},
		Names: []string{"first", "idle", "last"}, Columns: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	e := withoutIdle(m).Extras()
	if !slices.Equal(e.Names, []string{"first", "last"}) || !slices.Equal(e.Columns, []string{"a", "b"}) {
		t.Errorf("names %q, columns %q", e.Names, e.Columns)
	}
}

// noisyOr is a rule that is no fold.
const noisyOr = patchwork.Rule(joint.NoisyOr)

// A candidate's vote is the best one: what is left out because it can gain too little
// would have been no vote.
func TestCandidateVotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for rule := range patchwork.Rule(len(joint.Names)) {
		votes := 0
		for range 8 {
			m, data := randomTable(rng, rule, 60, 3, 8)
			l := &learner{cfg: m.Config(), opt: Options{}.WithDefaults()}
			l.learnFrom(data)
			g, err := l.newGrowth(t.Context(), m, nil, rng)
			if err != nil {
				t.Fatal(err)
			}
			for _, least := range []float64{0.02, 0.5, 2} {
				f := newFitting(g)
				f.least = least
				for r := range f.gains {
					f.gains[r] = 4*rng.Float64() - 2
				}
				f.count(0)
				for i := range g.q {
					a := &joint.Ascent{Rule: g.rule, Q: g.q[i]}
					for n := range g.groups {
						cell := joint.Cell{Rest: f.rests[i*g.groups+n]}
						for r, x := range g.x {
							if p := g.weight[r] / (1 + elem.Exp(-f.gains[r])); g.group[r] == n {
								switch x[i] {
								case joint.On:
									cell.On += p
								case joint.Off:
									cell.Off += p
								}
							}
						}
						if cell.On+cell.Off > 0 {
							a.Cells = append(a.Cells, cell)
						}
					}
					want, _ := a.Best(least)
					if got := f.vote(i); math.Abs(got-want) > 1e-4 {
						t.Fatalf("rule %v, bit %d: vote %v, want %v", rule, i, got, want)
					}
					if want != g.q[i] {
						votes++
					}
				}
			}
		}
		if votes == 0 {
			t.Errorf("rule %v: no votes to compare", rule)
		}
	}
}
