package workbench

import (
	"context"
	"iter"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table/answers"
)

// Answers are the pictures of a table of answers.
type Answers struct {
	// Needs is which column, an item, needs which skill, by a matrix that is to be checked, and Skills what these are
	// called; nil for none.
	Needs  [][]bool
	Skills []string

	*answers.Result                  // once they are learned
	Checked         *answers.Checked // of the matrix; nil for none
	Written         answers.Compared // what the model is: the pick, or the skills of the matrix

	Indices map[string]*answers.Indices // of the pick, the classes and the level, by kind
}

// answers learns all pictures; the model is the shortest that a model can hold.
func (l *Learning) answers(ctx context.Context, tell func(Step) bool) (last Step, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	data := l.data.Data
	l.Images, l.Pixels = len(data.Images), knownPixels(data, false)
	opt := answers.Options{Seed: l.Recipe.Seed, Classes: l.Recipe.Experts, Progress: func(kind string) {
		if !tell(Step{CurvePoint: patchwork.CurvePoint{Stage: kind, Rows: rows.Total(data)}}) {
			cancel()
		}
	}}
	if l.Answers.Result, err = answers.Compare(ctx, data, opt); err != nil {
		return last, err
	}
	if err = l.Answers.HoldOut(); err != nil {
		return last, err
	}
	l.Answers.Written = l.Answers.Pictures[0]
	if l.Answers.Needs != nil {
		if l.Answers.Checked, err = answers.Check(ctx, data, l.Answers.Needs); err != nil {
			return last, err
		}
		l.Answers.Written = l.Answers.Checked.Compared
	}
	if err = l.Answers.report(data); err != nil {
		return last, err
	}
	m, err := l.Answers.Written.Model(l.Config, rows.Total(data), l.Recipe.Seed)
	if err != nil {
		return last, err
	}
	if l.Answers.Checked != nil {
		extras := m.Extras()
		for _, name := range l.Answers.Skills {
			extras.Names = append(extras.Names, answers.Without+name)
		}
		if m, err = m.WithExtras(extras); err != nil {
			return last, err
		}
	}
	last.Model = Bits{m}
	last.Experts, last.Rows = m.K(), rows.Total(data)
	last.LogLik, last.DescriptionLength = l.Answers.Written.LogP, l.Answers.Written.Length
	return l.described(last)
}

// report finds out what the field reports of the pick, of classes and of a level.
func (a *Answers) report(data patchwork.Data) (err error) {
	a.Indices = map[string]*answers.Indices{}
	for _, p := range []*answers.Compared{&a.Pictures[0], a.Of("classes"), a.Of("level")} {
		if a.Indices[p.Kind] == nil && err == nil {
			a.Indices[p.Kind], err = p.Indices(data)
		}
	}
	if a.Checked != nil && err == nil {
		a.Indices["q_matrix"], err = a.Checked.Indices(data)
	}
	return err
}

// Reader returns what reads rows by the picture of a table of answers; nil if the model is not of one.
func (m Bits) Reader() *answers.Reader {
	r, _ := m.Extras().Predictor.(*answers.Reader)
	return r
}

// byPicture explains rows by a picture: a pick gains the log odds of its part, and the log-likelihood is that of the
// row, over all sets of parts and all levels.
func (m Bits) byPicture(ctx context.Context, r *answers.Reader, x *Explained, best int) error {
	background := m.Compose(1, r.Len(), nil).P
	return x.each(ctx, func(i int) error {
		img, row := x.Frame.Images[x.From+i], &x.Rows[i]
		if img.Height() != 1 || img.Width() != r.Len() {
			return &patchwork.SizeError{Height: img.Height(), Width: img.Width(), ModelHeight: 1, ModelWidth: r.Len()}
		}
		p := r.Person(img)
		row.Person, row.LogLik, row.LogLikModel, row.Evidence = &p, p.LogP, p.LogP, p.LogP
		row.StartLogLik = patchwork.LogLik(img, background)
		start := row.Explanation
		for j, set := range p.Sets[:min(max(best, 1), len(p.Sets))] {
			e := start
			for _, k := range set.Parts {
				gain := elem.Log(max(p.Has[k], 1e-12)) - elem.Log(max(1-p.Has[k], 1e-12))
				e.Picks = append(e.Picks, patchwork.Pick{Expert: k, Gain: gain})
			}
			if j == 0 {
				row.Explanation = e
			}
			if best > 1 {
				row.Others = append(row.Others, posterior.Alternative{Explanation: e, Weight: set.P,
					LogJoint: p.LogP + elem.Log(set.P)})
			}
		}
		return nil
	})
}

// lengthBy returns the length of the description of rows by a picture.
func lengthBy(r *answers.Reader, data iter.Seq2[*dataset.Frame, error]) (float64, error) {
	var all patchwork.Data
	for f, err := range data {
		if err != nil {
			return 0, err
		}
		all.Unit = f.Unit
		for i, img := range f.Images {
			all.Images, all.Weights = append(all.Images, img), append(all.Weights, f.Weight(i))
		}
	}
	return r.Length(all)
}
