// Package gauss is being written.
package gauss

// Normal is a multivariate Gaussian.
type Normal struct{ mean []float64 }

// Dim is the number of coordinates.
func (n *Normal) Dim() int { return len(n.mean) }
