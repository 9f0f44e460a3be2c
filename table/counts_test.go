package table

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/internal/testkit"
)

func mustCounts(t testing.TB, m *patchwork.Model, data patchwork.Data, workers int) *Counts {
	t.Helper()
	c, err := Count(t.Context(), m, data, workers)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func countsBytes(c *Counts) []byte {
	b, _ := c.MarshalBinary()
	return b
}

// Under every rule, rows counted in pieces, on any number of workers, in any order, through
// bytes, are rows counted at once; and the step is that of soft EM.
func TestCountsInPieces(t *testing.T) {
	for r := range patchwork.Rule(len(joint.Names)) {
		m, data := randomTable(rand.New(rand.NewPCG(3, uint64(r))), r, 70, 4, 9)
		for i := range data.Weights { // no piece of weight 0
			data.Weights[i]++
		}
		whole := mustCounts(t, m, data, 1)
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 9))
			order := rng.Perm(len(data.Images))
			sum := NewCounts(m)
			for cut := range slices.Chunk(order, 1+rng.IntN(40)) {
				var read Counts
				if err := read.UnmarshalBinary(countsBytes(mustCounts(t, m, rows.Part(data, cut), 1+rng.IntN(4)))); err != nil {
					t.Fatalf("%v: %v", r, err)
				}
				sum.Merge(&read)
			}
			if !bytes.Equal(countsBytes(sum), countsBytes(whole)) {
				t.Errorf("%v, seed %d: other counts from pieces", r, seed)
			}
		}
		if whole.Rows() != rows.Total(data) {
			t.Errorf("%v: %d rows of %d", r, whole.Rows(), rows.Total(data))
		}
		next := whole.MStep(m, false, 1)
		step := mStepOptions{Marginal: rows.Means(data)}
		n := 0
		for round, err := range softEM(t.Context(), m, data, emOptions{Iterations: 1, MStep: step, Workers: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 2 && !testkit.SameModel(round.Model, next) {
				t.Errorf("%v: another model than by soft EM", r)
			}
		}
		testkit.NearAll(t, "means", next.Extras().Means, rows.Means(data), 0)
		if e := next.Extras().Record; e.Method != "soft" || e.Rows != whole.Rows() || e.LogLik != whole.LogLik() {
			t.Errorf("%v: record %+v", r, e)
		}
	}
}

// Steps from counts do not make the evidence of planted rows worse by much, and the first
// ones better.
func TestStepsFromCountsLearn(t *testing.T) {
	data := bars(300, 4)
	cfg := patchwork.Config{Rule: patchwork.Rule(joint.NoisyOr), Height: data.Images[0].Height(),
		Width: data.Images[0].Width(), Q: 0.05}
	learned, err := Learn(t.Context(), data, cfg, Options{Experts: 4, Iterations: 3})
	if err != nil {
		t.Fatal(err)
	}
	templates := learned.Templates() // half forgotten
	for _, template := range templates {
		for i := range template {
			q := learned.Abstention(i)
			template[i] = q + (template[i]-q)/2
		}
	}
	m := learned.WithTemplates(templates, learned.Extras())
	first := mustCounts(t, m, data, 1)
	for range 3 {
		m = mustCounts(t, m, data, 2).MStep(m, false, 2)
	}
	if last := mustCounts(t, m, data, 1); !(last.LogLik() > first.LogLik()+10) {
		t.Errorf("from %v to %v nats in three steps", first.LogLik(), last.LogLik())
	}
	if whole := mustCounts(t, learned, data, 1).LogLik(); mustCounts(t, m, data, 1).LogLik() < whole-30 {
		t.Errorf("the steps come to %v nats, learning to %v", mustCounts(t, m, data, 1).LogLik(), whole)
	}
}

// Whatever the bytes, they are refused, or are counts of which a step can be made.
func FuzzCounts(f *testing.F) {
	for r := range patchwork.Rule(3) {
		m, data := randomTable(rand.New(rand.NewPCG(5, 6)), r, 12, 3, 4)
		b := countsBytes(mustCounts(f, m, data, 1))
		f.Add(b)
		f.Add(b[:len(b)-2])
		f.Add(append(slices.Clone(b), 0))
		b = slices.Clone(b)
		b[len(b)/2] ^= 0x85
		f.Add(b)
	}
	f.Add([]byte(countsMagic + "\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c Counts
		if c.UnmarshalBinary(b) != nil {
			if c.counts != nil {
				t.Fatal("changed by what was refused")
			}
			return
		}
		if !bytes.Equal(countsBytes(&c), b) {
			t.Fatal("other bytes when written again")
		}
		k, width := c.Size()
		if c.Rows() == 0 || k*width > 4096 {
			return
		}
		cfg := patchwork.Config{Rule: patchwork.Rule(joint.SumOfOdds), Height: 1, Width: width, Q: 0.1}
		templates := testkit.Make2D(k, width)
		for _, template := range templates {
			for i := range template {
				template[i] = 0.5
			}
		}
		m, err := patchwork.NewModel(cfg, templates)
		if err != nil {
			t.Fatal(err)
		}
		if next := c.MStep(m, true, 1); next.K() < 1 {
			t.Fatal("no part is left")
		}
	})
}

// Counts of models that move, or of other sizes, are refused.
func TestCountsRefuse(t *testing.T) {
	m, data := randomTable(rand.New(rand.NewPCG(1, 1)), patchwork.RuleMax, 9, 2, 5)
	other, _ := randomTable(rand.New(rand.NewPCG(1, 1)), patchwork.RuleMax, 9, 2, 6)
	if _, err := Count(t.Context(), other, data, 1); err == nil {
		t.Error("rows of another width were counted")
	}
	moving := m.Config()
	moving.Reuse = 2
	twice, err := patchwork.NewModel(moving, m.Templates())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Count(t.Context(), twice, data, 1); err == nil {
		t.Error("parts that occur twice were counted")
	}
	for name, f := range map[string]func(){
		"merge": func() { NewCounts(m).Merge(NewCounts(other)) },
		"size":  func() { mustCounts(t, m, data, 1).MStep(other, false, 1) },
		"empty": func() { NewCounts(m).MStep(m, false, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
