package table

import (
	"context"
	"fmt"
	"iter"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// emOptions holds the settings of soft EM.
type emOptions struct {
	Iterations int // M-steps
	MStep      mStepOptions
	Explain    posterior.Options
	Workers    int // goroutines of the E-step; the result is the same for any number
}

// round is one iteration of soft EM.
type round struct {
	Number int              // of M-steps before it; 0 for the model EM started from
	Model  *patchwork.Model // the model that explained the rows
	Tally  *softTally       // of its posteriors
}

// softEM runs EM by posterior weights over the best explanations, which learns
// better models than EM by the best explanation alone. It yields Iterations+1
// rounds. Neither the evidence nor the loss on hidden bits need improve in every
// round. The error is the context's, or says what does not fit.
func softEM(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt emOptions) iter.Seq2[round, error] {
	return func(yield func(round, error) bool) {
		for n := 0; ; n++ {
			t, err := eStep(ctx, m, data, opt.Explain, opt.Workers)
			if err != nil {
				yield(round{}, err)
				return
			}
			if !yield(round{n, m, t}, nil) || n == opt.Iterations {
				return
			}
			m = withoutIdle(t.mStep(m, opt.MStep))
		}
	}
}

// eStep finds the best explanations of every row and counts them by their
// posterior weights, through the memory of the data if they have one. The error
// is the context's, an option's, or says which row does not fit.
func eStep(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options, workers int) (*softTally, error) {
	if data.Memory != nil {
		return eStepRecalled(ctx, m, data, opt, workers)
	}
	return eStepAnew(ctx, m, data, opt, workers, nil)
}

// eStepAnew runs eStep without a memory. It puts the picks of every row's best
// explanation into chosen, if that is not nil.
func eStepAnew(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options, workers int, chosen [][]patchwork.Pick) (*softTally, error) {
	if err := refuseMoving(m.Config()); err != nil {
		return nil, err
	}
	var images []*bitmap.Image
	var index []int // in the data
	for i, row := range data.Images {
		if data.Weight(i) > 0 {
			images, index = append(images, row), append(index, i)
		}
	}
	tallies := make(chan *softTally, pool.Size(len(images), workers, pool.Chunk))
	for range cap(tallies) {
		tallies <- newSoftTally(m)
	}
	err := posterior.Explain(ctx, m, images, opt, workers, func(i int, post *posterior.Posterior) {
		t := <-tallies
		t.add(m, images[i], post, data.Weight(index[i]))
		tallies <- t
		if chosen != nil {
			chosen[index[i]] = post.Alternatives[0].Picks
		}
	})
	if err != nil {
		return nil, err
	}
	sum := <-tallies
	for range cap(tallies) - 1 {
		sum.merge(<-tallies)
	}
	return sum, nil
}

// refuseMoving returns an error if experts may move, which soft EM does not know.
func refuseMoving(c patchwork.Config) error {
	if _, ok := c.Poses.Identity(); !ok || c.Poses.Len() != 1 || c.Scene || c.Reuse > 1 {
		return fmt.Errorf("patchwork: soft learning is for tables: no shifts, no rotations, no scenes, each part once per row")
	}
	return nil
}

// withoutIdle returns the model without experts that have no vote, or that explain
// less than half a row; it leaves one in any case. An expert without votes changes
// no prediction.
func withoutIdle(m *patchwork.Model) *patchwork.Model {
	var experts [][]float64
	extras := m.Extras()
	usage, names := extras.Usage, extras.Names
	extras.Usage, extras.Names = nil, nil
	for k := range m.K() {
		last := k == m.K()-1 && experts == nil
		if last || rows.Votes(m, k, 0) > 0 && usage[k]*float64(extras.Record.Rows) >= 0.5 {
			experts, extras.Usage = append(experts, m.Template(k)), append(extras.Usage, usage[k])
			if names != nil {
				extras.Names = append(extras.Names, names[k])
			}
		}
	}
	return m.WithTemplates(experts, extras)
}

// marginals returns the share of rows in which each bit is on, of those where it
// is known, as if half a row more were on and half a row off.
func marginals(data patchwork.Data) []float64 {
	on, seen := make([]float64, data.Images[0].Len()), make([]float64, data.Images[0].Len())
	rows.Each(data, func(w float64, x, known []uint8) {
		for i := range x {
			seen[i] += w * float64(known[i])
			on[i] += w * float64(known[i]*x[i])
		}
	})
	for i := range on {
		on[i] = (on[i] + 0.5) / (seen[i] + 1)
	}
	return on
}
