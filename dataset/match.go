package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/enum"
)

// expected says what a model expects of the data that it meets.
type expected struct {
	reading Reading
	columns []string // names, in the model's order; nil if they have none
	known   map[string]bool
	width   int // columns of its rows; 0 if its images are no rows of a table

	height, across int // of its images
}

// For returns options that read data for a model: as those were read that it was
// learned from, unless o says otherwise, and with the columns of tables in its order,
// by name. Tables without names are matched by position, also by models whose columns
// are numbers of columns. Columns that the model does not have are left out, which a note says; columns that are
// missing, and names that come twice, are errors when the data are read.
//
// meant lists flags whose zero value is meant: "invert" if Invert false overrides the
// model. The notes say, in a sentence each, where o contradicts the model.
func (o Options) For(m *patchwork.Model, meant ...string) (Options, []string, error) {
	r, err := ReadingOf(m)
	if err != nil {
		return o, nil, err
	}
	c := m.Config()
	w := &expected{reading: r, columns: m.Extras().Columns, known: map[string]bool{}, height: c.ImageHeight,
		across: c.ImageWidth}
	if c.Height == 1 && !c.Scene && len(r.Size) == 0 {
		w.width = c.Width
	}
	if r.Numbered {
		w.columns = nil // as they are nobody's names
	}
	w.collapse()
	for _, name := range w.columns {
		w.known[name] = true
	}
	o.model = w
	if len(o.Categories) == 0 {
		o.Categories = r.Categories
	}
	if len(o.Missing) == 0 {
		o.Missing = r.Missing
	}
	if !o.Items && len(o.Pairs) == 0 {
		o.Items, o.Pairs = r.Items, r.Pairs
	}
	like, notes := r.Options(), w.contradictions(&o, meant)
	o.codings = like.codings
	if o.Threshold == nil && !o.AutoThreshold {
		o.Threshold, o.AutoThreshold = like.Threshold, like.AutoThreshold
	}
	o.Invert = o.Invert || like.Invert && !slices.Contains(meant, "invert")
	if o.Header == HeaderAuto {
		o.Header = like.Header
	}
	if o.Height == 0 && !c.Scene { // a scene may have any size
		o.Height, o.Width = like.Height, like.Width
	}
	return o, notes, nil
}

// contradictions returns a sentence for each of the options that reads data otherwise
// than those that the model was learned from.
func (w *expected) contradictions(o *Options, meant []string) []string {
	r, like := &w.reading, w.reading.Options()
	var notes []string
	note := func(flag, given, learned string) {
		notes = append(notes, fmt.Sprintf("--%s %s is given, but the model was learned from data read %s", flag, given,
			learned))
	}
	if t := o.Threshold; t != nil && r.Threshold != nil && *t != *r.Threshold {
		note("threshold", fmt.Sprint(*t), fmt.Sprint("with ", *r.Threshold))
	} else if t != nil && r.AutoThreshold {
		note("threshold", fmt.Sprint(*t), "with a threshold for each image")
	} else if o.AutoThreshold && r.Threshold != nil {
		note("threshold", autoThreshold, fmt.Sprint("with ", *r.Threshold))
	}
	switch {
	case o.Invert && !r.Invert:
		note("invert", "true", "without")
	case r.Invert && slices.Contains(meant, "invert"):
		note("invert", "false", "with on and off swapped")
	}
	if o.Height > 0 && len(r.Size) > 0 && (o.Height != like.Height || o.Width != like.Width) {
		note("size", fmt.Sprintf("%dx%d", o.Height, o.Width), fmt.Sprintf("as %dx%d", like.Height, like.Width))
	}
	if o.Header != HeaderAuto && like.Header != HeaderAuto && o.Header != like.Header {
		note("header", headerNames[o.Header], "with "+r.Header)
	}
	return notes
}

