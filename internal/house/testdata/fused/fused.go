// Package fused has a product that a compiler may fuse with the addition after it.
package fused

// Sum returns x*y + z.
func Sum(x, y, z float64) float64 {
	product := x * y
	return product + z
}
