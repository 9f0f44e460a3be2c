package studio

import (
	"bytes"
	"context"

	"example.com/patchwork/dataset"
)

// data is a data set being served. It does not change once stored.
type data struct {
	item
	rows
	files     []string           // their names on a command line
	args      []string           // flags that read it the same way, such as --threshold 128
	noCommand bool               // no flags read it the same way
	how       dataset.Options    // that it was read by
	notes     []dataset.Note     // what was decided about it
	labels    map[string]label   // of its metadata
	called    func(i int) string // what people call its rows
}

// bytes returns the memory of its packed images and of all else that it has, about: labels, names
// of columns, files and arguments.
func (d *data) bytes() int64 {
	n := 64*int64(d.set.Len()+len(d.set.Columns)) + textMemory(d.set.Columns) +
		textMemory(d.files) + textMemory(d.args) + 8*int64(d.set.Len())*int64(len(d.set.Meta))
	for _, c := range d.set.Meta {
		n += int64(len(c.Name)) + textMemory(c.Cells)
	}
	if d.numbers() {
		return n + int64(d.set.Len())*(24+8*int64(d.set.Height)*int64(d.set.Width))
	}
	for _, img := range d.set.Images {
		n += 128 + 2*8*int64(img.Height())*int64((img.Width()+63)/64)
	}
	return n
}

// library holds the data sets being served.
type library struct{ shelf[*data] }

func newLibrary(limit int, space int64) *library {
	return &library{shelf[*data]{what: "data set", loosely: "uploaded data sets", limit: limit, space: space}}
}

// keep stores a data set and assigns its id. The error says that there is no room.
func (l *library) keep(d *data) error {
	whole := *d.set
	whole.Index = nil // rows are counted within what is kept
	d.set = &whole
	d.labels, d.called = newLabels(d.set), d.set.Called()
	return l.shelf.keep(d)
}

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
	Notes   []dataset.Note   `json:"notes" doc:"what was decided about the data, a sentence each, with flags of a command line that decide it otherwise"`
	Plan    []dataset.Column `json:"plan,omitempty" doc:"what each column is; not in lists"`
	Fixed   bool             `json:"fixed" doc:"built in or loaded at the server's start: it cannot be deleted"`
	Values  string           `json:"values" enum:"bits,real" doc:"what the images or rows hold"`
}

type label struct {
	Values   []string `json:"values" doc:"up to 100 of them, of at most 1000 bytes each"`
	Distinct int      `json:"distinct"`
}

func newDataInfo(d *data) *dataInfo {
	out := &dataInfo{ID: d.id, Name: d.name, N: d.set.Len(), Table: d.set.Table, Columns: d.set.Columns, Labels: d.labels,
		Notes: append([]dataset.Note{}, d.notes...), Fixed: d.fixed, Values: ofBits}
	out.Height, out.Width = d.set.Size()
	if d.numbers() {
		out.Values = ofReal
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
			if text := c.Text(i); !c.Missing(i) && !seen[text] {
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
	Data []dataInfo `json:"data"`
}

// DataPath holds the data set's id in a path.
type DataPath struct {
	ID string `path:"id" maxLength:"64" doc:"of the data set"`
}

func (s *core) dataRoutes() {
	add(s, operation("GET", "/v1/data", "list-data", "List the data sets", 200),
		func(context.Context, *struct{}) (*dataList, error) {
			out := new(dataList)
			out.Data = []dataInfo{}
			for _, d := range s.data.list() {
				info := newDataInfo(d)
				if info.text() > maxListed {
					info.Columns, info.Labels = nil, map[string]label{}
				}
				out.Data = append(out.Data, *info)
			}
			return out, nil
		})
	post := operation("POST", "/v1/data", "load-data", "Load a data file", 201)
	post.file = "npy, npz, CSV, Parquet, IDX (also gzipped), PNG, JPEG, GIF, TIFF, WebP or BMP; or a form of " +
		"several pictures, whose names may have folders"
	post.kinds = []string{"multipart/form-data"}
	add(s, post, s.loadData)
	add(s, operation("GET", "/v1/data/{id}", "data", "Describe a data set", 200),
		func(ctx context.Context, in *DataPath) (*dataInfo, error) {
			d, err := s.data.find(in.ID)
			if err != nil {
				return nil, err
			}
			info := newDataInfo(d)
			info.Plan = d.set.Plan(&d.how).Columns
			return info, nil
		})
	add(s, operation("DELETE", "/v1/data/{id}", "delete-data", "Forget a data set", 204),
		func(_ context.Context, in *DataPath) (*struct{}, error) {
			err := s.jobs.learnsFrom(in.ID)
			if err == nil {
				_, err = s.data.remove(in.ID)
			}
			return nil, err
		})
	add(s, operation("GET", "/v1/data/{id}/images", "images", "Images or rows of a data set", 200), s.listImages)
	add(s, operation("GET", "/v1/data/{id}/file", "data-file", "Download a data set as .npz", 200),
		func(ctx context.Context, in *DataPath) (*file, error) {
			d, err := s.data.find(in.ID)
			if err != nil {
				return nil, err
			}
			return s.npz(ctx, d.rows, d.id+".npz")
		})
}

// npz returns rows as an .npz file.
func (s *core) npz(ctx context.Context, r rows, name string) (*file, error) {
	_, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var buf bytes.Buffer
	if err := dataset.EncodeNPZ(&buf, r.set); err != nil {
		return nil, contentError(err)
	}
	return &file{"application/octet-stream", `attachment; filename="` + name + `"`, buf.Bytes()}, nil
}

type dataUpload struct {
	Name  string `query:"name" maxLength:"200" doc:"a name for the data set, preferably that of the file"`
	Model string `query:"model" maxLength:"64" doc:"id of a model: the data are read as those it was learned from, unless parameters say otherwise, and the columns of a table are matched by name; what does not fit is an error, as on the command line"`
	ReadOptions
}

func (s *core) loadData(ctx context.Context, in *dataUpload) (*dataInfo, error) {
	err := s.checkUpload(bodyOf(ctx).bytes, in.Name)
	if err != nil {
		return nil, err
	}
	var like *model
	if in.Model != "" {
		if like, err = s.models.find(in.Model); err != nil {
			return nil, err
		}
	}
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	d, err := s.read(ctx, in.Name, &in.ReadOptions, like)
	if err != nil {
		return nil, err
	}
	d.name = in.Name
	if err := s.data.keep(d); err != nil {
		return nil, err
	}
	info := newDataInfo(d)
	info.Plan = d.set.Plan(&d.how).Columns
	return info, nil
}
