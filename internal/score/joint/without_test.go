package joint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Without an expert a row is as likely as a search that does not know it says, as far as
// the sets seen tell: never likelier than all sets without it, and nearly always as likely.
func TestWithoutAnExpert(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	pi := []float64{0.3, 0.2, 0.4, 0.1, 0.6}
	far := 0
	for range 200 {
		r := all[rng.IntN(len(all))]
		e, x := draw(rng, r, 5, 12)
		s := NewSearch(e, pi, 2, 16, 0)
		s.Explain(x)
		for k := range int16(5) {
			total := 0.0
			for bits := range 1 << 5 {
				if bits>>k&1 == 1 {
					continue
				}
				var set []int16
				l := 0.0
				for j, p := range pi {
					if bits>>j&1 == 1 {
						set = append(set, int16(j))
						l += math.Log(p)
					} else {
						l += math.Log1p(-p)
					}
				}
				total += math.Exp(l + likelihood(e, x, set))
			}
			got, want := s.Without(k), math.Log(total)
			if got > want+1e-9 {
				t.Fatalf("%s: without %d a row has %v, all sets together %v", Names[r], k, got, want)
			}
			if got < want-0.5 {
				far++
			}
		}
	}
	if far > 100 { // of 1000
		t.Errorf("half a nat or more below the truth %d times of 1000", far)
	}
}
