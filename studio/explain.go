package studio

import (
	"context"
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

// row is one image or row, explained.
type row struct {
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

// newRow returns image i as it is explained, without detail.
func newRow(i int, r *workbench.Row) row {
	return row{Index: i, StartLogLik: nats(r.StartLogLik), LogLik: nats(r.LogLik),
		LogLikModel: nats(r.LogLikModel), Missing: r.Missing, Clutter: r.Clutter, Picks: newPicks(r.Picks)}
}

type prediction struct {
	Pixel int     `json:"pixel" doc:"row-major"`
	P     float64 `json:"p" doc:"probability of 1, or of real values the mean, averaged over the best explanations"`

	deviation, low, high float64 // of real values
	expected             string  // of tables of every kind
}

type explainAnswer struct {
	Rows         []row   `json:"rows"`
	Model        string  `json:"model"`
	Milliseconds float64 `json:"milliseconds"`
}

// task holds images or rows to explain by a model.
type task struct {
	model *model
	rows
}

func (s *core) explainRoutes() {
	addJSON(s, operation("POST", "/v1/explain", "explain", "Explain images", 200), s.explain)
}

func (r *explainRequest) size() int { return len(r.Images) }

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

func (s *core) explain(ctx context.Context, _ *struct{}, req *explainRequest) (*explainAnswer, error) {
	began := time.Now()
	m, err := s.models.find(req.Model)
	if err != nil {
		return nil, err
	}
	t := &task{model: m}
	if t.rows, err = s.rowsFor(m, req.Images); err != nil {
		return nil, err
	}
	if err := s.fits(t); err != nil {
		return nil, err
	}
	out := &explainAnswer{Model: m.id}
	var predicted [][]prediction
	if req.Predict {
		if predicted, err = t.predictions(ctx); err != nil {
			return nil, s.workError(err)
		}
	}
	size := 0
	err = s.each(ctx, t, func(i int, r *workbench.Row) error {
		x := newRow(i, r)
		if req.Predict {
			x.Predicted = predicted[i]
		}
		if req.Detail {
			if err := detailFits(&size, t.detailBytes(i, len(r.Picks)), i); err != nil {
				return err
			}
			if !t.numbers() {
				x.Detail = newDetail(t.model.bits(), r.Scoring, t.set.Images[i], &r.Explanation)
			} else {
				x.Detail = t.newValueDetail(i, r.Picks, x.Predicted)
			}
		}
		out.Rows = append(out.Rows, x)
		return nil
	})
	if err != nil {
		return nil, s.workError(err)
	}
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
				if x.Expected != nil {
					p.expected = x.Expected[i][at]
				}
				row = append(row, p)
			}
			all = append(all, row)
		}
	}
	return all, nil
}
