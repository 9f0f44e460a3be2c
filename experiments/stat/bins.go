package stat

import (
	"fmt"
	"io"
	"math"
)

// Bins count predictions by their probability, in ten bins of equal width, to compare
// it with how many are right. The zero value is empty.
type Bins [10]struct {
	N, Right int
	Sum      float64 // of the probabilities
}

// Add adds a prediction of probability p.
func (b *Bins) Add(p float64, right bool) {
	at := &b[min(int(p*float64(len(b))), len(b)-1)]
	at.N++
	at.Sum += p
	if right {
		at.Right++
	}
}

// AddAll adds the predictions that other bins count.
func (b *Bins) AddAll(other *Bins) {
	for i, at := range other {
		b[i].N += at.N
		b[i].Right += at.Right
		b[i].Sum += at.Sum
	}
}

// Error returns the expected calibration error: the mean, over the predictions, of how
// far the share of right ones is from the mean probability, by bin; 0 of none.
func (b *Bins) Error() float64 {
	n, sum := 0, 0.0
	for _, at := range b {
		n += at.N
		sum += math.Abs(float64(at.Right) - at.Sum)
	}
	return sum / float64(max(n, 1))
}

// Points returns, of every bin with least predictions or more, their mean probability,
// the share of right ones, and this share less and plus its standard error.
func (b *Bins) Points(least int) (probability, share, low, high []float64) {
	for _, at := range b {
		if at.N == 0 || at.N < least {
			continue
		}
		n := float64(at.N)
		s := float64(at.Right) / n
		e := math.Sqrt(s * (1 - s) / n)
		probability, share = append(probability, at.Sum/n), append(share, s)
		low, high = append(low, max(0, s-e)), append(high, min(1, s+e))
	}
	return probability, share, low, high
}

// Write writes a table of the bins.
func (b *Bins) Write(w io.Writer) {
	t := NewTable(w, "probability", "number", "mean probability", "right")
	for i, at := range b {
		if at.N > 0 {
			t.Row("%.1f to %.1f | %d | %.3f | %.3f", float64(i)/10, float64(i+1)/10, at.N, at.Sum/float64(at.N),
				float64(at.Right)/float64(at.N))
		}
	}
	fmt.Fprintf(w, "\nexpected calibration error %.3f\n", b.Error())
}
