package studio

import (
	"bytes"
	"context"
	"io"
	"strings"

	"example.com/patchwork/dataset"
)

// dataInfo describes a data set.
type dataInfo struct {
	ID      string           `json:"id"`
	Name    string           `json:"name"`
	N       int              `json:"n"`
	Height  int              `json:"height"`
	Width   int              `json:"width"`
	Table   bool             `json:"table"`
	Columns []string         `json:"columns"`
	Labels  map[string]label `json:"labels"`
	Notes   []string         `json:"notes" doc:"what was done to the data beyond reading them, a sentence each"`
	Fixed   bool             `json:"fixed" doc:"built in or loaded at the server's start: it cannot be deleted"`
	Values  string           `json:"values" enum:"bits,real" doc:"what the images or rows hold"`
}

type label struct {
	Values   []string `json:"values" doc:"up to 100 of them, of at most 1000 bytes each"`
	Distinct int      `json:"distinct"`
}

func newDataInfo(d *data) dataInfo {
	out := dataInfo{ID: d.id, Name: d.name, N: d.set.Len(), Table: d.set.Table, Columns: d.set.Columns, Labels: d.labels,
		Notes: d.set.Notes, Fixed: d.fixed, Values: ofBits}
	if v := d.values; v != nil {
		out.Values, out.Height, out.Width, out.Columns, out.Notes = ofReal, v.Height, v.Width, v.Columns, v.Notes
	} else {
		out.Height, out.Width = d.set.Size()
	}
	if out.Notes == nil {
		out.Notes = []string{}
	}
	return out
}

// text returns the size of the names of columns and of labels.
func (d *dataInfo) text() int64 {
	n := textBytes(d.Columns)
	for name, l := range d.Labels {
		n += int64(len(name)) + 40 + textBytes(l.Values)
	}
	return n
}

// maxLabel bounds the values of a label that are listed, in bytes: longer ones are notes.
const maxLabel = 1000

// newLabels returns the distinct values of each metadata column.
func newLabels(set *dataset.Set) map[string]label {
	out := map[string]label{}
	for _, c := range set.Meta {
		l := label{Values: []string{}}
		seen := map[string]bool{}
		for i := range c.Len() {
			if text := c.Text(i); !seen[text] {
				seen[text] = true
				if len(l.Values) < 100 && len(text) <= maxLabel {
					l.Values = append(l.Values, text)
				}
			}
		}
		l.Distinct = len(seen)
		out[c.Name] = l
	}
	return out
}

type dataList struct {
	Body struct {
		Data []dataInfo `json:"data"`
	}
}

type oneData struct{ Body dataInfo }

// DataPath holds the data set's id in a path.
type DataPath struct {
	ID string `path:"id" maxLength:"64" doc:"of the data set"`
}

// ReadOptions holds, as query parameters, how to read a data file.
type ReadOptions struct {
	Threshold  string `query:"threshold" maxLength:"40" doc:"converts numbers to bits: greater is on (pictures: darker, out of 255); auto: by Otsu's method, each image for itself"`
	Array      string `query:"array" maxLength:"200" doc:"array of an .npz file that holds the images"`
	Meta       string `query:"meta" maxLength:"2000" doc:"columns of a table that are labels, not data, separated by commas"`
	Categories string `query:"categories" maxLength:"2000" doc:"columns of a table that hold categories, separated by commas, or all: each becomes a column for every value"`
	Columns    string `query:"columns" maxLength:"8000" doc:"columns of a table that are data, in this order, separated by commas; default: all that are not labels"`
	Invert     bool   `query:"invert" doc:"swaps on and off: for light strokes on a dark ground"`
	Items      bool   `query:"items" doc:"each line of a text is a list of items, such as a basket"`
	Pairs      string `query:"pairs" maxLength:"400" doc:"two columns of a text, separated by a comma: each line says that the row named in the first has the item named in the second"`
	Size       string `query:"size" maxLength:"20" doc:"HEIGHTxWIDTH: brings pictures to one size, or turns rows into images"`
	Names      string `query:"names" maxLength:"200" doc:"form of the names of several pictures, such as {y}/{writer}_{sample}.png"`
}

