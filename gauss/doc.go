// Package gauss is the geometry of a model (section 4.2 of the paper, the
// geometric component): a joint Gaussian over the places of its K experts.
//
// A configuration says for each expert of one image where it is: dy rows down,
// dx columns to the right, theta degrees clockwise, or that it is missing. As
// a vector it has 3K coordinates, in this order:
//
//	dy, dx, theta of expert 0, dy, dx, theta of expert 1, ...
//
// [Moments] adds configurations up in integers, so that any order of adding
// and merging gives the same bits. [Moments.Fit] turns them into a [Normal],
// also where experts are missing in some images. A Normal may be singular, as
// it is from few images: it then lives in the span of its principal directions.
//
// The package is a leaf: it knows nothing of models, images or files.
package gauss

// MaxExperts is the largest K that this package handles: the experts present
// in a configuration are one bit mask.
const MaxExperts = 64

// PerExpert is the number of coordinates of one expert: dy, dx, theta.
const PerExpert = 3

// Coordinates lists the coordinates of experts in the vector of a
// configuration, for [Normal.Marginal] and [Normal.Condition].
func Coordinates(experts ...int) []int {
	out := make([]int, 0, PerExpert*len(experts))
	for _, k := range experts {
		out = append(out, PerExpert*k, PerExpert*k+1, PerExpert*k+2)
	}
	return out
}
