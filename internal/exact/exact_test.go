package exact

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestAgainstBig compares every operation with math/big on integers of all sizes.
func TestAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Int64().Draw(t, "x"), rapid.Int64().Draw(t, "y")
		want := new(big.Int).Mul(big.NewInt(x), big.NewInt(y))
		p := Product(x, y)
		if p.Big().Cmp(want) != 0 {
			t.Fatalf("%d * %d = %v, want %v", x, y, p.Big(), want)
		}
		o := Product(rapid.Int64Range(-1<<60, 1<<60).Draw(t, "z"), y>>1)
		if sum := Product(x>>1, y>>1).Add(o); sum.Big().Cmp(new(big.Int).Add(Product(x>>1, y>>1).Big(), o.Big())) != 0 {
			t.Fatalf("sum is %v", sum.Big())
		}
		exact, _ := new(big.Float).SetInt(want).Float64()
		if got := p.Float(); math.Abs(got-exact) > math.Abs(exact)*0x1p-51 {
			t.Fatalf("Float of %v is %v, want %v", want, got, exact)
		}
	})
}
