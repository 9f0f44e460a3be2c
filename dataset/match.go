package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// PlanOf returns the plan of a model: how it was kept that the data were read which it was learned from, the names of
// its columns, if it has any, and the size of its images, 0 if that may be any.
func PlanOf(kept json.RawMessage, columns []string, height, width int, packed bool) (*Plan, error) {
	r, err := readingOf(kept)
	if err != nil {
		return nil, err
	}
	p := &Plan{Form: FormImages, Height: height, Width: width, Packed: packed, reading: r, coded: map[string]*Coding{}}
	switch {
	case r.Items || len(r.Pairs) > 0:
		p.Form = FormLists
	case height == 1 && len(r.Size) == 0:
		p.Form = FormTable
	}
	if r.Numbered {
		for _, name := range columns {
			p.names = append(p.names, strings.TrimPrefix(name, unnamedColumn))
		}
	} else {
		p.names, p.fields = columns, columns
	}
	for i := range r.Columns {
		c := &p.reading.Columns[i]
		p.Columns, p.coded[c.Name] = append(p.Columns, Column{Coding: *c}), c
		if made := c.columns(); c.Levels != nil {
			p.collapse(made, c.Name)
		}
	}
	return p, nil
}

// unnamedColumn begins what columns without names are called.
const unnamedColumn = "column "

// collapse makes one name again of those of the columns that were made of one.
func (p *Plan) collapse(made []string, name string) {
	if i := slices.Index(p.names, made[0]); i >= 0 && i+len(made) <= len(p.names) &&
		slices.Equal(p.names[i:i+len(made)], made) {
		p.names = slices.Concat(p.names[:i], []string{name}, p.names[i+len(made):])
	}
}

// forModel returns options by which data are read for the model: as those were read that it was learned from, unless o
// says otherwise, which the notes say.
func (o Options) forModel() (Options, []string) {
	m := o.Model
	if m == nil {
		return o, nil
	}
	r, like := &m.reading, m.reading.Options()
	var notes []string
	note := func(flag, given, learned string) {
		notes = append(notes, fmt.Sprintf("--%s %s is given, but the model was learned from data read %s", flag, given,
			learned))
	}
	switch given, learned := o.threshold(), like.threshold(); {
	case given == "":
		o.Threshold, o.AutoThreshold = like.Threshold, like.AutoThreshold
	case learned != "" && given != learned:
		note("threshold", given, "with "+learned)
	}
	if o.Invert && !like.Invert {
		note("invert", "true", "without")
	}
	if o.Height > 0 && like.Height > 0 && (o.Height != like.Height || o.Width != like.Width) {
		note("size", fmt.Sprintf("%dx%d", o.Height, o.Width), fmt.Sprintf("as %dx%d", like.Height, like.Width))
	}
	if o.Header == HeaderAuto {
		o.Header = like.Header
	} else if like.Header != HeaderAuto && o.Header != like.Header {
		note("header", headerNames[o.Header], "with "+r.Header)
	}
	if o.Height == 0 && m.Height > 0 { // a scene may have any size
		o.Height, o.Width = like.Height, like.Width
	}
	o.Kind = Number
	if m.Packed {
		o.Kind = Bit
	}
	o.Invert, o.Missing = o.Invert || like.Invert, slices.Concat(o.Missing, like.Missing)
	if !o.Items && len(o.Pairs) == 0 {
		o.Items, o.Pairs = r.Items, r.Pairs
	}
	return o, notes
}

// threshold returns the threshold as the flag has it, "" for none.
func (o *Options) threshold() string {
	switch {
	case o.AutoThreshold:
		return autoThreshold
	case o.Threshold != nil:
		return fmt.Sprint(*o.Threshold)
	}
	return ""
}

// like returns how the data were read that the model was learned from; nothing
// special without a model.
func (o *Options) like() *Reading {
	if o.Model == nil {
		return new(Reading)
	}
	return &o.Model.reading
}

// planFor lays out a table as the model reads it: its columns by name, or by position if either has no names. All
// others are labels.
func (in *input) planFor(s *survey) (*tablePlan, error) {
	m := in.opts.Model
	_ = s.checkNames(true) // names that come twice are told of if they are the model's
	r, err := in.unlearned(s.names, len(s.columns))
	if err != nil {
		return nil, err
	}
	in.ofModel(s, &r)
	p := &tablePlan{numbers: in.real, model: true, first: s.first, header: s.header, unit: s.unit,
		roles: r}
	if lost := m.absent(s.names, m.names); len(lost) > 0 {
		p.absent, s.names = len(lost), append(slices.Clip(s.names), lost...)
		s.columns = append(slices.Clip(s.columns), make([]columnStats, len(lost))...)
		p.names, p.n = s.names, len(s.columns)
		p.note("%s", absentNote(lost))
	}
	if p.data, err = in.dataFor(s, &p.roles); err != nil {
		return nil, err
	}
	if len(p.data) == 0 {
		none := &FormatError{noData: true, Msg: "no column is left as data"}
		return nil, s.noData(none, slices.DeleteFunc(identity(p.n), func(i int) bool { return !s.isText(i) }))
	}
	if err := in.labelOthers(s, p); err != nil {
		return nil, err
	}
	v := s.vocabularies
	v.ones = false // the model knows whether its columns list presences
	for k, i := range p.data {
		c := m.coding(k, s.name(i), &s.columns[i], v)
		st := &s.columns[i]
		if err := st.checkWords(&c); err != nil {
			return nil, err
		}
		if c.Unit != "" && st.unit == nil && st.sum(zeroToken, oneToken, numberToken, commaToken) > 0 {
			p.note("the numbers in %s have no unit here and are taken as %s", c.Name, c.Unit)
		}
		p.lay(in, s, i, c)
	}
	p.settleNames()
	p.noteWeights(s)
	return p, checkSize(1, p.width)
}

