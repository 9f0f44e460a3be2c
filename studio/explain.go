package studio

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/pose"
	"example.com/patchwork/workbench"
)

// explainRequest is the JSON body of explain.
type explainRequest struct {
	Model   string      `json:"model" maxLength:"64" doc:"id of a model"`
	Images  []wireImage `json:"images"`
	Detail  bool        `json:"detail,omitempty" doc:"also every step of the pursuit, pixel by pixel"`
	Predict bool        `json:"predict,omitempty" doc:"also the probabilities of unknown bits"`
}

// explainQuery holds the same as query parameters, for a PNG or npy
// body.
type explainQuery struct {
	Model string `query:"model" maxLength:"64" doc:"id of a model, if the body is not JSON"`
	ReadOptions
	Detail  bool `query:"detail" doc:"as in the JSON body"`
	Predict bool `query:"predict" doc:"as in the JSON body"`
}

// explanation is the explanation of one image or row.
type explanation struct {
	Index       int          `json:"index"`
	StartLogLik nats         `json:"start_log_lik" doc:"without parts, in nats, under the score used"`
	LogLik      nats         `json:"log_lik" doc:"of the picks, under the score used"`
	LogLikModel nats         `json:"log_lik_model" doc:"of the picks, under the untruncated composition"`
	Missing     float64      `json:"missing,omitempty" doc:"share of the ink that the image was found to lack, beyond what the parts say; log_lik, start_log_lik and gains are those under this noise"`
	Clutter     float64      `json:"clutter,omitempty" doc:"share of the paper that was found to be inked"`
	Picks       []pick       `json:"picks" doc:"in the order of the pursuit"`
	Detail      *detail      `json:"detail,omitempty"`
	Predicted   []prediction `json:"predicted,omitempty"`
}

// newExplanation returns the explanation of image i, without detail.
func newExplanation(i int, r *workbench.Row) explanation {
	return explanation{Index: i, StartLogLik: nats(r.StartLogLik), LogLik: nats(r.LogLik),
		LogLikModel: nats(r.LogLikModel), Missing: r.Missing, Clutter: r.Clutter, Picks: newPicks(r.Picks)}
}

type prediction struct {
	Pixel int     `json:"pixel" doc:"row-major"`
	P     float64 `json:"p" doc:"probability of 1, or of real values the mean, averaged over the best explanations"`

	deviation, low, high float64 // of real values
}

type explainAnswer struct {
	Explanations []explanation `json:"explanations"`
	Model        string        `json:"model"`
	Milliseconds float64       `json:"milliseconds"`
}

// task holds images or rows to explain.
type task struct {
	model *model
	rows
	detail, predict bool
}

func (s *core) explainRoutes() {
	addTask(s, "explain", "Explain images", s.explain)
	addTask(s, "score", "Measure how well a model explains images", s.score)
}

func (r *explainRequest) size() int { return len(r.Images) }

// addTask adds an operation on images to explain. They are decoded while the request has its turn, because decoding is
// work too.
func addTask[O any](s *core, id, summary string, answer func(context.Context, *task) (*O, error)) {
	o := operation("POST", "/v1/"+id, id, summary, 200)
	add(s, o.reads(reflect.TypeFor[explainRequest](), "image/png", "application/x-npy"),
		func(ctx context.Context, in *explainQuery) (*O, error) {
			ctx, leave, err := s.enter(ctx)
			if err != nil {
				return nil, err
			}
			defer leave()
			t, err := s.task(ctx, in)
			if err != nil {
				return nil, err
			}
			return answer(ctx, t)
		})
}

