package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/npy"
)

// Values are images of one size, or rows of a table, of real values.
type Values struct {
	Height, Width int         // 1 x the number of columns for a table
	Rows          [][]float64 // each Height*Width values, row-major; NaN is unknown
	Index         []int       // of each row in the input before any selection, from 0
	Meta          []Labels    // labels and the like
	Columns       []string    // names of a table's columns; nil if it has none
	Table         bool
	Source        string   // where they came from, for messages
	Notes         []string // what was decided about the data, in sentences

	reading Reading
	roles   *roles // of the columns of the file, if that has them
	floats  bool   // all are of a floating-point type
	grouped bool   // some were written with commas before thousands
}

// Len returns the number of rows.
func (v *Values) Len() int { return len(v.Rows) }

// ReadValues reads files and folders of pictures as real values, in the given order: arrays (also of MAT-files) of any
// number type (NaN is unknown), tables whose columns are numbers (an empty cell, ?, NA is
// unknown; columns of text, and a first column that counts the rows, are metadata), IDX, and
// pictures as grey values, 0 black to 255 white. Nothing is scaled or rounded. Of the
// options those count that do not make bits: Array, Columns, Meta, Where, FirstPer, Names, Labels, Height and Width
// (rows become images), Transpose, Delimiter, Header, Invert (of pictures: 255 black), MaxMemory and MaxPicture; others
// are refused. All paths must agree in size and names. Content that cannot be used yields a [*FormatError].
func ReadValues(paths []string, opts Options) (*Values, error) {
	paths, opts = opts.labelled(paths)
	if err := opts.checkValues(paths); err != nil {
		return nil, err
	}
	opts, err := opts.settle(paths)
	if err != nil {
		return nil, err
	}
	in := newValueInput(opts)
	out, err := joinValueFiles(paths, func(i int) (*Values, error) {
		set, err := in.path(paths[i], opts.label(i))
		if err != nil {
			return nil, err
		}
		return set.values(), nil
	})
	if err != nil {
		return nil, err
	}
	out.note(&in.seen)
	return out.settled(&opts)
}

// DecodeValues reads the content of a file as [ReadValues] reads the file; name is its name, for messages and for
// pictures.
func DecodeValues(name string, data []byte, opts Options) (*Values, error) {
	if err := opts.checkValues([]string{name}); err != nil {
		return nil, err
	}
	in := newValueInput(opts)
	set, err := in.collect(func() (*opened, error) {
		r := bytes.NewReader(data)
		d, err := in.file(name, r, r, int64(len(data)))
		return &opened{in: in, decoder: d}, err
	})
	if err != nil {
		return nil, at(err, name)
	}
	v := set.values()
	v.note(&in.seen)
	v.Source = name
	return v.settled(&opts)
}

// note adds what was done when the values were read.
func (v *Values) note(s *seen) {
	v.Notes, v.grouped = append(v.Notes, s.commonNotes()...), s.group != ""
}

// EncodeNPZ writes the values as an .npz archive that [ReadValues] reads: x (N,H,W), or (N,D) of a table, the names of
// columns, and the metadata. The error is the writer's, or says which metadata cannot be kept.
func (v *Values) EncodeNPZ(w io.Writer) error {
	shape := []int{v.Len(), v.Height, v.Width}
	if v.Table {
		shape = []int{v.Len(), v.Width}
	}
	members, err := appendMeta([]npy.Member{{Name: "x", Array: npy.New(slices.Concat(v.Rows...), shape...)}}, v.Columns,
		v.Meta)
	if err != nil {
		return err
	}
	return npy.WriteZip(w, npy.Deflate, members...)
}

