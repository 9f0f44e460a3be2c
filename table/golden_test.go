package table

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/posterior"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
)

// goldenPredict holds a case of predict.json, computed by another implementation.
type goldenPredict struct {
	Rule     string
	Q        []float64
	E        [][]float64
	Usage    []float64
	N        int64
	X, V     [][]uint8
	Beam     int
	NBest    int
	JMax     int
	Cost     []float64
	Sets     [][][]int   `json:"nbest_sets"`
	LogJoint [][]float64 `json:"log_joint"`
	Evidence []float64
	Predict  [][]float64
	NewQ     []float64   `json:"new_q"`
	NoVote   [][]float64 `json:"no_vote"`
	NewUsage []float64   `json:"new_usage"`
}

func loadPredict(t testing.TB) []goldenPredict {
	t.Helper()
	var g []goldenPredict
	if err := json.Unmarshal(testenv.ReadShared(t, "golden/predict.json"), &g); err != nil {
		t.Fatal(err)
	}
	if len(g) == 0 {
		t.Fatal("predict.json holds no case")
	}
	return g
}

func (g *goldenPredict) model(t testing.TB) *patchwork.Model {
	t.Helper()
	c := patchwork.Config{Height: 1, Width: len(g.Q), QMap: g.Q}
	if g.Rule != "max" {
		c.Rule = patchwork.RuleMaxMinusMin
	}
	m, err := patchwork.NewModel(c, g.E)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := patchwork.TallyOf(m, patchwork.Counts{}, g.N)
	if err != nil {
		t.Fatal(err)
	}
	usage := make([]float64, len(g.Usage))
	for k, n := range g.Usage {
		usage[k] = n / float64(g.N)
	}
	m, err = m.WithExtras(patchwork.Extras{Counts: counts, Usage: usage})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (g *goldenPredict) row(r int) *bitmap.Image {
	img := bitmap.FromBytes(1, len(g.Q), g.X[r])
	for x, known := range g.V[r] {
		if known == 0 {
			img.SetUnknown(0, x)
		}
	}
	return img
}

// The n-best sets, in order, their log joints, the evidence and the averaged
// predictions are the golden ones.
func TestSearcherGolden(t *testing.T) {
	for c, g := range loadPredict(t) {
		m := g.model(t)
		costs, empty := posterior.ActivationPrior(m), 0.0 // the prior of no part
		for k, pi := range costs {
			costs[k] = math.Log1p(-pi) - math.Log(pi)
			empty += math.Log1p(-pi)
		}
		testkit.NearAll(t, "activation costs", costs, g.Cost, 1e-12)
		n, err := posterior.NewSearcher(m, posterior.Options{Beam: g.Beam, Keep: g.NBest, MaxPicks: g.JMax})
		if err != nil {
			t.Fatal(err)
		}
		for r := range g.X {
			p, post, err := n.Predict(g.row(r))
			if err != nil {
				t.Fatal(err)
			}
			if len(post.Alternatives) != len(g.Sets[r]) {
				t.Fatalf("case %d, row %d: %d sets, want %d", c, r, len(post.Alternatives), len(g.Sets[r]))
			}
			for i, a := range post.Alternatives {
				if got := testkit.ExpertsOf(a.Picks); !slices.Equal(got, g.Sets[r][i]) {
					t.Errorf("case %d, row %d: set %d is %v, want %v", c, r, i, got, g.Sets[r][i])
				}
				testkit.Near(t, "log joint", a.LogJoint-empty, g.LogJoint[r][i], 1e-9)
			}
			testkit.Near(t, "evidence", post.Evidence, g.Evidence[r], 1e-9)
			testkit.NearAll(t, "predictions", p, g.Predict[r], 1e-9)
		}
	}
}

// The golden counts behind the background follow from the posteriors: bits nobody
// votes on, by weight. Weights below 1e-3 do not count.
func TestNoVoteGolden(t *testing.T) {
	for _, g := range loadPredict(t) {
		m := g.model(t)
		n, err := posterior.NewSearcher(m, posterior.Options{})
		if err != nil {
			t.Fatal(err)
		}
		on, seen, usage := make([]float64, len(g.Q)), make([]float64, len(g.Q)), make([]float64, m.K())
		for r := range g.X {
			post, err := n.Explain(g.row(r))
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range post.Alternatives {
				if a.Weight < 1e-3 {
					continue
				}
				for _, k := range testkit.ExpertsOf(a.Picks) {
					usage[k] += a.Weight
				}
				c := m.Compose(1, len(g.Q), a.Picks)
				for i := range on {
					if g.V[r][i] == 1 && c.Max[i] < 0 && c.Min[i] < 0 {
						seen[i] += a.Weight
						on[i] += a.Weight * float64(g.X[r][i])
					}
				}
			}
		}
		testkit.NearAll(t, "bits on without a vote", on, g.NoVote[0], 1e-9)
		testkit.NearAll(t, "bits without a vote", seen, g.NoVote[1], 1e-9)
		testkit.NearAll(t, "usage", usage, g.NewUsage, 1e-9)
		for i, q := range g.Q {
			testkit.Near(t, "new q", min(max((on[i]+q)/(seen[i]+1), 0.001), 0.999), g.NewQ[i], 1e-9)
		}
	}
}

// The M-step gives the golden background and usage, but for the rounding of the weights.
func TestSoftStepGolden(t *testing.T) {
	for _, g := range loadPredict(t) {
		m := g.model(t)
		search := searchOf(m, posterior.Options{Beam: g.Beam, Keep: g.NBest, MaxPicks: g.JMax})
		search.Straight = true
		tally := newCounts(m, 1)
		for r := range g.X {
			x := g.row(r).AppendValues(nil)
			sets, _ := search.Explain(x)
			tally.addSets(x, sets, 1)
		}
		e := joint.NewExperts(jointRule(m.Config().Rule), rows.Background(m), m.Templates())
		q, _ := tally.groups.Step(e, joint.MStep{MinQ: minQ}, func(bits int, work func(int)) { eachBit(bits, 1, work) })
		testkit.NearAll(t, "background", q, g.NewQ, 1e-5)
		for k, want := range g.NewUsage {
			testkit.Near(t, "usage", tally.activity(k), want, 1e-5)
		}
	}
}
