// Package gauss implements the geometry of a model (section 4.2 of the paper,
// the geometric component): a joint Gaussian over the places of its K experts.
//
// A configuration says for each expert of one image where it is: dy rows down,
// dx columns to the right, theta degrees clockwise, or that it is missing. As
// a vector it has 3K coordinates, in this order:
//
//	dy, dx, theta of expert 0, dy, dx, theta of expert 1, ...
//
// [Moments] sums configurations in integers, so any order of adding gives the same
// bits. [Moments.Fit] turns the sums into a [Normal], even if experts are missing in
// some images. A Normal fitted to few images is singular: its mass is in the span of
// its principal directions.
//
// The package is a leaf: it knows nothing of models, images or files.
package gauss

// MaxExperts is the largest K that this package handles: a bit mask holds the
// experts present in a configuration.
const MaxExperts = 64

// PerExpert is the number of coordinates of one expert: dy, dx, theta.
const PerExpert = 3
