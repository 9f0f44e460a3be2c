package studio

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/workbench"
)

type examplesQuery struct {
	ModelPath
	K     int      `path:"k" minimum:"0" doc:"index of the part"`
	Data  string   `query:"data" required:"true" maxLength:"64" doc:"id of a data set"`
	N     int      `query:"n" minimum:"1" maximum:"100" default:"6" doc:"how many of each"`
	Where []string `query:"where,explode" maxItems:"10" doc:"select by labels, such as y=T"`
}

// example is an image with the gain of an expert in it.
type example struct {
	labelled
	Gain nats `json:"gain" doc:"of the part, summed over its picks, in nats"`
	Row  row  `json:"row" doc:"as it is explained"`
}

type exampleList struct {
	Best     []example `json:"best" doc:"largest gain first"`
	Worst    []example `json:"worst" doc:"smallest gain first, among the images that use the part"`
	Searched int       `json:"searched" doc:"number of images explained: the first selected ones"`
	Used     int       `json:"used" doc:"how many of these use the part"`
}

// showExamples finds the images that an expert explains best and worst.
func (s *core) showExamples(ctx context.Context, in *examplesQuery) (*exampleList, error) {
	m, err := s.models.find(in.ID)
	if err != nil {
		return nil, err
	}
	if err := m.checkPart(in.K); err != nil {
		return nil, err
	}
	d, err := s.data.find(in.Data)
	if err != nil {
		return nil, err
	}
	if err := checkAnswer(2*in.N, d.rows); err != nil {
		return nil, err
	}
	r, err := d.where(in.Where)
	if err == nil {
		r, err = rows{r.set.Take(s.limits.Batch)}.as(m)
	}
	if err != nil {
		return nil, err
	}
	all, err := s.explainRows(ctx, m, d, r, strings.Join(in.Where, "\x00"))
	if err != nil {
		return nil, err
	}
	out := &exampleList{Searched: r.set.Len()}
	order, gains := usesOf(all, in.K)
	out.Used = len(order)
	n, size := min(in.N, len(order)), 0
	for _, list := range []*[]example{&out.Best, &out.Worst} {
		*list = []example{}
		for _, at := range order[:n] {
			e := example{d.labelled(r, at), nats(gains[at]), newRow(r.index(at), &all[at])}
			if b := m.bits(); b != nil && !m.of.Table() {
				x, img := &all[at].Explanation, r.set.Images[at]
				if err := detailFits(&size, imageDetailBytes(img, len(x.Picks)), at); err != nil {
					return nil, err
				}
				e.Row.Detail = newDetail(b, x.Scoring, img, x)
			}
			*list = append(*list, e)
		}
		slices.Reverse(order)
	}
	return out, nil
}

// usesOf returns the rows that use part k, the one that gains most by it first, and the gains of all.
func usesOf(all []workbench.Row, k int) (order []int, gains []float64) {
	gains = make([]float64, len(all))
	for i := range all {
		used := false
		for _, p := range all[i].Picks {
			if p.Expert == k {
				gains[i], used = gains[i]+p.Gain, true
			}
		}
		if used && !math.IsNaN(gains[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gains[b], gains[a]) })
	return order, gains
}

// explainRows explains rows with default settings, or returns the cached explanations.
func (s *core) explainRows(ctx context.Context, m *model, d *data, r rows, where string) ([]workbench.Row, error) {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	key := m.id + "\x00" + d.id + "\x00" + where // ids are never reused
	if known, ok := s.best.recall(key); ok {
		return known, nil
	}
	t := &task{model: m, rows: r}
	if err := s.fits(t); err != nil {
		return nil, err
	}
	var out []workbench.Row
	err = s.each(ctx, t, func(_ int, r *workbench.Row) error {
		kept := *r
		kept.Picks = slices.Clone(r.Picks)
		out = append(out, kept)
		return nil
	})
	if err != nil {
		return nil, s.workError(err)
	}
	bytes := int64(0)
	for i := range out {
		bytes += 300 + 80*int64(len(out[i].Picks))
	}
	s.best.keep(key, out, bytes)
	return out, nil
}