func (s *core) dataRoutes() {
	add(s, operation("GET", "/v1/data", "list-data", "List the data sets", 200),
		func(context.Context, *struct{}) (*dataList, error) {
			out := new(dataList)
			out.Body.Data = []dataInfo{}
			for _, d := range s.data.list() {
				info := newDataInfo(d)
				if info.text() > maxListed {
					info.Columns, info.Labels = nil, map[string]label{}
				}
				out.Body.Data = append(out.Body.Data, info)
			}
			return out, nil
		})
	post := operation("POST", "/v1/data", "load-data", "Load a data file", 201)
	post.file = "npy, npz, CSV, Parquet, IDX (also gzipped), PNG, JPEG, GIF, TIFF, WebP or BMP; or a form of " +
		"several pictures, whose names may have folders"
	post.kinds = []string{"multipart/form-data"}
	add(s, post, s.loadData)
	add(s, operation("GET", "/v1/data/{id}", "data", "Describe a data set", 200),
		func(ctx context.Context, in *DataPath) (*oneData, error) {
			d, err := s.data.any(in.ID)
			if err != nil {
				return nil, err
			}
			info := newDataInfo(d)
			if err := s.answerTakes(ctx, 2*info.text()); err != nil {
				return nil, err
			}
			return &oneData{info}, nil
		})
	add(s, operation("DELETE", "/v1/data/{id}", "delete-data", "Forget a data set", 204),
		func(_ context.Context, in *DataPath) (*struct{}, error) { return nil, s.data.remove(in.ID) })
	add(s, operation("GET", "/v1/data/{id}/images", "images", "Images of a data set", 200), s.listImages)
	add(s, operation("GET", "/v1/data/{id}/rows", "rows", "Find rows of a data set by name", 200), s.listRows)
	add(s, operation("GET", "/v1/data/{id}/file", "data-file", "Download a data set as .npz", 200),
		func(ctx context.Context, in *DataPath) (*file, error) {
			d, err := s.data.any(in.ID)
			if err != nil {
				return nil, err
			}
			return s.npz(ctx, d.set, d.values, d.id+".npz")
		})
	add(s, operation("GET", "/v1/data/{id}/values", "values", "Rows of a data set of real values", 200), s.listValues)
}

// npz returns data, of real values if there are some, as an .npz file.
func (s *core) npz(ctx context.Context, set *dataset.Set, values *dataset.Values, name string) (*file, error) {
	encode, size := func(w io.Writer) error { return dataset.EncodeNPZ(w, set) }, int64(0)
	if values != nil {
		encode, size = values.EncodeNPZ, 8*int64(values.Len())*int64(values.Height*values.Width)
	} else {
		h, w := set.Size()
		size = int64(set.Len()) * int64(h*w)
	}
	_, leave, err := s.enterLarge(ctx, size)
	if err != nil {
		return nil, err
	}
	defer leave()
	var buf bytes.Buffer
	if err := encode(&buf); err != nil {
		return nil, contentError(err)
	}
	return &file{"application/octet-stream", `attachment; filename="` + name + `"`, buf.Bytes()}, nil
}

type dataUpload struct {
	Name   string `query:"name" maxLength:"200" doc:"a name for the data set, preferably that of the file"`
	Values string `query:"values" enum:"bits,real" doc:"what to read; default: bits, but real values where a table or an array plainly holds them, or the model is of them"`
	ReadFor
	ReadOptions
}

func (s *core) loadData(ctx context.Context, in *dataUpload) (*oneData, error) {
	b := bodyOf(ctx)
	if err := s.checkUpload(b.bytes, in.Name); err != nil {
		return nil, err
	}
	opt, args, err := in.ReadOptions.options()
	if err != nil {
		return nil, err
	}
	leave, err := s.uploads.enter(ctx)
	if err != nil {
		return nil, s.workError(err)
	}
	defer leave()
	opt.MaxMemory = s.limits.DataBytes / 2
	d := &data{item: item{name: in.Name}, args: args}
	if in.readsReal(s) {
		err = s.readValues(d, b, in, opt)
	} else {
		err = s.readData(ctx, d, b, in, opt)
	}
	if err == nil {
		err = s.data.keep(d)
	}
	if err != nil {
		return nil, err
	}
	return &oneData{newDataInfo(d)}, nil
}

