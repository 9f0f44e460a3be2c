package baseline

import (
	"context"
	"math/rand/v2"
)

// Minibatches goes through n rows so many times, each time in a new order drawn
// from rng, and calls step with the numbers of size rows after another (fewer at
// the end of an epoch), which it must not keep. The error is the context's.
func Minibatches(ctx context.Context, rng *rand.Rand, n, size, epochs int, step func(rows []int)) error {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for range epochs {
		if err := ctx.Err(); err != nil {
			return err
		}
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at < n; at += size {
			step(order[at:min(at+size, n)])
		}
	}
	return nil
}
