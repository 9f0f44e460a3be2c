package rows

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/scoretest"
	"example.com/patchwork/pose"
)

// pickEqual makes a case all of whose votes are one value: extreme ones, and such that
// what an on pixel gains is a simple multiple of what an off one loses, or nearly so:
// then gains are equal, or closer to each other than rounding.
func pickEqual(c scoretest.Choices, maxExperts, maxPixels, n int) rowsCase {
	f := score.Frame{Height: 1, Width: 1 + c.Pick(maxPixels), Turns: []pose.Turn{{}}}
	f.Q = []float64{0.5, 0.2, 0.02, 0.3, 1e-6, 0.999}[c.Pick(6)]
	rng := rand.New(rand.NewPCG(uint64(c.Pick(256)), uint64(c.Pick(256))))
	vote := []float64{0.8, 0.9, 0.98, 0.6, math.Nextafter(1, 0), f.Q + 1e-9}[c.Pick(6)]
	if c.Pick(2) == 0 {
		ratio := []float64{1, 2, 0.5, 1.5, 5}[c.Pick(5)]
		vote = voteOfRatio(f.Q, ratio) + []float64{0, 1e-12, 1e-10, -1e-9, 1e-8, 1e-6}[c.Pick(6)]
	}
	vote = min(max(vote, math.Nextafter(f.Q, 1)), math.Nextafter(1, 0))
	templates := make([][]float64, 1+c.Pick(maxExperts))
	density := []float64{0, 0.1, 0.5, 1}[c.Pick(4)]
	for k := range templates {
		templates[k] = make([]float64, f.Width)
		if k > 0 && rng.IntN(6) == 0 {
			copy(templates[k], templates[rng.IntN(k)])
			continue
		}
		for i := range templates[k] {
			if templates[k][i] = f.Q * float64(rng.IntN(2)); rng.Float64() < density {
				templates[k][i] = vote
			}
		}
	}
	x := rowsCase{bank: score.NewBank(f, templates), opt: Options{MaxPicks: math.MaxInt16, Forced: c.Pick(2) == 0}}
	x.opt.MinGain = []float64{0, 0, 1.5, -3, math.Inf(1)}[c.Pick(5)]
	if c.Pick(4) == 0 {
		x.opt.MaxPicks = c.Pick(4)
	}
	if c.Pick(3) == 0 {
		cost := []float64{0, 0.5, 3, 0.1, -0.1, 1e6}[c.Pick(6)]
		for range templates {
			x.opt.Costs = append(x.opt.Costs, cost)
		}
	}
	x.rows = pickPacked(rng, f.Width, n, false, templates)
	return x
}

// voteOfRatio returns the vote above q for which an on pixel gains ratio times what an
// off pixel loses, as exactly as float64 has it.
func voteOfRatio(q, ratio float64) float64 {
	low, high := q, 1.0
	for range 200 {
		// The gain of an on pixel grows more slowly than the loss of an off one.
		v := (low + high) / 2
		if math.Log(v/q) > ratio*math.Log((1-q)/(1-v)) {
			low = v
		} else {
			high = v
		}
	}
	return low
}

// Counting has the answers of score.Search, and is used.
func TestEqualVotesAgree(t *testing.T) {
	used, all := 0, 0
	check := func(t scoretest.Fataler, c rowsCase) {
		if table := NewTable(c.bank, c.opt); table != nil {
			if all++; table.equal != nil {
				used++
			}
		}
		checkRows(t, c)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, pickEqual(scoretest.Drawn{T: t}, 12, 40, 20)) })
	rapid.Check(t, func(t *rapid.T) { check(t, pickEqual(scoretest.Drawn{T: t}, 40, 400, 9)) })
	for _, d := range []int{784, 1024, 1030} { // as many words as loops take, and more
		check(t, benchRows(10, d, 9, false, false))
	}
	for i := range scoretest.TinyCases(t, 1000) {
		c := scoretest.Tiny(i)
		check(scoretest.AtCase{T: t, Case: i}, pickEqual(c, 1+c.Pick(6), 1+c.Pick(20), 1+c.Pick(6)))
	}
	if used < all/10 {
		t.Errorf("counting is used in %d of %d cases", used, all)
	}
}

// Where counts cannot decide as sums do, there is no counting.
func TestEqualVotesRefuse(t *testing.T) {
	f := score.Frame{Height: 1, Width: 70, Q: 0.2, Turns: []pose.Turn{{}}}
	templates := func(votes ...float64) [][]float64 {
		out := make([][]float64, 3)
		for k := range out {
			out[k] = make([]float64, f.Width)
			for i := range out[k] {
				out[k][i] = votes[(i+k)%len(votes)]
			}
		}
		return out
	}
	equalOf := func(f score.Frame, t [][]float64, opt Options) *equal {
		opt.MaxPicks = 3
		return NewTable(score.NewBank(f, t), opt).equal
	}
	two, byPixel := f, f
	two.TwoSided = true
	byPixel.QMap = make([]float64, f.Width)
	for i := range byPixel.QMap {
		byPixel.QMap[i] = 0.1 + 0.01*float64(i%2)
	}
	// What 1 pixel on gains and 2 off lose differs by some 1e-9 nats: at times the units,
	// of 7e-9, have another sign.
	refused := 0
	for i := range 50 {
		if equalOf(f, templates(voteOfRatio(f.Q, 2)+float64(i)*1e-10, 0.2), Options{}) == nil {
			refused++
		}
	}
	if refused == 0 || refused == 50 {
		t.Errorf("of near ties %d of 50 are refused", refused)
	}
	for name, c := range map[string]struct {
		got  *equal
		used bool
	}{
		"equal":          {equalOf(f, templates(0.9, 0.2, 0.1), Options{}), true},
		"exact ties":     {equalOf(f, templates(0.8, 0.2), Options{}), true},
		"equal costs":    {equalOf(f, templates(0.9, 0.2), Options{Costs: []float64{2, 2, 2}}), true},
		"two values":     {equalOf(f, templates(0.9, 0.91), Options{}), false},
		"no votes":       {equalOf(f, templates(0.1, 0.2), Options{}), false},
		"costs differ":   {equalOf(f, templates(0.9, 0.2), Options{Costs: []float64{2, 2, 1}}), false},
		"any gain":       {equalOf(f, templates(0.9, 0.2), Options{MinGain: -1}), false},
		"two-sided":      {equalOf(two, templates(0.9, 0.2), Options{}), false},
		"by pixel":       {equalOf(byPixel, templates(0.9, 0.1), Options{}), false},
		"near the least": {equalOf(f, templates(0.8, 0.2), Options{MinGain: 3*math.Log(4) - score.Tie}), false},
	} {
		if (c.got != nil) != c.used {
			t.Errorf("%s: counting %v", name, c.got != nil)
		}
	}
}

func FuzzEqualVotes(f *testing.F) {
	f.Add([]byte("votes that are equal"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRows(t, pickEqual(&scoretest.Read{Bytes: data}, 20, 150, 20))
	})
}