// coding returns how the cells of column k of the model are read, which the file has under a name.
func (p *Plan) coding(k int, name string, c *columnStats, v vocabularies) Coding {
	out := Coding{Name: name, Kind: Bit}
	if p.names != nil {
		if kept := p.coded[p.names[k]]; kept != nil {
			out = *kept
			out.Name = name
		}
	}
	c.learned = out.Marks
	if class, marks := c.classOf(v); class == bitClass {
		out.Marks = marks
	}
	return out
}

// checkWords returns an error if all that is known of a column are words, and a model has bits or numbers there: some
// words are unknown, but these are other data. A word or two may be all that a file of few rows has.
func (c *columnStats) checkWords(of *Coding) error {
	if n := c.count(textToken); n < 3 || n < c.known() || of.Levels != nil || of.Cuts != nil || of.Unit != "" ||
		of.Unknown != nil {
		return nil
	}
	at := c.place(textToken)
	return &FormatError{Line: at.line, Column: of.Name, Msg: fmt.Sprintf("%q is %s, and so are all cells of the column",
		at.text, of.not()), Hint: "give data like those that the model was learned from, or empty cells if nothing is known"}
}

// ofModel finds the weights and the columns to leave out as a model has them.
func (in *input) ofModel(s *survey, r *roles) {
	for _, c := range in.opts.Model.reading.Columns {
		at, err := findColumns(r.names, r.n, []string{c.Name})
		if _, number := strconv.Atoi(c.Name); err != nil || number == nil && r.names != nil &&
			!slices.Contains(r.names, c.Name) {
			continue
		}
		switch {
		case c.Kind == Weight && in.opts.weight() == "":
			r.weight = at[0]
		case c.Kind == Unknown:
			r.ignored[at[0]] = true
		}
	}
	r.ignored[r.n-1] = r.ignored[r.n-1] || s.trailing
}

// dataFor returns the columns of a file that are the model's, in its order.
func (in *input) dataFor(s *survey, r *roles) ([]int, error) {
	m := in.opts.Model
	if m.fields != nil && r.names != nil {
		meta, err := findColumns(r.names, r.n, in.opts.said("label"))
		if err != nil {
			return nil, err
		}
		candidates := identity(r.n)
		if len(in.opts.Columns) > 0 {
			if candidates, err = findColumns(r.names, r.n, in.opts.Columns); err != nil {
				return nil, err
			}
		}
		gone := members(r.n, meta)
		candidates = slices.DeleteFunc(candidates, func(i int) bool {
			c := m.coded[r.names[i]]
			return gone[i] || r.ignored[i] || c != nil && (c.Kind == Label || c.Kind == Weight)
		})
		return order(m.names, r.names, candidates)
	}
	if len(in.opts.Columns) > 0 {
		data, err := findColumns(r.names, r.n, in.opts.Columns)
		if err != nil {
			return nil, err
		}
		return data, in.fits(r, data)
	}
	if m.reading.Numbered && r.names == nil {
		if data, err := findColumns(nil, r.n, m.names); err == nil {
			return data, nil
		}
	}
	asked, err := findColumns(r.names, r.n, in.asked())
	if err != nil {
		return nil, err
	}
	gone := members(r.n, asked)
	var all, data []int
	for i := range r.n {
		if gone[i] || r.ignored[i] || i == r.weight {
			continue
		}
		all = append(all, i)
		if c := m.coded[s.name(i)]; c == nil || c.Kind != Label {
			data = append(data, i)
		}
	}
	words := slices.DeleteFunc(slices.Clone(data), func(i int) bool { return s.isText(i) || i == 0 && s.index.counts() })
	for _, some := range [][]int{data, words, all} {
		if in.fits(r, some) == nil {
			return some, nil
		}
	}
	return nil, in.fits(r, data)
}

// fits returns an error unless there are as many columns of data as the model has.
func (in *input) fits(r *roles, data []int) error {
	m := in.opts.Model
	if m.Form == FormImages {
		return m.refuseTable(r.names, data, in.opts.Height*in.opts.Width == len(data))
	}
	n := len(m.names)
	if m.names == nil {
		n = m.Width
	}
	return m.checkWidth(n, len(data))
}

