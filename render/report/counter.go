package report

import "sync/atomic"

// counter returns a function that tells the progress of a step one further.
func (b *builder) counter(step string, total int) func() {
	var done atomic.Int64
	b.opt.Progress(step, 0, total)
	return func() { b.opt.Progress(step, int(done.Add(1)), total) }
}
