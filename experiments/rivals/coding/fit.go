package coding

import (
	"context"
	"math/rand/v2"
)

// Fit learns a model from rows in so many rounds. start makes the model as it is
// before learning and a function that improves it by one round; it is called
// for rows that pass [Check] only. The error is the rows' or the context's.
func Fit[M any](ctx context.Context, rows [][]float64, rounds int, start func() (M, func())) (M, error) {
	var none M
	if err := Check(rows); err != nil {
		return none, err
	}
	m, round := start()
	for range rounds {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		round()
	}
	return m, nil
}

// Minibatches returns a round for [Fit]: it goes once through n rows, each time
// in a new order drawn from rng, and calls step with the numbers of size rows
// after another (fewer at the end), which step must not keep.
func Minibatches(rng *rand.Rand, n, size int, step func(rows []int)) func() {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return func() {
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at < n; at += size {
			step(order[at:min(at+size, n)])
		}
	}
}
