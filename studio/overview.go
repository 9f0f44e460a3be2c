package studio

import (
	"bytes"
	"context"
	"errors"

	"example.com/patchwork/render/report"
)

type overviewQuery struct {
	ModelPath
	Data string `query:"data" required:"true" maxLength:"64" doc:"id of a data set"`
}

// overview is what a model says of all rows or images of a data set.
type overview struct {
	Rows    []overRow    `json:"rows"`
	Pairs   []overPair   `json:"pairs" doc:"parts that come together more or less often than chance has it"`
	Columns []overColumn `json:"columns" doc:"of a table"`
	Summary []string     `json:"summary" doc:"sentences"`
}

type overRow struct {
	Index int    `json:"index" doc:"in the data set"`
	Name  string `json:"name"`
	Parts []int  `json:"parts" doc:"that explain it, in the order of the pursuit"`
	Gains []nats `json:"gains" doc:"of these, in nats"`
	Loss  nats   `json:"loss" doc:"minus the log-likelihood of a known cell or pixel, in nats: how odd it is"`
	Odd   string `json:"odd" doc:"the cells that are expected least, in words; empty of rows like the others"`
}

type overPair struct {
	A    int  `json:"a"`
	B    int  `json:"b"`
	Rows int  `json:"rows" doc:"that have both"`
	Lift nats `json:"lift" doc:"how many times as often as by chance"`
}

type overColumn struct {
	Name string  `json:"name"`
	Left float64 `json:"left" doc:"share of the variance that the parts leave unexplained"`
}

func (s *core) overviewRoutes() {
	add(s, operation("GET", "/v1/models/{id}/overview", "overview", "All rows of a data set by their parts", 200), s.overview)
	add(s, operation("GET", "/v1/models/{id}/report", "report", "A report on a data set, as one page", 200), s.report)
}

// errNoMore ends a report before the model is learned again.
var errNoMore = errors.New("the rest is not wanted")

func (s *core) overview(ctx context.Context, in *overviewQuery) (*overview, error) {
	var out *overview
	_, err := s.reportOn(ctx, in, report.Options{First: func(r *report.Report) error {
		out = newOverview(r)
		return errNoMore
	}})
	if errors.Is(err, errNoMore) {
		err = nil
	}
	return out, err
}

// mostOdd is how many rows are told what is odd about them.
const mostOdd = 100

func newOverview(r *report.Report) *overview {
	out := &overview{Rows: []overRow{}, Pairs: []overPair{}, Columns: []overColumn{}, Summary: r.Summary}
	odd := r.Odd(mostOdd)
	for i, row := range r.ByRow {
		gains := []nats{}
		for _, g := range row.Gains {
			gains = append(gains, nats(g))
		}
		out.Rows = append(out.Rows, overRow{i, row.Name, row.Parts, gains, nats(row.Loss), odd[i]})
	}
	for _, p := range r.Together {
		out.Pairs = append(out.Pairs, overPair{p.A, p.B, int(p.Rows), nats(p.Lift)})
	}
	for _, c := range r.ByColumn {
		out.Columns = append(out.Columns, overColumn{c.Name, c.Rest()})
	}
	return out
}

func (s *core) report(ctx context.Context, in *overviewQuery) (*file, error) {
	r, err := s.reportOn(ctx, in, report.Options{Brief: true})
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page, r.Title()); err != nil {
		return nil, problem(422, err.Error())
	}
	return &file{"text/html; charset=utf-8", `attachment; filename="report.html"`, page.Bytes()}, nil
}

// reportOn builds a report when the request has its turn.
func (s *core) reportOn(ctx context.Context, in *overviewQuery, opt report.Options) (*report.Report, error) {
	m, err := s.models.find(in.ID)
	if err != nil {
		return nil, err
	}
	d, err := s.data.find(in.Data)
	if err != nil {
		return nil, err
	}
	r, err := d.rows.as(m)
	if err != nil {
		return nil, err
	}
	if err := s.fits(&task{model: m, rows: r}); err != nil {
		return nil, err
	}
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	opt.Workers = s.limits.Concurrent
	out, err := report.Build(ctx, m.of, r.set, opt)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out, s.workError(err)
}
