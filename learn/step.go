package learn

import "example.com/patchwork"

// Stages of learning say what made the model of a Step. The models from StageFresh
// on have a number of experts that was tried, if that number is to be determined.
const (
	StageOnline = "online" // one more image was learned (section 4.1)
	StageEM     = "em"     // an iteration of batch EM (section 4)
	StageStart  = "start"  // a start has ended
	StagePairs  = "pairs"  // a part was grown of what images have in common; there is no model yet

	StageFresh  = "fresh"  // a run of starts
	StageJoined = "joined" // parts that continue each other were joined, and hooks handed over
	StageFinal  = "final"  // learning has ended: the result
)

// Step is one step of learning.
type Step struct {
	// CurvePoint has the Stage, the number of experts, and the scores that the
	// stage has found out. Chosen marks the result.
	patchwork.CurvePoint

	Start, Starts int // the number of the start, from 0, and how many there are; Starts is 0 if the step belongs to none
	Iteration     int // of the stage, from 0
	Image         int // StageOnline: which image was learned

	// Model is the model after this step, a snapshot. Best is the best model so
	// far: the result if the run is left at this step.
	Model, Best *patchwork.Model
}

// rank returns 0 for an intermediate model, 1 for one at the end of a start, 2 for
// one of a number of experts that was tried, and 3 for the result.
func (s *Step) rank() int {
	switch s.Stage {
	case StagePairs, StageOnline, StageEM, "":
		return 0
	case StageStart:
		return 1
	case StageFinal:
		return 3
	}
	return 2
}

// better reports whether a model is preferable to another of the same rank.
func (s *Step) better(o *Step) bool {
	if s.DescriptionLength != o.DescriptionLength {
		return s.DescriptionLength < o.DescriptionLength
	}
	return s.LogLik > o.LogLik
}

// pointOf returns the step of a learned model, from its record.
func pointOf(m *patchwork.Model, stage string) Step {
	r := m.Extras().Record
	return Step{CurvePoint: patchwork.CurvePoint{Experts: m.K(), Stage: stage, Rows: r.Rows, LogLik: r.LogLik,
		DescriptionLength: r.DescriptionLength}, Model: m}
}