// DecodeFiles reads the contents of several files of one size, as [ReadValues] reads the files; names are theirs.
func DecodeFiles(names []string, contents [][]byte, opts Options) (*Values, error) {
	if len(names) == 0 || len(names) != len(contents) {
		panic(fmt.Sprintf("dataset: %d names of %d files", len(names), len(contents)))
	}
	out, err := joinValueFiles(names, func(i int) (*Values, error) { return DecodeValues(names[i], contents[i], opts) })
	if err != nil {
		return nil, err
	}
	for i := range out.Rows {
		out.Index = append(out.Index[:i], i)
	}
	return out, nil
}

// joinValueFiles joins the values of several files.
func joinValueFiles(names []string, read func(i int) (*Values, error)) (*Values, error) {
	var out *Values
	for i, name := range names {
		v, err := read(i)
		if err == nil && out != nil {
			err = out.join(v)
		}
		if err != nil {
			return nil, at(err, name)
		}
		if out == nil {
			out = v
		}
	}
	out.Source = strings.Join(names, ", ")
	return out, nil
}

// settled arranges the values, numbers the rows and selects.
func (v *Values) settled(o *Options) (*Values, error) {
	if err := v.arrange(o); err != nil {
		return nil, at(err, v.Source)
	}
	v.Index = nil
	for i := range v.Rows {
		v.Index = append(v.Index, i)
	}
	return v.choose(o)
}

// checkValues returns an error if the options do not fit the paths, or make bits.
func (o *Options) checkValues(paths []string) error {
	if err := o.check(paths); err != nil {
		return err
	}
	for _, g := range []struct {
		given bool
		name  string
	}{{o.Threshold != nil || o.AutoThreshold, "a threshold"}, {o.Weight != "", "weights"},
		{len(o.Categories) > 0, "categories"}, {o.Items || len(o.Pairs) > 0, "lists of items"}} {
		if g.given {
			return &FormatError{Msg: g.name + " make bits of data, which are to be read as real values",
				Hint: "leave it out, or read the data as bits"}
		}
	}
	return nil
}

// join appends the rows of another file.
func (v *Values) join(o *Values) error {
	switch {
	case v.Height != o.Height || v.Width != o.Width:
		return &FormatError{Msg: fmt.Sprintf("rows of %d x %d values, others have %d x %d", o.Height, o.Width, v.Height,
			v.Width), Hint: "read files of one size together"}
	case v.Columns != nil && o.Columns != nil && !slices.Equal(v.Columns, o.Columns):
		return &FormatError{Msg: "other columns than in the file before it",
			Hint: "give all files the same columns, in one order"}
	}
	v.floats, v.grouped = v.floats && o.floats, v.grouped || o.grouped
	v.Rows = append(v.Rows, o.Rows...)
	var meta []Labels
	for _, c := range v.Meta {
		if i := slices.IndexFunc(o.Meta, func(d Labels) bool { return d.Name == c.Name }); i >= 0 {
			meta = append(meta, Labels{c.Name, joinValues(c, o.Meta[i])})
		}
	}
	v.Meta = meta
	for _, note := range o.Notes {
		if !slices.Contains(v.Notes, note) {
			v.Notes = append(v.Notes, note)
		}
	}
	return nil
}

// arrange makes images of rows, and swaps their sides, if the options say so.
func (v *Values) arrange(o *Options) error {
	v.reading = newReading(o)
	if o.Height > 0 && (v.Height != o.Height || v.Width != o.Width) {
		if !v.Table || v.Width != o.Height*o.Width {
			return &FormatError{Msg: fmt.Sprintf("%d x %d values are not %d x %d", v.Height, v.Width, o.Height, o.Width),
				Hint: "pictures of real values are not scaled: bring them to one size before"}
		}
		v.Height, v.Width, v.Table, v.Columns = o.Height, o.Width, false, nil
	}
	if o.Transpose {
		for n, row := range v.Rows {
			t := make([]float64, len(row))
			for i, x := range row {
				t[i%v.Width*v.Height+i/v.Width] = x
			}
			v.Rows[n] = t
		}
		v.Height, v.Width = v.Width, v.Height
	}
	return nil
}

