package studio

import (
	"context"
	"fmt"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// What a model or a data set is of.
const (
	ofBits = "bits"
	ofReal = "real"
)

// rows are images, or rows of a table; their indices are those in their data set.
type rows struct{ set *dataset.Frame }

// numbers reports whether they are real values.
func (r rows) numbers() bool { return r.set.Values != nil }

// index returns where row i is in the data set.
func (r rows) index(i int) int { return r.set.InputRow(i) }

// where returns the rows that fulfil conditions such as y=T.
func (r rows) where(conditions []string) (rows, error) {
	var all []dataset.Condition
	for _, text := range conditions {
		if len(text) > maxLabel {
			return r, problemAt(422, "where", nil, "a condition of %d bytes is longer than this server reads (%d)", len(text),
				maxLabel)
		}
		c, err := dataset.ParseCondition(text)
		if err != nil {
			return r, problemAt(422, "where", text, "%v", err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return r, nil
	}
	found, err := r.set.Where(all...)
	if err != nil {
		return r, problemAt(422, "where", nil, "%v", err)
	}
	return rows{found}, nil
}

// as returns the rows with the columns that a model has, in its order, by name.
func (r rows) as(m *model) (rows, error) {
	if (m.bits() == nil) != r.numbers() {
		return r, problemf(422, "the model %.64q is of %s, the data are of %s", m.id, m.values(), r.values())
	}
	plan, err := m.of.Plan()
	if err == nil {
		r.set, err = r.set.For(plan)
	}
	return r, contentError(err)
}

// values says what the rows hold.
func (r rows) values() string {
	if r.numbers() {
		return ofReal
	}
	return ofBits
}

// wireImage is an image or a row of a table in JSON.
type wireImage struct {
	Height int    `json:"height" minimum:"1" doc:"1 for a row of a table"`
	Width  int    `json:"width" minimum:"1"`
	Bits   string `json:"bits,omitempty" doc:"row-major, one character per pixel: 0, 1, or ? for unknown"`
	Values []nats `json:"values,omitempty" doc:"instead of bits, of real values: row-major, null where unknown"`
}

// check says what is wrong with the size of an image, whose index in the request is given.
func (w *wireImage) check(index, pixels int) error {
	if w.Height < 1 || w.Width < 1 || w.Height > pixels/w.Width {
		return problemAt(422, fmt.Sprintf("body.images[%d]", index), nil,
			"image %d: %d x %d pixels are outside the limits of this server (1 to %d pixels)", index, w.Height, w.Width, pixels)
	}
	return nil
}

// image returns the image, or an error that says what is wrong with it.
func (w *wireImage) image(index int) (*bitmap.Image, error) {
	where := fmt.Sprintf("body.images[%d].bits", index)
	if len(w.Bits) != w.Height*w.Width {
		return nil, problemAt(422, where, nil, "image %d: %d characters in bits for %d x %d pixels", index,
			len(w.Bits), w.Height, w.Width)
	}
	img := bitmap.New(w.Height, w.Width)
	for i := range len(w.Bits) {
		switch w.Bits[i] {
		case '0':
		case '1':
			img.Set(i/w.Width, i%w.Width, true)
		case '?':
			img.SetUnknown(i/w.Width, i%w.Width)
		default:
			return nil, problemAt(422, where, nil, "image %d: character %d of bits is %q, not 0, 1 or ?", index, i, w.Bits[i])
		}
	}
	return img, nil
}

// newImage converts an image to its JSON form.
func newImage(img *bitmap.Image) wireImage {
	bits := img.AppendValues(nil)
	for i, v := range bits {
		bits[i] = "01?"[v]
	}
	return wireImage{Height: img.Height(), Width: img.Width(), Bits: string(bits)}
}

// images reads images in JSON.
func (s *core) images(wire []wireImage) ([]*bitmap.Image, error) {
	if err := s.checkBatch(len(wire)); err != nil {
		return nil, err
	}
	out := make([]*bitmap.Image, len(wire))
	for i := range wire {
		err := wire[i].check(i, s.limits.Pixels)
		if err == nil {
			out[i], err = wire[i].image(i)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sameSize returns an error for images of several sizes; each is of what of says.
func sameSize(images []*bitmap.Image, of func(i int) string) error {
	h, w := images[0].Height(), images[0].Width()
	for i, img := range images {
		if img.Height() != h || img.Width() != w {
			return problemAt(422, "body.images", nil, "%s has %d x %d pixels, and the first %d x %d; give images of one size",
				of(i), img.Height(), img.Width(), h, w)
		}
	}
	return nil
}

// rowsFor reads images in JSON for a model, bits or values.
func (s *core) rowsFor(m *model, wire []wireImage) (rows, error) {
	if m.bits() != nil {
		images, err := s.images(wire)
		return rows{&dataset.Frame{Data: patchwork.Data{Images: images}, Source: "the request"}}, err
	}
	v := &dataset.Set{Height: m.about.Height, Width: m.about.Width, Table: m.of.Table()}
	for i := range wire {
		row := make([]float64, len(wire[i].Values))
		for d, x := range wire[i].Values {
			row[d] = float64(x)
		}
		if wire[i].Height != v.Height || wire[i].Width != v.Width || len(row) != v.Height*v.Width {
			return rows{}, problemAt(422, fmt.Sprintf("body.images[%d].values", i), nil,
				"image %d: %d values of %d x %d; the model is of %d x %d real values", i, len(row), wire[i].Height,
				wire[i].Width, v.Height, v.Width)
		}
		v.Values = append(v.Values, row)
	}
	return rows{v}, s.checkBatch(len(wire))
}

func (s *core) checkBatch(n int) error {
	switch {
	case n == 0:
		return problemAt(422, "body.images", nil, "no images")
	case n > s.limits.Batch:
		return problemAt(statusRequestEntityTooLarge, "body.images", nil,
			"%d images in one request are more than this server accepts (%d); send several requests", n, s.limits.Batch)
	}
	return nil
}

type imagesQuery struct {
	DataPath
	From   int      `query:"from" minimum:"0" doc:"first of the selected images to return"`
	N      int      `query:"n" minimum:"1" default:"24" doc:"number of images to return"`
	Search string   `query:"search" maxLength:"200" doc:"text that the name of an image or row must contain, in upper or lower case"`
	Where  []string `query:"where,explode" maxItems:"10" doc:"select by labels, such as y=T"`
	Index  []int    `query:"index,explode" maxItems:"100" doc:"these, by their index in the data set, instead of from and n"`
	Model  string   `query:"model" maxLength:"64" doc:"id of a model: the columns of a table come in its order, matched by name"`
}

type labelled struct {
	wireImage
	Index  int               `json:"index" doc:"in the data set"`
	Name   string            `json:"name" doc:"what people call it: its label, or its number from 1 with its labels"`
	Labels map[string]string `json:"labels"`
}

type imageList struct {
	Images []labelled `json:"images"`
	Total  int        `json:"total" doc:"selected"`
}

func (s *core) listImages(ctx context.Context, in *imagesQuery) (*imageList, error) {
	d, err := s.data.find(in.ID)
	if err != nil {
		return nil, err
	}
	if in.N > s.limits.Batch {
		return nil, problemAt(422, "query.n", in.N, "%d images are more than this server returns at a time (%d)", in.N,
			s.limits.Batch)
	}
	if err := checkAnswer(max(in.N, len(in.Index)), d.rows); err != nil {
		return nil, err
	}
	r, err := d.where(in.Where)
	if err != nil {
		return nil, err
	}
	if search := strings.ToLower(in.Search); search != "" {
		var found []int
		for i := range r.set.Len() {
			if strings.Contains(strings.ToLower(d.called(r.index(i))), search) {
				found = append(found, i)
			}
		}
		r.set = r.set.Pick(found)
	}
	out := new(imageList)
	out.Total, out.Images = r.set.Len(), []labelled{}
	if in.Index != nil {
		if r, err = d.at(in.Index); err != nil {
			return nil, err
		}
	} else if r.set = r.set.Cut(in.From, in.N); r.set.Len() == 0 {
		return out, nil
	}
	if in.Model != "" {
		m, err := s.models.find(in.Model)
		if err == nil {
			r, err = r.as(m)
		}
		if err != nil {
			return nil, err
		}
	}
	_, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	for i := range r.set.Len() {
		out.Images = append(out.Images, d.labelled(r, i))
	}
	return out, nil
}

// at returns rows by their index.
func (d *data) at(index []int) (rows, error) {
	for _, i := range index {
		if i < 0 || i >= d.set.Len() {
			return rows{}, problemAt(422, "query.index", i, "there is no row %d; there are 0 to %d", i, d.set.Len()-1)
		}
	}
	return rows{d.set.Pick(index)}, nil
}

// wireBytes returns the size of one of the rows in an answer, about.
func (r rows) wireBytes() int64 {
	h, w := r.set.Size()
	if r.numbers() {
		return 20 * int64(max(1, h*w))
	}
	return 2 * int64(max(1, h*w))
}

// maxAnswer bounds the bytes of the images in one answer.
const maxAnswer = 64 << 20

func checkAnswer(n int, r rows) error {
	if most := maxAnswer / r.wireBytes(); int64(n) > most {
		h, w := r.set.Size()
		return problemAt(statusRequestEntityTooLarge, "query.n", n,
			"%d images of %d x %d pixels do not fit in one answer; request at most %d", n, h, w, most)
	}
	return nil
}

// labelled returns row i of some of the data set.
func (d *data) labelled(r rows, i int) labelled {
	l := labelled{Index: r.index(i), Name: d.called(r.index(i)), Labels: map[string]string{}}
	if r.numbers() {
		l.wireImage = wireImage{Height: r.set.Height, Width: r.set.Width, Values: newNats(r.set.Values[i])}
	} else {
		l.wireImage = newImage(r.set.Images[i])
	}
	for _, c := range r.set.Meta {
		text := ""
		if !c.Missing(i) {
			text = c.Text(i)
		}
		l.Labels[c.Name] = text
	}
	return l
}
