package table

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// errStopped says that the loop over the steps was left.
var errStopped = errors.New("stopped")

// stepOf returns a step without a model yet, of the stage that a start has.
func (l *learner) stepOf(start StartFrom) Step {
	stage := StageGrow
	if start == StartFromMixture {
		stage = StageMixture
	}
	return Step{CurvePoint: patchwork.CurvePoint{Stage: stage}, StartFrom: start}
}

// fill describes the model of a round of soft EM in a step.
func (l *learner) fill(s *Step, r round) {
	s.Model, s.Iteration = r.Model, r.Number
	s.Experts, s.Rows, s.LogLik = r.Model.K(), r.Tally.rows, r.Tally.logEvidence()
	s.DescriptionLength = l.descriptionLength(r.Model, r.Tally)
}

// emit yields a step.
func (l *learner) emit(s Step) error {
	if s.Best = l.kept; s.Best == nil {
		s.Best = s.Model
	}
	if !l.yield(s, nil) {
		return errStopped
	}
	return nil
}

// progress yields a round that is no candidate.
func (l *learner) progress(r round, s Step) error {
	l.fill(&s, r)
	return l.emit(s)
}

// consider judges a candidate, keeps it if it is the best, and yields it.
func (l *learner) consider(ctx context.Context, r round, c tried) (score float64, err error) {
	l.fill(&c.Step, r)
	c.Candidate, c.minVoteGain, c.score = true, l.m.MinVoteGain, c.DescriptionLength
	if l.judge != nil {
		if c.HiddenBits, c.HiddenLoss, err = l.hiddenLoss(ctx, r.Model); err != nil {
			return 0, err
		}
		c.score = c.HiddenLoss
	}
	l.curve = append(l.curve, c.CurvePoint)
	if l.best.Model == nil || c.score < l.best.score {
		l.best = c
		if l.kept, err = l.recorded(c); err != nil {
			return 0, err
		}
	}
	return c.score, l.emit(c.Step)
}

// hiddenLoss returns how many hidden bits the judge has and the model's mean loss
// on them, through the memory of the data.
func (l *learner) hiddenLoss(ctx context.Context, m *patchwork.Model) (bits int64, loss float64, err error) {
	work := func() ([]byte, error) {
		s, err := posterior.Score(ctx, m, *l.judge, l.opt.Explain, l.opt.Workers)
		if err != nil {
			return nil, err
		}
		bits, loss = s.Averaged.Bits, s.Averaged.LogLoss
		return binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(bits)), math.Float64bits(loss)), nil
	}
	if l.memory == nil {
		_, err = work()
		return bits, loss, err
	}
	err = recallOr(l.hidden, stepKey("hidden", m, l.opt.Explain), func(value []byte) bool {
		n, size := binary.Uvarint(value)
		if size <= 0 || len(value) != size+8 {
			return false
		}
		bits, loss = int64(n), math.Float64frombits(binary.LittleEndian.Uint64(value[size:]))
		return true
	}, work)
	return bits, loss, err
}

// descriptionLength returns the nats that describe the rows and the model: minus
// the evidence, which includes the activations, and log(rows)/2 for every vote
// and for how often each expert is active.
func (l *learner) descriptionLength(m *patchwork.Model, tally *softTally) float64 {
	numbers := m.K()
	for k := range m.K() {
		numbers += rows.Votes(m, k, 0)
	}
	return l.numberLength()*float64(numbers) - tally.logEvidence()
}

// recorded returns the model of a point of the curve with the record of the run
// so far, in which that point is the chosen one.
func (l *learner) recorded(c tried) (*patchwork.Model, error) {
	curve := slices.Clone(l.curve)
	if i := slices.Index(curve, c.CurvePoint); i >= 0 {
		curve[i].Chosen = true
	}
	extras := c.Model.Extras()
	extras.Record = patchwork.Record{Method: "soft", Mode: l.opt.Aim.String(), Seed: l.opt.Seed, Rows: c.Rows, LogLik: c.LogLik,
		DescriptionLength: c.DescriptionLength, Curve: curve,
		Starts: []patchwork.Start{{Seed: l.opt.Seed, Score: c.LogLik, DescriptionLength: c.DescriptionLength, Method: c.StartFrom.String()}}}
	return c.Model.WithExtras(extras)
}

// choose yields the best step again, with the whole curve.
func (l *learner) choose() error {
	m, err := l.recorded(l.best)
	if err != nil {
		return err
	}
	s := l.best.Step
	s.Model, s.Chosen, l.kept = m, true, m
	return l.emit(s)
}
