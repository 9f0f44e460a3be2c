package studio

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/workbench"
)

// planReal plans a job that learns from real values.
func (s *core) planReal(j *job) (err error) {
	v := j.values
	if j.real, err = realOptions(&j.recipe, v.Height, v.Width); err != nil {
		return err
	}
	j.args = append(j.args, "--for", "real")
	return s.limits.checkReal(&real.Model{Height: v.Height, Width: v.Width, Poses: j.real.Poses})
}

// realOptions returns a recipe as options of the learner of real values. The error names a field that says nothing
// about them.
func realOptions(r *recipe.Recipe, height, width int) (*real.Options, error) {
	o := &real.Options{Experts: r.Experts, Starts: r.Starts, Seed: r.Seed, Predict: r.Aim == "predict",
		Workers: runtime.GOMAXPROCS(0)}
	plain := recipe.Recipe{Count: recipe.Count{Experts: r.Experts, Auto: r.Auto && r.Experts == 0}, Poses: r.Poses,
		Starts: r.Starts, Seed: r.Seed, Aim: r.Aim}
	if !slices.Equal(r.Args(), plain.Args()) || r.Auto && r.Experts != 0 {
		return nil, problemf(422,
			"of real values a request to learn has experts, shift, shift_step, rotate, aim, starts and seed, and no "+
				"other settings")
	}
	r.Auto = false // the number is found unless it is given; the command line says so by saying nothing
	var err error
	if o.Poses, err = r.Grid(1, height, width); err != nil {
		return nil, problemAt(422, "body.shift", nil, "%v", err)
	}
	if r.Rotate == "" {
		o.Poses.Angles = nil
	}
	return o, nil
}

// learnValues runs a job that learns from real values. Stopped, it returns the best so far.
func (q *jobs) learnValues(ctx context.Context, j *job) (outcome, error) {
	v, o, unit := j.values, *j.real, perImage
	if v.Table {
		unit = perRow
	}
	data, err := real.NewData(v.Height, v.Width, v.Rows)
	if err != nil {
		return outcome{}, err
	}
	best := j.p.Best
	o.Progress = func(p real.Progress) {
		score := nats(-p.DescriptionLength / float64(v.Len()))
		best = max(best, score)
		q.s.rest(j.progress(&progress{Trial: p.Start + 1, Trials: p.Starts, Stage: p.Stage, Iteration: p.Experts,
			Score: score, Best: best, Unit: unit, Height: v.Height, Width: v.Width}, nil))
	}
	r, err := real.Learn(ctx, data, o)
	out := outcome{}
	if err != nil && errors.Is(context.Cause(ctx), errStopped) {
		if r == nil {
			return out, errNothing
		}
		if out.starts, err = -1, nil; len(r.Starts) > 0 && v.Height > 1 && !o.Predict {
			// those that were complete; rows of tables and aims to predict have steps after all starts
			out.starts = len(r.Starts)
		}
	}
	if err != nil {
		return outcome{}, err
	}
	m := *r.Model
	if m.Columns = nil; v.Table {
		m.Columns = v.Columns
	}
	m.Reading, err = v.Reading()
	out.model = workbench.Numbers{Model: &m}
	return out, err
}
