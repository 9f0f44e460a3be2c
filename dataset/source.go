package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Source is data that were looked at: it has a plan of what each column is, and is read by that.
type Source struct {
	opts    Options
	opened  []string
	frame   *Frame
	refused error // why they cannot be read by the plan
}

// Frame is data that were read: bits, or numbers where some column holds others than 0 and 1.
type Frame struct {
	Set    *Set    // nil of numbers
	Values *Values // nil of bits
	Why    string  // what shows that they are numbers, in a clause; "" where that was asked for
}

// Open looks at files and folders and decides what they hold: bits, or numbers where [Options].Kind asks for
// them or the data cannot but be meant as these. The error is that of reading. Data that may be meant either
// way have a plan; to read them is an error that says how to choose.
func Open(ctx context.Context, paths []string, opts Options) (*Source, error) {
	s := &Source{opts: opts}
	allowed := opts.Opened
	s.opts.Opened = func(path string) error {
		if !slices.Contains(s.opened, path) {
			s.opened = append(s.opened, path)
		}
		if allowed != nil {
			return allowed(path)
		}
		return ctx.Err()
	}
	err := s.look(func() (*Frame, error) { return read(paths, s.opts) }, func() (*Values, error) {
		if opts.Kind == Unknown && slices.Contains(paths, standardInput) {
			return nil, errOnce
		}
		return ReadValues(paths, s.opts)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// errOnce says that what was read as bits cannot be read again as numbers.
var errOnce = errors.New("read once")

// OpenContent is [Open] for a file whose content is in memory; see [Decode].
func OpenContent(ctx context.Context, name string, data []byte, opts Options) (*Source, error) {
	s := &Source{opts: opts}
	err := s.look(func() (*Frame, error) { return decode(ctx, name, data, opts) },
		func() (*Values, error) { return DecodeFiles([]string{name}, [][]byte{data}, opts) })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// look reads bits, or numbers where that shows as they are read; what is no bits is read again as numbers.
func (s *Source) look(read func() (*Frame, error), numbers func() (*Values, error)) (err error) {
	if s.opts.Kind != Number {
		s.frame, err = read()
		if err == nil || s.opts.Kind == Bit || !notBits(err) {
			return err
		}
		s.refused = err
	}
	v, err := numbers()
	s.frame = &Frame{Values: v}
	switch {
	case err != nil && s.refused == nil:
		return err
	case err != nil:
		return orNumbers(alsoAsNumbers(s.refused, err))
	case s.refused != nil:
		if s.frame.Why = v.plainly(); s.frame.Why != "" {
			s.refused = nil
		}
		s.refused = orNumbers(s.refused)
	}
	return nil
}

// alsoAsNumbers adds to the error about data that are no bits what is in the way of reading them as numbers.
func alsoAsNumbers(err, problem error) error {
	var bits, numbers *FormatError
	if errors.As(err, &bits) && errors.As(problem, &numbers) && numbers.Line > bits.Line {
		bits.Hint += fmt.Sprintf("; as real values, line %d, column %q: %s", numbers.Line, numbers.Column, numbers.Msg)
	}
	return err
}

// orNumbers adds to the error about data that are no bits how to learn from them as they are.
func orNumbers(err error) error {
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.Hint += "; --for real learns from the numbers as they are"
	}
	return err
}

// Notes say in sentences what was decided about the data.
func (f *Frame) Notes() []string {
	if f.Values != nil {
		return f.Values.Notes
	}
	return f.Set.Notes
}

// Opened returns the paths of all files that were opened, also of those in folders and beside the data.
func (s *Source) Opened() []string { return s.opened }

// Packed reports whether the data are bits.
func (s *Source) Packed() bool { return s.frame.Set != nil }

// Read returns the data. The error says how to choose where they may be bits or numbers.
func (s *Source) Read(context.Context) (*Frame, error) { return s.frame, s.refused }

// Plan says what each column is, as the data show it.
func (s *Source) Plan() *Plan {
	p := s.frame.Plan(&s.opts)
	var fe *FormatError
	if errors.As(s.refused, &fe) {
		p.Open = true
		p.Notes = append(p.Notes, Note{Text: "bits or numbers? " + fe.Msg, Fix: fe.fix})
	}
	return p
}

// Form is what rows are.
type Form string

// The forms of data.
const (
	FormTable  Form = "table"
	FormImages Form = "images"
	FormLists  Form = "lists" // of items
)

// Plan says how data are read.
type Plan struct {
	Source  string   `json:"source"`
	Form    Form     `json:"form"`
	Rows    int      `json:"rows"`
	Height  int      `json:"height"`
	Width   int      `json:"width"` // of images; of a table the number of columns that are learned from
	Packed  bool     `json:"packed"`
	Open    bool     `json:"open"` // it is not decided whether they are bits or numbers
	Why     string   `json:"why,omitempty"`
	Columns []Column `json:"columns"`
	Notes   []Note   `json:"notes"`
}

// Note says what was decided or is open, and which flags decide it otherwise.
type Note struct {
	Text string   `json:"text"`
	Fix  []string `json:"fix,omitempty"`
}

// Plan says what each column is of data that were read by options.
func (f *Frame) Plan(o *Options) *Plan {
	p := &Plan{Form: FormImages, Packed: f.Set != nil, Why: f.Why}
	data := Seen
	if o.model != nil {
		data = Learned
	} else if o.Kind != Unknown || len(o.Columns) > 0 {
		data = Asked
	}
	if s := f.Set; s != nil {
		p.Source, p.Rows = s.Source, s.Len()
		p.Height, p.Width = s.Size()
		p.Columns = s.planned(o, data)
		if s.Table {
			p.Form = FormTable
		}
		if o.Items || len(o.Pairs) > 0 || o.model != nil && (o.model.reading.Items || len(o.model.reading.Pairs) > 0) {
			p.Form = FormLists
		}
	} else {
		v := f.Values
		p.Source, p.Rows, p.Height, p.Width = v.Source, v.Len(), v.Height, v.Width
		p.Columns = v.planned(data)
		if v.Table {
			p.Form = FormTable
		}
	}
	for _, text := range f.Notes() {
		p.Notes = append(p.Notes, Note{Text: text})
	}
	return p
}

// planned describes the columns of bits and the labels.
func (s *Set) planned(o *Options, data By) []Column {
	var out []Column
	var bits []ColumnOverview
	if s.Table {
		bits = s.columnOverviews()
	} else {
		pixels, n := s.pixels()
		out = append(out, bitColumn(pixels, data, n))
	}
	for x := 0; x < len(bits); x++ {
		i := slices.IndexFunc(s.Categories, func(c Categorical) bool {
			return len(c.Levels) > 0 && !c.bit() && x+len(c.Levels) <= len(bits) && bits[x].Name == c.columns()[0]
		})
		if i < 0 {
			out = append(out, bitColumn(bits[x], data, s.Len()))
			continue
		}
		c, by := &s.Categories[i], data
		if slices.ContainsFunc(o.Categories, func(asked Categorical) bool { return asked.Name == c.Name }) {
			by = max(by, Asked)
		}
		out = append(out, categoryColumn(c, by, bits[x:x+len(c.Levels)], s.Len()))
		x += len(c.Levels) - 1
	}
	out = s.roles.inOrder(out, s.Meta)
	if s.Weights != nil {
		name := "weight"
		if s.roles != nil && s.roles.weight >= 0 {
			name = s.roles.name(s.roles.weight)
		}
		w := numberColumn(name, Seen, func(yield func(float64) bool) {
			for _, v := range s.Weights {
				if !yield(float64(v)) {
					return
				}
			}
		})
		if w.Kind = Weight; o.Weight != "" {
			w.By = Asked
		}
		out = append(out, w)
	}
	return out
}

// planned describes the columns of numbers and the labels.
func (v *Values) planned(data By) []Column {
	if !v.Table {
		c := numberColumn("pixels", data, func(yield func(float64) bool) {
			for _, row := range v.Rows {
				for _, x := range row {
					if !yield(x) {
						return
					}
				}
			}
		})
		if c.Kind != Unknown {
			c.Kind = Number
		}
		return v.roles.inOrder([]Column{c}, v.Meta)
	}
	var out []Column
	for j := range v.Width {
		name := "column " + strconv.Itoa(j+1)
		if v.Columns != nil {
			name = v.Columns[j]
		}
		out = append(out, numberColumn(name, data, func(yield func(float64) bool) {
			for _, row := range v.Rows {
				if !yield(row[j]) {
					return
				}
			}
		}))
	}
	return v.roles.inOrder(out, v.Meta)
}

// inOrder returns the columns of data and of labels in the order of the file, if that has columns.
func (r *roles) inOrder(data []Column, meta []Labels) []Column {
	if r == nil {
		for _, l := range meta {
			data = append(data, labelColumn(l, Seen))
		}
		return data
	}
	type placed struct {
		at int
		Column
	}
	var all []placed
	for k, c := range data {
		all = append(all, placed{r.data[min(k, len(r.data)-1)], c})
	}
	for _, l := range meta {
		at, by := r.n, Asked
		if k := slices.Index(r.called, l.Name); k >= 0 {
			if at = r.meta[k]; r.auto[k] {
				by = Seen
			}
		}
		all = append(all, placed{at, labelColumn(l, by)})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	out := make([]Column, len(all))
	for i, c := range all {
		out[i] = c.Column
	}
	return out
}