// collapse makes one column again of the columns of bits of each category.
func (w *expected) collapse() {
	for _, c := range w.reading.Categories {
		made := c.columns()
		i := slices.Index(w.columns, strings.Join(made[:min(1, len(made))], ""))
		if i >= 0 && i+len(made) <= len(w.columns) && slices.Equal(w.columns[i:i+len(made)], made) {
			w.columns = slices.Concat(w.columns[:i], []string{c.Name}, w.columns[i+len(made):])
		}
		if w.width > 0 {
			w.width -= len(made) - 1
		}
	}
}

// expand returns the model for data in which the columns of bits of its categories
// have names of their own.
func (w *expected) expand(names []string) *expected {
	out := *w
	out.columns, out.known = nil, map[string]bool{}
	for _, name := range w.columns {
		at := slices.IndexFunc(w.reading.Categories, func(c Categorical) bool { return c.Name == name })
		made := []string{name}
		if at >= 0 && !slices.Contains(names, name) {
			made = w.reading.Categories[at].columns()
		}
		out.width += len(made) - 1
		out.columns = append(out.columns, made...)
	}
	for _, name := range out.columns {
		out.known[name] = true
	}
	return &out
}

// like returns how the data were read that the model was learned from; nothing
// special without a model.
func (o *Options) like() *Reading {
	if o.model == nil {
		return new(Reading)
	}
	return &o.model.reading
}

// knows reports whether the model has a column of that name.
func (w *expected) knows(name string) bool { return w != nil && w.known[name] }

// named reports whether columns of these names, nil for none, are matched by name.
func (w *expected) named(names []string) bool { return w != nil && w.columns != nil && names != nil }

// present returns those of the columns, as the model's reading names them, that are
// among n columns and are no data of the model.
func (w *expected) present(wanted, names []string, n int) []string {
	var out []string
	for _, name := range wanted {
		if name == "" || w.knows(name) {
			continue
		}
		if _, err := strconv.Atoi(name); names != nil && err == nil && !slices.Contains(names, name) {
			continue // a number, in data that had no names
		}
		if _, err := findColumns(names, n, []string{name}); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// pickData returns which of the candidates, columns of a table with these names or
// none, are the model's, in its order, and the names of those that the model does not have, which are left out.
// chosen says that the user chose the candidates: then these are an error.
func (w *expected) pickData(names []string, n int, candidates []int, chosen bool) (data []int, foreign []string,
	err error) {
	if !w.named(names) {
		if names == nil && !chosen && len(w.reading.Columns) > 0 {
			if found, err := findColumns(nil, n, w.reading.Columns); err == nil {
				candidates = found
			}
		}
		return candidates, nil, w.checkWidth(len(candidates))
	}
	if slices.Equal(pick(names, candidates), w.columns) {
		return candidates, nil, nil
	}
	at, again := firstOf(names, candidates)
	var wrong mismatch
	for _, name := range w.columns {
		switch i, known := at[name]; {
		case !known:
			wrong.missing = append(wrong.missing, name)
		case again[name]:
			wrong.doubled = append(wrong.doubled, name)
		default:
			data = append(data, i)
		}
	}
	if chosen || len(w.reading.Columns) == 0 { // else the others were left out in learning, too
		foreign = make([]string, 0, max(0, len(candidates)-len(data)))
		for _, i := range candidates {
			if name := names[i]; !w.knows(name) && at[name] == i {
				foreign = append(foreign, name)
			}
		}
	}
	if chosen || len(wrong.missing) > 0 {
		wrong.foreign = foreign
	}
	return data, foreign, wrong.err()
}

// firstOf returns the first of the candidates with each name, and which names come again among them.
func firstOf(names []string, candidates []int) (at map[string]int, again map[string]bool) {
	at, again = make(map[string]int, len(candidates)), map[string]bool{}
	for _, i := range candidates {
		if _, known := at[names[i]]; known {
			again[names[i]] = true
		} else {
			at[names[i]] = i
		}
	}
	return at, again
}

// foreignNotes says that columns are left out, if there are any.
func foreignNotes(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s in the model and left out: %s", people(len(names), "column is not", "columns are not"),
		list(quoted(names)))}
}