// mostOthers is how many columns that a model does not have are labels.
const mostOthers = 100

// labelOthers makes labels of the columns that are not the model's.
func (in *input) labelOthers(s *survey, p *tablePlan) error {
	asked := in.asked()
	found, err := findColumns(p.names, p.n, asked)
	if err != nil {
		return err
	}
	m := in.opts.Model
	data, wanted := members(p.n, p.data), members(p.n, found)
	var others, foreign []int
	for i := range p.n {
		if data[i] || wanted[i] || i == p.weight || p.ignored[i] || m.reading.Only || len(in.opts.Columns) > 0 {
			continue
		}
		others = append(others, i)
		if c := m.coded[s.name(i)]; (c == nil || c.Kind != Label) && !s.isText(i) {
			foreign = append(foreign, i)
		}
	}
	what := "taken as labels"
	if len(others) > mostOthers {
		others, what = nil, "left out"
	} else if len(foreign) == 1 {
		what = "taken as a label"
	}
	if p.names != nil && len(foreign) > 0 {
		p.note("%s in the model and %s: %s", people(len(foreign), "column is not", "columns are not"), what,
			list(quoted(pick(p.names, foreign))))
	}
	p.label(asked, found, others)
	return nil
}

// isHeader reports whether a line has a name of the model's columns that is no value.
func (p *Plan) isHeader(line []string) bool {
	return p != nil && p.fields != nil && slices.ContainsFunc(line, func(cell string) bool {
		_, state := parseCell(cell)
		return state == cellBad && slices.Contains(p.names, trim(cell))
	})
}

// For returns the frame as a model reads it: that of a table with the columns that
// the model has, in its order, by name. The error says what is missing, or which size differs.
func (s *Set) For(m *Plan) (*Set, error) {
	out := *s
	out.Images, out.Values, out.Memory = slices.Clone(s.Images), slices.Clone(s.Values), nil
	if s.Table && s.Len() > 0 {
		if err := out.match(m); err != nil {
			return nil, at(err, s.Source)
		}
		out.recode(m)
	}
	return &out, m.checkFrame(&out)
}

// recode makes the levels of words of numbers those of a model; what that does not know is unknown, which a note says.
func (s *Set) recode(m *Plan) {
	s.Notes, s.Codings = slices.Clip(s.Notes), slices.Clone(s.Codings)
	for j := 0; s.Values != nil && j < s.Width; j++ {
		here, there := s.Words(j), m.coded[s.ColumnName(j)]
		if here == nil || there == nil || !there.exclusive() || slices.Equal(here.Levels, there.Levels) {
			continue
		}
		to, strange := make([]float64, len(here.Levels)), strangeCells{of: there}
		for k, level := range here.Levels {
			if to[k] = float64(wordAt(there.Levels, level)); to[k] < 0 {
				to[k], strange.example = math.NaN(), level
			}
		}
		for i, row := range s.Values {
			if x := row[j]; !math.IsNaN(x) {
				s.Values[i] = slices.Clone(row)
				s.Values[i][j] = to[int(x)]
				strange.n += btoi(math.IsNaN(to[int(x)]))
			}
		}
		if *here = *there; strange.n > 0 {
			s.Notes = append(s.Notes, Note{Text: strange.note()})
		}
	}
}

// checkFrame returns an error if numbers have another size than those of a model, if there is one.
func (p *Plan) checkFrame(s *Set) error {
	if p == nil || p.Packed || s.Height == p.Height && s.Width == p.Width {
		return nil
	}
	return &FormatError{Path: s.Source, Msg: fmt.Sprintf("%d x %d values, the model has %d x %d", s.Height, s.Width,
		p.Height, p.Width), Hint: "give data of the size of the model"}
}

// match puts the columns of a table that was read as a whole in the model's order.
func (s *Set) match(m *Plan) error {
	_, width := s.Size()
	if m.fields == nil || s.Columns == nil {
		if m.Form == FormImages {
			return nil
		}
		return m.checkWidth(m.Width, width)
	}
	have, lost := s.Columns, m.absent(s.Columns, m.fields)
	if len(lost) > 0 {
		have = slices.Concat(have, lost)
		s.Notes = append(slices.Clip(s.Notes), Note{Text: absentNote(lost)})
	}
	index, err := order(m.fields, have, identity(len(have)))
	if err != nil || slices.Equal(index, identity(width)) {
		return err
	}
	if n := len(have) - len(index); n > 0 {
		known := indexOf(m.fields)
		foreign := slices.DeleteFunc(slices.Clone(s.Columns), func(name string) bool { _, ours := known[name]; return ours })
		s.Notes = append(slices.Clip(s.Notes), Note{Text: fmt.Sprintf("%s in the model and left out: %s",
			people(n, "column is not", "columns are not"), list(quoted(foreign)))})
	}
	s.Columns = have
	s.keepColumns(index)
	return nil
}
