package table

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/posterior"
)

// learnerOf returns a learner whose judge hides one bit of each of some rows.
func learnerOf(rows int) *learner {
	l := &learner{judge: &posterior.HiddenBits{}, opt: Options{Aim: AimPredict}}
	for range rows {
		l.judge.Data.Images = append(l.judge.Data.Images, bitmap.New(1, 2))
	}
	return l
}

// enrolled enrols a candidate that says of each row's hidden bit how probable the truth is.
func (l *learner) enrolled(truth ...float32) {
	o := losses{}
	for _, p := range truth {
		o.truth = append(o.truth, []float32{p})
		o.rows = append(o.rows, -math.Log(float64(p)))
	}
	l.sum(&o)
	l.enrol(tried{prices: prices{MinVoteGain: float64(len(l.voters))}}, o)
}

func TestElected(t *testing.T) {
	for _, c := range []struct {
		name   string
		choice []float32
		truth  [][]float32
		want   []float64 // which of them, by the order in which they came
		loss   float64
	}{
		{"nobody", []float32{0.5, 0.5}, nil, nil, math.Log(2)},
		{"the choice is the best everywhere", []float32{0.75, 0.75}, [][]float32{{0.7, 0.7}, {0.75, 0.7}}, nil,
			-math.Log(0.75)},
		{"two are wrong in turn", []float32{0.75, 0.25}, [][]float32{{0.75, 0.25}, {0.25, 0.75}}, []float64{1}, math.Log(2)},
		{"three are wrong in turn", []float32{0.875, 0.25, 0.25}, [][]float32{{0.25, 0.25, 0.875}, {0.25, 0.875, 0.25},
			{0.3, 0.3, 0.3}}, []float64{0, 1}, -math.Log(1.375 / 3)},
		{"certain, and wrong once", []float32{0.5, 0.5, 0.5}, [][]float32{{1, 1, 0}}, []float64{0},
			-(2*math.Log(0.75) + math.Log(0.25)) / 3},
		{"impossible alone", []float32{0, 1}, [][]float32{{0.5, 1}}, []float64{0}, math.Log(4) / 2},
	} {
		l := learnerOf(len(c.choice))
		for _, truth := range c.truth {
			l.enrolled(truth...)
		}
		var choice [][]float32
		for _, p := range c.choice {
			choice = append(choice, []float32{p})
		}
		members, loss := l.elected(choice)
		var got []float64
		for _, v := range members {
			got = append(got, v.prices.MinVoteGain)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || !(math.Abs(loss-c.loss) < 1e-6) {
			t.Errorf("%s: %v with loss %v, want %v with %v", c.name, got, loss, c.want, c.loss)
		}
	}
}

// Only the best candidates are remembered, equal ones in the order in which they came, and
// none where the aim is to interpret.
func TestEnrol(t *testing.T) {
	l := learnerOf(1)
	for i := range 3 * votersTried {
		l.enrolled(float32(1+i%7) / 8)
	}
	if len(l.voters) != votersTried {
		t.Fatalf("%d candidates are remembered", len(l.voters))
	}
	for i, v := range l.voters[1:] {
		if was := l.voters[i]; v.loss < was.loss || v.loss == was.loss && v.prices.MinVoteGain < was.prices.MinVoteGain {
			t.Errorf("candidate %d is not in order", i+2)
		}
	}
	l = learnerOf(1)
	l.opt.Aim = AimInterpret
	if l.enrolled(0.5); l.voters != nil {
		t.Error("a candidate is remembered for nothing")
	}
}

// Of parts that overlap, learned with the aim to predict, the committee predicts other rows
// better than the parts that are shown do; it is the same for any number of workers.
// With the other aim there is none.
func TestCommittee(t *testing.T) {
	data, other := blurred(60, 10), blurred(500, 2)
	cfg := patchwork.Config{Height: 1, Width: 16}
	m, err := Learn(t.Context(), data, cfg, Options{Aim: AimPredict})
	if err != nil {
		t.Fatal(err)
	}
	extras := m.Extras()
	if len(extras.Committee) == 0 {
		t.Fatalf("a committee of %d", len(extras.Committee))
	}
	more, err := Learn(t.Context(), data, cfg, Options{Aim: AimPredict, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(more.Extras().Committee) != len(extras.Committee) {
		t.Fatal("more workers make another committee")
	}
	for i, o := range more.Extras().Committee {
		if !reflect.DeepEqual(o.Templates(), extras.Committee[i].Templates()) ||
			!reflect.DeepEqual(o.Extras().Usage, extras.Committee[i].Extras().Usage) {
			t.Errorf("more workers make another model %d", i+1)
		}
	}
	together := hiddenLossOf(t, m, other)
	if alone := hiddenLossOf(t, withoutCommittee(t, m), other); together > alone-0.005 {
		t.Errorf("together %.4f, the parts alone %.4f", together, alone)
	}
	if m, err = Learn(t.Context(), data, cfg, Options{}); err != nil || m.Extras().Committee != nil {
		t.Errorf("interpret: %v, %d models", err, len(m.Extras().Committee))
	}
}

func withoutCommittee(t *testing.T, m *patchwork.Model) *patchwork.Model {
	t.Helper()
	e := m.Extras()
	e.Committee = nil
	m, err := m.WithExtras(e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func hiddenLossOf(t *testing.T, m *patchwork.Model, data patchwork.Data) float64 {
	t.Helper()
	s, err := posterior.Score(t.Context(), m, posterior.Exclusive(nil).HideBits(data, 0.2, 1, 1), posterior.Options{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s.Averaged.LogLoss
}

// blurred returns rows of a few intervals each of 16 columns, wherever they begin: there is
// no one set of parts.
func blurred(n int, seed uint64) (out patchwork.Data) {
	rng := rand.New(rand.NewPCG(seed, 16))
	for range n {
		x := make([]uint8, 16)
		for range 1 + rng.IntN(2) {
			from, length := rng.IntN(16), 3+rng.IntN(4)
			for i := range length {
				x[(from+i)%16] = 1
			}
		}
		out.Images = append(out.Images, bitmap.FromBytes(1, 16, x))
	}
	return out
}
