package tables

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mathext/prng"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/table/blocks"
)

// Real tables of permissions: the number of roles is proven to be the least, and cheap
// ones are found.
func TestRoles(t *testing.T) {
	dir := filepath.Dir(testenv.Shared(t, "data/peers/roles_hc.npz"))
	least, cost := []int{14, 20, 64, 10}, []int64{211, 415, 1878, 1120}
	for i, s := range RoleSets {
		set, err := dataset.Read([]string{filepath.Join(dir, s.File)}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := blocks.Of(set.Images)
		few, err := blocks.Find(t.Context(), m, blocks.Options{})
		if err != nil || len(few.Blocks) != least[i] || !few.Optimal() {
			t.Errorf("%s: %d roles, proven: %v, %v", s.Name, len(few.Blocks), few.Optimal(), err)
		}
		if s.Name == "firewall 1" {
			continue // its search takes seconds
		}
		cheap, err := blocks.Find(t.Context(), m, blocks.Options{Cheapest: true, Steps: 20_000_000})
		if err != nil || cheap.Cost > cost[i]*103/100 || len(cheap.Left)+len(cheap.Added) > 0 {
			t.Errorf("%s: cost %d, %v", s.Name, cheap.Cost, err)
		}
	}
}

// The generator is NumPy's: after np.random.seed(0) and np.random.seed(12345), what
// random_sample() and binomial(1, 0.25, 8) give.
func TestNumPyRand(t *testing.T) {
	for seed, want := range map[uint32]float64{0: 0.5488135039273248, 12345: 0.9296160928171479} {
		if got := numpyFloat(seeded(seed)); got != want {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
	want := []bool{false, false, false, false, false, false, false, true}
	for i, b := range numpyBits(seeded(0), 0.25, 1, 8)[0] {
		if b != want[i] {
			t.Errorf("bit %d is %v", i, b)
		}
	}
}

func seeded(seed uint32) *prng.MT19937 {
	rng := prng.NewMT19937()
	rng.Seed(uint64(seed))
	return rng
}

// Noise-free products are taken apart.
func TestFactors(t *testing.T) {
	f, err := MeasureFactors(t.Context(), 50, 15, 0)
	if err != nil || f.Blocks != 15 || f.Exact != 15 || f.Error > 0 || !f.Proven {
		t.Errorf("%+v, %v", f, err)
	}
}