// readData reads data as what they show, or as bits, as those of a model if one is named.
func (s *core) readData(ctx context.Context, d *data, b body, in *dataUpload, opt dataset.Options) error {
	opt, like, notes, err := in.ReadFor.options(s, opt)
	if err != nil {
		return err
	}
	u, err := uploadOf(b, in.Name)
	if err != nil {
		return err
	}
	d.files = u.arguments
	if in.Values != "" || like != nil {
		opt.Kind = dataset.Bit
	}
	read, err := s.decode(ctx, u.name, u.content, opt)
	if err != nil {
		return err
	}
	if d.set, d.values = read.Set, read.Values; d.values != nil {
		note := "these are real values, since " + read.Why + "; a threshold makes bits of them"
		d.values.Notes = append([]string{note}, d.values.Notes...)
		return s.checkValues(d.values)
	}
	if like == nil {
		return nil
	}
	return contentError(d.readLike(like, notes, func(o dataset.Options) (*dataset.Set, error) {
		o.MaxMemory = opt.MaxMemory
		return s.decodeBits(ctx, u.name, u.content, o)
	}))
}

// decodeBits reads a data file as bits, within limits.
func (s *core) decodeBits(ctx context.Context, name string, content []byte, opt dataset.Options) (*dataset.Set, error) {
	opt.Kind = dataset.Bit
	read, err := s.decode(ctx, name, content, opt)
	if err != nil {
		return nil, err
	}
	return read.Set, nil
}

// decode reads a data file, within limits.
func (s *core) decode(ctx context.Context, name string, content []byte, opt dataset.Options) (*dataset.Frame, error) {
	if err := s.checkFile(content, opt.Height > 0); err != nil {
		return nil, err
	}
	opt.MaxPicture = max(maxPhoto, s.limits.Pixels)
	src, err := dataset.OpenContent(ctx, name, content, opt)
	var read *dataset.Frame
	if err == nil {
		read, err = src.Read(ctx)
	}
	if err != nil {
		return nil, s.workError(contentError(err))
	}
	set := read.Set
	if set == nil {
		return read, nil
	}
	if set.Len() == 0 {
		return nil, problemf(422, "%s holds no images", name)
	}
	h, w := set.Size()
	if h < 1 || w < 1 || h > s.limits.Pixels/w {
		return nil, problemf(422,
			"images of %d x %d pixels are outside the limits of this server (1 to %d pixels); give a size such as 56x56 to "+
				"scale pictures", h, w, s.limits.Pixels)
	}
	return read, nil
}

// options returns the parameters in the form of package dataset and as flags of
// a command line.
func (r *ReadOptions) options() (opt dataset.Options, args []string, err error) {
	reading := dataset.Reading{Array: r.Array, Invert: r.Invert, Items: r.Items, Names: r.Names}
	var categories []string
	for _, list := range []struct {
		name, text string
		to         *[]string
	}{{"meta", r.Meta, &reading.Meta}, {"categories", r.Categories, &categories}, {"columns", r.Columns, &reading.Columns},
		{"pairs", r.Pairs, &reading.Pairs}} {
		if list.text == "" {
			continue
		}
		if *list.to = strings.Split(list.text, ","); unlistable(*list.to) {
			return opt, nil, problemAt(422, "query."+list.name, list.text,
				"%s must be names separated by commas, without quotes", list.name)
		}
	}
	for _, name := range categories {
		reading.Categories = append(reading.Categories, dataset.Categorical{Name: name})
	}
	if r.Size != "" {
		h, w, err := dataset.ParseSize(r.Size)
		if err != nil {
			return opt, nil, problemAt(422, "query.size", r.Size, "size must be HEIGHTxWIDTH in pixels, such as 56x56")
		}
		reading.Size = []int{h, w}
	}
	if reading.AutoThreshold = r.Threshold == "auto"; r.Threshold != "" && !reading.AutoThreshold {
		t, err := parseNumber("threshold", r.Threshold)
		if err != nil {
			return opt, nil, err
		}
		reading.Threshold = &t
	}
	args, _ = readingArgs(&reading)
	return reading.Options(), args, nil
}

type rowsQuery struct {
	DataPath
	Search string `query:"search" maxLength:"200" doc:"text that the name of a row must contain, in upper or lower case"`
	From   int    `query:"from" minimum:"0" doc:"first of the rows found to return"`
	N      int    `query:"n" minimum:"1" maximum:"200" default:"20" doc:"number of rows to return"`
}

type rowInfo struct {
	Index int    `json:"index" doc:"the row among all rows of the set, as in from of its images"`
	Name  string `json:"name" doc:"what people call it: its label, or its number from 1 with its labels"`
}

