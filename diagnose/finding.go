package diagnose

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork"

	"example.com/patchwork/internal/enum"
)

// FindingKind says what is odd about a model.
type FindingKind uint8

const (
	// Unused is an expert no image was explained with.
	Unused FindingKind = iota
	// Duplicate is a pair of experts that say nearly the same.
	Duplicate
	// NearConstant is an expert that says the same everywhere, or nothing.
	NearConstant
	// PoseAtEdge is an expert that often sits at the end of its range of poses.
	PoseAtEdge
	// Overconfident is a template, or background, more certain than the data
	// bear out or could have taught.
	Overconfident
	// SingularGeometry is a Gaussian of the poses that has directions without
	// any variance though the experts can move there.
	SingularGeometry
	// Unexplained are images in which no expert gains anything.
	Unexplained
	// Impossible are images to which the model gives probability 0.
	Impossible
)

var findingNames = []string{"unused", "duplicate", "near-constant", "pose-at-edge", "overconfident",
	"singular-geometry", "unexplained", "impossible"}

// String is the name used in reports: "unused", "duplicate", "near-constant",
// "pose-at-edge", "overconfident", "singular-geometry", "unexplained",
// "impossible".
func (k FindingKind) String() string { return enum.Name("FindingKind", findingNames, uint8(k)) }

// Finding is one odd thing about a model, with what is known of it and what to
// do about it, a sentence each.
type Finding struct {
	Kind    FindingKind
	Experts []int // concerned; empty where it is the background, geometry or data
	Images  []int // concerned, ascending, at most the first ten

	// Value is the number the finding rests on, and Limit what it would have
	// to keep to: shares of 1 for poses and images, see Facts for the others.
	Value, Limit float64

	Facts, Advice string
}

// String is the finding in one line: what, who, facts, advice.
func (f Finding) String() string { return fmt.Sprintf("%v: %s %s", f.Kind, f.Facts, f.Advice) }

// Limits of the diagnosis: each is where, in experience with the data of the
// findings, a fault begins to show in the likelihood of unseen images.
const (
	sameVotes   = 0.25 // votes in dispute, as a share of all, below which experts are duplicates
	noVotes     = 0.05 // largest vote of an expert that says nothing; range of one that is constant
	edgeShare   = 0.2  // of the picks at one end of a range, or twice what chance gives
	edgePicks   = 10   // below which shares mean nothing
	listedAtAll = 10   // images named in a finding
)

// Diagnose looks for what is odd about a model: in its templates and geometry,
// in the tally of it explaining some data, and in the explanations themselves
// (as Explain returns and hands out; either may be nil, and is then not looked
// at). Explanations that are nil are skipped. Findings come in the order of
// their kinds, then of experts. It panics if the tally is of other experts.
func Diagnose(m *patchwork.Model, t *patchwork.Tally, explained []*patchwork.Explanation) []Finding {
	if t != nil && !t.Fits(m) {
		panic("patchwork: this tally counts other experts than the model's")
	}
	out := findUnused(m, t)
	out = append(out, findDuplicates(m)...)
	out = append(out, findConstant(m)...)
	out = append(out, findEdges(m, explained)...)
	out = append(out, findOverconfident(m, t)...)
	out = append(out, findSingular(m)...)
	return append(out, findUnexplained(explained)...)
}

// Examine explains the data, on the given number of workers (0 means 1), and
// diagnoses the model by them. Errors are those of Explain.
func Examine(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt patchwork.PursuitOptions, workers int) ([]Finding, error) {
	explained := make([]*patchwork.Explanation, len(data.Images))
	t, err := patchwork.Explain(ctx, m, data, opt, workers, func(i int, e *patchwork.Explanation) { explained[i] = e })
	if err != nil {
		return nil, err
	}
	return Diagnose(m, t, explained), nil
}

func findUnexplained(explained []*patchwork.Explanation) []Finding {
	var nothing, impossible []int
	total := 0
	for i, e := range explained {
		if e == nil {
			continue
		}
		total++
		if math.IsInf(e.LogLikModel, -1) {
			impossible = append(impossible, i)
		} else if len(e.Picks) == 0 || e.LogLik <= e.StartLogLik {
			nothing = append(nothing, i)
		}
	}
	var out []Finding
	add := func(kind FindingKind, images []int, what, advice string) {
		if len(images) == 0 {
			return
		}
		listed := images[:min(len(images), listedAtAll)]
		out = append(out, Finding{Kind: kind, Images: slices.Clone(listed), Value: float64(len(images)) / float64(total),
			Facts: fmt.Sprintf("%s %d of %d images (%s).", what, len(images), total, numbers(listed, len(images))), Advice: advice})
	}
	add(Unexplained, nothing, "Nothing explains", "That is fair for blank images and sparse or noisy rows; if these are neither, learn more experts or allow more poses.")
	add(Impossible, impossible, "The model gives probability 0 to", "Clip the templates and the background away from 0 and 1.")
	return out
}

// numbers lists the first of some numbers: "3, 5, ...".
func numbers(first []int, all int) string {
	var b strings.Builder
	for i, n := range first {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	if all > len(first) {
		b.WriteString(", ...")
	}
	return b.String()
}