// choose applies Where and FirstPer.
func (v *Values) choose(o *Options) (*Values, error) {
	s := v.Labelled()
	var err error
	if len(o.Where) > 0 {
		if s, err = s.Where(o.Where...); err != nil {
			return nil, err
		}
	}
	if s, err = s.FirstPer(o.FirstPer); err != nil {
		return nil, err
	}
	if s.Rows == nil {
		return v, nil
	}
	return v.Pick(s.Rows), nil
}

// Labelled returns a set whose images are nil, with the metadata and the numbers of the rows: what is chosen, counted
// and named
// by labels is the same for bits and for real values.
func (v *Values) Labelled() *Set {
	s := &Set{Meta: v.Meta, Source: v.Source, Table: v.Table}
	s.Images = make([]*bitmap.Image, v.Len())
	return s
}

// Pick returns the rows at the given indices, in that order. It panics for an index outside.
func (v *Values) Pick(index []int) *Values {
	out := *v
	out.Rows, out.Index, out.Meta = pick(v.Rows, index), pick(v.Index, index), nil
	for _, c := range v.Meta {
		out.Meta = append(out.Meta, c.Pick(index))
	}
	return &out
}

// Cut returns the rows from number skip on, counted from 0, and at most take of them; take < 0 means all.
func (v *Values) Cut(skip, take int) *Values {
	var index []int
	for i := skip; i < v.Len() && (take < 0 || len(index) < take); i++ {
		index = append(index, i)
	}
	return v.Pick(index)
}

// Reading returns how the values were read, for a model to keep, as a JSON object.
func (v *Values) Reading() (json.RawMessage, error) {
	r := v.reading
	r.Meta = nil
	for _, c := range v.Meta {
		r.Meta = append(r.Meta, c.Name)
	}
	if !v.Table {
		r.Meta = nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("keep how the data were read: %w", err)
	}
	return text, nil
}

// Like returns options that read values as a model's were, unless o says otherwise. The error says what this
// version does not know.
func (o Options) Like(reading json.RawMessage) (Options, error) {
	if len(reading) == 0 {
		return o, nil
	}
	var r Reading
	if err := json.Unmarshal(reading, &r); err != nil {
		return o, err
	}
	like := r.Options()
	if o.Array == "" {
		o.Array = like.Array
	}
	if o.Names == "" {
		o.Names = like.Names
	}
	if o.Height == 0 {
		o.Height, o.Width, o.Transpose = like.Height, like.Width, o.Transpose || like.Transpose
	}
	if o.Delimiter == 0 {
		o.Delimiter = like.Delimiter
	}
	if o.Header == HeaderAuto {
		o.Header = like.Header
	}
	o.Invert = o.Invert || like.Invert
	return o, nil
}

// Match returns the values with the columns of a model, by name if both have names, and otherwise by position. A
// column that is missing, or a size that differs, is an error.
func (v *Values) Match(columns []string, height, width int) (*Values, error) {
	if columns != nil && v.Columns != nil && v.Table {
		index := make([]int, len(columns))
		first, again := firstOf(v.Columns, identity(len(v.Columns)))
		for i, name := range columns {
			var known bool
			if index[i], known = first[name]; !known {
				return nil, &FormatError{Path: v.Source, Msg: fmt.Sprintf("no column %q, which the model has; there is: %s%s", name,
					listShort(v.Columns), enum.DidYouMean(name, v.Columns))}
			}
			if again[name] {
				return nil, at((&mismatch{doubled: []string{name}}).err(), v.Source)
			}
		}
		out := *v
		out.Columns, out.Width, out.Rows = columns, len(columns), nil
		for _, row := range v.Rows {
			out.Rows = append(out.Rows, pick(row, index))
		}
		v = &out
	}
	if v.Height != height || v.Width != width {
		return nil, &FormatError{Path: v.Source, Msg: fmt.Sprintf("%d x %d values, the model has %d x %d", v.Height, v.Width,
			height, width), Hint: "give data of the size of the model"}
	}
	return v, nil
}