// task reads a request to explain.
func (s *core) task(ctx context.Context, in *explainQuery) (*task, error) {
	b := bodyOf(ctx)
	t := &task{detail: in.Detail, predict: in.Predict}
	var err error
	switch b.kind {
	case "", "application/json":
		if !reflect.ValueOf(*in).IsZero() {
			return nil, problemf(422, "a JSON body already says all; leave out the query parameters")
		}
		req, err := decodeJSON[explainRequest](s, b.bytes)
		if err != nil {
			return nil, err
		}
		t.detail, t.predict = req.Detail, req.Predict
		if t.model, err = s.models.find(req.Model); err != nil {
			return nil, err
		}
		if t.rows, err = s.rowsFor(t.model, req.Images); err != nil {
			return nil, err
		}
	case "image/png", "application/x-npy":
		if in.Model == "" {
			return nil, problemAt(422, "query.model", nil, "the parameter model is missing: give the id of a model")
		}
		if t.model, err = s.models.find(in.Model); err != nil {
			return nil, err
		}
		if t.rows, err = s.fileRows(ctx, &in.ReadOptions, t.model); err != nil {
			return nil, err
		}
	default:
		return nil, problemf(statusUnsupportedMediaType,
			"the Content-Type %.100q is not accepted here; send application/json, image/png or application/x-npy", b.kind)
	}
	return t, s.fits(t)
}

// fileRows reads the images of a file as a body, for a model.
func (s *core) fileRows(ctx context.Context, how *ReadOptions, m *model) (rows, error) {
	d, err := s.read(ctx, "the body", how, m)
	if of := m.bits(); err == nil && of != nil && d.set.Table && of.Height() > 1 && how.Size == "" {
		again := *how // rows that hold images
		again.Size = fmt.Sprintf("%dx%d", of.Height(), of.Width())
		d, err = s.read(ctx, "the body", &again, m)
	}
	if err != nil {
		return rows{}, err
	}
	return d.rows, s.checkBatch(d.set.Len())
}

// fits rejects images that the model cannot explain, or not in reasonable time.
func (s *core) fits(t *task) error {
	if t.numbers() {
		return nil
	}
	for i, img := range t.set.Images {
		h, w := img.Height(), img.Width()
		if i > 0 && h == t.set.Images[i-1].Height() && w == t.set.Images[i-1].Width() {
			continue
		}
		grid, err := t.model.bits().GridFor(h, w)
		if err != nil {
			return problemf(422, "image %d: %v", i, err)
		}
		if steps, most := t.effort(grid), maxSteps*float64(s.limits.Effort); steps > most {
			return problemf(422, "image %d: %d parts at %d poses take %.3g steps, more than this server allows (%.3g)", i,
				t.model.bits().K(), grid.Len(), steps, most)
		}
	}
	return nil
}

// maxSteps bounds the work on an image, in steps of Limits.Effort.
const maxSteps = 16

// effort returns an upper bound on the work of explaining an image: experts x
// poses x pixels of their frame for every pick.
func (t *task) effort(grid pose.Grid) float64 {
	c, k := t.model.bits().Config(), float64(t.model.bits().K())
	return k * float64(grid.Len()) * float64(c.Height*c.Width) * k * float64(max(c.Reuse, 1))
}

// search returns what explains images, or recalls it: one who draws asks again and again.
func (s *core) search(t *task, m workbench.Bits) (*patchwork.Pursuit, error) {
	if p, ok := s.searches.recall(t.model.id); ok { // ids are never reused
		return p, nil
	}
	p, err := m.Search(workbench.Explaining{})
	if err == nil {
		// By measurement: 26 bytes per number of the rotated templates, 5 MB, and 70 bytes per candidate.
		c, n := m.Config(), int64(m.K())
		s.searches.keep(t.model.id, p, 26*n*int64(c.Poses.Turns())*int64(c.Height*c.Width)+5e6+70*n*int64(c.Poses.Len()))
	}
	return p, err
}

