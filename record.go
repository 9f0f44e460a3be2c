package patchwork

import (
	"cmp"
	"maps"
	"slices"
)

// Start is one start of a learning run, kept in the model's record.
type Start struct {
	Seed   uint64  `json:"seed"`
	Score  float64 `json:"score"`            // training log-likelihood, nats
	Method string  `json:"method,omitempty"` // how it began: "order", "split", "random"

	// LeaveOneOut, in nats, judges the start where it is not 0: the log-likelihood
	// of each training image under the counts of the others. See [LeaveOneOut].
	LeaveOneOut float64 `json:"leave_one_out,omitempty"`

	// DescriptionLength, in nats, judges the start where it is not 0: the
	// shortest is chosen, not the one with the best Score. See
	// [Tally.DescriptionLength].
	DescriptionLength float64 `json:"description_length,omitempty"`
}

// Record says how a model was learned; it is for people and for `info`, and
// nothing depends on it.
type Record struct {
	Method string  `json:"method,omitempty"`
	Mode   string  `json:"mode,omitempty"`
	Seed   uint64  `json:"seed,omitempty"`
	Rows   int64   `json:"rows,omitempty"`    // training images, weights counted
	Sample int64   `json:"sample,omitempty"`  // of these, the uniform sample that Starts and Curve were learned from; 0: all
	LogLik float64 `json:"log_lik,omitempty"` // of the training images, nats
	Chosen int     `json:"chosen,omitempty"`  // index into Starts
	Starts []Start `json:"starts,omitempty"`

	// DescriptionLength is that of the model explaining the training images,
	// in nats, after whatever improved the chosen start; 0 where learning did
	// not go by it. FixedPoint says that explaining the images once more and
	// the exact M-step would both change nothing.
	DescriptionLength float64 `json:"description_length,omitempty"`
	FixedPoint        bool    `json:"fixed_point,omitempty"`

	// Curve is every number of experts tried, where that was to be found out
	// ([Auto]).
	Curve Curve `json:"curve,omitempty"`
}

// CurvePoint is one number of experts that was tried, and what came of it.
type CurvePoint struct {
	Experts int `json:"experts"`

	// Stage is what made the model, one of StageGrow to StageFinal.
	Stage string `json:"stage"`

	Rows   int64   `json:"rows"`    // training images, weights counted
	LogLik float64 `json:"log_lik"` // of these, nats; divide by Rows

	// DescriptionLength of the training images in nats
	// ([Tally.DescriptionLength]); 0 where learning does not go by it.
	DescriptionLength float64 `json:"description_length,omitempty"`

	// HeldOut is the mean log-likelihood of HeldOutRows images (weights
	// counted) that the model has not seen, in nats an image: log P(x) by the
	// best explanations found ([Posterior.Evidence]). Without such images both
	// are 0.
	HeldOutRows int64   `json:"held_out_rows,omitempty"`
	HeldOut     float64 `json:"held_out,omitempty"`

	// HiddenLoss is the mean of -log P(bit) over HiddenBits bits that were
	// hidden from the model in rows it has not seen, in nats. Without such bits
	// both are 0.
	HiddenBits int64   `json:"hidden_bits,omitempty"`
	HiddenLoss float64 `json:"hidden_loss,omitempty"`

	Chosen bool `json:"chosen,omitempty"`
}

// Curve is every number of experts tried, in the order of trying.
type Curve []CurvePoint

// ByExperts is the curve as people read it: one point for each number of
// experts, ascending. It is the point with the most training images, of these
// the one that describes them most shortly, or explains them best; the held-out
// score is that of the point that has one, the loss of hidden bits the lowest, and
// Chosen is kept.
func (c Curve) ByExperts() Curve {
	best := make(map[int]CurvePoint)
	for _, p := range c {
		b, ok := best[p.Experts]
		if !ok {
			best[p.Experts] = p
			continue
		}
		top := b
		if p.preferable(b) {
			top = p
		}
		top.Chosen = b.Chosen || p.Chosen
		top.HeldOutRows, top.HeldOut = b.HeldOutRows, b.HeldOut
		if p.HeldOutRows > 0 {
			top.HeldOutRows, top.HeldOut = p.HeldOutRows, p.HeldOut
		}
		top.HiddenBits, top.HiddenLoss = b.HiddenBits, b.HiddenLoss
		if p.HiddenBits > 0 && (b.HiddenBits == 0 || p.HiddenLoss < b.HiddenLoss) {
			top.HiddenBits, top.HiddenLoss = p.HiddenBits, p.HiddenLoss
		}
		best[p.Experts] = top
	}
	return slices.SortedFunc(maps.Values(best), func(a, b CurvePoint) int { return cmp.Compare(a.Experts, b.Experts) })
}

func (p CurvePoint) preferable(o CurvePoint) bool {
	switch {
	case p.Chosen != o.Chosen:
		return p.Chosen
	case p.Rows != o.Rows:
		return p.Rows > o.Rows
	case p.DescriptionLength != o.DescriptionLength:
		return p.DescriptionLength < o.DescriptionLength
	}
	return p.LogLik > o.LogLik
}
