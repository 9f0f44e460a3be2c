// Package scoretest holds what the tests of internal/score and its packages share:
// where the choices of a random case come from, and how a failed case is named.
package scoretest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/testenv"
)

// Choices is where a random case comes from: a property test draws them, a fuzz
// target reads them from its bytes, a long test takes them from a generator.
type Choices interface {
	// Pick returns a number in [0, n).
	Pick(n int) int
}

// Drawn takes choices from a property test.
type Drawn struct{ *rapid.T }

// Pick implements Choices.
func (d Drawn) Pick(n int) int { return rapid.IntRange(0, n-1).Draw(d.T, "pick") }

// Read takes choices from bytes; when they run out, everything is 0.
type Read struct{ Bytes []byte }

// Pick implements Choices.
func (r *Read) Pick(n int) int {
	if len(r.Bytes) == 0 {
		return 0
	}
	b := int(r.Bytes[0])
	r.Bytes = r.Bytes[1:]
	return b % n
}

// Stream takes choices from a generator of random numbers.
type Stream struct{ *rand.Rand }

// Pick implements Choices.
func (s Stream) Pick(n int) int { return s.IntN(n) }

// Tiny returns the choices of tiny case i: the same for every call.
func Tiny(i int) Stream { return Stream{rand.New(rand.NewPCG(7, uint64(i)))} }

// TinyCases returns how many tiny cases to run: n, in long tests 300,000, or the number in the
// environment variable PATCHWORK_TINY. A million take minutes; see LADDER.md.
func TinyCases(t *testing.T, n int) int {
	if testenv.Long() {
		n = 300_000
	}
	return Cases(t, "PATCHWORK_TINY", n)
}

// Cases returns the number in an environment variable, or n if it is not set.
func Cases(t *testing.T, variable string, n int) int {
	t.Helper()
	if s := os.Getenv(variable); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// Fataler is what a check needs of a test.
type Fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// AtCase names the case that failed.
type AtCase struct {
	*testing.T
	Case int
}

// Fatalf implements Fataler.
func (a AtCase) Fatalf(format string, args ...any) {
	a.T.Helper()
	a.T.Fatalf("case %d: "+format, append([]any{a.Case}, args...)...)
}

// PickCosts returns nats per pick of each expert, or nil.
func PickCosts(c Choices, experts int) []float64 {
	if c.Pick(3) > 0 {
		return nil
	}
	costs := make([]float64, experts)
	for k := range costs {
		costs[k] = []float64{0, 0.5, 3, -2, 40, 1e6}[c.Pick(6)]
	}
	return costs
}
