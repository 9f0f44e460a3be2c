package report

import "sync/atomic"

// The steps that progress is told of, in their order; a report that has no gaps or leaves out what costs time has fewer.
const (
	stepExplain = "phase 1 of 4 (explaining), row"
	stepPredict = "phase 2 of 4 (predicting), row"
	stepHidden  = "phase 3 of 4 (predicting what is hidden), round"
	stepAgain   = "phase 4 of 4 (learning again), run"
)

// counter returns a function that tells the progress of a step one further.
func (b *builder) counter(step string, total int) func() {
	var done atomic.Int64
	b.opt.Progress(step, 0, total)
	return func() { b.opt.Progress(step, int(done.Add(1)), total) }
}
