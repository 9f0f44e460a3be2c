package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
)

// Source is data that were looked at: it has a plan of what each column is, and is read by that.
type Source struct {
	opts    Options
	frame   *Frame
	refused error // why they cannot be read by the plan
}

// Open looks at files and folders and decides what they hold: bits, or numbers where [Options].Kind asks for
// them or the data cannot but be meant as these. The error is that of reading. Data that may be meant either
// way have a plan; to read them is an error that says how to choose.
func Open(ctx context.Context, paths []string, opts Options) (*Source, error) {
	s := &Source{opts: opts}
	if opts.Opened == nil {
		s.opts.Opened = func(string) error { return ctx.Err() }
	}
	return s, s.look(paths)
}

// File is a file whose content is in memory. The name replaces the path in messages, and is that of a picture.
type File struct {
	Name    string
	Content []byte
}

// OpenFiles is [Open] for files whose contents are in memory, such as uploads; no file is opened. Their contents must
// not change while they are read. Options.Labels must be empty.
func OpenFiles(ctx context.Context, files []File, opts Options) (*Source, error) {
	s := &Source{opts: opts}
	s.opts.files = &held{ctx: ctx, content: map[string][]byte{}}
	var names []string
	for _, f := range files {
		names, s.opts.files.content[f.Name] = append(names, f.Name), f.Content
	}
	err := s.look(names)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	return s, nil
}

// look reads bits, or numbers where that shows as they are read.
func (s *Source) look(paths []string) (err error) {
	opts := s.opts
	opts.pipes = map[string][]byte{}
	if s.frame, err = read(paths, opts); err != nil || s.frame.undecided == nil {
		return err
	}
	if s.frame.Why = s.frame.plainly(); s.frame.Why == "" {
		s.refused = s.frame.undecided
		var fe *FormatError
		if errors.As(s.refused, &fe) {
			fe.Hint += "; " + allNumbers + " learns from the numbers as they are"
		}
	}
	return nil
}

// Packed reports whether the data are bits.
func (s *Source) Packed() bool { return s.frame.Values == nil }

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

	// of a model
	reading Reading
	names   []string           // of its columns, those of a category as one; nil if they have none
	fields  []string           // the names that a file has, and has not if that has no names
	coded   map[string]*Coding // what is kept of columns, by name
	uses    []Use              // of fields
}

// Note says what was decided or is open, and which flags decide it otherwise.
type Note struct {
	Text string   `json:"text"`
	Fix  []string `json:"fix,omitempty"`
}

// String returns the note in a sentence.
func (n Note) String() string {
	if len(n.Fix) == 0 {
		return n.Text
	}
	return n.Text + "; to change it: " + strings.Join(n.Fix, " or ")
}

// Plan says what each column is of data that were read by options.
func (s *Set) Plan(o *Options) *Plan {
	p := &Plan{Source: s.Source, Form: FormImages, Rows: s.Len(), Packed: s.Values == nil, Why: s.Why}
	p.Height, p.Width = s.Size()
	by := Seen
	if o.Model != nil {
		by = Learned
	} else if o.Kind != Unknown && len(o.Edits) == 0 || o.wanted(allColumns, 0) != "" || len(o.Columns) > 0 {
		by = Asked
	}
	if s.Table {
		p.Form = FormTable
	}
	if s.reading.Items || len(s.reading.Pairs) > 0 {
		p.Form = FormLists
	}
	p.Columns = s.planned(o, by)
	for i := range p.Columns {
		if c := &p.Columns[i]; o.wanted(c.Name, 0) != "" {
			c.By = Asked
		}
	}
	p.Notes = append(p.Notes, s.Notes...)
	return p
}

// planned describes the columns of data and of labels, and the weights.
func (s *Set) planned(o *Options, by By) []Column {
	var out []Column
	switch {
	case s.Values != nil && !s.Table:
		c := numberColumn("pixels", by, s.numbers(0, s.Height*s.Width))
		if c.Kind != Unknown {
			c.Kind = Number
		}
		out = append(out, c)
	case s.Values != nil:
		out = s.plannedNumbers(by)
	case !s.Table:
		out = append(out, s.pixels(by))
	default:
		out = s.collapsed(by, s.bitColumns(by))
	}
	out = s.roles.inOrder(out, s.Meta)
	if s.Weights == nil {
		return out
	}
	name := "weight"
	if s.roles != nil && s.roles.weight >= 0 {
		name = s.roles.name(s.roles.weight)
	}
	w := numberColumn(name, Seen, func(yield func(float64) bool) {
		for i := range s.Weights {
			if !yield(s.Times(i)) {
				return
			}
		}
	})
	if w.Kind = Weight; o.weight() != "" {
		w.By = Asked
	}
	return append(out, w)
}