// each explains the images or rows in order, and stops when the context ends. The
// argument r of f is valid until f returns.
func (s *core) each(ctx context.Context, t *task, f func(i int, r *workbench.Row) error) error {
	var how workbench.Explaining
	if b, ok := t.model.of.(workbench.Bits); ok {
		var err error
		if how.Fork, err = s.search(t, b); err != nil {
			return problem(422, err.Error())
		}
	}
	for x, err := range t.model.of.Explain(ctx, workbench.Once(t.set), how) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return problem(422, err.Error())
		}
		for i := range x.Rows {
			if err := f(x.From+i, &x.Rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *core) explain(ctx context.Context, t *task) (*explainAnswer, error) {
	began := time.Now()
	out := new(explainAnswer)
	out.Model = t.model.id
	var predicted [][]prediction
	var err error
	if t.predict {
		if predicted, err = t.predictions(ctx); err != nil {
			return nil, s.workError(err)
		}
	}
	size := 0
	err = s.each(ctx, t, func(i int, r *workbench.Row) error {
		x := newExplanation(i, r)
		if t.predict {
			x.Predicted = predicted[i]
		}
		if t.detail {
			if err := s.detailFits(ctx, &size, t.detailBytes(i, len(r.Picks)), i); err != nil {
				return err
			}
			if !t.numbers() {
				x.Detail = newDetail(t.model.bits(), r.Scoring, t.set.Images[i], &r.Explanation)
			} else {
				x.Detail = newValueDetail(t.model.numbers(), t.set.Values[i], r.Picks, x.Predicted)
			}
		}
		out.Explanations = append(out.Explanations, x)
		return nil
	})
	if err != nil {
		return nil, s.workError(err)
	}
	s.explained(t.set.Len())
	out.Milliseconds = float64(time.Since(began).Microseconds()) / 1000
	return out, nil
}

// predictions returns what is expected of the unknown bits or values of each row.
func (t *task) predictions(ctx context.Context) (all [][]prediction, err error) {
	for x, err := range t.model.of.Predict(ctx, workbench.Once(t.set), workbench.Predicting{}) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, problem(422, err.Error())
		}
		for i, values := range x.Values {
			row := []prediction{}
			for _, at := range x.Cells(i) {
				p := prediction{Pixel: at, P: values[at]}
				if x.Deviation != nil {
					p.deviation, p.low, p.high = x.Deviation[i][at], x.Low[i][at], x.High[i][at]
				}
				row = append(row, p)
			}
			all = append(all, row)
		}
	}
	return all, nil
}

type scoreAnswer struct {
	N              int     `json:"n"`
	Pixels         int     `json:"pixels" doc:"number of known pixels or values"`
	LogLik         nats    `json:"log_lik" doc:"under the untruncated composition, and in scenes the noise that was learned; of real values over the best explanations; in nats"`
	LogLikPerPixel nats    `json:"log_lik_per_pixel"`
	StartLogLik    nats    `json:"start_log_lik" doc:"without parts, under the score used"`
	Images         []score `json:"images"`
	Model          string  `json:"model"`
}

type score struct {
	Index  int  `json:"index"`
	LogLik nats `json:"log_lik" doc:"under the untruncated composition, and in scenes the noise that was learned; of real values over the best explanations; in nats"`
	Picks  int  `json:"picks"`
}

func (s *core) score(ctx context.Context, t *task) (*scoreAnswer, error) {
	if t.detail || t.predict {
		return nil, problemf(422, "detail and predict belong to /v1/explain")
	}
	out := new(scoreAnswer)
	b := out
	b.N, b.Model = t.set.Len(), t.model.id
	how := workbench.Scoring{Each: func(x *workbench.RowScores) error {
		for i := range x.Rows {
			b.Images = append(b.Images, score{x.From + i, nats(x.LogLik[i]), len(x.Rows[i].Picks)})
			b.LogLik += nats(x.LogLik[i])
			b.StartLogLik += nats(x.Rows[i].StartLogLik)
		}
		return nil
	}}
	_, err := t.model.of.Score(ctx, workbench.Once(t.set), how)
	switch {
	case ctx.Err() != nil:
		return nil, s.workError(context.Cause(ctx))
	case err != nil:
		return nil, problem(422, err.Error())
	}
	if b.Pixels = t.known(); b.Pixels > 0 {
		b.LogLikPerPixel = b.LogLik / nats(b.Pixels)
	}
	s.explained(t.set.Len())
	return out, nil
}