// checkWidth returns an error unless rows have as many columns as the model.
func (w *expected) checkWidth(n int) error {
	if w.width == 0 || n == w.width {
		return nil
	}
	e := &FormatError{Msg: fmt.Sprintf("%d columns of data, but the model has %d", n, w.width),
		Hint: "choose the model's with --columns, or say which are no data with --column NAME=label"}
	if w.columns != nil {
		e.Msg += ": " + list(quoted(w.columns))
	}
	return e
}

// mismatch lists the names of columns that do not fit a model.
type mismatch struct{ missing, foreign, doubled []string }

// err returns an error that lists them, or nil if there are none.
func (m *mismatch) err() error {
	if len(m.missing)+len(m.foreign)+len(m.doubled) == 0 {
		return nil
	}
	lost, strange, near := m.likely()
	var what, hints []string
	say := func(label string, names []string) {
		if len(names) > 0 {
			what = append(what, label+": "+list(names))
		}
	}
	hint := func(names []string, text string) {
		if len(names) > 0 {
			hints = append(hints, text)
		}
	}
	say("missing", quoted(m.missing))
	say("not in the model", near)
	say("more than once", quoted(m.doubled))
	if len(lost) < len(m.missing) {
		hint(m.foreign, "rename what means the same")
	}
	hint(lost, "add what is missing, with empty cells if it is unknown")
	if len(strange) > 0 {
		hint(strange, fmt.Sprintf("leave out what is no data with %s, or choose with --columns",
			columnFlag(strange[0], "unknown")))
	}
	hint(m.doubled, "rename or remove what comes more than once")
	return &FormatError{Msg: "the columns are not those of the model: " + strings.Join(what, "; "),
		Hint: strings.Join(hints, "; ")}
}

// likely finds the missing name that a foreign one may stand for. It returns the
// missing names without such a partner, the first foreign ones without, and all foreign
// names in quotes, each with its partner, as far as [list] shows them.
func (m *mismatch) likely() (lost, strange, near []string) {
	const most = 50 // of those that are listed, among not too many
	lost = slices.Clone(m.missing)
	near = quoted(m.foreign)
	for i, name := range m.foreign {
		partner := ""
		if i < most {
			partner = enum.Nearest(name, lost[:min(len(lost), 20*most)])
		}
		if partner != "" {
			near[i] += fmt.Sprintf(" (did you mean %q?)", shorten(partner))
			lost = slices.DeleteFunc(lost, func(s string) bool { return s == partner })
		} else {
			strange = append(strange, name)
		}
	}
	return lost, strange, near
}

// quoted returns names in quotes, and empty ones beyond those that [list] shows.
func quoted(names []string) []string {
	out := make([]string, len(names))
	for i := range min(len(names), mostNamed) {
		out[i] = strconv.Quote(shorten(names[i]))
	}
	return out
}

// isHeader reports whether a line has a name of the model's columns that is no value.
func (w *expected) isHeader(line []string) bool {
	return w != nil && slices.ContainsFunc(line, func(cell string) bool {
		_, state := parseCell(cell)
		return state == cellBad && w.knows(trim(cell))
	})
}

// For returns the images of a set for a model: those of a table with the columns that
// the model has, in its order, by name. All other sets are returned as they are. The
// error lists columns as that of [Options.For] does.
func (s *Set) For(m *patchwork.Model) (*Set, error) {
	o, _, err := (Options{}).For(m)
	if err != nil || !s.Table || s.Len() == 0 {
		return s, err
	}
	out := *s
	out.Images, out.Memory = slices.Clone(s.Images), nil
	return &out, at(out.match(o.model, false), s.Source)
}

// match puts the columns of a table that was read as a whole in the model's order.
func (s *Set) match(w *expected, chosen bool) error {
	_, width := s.Size()
	if len(w.reading.Categories) > 0 {
		w = w.expand(s.Columns)
	}
	index, foreign, err := w.pickData(s.Columns, width, identity(width), chosen)
	if err != nil || slices.Equal(index, identity(width)) {
		return err
	}
	s.Notes = append(s.Notes, foreignNotes(foreign)...)
	return s.keepColumns(index)
}
