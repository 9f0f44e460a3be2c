package learn

import (
	"context"
	"fmt"

	"example.com/patchwork"
)

// Sample draws at most n images of a source that is read once, every set of n with
// equal probability, in the order of the source: for learners that need their images in
// memory. of is how many images the source has whose weight is not 0. Which are drawn
// depends on the seed and that number alone. Errors are those of the source.
func Sample(ctx context.Context, src patchwork.Source, n int, seed uint64) (data patchwork.Data, of int, err error) {
	if n < 1 {
		return data, 0, fmt.Errorf("patchwork: a sample of %d images", n)
	}
	s, err := drawSample(ctx, src, n, seed)
	if err != nil {
		return data, 0, err
	}
	return s.Data, s.Of, nil
}
