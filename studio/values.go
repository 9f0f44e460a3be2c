package studio

import (
	"bytes"
	"context"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/real"
)

// What a model or a data set is of.
const (
	ofBits = "bits"
	ofReal = "real"
)

// readsReal reports whether an upload is to be read as real values: since it says so, or since its model is of them.
func (in *dataUpload) readsReal(s *core) bool {
	if in.Values != "" || in.Model == "" {
		return in.Values == ofReal
	}
	m, err := s.models.any(in.Model)
	return err == nil && m.numbers() != nil
}

// readValues reads data as real values, as those of a model if one is named.
func (s *core) readValues(d *data, b body, in *dataUpload, opt dataset.Options) error {
	if in.Model == "" {
		return s.decodeValues(d, b, opt)
	}
	like, err := s.models.findReal(in.Model)
	if err != nil {
		return err
	}
	if opt, err = opt.Like(like.numbers().Reading); err != nil {
		return contentError(err)
	}
	if err := s.decodeValues(d, b, opt); err != nil {
		return err
	}
	d.noCommand = true // the flags that a model stands for are not said
	d.values, err = d.values.Match(like.numbers().Columns, like.numbers().Height, like.numbers().Width)
	return contentError(err)
}

// decodeValues reads an upload as real values, within limits.
func (s *core) decodeValues(d *data, b body, opt dataset.Options) error {
	opt.MaxMemory, opt.MaxPicture = s.limits.DataBytes/2, max(maxPhoto, s.limits.Pixels)
	files := []File{{Path: plainName(d.name), Content: b.bytes}}
	if b.form != nil {
		var err error
		if files, err = formFiles(b); err != nil {
			return err
		}
	}
	d.files = nil
	var contents [][]byte
	for _, f := range files {
		if err := s.checkFile(f.Content, false); err != nil {
			return err
		}
		d.files, contents = append(d.files, f.Path), append(contents, f.Content)
	}
	v, err := dataset.DecodeFiles(d.files, contents, opt)
	if err != nil {
		return contentError(err)
	}
	d.values = v
	return s.checkValues(v)
}

// checkValues rejects rows beyond the limits.
func (s *core) checkValues(v *dataset.Values) error {
	if v.Height < 1 || v.Width < 1 || v.Height > s.limits.Pixels/v.Width {
		return problemf(422, "rows of %d x %d values are outside the limits of this server (1 to %d)", v.Height, v.Width,
			s.limits.Pixels)
	}
	return nil
}

// checkFile rejects what would take much memory to decode, pictures that will be scaled or not.
func (s *core) checkFile(content []byte, scaled bool) error {
	if bytes.HasPrefix(content, []byte("PK")) {
		if err := checkDataArchive(content, 4*s.limits.UploadBytes); err != nil {
			return err
		}
	}
	if err := checkGzip(content); err != nil {
		return err
	}
	return s.checkPicture(content, scaled)
}

type valuesQuery struct {
	DataPath
	From  int    `query:"from" minimum:"0" doc:"first of the rows to return"`
	N     int    `query:"n" minimum:"1" default:"24" doc:"number of rows to return"`
	Model string `query:"model" maxLength:"64" doc:"id of a model: the columns of a table come in its order, matched by name"`
}

type valueRow struct {
	Index  int               `json:"index" doc:"in the data set"`
	Name   string            `json:"name" doc:"what people call it: its label, or its number from 1 with its labels"`
	Labels map[string]string `json:"labels"`
	Values []nats            `json:"values" doc:"row-major; null where unknown"`
}

type valueRows struct {
	Body struct {
		Height int        `json:"height"`
		Width  int        `json:"width"`
		Total  int        `json:"total"`
		Rows   []valueRow `json:"rows"`
	}
}

// listValues answers with rows of real values.
func (s *core) listValues(ctx context.Context, in *valuesQuery) (*valueRows, error) {
	d, err := s.data.findValues(in.ID)
	if err != nil {
		return nil, err
	}
	v := d.values
	if size := v.Height * v.Width; in.N > s.limits.Batch || in.N > maxAnswer/16/size {
		return nil, problemAt(statusRequestEntityTooLarge, "query.n", in.N,
			"%d rows of %d values are more than this server returns at a time", in.N, size)
	}
	_, leave, err := s.enterLarge(ctx, 20*int64(in.N)*int64(v.Height*v.Width))
	if err != nil {
		return nil, err
	}
	defer leave()
	out := new(valueRows)
	out.Body.Total, out.Body.Rows = v.Len(), []valueRow{}
	part := v.Cut(in.From, in.N)
	if in.Model != "" {
		m, err := s.models.findReal(in.Model)
		if err != nil {
			return nil, err
		}
		if part, err = part.Match(m.numbers().Columns, m.numbers().Height, m.numbers().Width); err != nil {
			return nil, contentError(err)
		}
	}
	out.Body.Height, out.Body.Width = part.Height, part.Width
	for i, row := range part.Rows {
		r := valueRow{Index: in.From + i, Name: d.called(in.From + i), Labels: map[string]string{}, Values: newNats(row)}
		for _, c := range part.Meta {
			r.Labels[c.Name] = c.Text(i)
		}
		out.Body.Rows = append(out.Body.Rows, r)
	}
	return out, nil
}

func newNats(values []float64) []nats {
	out := make([]nats, len(values))
	for i, x := range values {
		out[i] = nats(x)
	}
	return out
}

// checkReal rejects a model of real values that would take too much memory or time.
func (l *bounds) checkReal(m *real.Model) error {
	n := max(m.K(), 1) * m.Poses.Len()
	if m.D() > l.Pixels || n > l.Candidates || n > l.Effort/max(m.D(), 1) ||
		max(m.K(), 1)*len(m.Poses.Angles) > l.Templates/m.F() {
		return problemf(statusRequestEntityTooLarge,
			"%d parts at %d places for %d values are more than this server explains with", m.K(), m.Poses.Len(), m.D())
	}
	return nil
}