type rowList struct {
	Body struct {
		Rows  []rowInfo `json:"rows"`
		Total int       `json:"total" doc:"rows whose name contains the text"`
	}
}

// listRows finds rows by name.
func (s *core) listRows(_ context.Context, in *rowsQuery) (*rowList, error) {
	d, err := s.data.any(in.ID)
	if err != nil {
		return nil, err
	}
	out, search := new(rowList), strings.ToLower(in.Search)
	out.Body.Rows = []rowInfo{}
	for i := range d.set.Len() {
		name := d.called(i)
		if !strings.Contains(strings.ToLower(name), search) {
			continue
		}
		if out.Body.Total++; out.Body.Total > in.From && len(out.Body.Rows) < in.N {
			out.Body.Rows = append(out.Body.Rows, rowInfo{i, name})
		}
	}
	return out, nil
}

type imagesQuery struct {
	DataPath
	From  int      `query:"from" minimum:"0" doc:"first of the selected images to return"`
	N     int      `query:"n" minimum:"1" default:"24" doc:"number of images to return"`
	Where []string `query:"where,explode" maxItems:"10" doc:"select by labels, such as y=T"`
	Model string   `query:"model" maxLength:"64" doc:"id of a model: the columns of a table come in its order, matched by name"`
}

type labelled struct {
	Height int               `json:"height"`
	Width  int               `json:"width"`
	Bits   string            `json:"bits"`
	Index  int               `json:"index" doc:"in the data set"`
	Labels map[string]string `json:"labels"`
}

type imageList struct {
	Body struct {
		Images []labelled `json:"images"`
		Total  int        `json:"total" doc:"selected"`
	}
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
	set, err := selectRows(d.set, in.Where)
	if err != nil {
		return nil, err
	}
	if err := checkAnswer(in.N, d.set); err != nil {
		return nil, err
	}
	out := new(imageList)
	out.Body.Total, out.Body.Images = set.Len(), []labelled{}
	if in.From >= set.Len() {
		return out, nil
	}
	set = set.Take(in.From + min(in.N, set.Len()-in.From)).Skip(in.From)
	if in.Model != "" {
		m, err := s.models.find(in.Model)
		if err != nil {
			return nil, err
		}
		if set, err = set.For(m.bits()); err != nil {
			return nil, contentError(err)
		}
	}
	h, w := set.Size()
	_, leave, err := s.enterLarge(ctx, 2*int64(set.Len())*int64(h*w))
	if err != nil {
		return nil, err
	}
	defer leave()
	for i := range set.Len() {
		out.Body.Images = append(out.Body.Images, newLabelled(set, i))
	}
	return out, nil
}

// maxAnswer bounds the pixels of the images in one answer.
const maxAnswer = 32 << 20

func checkAnswer(n int, set *dataset.Set) error {
	if h, w := set.Size(); n > maxAnswer/(h*w) {
		return problemAt(statusRequestEntityTooLarge, "query.n", n,
			"%d images of %d x %d pixels do not fit in one answer; request at most %d", n, h, w, maxAnswer/(h*w))
	}
	return nil
}

func newLabelled(set *dataset.Set, i int) labelled {
	img := newImage(set.Images[i])
	l := labelled{img.Height, img.Width, img.Bits, row(set, i), map[string]string{}}
	for _, c := range set.Meta {
		l.Labels[c.Name] = c.Text(i)
	}
	return l
}

// row returns the index of image i in the input, before any selection.
func row(set *dataset.Set, i int) int {
	if set.Rows == nil {
		return i
	}
	return set.Rows[i]
}

// selectRows applies conditions such as y=T.
func selectRows(set *dataset.Set, where []string) (*dataset.Set, error) {
	var conditions []dataset.Condition
	for _, text := range where {
		if len(text) > maxLabel {
			return nil, problemAt(422, "where", nil, "a condition of %d bytes is longer than this server reads (%d)", len(text),
				maxLabel)
		}
		c, err := dataset.ParseCondition(text)
		if err != nil {
			return nil, problemAt(422, "where", text, "%v", err)
		}
		conditions = append(conditions, c)
	}
	if len(conditions) == 0 {
		return set, nil
	}
	out, err := set.Where(conditions...)
	if err != nil {
		return nil, problemAt(422, "where", nil, "%v", err)
	}
	return out, nil
}
