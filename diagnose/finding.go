package diagnose

import (
	"fmt"

	"example.com/patchwork/internal/enum"
)

// Kind says what is odd about a model.
type Kind uint8

const (
	// KindUnused: an expert with which no image was explained.
	KindUnused Kind = iota
	// KindDuplicate: two experts whose votes are nearly the same.
	KindDuplicate
	// KindNearConstant: an expert that votes the same everywhere, or not at all.
	KindNearConstant
	// KindPoseAtEdge: an expert that is often at the end of its range of poses.
	KindPoseAtEdge
	// KindOverconfident: a template, or the background, that is more certain than
	// the data justify or could have taught.
	KindOverconfident
	// KindSingularGeometry: a Gaussian of the poses without any variance in
	// directions in which the experts can move.
	KindSingularGeometry
	// KindUnexplained: images in which no expert gains anything.
	KindUnexplained
	// KindImpossible: images to which the model gives probability 0.
	KindImpossible
	// KindRare: an expert that one or two images of many use.
	KindRare
	// KindOverlap: two experts of drawings that lie on each other in the images that
	// use both, such as a letter and its outline.
	KindOverlap
)

var kindNames = []string{"unused", "duplicate", "near-constant", "pose-at-edge", "overconfident",
	"singular-geometry", "unexplained", "impossible", "rare", "overlap"}

// String returns the name used in reports: "unused", "duplicate", "near-constant",
// "pose-at-edge", "overconfident", "singular-geometry", "unexplained",
// "impossible", "rare", "overlap".
func (k Kind) String() string { return enum.Name("Kind", kindNames, uint8(k)) }

// Finding is one odd thing about a model, with the facts and what to do about it,
// a sentence each.
type Finding struct {
	Kind    Kind
	Experts []int // concerned; empty where it is the background, geometry or data
	Images  []int // concerned, ascending, the first ten at most

	// Value is the number behind the finding, and Limit is its bound: shares of 1
	// for poses and images, see Facts for the others.
	Value, Limit float64

	Facts, Advice string
}

// String returns the finding in one line: kind, facts, advice.
func (f Finding) String() string { return fmt.Sprintf("%v: %s %s", f.Kind, f.Facts, f.Advice) }
