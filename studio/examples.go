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
	Gain        nats        `json:"gain" doc:"of the part, summed over its picks, in nats"`
	Explanation explanation `json:"explanation"`
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
	return pickExamples(d, r, all, in.K, in.N), nil
}

func pickExamples(d *data, r rows, all []explanation, k, n int) *exampleList {
	type use struct {
		at   int // in r
		gain float64
	}
	var uses []use
	for i := range all {
		gain, used := 0.0, false
		for _, p := range all[i].Picks {
			if p.Expert == k {
				gain, used = gain+float64(p.Gain), true
			}
		}
		if used && !math.IsNaN(gain) {
			uses = append(uses, use{i, gain})
		}
	}
	slices.SortStableFunc(uses, func(a, b use) int { return cmp.Compare(b.gain, a.gain) })
	out := new(exampleList)
	out.Searched, out.Used, out.Best, out.Worst = r.set.Len(), len(uses), []example{}, []example{}
	finish := func(u use) example {
		e := example{d.labelled(r, u.at), nats(u.gain), all[u.at]}
		e.Explanation.Index = e.Index
		return e
	}
	for i := range min(n, len(uses)) {
		out.Best = append(out.Best, finish(uses[i]))
		out.Worst = append(out.Worst, finish(uses[len(uses)-1-i]))
	}
	return out
}

// explainRows explains rows with default settings, or returns the cached explanations.
func (s *core) explainRows(ctx context.Context, m *model, d *data, r rows, where string) ([]explanation, error) {
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
	var out []explanation
	err = s.each(ctx, t, func(i int, r *workbench.Row) error {
		out = append(out, newExplanation(i, r))
		return nil
	})
	if err != nil {
		return nil, s.workError(err)
	}
	s.explained(len(out))
	s.best.keep(key, out, explanationBytes(out))
	return out, nil
}

// explanationBytes returns the memory of explanations without detail.
func explanationBytes(all []explanation) int64 {
	n := int64(0)
	for i := range all {
		n += 150 + 80*int64(len(all[i].Picks))
	}
	return n
}