// numbers yields the values of some columns.
func (s *Set) numbers(from, to int) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, row := range s.Values {
			for _, x := range row[from:to] {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// plannedNumbers describes the columns of a table of numbers, of which several may be one of categories.
func (s *Set) plannedNumbers(data By) (out []Column) {
	for j := range s.Width {
		if c := s.Words(j); c != nil && c.exclusive() {
			out = append(out, s.wordColumn(j, c, data))
		} else {
			out = append(out, numberColumn(s.ColumnName(j), data, s.numbers(j, j+1)))
		}
	}
	markScales(out)
	return s.collapsed(data, out)
}

// collapsed makes one column of those of each category.
func (s *Set) collapsed(data By, all []Column) (out []Column) {
	for x := 0; x < len(all); x++ {
		name := all[x].Name
		i := slices.IndexFunc(s.Codings, func(c Coding) bool {
			return c.exclusive() && x+len(c.Levels) <= len(all) && name == c.columns()[0]
		})
		if i < 0 {
			for k := range s.Codings {
				c := &s.Codings[k]
				switch bit := c.Levels != nil && c.bit(); {
				case bit && c.bitName() == name:
					all[x].Name, all[x].Means = c.Name, c.Levels[0]
				case bit || c.Name != name:
					continue
				}
				all[x].Unit, all[x].Unknown = c.Unit, c.Unknown
			}
			all[x].more = slices.ContainsFunc(s.Codings, func(c Coding) bool { return c.splitBefore(name) })
			out = append(out, all[x])
			continue
		}
		c := &s.Codings[i]
		out = append(out, categoryColumn(c, max(data, c.By), all[x:x+len(c.Levels)], s.Len()))
		x += len(c.Levels) - 1
	}
	return out
}

// Words returns how column j of numbers stands for words: a level each, 0, 1, 2 and so on, or yes; nil if it does not.
func (s *Set) Words(j int) *Coding {
	for i := range s.Codings {
		if c := &s.Codings[i]; c.words(s.ColumnName(j)) {
			return c
		}
	}
	return nil
}

// Words is [Frame.Words] for a column of a model, by its name.
func (p *Plan) Words(name string) *Coding {
	for i := range p.Columns {
		if c := &p.Columns[i].Coding; c.words(name) {
			return c
		}
	}
	return nil
}

// words reports whether a column of that name among numbers stands for words of this one.
func (c *Coding) words(name string) bool {
	return c.exclusive() && c.Name == name || c.Levels != nil && c.bit() && c.bitName() == name
}

// Says reports whether each of some values stands for a word.
func (c *Coding) Says(values []float64) bool {
	n := 2
	if c.exclusive() {
		n = len(c.Levels)
	}
	return !slices.ContainsFunc(values, func(x float64) bool { return x != math.Trunc(x) || x < 0 || x >= float64(n) })
}

// Word returns the word that level k stands for, of a bit 0 or 1.
func (c *Coding) Word(k int) string {
	switch {
	case c.exclusive():
		return c.Levels[k]
	case k == 1:
		return c.Levels[0]
	case len(c.Off) > 0 && c.Off[0] != "" && !c.keyed():
		return c.Off[0]
	}
	return "not " + c.Levels[0]
}

// wordColumn describes column j of numbers, which are levels of a category.
func (s *Set) wordColumn(j int, c *Coding, data By) Column {
	on, known := make([]int, len(c.Levels)), 0
	for x := range s.numbers(j, j+1) {
		if !math.IsNaN(x) {
			on[int(x)], known = on[int(x)]+1, known+1
		}
	}
	bits := make([]Column, len(c.Levels))
	for k := range bits {
		bits[k] = bitColumn(c.Levels[k], data, on[k], known, s.Len())
	}
	return categoryColumn(c, max(data, c.By), bits, s.Len())
}

// splitBefore reports whether a column of bits is of one of several answers in a cell, and not of the last.
func (c *Coding) splitBefore(name string) bool {
	if c.Split == "" {
		return false
	}
	i := slices.Index(c.columns(), name)
	return i >= 0 && i < len(c.Levels)-1
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
	k := 0
	for _, c := range data {
		all = append(all, placed{r.data[min(k, len(r.data)-1)], c})
		k += btoi(!c.more)
	}
	for _, l := range meta {
		at, by := r.n, Asked
		if k := slices.Index(r.called, l.Name); k >= 0 && slices.Contains(r.data, r.meta[k]) {
			continue // a condition is on data
		} else if k >= 0 {
			if at = r.meta[k]; r.auto[k] {
				by = Seen
			}
		}
		c := labelColumn(l, by)
		if kind, ok := r.kinds[at]; ok && by == Seen {
			c.Kind, c.Aside = kind, true
		}
		all = append(all, placed{at, c})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	out := make([]Column, len(all))
	for i, c := range all {
		out[i] = c.Column
	}
	return out
}

// Decode is like [Read] for one file whose content is in memory, such as an
// upload; see [OpenFiles]. It ends with the context's error soon after the end of the context.
func Decode(ctx context.Context, name string, data []byte, opts Options) (*Set, error) {
	if opts.Kind != Number {
		opts.Kind = Bit
	}
	s, err := OpenFiles(ctx, []File{{name, data}}, opts)
	if err != nil {
		return nil, err
	}
	return s.frame, nil
}

// held are files that are in memory.
type held struct {
	ctx     context.Context // reading ends with it
	content map[string][]byte
}

// whileReader reads until its context ends.
type whileReader struct {
	ctx context.Context
	*bytes.Reader
}

// ReadAt implements [io.ReaderAt].
func (w *whileReader) ReadAt(p []byte, at int64) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.Reader.ReadAt(p, at)
}
