package table

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
)

const (
	// votersTried is of how many candidates, those that predict best, a committee is chosen.
	votersTried = 40
	// mostVoters is how many models a committee has at most.
	mostVoters = 8
)

// voter is a candidate for the committee.
type voter struct {
	model  *patchwork.Model
	prices prices
	loss   float64
	truth  [][]float32 // what it says of the judge's hidden bits: see losses

	mixture *Mixture // whose model it is; nil: of none
}

// enrol remembers a candidate for the committee.
func (l *learner) enrol(c tried, o losses) {
	if l.opt.Aim != AimPredict {
		return
	}
	l.enrolVoter(voter{model: c.Model, prices: c.prices, loss: o.mean, truth: o.truth})
}

// enrolMixture remembers a mixture for the committee: on surveys classes predict better than parts.
func (l *learner) enrolMixture(ctx context.Context, x *Mixture) error {
	m, err := x.exclusive(l.mixtureConfig(), rows.Total(l.data))
	if err != nil {
		return err
	}
	o, err := l.hiddenLoss(ctx, m)
	if err == nil {
		l.enrolVoter(voter{model: m, loss: o.mean, truth: o.truth, mixture: x})
	}
	return err
}

// enrolVoter remembers a voter, if it is among the best.
func (l *learner) enrolVoter(v voter) {
	at, _ := slices.BinarySearchFunc(l.voters, v,
		func(a, b voter) int { return cmp.Compare(a.loss, math.Nextafter(b.loss, math.Inf(1))) })
	if l.voters = slices.Insert(l.voters, at, v); len(l.voters) > votersTried {
		l.voters = l.voters[:votersTried]
	}
}

// elected returns the candidates whose predictions are averaged with those of the choice,
// which says truth of the judge's hidden bits: as long as that predicts them better, the one
// that helps most (Caruana et al. 2004, without replacement). It also returns the mean loss
// of the average.
func (l *learner) elected(truth [][]float32) (members []voter, loss float64) {
	voters := slices.Clone(l.voters)
	sum := make([][]float64, len(truth))
	for r, row := range truth {
		sum[r] = make([]float64, len(row))
	}
	loss = l.lossOfMean(sum, truth, 1)
	add(sum, truth)
	for len(members)+1 < mostVoters {
		best := -1
		for i, v := range voters {
			if with := l.lossOfMean(sum, v.truth, len(members)+2); with < loss {
				best, loss = i, with
			}
		}
		if best < 0 {
			break
		}
		add(sum, voters[best].truth)
		members = append(members, voters[best])
		voters = slices.Delete(voters, best, best+1)
	}
	return members, loss
}

// add adds the probabilities of the truth to their sums.
func add(sum [][]float64, truth [][]float32) {
	for r, row := range truth {
		for i, p := range row {
			sum[r][i] += float64(p)
		}
	}
}

// lossOfMean returns the mean loss on the judge's hidden bits of the mean of n
// predictions: those summed up so far, and one more.
func (l *learner) lossOfMean(sum [][]float64, truth [][]float32, n int) float64 {
	total, bits := 0.0, int64(0)
	for r, row := range truth {
		lost := 0.0
		for i, p := range row {
			lost -= elem.Log((sum[r][i] + float64(p)) / float64(n))
		}
		w := l.judge.Data.Weight(r)
		total += float64(lost * float64(w))
		bits += w * int64(len(row))
	}
	return total / float64(max(bits, 1))
}

// elect chooses the committee of the choice, if the aim is to predict.
func (l *learner) elect(ctx context.Context) error {
	if l.opt.Aim != AimPredict || l.judge == nil {
		return nil
	}
	o, err := l.hiddenLoss(ctx, l.best.Model)
	if err != nil {
		return err
	}
	l.chosen, l.together = l.elected(o.truth)
	return nil
}

// vote makes the committee that was elected, of candidates that learning has made anyway:
// each learned on with all rows.
func (l *learner) vote(ctx context.Context) error {
	if l.chosen == nil {
		return nil
	}
	s := l.stepOf(l.best.StartFrom)
	s.Stage = StageCommittee
	for _, v := range l.chosen {
		if v.mixture != nil {
			m, err := l.mixtureOfAll(ctx, v.mixture)
			if err != nil {
				return err
			}
			l.committee = append(l.committee, m)
			continue
		}
		if l.m.prices = v.prices; v.prices.MinVoteGain != 1 {
			l.m.MinVoteGain = l.numberLength()
		}
		c, _, err := l.considered(ctx, v.model, plainRounds, s)
		if err == nil {
			c, err = l.withSetPrior(ctx, c)
		}
		if err != nil {
			return err
		}
		l.committee = append(l.committee, c.Model)
	}
	s = l.best.Step
	s.Stage, s.HiddenLoss = StageCommittee, l.together
	l.curve = append(l.curve, s.CurvePoint)
	return l.emit(s)
}

// mixtureOfAll returns the model of a mixture, learned on with all rows.
func (l *learner) mixtureOfAll(ctx context.Context, x *Mixture) (*patchwork.Model, error) {
	again := &Mixture{Share: slices.Clone(x.Share)}
	for _, c := range x.Components {
		again.Components = append(again.Components, slices.Clone(c))
	}
	again, err := again.fitted(ctx, l.data, l.m.Marginal)
	if err != nil {
		return nil, err
	}
	return again.exclusive(l.mixtureConfig(), rows.Total(l.data))
}
