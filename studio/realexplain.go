package studio

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"example.com/patchwork/learn/real"
)

// valuesRequest is the JSON body of explain-values.
type valuesRequest struct {
	Model string   `json:"model" maxLength:"64" doc:"id of a model of real values"`
	Rows  [][]nats `json:"rows" minItems:"1" doc:"images or rows of the model's size, row-major; null where unknown"`
}

// realExplanation is the explanation of one row of real values.
type realExplanation struct {
	Index       int    `json:"index"`
	StartLogLik nats   `json:"start_log_lik" doc:"log-density without parts, in nats"`
	LogLik      nats   `json:"log_lik" doc:"log-density given the picks, in nats"`
	Picks       []pick `json:"picks" doc:"in the order of the pursuit"`
	Mean        f32    `json:"mean" doc:"what the picks say of each value; where it is unknown, the mean over the best explanations"`
	Deviation   f32    `json:"deviation" doc:"of the same"`
	Low         f32    `json:"low" doc:"lower end of the interval that holds 80 %"`
	High        f32    `json:"high" doc:"upper end of it"`
	Said        []f32  `json:"said" doc:"for each pick the means that it says, at its place; NaN where it abstains"`
}

type valuesAnswer struct {
	Body struct {
		Explanations []realExplanation `json:"explanations"`
		Model        string            `json:"model"`
		Milliseconds float64           `json:"milliseconds"`
	}
}

type valueSampleRequest struct {
	Model string `json:"model" maxLength:"64" doc:"id of a model of real values"`
	N     int    `json:"n,omitempty" minimum:"1" doc:"number of samples; default 1"`
	Seed  uint64 `json:"seed,omitempty" doc:"sample i depends only on the seed and i"`
}

type valueSamples struct {
	Body struct {
		Height  int   `json:"height"`
		Width   int   `json:"width"`
		Samples []f32 `json:"samples" doc:"row-major"`
	}
}

// insideShare is the share of what is predicted that intervals hold.
const insideShare = 0.8

func (s *core) valueRoutes() {
	addJSON(s, operation("POST", "/v1/values/explain", "explain-values", "Explain images or rows of real values", 200),
		s.explainValues)
	addJSON(s, operation("POST", "/v1/values/sample", "sample-values",
		"Draw images or rows from a model of real values", 200), s.sampleValues)
}

func (r *valuesRequest) size() int { return len(r.Rows) }

func (s *core) explainValues(ctx context.Context, _ *struct{}, req *valuesRequest) (*valuesAnswer, error) {
	began := time.Now()
	m, err := s.models.findReal(req.Model)
	if err != nil {
		return nil, err
	}
	p, err := real.NewPursuit(m.numbers())
	if err != nil {
		return nil, problem(422, err.Error())
	}
	out, size := new(valuesAnswer), 0
	out.Body.Model = m.id
	for i, row := range req.Rows {
		if ctx.Err() != nil {
			return nil, s.workError(context.Cause(ctx))
		}
		e, err := explainRow(m.numbers(), p, row)
		if err != nil {
			return nil, problemAt(422, "body.rows", nil, "row %d: %v", i, err)
		}
		if size += 6 * m.numbers().D() * (4 + len(e.Picks)); size > maxDetail {
			return nil, problemf(statusRequestEntityTooLarge,
				"the explanations of %d rows take more than %d bytes; request fewer rows", i+1, maxDetail)
		}
		if err := s.answerTakes(ctx, int64(size)); err != nil {
			return nil, err
		}
		e.Index = i
		out.Body.Explanations = append(out.Body.Explanations, *e)
	}
	s.explained(len(req.Rows))
	out.Body.Milliseconds = float64(time.Since(began).Microseconds()) / 1000
	return out, nil
}

// explainRow explains one row; the error says what does not fit.
func explainRow(m *real.Model, p *real.Pursuit, row []nats) (*realExplanation, error) {
	values, unknown := make([]float64, len(row)), false
	for d, x := range row {
		values[d] = float64(x)
		unknown = unknown || math.IsNaN(values[d])
	}
	e, err := p.Explain(values)
	if err != nil {
		return nil, err
	}
	out := &realExplanation{StartLogLik: nats(e.StartLogLik), LogLik: nats(e.LogLik), Picks: []pick{}, Said: []f32{}}
	for j, pk := range e.Picks {
		out.Picks = append(out.Picks, pick{newPlace(pk.Expert, pk.Pose), nats(e.Gains[j])})
		out.Said = append(out.Said, saidBy(m, pk))
	}
	said := real.Prediction{Mean: make([]float64, len(values)), Deviation: make([]float64, len(values)),
		Low: make([]float64, len(values)), High: make([]float64, len(values))}
	if unknown {
		post, err := p.Together(values, 0)
		if err != nil {
			return nil, err
		}
		said = post.Predict(values, insideShare)
	}
	for d, x := range values {
		if math.IsNaN(x) {
			continue
		}
		mix := m.Compose(d, e.Picks)
		said.Mean[d], said.Deviation[d] = mix.Mean(), math.Sqrt(mix.Variance())
		if said.Low[d], said.High[d] = mix.Quantile((1-insideShare)/2), mix.Quantile((1+insideShare)/2); m.Scales != nil &&
			m.Scales[d].Bit {
			said.Low[d], said.High[d] = max(0, said.Low[d]), min(1, said.High[d])
		}
	}
	out.Mean, out.Deviation, out.Low, out.High = newF32(said.Mean), newF32(said.Deviation), newF32(said.Low),
		newF32(said.High)
	return out, nil
}

// saidBy returns the means that a pick says at its place, NaN where it abstains.
func saidBy(m *real.Model, p real.Pick) f32 {
	out := make([]float64, m.D())
	for d := range out {
		out[d] = math.NaN()
		if said := m.Opinions(d, []real.Pick{p}); len(said) > 0 {
			out[d] = said[0].Mean
		}
	}
	return newF32(out)
}

func (s *core) sampleValues(ctx context.Context, _ *struct{}, req *valueSampleRequest) (*valueSamples, error) {
	m, err := s.models.findReal(req.Model)
	if err != nil {
		return nil, err
	}
	n := max(req.N, 1)
	if n > s.limits.Samples || n > maxDetail/8/m.numbers().D() {
		return nil, problemAt(statusRequestEntityTooLarge, "body.n", req.N,
			"%d samples of %d values are more than this server returns at a time (%d)", n, m.numbers().D(), s.limits.Samples)
	}
	if err := s.answerTakes(ctx, 6*int64(n)*int64(m.numbers().D())); err != nil {
		return nil, err
	}
	out := new(valueSamples)
	out.Body.Height, out.Body.Width = m.numbers().Height, m.numbers().Width
	for i := range n {
		if ctx.Err() != nil {
			return nil, s.workError(context.Cause(ctx))
		}
		out.Body.Samples = append(out.Body.Samples, newF32(m.numbers().Sample(rand.New(rand.NewPCG(req.Seed, uint64(i))))))
	}
	return out, nil
}
