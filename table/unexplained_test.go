package table

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
)

// blocksOfRows returns rows of two groups of four columns among twelve, as weights say.
func blocksOfRows(weights ...int64) patchwork.Data {
	var data patchwork.Data
	for i, w := range weights {
		x := make([]uint8, 12)
		for g := range 2 {
			for c := range 4 {
				x[4*g+c] = uint8(i >> g & 1)
			}
		}
		data.Images, data.Weights = append(data.Images, bitmap.FromBytes(1, 12, x)), append(data.Weights, w)
	}
	return data
}

// unexplainedOf returns what the background leaves of a table.
func unexplainedOf(t testing.TB, data patchwork.Data) *unexplained {
	t.Helper()
	l := &learner{cfg: patchwork.Config{Height: 1, Width: data.Images[0].Len(), ZeroQ: true}, opt: Options{}.WithDefaults()}
	l.learnFrom(data)
	u, err := l.newUnexplained(t.Context(), nil, l.marginals(), rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Columns that come together are candidates, whether their rows differ or are one by weight.
func TestCandidatesOfEqualRows(t *testing.T) {
	batch, err := unexplainedOf(t, blocksOfRows(120, 40, 40, 10)).candidates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range batch {
		c := slices.Sorted(slices.Values(f.columns))
		found = append(found, string(rune('0'+c[0]))+"-"+string(rune('0'+c[len(c)-1])))
	}
	slices.Sort(found)
	if !slices.Equal(found, []string{"0-3", "4-7"}) {
		t.Errorf("candidates %v", found)
	}
}

// Of noise there are no candidates.
func TestNoCandidatesOfNoise(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 40))
		var data patchwork.Data
		p := make([]float64, 40)
		for i := range p {
			p[i] = 0.05 + 0.3*rng.Float64()
		}
		for range 100 {
			data.Images = append(data.Images, bitmap.Sample(rng, 1, len(p), p))
		}
		batch, err := unexplainedOf(t, data).candidates(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) > 0 {
			t.Errorf("seed %d: %d candidates, the best of columns %v gains %v nats", seed, len(batch), batch[0].columns,
				batch[0].gain)
		}
	}
}

// A part of two that rows have apart is torn, and one that they have together is not.
func TestTorn(t *testing.T) {
	for _, apart := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(2, 41))
		var data patchwork.Data
		for range 200 {
			p := slices.Repeat([]float64{0.05}, 20)
			both, first := rng.Float64() < 0.4, rng.Float64() < 0.5
			for c := range 12 {
				if both || apart && first && c < 6 {
					p[c] = 0.95
				}
			}
			data.Images = append(data.Images, bitmap.Sample(rng, 1, 20, p))
		}
		m, err := Learn(t.Context(), data, patchwork.Config{Height: 1, Width: 20}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if apart {
			want = 2
		}
		if m.K() != want {
			t.Errorf("apart %v: %d parts, want %d", apart, m.K(), want)
		}
	}
}

// Noise of both sides is the background alone.
func TestNoPairsOfNoise(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 42))
		var data patchwork.Data
		for range 50 {
			data.Images = append(data.Images, bitmap.Sample(rng, 1, 36, slices.Repeat([]float64{0.5}, 36)))
		}
		m, err := Learn(t.Context(), data, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 36}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range m.K() {
			if n := rows.Votes(m, k, 0); n > 0 {
				t.Errorf("seed %d: part %d has %d votes", seed, k, n)
			}
		}
	}
}
